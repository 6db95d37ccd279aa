package review_test

import (
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/review"
)

// Terraform 1.14 lists the actions that an apply invokes beside the changes of resources.
func TestReviewActions_Invoked_Shown(t *testing.T) {
	const plan = `{"format_version":"1.2","complete":true,"planned_values":{},"resource_changes":[],"action_invocations":[
		{"address":"action.zulip_export.all","type":"zulip_export","name":"all","provider_name":"registry.terraform.io/zulip-iac/zulip","config_values":{"export_type":"standard","link_file":"link.txt"},
			"lifecycle_action_trigger":{"triggering_resource_address":"zulip_channel.x"}},
		{"address":"action.zulip_set_user_settings.all","type":"zulip_set_user_settings","provider_name":"registry.terraform.io/zulip-iac/zulip",
			"config_values":{"message_content_in_email_notifications":true},"config_unknown":{"users":true}},
		{"address":"action.zulip_send_message.hello","type":"zulip_send_message","provider_name":"registry.terraform.io/zulip-iac/zulip","config_values":{"content":"Hello"},"config_sensitive":{"content":true}},
		{"address":"action.other_thing.x","type":"other_thing","provider_name":"registry.terraform.io/hashicorp/other","config_values":{}}]}`
	f := newFirm(t)
	found := mustReview(t, plan, review.Options{Store: readOf(f.Organization)})
	expectCategory(t, found, report.Outgoing)
	text := strings.ReplaceAll(markdownOf(t, found), "`", "")
	expectText(t, text, "action.zulip_export.all. It exports the data of the organization. The kind of the export: standard.",
		"action.zulip_set_user_settings.all. People get what messages say by e-mail.", "action.zulip_send_message.hello")
	if strings.Contains(text, "Hello") {
		t.Error("the review shows a sensitive value")
	}
	if found.Others != 1 {
		t.Errorf("%d changes of other providers; want 1", found.Others)
	}
}
