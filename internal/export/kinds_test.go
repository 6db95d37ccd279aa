package export_test

import (
	"slices"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/export"
)

// notExported are the resources that an export does not write.
var notExported = []string{
	"zulip_channel_subscription", "zulip_user_group_membership", // written as the exclusive list
	"zulip_channel_subscription_settings", "zulip_draft", "zulip_message", "zulip_reaction", "zulip_scheduled_message", "zulip_user_status", // personal
}

// Every resource is written by an export, or is one of the exceptions.
func TestKinds_EveryResource_Included(t *testing.T) {
	exported := export.ResourceNames()
	for _, resource := range acctest.StartProcess(t.Context(), t).Resources() {
		isExported, isException := slices.Contains(exported, resource[len("zulip_"):]), slices.Contains(notExported, resource)
		if isExported == isException {
			t.Errorf("%s: exported %t, in notExported %t: add it in kinds.go, or to the exceptions in kinds_test.go", resource, isExported, isException)
		}
	}
}
