package channel_test

import (
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// Another key of for_each archives the channel and makes another one: the plan says where the messages stay. With a moved block
// it is renamed, and there is nothing to say.
func TestAccSandboxChannelWithAnotherKey(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	w.Setenv("TF_LOG", "") // what is printed counts here, and not what is logged
	const teams = "resource \"zulip_channel\" \"team\" {\n  for_each = toset([\"docs\", \"KEY\"])\n  name = \"team ${each.key}\"\n}\n"
	const warning = "The messages stay in the archived channel; the new one begins without them."
	w.Configure(t, strings.ReplaceAll(teams, "KEY", "ops"))
	w.Must(t, "apply", "-auto-approve")
	id := o.MustChannel(t, "team ops").ID

	w.Configure(t, strings.ReplaceAll(teams, "KEY", "platform"))
	printed := w.Must(t, "plan")
	if strings.Count(printed, warning) != 1 || !strings.Contains(printed, `from = OLD_ADDRESS to = NEW_ADDRESS`) {
		t.Errorf("the plan does not say once what becomes of the messages:\n%s", printed)
	}
	w.Configure(t, strings.ReplaceAll(teams, "KEY", "platform")+"moved {\n  from = zulip_channel.team[\"ops\"]\n  to   = zulip_channel.team[\"platform\"]\n}\n")
	if printed := w.Must(t, "apply", "-auto-approve"); strings.Contains(printed, warning) {
		t.Errorf("a channel that is renamed is said to be archived:\n%s", printed)
	}
	if o.MustChannel(t, "team platform").ID != id {
		t.Error("it is another channel")
	}
	w.Configure(t, "")
	if printed := w.Must(t, "plan"); strings.Contains(printed, warning) {
		t.Errorf("nothing is created:\n%s", printed)
	}
}
