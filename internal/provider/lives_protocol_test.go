package provider_test

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// Every resource that the provider has, at every level: created, planned empty, changed in place, imported, destroyed. A
// short run takes the newest level.
func TestProtocolEveryResourceAtEveryLevel(t *testing.T) {
	levels := featurelevel.Tested
	if testing.Short() {
		levels = levels[len(levels)-1:]
	}
	for _, level := range levels {
		t.Run(fmt.Sprint(level), func(t *testing.T) {
			t.Parallel()
			o := acctest.NewSandbox(t, sandbox.Config{FeatureLevel: level})
			lived := map[string]bool{}
			for _, l := range lives(t, o) {
				lived[l.of] = true
				at := level
				if level == featurelevel.Oldest {
					at = l.oldest()
				}
				if at < level || level != featurelevel.Oldest && level < l.oldest() {
					t.Fatalf("%s does not exist at level %d", l.of, level)
				}
				if at != level {
					continue // in an organization of its own, below
				}
				t.Run(l.of, func(t *testing.T) { l.live(t, o, level) })
			}
			for _, resource := range acctest.StartProcess(t.Context(), t).Resources() {
				if !lived[resource] {
					t.Errorf("%s is not tested", resource)
				}
			}
		})
	}
	t.Run("oldest", func(t *testing.T) {
		t.Parallel()
		probe := acctest.NewSandbox(t, sandbox.Config{FeatureLevel: featurelevel.Newest})
		for _, l := range lives(t, probe) {
			if level := l.oldest(); level > featurelevel.Oldest {
				t.Run(l.of, func(t *testing.T) {
					t.Parallel()
					o := acctest.NewSandbox(t, sandbox.Config{FeatureLevel: level})
					for _, own := range lives(t, o) {
						if own.of == l.of {
							own.live(t, o, level)
						}
					}
				})
			}
		}
	})
}

// live takes the resource from its creation to its end.
func (l life) live(t *testing.T, o *acctest.Organization, level int) {
	t.Helper()
	run := o.NewRun(t, l.of)
	config := l.at(level, l.create)
	run.MustApply(config)
	if l.update != nil {
		config = l.updated(level)
		plan := run.MustPlan(config)
		if len(plan.Replace) > 0 || plan.Empty() {
			t.Errorf("the update replaces because of %q and changes %q", plan.Replace, plan.Changes())
		}
		run.MustApply(config)
	}
	l.imported(t, o, run)
	if plan := run.MustPlan(config); !plan.Empty() {
		t.Errorf("in the end the plan changes %q", plan.Changes())
	}
	id := run.State.Values["id"]
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	if run.State != nil {
		t.Errorf("after the destroy the state holds %v", run.State.Values)
	}
	if again := o.NewRun(t, l.of); !l.stays {
		if diags := again.Import(l.importIDOf(id), nil); len(diags.Errors()) == 0 && again.State != nil && !inactive(again.State.Values) {
			t.Errorf("after the destroy it can be imported: %v", again.State.Values)
		}
	}
	noteLife(l.of, level, t.Failed())
}

// imported imports it beside, and holds that against the state.
func (l life) imported(t *testing.T, o *acctest.Organization, run *acctest.Run) {
	t.Helper()
	again := o.NewRun(t, l.of)
	again.Import(l.importIDOf(run.State.Values["id"]), nil).ExpectNoError(t)
	if again.State == nil {
		t.Fatal("the import finds nothing")
	}
	for name, value := range run.State.Values {
		// What the state of a channel or a user group leaves out, an import has.
		isLeftOut := (l.of == "zulip_channel" || l.of == "zulip_user_group") && value == nil
		if !isLeftOut && !slices.Contains(l.notImported, name) && !reflect.DeepEqual(value, again.State.Values[name]) {
			t.Errorf("%s is %v, and %v after an import", name, value, again.State.Values[name])
		}
	}
}

func (l life) importIDOf(id any) string {
	if l.importID != "" {
		return l.importID
	}
	return fmt.Sprint(id)
}

// inactive is whether what an import found is out of use.
func inactive(state values) bool {
	return state["is_archived"] == true || state["is_active"] == false
}

// The state of a server stays right when the server is upgraded, and nothing is lost when it is downgraded.
func TestProtocolUpgradedServer(t *testing.T) {
	config := sandbox.Config{StatePath: t.TempDir() + "/organization.db", FeatureLevel: 442}
	o := acctest.StartSandbox(t, config)
	all := lives(t, o)
	runs := make([]*acctest.Run, len(all))
	for i, l := range all {
		runs[i] = o.NewRun(t, l.of)
		runs[i].MustApply(l.at(442, l.create))
	}
	restart := func(level int) {
		if err := o.Sandbox.Close(); err != nil {
			t.Fatal(err)
		}
		config.FeatureLevel = level
		o = acctest.StartSandbox(t, config)
		for _, run := range runs {
			run.Block = o.Block(nil)
		}
	}
	empty := func(t *testing.T, run *acctest.Run, config values, when string) {
		t.Helper()
		sent := o.Sent()
		plan, diags := run.Plan(config)
		if len(diags.Errors()) > 0 {
			t.Errorf("%s: %v", when, diags.Errors())
			return
		}
		if !plan.Empty() || len(plan.Replace) > 0 {
			t.Errorf("%s the plan changes %q, and replaces because of %q", when, plan.Changes(), plan.Replace)
		}
		sent.Expect(t)
	}
	for _, level := range []int{featurelevel.NewestRelease, featurelevel.Newest} {
		restart(level)
		for i, l := range all {
			t.Run(fmt.Sprintf("%s from 442 to %d", l.of, level), func(t *testing.T) {
				empty(t, runs[i], l.at(442, l.create), "after the upgrade")
			})
		}
	}
	for i, l := range all { // with all that the newest server can have
		runs[i].MustApply(l.at(featurelevel.Newest, l.create))
	}
	restart(442)
	for i, l := range all {
		t.Run(l.of+" back to 442", func(t *testing.T) {
			_, diags := runs[i].Plan(l.at(featurelevel.Newest, l.create))
			for _, problem := range diags.Errors() {
				if !strings.Contains(problem.Summary, "too old") {
					t.Errorf("%s", problem)
				}
			}
			empty(t, runs[i], l.at(442, l.create), "after the downgrade")
			if runs[i].State == nil {
				t.Error("the state has lost it")
			}
		})
	}
}

// lived says of each resource at which levels it passed, for the report.
var lived = struct {
	sync.Mutex
	passed map[string]map[int]bool
}{passed: map[string]map[int]bool{}}

func noteLife(of string, level int, failed bool) {
	lived.Lock()
	defer lived.Unlock()
	if lived.passed[of] == nil {
		lived.passed[of] = map[int]bool{}
	}
	lived.passed[of][level] = !failed
}

// printLives prints the table of resources and levels.
func printLives(w io.Writer) {
	if len(lived.passed) == 0 {
		return
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(table, "Resource through the protocol\t%d or its oldest", featurelevel.Tested[0])
	for _, level := range featurelevel.Tested[1:] {
		_, _ = fmt.Fprintf(table, "\t%d", level)
	}
	_, _ = fmt.Fprintln(table)
	for _, of := range sortedKeys(lived.passed) {
		_, _ = fmt.Fprint(table, of)
		oldest := slices.Min(sortedKeys(lived.passed[of]))
		for _, level := range append([]int{oldest}, featurelevel.Tested[1:]...) {
			word, tried := "passed", false
			if passed, ok := lived.passed[of][level]; ok {
				tried = true
				if !passed {
					word = "FAILED"
				}
			}
			if !tried {
				word = "not tried"
			}
			if level == oldest {
				word += fmt.Sprintf(" (%d)", level)
			}
			_, _ = fmt.Fprintf(table, "\t%s", word)
		}
		_, _ = fmt.Fprintln(table)
	}
	_ = table.Flush()
}
