package acctest

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

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

// Renews reports whether the CLI is to renew it.
func (e *Ephemeral) Renews() bool { return !e.answer.RenewAt.IsZero() }

// Renew does what the CLI does at that time.
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
