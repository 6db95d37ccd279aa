package review_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/meaning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/page"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
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
			expectNoSecret(t, action+" "+kind, found)
		}
	}
}

// expectNoSecret checks that no form of a review has a sensitive value.
func expectNoSecret(t *testing.T, of string, found *report.Report) {
	t.Helper()
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
			t.Errorf("%s: the %s shows %q", of, form, content[max(0, at-80):min(len(content), at+60)])
		}
	}
}

// The sensitive names of new objects are masked wherever other objects name them, and are used to find the objects.
func TestReviewSensitiveValues_NewObjects_Masked(t *testing.T) {
	f := newFirm(t)
	const email, name = secretMark + "@example.com", secretMark + " Noor"
	secret := func(change attributes, names ...string) attributes {
		marks := attributes{}
		for _, name := range names {
			marks[name] = true
		}
		change["change"].(attributes)["after_sensitive"] = marks
		return change
	}
	found := f.reviewed(`rule "board" {
  channels   = "board"
  permission = "read"
  never      = "user:`+email+`"
}
rule "new" {
  channels   = "`+name+`"
  permission = "read"
  only       = "group:`+name+`"
}`,
		secret(resourceChange("zulip_user", nil, attributes{"email": email, "full_name": name, "role": "guest"}), "email", "full_name"),
		secret(resourceChange("zulip_bot", nil, attributes{"short_name": secretMark, "full_name": name, "owner": email}), "short_name", "full_name", "owner"),
		secret(resourceChange("zulip_user_group", nil, attributes{"name": name, "members": []string{email, "no-" + email}}), "name", "members"),
		secret(resourceChange("zulip_channel_subscribers", nil, attributes{"channel_id": f.board, "channel": "board", "users": []string{email, "no-" + email}}), "users"),
		secret(resourceChange("zulip_channel", nil, attributes{"name": name, "initial_subscribers": []string{email}, "can_send_message_group": []string{"group:" + name}}), "name", "initial_subscribers"))
	expectNoSecret(t, "new objects", found)
	expectRule(t, found, "board", true)
	for _, rule := range found.Rules {
		if rule.Status != report.RuleFails {
			t.Errorf("%s: %q", rule.Name, rule.Lines())
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
	expectText(t, string(text), "(sensitive value)")
}
