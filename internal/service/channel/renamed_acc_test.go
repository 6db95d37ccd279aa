package channel_test

import (
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// Channels take over names from each other in one apply, although the CLI changes all of them at once. In a circle none of them
// could begin: the plan says so, and nothing is changed.
func TestAccSandboxRenamesInAChain(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	named := func(names ...string) string {
		var config strings.Builder
		for i, name := range names {
			config.WriteString("resource \"zulip_channel\" \"" + string(rune('x'+i)) + "\" {\n  name = \"" + name + "\"\n}\n")
		}
		return config.String()
	}
	w.Configure(t, named("a", "b", "c"))
	w.Must(t, "apply", "-auto-approve")
	first, second, third := o.MustChannel(t, "a").ID, o.MustChannel(t, "b").ID, o.MustChannel(t, "c").ID

	w.Configure(t, named("b", "c", "d"))
	w.Must(t, "apply", "-auto-approve")
	w.Must(t, "plan", "-detailed-exitcode")
	if o.MustChannel(t, "b").ID != first || o.MustChannel(t, "c").ID != second || o.MustChannel(t, "d").ID != third {
		t.Error("the channels are not called as configured")
	}

	w.Configure(t, named("c", "d", "b"))
	sent := o.Sent()
	printed, ok := w.Apply(t)
	if ok || !strings.Contains(printed, "Channels exchange their names") || !strings.Contains(printed, "In two applies") || len(sent.Writes()) > 0 {
		t.Errorf("sent %v:\n%s", sent.Writes(), printed)
	}
	w.Configure(t, named("between", "d", "b"))
	w.Must(t, "apply", "-auto-approve")
	w.Configure(t, named("c", "d", "b"))
	w.Must(t, "apply", "-auto-approve")
	if o.MustChannel(t, "c").ID != first || o.MustChannel(t, "d").ID != second || o.MustChannel(t, "b").ID != third {
		t.Error("the channels are not called as configured")
	}
}
