package acctest

import (
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

const (
	// callsFile is the environment variable for the file of all successful calls of the provider, one a line.
	callsFile = "ZULIP_TEST_CALLS"
	// byProvider is the prefix of the provider's User-Agent; a test's own requests have no version.
	byProvider = "ZulipTerraformProvider/"
)

// distinguishing are the parameters whose values distinguish the operations of one endpoint.
var distinguishing = []string{"op", "is_archived"}

// noteCalls notes what the provider called.
func noteCalls(t *testing.T, requests []sandbox.Request) {
	t.Helper()
	seen := map[string]bool{}
	var lines []string
	for _, r := range requests {
		if !strings.HasPrefix(r.Agent, byProvider) || r.Status >= 300 {
			continue
		}
		line := r.Method + " " + r.Path
		for _, name := range distinguishing {
			if value, ok := r.Params[name]; ok {
				line += " " + name + "=" + value
			}
		}
		if !seen[line] {
			seen[line] = true
			lines = append(lines, line)
		}
	}
	noteLines(t, callsFile, lines)
}
