package channels_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// One apply grants the permission to create a private channel, and creates it. Without the grant the plan only warns, and
// the apply fails.
func TestAccSandboxChannel_PermissionGrantedBySameApply(t *testing.T) {
	owner := acctest.StartSandbox(t, sandbox.Config{})
	owner.Call(t, "PATCH", "/realm", map[string]string{"can_create_private_channel_group": fmt.Sprintf(`{"new": %d}`, owner.SystemGroup(t, "role:nobody"))})
	o := owner.As(t, "admin")
	w := acctest.NewWorkspace(t)
	w.Setenv("TF_LOG", "")
	board := block("board", "board", `privacy = "private_shared_history"`)
	w.Configure(t, board)
	const summary, permission = "cannot create a channel with this privacy", "can_create_private_channel_group lets only"
	for command, want := range map[string]bool{"plan": true, "apply -auto-approve": false} {
		printed, ok := w.Run(t, strings.Fields(command)...)
		if ok != want || !strings.Contains(printed, summary) || !strings.Contains(printed, permission) || !strings.Contains(printed, "depends_on") {
			t.Errorf("%s: success is %t, wanted %t, with the permission:\n%s", command, ok, want, printed)
		}
	}
	if listed := w.Must(t, "state", "list"); strings.TrimSpace(listed) != "" {
		t.Errorf("the state has %s", listed)
	}
	w.Configure(t, block("board", "board", `privacy = "private_shared_history"`, "depends_on = [zulip_organization.this]")+
		"resource \"zulip_organization\" \"this\" {\n  can_create_private_channel_group = [\"role:administrators\"]\n}\n")
	w.Must(t, "apply", "-auto-approve")
	w.Must(t, "plan", "-detailed-exitcode")
	if !o.MustChannel(t, "board").InviteOnly {
		t.Error("the channel is not private")
	}
}
