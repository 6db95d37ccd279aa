package acctest

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// PlanAction checks the configuration of an action and plans it, as a CLI does before an apply.
func (p *Process) PlanAction(action string, config Values) Diagnostics {
	p.t.Helper()
	encoded := p.encodeAction(action, config)
	checked, err := p.actions().ValidateActionConfig(p.ctx, &tfprotov6.ValidateActionConfigRequest{ActionType: action, Config: encoded})
	p.mustSucceed(err)
	if diags := diagnosticsOf(checked.Diagnostics); len(diags.Errors()) > 0 {
		return diags
	}
	planned, err := p.actions().PlanAction(p.ctx, &tfprotov6.PlanActionRequest{
		ActionType: action, Config: encoded, ClientCapabilities: &tfprotov6.PlanActionClientCapabilities{},
	})
	p.mustSucceed(err)
	return append(diagnosticsOf(checked.Diagnostics), diagnosticsOf(planned.Diagnostics)...)
}

// InvokeAction runs an action. It calls progress, if not nil, with each message immediately; progress may end ctx. messages
// are all messages.
func (p *Process) InvokeAction(ctx context.Context, action string, config Values, progress func(string)) (messages []string, diags Diagnostics) {
	p.t.Helper()
	stream, err := p.actions().InvokeAction(ctx, &tfprotov6.InvokeActionRequest{
		ActionType: action, Config: p.encodeAction(action, config), ClientCapabilities: &tfprotov6.InvokeActionClientCapabilities{},
	})
	p.mustSucceed(err)
	completed := false
	for event := range stream.Events {
		switch event := event.Type.(type) {
		case tfprotov6.ProgressInvokeActionEventType:
			messages = append(messages, event.Message)
			if progress != nil {
				progress(event.Message)
			}
		case tfprotov6.CompletedInvokeActionEventType:
			completed, diags = true, diagnosticsOf(event.Diagnostics)
		}
	}
	if !completed {
		p.t.Fatalf("%s did not say that it was over", action)
	}
	return messages, diags
}

// OpenEphemeral opens an ephemeral resource and returns its values.
func (p *Process) OpenEphemeral(resource string, config Values) (Values, Diagnostics) {
	p.t.Helper()
	schema, ok := p.schemas.EphemeralResourceSchemas[resource]
	if !ok {
		p.t.Fatalf("there is no ephemeral resource %q", resource)
	}
	encoded := p.encode(schema.ValueType(), config)
	checked, err := p.server.ValidateEphemeralResourceConfig(p.ctx, &tfprotov6.ValidateEphemeralResourceConfigRequest{TypeName: resource, Config: encoded})
	p.mustSucceed(err)
	if diags := diagnosticsOf(checked.Diagnostics); len(diags.Errors()) > 0 {
		return nil, diags
	}
	answer, err := p.server.OpenEphemeralResource(p.ctx, &tfprotov6.OpenEphemeralResourceRequest{TypeName: resource, Config: encoded})
	p.mustSucceed(err)
	diags := diagnosticsOf(append(checked.Diagnostics, answer.Diagnostics...))
	if answer.Result == nil || len(diags.Errors()) > 0 {
		return nil, diags
	}
	return p.decode(schema.ValueType(), answer.Result), diags
}

// actions returns the part of the provider that an older protocol library does not know.
func (p *Process) actions() tfprotov6.ActionServer {
	p.t.Helper()
	server, ok := p.server.(tfprotov6.ActionServer)
	if !ok {
		p.t.Fatal("the provider has no actions")
	}
	return server
}

func (p *Process) encodeAction(action string, config Values) *tfprotov6.DynamicValue {
	p.t.Helper()
	schema, ok := p.schemas.ActionSchemas[action]
	if !ok {
		p.t.Fatalf("there is no action %q", action)
	}
	return p.encode(schema.Schema.ValueType(), config)
}

// Call calls a function and returns its result, or the text of its error.
func (p *Process) Call(name string, arguments ...any) (result any, problem string) {
	p.t.Helper()
	signature, ok := p.schemas.Functions[name]
	if !ok {
		p.t.Fatalf("there is no function %q", name)
	}
	req := &tfprotov6.CallFunctionRequest{Name: name}
	for i, argument := range arguments {
		parameter := signature.VariadicParameter
		if i < len(signature.Parameters) {
			parameter = signature.Parameters[i]
		}
		if parameter == nil {
			p.t.Fatalf("%s takes %d arguments", name, len(signature.Parameters))
		}
		req.Arguments = append(req.Arguments, p.encodeAny(parameter.Type, argument))
	}
	answer, err := p.server.CallFunction(p.ctx, req)
	p.mustSucceed(err)
	if answer.Error != nil {
		return nil, answer.Error.Text
	}
	value, err := answer.Result.Unmarshal(signature.Return.Type)
	p.mustSucceed(err)
	result, err = decodeValue(value)
	p.mustSucceed(err)
	return result, ""
}

// Ephemeral is an ephemeral resource that was opened.
type Ephemeral struct {
	Values Values

	process *Process
	name    string
	answer  *tfprotov6.OpenEphemeralResourceResponse
}

// Open opens an ephemeral resource.
func (p *Process) Open(name string, config Values) (*Ephemeral, Diagnostics) {
	p.t.Helper()
	schema, ok := p.schemas.EphemeralResourceSchemas[name]
	if !ok {
		p.t.Fatalf("there is no ephemeral resource %q", name)
	}
	encoded := p.encode(schema.ValueType(), config)
	checked, err := p.server.ValidateEphemeralResourceConfig(p.ctx, &tfprotov6.ValidateEphemeralResourceConfigRequest{TypeName: name, Config: encoded})
	p.mustSucceed(err)
	if diags := diagnosticsOf(checked.Diagnostics); len(diags.Errors()) > 0 {
		return nil, diags
	}
	answer, err := p.server.OpenEphemeralResource(p.ctx, &tfprotov6.OpenEphemeralResourceRequest{TypeName: name, Config: encoded})
	p.mustSucceed(err)
	diags := diagnosticsOf(append(checked.Diagnostics, answer.Diagnostics...))
	if len(diags.Errors()) > 0 {
		return nil, diags
	}
	return &Ephemeral{Values: p.decode(schema.ValueType(), answer.Result), process: p, name: name, answer: answer}, diags
}

// Renews reports whether the CLI should renew it.
func (e *Ephemeral) Renews() bool { return !e.answer.RenewAt.IsZero() }

// Renew renews it like the CLI does.
func (e *Ephemeral) Renew() Diagnostics {
	e.process.t.Helper()
	answer, err := e.process.server.RenewEphemeralResource(e.process.ctx,
		&tfprotov6.RenewEphemeralResourceRequest{TypeName: e.name, Private: e.answer.Private})
	e.process.mustSucceed(err)
	return diagnosticsOf(answer.Diagnostics)
}

func (p *Process) encodeAny(kind tftypes.Type, plain any) *tfprotov6.DynamicValue {
	p.t.Helper()
	value, err := encodeValue(kind, plain)
	p.mustSucceed(err)
	encoded, err := tfprotov6.NewDynamicValue(kind, value)
	p.mustSucceed(err)
	return &encoded
}

// Listed is one result of a list resource.
type Listed struct {
	DisplayName string
	Identity    Values
	// Resource is nil unless it was requested.
	Resource    Values
	Diagnostics Diagnostics
}

// ListResources returns the types of the list resources.
func (p *Process) ListResources() []string {
	return slices.Sorted(maps.Keys(p.schemas.ListResourceSchemas))
}

// List lists the objects of a resource, as `terraform query` does. limit is the maximum number of results.
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
