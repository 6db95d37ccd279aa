package provider_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// Every resource of the provider is created, planned empty, changed in place, imported and destroyed at every level. A
// short run only uses the newest level.
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

// live tests the resource from its creation to its destroy.
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
	l.expectGone(t, o, id)
	noteLife(l.of, level, t.Failed())
}

// imported imports the resource into a second state, and compares that with the first.
func (l life) imported(t *testing.T, o *acctest.Organization, run *acctest.Run) {
	t.Helper()
	again := o.NewRun(t, l.of)
	again.Import(l.importIDOf(run.State.Values["id"]), nil).ExpectNoError(t)
	if again.State == nil {
		t.Fatal("the import finds nothing")
	}
	for name, value := range run.State.Values {
		// An import has the attributes that the state of a channel or a user group omits.
		isLeftOut := (l.of == "zulip_channel" || l.of == "zulip_user_group") && value == nil
		if !isLeftOut && !slices.Contains(l.notImported, name) && !reflect.DeepEqual(value, again.State.Values[name]) {
			t.Errorf("%s is %v, and %v after an import", name, value, again.State.Values[name])
		}
	}
}

// expectGone fails the test if the resource can be imported after it was destroyed.
func (l life) expectGone(t *testing.T, o *acctest.Organization, id any) {
	t.Helper()
	if l.stays {
		return
	}
	again := o.NewRun(t, l.of)
	for tries := 1; ; tries++ { // a real server can show a deleted object for a moment
		diags := again.Import(l.importIDOf(id), nil)
		if len(diags.Errors()) > 0 || again.State == nil || again.State.Values["is_active"] == false {
			return
		}
		if o.Sandbox != nil || tries == 5 {
			t.Errorf("%s can be imported after the destroy: %v", l.of, again.State.Values)
			return
		}
		select {
		case <-t.Context().Done():
			return
		case <-time.After(time.Second):
		}
	}
}

func (l life) importIDOf(id any) string {
	if l.importID != "" {
		return l.importID
	}
	return fmt.Sprint(id)
}

// The state stays correct when the server is upgraded, and nothing is lost when it is downgraded.
func TestProtocolUpgradedServer(t *testing.T) {
	config := sandbox.Config{StatePath: t.TempDir() + "/organization.db", FeatureLevel: 442}
	o := acctest.StartSandbox(t, config)
	all := acctest.Sample(lives(t, o))
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
	for i, l := range all { // with all attributes of the newest server
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

// lived has the levels at which each resource passed, for the report.
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

// Every row of the table of feature levels names an existing attribute or value. Known values are refused at the
// level below, and accepted at the row's level.
func TestProtocolLevels_TableRows_Enforced(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	// tooOld returns the attributes and values that a plan refuses because a server of the level is too old.
	tooOld := func(t *testing.T, of string, level int, config values) (found []string) {
		t.Helper()
		o.Sandbox.SetFeatureLevel(level)
		p := acctest.StartProcess(t.Context(), t)
		p.Configure(o.Block(nil)).ExpectNoError(t)
		for _, diagnostic := range p.PlanUnchecked(of, config).Errors() {
			if what, ok := strings.CutPrefix(diagnostic.Summary, "The server is too old for "); ok {
				found = append(found, what)
				if !strings.Contains(diagnostic.Detail, fmt.Sprintf("feature level %d; the server has %d", level+1, level)) || !strings.Contains(diagnostic.Detail, "upgrade the server") {
					t.Errorf("at level %d: %s", level, diagnostic)
				}
			}
		}
		return found
	}
	for _, row := range acctest.Sample(featurelevel.Table) {
		t.Run(fmt.Sprintf("%s.%s=%s", row.Of, row.Attribute, row.Value), func(t *testing.T) {
			attributes := acctest.StartProcess(t.Context(), t).Attributes(row.Of)
			kind, there := attributes[row.Attribute]
			if attributes == nil || row.Attribute != "" && !there {
				t.Fatal("there is no such thing")
			}
			if row.Below != featurelevel.Refused {
				return
			}
			config, unknown, want := values{}, values{}, "this resource"
			if row.Attribute != "" {
				want = row.Attribute
				config[row.Attribute], unknown[row.Attribute] = sampleOf(kind, row.Value), acctest.Unknown
			}
			if row.Value != "" {
				want += " = " + row.Value
			}
			below := tooOld(t, row.Of, row.Level-1, config)
			if len(below) != 1 || below[0] != want {
				t.Errorf("too old at level %d: %q, want %q", row.Level-1, below, want)
			}
			for level, config := range map[int]values{row.Level: config, row.Level - 1: unknown} {
				if found := tooOld(t, row.Of, level, config); row.Attribute != "" && len(found) != 0 || row.Attribute == "" && level == row.Level && len(found) != 0 {
					t.Errorf("too old at level %d for %v: %q", level, config, found)
				}
			}
		})
	}
}

// sampleOf returns a value of a type, from a text of the table of feature levels if there is one.
func sampleOf(kind tftypes.Type, text string) any {
	switch {
	case kind.Is(tftypes.Bool):
		return text != "false"
	case kind.Is(tftypes.Number):
		return 1
	case kind.Is(tftypes.List{}), kind.Is(tftypes.Set{}):
		return []any{}
	case kind.Is(tftypes.Object{}), kind.Is(tftypes.Map{}):
		return values{}
	case text != "":
		return text
	}
	return "x"
}

// A description that names a feature level has it from the table. If a supported server may lack something, its
// description or its page says so before the schema.
func TestProtocolDescriptions_Levels_MatchTable(t *testing.T) {
	levels := map[string]map[int]bool{"": {}}
	note := func(of string, level int) {
		if levels[of] == nil {
			levels[of] = map[int]bool{}
		}
		levels[of][level], levels[""][level] = true, true
	}
	for _, row := range featurelevel.Table {
		note(row.Of, row.Level)
	}
	for _, change := range featurelevel.Changes {
		note(change.Of, change.Level)
	}
	descriptions := acctest.StartProcess(t.Context(), t).Descriptions()
	for of := range levels {
		descriptions[of] += introduction(t, of)
	}
	named := regexp.MustCompile(`(?i)feature level (\d+)`)
	for at, text := range descriptions {
		of, _, _ := strings.Cut(at, ".")
		known := levels[of]
		if known == nil {
			known = levels[""] // a data source that shows what a resource sets
		}
		for _, match := range named.FindAllStringSubmatch(text, -1) {
			if level, _ := strconv.Atoi(match[1]); !known[level] {
				t.Errorf("%s names feature level %d, which the table does not have for %s", at, level, of)
			}
		}
	}
	for _, row := range featurelevel.Table {
		if row.Below != featurelevel.Refused || row.Level <= featurelevel.Oldest {
			continue
		}
		at := strings.TrimSuffix(row.Of+"."+row.Attribute, ".")
		if text := descriptions[row.Of] + descriptions[at]; !strings.Contains(text, fmt.Sprint("feature level ", row.Level)) {
			t.Errorf("the description of %s does not say that %s%s needs feature level %d: %s", at, row.Attribute, row.Value, row.Level, text)
		}
	}
}

// introduction returns the part of the page of a resource, data source or action before the schema.
func introduction(t *testing.T, of string) (text string) {
	t.Helper()
	pages, err := filepath.Glob("../../docs/*/" + strings.TrimPrefix(of, "zulip_") + ".md")
	requireNoError(t, err)
	for _, page := range pages {
		content, err := os.ReadFile(page)
		requireNoError(t, err)
		before, _, _ := strings.Cut(string(content), "## Schema")
		text += before
	}
	return text
}
