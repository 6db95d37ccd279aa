package examples

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// The organization of the example is exported as configuration whose plan imports everything and changes nothing.
func TestExampleCompany_Exported_EmptyPlan(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{Accounts: employees})
	newCompany(t).run(t, "apply", "-auto-approve")

	for _, flags := range [][]string{nil, {"--all", "--subscribers", "--people", "all"}} {
		folder := filepath.Join(t.TempDir(), "organization")
		args := append([]string{"export", folder, "--check", "--cli", acctest.CLI(t)}, flags...)
		command := exec.CommandContext(t.Context(), filepath.Join(filepath.Dir(cliConfig), "terraform-provider-zulip"), args...)
		printed, err := command.CombinedOutput()
		if err != nil || !strings.Contains(string(printed), " to import, 0 to add, 0 to change, 0 to destroy.") {
			t.Errorf("%q: %v\n%s", flags, err, printed)
		}
	}
}
