package acctest

import (
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

const (
	// callsFile names the file that takes, line by line, what the provider called and no server refused.
	callsFile = "ZULIP_TEST_CALLS"
	// byProvider begins the agent of what the provider sends; what a test does by hand sends no version.
	byProvider = "ZulipTerraformProvider/"
)

// telling are the parameters whose value tells one operation of an endpoint from another.
var telling = []string{"op", "is_archived"}

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
		for _, name := range telling {
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
