package acctest

import (
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Listed is one result of a list resource.
type Listed struct {
	DisplayName string
	Identity    Values
	// Resource is nil unless it was asked for.
	Resource    Values
	Diagnostics Diagnostics
}

// ListResources returns the types of the list resources.
func (p *Process) ListResources() []string {
	return slices.Sorted(maps.Keys(p.schemas.ListResourceSchemas))
}

// List lists what there is of a resource, as `terraform query` does. limit is the most results that it takes.
func (p *Process) List(resource string, config Values, limit int64, withResources bool) (found []Listed) {
	p.t.Helper()
	schema, ok := p.schemas.ListResourceSchemas[resource]
	if !ok {
		p.t.Fatalf("there is no list resource %q", resource)
	}
	encoded := p.encode(schema.ValueType(), config)
	checked, err := p.lists().ValidateListResourceConfig(p.ctx, &tfprotov6.ValidateListResourceConfigRequest{TypeName: resource, Config: encoded})
	p.mustSucceed(err)
	diagnosticsOf(checked.Diagnostics).ExpectNoError(p.t)
	stream, err := p.lists().ListResource(p.ctx, &tfprotov6.ListResourceRequest{
		TypeName: resource, Config: encoded, Limit: limit, IncludeResource: withResources,
	})
	p.mustSucceed(err)
	for result := range stream.Results {
		one := Listed{DisplayName: result.DisplayName, Diagnostics: diagnosticsOf(result.Diagnostics)}
		if result.Identity != nil {
			one.Identity = p.decode(p.identities[resource].ValueType(), result.Identity.IdentityData)
		}
		if result.Resource != nil {
			one.Resource = p.decode(p.resourceType(resource), result.Resource)
		}
		found = append(found, one)
	}
	return found
}

// GenerateConfig returns the configuration that the provider writes for a state, as `-generate-config-out` does.
func (p *Process) GenerateConfig(resource string, state Values) Values {
	p.t.Helper()
	answer, err := p.server.GenerateResourceConfig(p.ctx, &tfprotov6.GenerateResourceConfigRequest{
		TypeName: resource, State: p.encode(p.resourceType(resource), state),
	})
	p.mustSucceed(err)
	diagnosticsOf(answer.Diagnostics).ExpectNoError(p.t)
	return p.decode(p.resourceType(resource), answer.Config)
}

func (p *Process) lists() tfprotov6.ListResourceServer {
	p.t.Helper()
	lists, ok := p.server.(tfprotov6.ListResourceServer)
	if !ok {
		p.t.Fatal("the provider has no list resources")
	}
	return lists
}
