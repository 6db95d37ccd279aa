package review_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/markdown"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/meaning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/page"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/review"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// firm is an organization with two owners, a private channel and two user groups, one in the other.
type firm struct {
	*acctest.Organization

	t                          *testing.T
	board, hall, lobby, folder int64
	directors, advisers        int64
	olga, otto, ada, mel       int64
}

func newFirm(t *testing.T) *firm {
	t.Helper()
	f := &firm{t: t, Organization: acctest.NewSandbox(t, sandbox.Config{Accounts: map[string]sandbox.Account{
		"owner": {Email: "olga@example.com", FullName: "Olga", Role: 100, CanCreateUsers: true},
		"otto":  {Email: "otto@example.com", FullName: "Otto", Role: 100},
		"admin": {Email: "ada@example.com", FullName: "Ada", Role: 200},
		"mel":   {Email: "mel@example.com", FullName: "Mel", Role: 400},
		"gus":   {Email: "gus@example.com", FullName: "Gus", Role: 600},
	}})}
	f.Organization = f.WithAccount(t, "owner")
	f.olga, f.otto, f.ada, f.mel = f.id("owner"), f.id("otto"), f.id("admin"), f.id("mel")
	f.Call(t, "PATCH", "/realm", map[string]string{"enable_spectator_access": "true"})
	f.folder = int64(f.Call(t, "POST", "/channel_folders/create", map[string]string{"name": "Board", "description": ""})["channel_folder_id"].(float64))
	f.advisers = f.group("advisers", f.mel)
	f.directors = f.group("directors", f.ada)
	f.board = f.channel("board", map[string]string{
		"invite_only": "true", "history_public_to_subscribers": "true",
		"can_subscribe_group": fmt.Sprint(f.directors), "subscribers": fmt.Sprintf("[%d]", f.ada),
	})
	f.hall, f.lobby = f.channel("hall", nil), f.channel("lobby", nil)
	return f
}

func (f *firm) id(account string) int64 {
	credentials, _ := f.Sandbox.Credentials(account)
	return int64(credentials.ID)
}

func (f *firm) group(name string, members ...int64) int64 {
	f.t.Helper()
	made := f.Call(f.t, "POST", "/user_groups/create", map[string]string{"name": name, "description": "", "members": strings.ReplaceAll(fmt.Sprint(members), " ", ",")})
	return int64(made["group_id"].(float64))
}

func (f *firm) channel(name string, more map[string]string) int64 {
	f.t.Helper()
	all := map[string]string{"name": name, "subscribers": fmt.Sprintf("[%d]", f.olga)}
	for key, value := range more {
		all[key] = value
	}
	return int64(f.Call(f.t, "POST", "/channels/create", all)["id"].(float64))
}

// reviewed reviews a plan with rules.
func (f *firm) reviewed(text string, changes ...attributes) *report.Report {
	f.t.Helper()
	return mustReview(f.t, planOf(f.t, changes...), review.Options{Store: readOf(f.Organization), Rules: rulesOf(f.t, text)})
}

func rulesOf(t *testing.T, text string) *rules.File {
	t.Helper()
	file, err := rules.Parse("rules.zulip.hcl", []byte(text))
	acctest.NoError(t, err)
	return file
}

// firmRules are rules that pass in the current organization.
const firmRules = `
rule "board stays closed" {
  channels   = ["board", "folder:Board"]
  permission = ["read", "read_history", "join"]
  only       = ["group:directors", "role:owners"]
  except {
    people = ["user:olga@example.com"]
    reason = "She makes the channels"
  }
}
rule "no adviser reads the board" {
  channels   = "board"
  permission = "read"
  never      = "group:advisers"
}
rule "nothing is on the web" {
  channels   = "*"
  permission = "read"
  never      = "internet"
}
rule "two owners" {
  role     = "owner"
  at_least = 2
}
rule "guests stay out of the hall" {
  channels   = "hall"
  permission = "read"
  never      = "role:guests"
  only       = ["role:members"]
}
rule "directors are members" {
  groups     = "directors"
  permission = ["member", "manage"]
  only       = ["role:members"]
}
rule "members make groups" {
  permission = "create_groups"
  only       = "role:members"
}
rule "no open door" {
  joining = "invited"
}
limit "removals" {
  people = 1
}
`

// An account that does not see all invitations can check what a plan does to joining. An audit can't.
func TestReviewRules_JoiningUnseen_PlanChecked(t *testing.T) {
	f := newFirm(t)
	f.Organization = f.WithAccount(t, "mel")
	const rule = "rule \"no open door\" {\n  joining = \"invited\"\n}"
	invitation := attributes{"email": "ann@example.org", "invite_as": "administrator"}
	for name, test := range map[string]struct {
		change attributes
		says   string
		fails  bool
	}{
		"nothing about it":             {resourceChange("zulip_channel", nil, attributes{"name": "new"}), "unknown before, and this plan adds no violations", false},
		"anyone":                       {resourceChange("zulip_organization", attributes{"invite_required": true}, attributes{"invite_required": false}), "fails after this plan", true},
		"an administrator":             {resourceChange("zulip_invitation", nil, invitation), "fails after this plan", true},
		"a role that is not known yet": {resourceChange("zulip_invitation", nil, attributes{"email": "ann@example.org"}, "invite_as"), "unknown", true},
	} {
		t.Run(name, func(t *testing.T) {
			found := f.reviewed(rule, test.change)
			if lines := found.Rules[0].Lines(); lines[0] != test.says || found.Rules[0].Fails() != test.fails {
				t.Errorf("fails: %t, %q", found.Rules[0].Fails(), lines)
			}
		})
	}
}

// TestReviewRules_WrongChanges_Fail plans one wrong change after the other. Only the expected rules fail. The report names
// the cause, the people and the sources of their access.
func TestReviewRules_WrongChanges_Fail(t *testing.T) {
	f := newFirm(t)
	for name, one := range map[string]struct {
		changes []attributes
		want    string // of every failed rule
	}{
		"a description": {[]attributes{resourceChange("zulip_channel", attributes{"id": f.board, "name": "board"}, attributes{"id": f.board, "name": "board", "description": "x"})}, ""},
		"a nested group": {[]attributes{resourceChange("zulip_user_group", attributes{"id": f.directors, "name": "directors", "subgroups": []string{}},
			attributes{"id": f.directors, "name": "directors", "subgroups": []string{"advisers"}})},
			"no adviser reads the board: fails after this plan | #board: 1 account can read: Mel (mel@example.com, through can_subscribe_group: group:directors > group:advisers). The plan changes zulip_user_group.x."},
		"a subscriber": {[]attributes{resourceChange("zulip_channel_subscribers", attributes{"channel_id": f.board, "channel": "board", "users": []string{"ada@example.com"}},
			attributes{"channel_id": f.board, "channel": "board", "users": []string{"ada@example.com", "gus@example.com"}})},
			"board stays closed: fails after this plan | #board: 1 account can read and read older messages: Gus (gus@example.com, through subscriber). The plan changes zulip_channel_subscribers.x."},
		"a subscriber by a new email": {[]attributes{resourceChange("zulip_channel_subscribers", attributes{"channel_id": f.board, "channel": "board", "users": []string{"ada@example.com"}},
			attributes{"channel_id": f.board, "channel": "board", "users": []string{"ada@example.com", "gustav@example.com"}}),
			resourceChange("zulip_user", attributes{"id": f.id("gus"), "email": "gus@example.com"}, attributes{"id": f.id("gus"), "email": "gustav@example.com"})},
			"board stays closed: fails after this plan | #board: 1 account can read and read older messages: Gus (gus@example.com, through subscriber). The plan changes zulip_channel_subscribers.x."},
		"an owner less": {[]attributes{resourceChange("zulip_user_role", attributes{"user_id": f.otto, "user": "otto@example.com", "role": "owner"},
			attributes{"user_id": f.otto, "user": "otto@example.com", "role": "member"})},
			"two owners: fails after this plan | the organization: 1 person is owner, and at least 2 must be: Olga (olga@example.com). The plan changes zulip_user_role.x."},
		"an owner less, and a description": {[]attributes{resourceChange("zulip_user_role", attributes{"user_id": f.otto, "user": "otto@example.com", "role": "owner"},
			attributes{"user_id": f.otto, "user": "otto@example.com", "role": "member"}),
			resourceChange("zulip_organization", attributes{"description": "a"}, attributes{"description": "b"})},
			"at least 2 must be: Olga (olga@example.com). The plan changes zulip_user_role.x."},
		"an open door": {[]attributes{resourceChange("zulip_organization", attributes{"invite_required": true}, attributes{"invite_required": false})},
			"no open door: fails after this plan | the organization: people can join without an invitation (invite_required). The plan changes zulip_organization.x."},
		"a link for administrators": {[]attributes{resourceChange("zulip_invite_link", nil, attributes{"invite_as": "administrator"})},
			"no open door: fails after this plan | zulip_invite_link.x: anyone who uses it joins as administrator."},
		"an invitation as what is not known yet": {[]attributes{resourceChange("zulip_invitation", nil, attributes{"email": "nia@example.com"}, "invite_as")},
			"no open door: unknown"},
		"a channel on the web": {[]attributes{resourceChange("zulip_channel", attributes{"id": f.lobby, "name": "lobby", "privacy": "public"},
			attributes{"id": f.lobby, "name": "lobby", "privacy": "web_public"})},
			"nothing is on the web: fails after this plan | #lobby: anyone on the internet can read. The plan changes zulip_channel.x."},
		"a channel into the folder": {[]attributes{resourceChange("zulip_channel", attributes{"id": f.lobby, "name": "lobby"},
			attributes{"id": f.lobby, "name": "lobby", "folder_id": f.folder})},
			"board stays closed: fails after this plan | #lobby: 1 account can read, read older messages and join: Mel (mel@example.com, through public channel). The plan changes zulip_channel.x."},
		"everybody makes groups": {[]attributes{resourceChange("zulip_organization", attributes{"can_create_groups": []string{"role:members"}}, attributes{"can_create_groups": []string{"role:everyone"}})},
			""}, // the server lets no guest join
		"a guest among the directors": {[]attributes{resourceChange("zulip_user_group_membership", nil, attributes{"group_id": f.directors, "group": "directors", "members": []string{"gus@example.com"}})},
			`directors are members: fails after this plan | user group "directors": 1 account is in it: Gus (gus@example.com, through group:directors). The plan changes zulip_user_group_membership.x.`},
		"two people out": {[]attributes{resourceChange("zulip_user_group", attributes{"id": f.directors, "name": "directors", "members": []string{"ada@example.com"}},
			attributes{"id": f.directors, "name": "directors", "members": []string{}}),
			resourceChange("zulip_user", attributes{"id": f.mel, "email": "mel@example.com", "full_name": "Mel"}, nil)},
			"removals: fails after this plan | this plan: 2 people are removed from channels, user groups or the organization; the limit is 1."},
		"a value not known yet": {[]attributes{resourceChange("zulip_channel_subscribers", attributes{"channel_id": f.board, "channel": "board", "users": []string{"ada@example.com"}},
			attributes{"channel_id": f.board, "channel": "board"}, "users")},
			"board stays closed: unknown"},
	} {
		found := f.reviewed(firmRules, one.changes...)
		var all []string
		for _, rule := range found.Rules {
			if rule.Status != report.RulePasses {
				all = append(all, rule.Name+": "+strings.Join(rule.Lines(), " | "))
			}
			if rule.Before != report.RulePasses {
				t.Errorf("%s: before the plan %s was %s", name, rule.Name, rule.Before)
			}
		}
		got := strings.Join(all, "\n")
		if len(found.Rules) != 9 || len(one.want) == 0 != (len(got) == 0) || !strings.Contains(got, one.want) {
			t.Errorf("%s: of %d rules\n%s\nwant\n%s", name, len(found.Rules), got, one.want)
		}
		fails := len(found.Fails([]report.Condition{report.Rules})) > 0
		if fails != (one.want != "") {
			t.Errorf("%s: the conditions %v apply; %v", name, fails, found.Summary)
		}
	}
}

// Earlier violations are reported separately, and don't fail a plan that adds none.
func TestReviewRules_FailingBefore_NotStopped(t *testing.T) {
	f := newFirm(t)
	f.Call(t, "POST", fmt.Sprintf("/user_groups/%d/members", f.directors), map[string]string{"add": fmt.Sprintf("[%d]", f.mel)})
	const text = `
rule "no adviser among the directors" {
  groups     = "directors"
  permission = "member"
  never      = ["group:advisers", "role:everyone"]
}
`
	before := attributes{"id": f.directors, "name": "directors", "members": []string{"ada@example.com", "mel@example.com"}}
	for _, one := range []struct {
		members []string
		want    string
		fails   bool
	}{
		{[]string{"ada@example.com", "mel@example.com"}, "failed before, and this plan adds no violations", false},
		{[]string{"mel@example.com"}, "failed before, and this plan adds no violations", false},
		{[]string{"mel@example.com", "gus@example.com"}, "failed before, and this plan adds violations", true},
		{[]string{}, "passes after this plan (failed before)", false},
	} {
		found := f.reviewed(text, resourceChange("zulip_user_group", before, attributes{"id": f.directors, "name": "directors", "members": one.members}))
		if got := found.Rules[0].Lines()[0]; got != one.want || len(found.Fails([]report.Condition{report.Rules})) > 0 != one.fails {
			t.Errorf("%v: %s, the conditions are %v; want %s, %v", one.members, got, found.Summary.Conditions, one.want, one.fails)
		}
	}
}

// Archiving a channel removes its subscribers, also without another rule about the channel.
func TestReviewLimit_ChannelArchived_SubscribersCounted(t *testing.T) {
	f := newFirm(t)
	found := f.reviewed("limit \"removals\" {\n  people = 0\n}\n", resourceChange("zulip_channel", attributes{"id": f.board, "name": "board"}, nil))
	expectText(t, strings.Join(found.Rules[0].Lines(), "\n"), "this plan: 1 person is removed")
}

// A review names the invitations that the server revokes with an account, and says if it can't know them.
func TestReview_InviterLeaves_InvitationsNamed(t *testing.T) {
	f := newFirm(t)
	otto := f.WithAccount(t, "otto")
	otto.Call(t, "POST", "/invites", map[string]string{"invitee_emails": "new@example.com", "stream_ids": "[]"})
	otto.Call(t, "POST", "/invites/multiuse", map[string]string{"invite_as": "600", "stream_ids": "[]"})
	f.Call(t, "POST", "/invites", map[string]string{"invitee_emails": "other@example.com", "stream_ids": "[]"})
	before, link := attributes{"id": f.otto, "email": "otto@example.com", "full_name": "Otto"}, int64(0)
	all, err := f.Client.Invitations(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range all {
		if one.IsMultiuse {
			link = one.ID
		}
	}
	for _, after := range []attributes{nil, {"id": f.otto, "email": "otto@example.com", "full_name": "Otto", "active": false}} {
		text := markdownOf(t, f.reviewed("", resourceChange("zulip_user", before, after)))
		expectText(t, text, "The server revokes what the account sent: ", "the invitation of `new@example.com`", fmt.Sprint("invitation link ", link))
		if strings.Contains(text, "other@example.com") {
			t.Errorf("names the invitation of another account:\n%s", text)
		}
	}
	f.Sandbox.Fail(sandbox.Fault{Method: "GET", Path: "/invites", Action: sandbox.FaultStatus, Status: 400})
	expectText(t, markdownOf(t, f.reviewed("", resourceChange("zulip_user", before, nil))), "The invitations could not be read: ", "The server revokes those of the people whom it deactivates.")
}

// The invitations of a deactivated person end.
func TestReviewRules_InviterLeaves_InvitationsEnd(t *testing.T) {
	f := newFirm(t)
	f.WithAccount(t, "otto").Call(t, "POST", "/invites/multiuse", map[string]string{"invite_as": "200", "stream_ids": "[]"})
	for id, want := range map[int64]string{f.otto: "passes after this plan (failed before)", f.mel: "failed before, and this plan adds no violations"} {
		user, err := f.Client.User(t.Context(), id)
		acctest.NoError(t, err)
		found := f.reviewed(firmRules, resourceChange("zulip_user", attributes{"id": id, "email": user.Address(), "full_name": user.FullName}, nil))
		for _, rule := range found.Rules {
			if got := rule.Lines()[0]; rule.Name == "no open door" && got != want {
				t.Errorf("without %s: %s, want %s", user.FullName, got, want)
			}
		}
	}
}

// New users are in the default channels.
func TestReviewOfRulesAboutNewPeople(t *testing.T) {
	f := newFirm(t)
	f.Call(t, "POST", "/default_streams", map[string]string{"stream_id": fmt.Sprint(f.hall)})
	guest := resourceChange("zulip_user", nil, attributes{"email": "new@example.com", "full_name": "Nia", "role": "guest"})
	found := f.reviewed(firmRules, guest)
	for _, rule := range found.Rules {
		if rule.Name == "guests stay out of the hall" {
			expectText(t, strings.Join(rule.Lines(), "\n"), "fails after this plan", "#hall: 1 account can read: Nia (new@example.com, through subscriber). The plan changes zulip_user.x.")
		}
	}
	owner := resourceChange("zulip_user", nil, attributes{"email": "new@example.com", "full_name": "Nia", "role": "owner"})
	const text = "rule \"three owners\" {\n  role = \"owner\"\n  at_least = 3\n}\n"
	if got := f.reviewed(text, owner).Rules[0]; got.Before != report.RuleFails || got.Status != report.RulePasses {
		t.Errorf("a third owner: %v", got.Lines())
	}
}

// The rules read only attributes of plans that the resources have.
func TestReviewRules_AttributesRead_Exist(t *testing.T) {
	for resource, attributes := range map[string][]string{
		"zulip_invite_link": {"invite_as"}, "zulip_invitation": {"invite_as"}, "zulip_organization": {"invite_required"},
		"zulip_channel": {"folder", "folder_id", "is_default"}, "zulip_channel_folder": {"id", "name"},
	} {
		of, _ := meaning.Of(resource)
		for _, name := range attributes {
			if _, ok := of.Attribute(name); !ok {
				t.Errorf("%s has no attribute %s", resource, name)
			}
		}
	}
}

// Every form of the report lists failed rules, after the risks and before the changes.
func TestReviewRules_Failing_ListedAfterRisks(t *testing.T) {
	f := newFirm(t)
	found := f.reviewed(firmRules, resourceChange("zulip_organization", attributes{"invite_required": true, "can_create_groups": []string{"role:members"}},
		attributes{"invite_required": false, "can_create_groups": []string{"role:moderators"}}))
	expectText(t, found.Summary.Text, "1 rule fails")
	var text, html bytes.Buffer
	acctest.NoError(t, markdown.Write(&text, found))
	acctest.NoError(t, page.Write(&html, found))
	expectText(t, text.String(), "#### Rules", "- `no open door` (`rules.zulip.hcl:40`): **fails after this plan**", "- 6 rules and 1 limit pass.")
	expectText(t, html.String(), `<h2 id="rules">Rules</h2>`, "no open door", "fails after this plan", "6 rules and 1 limit pass.")
	for form, order := range map[string][]string{text.String(): {"- `joining`", "#### Rules", "#### Changes"}, html.String(): {`<h2 id="risks"`, `<h2 id="rules"`, `<h2 id="organization"`}} {
		for i, part := range order[1:] {
			if before, after := strings.Index(form, order[i]), strings.Index(form, part); before < 0 || after < before {
				t.Errorf("%q isn't followed by %q in\n%.3000s", order[i], part, form)
			}
		}
	}
}

// A rule about a permission of a group depends on the other permissions that permit the same.
func TestReviewRules_GroupGrants_Considered(t *testing.T) {
	f := newFirm(t)
	update := func(sets attributes, unknown ...string) attributes {
		after := attributes{"id": f.directors, "name": "directors"}
		for name, value := range sets {
			after[name] = value
		}
		return resourceChange("zulip_user_group", attributes{"id": f.directors, "name": "directors", "can_manage_group": []string{"user:olga@example.com"}}, after, unknown...)
	}
	const owners = `["role:owners"]`
	for name, one := range map[string]struct {
		group, permission, only string
		change                  attributes
		want                    string
	}{
		"no change of access":         {"directors", "add_members", owners, update(attributes{"description": "x"}), report.RulePasses},
		"another manager":             {"directors", "remove_members", owners, update(attributes{"can_manage_group": []string{"user:mel@example.com"}}), report.RuleFails},
		"an unknown manager":          {"directors", "add_members", owners, update(nil, "can_manage_group"), report.RuleUnknown},
		"an unknown manager, mention": {"directors", "mention", `["role:everyone"]`, update(nil, "can_manage_group"), report.RulePasses},
		"an unknown remover":          {"directors", "leave", `["role:owners"]`, update(attributes{"can_leave_group": []string{"role:nobody"}}, "can_remove_members_group"), report.RuleUnknown},
		"a manager of all groups": {"directors", "join", owners, resourceChange("zulip_organization",
			attributes{"can_manage_all_groups": []string{"role:owners"}}, attributes{"can_manage_all_groups": []string{"role:administrators"}}), report.RuleFails},
		"an unknown manager of all groups": {"directors", "join", owners, resourceChange("zulip_organization",
			attributes{"can_manage_all_groups": []string{"role:owners"}}, attributes{}, "can_manage_all_groups"), report.RuleUnknown},
		"a new group":                      {"crew", "add_members", owners, resourceChange("zulip_user_group", nil, attributes{"name": "crew"}), report.RulePasses},
		"the creator of a new group":       {"crew", "manage", `["user:otto@example.com"]`, resourceChange("zulip_user_group", nil, attributes{"name": "crew"}), report.RuleFails},
		"a new group with unknown manager": {"crew", "add_members", owners, resourceChange("zulip_user_group", nil, attributes{"name": "crew"}, "can_manage_group"), report.RuleUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			found := f.reviewed(fmt.Sprintf("rule \"one\" {\n groups = %q\n permission = %q\n only = %s\n}", one.group, one.permission, one.only), one.change)
			if rule := found.Rules[0]; rule.Status != one.want {
				t.Errorf("the rule %s: %v", rule.Status, rule.Lines())
			}
		})
	}
}

// A violation that the plan doesn't make worse names no changes of the plan.
func TestReviewRule_OldViolation_NoChangesNamed(t *testing.T) {
	f := newFirm(t)
	found := f.reviewed(`rule "no member posts" {
  channels   = "hall"
  permission = "send_message"
  never      = "role:members"
}`, resourceChange("zulip_channel", attributes{"id": f.hall, "name": "hall", "description": "a"}, attributes{"id": f.hall, "name": "hall", "description": "b"}))
	if text := strings.Join(found.Rules[0].Lines(), "\n"); found.Rules[0].Status != report.RuleFails || strings.Contains(text, "The plan changes") {
		t.Errorf("%s: %s", found.Rules[0].Status, text)
	}
}

// A permission of a group that isn't known yet is no reason why someone has access.
func TestReviewRule_UnknownGrant_NoReason(t *testing.T) {
	f := newFirm(t)
	mel := fmt.Sprintf(`{"new":{"direct_members":[%d],"direct_subgroups":[]}}`, f.mel)
	f.Call(t, "PATCH", fmt.Sprintf("/user_groups/%d", f.advisers), map[string]string{"can_manage_group": mel, "can_add_members_group": mel})
	group := attributes{"id": f.advisers, "name": "advisers", "can_add_members_group": []string{"user:mel@example.com"}}
	found := f.reviewed(`rule "no member adds" {
  groups     = "advisers"
  permission = "add_members"
  never      = "user:mel@example.com"
}`, resourceChange("zulip_user_group", group, attributes{"id": f.advisers, "name": "advisers"}, "can_add_members_group"))
	text := strings.Join(found.Rules[0].Lines(), "\n")
	expectText(t, text, "through can_manage_group: user:mel@example.com)")
	if strings.Contains(text, "through user:mel@example.com") {
		t.Error(text)
	}
}
