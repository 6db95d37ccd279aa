package review_test

import (
	"encoding/json"
	"fmt"
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
	expectRule(t, found, "two owners", true)
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
		resourceChange("zulip_user_group_membership", nil, attributes{"group": "directors", "members": []string{"gus@example.com"}}),
	} {
		found := f.reviewed(`rule "the board" {
  channels   = "board"
  permission = "read"
  never      = ["user:gus@example.com", "user:mel@example.com"]
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
