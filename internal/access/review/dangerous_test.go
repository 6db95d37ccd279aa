package review_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
)

// Each of these changes fails a job that checks the conditions which the action has by default.
func TestReviewDangerousChanges_DefaultConditions_Fail(t *testing.T) {
	action, err := os.ReadFile("../../../.github/actions/review/action.yml")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)fail-on:\n.*\n    default: (.*)$`).FindStringSubmatch(string(action))
	if found == nil {
		t.Fatal("the action has no default conditions")
	}
	var conditions []report.Category
	for condition := range strings.SplitSeq(found[1], ",") {
		conditions = append(conditions, report.Category(condition))
	}
	board := func(f *firm, more attributes) attributes {
		all := attributes{"id": f.board, "name": "board", "privacy": "private_shared_history", "can_subscribe_group": []string{"group:directors"}}
		for name, value := range more {
			all[name] = value
		}
		return all
	}
	for name, change := range map[string]func(f *firm) attributes{
		"a new owner": func(f *firm) attributes {
			return resourceChange("zulip_user_role", nil, attributes{"user_id": f.mel, "user": "mel@example.com", "role": "owner"})
		},
		"a guest in a private channel": func(f *firm) attributes {
			return resourceChange("zulip_channel_subscription", nil, attributes{"channel_id": f.board, "channel": "board", "users": []string{"gus@example.com"}})
		},
		"a member in a private channel": func(f *firm) attributes {
			return resourceChange("zulip_channel_subscription", nil, attributes{"channel_id": f.board, "channel": "board", "users": []string{"mel@example.com"}})
		},
		"a private channel opened": func(f *firm) attributes {
			return resourceChange("zulip_channel", board(f, nil), board(f, attributes{"privacy": "public"}))
		},
		"everyone joins a private channel": func(f *firm) attributes {
			return resourceChange("zulip_channel", board(f, nil), board(f, attributes{"can_subscribe_group": []string{"role:members"}}))
		},
		"an archived channel": func(f *firm) attributes { return resourceChange("zulip_channel", board(f, nil), nil) },
		"a link for owners": func(*firm) attributes {
			return resourceChange("zulip_invite_link", nil, attributes{"invite_as": "owner"}, "id", "link_url")
		},
		"no invitation needed": func(*firm) attributes { return organizationSets("invite_required", true, false) },
		"another way to sign in": func(*firm) attributes {
			return organizationSets("authentication_methods", []string{"Email"}, []string{"Email", "GitHub"})
		},
		"messages sent elsewhere": func(*firm) attributes {
			return resourceChange("zulip_bot", nil, attributes{"short_name": "out", "full_name": "Out", "bot_type": "outgoing_webhook", "payload_url": "https://evil.example.com"})
		},
		"links that lead elsewhere": func(*firm) attributes {
			return resourceChange("zulip_linkifier", nil, attributes{"pattern": "#(?P<id>[0-9]+)", "url_template": "https://evil.example.com/{id}"})
		},
		"messages deleted earlier": func(f *firm) attributes {
			return resourceChange("zulip_channel", attributes{"id": f.hall, "name": "hall", "message_retention_days": "unlimited"}, attributes{"id": f.hall, "name": "hall", "message_retention_days": "1"})
		},
		"a key for a guest": func(*firm) attributes {
			return resourceChange("zulip_bot", nil, attributes{"short_name": "key", "full_name": "Key", "owner": "gus@example.com"})
		},
		"a role that is not known yet": func(f *firm) attributes {
			return resourceChange("zulip_user", attributes{"id": f.mel, "email": "mel@example.com", "full_name": "Mel", "role": "member"}, attributes{"id": f.mel, "email": "mel@example.com", "full_name": "Mel"}, "role")
		},
		"a name that is taken": func(*firm) attributes { return resourceChange("zulip_channel", nil, attributes{"name": "hall"}, "id") },
		"too few owners": func(f *firm) attributes {
			return resourceChange("zulip_user", attributes{"id": f.otto, "email": "otto@example.com", "full_name": "Otto", "active": true}, attributes{"id": f.otto, "email": "otto@example.com", "full_name": "Otto", "active": false})
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFirm(t)
			f.Call(t, "PATCH", "/realm", map[string]string{"invite_required": "true"})
			if found := f.reviewed(firmRules, change(f)); len(found.Fails(conditions)) == 0 {
				t.Errorf("the job passes: %s %v", found.Verdict.Text, found.Verdict.Categories)
			}
		})
	}
}
