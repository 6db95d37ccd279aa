package review_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/meaning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/page"
)

// secretMark is in every sensitive value below.
const secretMark = "pssst"

// secretOf is a sensitive value of the attribute's kind; nil for a kind that cannot contain the mark.
func secretOf(kind, attribute, what string) any {
	text := secretMark + "-" + what + "-" + attribute
	switch kind {
	case "string":
		return text
	case "list":
		return []string{text, "user:" + text + "@example.com", "group:" + text}
	case "map":
		return map[string]string{"key": text}
	}
	return nil
}

// No form of the review has a value that the plan marks as sensitive, in any attribute.
func TestReviewSensitiveValues_NotShown(t *testing.T) {
	f := newFirm(t)
	for _, kind := range meaning.Types() {
		of, _ := meaning.Of(kind)
		before, after, marks := attributes{"id": 4711}, attributes{"id": 4711}, attributes{}
		for _, name := range of.Attributes() {
			row, _ := of.Attribute(name)
			if value := secretOf(row.Kind, name, "old"); value != nil && name != "id" {
				before[name], after[name], marks[name] = value, secretOf(row.Kind, name, "new"), true
			}
		}
		for action, sides := range map[string][2]attributes{"create": {nil, after}, "update": {before, after}, "delete": {before, nil}} {
			change := resourceChange(kind, sides[0], sides[1])
			change["change"].(attributes)["before_sensitive"], change["change"].(attributes)["after_sensitive"] = marks, marks
			found := f.reviewed("", change)
			var html bytes.Buffer
			if err := page.Write(&html, found); err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(found)
			if err != nil {
				t.Fatal(err)
			}
			for form, content := range map[string]string{"Markdown": markdownOf(t, found), "HTML": html.String(), "JSON": string(text)} {
				if at := strings.Index(content, secretMark); at >= 0 {
					t.Errorf("%s %s: the %s shows %q", action, kind, form, content[max(0, at-80):min(len(content), at+60)])
				}
			}
		}
	}
}

// A name that is cut is masked too. The value of a permission is masked even if the organization has the group.
func TestReviewSensitiveValues_LongNames_Masked(t *testing.T) {
	f := newFirm(t)
	board := attributes{"id": f.board, "name": "board", "can_subscribe_group": []string{"role:nobody"}}
	after := attributes{"id": f.board, "name": strings.Repeat(secretMark, 50), "can_subscribe_group": []string{"group:directors", "group:advisers"}}
	change := resourceChange("zulip_channel", board, after)
	change["change"].(attributes)["after_sensitive"] = attributes{"name": true, "can_subscribe_group": true}
	found := f.reviewed("", change)
	text, err := json.Marshal(found)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{secretMark, "group:advisers"} {
		if at := bytes.Index(text, []byte(secret)); at >= 0 {
			t.Errorf("the review shows %q", text[max(0, at-80):at+60])
		}
	}
	expectText(t, string(text), "a sensitive value", "(sensitive value)")
}
