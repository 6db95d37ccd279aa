package audit_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/markdown"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Changes apart from permissions have the same conditions as in a review.
func TestCompare_EffectsBesidesAccess_Reported(t *testing.T) {
	patch := func(name, value string) func(*testing.T, *acctest.Organization) {
		return func(t *testing.T, o *acctest.Organization) {
			o.Call(t, http.MethodPatch, "/realm", map[string]string{name: value})
		}
	}
	post := func(channel string) func(*testing.T, *acctest.Organization) {
		return func(t *testing.T, o *acctest.Organization) {
			o.Call(t, http.MethodPatch, fmt.Sprint("/bots/", id(t, o, "bot")), map[string]string{"default_sending_stream": channel})
		}
	}
	for name, test := range map[string]struct {
		before, change func(*testing.T, *acctest.Organization)
		words          string
		says           string
	}{
		"an invitation link as owner": {
			nil, func(t *testing.T, o *acctest.Organization) {
				owner := zulip.RoleOwner
				if _, err := o.Client.CreateInviteLink(t.Context(), zulip.InviteTerms{InviteAs: &owner}); err != nil {
					t.Fatal(err)
				}
			}, "joining", "Anyone who has it can join the organization as owner.",
		},
		"an invitation as owner": {
			nil, func(t *testing.T, o *acctest.Organization) {
				o.Call(t, http.MethodPost, "/invites", map[string]string{"invitee_emails": "nadia@example.com", "invite_as": "100", "stream_ids": "[]"})
			}, "joining", "nadia@example.com can join the organization as owner.",
		},
		"open sign-up": {patch("invite_required", "true"), patch("invite_required", "false"), "joining", "Anyone can join the organization without an invitation."},
		"a domain": {
			nil, func(t *testing.T, o *acctest.Organization) {
				o.Call(t, http.MethodPost, "/realm/domains", map[string]string{"domain": "gmail.com", "allow_subdomains": "false"})
			}, "joining", "People with an email at gmail.com can join the organization.",
		},
		"password sign-in off": {
			patch("authentication_methods", `{"Email": true, "GitHub": true}`), patch("authentication_methods", `{"Email": false, "GitHub": true}`),
			"sign-in", "How people sign in changes: Email is removed.",
		},
		"retention": {nil, patch("message_retention_days", "1"), "data-loss", "Messages are deleted after 1 day; before: never."},
		"an address": {
			nil, func(t *testing.T, o *acctest.Organization) {
				o.Call(t, http.MethodPatch, fmt.Sprint("/users/", id(t, o, "admin")), map[string]string{"new_email": "mallory@example.org"})
			}, "sign-in", "It signs in with mallory@example.org",
		},
		"an address is hidden": {
			nil, func(t *testing.T, o *acctest.Organization) {
				o.As(t, "admin").Call(t, http.MethodPatch, "/settings", map[string]string{"email_address_visibility": "4"})
			}, "", "",
		},
		"who sees addresses": {
			nil, func(t *testing.T, o *acctest.Organization) {
				o.Call(t, http.MethodPatch, "/realm/user_settings_defaults", map[string]string{"email_address_visibility": "1"})
			}, "outgoing", "The visibility of new people's emails changes from administrators to everyone.",
		},
		"calls":               {patch("video_chat_provider", "0"), patch("video_chat_provider", "1"), "outgoing", "Calls go through jitsi_meet; before: disabled."},
		"a bot posts nowhere": {post("general"), post(""), "outgoing", "By default, it posts in nothing; before: general."},
		"announcements": {
			patch("signup_announcements_stream_id", "-1"), func(t *testing.T, o *acctest.Organization) {
				patch("signup_announcements_stream_id", fmt.Sprint(o.MustChannel(t, "general").ID))(t, o)
			}, "outgoing", `New people are announced in channel "general"; before: no channel.`,
		},
		"a channel is back": {
			func(t *testing.T, o *acctest.Organization) {
				o.Call(t, http.MethodDelete, fmt.Sprint("/streams/", o.MustChannel(t, "general").ID), nil)
			},
			func(t *testing.T, o *acctest.Organization) {
				o.Call(t, http.MethodPatch, fmt.Sprint("/streams/", o.MustChannel(t, "general").ID), map[string]string{"is_archived": "false"})
			}, "external widening", "",
		},
		"a member is back": {
			func(t *testing.T, o *acctest.Organization) {
				if _, err := o.Client.DeactivateUser(t.Context(), id(t, o, "member"), zulip.Deactivation{}); err != nil {
					t.Fatal(err)
				}
			},
			func(t *testing.T, o *acctest.Organization) {
				o.Call(t, http.MethodPost, fmt.Sprintf("/users/%d/reactivate", id(t, o, "member")), nil)
			}, "role-change widening", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			if test.before != nil {
				test.before(t, o)
			}
			before := auditOf(t, o, audit.Selection{})
			test.change(t, o)
			found, err := audit.Compare(before, auditOf(t, o, audit.Selection{}))
			acctest.NoError(t, err)
			var words []string
			for _, word := range found.Summary.Conditions {
				words = append(words, string(word))
			}
			if got := strings.Join(words, " "); got != test.words {
				t.Errorf("the words are %q, not %q: %+v, also %+v", got, test.words, found.Risks, found.Also)
			}
			isNew := slices.ContainsFunc(found.Found, func(one report.Found) bool { return one.IsNew })
			if isFound := name == "an invitation link as owner" || name == "an invitation as owner" || name == "open sign-up"; isFound != isNew && name != "a channel is back" {
				t.Errorf("the findings are %+v", found.Found)
			}
			if name == "an address is hidden" && (len(found.Also) != 1 || found.Also[0].Attributes[0].Change.After.String() != "hides their email") {
				t.Errorf("the other changes are %+v", found.Also)
			}
			if test.says != "" && !slices.ContainsFunc(found.Risks, func(risk report.Risk) bool { return strings.HasPrefix(risk.Text, test.says) }) {
				t.Errorf("the risks are %+v", found.Risks)
			}
		})
	}
}

// Every number that stands for a word is recorded as the word of the resource.
func TestThings_Numbers_ResourceWords(t *testing.T) {
	thing := func(o *acctest.Organization, kind, attribute string) any {
		for _, thing := range auditOf(t, o, audit.Selection{}).Things {
			if thing.Type == kind {
				return thing.Attributes[attribute]
			}
		}
		return nil
	}
	o := acctest.StartSandbox(t, sandbox.Config{})
	for _, test := range []struct {
		kind, attribute string
		words           []string
	}{
		{"zulip_default_user_settings", "email_address_visibility", []string{"everyone", "members", "administrators", "nobody", "moderators"}},
		{"zulip_organization", "video_chat_provider", []string{"disabled", "jitsi_meet"}},
		{"zulip_organization", "digest_weekday", []string{"tuesday", "sunday"}},
		{"zulip_organization", "org_type", []string{"education", "other"}},
	} {
		run := o.NewRun(t, test.kind)
		for _, word := range test.words {
			run.MustApply(acctest.Values{test.attribute: word})
			if got := thing(o, test.kind, test.attribute); got != word {
				t.Errorf("%s of %s is %v, and recorded as %v", test.attribute, test.kind, word, got)
			}
		}
	}
}

// Objects of two organizations are matched by name. Objects without names stay distinct.
func TestCompareThingsOfTwoOrganizations(t *testing.T) {
	link := func(o *acctest.Organization, role zulip.Role) {
		t.Helper()
		if _, err := o.Client.CreateInviteLink(t.Context(), zulip.InviteTerms{InviteAs: &role}); err != nil {
			t.Fatal(err)
		}
	}
	patch := func(o *acctest.Organization, path, name, value string) {
		t.Helper()
		o.Call(t, http.MethodPatch, path, map[string]string{name: value})
	}
	staging, production := acctest.StartSandbox(t, sandbox.Config{}), acctest.StartSandbox(t, sandbox.Config{})
	patch(staging, "/realm", "signup_announcements_stream_id", fmt.Sprint(staging.MustChannel(t, "general").ID))
	newChannel(t, production, "other", nil)
	patch(production, "/realm", "signup_announcements_stream_id", fmt.Sprint(production.MustChannel(t, "general").ID))
	before, after := auditOf(t, staging, audit.Selection{}), auditOf(t, production, audit.Selection{})
	before.Site = "https://staging.example.com"
	for _, channel := range before.Channels { // the numbers of one organization mean nothing in the other
		channel.ID += 1000
	}
	for _, thing := range before.Things {
		if id, ok := thing.Attributes["signup_announcements_stream_id"].(float64); ok {
			thing.Attributes["signup_announcements_stream_id"] = id + 1000
		}
	}
	texts := func() (all []string) {
		found, err := audit.Compare(before, after)
		acctest.NoError(t, err)
		for _, risk := range found.Risks {
			all = append(all, risk.Text)
		}
		return append(all, found.Unknown...)
	}
	if got := texts(); len(got) > 0 {
		t.Errorf("they do not differ: %q", got)
	}

	patch(production, "/realm", "signup_announcements_stream_id", fmt.Sprint(production.MustChannel(t, "other").ID))
	link(production, zulip.RoleOwner)
	link(production, zulip.RoleMember)
	link(production, zulip.RoleGuest)
	bot := fmt.Sprint("/bots/", id(t, production, "bot"))
	patch(production, bot, "full_name", "Another name")
	patch(production, bot, "default_sending_stream", "general")
	after = auditOf(t, production, audit.Selection{})
	got := strings.Join(texts(), "\n")
	for _, want := range []string{
		"as owner.", "as member.", "as guest.", `New people are announced in channel "other"; before: channel "general".`, "By default, it posts in general; before: nothing.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("without %q:\n%s", want, got)
		}
	}
}

func compare(t *testing.T, before, after *audit.Audit) (*report.Report, string) {
	t.Helper()
	changes, err := audit.Compare(before, after)
	acctest.NoError(t, err)
	var text bytes.Buffer
	acctest.NoError(t, markdown.Write(&text, changes))
	return changes, text.String()
}

// written is an audit as its file has it.
func written(t *testing.T, a *audit.Audit) string {
	t.Helper()
	var text bytes.Buffer
	acctest.NoError(t, a.Write(&text))
	return text.String()
}

// reread is an audit as a file keeps it.
func reread(t *testing.T, a *audit.Audit) *audit.Audit {
	t.Helper()
	read, err := audit.Read([]byte(written(t, a)))
	acctest.NoError(t, err)
	return read
}

// Added and removed objects are reported once, not for every permission.
func TestCompare_CreatedOrRemoved_Reported(t *testing.T) {
	o := office(t)
	newChannel(t, o, "kept", nil)
	newChannel(t, o, "left", map[string]string{"subscribers": fmt.Sprintf("[%d]", id(t, o, "mel"))})
	group := newGroup(t, o, "gone", "mel", "max")
	before := reread(t, auditOf(t, o, audit.Selection{}))
	if changes, text := compare(t, before, auditOf(t, o, audit.Selection{})); changes.Summary.Text != "No one gains or loses access." {
		t.Errorf("nothing has changed:\n%s", text)
	}
	o.Archive(t, "left")
	newChannel(t, o, "new", nil)
	o.Call(t, "POST", fmt.Sprintf("/user_groups/%d/deactivate", group), nil)
	o.Call(t, "DELETE", fmt.Sprintf("/users/%d", id(t, o, "max")), nil)
	o.Call(t, "POST", "/users", map[string]string{"email": "new@example.com", "full_name": "Nell", "password": "long enough"})
	changes, text := compare(t, before, auditOf(t, o, audit.Selection{}))
	expectText(t, text, "### Access changes", "compared with the audit of", "| `#left` (archived) |", "| `#new` (new) |", "| group `gone` (deactivated) |", "`max@example.com`. The account is deactivated", "| `Nell` | new, role `member` | – | – |")
	for _, channel := range changes.Channels {
		if channel.Name == "kept" {
			t.Errorf("it is said of a channel that stays: %+v", channel.Permissions[0])
		}
	}
	if len(changes.Permissions) > 0 {
		t.Errorf("it is said of the organization: %+v", changes.Permissions[0])
	}
}

// Two organizations are matched by names and addresses.
func TestCompareTwoOrganizations(t *testing.T) {
	staging := acctest.StartSandbox(t, sandbox.Config{})
	before := auditOf(t, staging, audit.Selection{})
	production := acctest.StartSandbox(t, sandbox.Config{})
	newChannel(t, production, "moves ids", nil)
	production.Archive(t, "moves ids")
	production.Call(t, "PATCH", fmt.Sprintf("/streams/%d", production.MustChannel(t, "announcements").ID), map[string]string{
		"can_send_message_group": fmt.Sprintf(`{"new":%d}`, production.SystemGroup(t, "role:administrators")),
	})
	after := auditOf(t, production, audit.Selection{})
	before.Site = "https://staging.example.com"
	for _, account := range before.Accounts { // IDs of the other organization mean someone else here
		account.ID += 1000
		if account.OwnerID > 0 {
			account.OwnerID += 1000
		}
	}
	before.AccountID += 1000
	for _, channel := range before.Channels {
		channel.ID += 1000
	}
	for _, group := range before.Groups {
		for i := range group.Members {
			group.Members[i] += 1000
		}
	}
	changes, text := compare(t, reread(t, before), after)
	if len(changes.Channels) != 1 || changes.Channels[0].Name != "announcements" || len(changes.Groups)+len(changes.People)+len(changes.Permissions) > 0 {
		t.Errorf("the organizations differ in one channel:\n%s", text)
	}
	expectText(t, text, "staging.example.com", "`Amara Okafor`")
}

func TestCompare_DifferentSelections_Refused(t *testing.T) {
	o := office(t)
	newChannel(t, o, "one", nil)
	all := auditOf(t, o, audit.Selection{})
	for _, bad := range []struct {
		selection audit.Selection
		says      string
	}{
		{audit.Selection{Guests: true}, "a different selection"},
		{audit.Selection{Channels: []string{"one"}}, "a different selection"},
		{audit.Selection{Person: "mel@example.com"}, "without --person"},
	} {
		if _, err := audit.Compare(all, auditOf(t, o, bad.selection)); err == nil || !strings.Contains(err.Error(), bad.says) {
			t.Errorf("%+v: %v", bad.selection, err)
		}
	}
	one := auditOf(t, o, audit.Selection{Guests: true})
	o.Call(t, "POST", "/users/me/subscriptions", map[string]string{"subscriptions": `[{"name":"one"}]`, "principals": fmt.Sprintf("[%d]", id(t, o, "gus"))})
	changes, _ := compare(t, one, auditOf(t, o, audit.Selection{Guests: true}))
	if len(changes.Channels) != 1 || !slices.Contains(effects(changes), "channel one: gus@example.com gains can_read") {
		t.Errorf("guests: %q", effects(changes))
	}
	changes, text := compare(t, all, auditOf(t, o.As(t, "mel"), audit.Selection{}))
	if !slices.Contains(changes.Summary.Conditions, report.Unknown) || !strings.HasPrefix(text, "**This comparison is incomplete") {
		t.Errorf("of an audit that is not complete the conditions are %q, and the text is\n%.300s", changes.Summary.Conditions, text)
	}
}
