package review_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/meaning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/review"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Changes that let people in, send content elsewhere or delete it are risks, each with its condition.
func TestReviewEffects_OtherThanAccess_Reported(t *testing.T) {
	for name, test := range map[string]struct {
		plan   attributes
		change func(o *acctest.Organization) attributes // makes the plan, and may change the organization before
		words  string
		says   string
	}{
		"an invitation link as owner": {plan: resourceChange("zulip_invite_link", nil, attributes{"invite_as": "owner", "expires_in_minutes": nil}, "id", "link_url"),
			words: "joining", says: "invitation link zulip_invite_link.x. Anyone who has it can join the organization as owner."},
		"an invitation as administrator": {plan: resourceChange("zulip_invitation", nil, attributes{"email": "ada@example.org", "invite_as": "administrator", "expires_in_minutes": 60}, "id", "status"),
			words: "joining", says: "invitation ada@example.org. ada@example.org can join the organization as administrator."},
		"an invitation as guest": {plan: resourceChange("zulip_invitation", nil, attributes{"email": "gus@example.org", "invite_as": "guest"}, "id", "status"),
			words: "external joining", says: "invitation gus@example.org. Anyone who uses it joins as a guest."},
		"a link for guests": {plan: resourceChange("zulip_invite_link", nil, attributes{"invite_as": "guest", "expires_in_minutes": 60}, "id", "link_url"),
			words: "external joining", says: "invitation link zulip_invite_link.x. Anyone who uses it joins as a guest."},
		"an invitation as what is not known yet": {plan: resourceChange("zulip_invitation", nil, attributes{"email": "gus@example.org"}, "id", "invite_as"),
			words: "external joining unknown", says: "invitation gus@example.org. Anyone who uses it might join as a guest."},
		"an invited member becomes an owner": {plan: resourceChange("zulip_invitation", attributes{"email": "ada@example.org", "invite_as": "member"}, attributes{"email": "ada@example.org", "invite_as": "owner"}),
			words: "joining", says: "ada@example.org joins as owner; before: member."},
		"a link for longer": {plan: resourceChange("zulip_invite_link", attributes{"id": 3, "expires_in_minutes": 60}, attributes{"id": 3, "expires_in_minutes": nil}),
			words: "joining", says: "invitation link 3. It can be used for ever; before: 1 hour."},
		"a new guest": {
			change: func(o *acctest.Organization) attributes {
				made := o.Call(t, "POST", "/channels/create", map[string]string{"name": "lobby", "subscribers": "[]"})
				o.Call(t, "POST", "/default_streams", map[string]string{"stream_id": fmt.Sprint(int64(made["id"].(float64)))})
				return resourceChange("zulip_user", nil, attributes{"email": "gus@example.org", "full_name": "Gus", "role": "guest"})
			},
			words: "external widening", says: `channel "general", channel "lobby". 1 guest can read`,
		},
		"open sign-up": {plan: organizationSets("invite_required", true, false),
			words: "joining", says: "Anyone can join the organization without an invitation."},
		"open sign-up, by a new resource": {
			change: func(o *acctest.Organization) attributes {
				o.Call(t, "PATCH", "/realm", map[string]string{"invite_required": "true"})
				return resourceChange("zulip_organization", nil, attributes{"invite_required": false, "name": "Example Works"})
			},
			words: "joining", says: "Anyone can join the organization without an invitation.",
		},
		"a domain": {plan: resourceChange("zulip_domain", nil, attributes{"domain": "gmail.com", "allow_subdomains": false}),
			words: "joining", says: "People with an email at gmail.com can join the organization."},
		"password sign-in off": {plan: organizationSets("authentication_methods", []string{"Email", "GitHub"}, []string{"GitHub"}),
			words: "sign-in", says: "How people sign in changes: Email is removed."},
		"private history": {
			change: func(o *acctest.Organization) attributes {
				yes, no := true, false
				channel, _, err := o.Client.CreateChannel(t.Context(), zulip.ChannelCreate{
					Name: "board", InviteOnly: &yes, HistoryPublicToSubscribers: &no, Subscribers: []int64{id(t, o, "owner"), id(t, o, "member")},
				})
				acctest.NoError(t, err)
				return resourceChange("zulip_channel", attributes{"id": channel, "name": "board", "privacy": "private_protected_history"}, attributes{"id": channel, "name": "board", "privacy": "private_shared_history"})
			},
			words: "private widening", says: "read older messages",
		},
		"an administrator's bot": {
			change: func(o *acctest.Organization) attributes {
				role := zulip.RoleAdministrator
				acctest.NoError(t, o.Client.UpdateUser(t.Context(), id(t, o, "bot"), zulip.UserUpdate{Role: &role}))
				return resourceChange("zulip_bot", attributes{"id": id(t, o, "bot"), "owner": "ines.costa@example.com", "full_name": "Terraform Bot"}, attributes{"id": id(t, o, "bot"), "owner": "kenji.sato@example.com", "full_name": "Terraform Bot"})
			},
			words: "role-change widening narrowing", says: "It is an administrator, and kenji.sato@example.com gets its API key",
		},
		"a bot that is in a private channel": {
			change: func(o *acctest.Organization) attributes {
				yes := true
				if _, _, err := o.Client.CreateChannel(t.Context(), zulip.ChannelCreate{Name: "board", InviteOnly: &yes, Subscribers: []int64{id(t, o, "owner"), id(t, o, "bot")}}); err != nil {
					t.Fatal(err)
				}
				role := zulip.RoleMember
				acctest.NoError(t, o.Client.UpdateUser(t.Context(), id(t, o, "bot"), zulip.UserUpdate{Role: &role}))
				return resourceChange("zulip_bot", attributes{"id": id(t, o, "bot"), "owner": "tomas.berg@example.com"}, attributes{"id": id(t, o, "bot"), "owner": "kenji.sato@example.com"})
			},
			words: "widening narrowing", says: "kenji.sato@example.com can use its API key to read",
		},
		"an owner who is made by the same plan": {
			change: func(o *acctest.Organization) attributes {
				bot := resourceChange("zulip_bot", attributes{"id": id(t, o, "bot"), "owner": "tomas.berg@example.com"}, attributes{"id": id(t, o, "bot")}, "owner")
				return bot
			},
			words: "role-change unknown widening", says: "The owner of zulip_bot.x isn't known yet",
		},
		"an owner of a new bot who is not found": {plan: resourceChange("zulip_bot", nil, attributes{"short_name": "news", "full_name": "News", "owner": "nobody@example.com"}),
			words: "unknown widening", says: "nobody@example.com"},
		"an administrator's address": {
			change: func(o *acctest.Organization) attributes {
				return resourceChange("zulip_user", attributes{"id": id(t, o, "admin"), "email": "tomas.berg@example.com", "role": "administrator"}, attributes{"id": id(t, o, "admin"), "email": "mallory@example.org", "role": "administrator"})
			},
			words: "sign-in", says: "It signs in with mallory@example.org; before: tomas.berg@example.com.",
		},
		"a webhook": {
			change: func(o *acctest.Organization) attributes {
				return resourceChange("zulip_bot", attributes{"id": id(t, o, "bot"), "full_name": "Terraform Bot", "payload_url": "https://a.example.com"}, attributes{"id": id(t, o, "bot"), "full_name": "Terraform Bot", "payload_url": "https://b.example.com"})
			},
			words: "outgoing", says: "Messages to it are sent to https://b.example.com; before: https://a.example.com.",
		},
		"retention": {plan: organizationSets("message_retention_days", "unlimited", "1"),
			words: "data-loss", says: "Messages are deleted after 1 day; before: never."},
		"retention of a channel": {
			change: func(o *acctest.Organization) attributes {
				return resourceChange("zulip_channel", attributes{"id": o.MustChannel(t, "general").ID, "name": "general", "message_retention_days": "realm_default"}, attributes{"id": o.MustChannel(t, "general").ID, "name": "general", "message_retention_days": "30"})
			},
			words: "data-loss", says: "Its messages are deleted after 30 days; before: never.",
		},
		"longer retention": {plan: organizationSets("message_retention_days", "1", "7"),
			words: "", says: "Other changes"},
		"announcements": {plan: organizationSets("signup_announcements_stream_id", 1, 99),
			words: "outgoing unknown", says: "New people are announced in channel 99"},
		"another type than the schema's": {plan: organizationSets("invite_required", true, "no"),
			words: "unknown", says: "has an unknown type"},
		"an attribute of another version": {plan: organizationSets("open_doors", nil, true),
			words: "unknown", says: "This version doesn't know the attribute open_doors"},
		"a resource of another version": {plan: resourceChange("zulip_door", nil, attributes{"open": true}),
			words: "unknown", says: "it has no resource"},
		"not known yet": {plan: resourceChange("zulip_organization", attributes{"invite_required": true}, attributes{}, "invite_required"),
			words: "joining unknown", says: ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			change := test.plan
			if test.change != nil {
				change = test.change(o)
			}
			found := reviewOf(t, o, planOf(t, change))
			expectWords(t, found, test.words)
			text := strings.ReplaceAll(markdownOf(t, found), "`", "")
			expectText(t, text, test.says)
			if test.words != "" && strings.Contains(text, "No one gains or loses access.") {
				t.Errorf("it comforts:\n%s", text)
			}
		})
	}
}

// another is a different value of the same kind.
var another = map[string][2]any{
	"string": {"one", "two"}, "number": {1, 2}, "bool": {false, true}, "list": {[]any{"1"}, []any{"1", "2"}}, "map": {attributes{"a": "1"}, attributes{"a": "2"}},
}

// The review mentions every changed attribute, and every created or destroyed object.
func TestReview_AnyAttribute_Reported(t *testing.T) {
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
				expectMention(t, mustReview(t, planOf(t, resourceChange(kind, before, after)), review.Options{Store: read}), fmt.Sprintf("%s.%s %v → %v", kind, attribute, values[i], values[1-i]))
				tried++
			}
			expectMention(t, mustReview(t, planOf(t, resourceChange(kind, attributes{attribute: values[0]}, attributes{}, attribute)), review.Options{Store: read}), fmt.Sprintf("%s.%s → unknown", kind, attribute))
			tried++
		}
		expectMention(t, mustReview(t, planOf(t, resourceChange(kind, nil, attributes{"name": "new"})), review.Options{Store: read}), kind+" is made")
		expectMention(t, mustReview(t, planOf(t, resourceChange(kind, attributes{"id": 1, "name": "old"}, nil)), review.Options{Store: read}), kind+" ends")
		tried += 2
	}
	t.Logf("%d changes", tried)
}

// A value that the server decides, such as the URL of a renamed channel, is no change of the plan.
func TestReview_DecidedByServer_NotListed(t *testing.T) {
	channel := func(name string) string {
		return fmt.Sprintf(`{"id":7,"name":%q,"url":"https://chat.example.com/#narrow/channel/7-%s"}`, name, name)
	}
	found, err := offline(t, "", `{"address":"zulip_channel.x","mode":"managed","type":"zulip_channel","name":"x","provider_name":"registry.terraform.io/zulip-iac/zulip",`+
		`"change":{"actions":["update"],"before":`+channel("old")+`,"after":`+channel("new")+`,"after_unknown":{}}}`,
		`{"resources":[{"address":"zulip_channel.x","mode":"managed","type":"zulip_channel","provider_config_key":"zulip","expressions":{"name":{"constant_value":"new"}}}]}`)
	if err != nil || len(found.Also) != 1 || len(found.Also[0].Attributes) != 1 || found.Also[0].Attributes[0].Name != "name" {
		t.Errorf("%v, %s", err, markdownOf(t, found))
	}
}

// expectMention checks for a line about zulip_TYPE.x, a risk, or an unknown fact.
func expectMention(t *testing.T, found *report.Report, what string) {
	t.Helper()
	mentions := len(found.Risks) + len(found.Unknown) + len(found.Also) + len(found.Channels) + len(found.Groups) + len(found.People) + len(found.Permissions)
	if mentions == 0 {
		t.Errorf("%s: %q, %+v", what, found.Summary.Text, found.Summary)
	}
	if len(found.Unknown) > 0 != slices.Contains(found.Summary.Conditions, report.Unknown) && len(found.Unknown) > 0 {
		t.Errorf("%s: what is not known is no word: %v", what, found.Summary.Conditions)
	}
}

// A bot can be given to someone whose account the same plan creates, whatever their addresses.
func TestReviewBot_OwnerCreated_Resolved(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	credentials, _ := o.Sandbox.Credentials("bot")
	bot := resourceChange("zulip_bot", attributes{"id": credentials.ID, "owner": "tomas.berg@example.com"}, attributes{"id": credentials.ID}, "owner")
	made := resourceChange("zulip_user", nil, attributes{"email": "nadia@example.com", "full_name": "Nadia Haddad", "role": "member"}, "id")
	configuration := `"configuration":{"root_module":{"resources":[
		{"address":"zulip_bot.x","provider_config_key":"zulip","expressions":{"owner":{"references":["zulip_user.x.id","zulip_user.x"]}}},
		{"address":"zulip_user.x","provider_config_key":"zulip","expressions":{"email":{},"full_name":{},"role":{}}}]}},"format_version"`
	found := reviewOf(t, o, strings.Replace(planOf(t, bot, made), `"format_version"`, configuration, 1))
	expectWords(t, found, "role-change widening narrowing")
	expectText(t, strings.ReplaceAll(markdownOf(t, found), "`", ""), "nadia@example.com gets its API key")
}

// The access by a bot's key in a channel with unknown subscribers is unknown.
func TestReviewBotKey_SubscribersUnknown_Unknown(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	bot, _ := o.Sandbox.Credentials("bot")
	owner, _ := o.Sandbox.Credentials("owner")
	yes, member := true, zulip.RoleMember
	board, _, err := o.Client.CreateChannel(t.Context(), zulip.ChannelCreate{Name: "board", InviteOnly: &yes, Subscribers: []int64{int64(owner.ID), int64(bot.ID)}})
	acctest.NoError(t, err)
	acctest.NoError(t, o.Client.UpdateUser(t.Context(), int64(bot.ID), zulip.UserUpdate{Role: &member}))
	given := resourceChange("zulip_bot", attributes{"id": bot.ID, "owner": "tomas.berg@example.com"}, attributes{"id": bot.ID, "owner": "kenji.sato@example.com"})
	subscribers := resourceChange("zulip_channel_subscribers", attributes{"channel_id": board, "users": []string{"ines.costa@example.com"}}, attributes{"channel_id": board}, "users")
	says := func(found *report.Report, what string) bool {
		for _, text := range found.Unknown {
			if strings.Contains(text, what) {
				return true
			}
		}
		return false
	}
	const unknown = `It isn't known whether kenji.sato@example.com gains access with the API key of terraform-bot@`
	if found := reviewOf(t, o, planOf(t, given)); says(found, unknown) || !strings.Contains(markdownOf(t, found), "`kenji.sato@example.com` can use its API key") {
		t.Errorf("with known subscribers: %q, %+v", found.Unknown, found.Risks)
	}
	found := reviewOf(t, o, planOf(t, given, subscribers))
	if !says(found, unknown) || !says(found, `in "board": the permissions there aren't known`) {
		t.Errorf("with unknown subscribers: %q", found.Unknown)
	}
	for _, risk := range found.Risks {
		if strings.HasPrefix(risk.Text, "can use its API key") && strings.Contains(risk.Text, "board") {
			t.Errorf("it is said for certain: %s", risk.Text)
		}
	}
}

// A bot is deactivated with its owner, unless the same plan gives it to someone else.
func TestReviewBot_OwnerReplaced_Kept(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	tomas, _ := o.Sandbox.Credentials("admin")
	bot, _ := o.Sandbox.Credentials("bot")
	left := resourceChange("zulip_user", attributes{"id": tomas.ID, "email": tomas.Email, "full_name": "Tomas Berg"}, nil)
	given := resourceChange("zulip_bot", attributes{"id": bot.ID, "owner": tomas.Email}, attributes{"id": bot.ID, "owner": "kenji.sato@example.com"})
	for _, one := range []struct {
		plan string
		ends bool
	}{
		{planOf(t, left), true}, {planOf(t, left, given), false}, {planOf(t, given, left), false},
	} {
		ends := false
		found := reviewOf(t, o, one.plan)
		for _, person := range found.People {
			ends = ends || person.AccountID == int64(bot.ID) && person.LosesEverything
		}
		if ends != one.ends || effectOn(found, "incidents", "can_read", int64(bot.ID)) < 0 != one.ends {
			t.Errorf("the bot is deactivated: %v, want %v; %+v", ends, one.ends, found.People)
		}
	}
}

// The people of a list have the same order before and after, whatever the order in the configuration.
// The elements of a list are named, and those that aren't known yet have no place among them.
func TestReviewList_PartlyUnknown_Named(t *testing.T) {
	f := newFirm(t)
	before := attributes{"id": 4711, "name": "x", "channel_ids": []int64{f.board}, "description": ""}
	change := resourceChange("zulip_default_channel_group", before, attributes{"id": 4711, "name": "x", "channel_ids": []any{f.board, nil, f.hall}, "description": ""})
	change["change"].(attributes)["after_unknown"] = attributes{"channel_ids": []bool{false, true, false}}
	expectText(t, fmt.Sprint(f.reviewed("", change).Risks), `channel "hall" and values not known yet`)
}

func TestReviewList_OtherOrder_Sorted(t *testing.T) {
	for name, test := range map[string]struct {
		kind, attribute, before, after string
	}{
		"members":     {"zulip_user_group", "members", "ada@example.com, tom@example.com", "ada@example.com, bob@example.com, tom@example.com"},
		"users":       {"zulip_role_members", "users", "ada@example.com, tom@example.com", "ada@example.com, bob@example.com, tom@example.com"},
		"an order":    {"zulip_linkifier_order", "linkifier_ids", "tom@example.com, ada@example.com", "ada@example.com, bob@example.com, tom@example.com"},
		"its options": {"zulip_custom_profile_field", "options", "tom@example.com, ada@example.com", "ada@example.com, bob@example.com, tom@example.com"},
	} {
		t.Run(name, func(t *testing.T) {
			change := resourceChange(test.kind, attributes{test.attribute: []string{"tom@example.com", "ada@example.com"}}, attributes{test.attribute: []string{"ada@example.com", "bob@example.com", "tom@example.com"}})
			found := mustReview(t, planOf(t, change), review.Options{})
			if got := found.Also[0].Attributes[0].Change; got.Before.String() != test.before || got.After.String() != test.after {
				t.Errorf("%s → %s", got.Before, got.After)
			}
		})
	}
}
