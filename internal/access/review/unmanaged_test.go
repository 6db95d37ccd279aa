package review_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// becomesManaged is the change of the channel "general" in which an attribute that was not managed gets a value.
func becomesManaged(t *testing.T, o *acctest.Organization, attribute string, value any) attributes {
	t.Helper()
	id := general(t, o)
	return resourceChange("zulip_channel", attributes{"id": id, "name": "general", attribute: nil}, attributes{"id": id, "name": "general", attribute: value})
}

// What was not managed is null before the change: it is reviewed with the value that the organization has.
func TestReviewOfWhatBecomesManaged(t *testing.T) {
	member := func(o *acctest.Organization) int64 {
		credentials, _ := o.Sandbox.Credentials("member")
		return int64(credentials.ID)
	}

	t.Run("a permission widens", func(t *testing.T) {
		o := acctest.StartSandbox(t, sandbox.Config{})
		o.Change(t, "general", zulip.ChannelUpdate{Permissions: map[string]zulip.GroupSettingChange{"can_send_message_group": {New: zulip.NamedGroup(o.SystemGroup(t, "role:moderators"))}}})
		found := reviewOf(t, o, planOf(t, becomesManaged(t, o, "can_send_message_group", []string{"role:members"})))
		if effectOn(found, "general", permission.CanSendMessage, member(o)) != 1 {
			t.Errorf("a member is not said to gain the right to post:\n%s", markdownOf(t, found))
		}
	})
	t.Run("a permission narrows", func(t *testing.T) {
		o := acctest.StartSandbox(t, sandbox.Config{})
		found := reviewOf(t, o, planOf(t, becomesManaged(t, o, "can_send_message_group", []string{"role:moderators"})))
		if effectOn(found, "general", permission.CanSendMessage, member(o)) != -1 {
			t.Errorf("a member is not said to lose the right to post:\n%s", markdownOf(t, found))
		}
	})
	t.Run("the organization has it already", func(t *testing.T) {
		o := acctest.StartSandbox(t, sandbox.Config{})
		o.Change(t, "general", zulip.ChannelUpdate{Permissions: map[string]zulip.GroupSettingChange{"can_send_message_group": {New: zulip.NamedGroup(o.SystemGroup(t, "role:moderators"))}}})
		found := reviewOf(t, o, planOf(t, becomesManaged(t, o, "can_send_message_group", []string{"role:moderators"})))
		if effectOn(found, "general", permission.CanSendMessage, member(o)) != 0 || len(found.Risks) > 0 {
			t.Errorf("somebody is said to gain or lose something:\n%s", markdownOf(t, found))
		}
	})
	t.Run("privacy", func(t *testing.T) {
		o := acctest.StartSandbox(t, sandbox.Config{})
		found := reviewOf(t, o, planOf(t, becomesManaged(t, o, "privacy", "private_shared_history")))
		if effectOn(found, "general", permission.CanSubscribe, member(o)) == 1 || len(found.Channels) != 1 {
			t.Errorf("it is not reviewed as a channel that was public:\n%s", markdownOf(t, found))
		}
	})
	for name, test := range map[string]struct {
		has, planned, says string
	}{
		"messages are kept for a shorter time": {"30", "7", "Its messages are deleted after 7 days; before: 30 days."},
		"messages are kept for a longer time":  {"7", "30", ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			days := int64(30)
			if test.has == "7" {
				days = 7
			}
			o.Change(t, "general", zulip.ChannelUpdate{MessageRetentionDays: &zulip.Retention{Days: days}})
			text := markdownOf(t, reviewOf(t, o, planOf(t, becomesManaged(t, o, "message_retention_days", test.planned))))
			if strings.Contains(text, "Its messages are deleted") != (test.says != "") || !strings.Contains(text, test.says) {
				t.Errorf("it should say %q:\n%s", test.says, text)
			}
		})
	}
}

// What is null before and after the change stays as it is.
func TestReviewOfWhatStaysUnmanaged(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	id, group := general(t, o), groupID(t, o, "sre")
	channel := func(description string) attributes {
		return attributes{"id": id, "name": "general", "description": description, "topics_policy": nil, "message_retention_days": nil, "is_default": nil, "folder_id": nil, "can_send_message_group": nil}
	}
	userGroup := func(name string) attributes {
		return attributes{"id": group, "name": name, "description": nil, "can_mention_group": nil}
	}
	for what, test := range map[string]struct {
		change attributes
		says   []string
	}{
		"channel":    {resourceChange("zulip_channel", channel("before"), channel("after")), []string{"description"}},
		"user group": {resourceChange("zulip_user_group", userGroup("sre"), userGroup("renamed")), nil},
	} {
		t.Run(what, func(t *testing.T) {
			found := reviewOf(t, o, planOf(t, test.change))
			var names []string
			for _, also := range found.Also {
				for _, attribute := range also.Attributes {
					names = append(names, attribute.Name)
				}
			}
			if !slices.Equal(names, test.says) || len(found.Unknown)+len(found.Risks) > 0 {
				t.Errorf("it is said of %v:\n%s", names, markdownOf(t, found))
			}
		})
	}
}
