package zulip

import (
	"testing"

	"pgregory.net/rapid"
)

func TestStoredContent(t *testing.T) {
	for content, want := range map[string]string{
		"a\n": "a", "\n\n a \t\n": " a", " \n": "", "a\u00a0": "a", "a\x1f": "a", "a\nb": "a\nb",
	} {
		if got := StoredContent(content); got != want {
			t.Errorf("%q is stored as %q, want %q", content, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		once := StoredContent(rapid.String().Draw(t, "content"))
		if twice := StoredContent(once); twice != once {
			t.Fatalf("%q is stored as %q", once, twice)
		}
	})
}

func TestStoredTopic(t *testing.T) {
	for topic, want := range map[string]string{" a b ": "a b", "(no topic)": "", "general chat": "", "General chat": "General chat"} {
		if got := StoredTopic(topic); got != want {
			t.Errorf("%q is stored as %q, want %q", topic, got, want)
		}
	}
}

func TestAddresseeSame(t *testing.T) {
	const self = 1
	for _, c := range []struct {
		a, b Addressee
		want bool
	}{
		{Addressee{ChannelID: 5, Topic: "x"}, Addressee{ChannelID: 5, Topic: " x"}, true},
		{Addressee{ChannelID: 5, Topic: "x"}, Addressee{ChannelID: 5, Topic: "X"}, false},
		{Addressee{ChannelID: 5}, Addressee{ChannelID: 6}, false},
		{Addressee{UserIDs: []int64{3, 2}}, Addressee{UserIDs: []int64{1, 2, 3}}, true},
		{Addressee{UserIDs: []int64{1}}, Addressee{UserIDs: []int64{1}}, true},
		{Addressee{UserIDs: []int64{2}}, Addressee{UserIDs: []int64{3}}, false},
		{Addressee{UserIDs: []int64{2}}, Addressee{ChannelID: 5}, false},
	} {
		if got, back := c.a.Same(c.b, self), c.b.Same(c.a, self); got != c.want || back != c.want {
			t.Errorf("%v and %v: %v and %v, want %v", c.a, c.b, got, back, c.want)
		}
	}
}
