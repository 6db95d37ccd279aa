package provider_test

import (
	"slices"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// namedResource is a resource whose objects have names that no two of them share.
type namedResource struct {
	resource string
	// at is the attribute with the name.
	at string
	// config returns the configuration of an object with a name. label is a further difference from the other object.
	config func(name, label string) values
}

// archivedResources are the resources whose objects keep their name on destroy. deletedResources are the others that
// can be renamed in place.
var (
	archivedResources = []namedResource{
		{"zulip_channel", "name", func(name, _ string) values { return values{"name": name} }},
		{"zulip_user_group", "name", func(name, _ string) values { return values{"name": name} }},
		{"zulip_bot", "short_name", func(name, label string) values { return values{"short_name": name, "full_name": "Bot " + label} }},
	}
	deletedResources = []namedResource{
		{"zulip_linkifier", "pattern", func(name, label string) values {
			return values{"pattern": name + `-(?P<id>[0-9]+)`, "url_template": "https://example.com/" + label + "/{id}"}
		}},
		{"zulip_default_channel_group", "name", func(name, label string) values {
			return values{"name": name, "description": label, "channel_ids": []any{}}
		}},
		{"zulip_custom_profile_field", "name", func(name, _ string) values { return values{"name": name, "field_type": "short_text"} }},
		{"zulip_channel_folder", "name", func(name, _ string) values { return values{"name": name} }},
	}
)

// two returns runs of two objects, named a and b.
func (n namedResource) two(t *testing.T) (o *acctest.Organization, a, b *acctest.Run) {
	t.Helper()
	o = acctest.StartSandbox(t, sandbox.Config{})
	a, b = o.NewRun(t, n.resource), o.NewRun(t, n.resource)
	a.MustApply(n.config("aa", "first"))
	b.MustApply(n.config("bb", "second"))
	return o, a, b
}

// reading returns a process that has read both objects, as a refresh does.
func reading(t *testing.T, a, b *acctest.Run, resource string) *acctest.Process {
	t.Helper()
	p := a.Process()
	for _, run := range []*acctest.Run{a, b} {
		_, diags := p.Read(resource, run.State)
		diags.ExpectNoError(t)
	}
	return p
}

// Archiving an object never frees its name: a plan that gives the name to another object is refused, whichever is planned first.
func TestProtocolNames_OfArchivedObject_Refused(t *testing.T) {
	for _, kind := range archivedResources {
		for _, order := range []string{"archived first", "renamed first"} {
			t.Run(kind.resource+", "+order, func(t *testing.T) {
				o, a, b := kind.two(t)
				p, sent := reading(t, a, b, kind.resource), o.Sent()
				plans := []func() acctest.Diagnostics{
					func() acctest.Diagnostics { _, diags := p.Plan(kind.resource, b.State, nil); return diags },
					func() acctest.Diagnostics {
						_, diags := p.Plan(kind.resource, a.State, kind.config("bb", "first"))
						return diags
					},
				}
				if order == "renamed first" {
					slices.Reverse(plans)
				}
				diags := append(plans[0](), plans[1]()...)
				if order == "renamed first" { // the destroyed one has no configuration
					diags.ExpectError(t, "", "keeps its name", "Apply twice")
				} else {
					diags.ExpectError(t, kind.at, "keeps its name", "Apply twice")
				}
				sent.Expect(t)
			})
		}
	}
}

// Two objects cannot exchange their names in one apply. The plan says how to do it in two.
func TestProtocolNames_Exchanged_Refused(t *testing.T) {
	for _, kind := range slices.Concat(archivedResources[:2], deletedResources) { // a bot's plan warns
		t.Run(kind.resource, func(t *testing.T) {
			o, a, b := kind.two(t)
			p, sent := reading(t, a, b, kind.resource), o.Sent()
			_, first := p.Plan(kind.resource, a.State, kind.config("bb", "first"))
			_, second := p.Plan(kind.resource, b.State, kind.config("aa", "second"))
			first.ExpectNoError(t)
			second.ExpectError(t, kind.at, "cannot swap names", "Apply twice")
			sent.Expect(t)
		})
	}
}
