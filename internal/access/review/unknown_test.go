package review_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/review"
)

// timestamp() and uuid() are unknown during plan, and refer to nothing.
func TestReviewUnknown_OfFunction_RulesUnknown(t *testing.T) {
	f := newFirm(t)
	text, err := json.Marshal(attributes{"format_version": "1.2", "complete": true, "planned_values": attributes{}, "resource_changes": []attributes{
		{"address": "zulip_user.x", "mode": "managed", "type": "zulip_user", "provider_name": "a/b/zulip", "change": attributes{
			"actions": []string{"update"}, "before": attributes{"id": f.mel, "email": "mel@example.com", "full_name": "Mel", "role": "member"},
			"after": attributes{"id": f.mel, "email": "mel@example.com", "full_name": "Mel"}, "after_unknown": attributes{"role": true},
		}},
		{"address": "zulip_channel.x", "mode": "managed", "type": "zulip_channel", "provider_name": "a/b/zulip", "change": attributes{
			"actions": []string{"update"}, "before": attributes{"id": f.board, "name": "board", "can_subscribe_group": []string{"group:directors"}},
			"after": attributes{"id": f.board, "name": "board"}, "after_unknown": attributes{"can_subscribe_group": true},
		}},
	}, "configuration": attributes{"root_module": attributes{"resources": []attributes{
		// role = timecmp(timestamp(), var.until) < 0 ? "owner" : "member"
		{"address": "zulip_user.x", "provider_config_key": "zulip", "expressions": attributes{"role": attributes{"references": []string{"var.until"}}}},
		// can_subscribe_group = timecmp(timestamp(), "2027-01-01T00:00:00Z") < 0 ? ["role:members"] : ["role:nobody"]
		{"address": "zulip_channel.x", "provider_config_key": "zulip", "expressions": attributes{"can_subscribe_group": attributes{}}},
	}}}})
	if err != nil {
		t.Fatal(err)
	}
	found := mustReview(t, string(text), review.Options{Store: readOf(f.Organization), Rules: rulesOf(t, firmRules)})
	expectCondition(t, found, report.Unknown)
	expectRule(t, found, "board stays closed", true)
	expectRule(t, found, "two owners", false)
}

// An unknown value breaks only the rules that one of its possible values breaks.
func TestReviewUnknown_OneObject_OtherRulesPass(t *testing.T) {
	f := newFirm(t)
	for name, test := range map[string]struct {
		change  attributes
		unknown []string // the rules
	}{
		"role of a member": {
			resourceChange("zulip_user_role", nil, attributes{"user_id": f.mel, "user": "mel@example.com"}, "role"), []string{},
		},
		"role of an owner": {resourceChange("zulip_user_role", nil, attributes{"user_id": f.otto, "user": "otto@example.com"}, "role"), []string{"two owners"}},
		"someone's role":   {resourceChange("zulip_user_role", nil, attributes{"role": "moderator"}, "user", "user_id"), []string{"two owners"}},
		"users of a role": {
			resourceChange("zulip_role_members", nil, attributes{"role": "owner"}, "users"),
			[]string{},
		},
		"owner of a bot":      {resourceChange("zulip_bot", nil, attributes{"short_name": "a", "full_name": "A"}, "owner"), []string{}},
		"email of an account": {resourceChange("zulip_user", nil, attributes{"full_name": "A", "role": "member"}, "email"), []string{}},
		"subscribed channel":  {resourceChange("zulip_channel_subscription", nil, attributes{"users": []string{"mel@example.com"}}, "channel"), []string{"board stays closed", "no adviser reads the board"}},
		"members of advisers": {resourceChange("zulip_user_group", attributes{"id": f.advisers, "name": "advisers"}, attributes{"id": f.advisers, "name": "advisers"}, "members"), []string{"no adviser reads the board", "nobody leaves"}},
		"members of some group": {
			resourceChange("zulip_user_group_membership", nil, attributes{"members": []string{"otto@example.com"}}, "group"), []string{},
		},
		"active and removed": {
			resourceChange("zulip_user", attributes{"id": f.ada, "email": "ada@example.com", "full_name": "Ada", "active": true}, attributes{"id": f.ada, "email": "ada@example.com", "full_name": "Ada"}, "active"),
			[]string{"nobody leaves"},
		},
		"active": {
			resourceChange("zulip_user", attributes{"id": f.otto, "email": "otto@example.com", "full_name": "Otto", "active": true}, attributes{"id": f.otto, "email": "otto@example.com", "full_name": "Otto"}, "active"),
			[]string{"two owners", "nobody leaves"},
		},
		"invite_required": {resourceChange("zulip_organization", attributes{}, attributes{}, "invite_required"), []string{"no open door"}},
	} {
		t.Run(name, func(t *testing.T) {
			found := f.reviewed(firmRules+"limit \"nobody leaves\" {\n  people = 0\n}\n", test.change)
			expectCondition(t, found, report.Unknown)
			for _, rule := range found.Rules {
				want := report.RulePasses
				if slices.Contains(test.unknown, rule.Name) {
					want = report.RuleUnknown
				}
				if rule.Status != want {
					t.Errorf("%s: %s, want %s: %q", rule.Name, rule.Status, want, rule.Lines())
				}
			}
		})
	}
}

// A new bot is known by its name, although it has no ID yet.
func TestReviewNewBot_NamedByPermission_Known(t *testing.T) {
	f := newFirm(t)
	bot := resourceChange("zulip_bot", nil, attributes{"short_name": "pager", "full_name": "Pager"}, "id", "email")
	posts := resourceChange("zulip_channel", attributes{"id": f.hall, "name": "hall", "can_send_message_group": []string{"role:everyone"}},
		attributes{"id": f.hall, "name": "hall", "can_send_message_group": []any{nil}})
	posts["change"].(attributes)["after_unknown"] = attributes{"can_send_message_group": []bool{true}}
	const configuration = `"configuration":{"root_module":{"resources":[{"address":"zulip_bot.x","provider_config_key":"zulip","expressions":{}},
		{"address":"zulip_channel.x","provider_config_key":"zulip","expressions":{"can_send_message_group":{"references":["zulip_bot.x.email","zulip_bot.x"]}}}]}},"format_version"`
	found := reviewOf(t, f.Organization, strings.Replace(planOf(t, bot, posts), `"format_version"`, configuration, 1))
	if len(found.Unknown) > 0 {
		t.Errorf("unknown: %q", found.Unknown)
	}
	expectText(t, markdownOf(t, found), "post: `role:everyone` → `user:pager-bot@zulip.example.com` | `Pager` (new bot) |")
}

// A rule failed before, and other violations are unknown.
func TestReviewUnknown_RuleFailingBefore_Unknown(t *testing.T) {
	f := newFirm(t)
	found := f.reviewed(`rule "only Olga" {
  channels   = "board"
  permission = "read"
  only       = "user:olga@example.com"
}`, resourceChange("zulip_channel", attributes{"id": f.board, "name": "board", "can_subscribe_group": []string{"group:directors"}},
		attributes{"id": f.board, "name": "board"}, "can_subscribe_group"))
	expectRule(t, found, "only Olga", true)
	rule := found.Rules[0]
	if rule.Status != report.RuleUnknown || rule.Before != report.RuleFails || len(rule.Violations) != 1 || len(rule.Unknowns) != 1 {
		t.Errorf("the review says %+v", rule)
	}
	text, err := json.Marshal(rule)
	if err != nil {
		t.Fatal(err)
	}
	expectText(t, string(text), `"status":"unknown"`, `"before":"fails"`, `"violations":[`, `"unknowns":[`)
}

// Two groups exchange a name that the configuration writes as text. The order of the apply decides which group it means.
func TestReviewGroup_NameSwapped_Unknown(t *testing.T) {
	f := newFirm(t)
	one := resourceChange("zulip_user_group", attributes{"id": f.directors, "name": "directors"}, attributes{"id": f.directors, "name": "old"})
	other := resourceChange("zulip_user_group", attributes{"id": f.advisers, "name": "advisers"}, attributes{"id": f.advisers, "name": "directors"})
	other["address"] = "zulip_user_group.y"
	for _, change := range []attributes{
		resourceChange("zulip_channel", attributes{"id": f.board, "name": "board", "can_subscribe_group": []string{"role:nobody"}},
			attributes{"id": f.board, "name": "board", "can_subscribe_group": []string{"group:directors"}}),
		resourceChange("zulip_user_group_membership", nil, attributes{"group": "directors", "members": []string{"otto@example.com"}}),
	} {
		found := f.reviewed(`rule "the board" {
  channels   = "board"
  permission = "read"
  never      = ["user:otto@example.com", "user:mel@example.com"]
}`, one, other, change)
		expectCondition(t, found, report.Unknown)
		expectRule(t, found, "the board", true)
	}
	resource := func(address string, expressions attributes) attributes {
		return attributes{"address": address, "provider_config_key": "zulip", "expressions": expressions}
	}
	text, err := json.Marshal(attributes{"format_version": "1.2", "planned_values": attributes{}, "resource_changes": []attributes{one, other,
		resourceChange("zulip_channel", attributes{"id": f.board, "name": "board", "can_subscribe_group": []string{"role:nobody"}},
			attributes{"id": f.board, "name": "board", "can_subscribe_group": []string{"group:directors"}})},
		"configuration": attributes{"root_module": attributes{"resources": []attributes{
			resource("zulip_user_group.x", attributes{"name": attributes{}}), resource("zulip_user_group.y", attributes{"name": attributes{}}),
			resource("zulip_channel.x", attributes{"can_subscribe_group": attributes{"references": []string{"zulip_user_group.y.name", "zulip_user_group.y"}}}),
		}}}})
	if err != nil {
		t.Fatal(err)
	}
	if found := mustReview(t, string(text), review.Options{Store: readOf(f.Organization)}); len(found.Unknown) > 0 {
		t.Errorf("a reference to the group is certain: %q", found.Unknown)
	}
}

// A deactivated group has no members, so a rule that forbids it something is unknown.
func TestReviewRule_NeverDeactivatedGroup_Unknown(t *testing.T) {
	const rule = `rule "no adviser in the hall" {
  channels   = "hall"
  permission = "read"
  never      = "group:advisers"
}`
	f := newFirm(t)
	deactivated := resourceChange("zulip_user_group", attributes{"id": f.advisers, "name": "advisers"}, nil)
	expectRule(t, f.reviewed(rule, deactivated), "no adviser in the hall", true)
	f.Call(t, "POST", fmt.Sprintf("/user_groups/%d/deactivate", f.advisers), nil)
	found := f.reviewed(rule)
	expectRule(t, found, "no adviser in the hall", true)
	expectText(t, found.Rules[0].Lines()[1], `User group "advisers" is deactivated.`)
}

// invitee is an email that no account has.
const invitee = "new@example.com"

// listings are plans that add a guest and an email without an account. All but the membership remove Ada.
func (f *firm) listings() map[string]attributes { return f.lists("gus@example.com", invitee) }

// lists are plans after which a list has these users. All but the membership remove Ada.
func (f *firm) lists(after ...string) map[string]attributes {
	before := []string{"ada@example.com"}
	with := func(object attributes, attribute string, users []string) attributes {
		object = maps.Clone(object)
		object[attribute] = users
		return object
	}
	channel, group := attributes{"channel_id": f.board, "channel": "board"}, attributes{"id": f.directors, "name": "directors"}
	membership := attributes{"group_id": f.directors, "group": "directors"}
	return map[string]attributes{
		"subscribers": resourceChange("zulip_channel_subscribers", with(channel, "users", before), with(channel, "users", after)),
		"members":     resourceChange("zulip_user_group", with(group, "members", before), with(group, "members", after)),
		"membership":  resourceChange("zulip_user_group_membership", with(membership, "members", nil), with(membership, "members", after)),
		"role":        resourceChange("zulip_role_members", roleList("administrator", before...), roleList("administrator", after...)),
	}
}

// The apply ignores an email that no account has, so the others who join and leave are known.
func TestReviewAbsentEmail_Known(t *testing.T) {
	const rule = `rule "no guest" {
  channels   = "board"
  permission = "subscribed"
  never      = "user:gus@example.com"
}
rule "no guest directs" {
  groups     = "directors"
  permission = "member"
  never      = "user:gus@example.com"
}
rule "one administrator" {
  role = "administrator"
  only = "user:ada@example.com"
}`
	f := newFirm(t)
	for name, change := range f.listings() {
		t.Run(name, func(t *testing.T) {
			found := f.reviewed(rule, change)
			wantJoins, wantLeaves, wantRoles := []int64{f.id("gus")}, []int64{f.ada}, map[string]string{}
			switch name {
			case "membership":
				wantLeaves = []int64{}
			case "role":
				wantJoins, wantLeaves = []int64{}, []int64{}
				wantRoles = map[string]string{"gus@example.com": "guest → administrator", "ada@example.com": "administrator → member"}
				expectRule(t, found, "one administrator", true)
			}
			var joins, leaves *report.People
			isUnknown := false
			for _, channel := range found.Channels {
				if channel.Name == "board" && name == "subscribers" {
					joins, leaves = channel.Joins, channel.Leaves
					expectCondition(t, found, report.External)
					expectCondition(t, found, report.Private)
					expectRule(t, found, "no guest", true)
				}
			}
			for _, group := range found.Groups {
				if group.Name == "directors" && name != "role" {
					joins, leaves, isUnknown = group.Joins, group.Leaves, group.Unknown
					expectRule(t, found, "no guest directs", true)
				}
			}
			if roles := becomes(found); !slices.Equal(joins.IDs(), wantJoins) || !slices.Equal(leaves.IDs(), wantLeaves) || isUnknown || !maps.Equal(roles, wantRoles) {
				t.Errorf("%v join, %v leave, unknown %t, the roles are %v", joins.IDs(), leaves.IDs(), isUnknown, roles)
			}
			for _, risk := range found.Risks {
				if strings.Contains(risk.Text, invitee) {
					t.Error(risk.Text)
				}
			}
			for _, text := range found.Unknown {
				if strings.Contains(text, invitee) {
					t.Error(text)
				}
			}
			for _, rule := range found.Rules {
				if rule.Status == report.RuleUnknown {
					t.Errorf("the rule %q is unknown: %q", rule.Name, rule.Unknowns)
				}
			}
		})
	}
}

// An email that some account may have after the plan is unknown.
func TestReviewAbsentEmail_MaybeSomeones_Unknown(t *testing.T) {
	mel := attributes{"email": "mel@example.com", "full_name": "Mel", "role": "member"}
	renamed := func(f *firm, email any, unknown ...string) attributes {
		before, after := maps.Clone(mel), maps.Clone(mel)
		before["id"], after["id"], after["email"] = f.mel, f.mel, email
		return resourceChange("zulip_user", before, after, unknown...)
	}
	for name, others := range map[string]func(f *firm) []attributes{
		"hidden email": func(f *firm) []attributes {
			f.WithAccount(f.t, "mel").Call(f.t, "PATCH", "/settings", map[string]string{"email_address_visibility": "4"})
			return nil
		},
		"read by a guest": func(f *firm) []attributes {
			for _, account := range []string{"owner", "otto", "admin", "mel", "gus"} {
				f.WithAccount(f.t, account).Call(f.t, "PATCH", "/settings", map[string]string{"email_address_visibility": "1"})
			}
			f.WithAccount(f.t, "admin").Call(f.t, "POST", "/users/me/subscriptions", map[string]string{"subscriptions": `[{"name":"board"}]`, "principals": fmt.Sprintf("[%d]", f.id("gus"))})
			f.Organization = f.WithAccount(f.t, "gus")
			return nil
		},
		"created with unknown email": func(*firm) []attributes {
			return []attributes{resourceChange("zulip_user", nil, attributes{"full_name": "New", "role": "member"}, "id", "email")}
		},
		"renamed to unknown": func(f *firm) []attributes { return []attributes{renamed(f, nil, "email")} },
	} {
		t.Run(name, func(t *testing.T) {
			for kind, change := range newFirm(t).listings() {
				f := newFirm(t)
				found := f.reviewed("", append(others(f), change)...)
				expectCondition(t, found, report.Unknown)
				if !slices.ContainsFunc(found.Unknown, func(text string) bool { return strings.Contains(text, invitee) }) {
					t.Errorf("%s: the unknown facts are %q", kind, found.Unknown)
				}
			}
		})
	}
}

// A hidden email that a state has with the ID of its account is found, in whatever resource, so that the others are known too.
func TestReviewHiddenEmail_InState_Found(t *testing.T) {
	const hidden = "Gus@example.com"
	unchanged := func(kind string, values attributes) attributes { return resourceChange(kind, values, values) }
	for name, test := range map[string]struct {
		states func(f *firm) []attributes
		found  bool
	}{
		"user": {func(f *firm) []attributes {
			return []attributes{unchanged("zulip_user", attributes{"id": f.id("gus"), "email": hidden, "full_name": "Gus"})}
		}, true},
		"role": {func(f *firm) []attributes {
			return []attributes{unchanged("zulip_user_role", attributes{"user": "user:" + hidden, "user_id": f.id("gus"), "role": "guest"})}
		}, true},
		"list": {func(f *firm) []attributes {
			return []attributes{unchanged("zulip_channel_subscribers", attributes{"channel": "hall", "channel_id": f.hall, "users": []string{"mel@example.com", hidden}, "user_ids": []any{f.mel, f.id("gus")}})}
		}, true},
		"none": {func(*firm) []attributes { return nil }, false},
		"two accounts": {func(f *firm) []attributes {
			return []attributes{
				unchanged("zulip_user_role", attributes{"user": hidden, "user_id": f.id("gus"), "role": "guest"}),
				unchanged("zulip_bot", attributes{"id": 99, "owner": hidden, "owner_id": f.mel}),
			}
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			for kind := range newFirm(t).lists() {
				f := newFirm(t)
				f.WithAccount(t, "gus").Call(t, "PATCH", "/settings", map[string]string{"email_address_visibility": "4"})
				found := f.reviewed("", append(test.states(f), f.lists("gus@example.com")[kind])...)
				text := markdownOf(t, found)
				if isUnknown := slices.Contains(found.Summary.Conditions, report.Unknown); isUnknown == test.found {
					t.Errorf("%s: unknown %t:\n%s", kind, isUnknown, text)
				}
			}
		})
	}
}

// Someone who shows their email and is no longer listed loses the role, also if the list has an email that the review does not find.
func TestReviewHiddenEmail_OthersLeave_Said(t *testing.T) {
	f := newFirm(t)
	f.WithAccount(t, "gus").Call(t, "PATCH", "/settings", map[string]string{"email_address_visibility": "4"})
	found := f.reviewed("", resourceChange("zulip_role_members", roleList("administrator", "ada@example.com"), roleList("administrator", "gus@example.com")))
	if roles := becomes(found); roles["ada@example.com"] != "administrator → member" {
		t.Errorf("the roles are %v", roles)
	}
}

// An account that gets the email in the plan is certain, also if the plan deactivates it.
func TestReviewAbsentEmail_RenamedByPlan_Known(t *testing.T) {
	for _, active := range []bool{true, false} {
		for kind, change := range newFirm(t).listings() {
			f := newFirm(t)
			found := f.reviewed("", change, resourceChange("zulip_user", attributes{"id": f.mel, "email": "mel@example.com", "active": true},
				attributes{"id": f.mel, "email": strings.ToUpper(invitee), "active": active}))
			if slices.Contains(found.Summary.Conditions, report.Unknown) || len(found.Unknown) > 0 {
				t.Errorf("%s, active %t: the unknown facts are %q", kind, active, found.Unknown)
			}
		}
	}
}

// An account that the plan creates under the email is certain.
func TestReviewAbsentEmail_CreatedByPlan_Joins(t *testing.T) {
	f := newFirm(t)
	found := f.reviewed(`rule "few" {
  channels   = "board"
  permission = "subscribed"
  at_most    = 1
}`, f.listings()["subscribers"], resourceChange("zulip_user", nil, attributes{"email": invitee, "full_name": "New", "role": "member"}, "id"))
	expectRule(t, found, "few", true)
	if rule := found.Rules[0]; rule.Status != report.RuleFails {
		t.Errorf("the rule is %s", rule.Status)
	}
}
