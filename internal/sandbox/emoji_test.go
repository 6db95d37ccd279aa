package sandbox

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// testdata/emoji.json.gz holds what a real server answered for each name, in a status and in a reaction alike: the code; for
// what is no standard emoji its type before the code; nothing if it refused the name.
func TestConformanceEmoji(t *testing.T) {
	var recorded map[string]string
	readPackedJSON(t, "testdata/emoji.json.gz", &recorded)
	s := start(t, Config{})
	member, _ := s.Credentials("member")
	message := sent(t, s, "member", toGeneral("emoji", "Hello"))
	reactions := fmt.Sprintf("/messages/%d/reactions", message)

	held := func() (status, reaction rules.Emoji) {
		s.Organization().Read(func(o *rules.Organization) {
			all, _ := o.Statuses.Get(member.ID)
			m, _ := o.Messages.Get(message)
			status = all.Emoji
			if len(m.Reactions) == 1 {
				reaction = m.Reactions[0].Emoji
			}
		})
		return status, reaction
	}
	post := func(path, name string) response {
		return ask(t, s, "member", "POST", path, map[string]any{"emoji_name": name})
	}
	known := 0
	for _, name := range slices.Sorted(maps.Keys(recorded)) {
		status, reaction := post("/users/me/status", name), post(reactions, name)
		if recorded[name] == "" {
			want := fmt.Sprintf("Emoji '%s' does not exist", name)
			if status.body["msg"] != want || reaction.body["msg"] != want {
				t.Errorf("%q: %s %s", name, status.text, reaction.text)
			}
			continue
		}
		known++
		want := rules.Emoji{Name: name, Code: recorded[name], Type: rules.StandardEmoji}
		if kind, code, other := strings.Cut(recorded[name], " "); other {
			want.Type, want.Code = kind, code
		}
		if one, other := held(); one != want || other != want {
			t.Errorf("%q: the status has %+v, the message %+v, want %+v", name, one, other, want)
		}
		must(t, s, "member", "DELETE", reactions, map[string]any{"emoji_name": name, "reaction_type": want.Type})
	}
	if known != 3340 {
		t.Errorf("%d names are known, want 3,339 and the one of Zulip's own emoji", known)
	}
}
