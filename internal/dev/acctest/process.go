package acctest

import (
	"context"
	"encoding/json"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/provider"
)

// Process is a provider process that the CLI would start for one phase, for example a plan. Each method is one call of the
// plugin protocol. A call that violates the protocol fails the test. Methods return the errors that the provider reports.
type Process struct {
	t          testing.TB
	ctx        context.Context // carries the log of a process, for its whole life
	server     tfprotov6.ProviderServer
	schemas    *tfprotov6.GetProviderSchemaResponse
	identities map[string]*tfprotov6.ResourceIdentitySchema
}

// Instance is one resource in a state. nil is a resource that does not exist.
type Instance struct {
	Values   Values
	Identity Values
	Private  []byte

	// isReplaced is true for the prior of [PlannedChange.Replaced].
	isReplaced bool
}

// schemas returns those of the provider. A CLI asks for them once, and starts it several times.
var schemas = sync.OnceValues(func() (*tfprotov6.GetProviderSchemaResponse, error) {
	return provider.NewServer("test").GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
})

// Schemas returns those of the provider.
func Schemas(t testing.TB) *tfprotov6.GetProviderSchemaResponse {
	t.Helper()
	all, err := schemas()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// StartProcess starts the provider; call Configure next. It logs to the loggers of ctx.
func StartProcess(ctx context.Context, t testing.TB) *Process {
	t.Helper()
	return StartProcessOf(ctx, t, provider.NewServer("test"))
}

// StartProcessOf is StartProcess for another server with the schemas of the provider.
func StartProcessOf(ctx context.Context, t testing.TB, server tfprotov6.ProviderServer) *Process {
	t.Helper()
	p := &Process{t: t, ctx: ctx, server: server, schemas: Schemas(t)}
	identities, err := p.server.GetResourceIdentitySchemas(ctx, &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		t.Fatal(err)
	}
	diagnosticsOf(append(p.schemas.Diagnostics, identities.Diagnostics...)).ExpectNoError(t)
	p.identities = identities.IdentitySchemas
	return p
}

// Configure checks the provider block and configures the provider with it. The process then waits by the clock of the
// sandbox.
func (p *Process) Configure(block Values) Diagnostics {
	p.t.Helper()
	p.ctx = withClock(p.ctx, block)
	config := p.encode(p.schemas.Provider.ValueType(), block)
	checked, err := p.server.ValidateProviderConfig(p.ctx, &tfprotov6.ValidateProviderConfigRequest{Config: config})
	p.mustSucceed(err)
	if diags := diagnosticsOf(checked.Diagnostics); len(diags.Errors()) > 0 {
		return diags
	}
	answer, err := p.server.ConfigureProvider(p.ctx, &tfprotov6.ConfigureProviderRequest{TerraformVersion: "1.14.0", Config: config})
	p.mustSucceed(err)
	return diagnosticsOf(append(checked.Diagnostics, answer.Diagnostics...))
}

// Validate checks a resource's configuration without a plan.
func (p *Process) Validate(resource string, config Values) Diagnostics {
	p.t.Helper()
	answer, err := p.server.ValidateResourceConfig(p.ctx, &tfprotov6.ValidateResourceConfigRequest{
		TypeName: resource, Config: p.encode(p.resourceType(resource), config),
		ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
	})
	p.mustSucceed(err)
	return diagnosticsOf(answer.Diagnostics)
}

// Configurable lists the attributes of a resource that a configuration can set.
func (p *Process) Configurable(resource string) []string {
	p.t.Helper()
	p.resourceType(resource)
	var names []string
	for _, attribute := range p.schemas.ResourceSchemas[resource].Block.Attributes {
		if attribute.Required || attribute.Optional {
			names = append(names, attribute.Name)
		}
	}
	return names
}

// Upgrade reads an instance from the JSON of a state file.
func (p *Process) Upgrade(resource string, stored *Instance) (*Instance, Diagnostics) {
	p.t.Helper()
	raw, err := json.Marshal(stored.Values)
	p.mustSucceed(err)
	answer, err := p.server.UpgradeResourceState(p.ctx, &tfprotov6.UpgradeResourceStateRequest{
		TypeName: resource, Version: p.schemas.ResourceSchemas[resource].Version, RawState: &tfprotov6.RawState{JSON: raw},
	})
	p.mustSucceed(err)
	return p.instance(resource, answer.UpgradedState, stored.Private, p.encodeIdentity(resource, stored.Identity)), diagnosticsOf(answer.Diagnostics)
}

// Read refreshes an instance; nil means that it no longer exists.
func (p *Process) Read(resource string, state *Instance) (*Instance, Diagnostics) {
	p.t.Helper()
	answer, err := p.server.ReadResource(p.ctx, &tfprotov6.ReadResourceRequest{
		TypeName: resource, CurrentState: p.encodeInstance(resource, state), Private: state.Private,
		CurrentIdentity: p.encodeIdentity(resource, state.Identity),
	})
	p.mustSucceed(err)
	return p.instance(resource, answer.NewState, answer.Private, answer.NewIdentity), diagnosticsOf(answer.Diagnostics)
}

// Plan plans the change from prior to the configuration; a nil configuration plans a destroy.
func (p *Process) Plan(resource string, prior *Instance, config Values) (*PlannedChange, Diagnostics) {
	p.t.Helper()
	kind := p.resourceType(resource)
	encoded := p.encode(kind, config)
	plan := &PlannedChange{resource: resource, Prior: prior, Config: p.decode(kind, encoded), writeOnly: map[string]bool{}, lists: map[string]bool{}}
	for _, attribute := range p.schemas.ResourceSchemas[resource].Block.Attributes {
		plan.writeOnly[attribute.Name] = attribute.WriteOnly
		plan.lists[attribute.Name] = attribute.Type != nil && attribute.Type.Is(tftypes.List{})
	}
	req := &tfprotov6.PlanResourceChangeRequest{
		TypeName: resource, PriorState: p.encodeInstance(resource, prior), Config: encoded,
		ProposedNewState: p.encode(kind, p.propose(resource, prior, config)),
	}
	if prior != nil {
		req.PriorPrivate = prior.Private
	}
	if prior != nil && prior.Identity != nil {
		req.PriorIdentity = p.encodeIdentity(resource, prior.Identity)
	}
	answer, err := p.server.PlanResourceChange(p.ctx, req)
	p.mustSucceed(err)
	plan.private, plan.identity = answer.PlannedPrivate, answer.PlannedIdentity
	for _, path := range answer.RequiresReplace {
		plan.Replace = append(plan.Replace, rootOf(path))
	}
	if answer.PlannedState != nil {
		plan.Values = p.decode(kind, answer.PlannedState)
	}
	diags := diagnosticsOf(answer.Diagnostics)
	if len(diags.Errors()) == 0 {
		plan.check(p.t)
		if prior != nil && prior.isReplaced {
			diags = nil // Terraform shows no warning of the second plan: it expects the first plan to have said the same
		}
	}
	return plan, diags
}

// Replaced is the prior of the second plan of a replacement. Terraform plans the new object without a prior state, and with
// the private state of the first plan. An apply plans it once more, without both.
func (p *PlannedChange) Replaced() *Instance { return &Instance{Private: p.private, isReplaced: true} }

// DestroyOf returns the destroy of a replacement that destroys before it creates. Terraform destroys the object with the
// private state of the plan that creates the new one.
func (p *Process) DestroyOf(create *PlannedChange, prior *Instance) *PlannedChange {
	return &PlannedChange{Prior: prior, resource: create.resource, private: create.private}
}

// Apply applies a plan. Its result replaces the state, even after an error; nil means that the state has no object.
func (p *Process) Apply(plan *PlannedChange) (*Instance, Diagnostics) {
	p.t.Helper()
	kind := p.resourceType(plan.resource)
	answer, err := p.server.ApplyResourceChange(p.ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: plan.resource, PriorState: p.encodeInstance(plan.resource, plan.Prior), Config: p.encode(kind, plan.Config),
		PlannedState: p.encode(kind, plan.Values), PlannedPrivate: plan.private, PlannedIdentity: plan.identity,
	})
	p.mustSucceed(err)
	return p.instance(plan.resource, answer.NewState, answer.Private, answer.NewIdentity), diagnosticsOf(answer.Diagnostics)
}

// Import finds the object of an ID, or of an identity if the ID is empty. A Read follows, as with the CLI.
func (p *Process) Import(resource, id string, identity Values) (*Instance, Diagnostics) {
	p.t.Helper()
	req := &tfprotov6.ImportResourceStateRequest{TypeName: resource, ID: id}
	if id == "" {
		req.Identity = p.encodeIdentity(resource, identity)
	}
	answer, err := p.server.ImportResourceState(p.ctx, req)
	p.mustSucceed(err)
	diags := diagnosticsOf(answer.Diagnostics)
	if len(diags.Errors()) > 0 {
		return nil, diags
	}
	if len(answer.ImportedResources) != 1 {
		p.t.Fatalf("%d resources were imported by %q", len(answer.ImportedResources), id)
	}
	found := answer.ImportedResources[0]
	return p.instance(resource, found.State, found.Private, found.Identity), diags
}

// ReadData reads a data source.
func (p *Process) ReadData(source string, config Values) (Values, Diagnostics) {
	p.t.Helper()
	schema, ok := p.schemas.DataSourceSchemas[source]
	if !ok {
		p.t.Fatalf("there is no data source %q", source)
	}
	encoded := p.encode(schema.ValueType(), config)
	checked, err := p.server.ValidateDataResourceConfig(p.ctx, &tfprotov6.ValidateDataResourceConfigRequest{TypeName: source, Config: encoded})
	p.mustSucceed(err)
	if diags := diagnosticsOf(checked.Diagnostics); len(diags.Errors()) > 0 {
		return nil, diags
	}
	answer, err := p.server.ReadDataSource(p.ctx, &tfprotov6.ReadDataSourceRequest{TypeName: source, Config: encoded})
	p.mustSucceed(err)
	diags := diagnosticsOf(append(checked.Diagnostics, answer.Diagnostics...))
	if answer.State == nil {
		return nil, diags
	}
	return p.decode(schema.ValueType(), answer.State), diags
}

// propose merges a configuration with the prior state like the CLI does: computed attributes that are not configured keep
// their values. Nested attributes are taken from the configuration.
func (p *Process) propose(resource string, prior *Instance, config Values) Values {
	if config == nil {
		return nil
	}
	proposed := Values{}
	for _, attribute := range p.schemas.ResourceSchemas[resource].Block.Attributes {
		value := config[attribute.Name]
		if attribute.WriteOnly {
			value = nil // it exists only in the configuration
		}
		if value == nil && attribute.Computed && prior != nil {
			value = prior.Values[attribute.Name]
		}
		proposed[attribute.Name] = value
	}
	for _, block := range p.schemas.ResourceSchemas[resource].Block.BlockTypes {
		proposed[block.TypeName] = config[block.TypeName]
	}
	return proposed
}

func (p *Process) resourceType(resource string) tftypes.Type {
	p.t.Helper()
	schema, ok := p.schemas.ResourceSchemas[resource]
	if !ok {
		p.t.Fatalf("there is no resource %q", resource)
	}
	return schema.ValueType()
}

// instance is the result of a call, with its private state and identity.
func (p *Process) instance(resource string, state *tfprotov6.DynamicValue, private []byte, identity *tfprotov6.ResourceIdentityData) *Instance {
	p.t.Helper()
	if state == nil {
		return nil
	}
	values := p.decode(p.resourceType(resource), state)
	if values == nil {
		return nil
	}
	found := &Instance{Values: values, Private: private}
	if identity != nil && identity.IdentityData != nil {
		found.Identity = p.decode(p.identities[resource].ValueType(), identity.IdentityData)
	}
	return found
}

func (p *Process) encodeInstance(resource string, state *Instance) *tfprotov6.DynamicValue {
	p.t.Helper()
	if state == nil {
		return p.encode(p.resourceType(resource), nil)
	}
	return p.encode(p.resourceType(resource), state.Values)
}

func (p *Process) encodeIdentity(resource string, identity Values) *tfprotov6.ResourceIdentityData {
	p.t.Helper()
	schema, ok := p.identities[resource]
	if !ok || identity == nil {
		return nil
	}
	return &tfprotov6.ResourceIdentityData{IdentityData: p.encode(schema.ValueType(), identity)}
}

func (p *Process) encode(kind tftypes.Type, values Values) *tfprotov6.DynamicValue {
	p.t.Helper()
	encoded, err := encodeValues(kind, values)
	p.mustSucceed(err)
	return encoded
}

func (p *Process) decode(kind tftypes.Type, encoded *tfprotov6.DynamicValue) Values {
	p.t.Helper()
	value, err := encoded.Unmarshal(kind)
	p.mustSucceed(err)
	decoded, err := decodeValue(value)
	p.mustSucceed(err)
	values, _ := decoded.(Values)
	return values
}

func (p *Process) mustSucceed(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}
