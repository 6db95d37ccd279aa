package channel_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// TestAccChannelAccessWarning: who reviews a plan reads in it who gains and who loses what.
func TestAccChannelAccessWarning(t *testing.T) {
	o := acctest.Start(t)
	w := acctest.NewWorkspace(t)
	name := o.Prefix + "ops"
	config := func(privacy string) string {
		return fmt.Sprintf(`
resource "zulip_channel" "c" {
  name                         = %q
  privacy                      = %q
  initial_subscribers          = [%q]
  can_administer_channel_group = ["role:owners"]
}
`, name, privacy, o.Self.Address())
	}
	w.Configure(t, config("private_shared_history"))
	w.Must(t, "apply", "-auto-approve")
	t.Cleanup(func() { w.Must(t, "destroy", "-auto-approve") })

	warning := fmt.Sprintf("Who can do what in channel %q changes", name)
	if printed := w.Must(t, "plan"); strings.Contains(printed, warning) {
		t.Errorf("of no change it says:\n%s", printed)
	}
	w.Configure(t, config("private_protected_history"))
	if printed := w.Must(t, "plan"); strings.Contains(printed, warning) {
		t.Errorf("of a change that takes nothing from anybody in it, it says:\n%s", printed)
	}
	w.Configure(t, config("public"))
	if printed := w.Must(t, "plan"); !strings.Contains(printed, warning) || !strings.Contains(printed, "Can now read") {
		t.Errorf("it does not say who gains:\n%s", printed)
	}
}
