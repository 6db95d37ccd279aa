package audit_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// What has changed beside rights is said under the same words as of a plan.
func TestCompareWhatIsNoRight(t *testing.T) {
	patch := func(name, value string) func(*testing.T, *acctest.Organization) {
		return func(t *testing.T, o *acctest.Organization) {
			o.Call(t, http.MethodPatch, "/realm", map[string]string{name: value})
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
			}, "joining", "Whoever has it can join the organization, as owner.",
		},
		"open sign-up": {patch("invite_required", "true"), patch("invite_required", "false"), "joining", "Anybody can join the organization, without an invitation."},
		"a domain": {
			nil, func(t *testing.T, o *acctest.Organization) {
				o.Call(t, http.MethodPost, "/realm/domains", map[string]string{"domain": "gmail.com", "allow_subdomains": "false"})
			}, "joining", "People with an address at gmail.com can join the organization.",
		},
		"password sign-in off": {
			patch("authentication_methods", `{"Email": true, "GitHub": true}`), patch("authentication_methods", `{"Email": false, "GitHub": true}`),
			"sign-in", "How people sign in changes: Email is removed.",
		},
		"retention": {nil, patch("message_retention_days", "1"), "data-loss", "Messages are deleted after 1 day; before: any time."},
		"an address": {
			nil, func(t *testing.T, o *acctest.Organization) {
				o.Call(t, http.MethodPatch, fmt.Sprint("/users/", account(t, o, "admin")), map[string]string{"new_email": "mallory@example.org"})
			}, "sign-in", "It signs in with mallory@example.org",
		},
		"who sees addresses": {
			nil, func(t *testing.T, o *acctest.Organization) {
				o.Call(t, http.MethodPatch, "/realm/user_settings_defaults", map[string]string{"email_address_visibility": "1"})
			}, "outgoing", "Who sees the addresses of new people changes from administrators to everyone.",
		},
		"calls": {patch("video_chat_provider", "0"), patch("video_chat_provider", "1"), "outgoing", "Calls go through jitsi_meet; before: disabled."},
		"a bot posts nowhere": {
			func(t *testing.T, o *acctest.Organization) {
				o.Call(t, http.MethodPatch, fmt.Sprint("/bots/", account(t, o, "bot")), map[string]string{"default_sending_stream": "general"})
			},
			func(t *testing.T, o *acctest.Organization) {
				o.Call(t, http.MethodPatch, fmt.Sprint("/bots/", account(t, o, "bot")), map[string]string{"default_sending_stream": ""})
			}, "outgoing", "It posts in nothing by default; before: general.",
		},
		"announcements": {
			patch("signup_announcements_stream_id", "-1"), func(t *testing.T, o *acctest.Organization) {
				patch("signup_announcements_stream_id", fmt.Sprint(channel(t, o, "general")))(t, o)
			}, "outgoing", `New people are announced in channel "general"; before: no channel.`,
		},
		"a channel is back": {
			func(t *testing.T, o *acctest.Organization) {
				o.Call(t, http.MethodDelete, fmt.Sprint("/streams/", channel(t, o, "general")), nil)
			},
			func(t *testing.T, o *acctest.Organization) {
				o.Call(t, http.MethodPatch, fmt.Sprint("/streams/", channel(t, o, "general")), map[string]string{"is_archived": "false"})
			}, "external widening", "",
		},
		"a member is back": {
			func(t *testing.T, o *acctest.Organization) {
				if _, err := o.Client.DeactivateUser(t.Context(), account(t, o, "member"), zulip.Deactivation{}); err != nil {
					t.Fatal(err)
				}
			},
			func(t *testing.T, o *acctest.Organization) {
				o.Call(t, http.MethodPost, fmt.Sprintf("/users/%d/reactivate", account(t, o, "member")), nil)
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
			if err != nil {
				t.Fatal(err)
			}
			var words []string
			for _, word := range found.Verdict.Categories {
				words = append(words, string(word))
			}
			if got := strings.Join(words, " "); got != test.words {
				t.Errorf("the words are %q, not %q: %+v, also %+v", got, test.words, found.Risks, found.Also)
			}
			isNew := slices.ContainsFunc(found.Found, func(one report.Found) bool { return one.IsNew })
			if isFound := name == "an invitation link as owner" || name == "open sign-up"; isFound != isNew && name != "a channel is back" {
				t.Errorf("the findings are %+v", found.Found)
			}
			if test.says != "" && !slices.ContainsFunc(found.Risks, func(risk report.Risk) bool { return strings.HasPrefix(risk.Text, test.says) }) {
				t.Errorf("the risks are %+v", found.Risks)
			}
		})
	}
}

func account(t *testing.T, o *acctest.Organization, name string) int64 {
	t.Helper()
	credentials, ok := o.Sandbox.Credentials(name)
	if !ok {
		t.Fatalf("there is no account %q", name)
	}
	return int64(credentials.ID)
}

// channel is the ID of a channel, archived or not.
func channel(t *testing.T, o *acctest.Organization, name string) int64 {
	t.Helper()
	view, err := store.New(o.Client, o.Self, 0, new(runstate.State)).Read(t.Context(), store.Channels)
	if err != nil {
		t.Fatal(err)
	}
	found, ok := view.Channels().ByName(name)
	if !ok {
		t.Fatalf("there is no channel %q", name)
	}
	return found.ID
}

// Every number that stands for a word is recorded as the word that the resource has.
func TestThingsHaveTheWordsOfTheResources(t *testing.T) {
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

// What two organizations have is matched by names, and what has none is still told apart.
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
	patch(staging, "/realm", "signup_announcements_stream_id", fmt.Sprint(channel(t, staging, "general")))
	newChannel(t, production, "other", nil)
	patch(production, "/realm", "signup_announcements_stream_id", fmt.Sprint(channel(t, production, "general")))
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
		if err != nil {
			t.Fatal(err)
		}
		for _, risk := range found.Risks {
			all = append(all, risk.Text)
		}
		return append(all, found.Unknown...)
	}
	if got := texts(); len(got) > 0 {
		t.Errorf("they do not differ: %q", got)
	}

	patch(production, "/realm", "signup_announcements_stream_id", fmt.Sprint(channel(t, production, "other")))
	link(production, zulip.RoleOwner)
	link(production, zulip.RoleMember)
	link(production, zulip.RoleGuest)
	bot := fmt.Sprint("/bots/", account(t, production, "bot"))
	patch(production, bot, "full_name", "Another name")
	patch(production, bot, "default_sending_stream", "general")
	after = auditOf(t, production, audit.Selection{})
	got := strings.Join(texts(), "\n")
	for _, want := range []string{
		"as owner.", "as member.", "as guest.", `New people are announced in channel "other"; before: channel "general".`, "It posts in general by default; before: nothing.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("without %q:\n%s", want, got)
		}
	}
}
