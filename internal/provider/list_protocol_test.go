package provider_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/querycheck"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// notListed are the resources without a list: those that an organization has once, and relations.
var notListed = []string{
	"zulip_channel_folder_order", "zulip_channel_subscription", "zulip_channel_subscription_settings", "zulip_custom_profile_field_order",
	"zulip_default_user_settings", "zulip_linkifier_order", "zulip_message", "zulip_organization", "zulip_organization_image", "zulip_reaction", "zulip_user_group_membership",
}

// A created object is listed with the identity of its state, and the configuration generated from the list plans no
// change.
func TestProtocolList_EveryResource_Listed(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: featurelevel.Newest})
	for _, l := range lives(t, o) {
		t.Run(l.of, func(t *testing.T) {
			run := o.NewRun(t, l.of)
			run.MustApply(l.create)
			if slices.Contains(notListed, l.of) {
				return
			}
			for _, listed := range run.Process().List(l.of, nil, 0, true) {
				listed.Diagnostics.ExpectNoError(t)
				if fmt.Sprint(listed.Identity) != fmt.Sprint(run.State.Identity) {
					continue
				}
				if listed.DisplayName == "" || listed.Resource == nil {
					t.Errorf("listed as %q with %v", listed.DisplayName, listed.Resource)
				}
				return
			}
			t.Errorf("%v is not listed", run.State.Identity)
		})
	}
	lists := o.NewRun(t, "zulip_domain").Process().ListResources()
	for _, resource := range acctest.StartProcess(t.Context(), t).Resources() {
		if slices.Contains(lists, resource) == slices.Contains(notListed, resource) {
			t.Errorf("%s is listed: %t", resource, slices.Contains(lists, resource))
		}
	}
}

// neverGenerated are resources with required attributes that no server returns.
var neverGenerated = map[string]string{
	"zulip_custom_emoji": "the path of the file", "zulip_organization_image": "the path of the file",
}

// The configuration generated from an imported object plans no change, even a second time.
func TestProtocolGeneratedConfiguration(t *testing.T) {
	for _, level := range []int{featurelevel.Oldest, 442, featurelevel.Newest} {
		t.Run(fmt.Sprint(level), func(t *testing.T) {
			t.Parallel()
			o := acctest.NewSandbox(t, sandbox.Config{FeatureLevel: level})
			for _, l := range lives(t, o) {
				if level >= l.oldest() {
					t.Run(l.of, func(t *testing.T) { l.generated(t, o, level) })
				}
			}
		})
	}
}

// generated creates the resource, imports it into a second state, and plans the configuration generated from the
// import.
func (l life) generated(t *testing.T, o *acctest.Organization, level int) {
	t.Helper()
	run := o.NewRun(t, l.of)
	run.MustApply(l.at(level, l.create))
	imported := o.NewRun(t, l.of)
	imported.Import(l.importIDOf(run.State.Values["id"]), nil).ExpectNoError(t)
	config := imported.Process().GenerateConfig(l.of, imported.State.Values)
	if why := neverGenerated[l.of]; why != "" {
		return
	}
	plan, diags := imported.Plan(config)
	diags.ExpectNoError(t)
	if !plan.Empty() || len(plan.Replace) > 0 {
		t.Errorf("of %v the plan changes %q and replaces because of %q", config, plan.Changes(), plan.Replace)
	}
}

// The arguments of a list select objects, a limit has a warning, and errors are results with the fix.
func TestProtocolListArguments(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	o.Archive(t, "incidents")
	o.Folder(t, "Company")
	names := func(found []acctest.Listed) string {
		var all []string
		for _, one := range found {
			all = append(all, one.DisplayName)
		}
		return strings.Join(all, ", ")
	}
	p := o.NewRun(t, "zulip_channel").Process()
	for _, trial := range []struct {
		of     string
		config values
		want   string
	}{
		{"zulip_channel", values{"name": "GEN*"}, "general"},
		{"zulip_channel", values{"name": "inc*"}, ""},
		{"zulip_channel", values{"name": "inc*", "include_archived": true}, "incidents (archived)"},
		{"zulip_channel", values{"privacy": "private_protected_history"}, "leads"},
		{"zulip_channel", values{"folder": "Company", "name": "?????"}, ""},
		{"zulip_user", values{"role": "guest"}, "paul.dubois@example.com"},
		{"zulip_bot", values{"owner": "lena.fischer@example.com"}, ""},
	} {
		if got := names(p.List(trial.of, trial.config, 100, false)); got != trial.want {
			t.Errorf("%s with %v lists %q, want %q", trial.of, trial.config, got, trial.want)
		}
	}
	wrong := p.List("zulip_bot", values{"owner": "lena.fisher@example.com"}, 100, false)
	if len(wrong) != 1 {
		t.Fatalf("a misspelled owner has %d results", len(wrong))
	}
	wrong[0].Diagnostics.ExpectError(t, "owner", "Cannot list the bots", "lena.fischer@example.com")
	cut := p.List("zulip_channel", nil, 2, false)
	if len(cut) != 2 {
		t.Fatalf("with a limit of 2 there are %d results", len(cut))
	}
	cut[0].Diagnostics.ExpectWarning(t, "", "Only 2 of 3 channels are listed", "limit = 3")
	archived := p.List("zulip_channel", values{"name": "inc*", "include_archived": true}, 100, true)
	archived[0].Diagnostics.ExpectWarning(t, "", "archived", "adopt_archived = true")
}

// Every list resource has an example with valid arguments.
func TestProtocolListExamples(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	o.Call(t, "POST", "/channel_folders/create", map[string]string{"name": "Engineering", "description": ""})
	p := o.NewRun(t, "zulip_channel").Process()
	for _, of := range p.ListResources() {
		file := filepath.Join("..", "..", "examples", "list-resources", of, "list-resource.tfquery.hcl")
		content, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
			continue
		}
		config := argumentsIn(t, content, of)
		for _, found := range p.List(of, config, 0, false) {
			found.Diagnostics.ExpectNoError(t)
		}
	}
}

// argumentsIn returns the arguments of the only list block of a file.
func argumentsIn(t *testing.T, content []byte, of string) values {
	t.Helper()
	parsed, problems := hclparse.NewParser().ParseHCL(content, of)
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	config := values{}
	for _, block := range parsed.Body.(*hclsyntax.Body).Blocks {
		if block.Type != "list" || block.Labels[0] != of {
			t.Errorf("the example of %s has a block %s %q", of, block.Type, block.Labels)
		}
		for _, inner := range block.Body.Blocks {
			for name, attribute := range inner.Body.Attributes {
				value, problems := attribute.Expr.Value(&hcl.EvalContext{})
				if problems.HasErrors() {
					t.Fatal(problems)
				}
				if value.Type().FriendlyName() == "bool" {
					config[name] = value.True()
				} else {
					config[name] = value.AsString()
				}
			}
		}
	}
	return config
}

// withoutQuery is the CLI without `query`; "" if it has the command, or was not checked.
var withoutQuery string

// hasQuery reports whether the CLI of the tests has `terraform query`, which Terraform has from 1.14 on and OpenTofu
// does not.
func hasQuery(t *testing.T) bool {
	t.Helper()
	said, err := exec.CommandContext(t.Context(), acctest.CLI(t), "version").Output()
	requireNoError(t, err)
	line, _, _ := strings.Cut(string(said), "\n")
	var major, minor int
	if _, err := fmt.Sscanf(line, "Terraform v%d.%d", &major, &minor); err == nil && (major > 1 || minor >= 14) {
		return true
	}
	withoutQuery = line
	return false
}

// printQuery reports that lists were not tested with a CLI.
func printQuery(w io.Writer) {
	if withoutQuery != "" {
		_, _ = fmt.Fprintf(w, "List resources were tried through the plugin protocol only: %s has no query.\n", withoutQuery)
	}
}

// A query finds the objects of a configuration, in versions of Terraform with queries.
func TestAccListResource(t *testing.T) {
	org := acctest.Start(t)
	steps := []resource.TestStep{{Config: fmt.Sprintf("resource \"zulip_channel\" \"x\" {\n  name = %q\n}\n", org.Prefix+"listed")}}
	if hasQuery(t) {
		steps = append(steps, resource.TestStep{
			Query: true,
			Config: fmt.Sprintf("provider \"zulip\" {}\n\nlist \"zulip_channel\" \"found\" {\n  provider         = zulip\n  include_resource = true\n\n  config {\n    name = \"%s*\"\n  }\n}\n",
				org.Prefix),
			QueryResultChecks: []querycheck.QueryResultCheck{
				querycheck.ExpectLength("zulip_channel.found", 1),
				querycheck.ExpectIdentity("zulip_channel.found", map[string]knownvalue.Check{"id": knownvalue.NotNull()}),
			},
		})
	}
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories, Steps: steps})
}
