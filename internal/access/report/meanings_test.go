package report_test

import (
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/meaning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
)

// ends are what becomes of each type of resource, by what its Delete does.
var ends = map[string]report.Action{
	"zulip_bot": report.Deactivate, "zulip_user": report.Deactivate, "zulip_user_group": report.Deactivate, "zulip_custom_emoji": report.Deactivate,
	"zulip_channel": report.Archive, "zulip_channel_folder": report.Archive,

	"zulip_code_playground": report.Delete, "zulip_custom_profile_field": report.Delete, "zulip_default_channel_group": report.Delete,
	"zulip_domain": report.Delete, "zulip_draft": report.Delete, "zulip_invitation": report.Delete, "zulip_invite_link": report.Delete, "zulip_linkifier": report.Delete,
	"zulip_message": report.Delete, "zulip_organization_image": report.Delete, "zulip_reaction": report.Delete, "zulip_scheduled_message": report.Delete,
	// Whom they have put somewhere, they take out, and a status is cleared.
	"zulip_channel_subscription": report.Delete, "zulip_user_group_membership": report.Delete, "zulip_user_status": report.Delete,

	"zulip_organization": report.Release, "zulip_default_user_settings": report.Release, "zulip_channel_subscription_settings": report.Release,
	"zulip_channel_folder_order": report.Release, "zulip_custom_profile_field_order": report.Release, "zulip_linkifier_order": report.Release,
	"zulip_channel_subscribers": report.Release, "zulip_user_role": report.Release, "zulip_role_members": report.Release,
}

// Of each resource it is decided what becomes of it; of one that is not known it is not said that nothing does.
func TestEveryResourceHasAnEnd(t *testing.T) {
	resources := 0
	for _, kind := range meaning.Types() { // all of the provider, and its actions
		if of, _ := meaning.Of(kind); of.Called == "action" {
			continue
		}
		resources++
		want, decided := ends[kind]
		if !decided {
			t.Errorf("it is not decided what becomes of a %s that is destroyed", kind)
		} else if got := report.EndOf(kind); got != want {
			t.Errorf("%s: %s, want %s", kind, got.Adjective(), want.Adjective())
		}
	}
	if len(ends) != resources {
		t.Errorf("there are %d resources, and the ends of %d", resources, len(ends))
	}
	if got := report.EndOf("zulip_of_another_version"); got != report.Delete {
		t.Errorf("an unknown resource: %s", got.Adjective())
	}
}
