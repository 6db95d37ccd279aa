package userrole_test

import (
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// Who loses the resource that gave a role keeps the role: the plan says so, and what takes it away.
func TestAccSandboxUserRoleThatStays(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	const lena = "resource \"zulip_user_role\" \"lena\" {\n  user = \"lena.fischer@example.com\"\n  "
	w.Configure(t, lena+"role = \"administrator\"\n}\n")
	w.Must(t, "apply", "-auto-approve")
	const warning = "Warning: lena.fischer@example.com stays administrator"
	w.Configure(t, "")
	if printed := w.Must(t, "plan"); !strings.Contains(printed, warning) || !strings.Contains(printed, `on_destroy = "member"`) {
		t.Errorf("the plan says\n%s", printed)
	}
	w.Configure(t, lena+"role = \"administrator\"\n  on_destroy = \"member\"\n}\n")
	w.Must(t, "apply", "-auto-approve")
	w.Configure(t, "")
	if printed := w.Must(t, "plan"); strings.Contains(printed, warning) {
		t.Errorf("the role is taken away, and the plan says\n%s", printed)
	}
}
