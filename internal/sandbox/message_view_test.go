package sandbox

import (
	"fmt"
	"testing"
)

func TestPeopleOfDirectMessages(t *testing.T) {
	s := start(t, Config{Accounts: map[string]Account{
		"zoe":  {Email: "zoe@example.com", FullName: "Zoe", Role: 100},
		"amy":  {Email: "amy@example.com", FullName: "Amy", Role: 400},
		"beth": {Email: "beth@example.com", FullName: "Beth", Role: 400},
	}})
	zoe, _ := s.Credentials("zoe")
	amy, _ := s.Credentials("amy")
	beth, _ := s.Credentials("beth")
	for _, c := range []string{"zoe", "amy", "beth"} {
		must(t, s, c, "PATCH", "/settings", map[string]any{"email_address_visibility": 1})
	}
	for _, test := range []struct{ to, want []int }{
		{[]int{amy.ID}, []int{amy.ID, zoe.ID}},
		{[]int{amy.ID, beth.ID}, []int{zoe.ID, amy.ID, beth.ID}},
		{[]int{zoe.ID}, []int{zoe.ID}},
	} {
		id := sent(t, s, "zoe", map[string]any{"type": "direct", "to": test.to, "content": "Hi"})
		message := must(t, s, "zoe", "GET", fmt.Sprintf("/messages/%d", id), nil).body["message"].(map[string]any)
		var got []int
		for _, person := range message["display_recipient"].([]any) {
			got = append(got, int(person.(map[string]any)["id"].(float64)))
		}
		if fmt.Sprint(got) != fmt.Sprint(test.want) {
			t.Errorf("to %v: %v, want %v", test.to, got, test.want)
		}
	}
}

func TestNewChannelsAreRecentlyActive(t *testing.T) {
	s := start(t, Config{})
	id := createdChannel(t, s, "admin", "quiet")
	if got := must(t, s, "admin", "GET", fmt.Sprintf("/streams/%d", id), nil).body["stream"].(map[string]any)["is_recently_active"]; got != true {
		t.Errorf("is_recently_active: %v", got)
	}
}

func TestSearchShowsWhatItFound(t *testing.T) {
	s := start(t, Config{})
	sent(t, s, "member", toGeneral("Tea & cakes", "Two **cakes**, & a search for [cake](https://example.com/cake)"))
	sent(t, s, "member", toGeneral("other", "Nothing to see"))
	messages := func(narrow string) []any {
		return must(t, s, "member", "GET", "/messages", map[string]any{"anchor": "newest", "num_before": "10", "narrow": narrow}).body["messages"].([]any)
	}
	const content = `<p>Two <strong><span class="highlight">cakes</span></strong>, &amp; a search for ` +
		`<a href="https://example.com/cake"><span class="highlight">cake</span></a></p>`
	const subject = `Tea &amp; <span class="highlight">cakes</span>`
	for narrow, found := range map[string]bool{
		`[["search","CAKE"]]`: true, `[["search","cakes tea two"]]`: true, `[["search","cak"]]`: false,
		`[["search","\"cakes two\""]]`: false, `[["search","nowhere"]]`: false,
	} {
		if got := messages(narrow); len(got) > 0 != found {
			t.Errorf("%s: %v", narrow, got)
		}
	}
	got := messages(`[["search","cake"]]`)[0].(map[string]any)
	if got["match_content"] != content || got["match_subject"] != subject {
		t.Errorf("match_content %v\nmatch_subject %v", got["match_content"], got["match_subject"])
	}
	if _, ok := messages(`[["channel","general"]]`)[0].(map[string]any)["match_content"]; ok {
		t.Error("match_content without a search")
	}
}
