package examples

import (
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// The week of a company that keeps its people in one file: someone is invited and joins, someone changes teams, someone leaves, a
// team gets another name, a team ends. Each plan says what the page says, and is empty after its apply.
func TestExampleTeams(t *testing.T) {
	accounts := maps.Clone(employees)
	owner := accounts["ines"]
	owner.CanCreateUsers = true // Zoe joins in a test as the owner's new user
	accounts["ines"] = owner
	o := acctest.StartSandbox(t, sandbox.Config{Accounts: accounts})
	w := newFolder(t)
	w.copyFolder(t, "teams", ".")
	w.run(t, "get") // the module; no provider is installed

	apply := func(want string) {
		t.Helper()
		if printed := w.run(t, "apply", "-auto-approve"); !strings.Contains(printed, want) {
			t.Errorf("the plan is not %q:\n%s", want, printed)
		}
		w.run(t, "plan", "-detailed-exitcode") // 2 if there are changes
	}
	apply("22 to add, 0 to change, 0 to destroy") // 5 for each team, 6 roles, 1 invitation

	o.Call(t, http.MethodPost, "/users", map[string]string{"email": "zoe.quill@example.net", "full_name": "Zoe Quill", "password": "tZ9#kw-long-enough"})
	apply("1 to add, 2 to change, 0 to destroy") // her role; the group and the channel of her team

	w.replace(t, "teams.yaml", "lena.fischer@example.com: { team: platform }", "lena.fischer@example.com: { team: support }")
	apply("0 to add, 4 to change, 0 to destroy")

	w.replace(t, "teams.yaml", "  kenji.sato@example.com: { team: support }\n", "")
	apply("0 to add, 2 to change, 1 to destroy") // his role resource, which changes nothing on the server

	w.replace(t, "teams.yaml", "support:", "care:")
	w.replace(t, "teams.yaml", "team: support", "team: care")
	moved := "moved {\n  from = module.team[\"support\"]\n  to   = module.team[\"care\"]\n}\n"
	if err := os.WriteFile(filepath.Join(w.dir, "moved.tf"), []byte(moved), 0o600); err != nil {
		t.Fatal(err)
	}
	apply("0 to add, 4 to change, 0 to destroy") // both groups and both channels

	w.replace(t, "teams.yaml", "  product: Makes what customers see.\n", "")
	w.replace(t, "teams.yaml", "team: product", "team: care")
	apply("0 to add, 3 to change, 5 to destroy")
	for _, thing := range active(o) {
		if strings.Contains(thing, "support") || strings.Contains(thing, "product") {
			t.Errorf("still there: %s", thing)
		}
	}
}
