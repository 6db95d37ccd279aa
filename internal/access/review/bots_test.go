package review_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
)

// The owner of a bot has its key, and so can do everything that the bot can.
func TestReviewBot_GuestOwner_External(t *testing.T) {
	f := newFirm(t)
	found := f.reviewed("", resourceChange("zulip_bot", nil, attributes{"short_name": "key", "full_name": "Key", "owner": "gus@example.com"}))
	expectCondition(t, found, report.External)
	text := strings.ReplaceAll(markdownOf(t, found), "`", "")
	expectText(t, text, "A guest gets its API key: gus@example.com.", "gus@example.com can use its API key to", `in "hall"`, "in the organization, and has no other way to do that.", "new, role member, owner gus@example.com")
	if data, err := json.Marshal(found.People); err != nil || !strings.Contains(string(data), `"owner":`) {
		t.Errorf("the JSON says of the owner: %s %v", data, err)
	}
}

func TestReviewBot_WithoutOwner_ProviderOwned(t *testing.T) {
	f := newFirm(t)
	found := f.reviewed("", resourceChange("zulip_bot", nil, attributes{"short_name": "key", "full_name": "Key"}))
	if owner := found.People[0].Owner; owner == nil || owner.After.String() != "olga@example.com" {
		t.Errorf("the review says of the owner: %+v", owner)
	}
	for _, risk := range found.Risks {
		if strings.Contains(risk.Text, "key") {
			t.Errorf("an owner of the organization gains nothing by a key: %v", risk)
		}
	}
}

// One plan changes the role and the owner of a bot: the new owner holds the key of an administrator.
func TestReviewBot_TwoChanges_OneLine(t *testing.T) {
	f := newFirm(t)
	bot := int64(f.Call(t, "POST", "/bots", map[string]string{"short_name": "spy", "full_name": "Spy"})["user_id"].(float64))
	group := f.group("ops", f.olga)
	f.Call(t, "PATCH", fmt.Sprintf("/user_groups/%d", group), map[string]string{"can_manage_group": fmt.Sprintf(`{"new":%d}`, f.SystemGroup(t, "role:administrators"))})
	found := f.reviewed("", resourceChange("zulip_bot", attributes{"id": bot, "full_name": "Spy", "role": "member", "owner": "olga@example.com"},
		attributes{"id": bot, "full_name": "Spy", "role": "administrator", "owner": "mel@example.com"}))
	if len(found.People) != 1 || found.People[0].Role.After.String() != "administrator" || found.People[0].Owner.After.String() != "mel@example.com" {
		t.Errorf("the review says of the bot: %+v", found.People)
	}
	text := strings.ReplaceAll(markdownOf(t, found), "`", "")
	expectText(t, text, "It is an administrator, and mel@example.com gets its API key", "mel@example.com can use its API key to", "for the user groups", `"ops"`)
}

// A reactivated bot is in its earlier channels.
func TestReviewBot_Reactivated_RulesUnknown(t *testing.T) {
	f := newFirm(t)
	bot := int64(f.Call(t, "POST", "/bots", map[string]string{"short_name": "spy", "full_name": "Spy"})["user_id"].(float64))
	f.channel("vault", map[string]string{"invite_only": "true", "subscribers": fmt.Sprintf("[%d,%d]", f.olga, bot)})
	f.Call(t, "DELETE", fmt.Sprintf("/bots/%d", bot), nil)
	found := f.reviewed(`rule "people alone" {
  channels   = "vault"
  permission = "subscribed"
  only       = "user:olga@example.com"
}`, resourceChange("zulip_bot", nil, attributes{"short_name": "spy", "full_name": "Spy", "adopt_deactivated": true}))
	expectRule(t, found, "people alone", true)
}
