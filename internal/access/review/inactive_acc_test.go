package review_test

import (
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// TestAccReviewOfInactiveUsers holds what a review says of a real plan that sets active = false against what it says of one that
// destroys the resource: the same, word for word. An account that is reactivated is one that comes back.
func TestAccReviewOfInactiveUsers(t *testing.T) {
	const noor, bot = `
resource "zulip_user" "noor" {
  email     = "noor@example.com"
  full_name = "Noor"
  role      = "moderator"
  ACTIVE
}
`, `
resource "zulip_channel" "x" {
  name                   = "releases"
  can_send_message_group = ["user:noor@example.com"]
  initial_subscribers    = ["noor@example.com", "lena.fischer@example.com"]
  depends_on             = [zulip_user.noor]
}
resource "zulip_bot" "alerts" {
  short_name = "alerts"
  full_name  = "Alerts"
  owner      = "noor@example.com"
  depends_on = [zulip_user.noor]
}
`
	o := acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	with := func(active string) string { return strings.Replace(noor, "ACTIVE", active, 1) }
	review := func(configuration string) *report.Report {
		t.Helper()
		w.Configure(t, configuration)
		w.Must(t, "plan", "-out=plan")
		return reviewOf(t, o, w.Show(t, "plan"))
	}
	w.Configure(t, with("")+bot)
	w.Must(t, "apply", "-auto-approve")
	free := strings.ReplaceAll(bot, "  depends_on             = [zulip_user.noor]\n", "")
	free = strings.ReplaceAll(free, "  depends_on = [zulip_user.noor]\n", "")

	destroyed, inactive := review(free), review(with("active = false")+bot)
	if got, want := indented(t, inactive), indented(t, destroyed); got != want {
		t.Errorf("active = false is\n%s\nand to destroy the resource\n%s", got, want)
	}
	if len(inactive.People) != 2 || !inactive.People[0].LosesEverything || len(inactive.Risks) == 0 {
		t.Errorf("the review says %s", indented(t, inactive))
	}
	w.Configure(t, with("active = false"))
	w.Must(t, "apply", "-auto-approve")
	back := review(with("active = true"))
	if len(back.People) != 1 || back.People[0].Action != report.Reactivate || len(back.Fails([]report.Category{report.RoleChange})) == 0 {
		t.Errorf("the review says %s", indented(t, back))
	}
	if nothing := review(with("active = false")); len(nothing.People)+len(nothing.Risks) > 0 {
		t.Errorf("the review says %s", indented(t, nothing))
	}
}
