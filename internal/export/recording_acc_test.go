package export_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// With a real CLI: what export --snapshot records of an organization, the provider's sandbox is. The state that was applied
// against the real one has nothing to change there.
func TestAccAStateOfTheRealOrganizationMeetsItsRecording(t *testing.T) {
	for seed := range 2 {
		if testing.Short() && seed > 0 {
			break
		}
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			rapid.Custom(func(r *rapid.T) bool {
				w := newWorld(r)
				w.fill()
				useAccount(t, w.server, w.owner)
				planAgainstRecording(t)
				return true
			}).Example(seed)
		})
	}
}

// planAgainstRecording applies an export of the organization of the environment, and plans against its recording.
func planAgainstRecording(t *testing.T) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "organization")
	// What the account has for itself is not recorded, nor are pictures.
	runExport(t, folder, "--subscribers", "--people", "all", "--exclude", "organization_image", "--exclude", "custom_emoji")
	w := acctest.NewWorkspace(t)
	w.Copy(t, folder)
	if printed, ok := w.Apply(t); !ok {
		t.Fatalf("the export cannot be applied:\n%s", printed)
	}
	file := filepath.Join(w.Dir(), "recorded.json")
	printed, err := exec.CommandContext(t.Context(), acctest.Plugin(t), "export", "--snapshot", file).CombinedOutput()
	if err != nil || !strings.HasPrefix(string(printed), "Recorded ") {
		t.Fatalf("%v:\n%s", err, printed)
	}
	w.Write(t, "sandbox_override.tf", fmt.Sprintf("provider \"zulip\" {\n  sandbox = { organization = %q }\n}\n", file))
	w.Must(t, "plan", "-detailed-exitcode") // 2 if there are changes
	// The example organization is another one: the plan is not empty because nothing is read.
	w.Write(t, "sandbox_override.tf", "provider \"zulip\" {\n  sandbox = {}\n}\n")
	if printed, ok := w.Run(t, "plan", "-detailed-exitcode"); ok {
		t.Errorf("nothing is to be done in another organization:\n%s", printed)
	}
}
