package review_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
)

// The first sentence says what people can now read. It counts the risks separately.
func TestReviewHeadline_ReadableChannels_First(t *testing.T) {
	board := func(f *firm, name, privacy string) attributes {
		return attributes{"id": f.board, "name": name, "privacy": privacy, "can_subscribe_group": []string{"group:directors"}}
	}
	for name, test := range map[string]struct {
		change    func(f *firm) attributes
		headline  string
		condition report.Condition
		risk      string
	}{
		"to the internet": {
			func(f *firm) attributes {
				return resourceChange("zulip_channel", attributes{"id": f.hall, "name": "hall", "privacy": "public"}, attributes{"id": f.hall, "name": "hall", "privacy": "web_public"})
			},
			"#hall becomes readable by anyone on the internet. 1 account gains access; ", report.External, `channel "hall". Anyone on the internet can read it without an account.`,
		},
		"opened and renamed": {
			func(f *firm) attributes {
				return resourceChange("zulip_channel", board(f, "board", "private_shared_history"), board(f, "lounge", "public"))
			},
			"#lounge (was #board) becomes readable by everyone in the organization. ", report.Private,
			`channel "lounge" (was "board"). It is no longer private: everyone in the organization, also people who join later, can read it and its older messages.`,
		},
		"to a group": {
			func(f *firm) attributes {
				after := board(f, "board", "private_shared_history")
				after["can_subscribe_group"] = []string{"group:directors", "group:advisers"}
				return resourceChange("zulip_channel", board(f, "board", "private_shared_history"), after)
			},
			"1 account can now read the private channel #board. 1 account gains access; 1 risk.", report.Private, `channel "board". 1 account can now read it: Mel.`,
		},
		"subscribed": {
			func(f *firm) attributes {
				return resourceChange("zulip_channel_subscription", nil, attributes{"channel_id": f.board, "channel": "board", "users": []string{"mel@example.com"}})
			},
			"1 account can now read the private channel #board. ", report.Private, `channel "board". 1 account can now read it: Mel.`,
		},
		"nothing": {
			func(f *firm) attributes {
				return resourceChange("zulip_channel", attributes{"id": f.hall, "name": "hall", "description": "a"}, attributes{"id": f.hall, "name": "hall", "description": "b"})
			},
			"No one gains or loses access, and 1 other change.", "", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFirm(t)
			found := f.reviewed("", test.change(f))
			if !strings.HasPrefix(found.Summary.Text, test.headline) {
				t.Errorf("the headline is %q; want %q", found.Summary.Text, test.headline)
			}
			if test.condition == "" {
				return
			}
			expectCondition(t, found, test.condition)
			if !slices.ContainsFunc(found.Risks, func(risk report.Risk) bool {
				return risk.Condition == test.condition && risk.Where+". "+risk.Text == test.risk
			}) {
				t.Errorf("the risks are %v; want %q", found.Risks, test.risk)
			}
		})
	}
}

// A group that can now read several private channels is one risk.
func TestReviewPrivate_SeveralChannels_OneFinding(t *testing.T) {
	f := newFirm(t)
	for i := range 4 {
		f.channel(fmt.Sprintf("case-%d", i), map[string]string{"invite_only": "true", "history_public_to_subscribers": "true", "can_subscribe_group": fmt.Sprint(f.directors)})
	}
	found := f.reviewed("", resourceChange("zulip_user_group", attributes{"id": f.directors, "name": "directors", "members": []string{"ada@example.com"}},
		attributes{"id": f.directors, "name": "directors", "members": []string{"ada@example.com", "mel@example.com"}}))
	if !strings.HasPrefix(found.Summary.Text, "1 account can now read 5 private channels. ") {
		t.Errorf("the headline is %q", found.Summary.Text)
	}
	if len(found.Findings()) != 1 || len(found.Findings()[0].Where) != 5 || found.Findings()[0].Text != "1 account can now read it: Mel." {
		t.Errorf("the findings are %+v", found.Findings())
	}
}

// A new private channel gives no one access to existing content.
func TestReviewPrivate_NewChannel_NoRisk(t *testing.T) {
	f := newFirm(t)
	found := f.reviewed("", resourceChange("zulip_channel", nil, attributes{"name": "new", "privacy": "private_shared_history", "initial_subscribers": []string{"mel@example.com"}}, "id"))
	if slices.Contains(found.Summary.Conditions, report.Private) {
		t.Errorf("the review says %v: %s", found.Summary.Conditions, found.Summary.Text)
	}
}

// Someone who can now subscribe to a private channel on their own is a risk, although the history is protected. Subscribers
// already read the channel.
func TestReviewPrivate_CanJoin_Risk(t *testing.T) {
	const mel = "1 account can now join it on their own: Mel."
	for name, test := range map[string]struct {
		attribute string
		holders   []string
		subscribe string
		risks     []string
	}{
		"join":                {"can_subscribe_group", []string{"group:advisers"}, "", []string{mel}},
		"add":                 {"can_add_subscribers_group", []string{"group:advisers"}, "", []string{mel}},
		"subscriber":          {"can_subscribe_group", []string{"user:otto@example.com"}, "", nil},
		"now subscribed":      {"can_subscribe_group", []string{"group:advisers"}, "mel@example.com", []string{"1 account can now read it: Mel."}},
		"other subscribed":    {"can_subscribe_group", []string{"group:advisers"}, "gus@example.com", []string{"1 account can now read it: Gus.", mel}},
		"guest":               {"can_subscribe_group", []string{"user:gus@example.com"}, "", nil},
		"administer the same": {"can_administer_channel_group", []string{"group:advisers"}, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFirm(t)
			vault := f.channel("vault", map[string]string{
				"invite_only": "true", "history_public_to_subscribers": "false", "subscribers": fmt.Sprintf("[%d,%d]", f.olga, f.otto),
			})
			before, after := attributes{"id": vault, "name": "vault"}, attributes{"id": vault, "name": "vault", test.attribute: test.holders}
			before[test.attribute] = []string{"role:nobody"}
			changes := []attributes{resourceChange("zulip_channel", before, after)}
			if test.subscribe != "" {
				changes = append(changes, resourceChange("zulip_channel_subscription", nil, attributes{"channel_id": vault, "channel": "vault", "users": []string{test.subscribe}}))
			}
			var risks []string
			found := f.reviewed("", changes...)
			for _, risk := range found.Risks {
				if risk.Condition == report.Private {
					risks = append(risks, risk.Text)
				}
			}
			if !slices.Equal(risks, test.risks) || slices.Contains(found.Summary.Conditions, report.Private) != (len(risks) > 0) {
				t.Errorf("the risks are %q of %v; want %q", risks, found.Summary.Conditions, test.risks)
			}
		})
	}
}

// A group that can now join several private channels is one risk.
func TestReviewPrivate_CanJoinSeveral_OneFinding(t *testing.T) {
	f := newFirm(t)
	for i := range 2 {
		f.channel(fmt.Sprintf("case-%d", i), map[string]string{"invite_only": "true", "history_public_to_subscribers": "false", "can_subscribe_group": fmt.Sprint(f.advisers), "subscribers": fmt.Sprintf("[%d,%d]", f.olga, []int64{f.otto, f.ada}[i])})
	}
	found := f.reviewed("", resourceChange("zulip_user_group", attributes{"id": f.advisers, "name": "advisers", "members": []string{"mel@example.com"}},
		attributes{"id": f.advisers, "name": "advisers", "members": []string{"ada@example.com", "mel@example.com", "otto@example.com"}}))
	if findings := found.Findings(); len(findings) != 1 || len(findings[0].Where) != 2 || findings[0].Text != "1 account in each can now join it on their own." {
		t.Errorf("the findings are %+v", findings)
	}
}
