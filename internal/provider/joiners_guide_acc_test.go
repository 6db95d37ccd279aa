package provider_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// Every configuration of the guide can be applied, and a second plan changes nothing.
func TestExampleJoinersAndLeavers(t *testing.T) {
	guide, err := os.ReadFile("../../templates/guides/joiners-and-leavers.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)\n```terraform\n(.*?)\n```\n").FindAllStringSubmatch(string(guide), -1)
	if len(blocks) < 3 {
		t.Fatalf("the guide has %d configurations", len(blocks))
	}
	acctest.StartSandbox(t, sandbox.Config{})
	for _, block := range blocks {
		w := acctest.NewWorkspace(t)
		if here := strings.Replace(block[1], "active    = false", "active    = true", 1); here != block[1] { // before somebody leaves
			w.Configure(t, here)
			w.Must(t, "apply", "-auto-approve")
		}
		w.Configure(t, block[1])
		printed := w.Must(t, "apply", "-auto-approve")
		if isWarned := strings.Contains(printed, `Warning: "zoe.quill@example.net" is not in the organization`); isWarned != strings.Contains(block[1], "zoe.quill") {
			t.Errorf("a newcomer is warned of: %t\n%s", isWarned, printed)
		}
		w.Must(t, "plan", "-detailed-exitcode")
	}
}
