package audit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// mendOf returns what would mend the only finding of a kind about something.
func mendOf(t *testing.T, a *audit.Audit, kind audit.Kind, where string) string {
	t.Helper()
	all := found(a, kind, where)
	if len(all) != 1 {
		t.Fatalf("%s of %s is found %d times", kind, where, len(all))
	}
	if _, problems := hclsyntax.ParseConfig([]byte(all[0].Change), "change.tf", hcl.InitialPos); problems.HasErrors() {
		t.Errorf("%s\n%s", problems, all[0].Change)
	}
	return all[0].Change
}

func expectMend(t *testing.T, a *audit.Audit, kind audit.Kind, where, want string) {
	t.Helper()
	if got := mendOf(t, a, kind, where); got != want {
		t.Errorf("%s of %s is mended by\n%swant\n%s", kind, where, got, want)
	}
}

func stateOf(t *testing.T, resources ...string) audit.Options {
	t.Helper()
	return audit.Options{Managed: managed(t, `{"format_version":"1.0","values":{"root_module":{"resources":[`+strings.Join(resources, ",")+`]}}}`)}
}

func addSubgroup(t *testing.T, o *acctest.Organization, outer, inner int64) {
	t.Helper()
	o.Call(t, "POST", fmt.Sprintf("/user_groups/%d/subgroups", outer), map[string]string{"add": fmt.Sprintf("[%d]", inner)})
}

// A group that is there for guests is taken out of what should have none, and keeps its members.
func TestGuestsLoseNoGroupOfTheirOwn(t *testing.T) {
	o := office(t)
	contractors, leads, team := newGroup(t, o, "contractors", "gus"), newGroup(t, o, "leads", "mel"), newGroup(t, o, "team", "max")
	addSubgroup(t, o, leads, contractors)
	addSubgroup(t, o, leads, team)
	newChannel(t, o, "through", map[string]string{"can_add_subscribers_group": fmt.Sprint(leads)})
	newChannel(t, o, "named", map[string]string{"can_add_subscribers_group": fmt.Sprintf(`{"direct_members":[%d],"direct_subgroups":[%d]}`, id(t, o, "max"), contractors)})
	newChannel(t, o, "alone", map[string]string{"can_add_subscribers_group": fmt.Sprint(contractors)})
	a := auditWith(t, o, stateOf(t,
		resourceJSON("zulip_user_group.leads", "zulip_user_group", "leads", fmt.Sprintf(`{"id":%d,"name":"leads"}`, leads)),
		channelJSON("named", o, t), channelJSON("alone", o, t)))
	expectMend(t, a, audit.GuestsAdd, `channel "through"`, "# Guests lose with it what else the group \"leads\" gives them.\nresource \"zulip_user_group\" \"leads\" {\n  subgroups = [\"team\"]\n}\n")
	expectMend(t, a, audit.GuestsAdd, `channel "named"`, "resource \"zulip_channel\" \"named\" {\n  can_add_subscribers_group = [\"user:max@example.com\"]\n}\n")
	expectMend(t, a, audit.GuestsAdd, `channel "alone"`, "resource \"zulip_channel\" \"alone\" {\n  can_add_subscribers_group = [\"role:nobody\"]\n}\n")
}

// channelJSON is a channel of a state, under its own name.
func channelJSON(name string, o *acctest.Organization, t *testing.T) string {
	t.Helper()
	channels, _ := o.Call(t, "GET", "/streams", nil)["streams"].([]any)
	for _, one := range channels {
		if channel, _ := one.(map[string]any); channel["name"] == name {
			number, _ := channel["stream_id"].(float64)
			return resourceJSON("zulip_channel."+name, "zulip_channel", name, fmt.Sprintf(`{"id":%.0f,"name":%q}`, number, name))
		}
	}
	t.Fatalf("there is no channel %q", name)
	return ""
}

// Guests whom a resource of a part of the people lists are taken out of it.
func TestGuestsAreTakenOutOfWhatListsThem(t *testing.T) {
	o := office(t)
	mixed := newGroup(t, o, "mixed", "gus", "mel")
	newChannel(t, o, "adding", map[string]string{"can_add_subscribers_group": fmt.Sprint(mixed)})
	closed := newChannel(t, o, "closed", map[string]string{"invite_only": "true", "subscribers": fmt.Sprintf("[%d,%d]", o.Self.ID, id(t, o, "gus"))})
	a := auditWith(t, o, stateOf(t,
		resourceJSON("zulip_user_group_membership.some", "zulip_user_group_membership", "some", fmt.Sprintf(`{"group_id":%d,"members":["mel@example.com","gus@example.com"]}`, mixed)),
		resourceJSON("zulip_channel_subscription.other", "zulip_channel_subscription", "other", fmt.Sprintf(`{"channel_id":%d,"users":["owner@example.com"]}`, closed)),
		resourceJSON("zulip_channel_subscription.some", "zulip_channel_subscription", "some", fmt.Sprintf(`{"channel_id":%d,"users":["user_id:%d"]}`, closed, id(t, o, "gus")))))
	expectMend(t, a, audit.GuestsAdd, `channel "adding"`, "# Guests lose with it what else the group \"mixed\" gives them.\nresource \"zulip_user_group_membership\" \"some\" {\n  members = [\"mel@example.com\"]\n}\n")
	expectMend(t, a, audit.OpenPrivate, `channel "closed"`, "resource \"zulip_channel_subscription\" \"some\" {\n  users = []\n}\n")
	expectMend(t, auditWith(t, o, stateOf(t)), audit.OpenPrivate, `channel "closed"`, fmt.Sprintf("# Nothing in the state or plan manages it: import it first.\nimport {\n  to = zulip_channel_subscribers.closed\n  id = \"%d\"\n}\n\n", closed)+
		"resource \"zulip_channel_subscribers\" \"closed\" {\n  channel = \"name:closed\"\n  users   = [\"owner@example.com\"]\n}\n")
}

// Of a permission only what the finding is about is taken away.
func TestMendsTakeAwayNoMore(t *testing.T) {
	o := office(t)
	few := newGroup(t, o, "few", "max")
	newChannel(t, o, "open", map[string]string{
		"invite_only": "true", "can_add_subscribers_group": fmt.Sprint(few),
		"can_subscribe_group": fmt.Sprintf(`{"direct_members":[],"direct_subgroups":[%d,%d]}`, o.SystemGroup(t, "role:members"), few),
	})
	empty := newGroup(t, o, "empty")
	newChannel(t, o, "left", map[string]string{"can_administer_channel_group": fmt.Sprint(empty)})
	o.Call(t, "PATCH", "/realm", map[string]string{"can_resolve_topics_group": fmt.Sprintf(`{"new":{"direct_members":[%d],"direct_subgroups":[%d]}}`, id(t, o, "admin"), o.SystemGroup(t, "role:members"))})
	lone := newGroup(t, o, "lone", "max")
	o.Call(t, "PATCH", fmt.Sprintf("/user_groups/%d", lone), map[string]string{"can_manage_group": fmt.Sprintf(`{"new":%d}`, o.SystemGroup(t, "role:nobody"))})
	a := auditWith(t, o, stateOf(t, channelJSON("open", o, t), channelJSON("left", o, t),
		resourceJSON("zulip_user_group.lone", "zulip_user_group", "lone", fmt.Sprintf(`{"id":%d,"name":"lone"}`, lone))))
	expectMend(t, a, audit.OpenPrivate, `channel "open"`, "resource \"zulip_channel\" \"open\" {\n  can_subscribe_group = [\"group:few\"]\n}\n")
	expectMend(t, a, audit.NoAdministrator, `channel "left"`, "resource \"zulip_channel\" \"left\" {\n  can_administer_channel_group = [\"group:empty\", \"role:moderators\"]\n}\n")
	expectMend(t, a, audit.SinglePerson, `user group "lone"`, "resource \"zulip_user_group\" \"lone\" {\n  can_manage_group = [\"user:somebody.else@example.com\"]\n}\n")
	wider := 0
	for _, finding := range found(a, audit.WiderThanChannel, `channel "left"`) {
		if !strings.Contains(finding.Text, "can_resolve_topics_group of the organization") {
			continue
		}
		if wider++; !strings.Contains(finding.Change, `can_resolve_topics_group = ["user:ada@example.com"]`) {
			t.Errorf("the organization's permission is mended by\n%s", finding.Change)
		}
	}
	if wider != 1 {
		t.Errorf("the organization's permission is found %d times", wider)
	}
}

// A bot that a list of the state has is taken out of it: a zulip_bot that says otherwise is refused.
func TestABotIsTakenOutOfTheListOfItsRole(t *testing.T) {
	o := office(t)
	bot := fmt.Sprintf("/bots/%d", id(t, o, "bot"))
	o.Call(t, "PATCH", bot, map[string]string{"role": "200"})
	theBot := resourceJSON("zulip_bot.news", "zulip_bot", "news", fmt.Sprintf(`{"id":%d}`, id(t, o, "bot")))
	administrators := func(users string) string {
		return resourceJSON("zulip_role_members.administrators", "zulip_role_members", "administrators", `{"id":"administrator","role":"administrator","users":`+users+`}`)
	}
	const where, member = "bot news-bot@example.com", "resource \"zulip_bot\" \"news\" {\n  short_name = \"news\"\n  full_name  = \"News\"\n  role       = \"member\"\n}\n"
	expectMend(t, auditWith(t, o, stateOf(t, theBot, administrators(`["ada@example.com","News-Bot@example.com"]`))), audit.BotAdministrator, where,
		"resource \"zulip_role_members\" \"administrators\" {\n  users = [\"ada@example.com\"]\n}\n")
	expectMend(t, auditWith(t, o, stateOf(t, theBot, administrators(`["ada@example.com"]`))), audit.BotAdministrator, where, member)
	expectMend(t, auditWith(t, o, stateOf(t, theBot, resourceJSON("zulip_user_role.news", "zulip_user_role", "news", fmt.Sprintf(`{"user_id":%d}`, id(t, o, "bot"))))), audit.BotAdministrator, where,
		"resource \"zulip_user_role\" \"news\" {\n  role = \"member\"\n}\n")

	o.Call(t, "PATCH", bot, map[string]string{"role": "100"})
	options := stateOf(t, theBot, administrators(`["ada@example.com"]`),
		resourceJSON("zulip_role_members.owners", "zulip_role_members", "owners", fmt.Sprintf(`{"id":"owner","role":"owner","users":["owner@example.com","%d"]}`, id(t, o, "bot"))))
	expectMend(t, auditWith(t, o.As(t, "bot"), options), audit.BotAdministrator, where,
		"resource \"zulip_role_members\" \"owners\" {\n  users = [\"owner@example.com\"]\n}\n\n"+
			"resource \"zulip_role_members\" \"administrators\" {\n  users = [\"ada@example.com\", \"news-bot@example.com\"]\n}\n")
}

// An invitation has the address that the state has for it; of one that nothing manages no resource is written, which would be another.
func TestInvitationsHaveTheAddressesOfAState(t *testing.T) {
	o := office(t)
	for _, name := range []string{"boss", "byhand"} {
		o.Call(t, "POST", "/invites", map[string]string{"invitee_emails": name + "@example.com", "stream_ids": "[]", "invite_as": "200"})
	}
	o.Call(t, "POST", "/invites/multiuse", map[string]string{"invite_expires_in_minutes": "null"})
	byHand := "# Nothing in the state or plan manages it: revoke it in the organization's settings.\n"
	a := auditWith(t, o, stateOf(t, resourceJSON(`zulip_invitation.all["boss"]`, "zulip_invitation", "all", `{"id":"Boss@example.com"}`)))
	expectMend(t, a, audit.Invitation, "invitation of boss@example.com", "# zulip_invitation.all[\"boss\"]\nresource \"zulip_invitation\" \"all\" {\n  invite_as = \"member\"\n}\n")
	expectMend(t, a, audit.Invitation, "invitation of byhand@example.com", byHand)
	var link string
	for _, finding := range a.Findings {
		if finding.Kind == audit.Invitation && strings.HasPrefix(finding.Where[0], "invitation link ") {
			link = finding.Where[0]
		}
	}
	expectMend(t, a, audit.Invitation, link, byHand)
	expectMend(t, auditWith(t, o, audit.Options{}), audit.Invitation, link,
		"# If nothing manages it, revoke it in the organization's settings: a new resource would create another link.\nresource \"zulip_invite_link\" \"this\" {\n  invite_as          = \"member\"\n  expires_in_minutes = 10080\n}\n")
	number := strings.TrimPrefix(link, "invitation link ")
	expectMend(t, auditWith(t, o, stateOf(t, resourceJSON("zulip_invite_link.l", "zulip_invite_link", "l", `{"id":`+number+`}`))), audit.Invitation, link,
		"resource \"zulip_invite_link\" \"l\" {\n  invite_as          = \"member\"\n  expires_in_minutes = 10080\n}\n")
}
