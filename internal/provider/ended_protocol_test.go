package provider_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// Someone archives or deactivates the object of a resource in the web app. The plan warns, so that the rest of it can be
// seen, and says how to accept that. The apply stops at the resource, and sends nothing.
func TestProtocolEnded_OutsideTerraform_PlanWarns(t *testing.T) {
	for resource, test := range map[string]struct {
		config acctest.Values
		end    func(o *acctest.Organization, id any)
		at     string
		adopt  string
	}{
		"zulip_channel": {acctest.Values{"name": "news"}, func(o *acctest.Organization, id any) { o.Call(t, http.MethodDelete, fmt.Sprint("/streams/", id), nil) }, "name", "adopt_archived"},
		"zulip_channel_folder": {acctest.Values{"name": "News"}, func(o *acctest.Organization, id any) {
			o.Call(t, http.MethodPatch, fmt.Sprint("/channel_folders/", id), map[string]string{"is_archived": "true"})
		}, "", ""},
		"zulip_user_group": {acctest.Values{"name": "press"}, func(o *acctest.Organization, id any) {
			o.Call(t, http.MethodPost, fmt.Sprintf("/user_groups/%v/deactivate", id), nil)
		}, "name", "adopt_deactivated"},
		"zulip_bot": {acctest.Values{"short_name": "news", "full_name": "News", "owner": "tomas.berg@example.com"}, func(o *acctest.Organization, _ any) {
			owner, err := o.Client.UserByEmail(t.Context(), "tomas.berg@example.com")
			requireNoError(t, err)
			o.Call(t, http.MethodDelete, fmt.Sprint("/users/", owner.ID), nil)
		}, "short_name", ""},
	} {
		t.Run(resource, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			run := o.NewRun(t, resource)
			run.MustApply(test.config)
			test.end(o, run.State.Values["id"])
			plan, diags := run.Plan(test.config)
			diags.ExpectNoError(t)
			if test.at == "" { // an archived folder does not keep its name
				return
			}
			diags.ExpectWarning(t, test.at, "so the apply will fail", "To accept it, remove this resource from the configuration")
			sent := o.Sent()
			if errors := run.Apply(plan).Errors(); len(errors) == 0 {
				t.Error("it is applied")
			}
			sent.Expect(t)
			if test.adopt != "" {
				adopted := acctest.Values{test.adopt: true}
				for name, value := range test.config {
					adopted[name] = value
				}
				run.MustApply(adopted)
			}
		})
	}
}
