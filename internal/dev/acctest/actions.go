package acctest

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// PlanAction checks the configuration of an action and plans it, as a CLI does before it applies anything.
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

// InvokeAction carries an action out. progress is called with each message while it goes on, and may end ctx; nil: nobody
// listens. messages are all of them.
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

// OpenEphemeral opens an ephemeral resource and returns what it is.
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

// actions is the part of the provider that an older protocol library does not ask for.
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
