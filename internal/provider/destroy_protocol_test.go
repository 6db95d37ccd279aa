package provider_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// terraform destroy begins with a plan of the whole configuration. What somebody else has archived or deactivated is
// planned again there, and must not end the destroy: only an apply refuses it.
func TestProtocolDestroyOfWhatIsGone(t *testing.T) {
	for resource, test := range map[string]struct {
		config     values
		at         string
		method     string
		path       string
		says, hint string
	}{
		"zulip_channel": {values{"name": "gone"}, "name", http.MethodDelete, "/streams/%v", "An archived channel", "adopt_archived"},
		"zulip_user_group": {
			values{"name": "gone"}, "name", http.MethodPost, "/user_groups/%v/deactivate", "A deactivated user group", "adopt_deactivated",
		},
		"zulip_user": {
			values{"email": "gone@example.com", "full_name": "Gone"}, "email", http.MethodDelete, "/users/%v", "deactivated account", "adopt_deactivated",
		},
		"zulip_bot": {
			values{"short_name": "gone", "full_name": "Gone", "bot_type": "generic"}, "short_name", http.MethodDelete, "/bots/%v", "deactivated bot", "adopt_deactivated",
		},
	} {
		t.Run(resource, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			run := o.NewRun(t, resource)
			run.MustApply(test.config)
			o.Call(t, test.method, fmt.Sprintf(test.path, run.State.Values["id"]), nil)
			plan, diags := run.Plan(test.config)
			diags.ExpectNoError(t)
			diags.ExpectWarning(t, test.at, test.says, test.hint, "terraform destroy")
			sent := o.Sent()
			run.Apply(plan).ExpectError(t, test.at, test.says, test.hint)
			sent.Expect(t)
			if run.State != nil {
				t.Error("it is still in the state")
			}
		})
	}
}
