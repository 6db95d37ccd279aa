package review_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/randomorg"
)

// replaced turns a change into one that destroys the object and creates another one.
func replaced(change attributes, actions ...string) attributes {
	if randomorg.Replaced(change); len(actions) > 0 {
		change["change"].(attributes)["actions"] = actions
	}
	return change
}

// expectRule checks that a rule passes or fails.
func expectRule(t *testing.T, found *report.Report, name string, fails bool) {
	t.Helper()
	at := slices.IndexFunc(found.Rules, func(rule *report.Rule) bool { return rule.Name == name })
	if at < 0 {
		t.Fatalf("the review has no rule %q", name)
	}
	if rule := found.Rules[at]; rule.Fails() != fails {
		t.Errorf("rule %q fails: %t; want %t: %q", name, rule.Fails(), fails, rule.Lines())
	}
}

// expectCondition checks that a condition applies to a review.
func expectCondition(t *testing.T, found *report.Report, condition report.Condition) {
	t.Helper()
	if !slices.Contains(found.Summary.Conditions, condition) {
		t.Errorf("%s does not apply; the review says: %s %v", condition, found.Summary.Text, found.Summary.Conditions)
	}
}

// A zulip_user_role whose user changes takes the role from one account and gives it to another.
func TestReviewUserRole_Replaced_BothChange(t *testing.T) {
	for _, actions := range [][]string{{"delete", "create"}, {"create", "delete"}} {
		f := newFirm(t)
		found := f.reviewed(`
rule "at most two owners" {
  role    = "owner"
  at_most = 2
}
rule "the owners" {
  role = "owner"
  only = ["user:olga@example.com", "user:otto@example.com"]
}
`, replaced(resourceChange("zulip_user_role",
			attributes{"user_id": f.otto, "user": "otto@example.com", "role": "owner", "on_destroy": "member"},
			attributes{"user_id": f.mel, "user": "mel@example.com", "role": "owner", "on_destroy": "member"}), actions...))
		expectRule(t, found, "at most two owners", false)
		expectRule(t, found, "the owners", true)
		became := map[int64]string{}
		for _, person := range found.People {
			became[person.AccountID] = person.Role.After.String()
		}
		if became[f.otto] != "member" || became[f.mel] != "owner" {
			t.Errorf("%v: the accounts become %v", actions, became)
		}
	}
}

// A role that one resource removes and another gives is kept, in any order of the two in the plan.
func TestReviewUserRole_Reassigned_Kept(t *testing.T) {
	f := newFirm(t)
	otto := attributes{"user_id": f.otto, "user": "otto@example.com", "role": "owner", "on_destroy": "member"}
	given, taken := resourceChange("zulip_user_role", nil, otto), resourceChange("zulip_user_role", otto, nil)
	taken["address"] = "zulip_user_role.y"
	found := f.reviewed(`rule "two owners" {
  role     = "owner"
  at_least = 2
}`, given, taken)
	expectRule(t, found, "two owners", false)
	if len(found.People) > 0 {
		t.Errorf("the review says of accounts: %+v", found.People[0])
	}
}

// OpenTofu forgets the old object and creates a new one where destroy = false.
func TestReviewUserRole_ForgottenCreated_Changed(t *testing.T) {
	f := newFirm(t)
	found := f.reviewed("", replaced(resourceChange("zulip_user_role",
		attributes{"user_id": f.otto, "user": "otto@example.com", "role": "owner", "on_destroy": "member"},
		attributes{"user_id": f.mel, "user": "mel@example.com", "role": "owner", "on_destroy": "member"}), "forget", "create"))
	expectCondition(t, found, report.RoleChange)
	if len(found.People) != 1 || found.People[0].AccountID != f.mel {
		t.Errorf("only Mel's role changes: %v", found.People)
	}
}

// The subscribers of the old channel leave it, and no one leaves the new one.
func TestReviewSubscription_ChannelChanged_OldUnsubscribed(t *testing.T) {
	f := newFirm(t)
	other := f.channel("other", map[string]string{"invite_only": "true", "subscribers": fmt.Sprintf("[%d,%d]", f.olga, f.otto)})
	found := f.reviewed(`rule "somebody is on the board" {
  channels   = "board"
  permission = "subscribed"
  at_least   = 1
}`, replaced(resourceChange("zulip_channel_subscription",
		attributes{"channel_id": f.board, "channel": "board", "users": []string{"ada@example.com", "otto@example.com"}, "added_user_ids": []int64{f.ada, f.otto}},
		attributes{"channel_id": other, "channel": "other", "users": []string{"ada@example.com"}}, "added_user_ids")))
	expectRule(t, found, "somebody is on the board", true)
	left := map[string][]int64{}
	for _, channel := range found.Channels {
		left[channel.Name] = channel.Leaves.IDs()
	}
	if !slices.Equal(left["board"], []int64{f.ada}) || len(left["other"]) > 0 {
		t.Errorf("accounts leave: %v", left)
	}
}

// A replaced resource sets every value again, also unchanged ones.
func TestReviewReplacedChannel_Private_NotPublic(t *testing.T) {
	f := newFirm(t)
	board := func(id any) attributes {
		return attributes{"id": id, "name": "board", "privacy": "private_shared_history", "initial_subscribers": []string{"ada@example.com"}}
	}
	found := f.reviewed(`rule "the board reads" {
  channels   = "board"
  permission = "read"
  only       = ["group:directors", "role:owners"]
}`, replaced(resourceChange("zulip_channel", board(f.board), board(nil), "id")))
	expectRule(t, found, "the board reads", false)
	for _, channel := range found.Channels {
		if channel.Action == report.Replace && channel.Privacy.After.String() != "private, with shared history" {
			t.Errorf("the new channel is %s", channel.Privacy.After)
		}
	}
	if slices.Contains(found.Summary.Conditions, report.DataLoss) || slices.Contains(found.Summary.Conditions, report.Widening) {
		t.Errorf("the provider unarchives the channel, with its messages: %v", found.Summary.Conditions)
	}

	other := board(nil)
	other["name"] = "directors"
	expectCondition(t, f.reviewed("", replaced(resourceChange("zulip_channel", board(f.board), other, "id"))), report.DataLoss)
	first := f.reviewed("", replaced(resourceChange("zulip_channel", board(f.board), board(nil), "id"), "create", "delete"))
	expectCondition(t, first, report.Stops)
}

// The server deactivates an account with its bots, and the provider reactivates only the account.
func TestReviewReplacedUser_RoleKept(t *testing.T) {
	f := newFirm(t)
	otto := attributes{"id": f.otto, "email": "otto@example.com", "full_name": "Otto", "role": "owner"}
	found := f.reviewed(`rule "two owners" {
  role     = "owner"
  at_least = 2
}`, replaced(resourceChange("zulip_user", otto, attributes{"email": "otto@example.com", "full_name": "Otto", "role": "owner"}, "id")))
	expectRule(t, found, "two owners", false)
	if len(found.People) != 1 || found.People[0].Action != report.Replace || found.People[0].Role.Differs() {
		t.Errorf("the review says of Otto: %+v", found.People)
	}
}

// The bots of the account lose their access, because no resource reactivates them.
func TestReviewReplacedUser_BotsDeactivated(t *testing.T) {
	f := newFirm(t)
	bot := int64(f.WithAccount(t, "mel").Call(t, "POST", "/bots", map[string]string{"full_name": "Bell", "short_name": "bell", "bot_type": "1"})["user_id"].(float64))
	mel := func(id any) attributes {
		return attributes{"id": id, "email": "mel@example.com", "full_name": "Mel", "role": "member"}
	}
	found := f.reviewed(`rule "no bot posts" {
  channels   = "hall"
  permission = "send_message"
  never      = "user_id:`+fmt.Sprint(bot)+`"
}`, replaced(resourceChange("zulip_user", mel(f.mel), mel(nil), "id")))
	if rule := found.Rules[0]; rule.Before != report.RuleFails || rule.Status != report.RulePasses {
		t.Errorf("the rule is %s, and was %s: %q", rule.Status, rule.Before, rule.Lines())
	}
	if len(found.People) != 2 || found.People[1].AccountID != bot || found.People[1].Action != report.Deactivate {
		t.Errorf("the review says of Mel and the bot: %+v", found.People)
	}
}

func TestReviewReplacedGroup_MembersKept(t *testing.T) {
	f := newFirm(t)
	advisers := func(id any) attributes {
		return attributes{"id": id, "name": "advisers", "members": []string{"mel@example.com"}}
	}
	found := f.reviewed(`
rule "an adviser" {
  groups     = "advisers"
  permission = "member"
  at_least   = 1
}
rule "only Mel" {
  groups     = "advisers"
  permission = "member"
  only       = "user:mel@example.com"
}
`, replaced(resourceChange("zulip_user_group", advisers(f.advisers), advisers(nil), "id")))
	expectRule(t, found, "an adviser", false)
	expectRule(t, found, "only Mel", false)
}

// A reactivated account is in its earlier channels and groups, which the server doesn't show. It doesn't join default
// channels, and rules that no membership breaks pass.
func TestReviewReactivatedUser_EarlierMemberships_Unknown(t *testing.T) {
	f := newFirm(t)
	f.Call(t, "POST", "/default_streams", map[string]string{"stream_id": fmt.Sprint(f.hall)})
	f.Call(t, "DELETE", fmt.Sprint("/users/", f.mel), nil)
	found := f.reviewed(`
rule "two owners" {
  role     = "owner"
  at_least = 2
}
rule "no adviser owns" {
  role  = "owner"
  never = "group:advisers"
}
rule "joining" {
  joining = "invited"
}
rule "Mel does not read" {
  channels   = "board"
  permission = "read"
  never      = "user:mel@example.com"
}
rule "no adviser writes" {
  channels   = "hall"
  permission = "send_message"
  never      = "group:advisers"
}
rule "no guest posts" {
  channels   = "hall"
  permission = "send_message"
  never      = "role:guests"
}
rule "groups" {
  permission = "create_groups"
  only       = "role:members"
}
`, resourceChange("zulip_user", nil, attributes{"email": "mel@example.com", "full_name": "Mel", "adopt_deactivated": true}))
	for _, channel := range found.Channels {
		if len(channel.Joins.IDs()) > 0 {
			t.Errorf("#%s is joined by %v", channel.Name, channel.Joins.IDs())
		}
	}
	expectCondition(t, found, report.Unknown)
	if want := "mel@example.com is reactivated and returns to earlier channels and user groups, which the server doesn't show."; !slices.Contains(found.Unknown, want) {
		t.Errorf("unknown: %q", found.Unknown)
	}
	for _, rule := range found.Rules {
		want := report.RulePasses
		if rule.Name == "Mel does not read" || rule.Name == "no adviser writes" {
			want = report.RuleUnknown
		}
		if rule.Status != want {
			t.Errorf("%s: %s, want %s: %q", rule.Name, rule.Status, want, rule.Lines())
		}
	}
}

// The server subscribes a new account to every default channel.
func TestReviewNewUser_DefaultChannels_Joined(t *testing.T) {
	f := newFirm(t)
	f.Call(t, "POST", "/default_streams", map[string]string{"stream_id": fmt.Sprint(f.hall)})
	found := f.reviewed("",
		resourceChange("zulip_user", nil, attributes{"email": "new@example.com", "full_name": "Nia", "role": "member"}),
		resourceChange("zulip_channel", attributes{"id": f.lobby, "name": "lobby", "is_default": false}, attributes{"id": f.lobby, "name": "lobby", "is_default": true}))
	joined := map[string][]int64{}
	for _, channel := range found.Channels {
		joined[channel.Name] = channel.Joins.IDs()
	}
	for _, name := range []string{"hall", "lobby"} {
		if !slices.Equal(joined[name], []int64{found.People[0].AccountID}) {
			t.Errorf("#%s is joined by %v; want the new account %d", name, joined[name], found.People[0].AccountID)
		}
	}
}
