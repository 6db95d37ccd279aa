package sandbox

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// renderings are a real server's renderings of messages and of edits of them. An approximate one must agree only in the
// text that the test searches for.
type renderings struct {
	Texts []struct {
		Text        string `json:"text"`
		HTML        string `json:"html"`
		Link        bool   `json:"link"`
		Image       bool   `json:"image"`
		Approximate bool   `json:"approximate"`
	} `json:"texts"`
	Diffs      [][3]string `json:"diffs"`
	Linkifiers []struct {
		Pattern     string `json:"pattern"`
		URLTemplate string `json:"url_template"`
		Text        string `json:"text"`
		HTML        string `json:"html"`
	} `json:"linkifiers"`
}

func readRenderings(t *testing.T) renderings {
	t.Helper()
	data, err := os.ReadFile("testdata/renderings.json")
	requireNoError(t, err)
	var recorded renderings
	requireNoError(t, json.Unmarshal(data, &recorded))
	return recorded
}

// renderingServer holds the objects that the recorded messages mention.
func renderingServer(t *testing.T) (s *Server, channel int) {
	t.Helper()
	s = start(t, Config{FeatureLevel: 442, Accounts: readRecording(t, "testdata/recordings/channels-create.json").Accounts})
	owner, _ := s.Credentials("owner")
	channel = int(must(t, s, "owner", "POST", "/channels/create", map[string]any{"name": "a", "subscribers": []int{owner.ID}}).body["id"].(float64))
	must(t, s, "owner", "POST", "/user_groups/create", map[string]any{"name": "g", "description": "G", "members": []int{owner.ID}})
	must(t, s, "owner", "POST", "/realm/filters", map[string]any{"pattern": "X(?P<id>[0-9]+)", "url_template": "https://x.example/{id}"})
	return s, channel
}

func TestConformanceRendering(t *testing.T) {
	s, channel := renderingServer(t)
	found := func(condition string) map[float64]string {
		ids := map[float64]string{}
		query := map[string]any{"anchor": "newest", "num_before": "1000", "narrow": fmt.Sprintf(`[["channel","a"]%s]`, condition)}
		for _, row := range ask(t, s, "owner", "GET", "/messages", query).body["messages"].([]any) {
			m := row.(map[string]any)
			ids[m["id"].(float64)] = m["content"].(string)
		}
		return ids
	}
	recorded := readRenderings(t)
	var ids []float64
	for _, message := range recorded.Texts {
		id := sent(t, s, "owner", map[string]any{"type": "channel", "to": channel, "topic": "t", "content": message.Text})
		ids = append(ids, float64(id))
	}
	all, links, images := found(""), found(`,["has","link"]`), found(`,["has","image"]`)
	for i, message := range recorded.Texts {
		got := all[ids[i]]
		if !message.Approximate && withoutNumbers(got) != withoutNumbers(message.HTML) {
			t.Errorf("%q:\n%s\nwant\n%s", message.Text, got, message.HTML)
		}
		if _, ok := links[ids[i]]; ok != message.Link {
			t.Errorf("%q has a link: %t, want %t", message.Text, ok, message.Link)
		}
		if _, ok := images[ids[i]]; ok != message.Image {
			t.Errorf("%q has an image: %t, want %t", message.Text, ok, message.Image)
		}
	}
}

func TestConformanceLinkifiers(t *testing.T) {
	s := start(t, Config{})
	for _, linkifier := range readRenderings(t).Linkifiers {
		must(t, s, "owner", "POST", "/realm/filters", map[string]any{"pattern": linkifier.Pattern, "url_template": linkifier.URLTemplate})
		if got := s.org.Render(linkifier.Text); got != linkifier.HTML {
			t.Errorf("%s:\n%s\nwant\n%s", linkifier.URLTemplate, got, linkifier.HTML)
		}
	}
}

// The server inserts blanks at other places.
func TestConformanceHTMLDiff(t *testing.T) {
	s, channel := renderingServer(t)
	withoutBlanks := func(text string) string {
		text = strings.ReplaceAll(text, `<span class="highlight_text_inserted"> </span>`, "")
		return strings.ReplaceAll(strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "> ", ">"), " <", "<")
	}
	for _, diff := range readRenderings(t).Diffs {
		id := sent(t, s, "owner", map[string]any{"type": "channel", "to": channel, "topic": "t", "content": diff[0]})
		must(t, s, "owner", "PATCH", fmt.Sprintf("/messages/%d", id), map[string]any{"content": diff[1]})
		history := must(t, s, "owner", "GET", fmt.Sprintf("/messages/%d/history", id), nil).body["message_history"].([]any)
		got := history[1].(map[string]any)["content_html_diff"].(string)
		if withoutBlanks(got) != withoutBlanks(diff[2]) {
			t.Errorf("%q to %q:\n%s\nwant\n%s", diff[0], diff[1], got, diff[2])
		}
	}
}

// testdata/emoji.json.gz holds the answer of a real server to each name, in a status and in a reaction. It is the code,
// with the type before it if it is no standard emoji. It is empty if the server refused the name.
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
	for i, name := range slices.Sorted(maps.Keys(recorded)) {
		if recorded[name] != "" {
			known++
		}
		if testing.Short() && i%8 > 0 {
			continue // races do not depend on the emoji
		}
		status, reaction := post("/users/me/status", name), post(reactions, name)
		if recorded[name] == "" {
			want := fmt.Sprintf("Emoji '%s' does not exist", name)
			if status.body["msg"] != want || reaction.body["msg"] != want {
				t.Errorf("%q: %s %s", name, status.text, reaction.text)
			}
			continue
		}
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
