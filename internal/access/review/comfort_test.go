package review_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/meaning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// What lets people in, sends content elsewhere or loses it is said, under the word that a gate can name.
func TestReviewOfWhatIsNoRight(t *testing.T) {
	id := func(o *acctest.Organization, account string) int64 {
		credentials, ok := o.Sandbox.Credentials(account)
		if !ok {
			t.Fatalf("there is no account %q", account)
		}
		return int64(credentials.ID)
	}
	for name, test := range map[string]struct {
		change func(o *acctest.Organization) attributes
		words  string
		says   string
	}{
		"an invitation link as owner": {
			func(*acctest.Organization) attributes {
				return resourceChange("zulip_invite_link", nil, attributes{"invite_as": "owner", "expires_in_minutes": nil}, "id", "link_url")
			}, "joining", "invitation link zulip_invite_link.x. Whoever has it can join the organization, as owner.",
		},
		"an invitation as administrator": {
			func(*acctest.Organization) attributes {
				return resourceChange("zulip_invitation", nil, attributes{"email": "ada@example.org", "invite_as": "administrator", "expires_in_minutes": 60}, "id", "status")
			}, "joining", "invitation ada@example.org. ada@example.org can join the organization, as administrator.",
		},
		"an invitation as guest": {
			func(*acctest.Organization) attributes {
				return resourceChange("zulip_invitation", nil, attributes{"email": "gus@example.org", "invite_as": "guest"}, "id", "status")
			}, "external joining", "invitation gus@example.org. Whoever joins by it is a guest.",
		},
		"a link for guests": {
			func(*acctest.Organization) attributes {
				return resourceChange("zulip_invite_link", nil, attributes{"invite_as": "guest", "expires_in_minutes": 60}, "id", "link_url")
			}, "external joining", "invitation link zulip_invite_link.x. Whoever joins by it is a guest.",
		},
		"an invitation as what is not known yet": {
			func(*acctest.Organization) attributes {
				return resourceChange("zulip_invitation", nil, attributes{"email": "gus@example.org"}, "id", "invite_as")
			}, "external joining unknown", "invitation gus@example.org. Whoever joins by it may be a guest.",
		},
		"an invited member becomes an owner": {
			func(*acctest.Organization) attributes {
				return resourceChange("zulip_invitation", attributes{"email": "ada@example.org", "invite_as": "member"}, attributes{"email": "ada@example.org", "invite_as": "owner"})
			}, "joining", "ada@example.org joins as owner; before: member.",
		},
		"a link for longer": {
			func(*acctest.Organization) attributes {
				return resourceChange("zulip_invite_link", attributes{"id": 3, "expires_in_minutes": 60}, attributes{"id": 3, "expires_in_minutes": nil})
			}, "joining", "invitation link 3. It can be used for ever; before: 1 hour.",
		},
		"a new guest": {
			func(o *acctest.Organization) attributes {
				made := o.Call(t, "POST", "/channels/create", map[string]string{"name": "lobby", "subscribers": "[]"})
				o.Call(t, "POST", "/default_streams", map[string]string{"stream_id": fmt.Sprint(int64(made["id"].(float64)))})
				return resourceChange("zulip_user", nil, attributes{"email": "gus@example.org", "full_name": "Gus", "role": "guest"})
			}, "external widening", `gus@example.org. A new guest comes into the default channels: "general", "lobby".`,
		},
		"open sign-up": {
			func(*acctest.Organization) attributes { return organizationSets("invite_required", true, false) },
			"joining", "Anybody can join the organization, without an invitation.",
		},
		"open sign-up, by a new resource": {
			func(o *acctest.Organization) attributes {
				o.Call(t, "PATCH", "/realm", map[string]string{"invite_required": "true"})
				return resourceChange("zulip_organization", nil, attributes{"invite_required": false, "name": "Example Works"})
			}, "joining", "Anybody can join the organization, without an invitation.",
		},
		"a domain": {
			func(*acctest.Organization) attributes {
				return resourceChange("zulip_domain", nil, attributes{"domain": "gmail.com", "allow_subdomains": false})
			}, "joining", "People with an address at gmail.com can join the organization.",
		},
		"password sign-in off": {
			func(*acctest.Organization) attributes {
				return organizationSets("authentication_methods", []string{"Email", "GitHub"}, []string{"GitHub"})
			}, "sign-in", "How people sign in changes: Email is removed.",
		},
		"private history": {
			func(o *acctest.Organization) attributes {
				yes, no := true, false
				channel, _, err := o.Client.CreateChannel(t.Context(), zulip.ChannelCreate{
					Name: "board", InviteOnly: &yes, HistoryPublicToSubscribers: &no, Subscribers: []int64{id(o, "owner"), id(o, "member")},
				})
				if err != nil {
					t.Fatal(err)
				}
				return resourceChange("zulip_channel", attributes{"id": channel, "name": "board", "privacy": "private_protected_history"}, attributes{"id": channel, "name": "board", "privacy": "private_shared_history"})
			}, "widening", "read older messages",
		},
		"an administrator's bot": {
			func(o *acctest.Organization) attributes {
				role := zulip.RoleAdministrator
				if err := o.Client.UpdateUser(t.Context(), id(o, "bot"), zulip.UserUpdate{Role: &role}); err != nil {
					t.Fatal(err)
				}
				return resourceChange("zulip_bot", attributes{"id": id(o, "bot"), "owner": "ines.costa@example.com", "full_name": "Terraform Bot"}, attributes{"id": id(o, "bot"), "owner": "kenji.sato@example.com", "full_name": "Terraform Bot"})
			}, "role-change widening narrowing", "It is an administrator, and kenji.sato@example.com comes to hold its key",
		},
		"a bot that is in a private channel": {
			func(o *acctest.Organization) attributes {
				yes := true
				if _, _, err := o.Client.CreateChannel(t.Context(), zulip.ChannelCreate{Name: "board", InviteOnly: &yes, Subscribers: []int64{id(o, "owner"), id(o, "bot")}}); err != nil {
					t.Fatal(err)
				}
				role := zulip.RoleMember
				if err := o.Client.UpdateUser(t.Context(), id(o, "bot"), zulip.UserUpdate{Role: &role}); err != nil {
					t.Fatal(err)
				}
				return resourceChange("zulip_bot", attributes{"id": id(o, "bot"), "owner": "tomas.berg@example.com"}, attributes{"id": id(o, "bot"), "owner": "kenji.sato@example.com"})
			}, "widening narrowing", "With its key kenji.sato@example.com can read",
		},
		"an owner who is made by the same plan": {
			func(o *acctest.Organization) attributes {
				bot := resourceChange("zulip_bot", attributes{"id": id(o, "bot"), "owner": "tomas.berg@example.com"}, attributes{"id": id(o, "bot")}, "owner")
				return bot
			}, "role-change unknown widening", "Who will own zulip_bot.x is not known yet",
		},
		"an owner of a new bot who is not found": {
			func(*acctest.Organization) attributes {
				return resourceChange("zulip_bot", nil, attributes{"short_name": "news", "full_name": "News", "owner": "nobody@example.com"})
			}, "unknown widening", "nobody@example.com",
		},
		"an administrator's address": {
			func(o *acctest.Organization) attributes {
				return resourceChange("zulip_user", attributes{"id": id(o, "admin"), "email": "tomas.berg@example.com", "role": "administrator"}, attributes{"id": id(o, "admin"), "email": "mallory@example.org", "role": "administrator"})
			}, "sign-in", "It signs in with mallory@example.org; before: tomas.berg@example.com.",
		},
		"a webhook": {
			func(o *acctest.Organization) attributes {
				return resourceChange("zulip_bot", attributes{"id": id(o, "bot"), "full_name": "Terraform Bot", "payload_url": "https://a.example.com"}, attributes{"id": id(o, "bot"), "full_name": "Terraform Bot", "payload_url": "https://b.example.com"})
			}, "outgoing", "What people write to it is sent to https://b.example.com; before: https://a.example.com.",
		},
		"retention": {
			func(*acctest.Organization) attributes {
				return organizationSets("message_retention_days", "unlimited", "1")
			},
			"data-loss", "Messages are deleted after 1 day; before: any time.",
		},
		"retention of a channel": {
			func(o *acctest.Organization) attributes {
				return resourceChange("zulip_channel", attributes{"id": general(t, o), "name": "general", "message_retention_days": "realm_default"}, attributes{"id": general(t, o), "name": "general", "message_retention_days": "30"})
			}, "data-loss", "Its messages are deleted after 30 days; before: as long as in the organization.",
		},
		"longer retention": {
			func(*acctest.Organization) attributes { return organizationSets("message_retention_days", "1", "7") },
			"", "Also changes",
		},
		"announcements": {
			func(*acctest.Organization) attributes {
				return organizationSets("signup_announcements_stream_id", 1, 99)
			},
			"outgoing unknown", "New people are announced in channel 99",
		},
		"another type than the schema's": {
			func(*acctest.Organization) attributes { return organizationSets("invite_required", true, "no") },
			"unknown", "is not what this version knows",
		},
		"an attribute of another version": {
			func(*acctest.Organization) attributes { return organizationSets("open_doors", nil, true) },
			"unknown", "This version does not know what open_doors",
		},
		"a resource of another version": {
			func(*acctest.Organization) attributes {
				return resourceChange("zulip_door", nil, attributes{"open": true})
			},
			"unknown", "it has no resource",
		},
		"not known yet": {
			func(*acctest.Organization) attributes {
				return resourceChange("zulip_organization", attributes{"invite_required": true}, attributes{}, "invite_required")
			}, "joining unknown", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			found := reviewOf(t, o, planOf(t, test.change(o)))
			expectWords(t, found, test.words)
			text := strings.ReplaceAll(markdownOf(t, found), "`", "")
			expectText(t, text, test.says)
			if test.words != "" && strings.Contains(text, "Nobody gains or loses a right.") {
				t.Errorf("it comforts:\n%s", text)
			}
		})
	}
}

func general(t *testing.T, o *acctest.Organization) int64 {
	t.Helper()
	view, err := store.New(o.Client, o.Self, 0, new(runstate.State)).Read(t.Context(), store.Channels)
	if err != nil {
		t.Fatal(err)
	}
	channel, ok := view.Channels().ByName("general")
	if !ok {
		t.Fatal("there is no channel general")
	}
	return channel.ID
}

// another is a value of a kind that differs from the first.
var another = map[string][2]any{
	"string": {"one", "two"}, "number": {1, 2}, "bool": {false, true}, "list": {[]any{"1"}, []any{"1", "2"}}, "map": {attributes{"a": "1"}, attributes{"a": "2"}},
}

// Whatever attribute a plan changes, and whatever it makes or ends, the review has a line of it.
func TestReviewIsSilentOfNothing(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	read := store.New(o.Client, o.Self, 0, new(runstate.State)) // once
	tried := 0
	for _, kind := range meaning.Types() {
		of, _ := meaning.Of(kind)
		for _, attribute := range of.Attributes() {
			row, _ := of.Attribute(attribute)
			values := another[row.Kind]
			for i := range values {
				before, after := attributes{attribute: values[i]}, attributes{attribute: values[1-i]}
				expectMention(t, reviewWith(t, read, planOf(t, resourceChange(kind, before, after))), fmt.Sprintf("%s.%s %v → %v", kind, attribute, values[i], values[1-i]))
				tried++
			}
			expectMention(t, reviewWith(t, read, planOf(t, resourceChange(kind, attributes{attribute: values[0]}, attributes{}, attribute))), fmt.Sprintf("%s.%s → unknown", kind, attribute))
			tried++
		}
		expectMention(t, reviewWith(t, read, planOf(t, resourceChange(kind, nil, attributes{"name": "new"}))), kind+" is made")
		expectMention(t, reviewWith(t, read, planOf(t, resourceChange(kind, attributes{"id": 1, "name": "old"}, nil))), kind+" ends")
		tried += 2
	}
	t.Logf("%d changes", tried)
}

// expectMention expects a line about zulip_TYPE.x, or a risk, or what is not known.
func expectMention(t *testing.T, found *report.Report, what string) {
	t.Helper()
	mentions := len(found.Risks) + len(found.Unknown) + len(found.Also) + len(found.Channels) + len(found.Groups) + len(found.People) + len(found.Rights)
	if mentions == 0 {
		t.Errorf("%s: %q, %+v", what, found.Verdict.Text, found.Verdict)
	}
	if len(found.Unknown) > 0 != slices.Contains(found.Verdict.Categories, report.Unknown) && len(found.Unknown) > 0 {
		t.Errorf("%s: what is not known is no word: %v", what, found.Verdict.Categories)
	}
}

// A bot goes to somebody whose account the same plan makes, whatever their addresses.
func TestReviewOfABotWhoseOwnerIsNew(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	credentials, _ := o.Sandbox.Credentials("bot")
	bot := resourceChange("zulip_bot", attributes{"id": credentials.ID, "owner": "tomas.berg@example.com"}, attributes{"id": credentials.ID}, "owner")
	made := resourceChange("zulip_user", nil, attributes{"email": "nadia@example.com", "full_name": "Nadia Haddad", "role": "member"}, "id")
	configuration := `"configuration":{"root_module":{"resources":[
		{"address":"zulip_bot.x","provider_config_key":"zulip","expressions":{"owner":{"references":["zulip_user.x.id","zulip_user.x"]}}},
		{"address":"zulip_user.x","provider_config_key":"zulip","expressions":{"email":{},"full_name":{},"role":{}}}]}},"format_version"`
	found := reviewOf(t, o, strings.Replace(planOf(t, bot, made), `"format_version"`, configuration, 1))
	expectWords(t, found, "role-change widening narrowing")
	expectText(t, strings.ReplaceAll(markdownOf(t, found), "`", ""), "nadia@example.com comes to hold its key")
}
