package provider_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// TestAccLives takes one of every resource through a real CLI, all in one configuration: created, planned empty, changed in
// place, planned empty, destroyed. The details of each resource are tested through the protocol, next to the resource. On a
// real server the organization gets back the settings that the test changes.
func TestAccLives(t *testing.T) {
	org := acctest.Start(t)
	level := levelOf(t, org)
	all := slices.DeleteFunc(lives(t, org), func(l life) bool { return l.oldest() > level })
	var created, updated strings.Builder
	var updates []plancheck.PlanCheck
	for _, l := range all {
		if l.of == "zulip_organization" || l.of == "zulip_default_user_settings" {
			l.restore(t, org, level)
		}
		l.write(t, &created, l.at(level, l.create), all)
		l.write(t, &updated, l.updated(level), all)
		if l.update != nil {
			updates = append(updates, plancheck.ExpectResourceAction(l.address(), plancheck.ResourceActionUpdate))
		}
	}
	acctest.CLI(t)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		CheckDestroy: func(state *terraform.State) error {
			for _, l := range all {
				l.expectGone(t, org, state.RootModule().Resources[l.address()].Primary.Attributes["id"])
			}
			return nil
		},
		Steps: []resource.TestStep{ // after each, the plan must be empty
			{Config: created.String()},
			{Config: updated.String(), ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: updates}},
		},
	})
}

func (l life) address() string { return l.of + ".x" }

// write writes the resource with a configuration: JSON is an expression of HCL. The organization comes last, because
// its permissions exclude the provider's account from actions that the other resources need.
func (l life) write(t *testing.T, w *strings.Builder, config values, all []life) {
	t.Helper()
	fmt.Fprintf(w, "resource %q \"x\" {\n", l.of)
	for _, name := range sortedKeys(config) {
		text, err := json.Marshal(config[name])
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(w, "  %s = %s\n", name, text)
	}
	if l.of == "zulip_organization" {
		var others []string
		for _, other := range all {
			if other.of != l.of {
				others = append(others, other.address())
			}
		}
		fmt.Fprintf(w, "  depends_on = [%s]\n", strings.Join(others, ", "))
	}
	w.WriteString("}\n")
}

// restore resets, after the test, the attributes of the organization that the life changes and that a destroy leaves.
func (l life) restore(t *testing.T, org *acctest.Organization, level int) {
	t.Helper()
	run := org.NewRun(t, l.of)
	run.Import("organization", nil).ExpectNoError(t)
	before := values{}
	for name := range l.updated(level) {
		before[name] = run.State.Values[name]
	}
	t.Cleanup(func() { run.MustApply(before) })
}
