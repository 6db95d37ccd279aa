package acctest

import (
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Attributes returns the attributes of a resource, data source, action or ephemeral resource by name, with their types;
// nil if there is none of that name. A data source and a resource of one name are taken together.
func (p *Process) Attributes(of string) map[string]tftypes.Type {
	p.t.Helper()
	var kinds map[string]tftypes.Type
	add := func(schema *tfprotov6.Schema) {
		if kinds == nil {
			kinds = map[string]tftypes.Type{}
		}
		for _, attribute := range schema.Block.Attributes {
			kinds[attribute.Name] = attribute.ValueType()
		}
	}
	for _, schemas := range []map[string]*tfprotov6.Schema{p.schemas.DataSourceSchemas, p.schemas.EphemeralResourceSchemas, p.schemas.ResourceSchemas} {
		if schema, ok := schemas[of]; ok {
			add(schema)
		}
	}
	if action, ok := p.schemas.ActionSchemas[of]; ok {
		add(action.Schema)
	}
	return kinds
}

// Resources returns the names of all resources, in order.
func (p *Process) Resources() []string {
	return slices.Sorted(maps.Keys(p.schemas.ResourceSchemas))
}

// PlanUnchecked plans a new resource, or an action, without checking the configuration by itself before, so that a part of
// one will do.
func (p *Process) PlanUnchecked(of string, config Values) Diagnostics {
	p.t.Helper()
	if _, ok := p.schemas.ActionSchemas[of]; !ok {
		_, diags := p.Plan(of, nil, config)
		return diags
	}
	planned, err := p.actions().PlanAction(p.ctx, &tfprotov6.PlanActionRequest{
		ActionType: of, Config: p.encodeAction(of, config), ClientCapabilities: &tfprotov6.PlanActionClientCapabilities{},
	})
	p.mustSucceed(err)
	return diagnosticsOf(planned.Diagnostics)
}

// Descriptions returns what the schemas say of every resource, data source, action and ephemeral resource, and of their
// attributes: by name, or by name and path of the attribute, joined with dots. A data source and a resource of one name
// share the first.
func (p *Process) Descriptions() map[string]string {
	texts := map[string]string{}
	add := func(at string, schema *tfprotov6.Schema) {
		texts[at] += schema.Block.Description
		describe(texts, at, schema.Block.Attributes)
	}
	for _, schemas := range []map[string]*tfprotov6.Schema{p.schemas.ResourceSchemas, p.schemas.DataSourceSchemas, p.schemas.EphemeralResourceSchemas} {
		for name, schema := range schemas {
			add(name, schema)
		}
	}
	for name, action := range p.schemas.ActionSchemas {
		add(name, action.Schema)
	}
	return texts
}

func describe(texts map[string]string, at string, attributes []*tfprotov6.SchemaAttribute) {
	for _, attribute := range attributes {
		inner := at + "." + attribute.Name
		texts[inner] += attribute.Description
		if attribute.NestedType != nil {
			describe(texts, inner, attribute.NestedType.Attributes)
		}
	}
}

// Settable returns the descriptions of all attributes that a configuration can set and that hold text, or several texts:
// by the name of what has the attribute and its path, joined with dots. A data source and a resource of one name are taken
// together.
func (p *Process) Settable() map[string]string {
	texts := map[string]string{}
	add := func(at string, schema *tfprotov6.Schema) { settable(texts, at, schema.Block.Attributes) }
	for _, schemas := range []map[string]*tfprotov6.Schema{p.schemas.ResourceSchemas, p.schemas.DataSourceSchemas, p.schemas.EphemeralResourceSchemas} {
		for name, schema := range schemas {
			add(name, schema)
		}
	}
	for name, action := range p.schemas.ActionSchemas {
		add(name, action.Schema)
	}
	return texts
}

func settable(texts map[string]string, at string, attributes []*tfprotov6.SchemaAttribute) {
	several := []tftypes.Type{tftypes.String, tftypes.List{ElementType: tftypes.String}, tftypes.Set{ElementType: tftypes.String}, tftypes.Map{ElementType: tftypes.String}}
	for _, attribute := range attributes {
		inner := at + "." + attribute.Name
		switch {
		case !attribute.Required && !attribute.Optional:
		case attribute.NestedType != nil:
			settable(texts, inner, attribute.NestedType.Attributes)
		case slices.ContainsFunc(several, attribute.Type.Equal):
			texts[inner] += attribute.Description
		}
	}
}

// SchemaVersion is the version of a resource's schema.
func (p *Process) SchemaVersion(resource string) int64 {
	p.t.Helper()
	p.resourceType(resource)
	return p.schemas.ResourceSchemas[resource].Version
}

// UpgradeFrom reads the JSON of a state that was written with a version of the schema.
func (p *Process) UpgradeFrom(resource string, version int64, state []byte) (Values, Diagnostics) {
	p.t.Helper()
	answer, err := p.server.UpgradeResourceState(p.ctx, &tfprotov6.UpgradeResourceStateRequest{
		TypeName: resource, Version: version, RawState: &tfprotov6.RawState{JSON: state},
	})
	p.mustSucceed(err)
	diags := diagnosticsOf(answer.Diagnostics)
	if answer.UpgradedState == nil {
		return nil, diags
	}
	return p.decode(p.resourceType(resource), answer.UpgradedState), diags
}

// UpgradeIdentityFrom reads the JSON of an identity that was written with a version of its schema.
func (p *Process) UpgradeIdentityFrom(resource string, version int64, identity []byte) (Values, Diagnostics) {
	p.t.Helper()
	answer, err := p.server.UpgradeResourceIdentity(p.ctx, &tfprotov6.UpgradeResourceIdentityRequest{
		TypeName: resource, Version: version, RawIdentity: &tfprotov6.RawState{JSON: identity},
	})
	p.mustSucceed(err)
	diags := diagnosticsOf(answer.Diagnostics)
	if answer.UpgradedIdentity == nil || answer.UpgradedIdentity.IdentityData == nil {
		return nil, diags
	}
	return p.decode(p.identities[resource].ValueType(), answer.UpgradedIdentity.IdentityData), diags
}
