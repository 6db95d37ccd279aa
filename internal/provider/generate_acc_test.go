package provider_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// The configuration that a real CLI generates of what is imported plans no change.
func TestAccGeneratedConfiguration(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: featurelevel.Newest})
	var imports strings.Builder
	count := 0
	for _, l := range lives(t, o) {
		run := o.NewRun(t, l.of)
		run.MustApply(l.create)
		if neverGenerated[l.of] != "" {
			continue
		}
		fmt.Fprintf(&imports, "import {\n  provider = zulip\n  to       = %s.x\n  id       = %q\n}\n", l.of, l.importIDOf(run.State.Values["id"]))
		count++
	}
	w := acctest.NewWorkspace(t)
	w.Configure(t, imports.String())
	w.Must(t, "plan", "-input=false", "-generate-config-out=generated.tf", "-out=generated.tfplan")
	var plan struct {
		Changes []struct {
			Address string `json:"address"`
			Change  struct {
				Actions   []string             `json:"actions"`
				Importing *struct{ ID string } `json:"importing"`
			} `json:"change"`
		} `json:"resource_changes"`
	}
	if err := json.Unmarshal([]byte(w.Show(t, "generated.tfplan")), &plan); err != nil {
		t.Fatal(err)
	}
	if len(plan.Changes) != count {
		t.Errorf("%d resources are planned, want %d", len(plan.Changes), count)
	}
	for _, one := range plan.Changes {
		if !slices.Equal(one.Change.Actions, []string{"no-op"}) || one.Change.Importing == nil {
			t.Errorf("%s: %v of\n%s", one.Address, one.Change.Actions, w.Read(t, "generated.tf"))
		}
	}
}
