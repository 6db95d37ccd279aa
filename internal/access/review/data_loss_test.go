package review_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
)

// Retention is compared in days, even if words stand for them.
func TestReviewRetention_ComparedInDays(t *testing.T) {
	for name, test := range map[string]struct {
		organization, before, after string
		planned                     any // of the organization; nil: unset
		says                        string
	}{
		"the organization's is shorter":   {"7", "365", "realm_default", nil, "Its messages are deleted after 7 days; before: 365 days."},
		"the organization's is longer":    {"30", "7", "realm_default", nil, ""},
		"the organization's is the same":  {"30", "30", "realm_default", nil, ""},
		"the organization's is no limit":  {`"unlimited"`, "7", "realm_default", nil, ""},
		"shorter than the organization's": {"30", "realm_default", "7", nil, "Its messages are deleted after 7 days; before: 30 days."},
		"longer than the organization's":  {"7", "realm_default", "30", nil, ""},
		"from no limit":                   {"7", "unlimited", "30", nil, "Its messages are deleted after 30 days; before: never."},
		"the plan shortens both":          {"400", "365", "realm_default", "7", "Its messages are deleted after 7 days; before: 365 days."},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFirm(t)
			f.Call(t, "PATCH", "/realm", map[string]string{"message_retention_days": test.organization})
			hall := func(retention string) attributes {
				return attributes{"id": f.hall, "name": "hall", "message_retention_days": retention}
			}
			for _, action := range []string{"update", "replace"} {
				change := resourceChange("zulip_channel", hall(test.before), hall(test.after))
				if action == "replace" {
					replaced(change)
				}
				changes := []attributes{change}
				if test.planned != nil {
					changes = append(changes, resourceChange("zulip_organization", attributes{"message_retention_days": test.organization}, attributes{"message_retention_days": test.planned}))
				}
				found := f.reviewed("", changes...)
				var said []string
				for _, risk := range found.Risks {
					if risk.Where == `channel "hall"` && risk.Condition == report.DataLoss {
						said = append(said, risk.Text)
					}
				}
				if want := slices.DeleteFunc([]string{test.says}, func(text string) bool { return text == "" }); !slices.Equal(said, want) {
					t.Errorf("%s: the review says %q, want %q", action, said, want)
				}
			}
		})
	}
}

// deactivation_actions delete messages when the account is deactivated, by a destroy or by active = false.
func TestReviewUser_DeactivationActions_DataLoss(t *testing.T) {
	f := newFirm(t)
	actions := attributes{"delete_direct_messages": true, "delete_public_channel_messages": true, "delete_profile": false}
	mel := attributes{"id": f.mel, "email": "mel@example.com", "full_name": "Mel", "active": true, "deactivation_actions": actions}
	inactive := attributes{"id": f.mel, "email": "mel@example.com", "full_name": "Mel", "active": false, "deactivation_actions": actions}
	for _, after := range []attributes{nil, inactive} {
		found := f.reviewed("", resourceChange("zulip_user", mel, after))
		expectText(t, markdownOf(t, found), "`mel@example.com`. The server permanently deletes the account's direct messages, public channel messages.")
		expectCondition(t, found, report.DataLoss)
	}
	unknown := attributes{"id": f.mel, "email": "mel@example.com", "full_name": "Mel", "active": false}
	found := f.reviewed("", resourceChange("zulip_user", mel, unknown, "deactivation_actions"))
	expectCondition(t, found, report.DataLoss)
	expectCondition(t, found, report.Unknown)
	found = f.reviewed("", resourceChange("zulip_user", mel, attributes{"id": f.mel, "email": "mel@example.com", "full_name": "Mel", "active": true}))
	if slices.Contains(found.Summary.Conditions, report.DataLoss) {
		t.Errorf("an account that stays loses nothing: %v", found.Risks)
	}
}

// No one can sign in to a deactivated account, whatever its email is.
func TestReviewUser_DeactivatedEmailChanged_NoSignIn(t *testing.T) {
	user := func(f *firm, email string, active any) attributes {
		return attributes{"id": f.mel, "email": email, "full_name": "Mel", "active": active}
	}
	for name, test := range map[string]struct {
		active any
		signIn bool
	}{
		"active":              {active: true, signIn: true},
		"deactivated":         {active: false},
		"already deactivated": {active: nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFirm(t)
			if test.active == nil {
				f.Call(t, "DELETE", fmt.Sprintf("/users/%d", f.mel), nil)
			}
			found := f.reviewed("", resourceChange("zulip_user", user(f, "mel@example.com", test.active), user(f, "mallory@example.com", test.active)))
			if got := slices.Contains(found.Summary.Conditions, report.SignIn); got != test.signIn {
				t.Errorf("sign-in applies: %t; the review says %s", got, markdownOf(t, found))
			}
			expectText(t, markdownOf(t, found), "mallory@example.com")
		})
	}
}

// An object that links elsewhere has its URL in the review, also if it is new.
func TestReviewLinks_TargetShown(t *testing.T) {
	const url = "https://evil.example.com/{id}"
	for name, test := range map[string]struct {
		change attributes
		says   string
	}{
		"a new linkifier": {resourceChange("zulip_linkifier", nil, attributes{"pattern": "#(?P<id>[0-9]+)", "url_template": url}), "Matching text links to " + url + "."},
		"a wider pattern": {resourceChange("zulip_linkifier", attributes{"id": 1, "pattern": "#(?P<id>[0-9]+)", "url_template": url}, attributes{"id": 1, "pattern": "(?P<id>.+)", "url_template": url}),
			"It links text that matches (?P<id>.+); before: #(?P<id>[0-9]+)."},
		"a new playground": {resourceChange("zulip_code_playground", nil, attributes{"name": "Go", "pygments_language": "Go", "url_template": url}), "Code opened in it is sent to " + url + "."},
	} {
		t.Run(name, func(t *testing.T) {
			found := newFirm(t).reviewed("", test.change)
			expectCondition(t, found, report.Outgoing)
			if !slices.ContainsFunc(found.Risks, func(risk report.Risk) bool { return risk.Text == test.says }) {
				t.Errorf("the review says %v", found.Risks)
			}
		})
	}
}

// A removed option or another type of a profile field deletes answers. Another text or position of an option doesn't.
func TestReviewProfileField_AnswersDeleted_DataLoss(t *testing.T) {
	option := func(key, text string) attributes { return attributes{"key": key, "text": text} }
	field := func(options ...attributes) attributes {
		return attributes{"id": 1, "name": "Level", "field_type": "select", "options": options}
	}
	const unread = " The review doesn't know whether anyone has chosen it."
	before := field(option("0", "Junior"), option("1", "Senior"))
	for name, test := range map[string]struct {
		change attributes
		says   string
	}{
		"removed option":  {resourceChange("zulip_custom_profile_field", before, field(option("0", "Junior"))), `Answers with a removed option are deleted: "Senior".` + unread},
		"another key":     {resourceChange("zulip_custom_profile_field", before, field(option("0", "Junior"), option("2", "Senior"))), `Answers with a removed option are deleted: "Senior".` + unread},
		"unknown options": {resourceChange("zulip_custom_profile_field", before, attributes{"id": 1, "name": "Level", "field_type": "select"}, "options"), "Answers with a removed option are deleted: a value not known yet." + unread},
		"another text":    {resourceChange("zulip_custom_profile_field", before, field(option("1", "Expert"), option("0", "Junior"))), ""},
		"added option":    {resourceChange("zulip_custom_profile_field", before, field(option("0", "Junior"), option("1", "Senior"), option("2", "Expert"))), ""},
		"new field":       {resourceChange("zulip_custom_profile_field", nil, field(option("0", "Junior"))), ""},
		"another type":    {replaced(resourceChange("zulip_custom_profile_field", before, attributes{"id": 1, "name": "Level", "field_type": "short_text"})), "The values that people entered are deleted with it."},
	} {
		t.Run(name, func(t *testing.T) {
			found := newFirm(t).reviewed("", test.change)
			var said []string
			for _, risk := range found.Risks {
				if risk.Condition == report.DataLoss {
					said = append(said, risk.Text)
				}
			}
			if want := slices.DeleteFunc([]string{test.says}, func(text string) bool { return text == "" }); !slices.Equal(said, want) {
				t.Errorf("the review says %q, want %q in %s", said, want, markdownOf(t, found))
			}
		})
	}
}
