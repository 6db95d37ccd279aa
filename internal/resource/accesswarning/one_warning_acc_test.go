package accesswarning_test

import (
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// A plan of thirty channels ends in one warning of who can do what, and counts the others.
func TestAccSandboxThirtyChannelsAreOneWarning(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	config := func(role string) string {
		return `resource "zulip_channel" "many" {
  count                  = 30
  name                   = "many-${count.index}"
  can_send_message_group = ["role:` + role + `"]
}
`
	}
	w.Configure(t, config("everyone"))
	w.Must(t, "apply", "-auto-approve")
	w.Configure(t, config("moderators"))
	printed := w.Must(t, "plan")
	if n := strings.Count(printed, "Warning: This plan changes who can do what"); n != 1 || !strings.Contains(printed, "and 29 more similar warnings elsewhere") {
		t.Errorf("it warns %d times:\n%s", n, printed[max(0, len(printed)-2000):])
	}
}
