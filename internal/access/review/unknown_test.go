package review_test

import (
	"encoding/json"
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
	expectCategory(t, found, report.Unknown)
	expectRule(t, found, "board stays closed", true)
	expectRule(t, found, "two owners", true)
}

// A rule failed before, and who else comes to violate it is unknown.
func TestReviewUnknown_RuleFailedBefore_RuleUnknown(t *testing.T) {
	f := newFirm(t)
	found := f.reviewed(`rule "only Olga" {
  channels = "board"
  right    = "read"
  only     = "user:olga@example.com"
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
