package organization_test

import (
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

const one = "resource \"zulip_linkifier\" \"a\" {\n  pattern = \"#(?P<id>[0-9]+)\"\n  url_template = \"https://example.com/{id}\"\n}\n"

// TestFaultLinkifierKilled: the plugin is killed after the server has made the linkifier, and before the state knows. The
// next apply refuses it, and takes it when it is told to recover.
func TestFaultLinkifierKilled(t *testing.T) {
	trial := acctest.NewTrial(t, "plugin killed", "after the linkifier was added, before the state knew", sandbox.Config{})
	trial.Want(one)
	gate := trial.Sandbox.Gate("GET", "/realm/linkifiers") // read when it is there; the state has not been written yet
	running := trial.Start(t, "apply", "-auto-approve")
	held := <-gate.Arrived
	running.KillPlugin(t)
	held.Release()
	gate.Open()
	trial.Refused(running)
	trial.Fails([]string{"A linkifier with the pattern", "ZULIP_RECOVER_INTERRUPTED=true"})
	trial.Setenv("ZULIP_RECOVER_INTERRUPTED", "true")
	trial.Succeeds()
	trial.Converges()
	expectLinkifier(t, trial.Organization, "#(?P<id>[0-9]+) → https://example.com/{id}")
}

// TestFaultLinkifierReplaced: what is made anew on demand is not in its own way, and what changes its address needs a
// moved block.
func TestFaultLinkifierReplaced(t *testing.T) {
	trial := acctest.NewTrial(t, "no fault", "the linkifier is replaced on demand, then has another address", sandbox.Config{})
	trial.Given(one)
	before := linkifiers(t, trial.Organization)[0].ID
	trial.Succeeds("-replace=zulip_linkifier.a")
	after := linkifiers(t, trial.Organization)[0].ID
	if after == before {
		t.Error("it was to be made anew")
	}
	other := strings.Replace(one, `"a"`, `"b"`, 1)
	trial.Want(other)
	trial.Fails([]string{"will be destroyed and re-created", "moved block"})
	trial.Want(other + "moved {\n  from = zulip_linkifier.a\n  to = zulip_linkifier.b\n}\n")
	trial.Succeeds()
	trial.Converges()
	if moved := linkifiers(t, trial.Organization)[0].ID; moved != after {
		t.Error("it was made anew")
	}
	expectLinkifier(t, trial.Organization, "#(?P<id>[0-9]+) → https://example.com/{id}")
}
