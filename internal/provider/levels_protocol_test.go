package provider_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// Every row of the table of feature levels names something that there is. What it refuses is refused at the level below,
// unless it is unknown, and not at its own level.
func TestProtocolLevelsAreChecked(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	// tooOld returns what a plan calls too new for a server of the level.
	tooOld := func(t *testing.T, of string, level int, config values) (found []string) {
		t.Helper()
		o.Sandbox.SetFeatureLevel(level)
		p := acctest.StartProcess(t.Context(), t)
		p.Configure(o.Block(nil)).ExpectNoError(t)
		for _, diagnostic := range p.PlanUnchecked(of, config).Errors() {
			if what, ok := strings.CutPrefix(diagnostic.Summary, "The server is too old for "); ok {
				found = append(found, what)
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

// sampleOf is a value of a type: the one that a text of the table of feature levels stands for, if there is one.
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

// A description that names a feature level has it from the table, and what a supported server may lack says so.
func TestProtocolDescriptionsNameLevels(t *testing.T) {
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
