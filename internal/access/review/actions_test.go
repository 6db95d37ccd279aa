package review_test

import (
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/review"
)

// Terraform 1.14.9 made this plan. It lists the actions that an apply invokes in addition to the changes of resources:
// actions of the root module and of the module m.
func TestReviewActions_Invoked_Shown(t *testing.T) {
	f := newFirm(t)
	found := mustReview(t, readFile(t, "actions.plan.json"), review.Options{Store: readOf(f.Organization)})
	expectCondition(t, found, report.Outgoing)
	text := strings.ReplaceAll(markdownOf(t, found), "`", "")
	expectText(t, text, "action.zulip_export.all. It exports the organization's data. Type of export: standard.",
		"module.m.action.zulip_export.all[0]. It exports the organization's data. Type of export: public.",
		"action.zulip_set_user_settings.members, action.zulip_set_user_settings.new. Notification emails contain the text of messages.",
		"action.zulip_send_message.hello is invoked", `module.m.action.zulip_set_user_settings.each["a"]`)
	if strings.Contains(text, "Hello") {
		t.Error("the review shows a sensitive value")
	}
	if found.Others != 1 || len(found.Unknown) > 0 {
		t.Errorf("%d changes of other providers, want 1; not known: %q", found.Others, found.Unknown)
	}
}

// Terraform 1.14 does not tell which provider configuration the action of a module inherits.
func TestReviewActions_SeveralProviderConfigurations_Unknown(t *testing.T) {
	const one = `"provider_config":{`
	text := strings.Replace(readFile(t, "actions.plan.json"), one, one+`"zulip.staging":{"name":"zulip","full_name":"registry.example.com/zulip-iac/zulip","alias":"staging"},`, 1)
	parsed, err := plan.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	found, err := review.New(t.Context(), parsed, review.Options{Provider: "zulip"})
	if err != nil {
		t.Fatal(err)
	}
	expectCondition(t, found, report.Unknown)
	expectText(t, strings.Join(found.Unknown, "\n"), "The plan doesn't show the provider configuration of module.m.action.zulip_export.all[0], so it isn't reviewed.")
}
