package provider_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// notListed are the resources without a list: of those an organization has one, or they are relations and acts.
var notListed = []string{
	"zulip_channel_folder_order", "zulip_channel_subscription", "zulip_channel_subscription_settings", "zulip_custom_profile_field_order",
	"zulip_default_user_settings", "zulip_linkifier_order", "zulip_message", "zulip_organization", "zulip_organization_image", "zulip_reaction", "zulip_user_group_membership",
}

// What is created is listed, with the identity that its state has; and the configuration that is generated of what is listed
// plans no change.
func TestProtocolEveryResourceIsListed(t *testing.T) {
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

// neverGenerated are resources whose required attributes no server gives back.
var neverGenerated = map[string]string{
	"zulip_custom_emoji": "the path of the file", "zulip_organization_image": "the path of the file",
}

// The configuration that is generated of an imported object plans no change, at once and again.
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

// generated makes the resource, imports it beside, and plans the configuration that is generated of the import.
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

// The arguments of a list select, a limit cuts with a warning, and mistakes are results that say what to do.
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
