//nolint:revive // each method is that of the framework's server
package provider

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// NewServer returns the provider of a version as a server of the plugin protocol.
func NewServer(version string) tfprotov6.ProviderServer { return newServer(version) }

// NewServerForOne is [NewServer] for a run that works on one resource at a time: no read waits for other callers.
func NewServerForOne(version string) tfprotov6.ProviderServer {
	server := newServer(version)
	server.provider.oneAtATime = true
	return server
}

// newServer creates the provider of a version.
func newServer(version string) *protocolServer {
	made := newProvider(version)
	whole, ok := providerserver.NewProtocol6(made)().(protocol)
	if !ok {
		panic("the framework's server does not answer all of the protocol any more")
	}
	return &protocolServer{protocol: whole, provider: made}
}

// providerBlock is the kind of the provider block. Others are followed by a name.
const providerBlock = "provider"

// protocol has all methods of the framework's server.
//
//nolint:staticcheck // the parts have no other names until they belong to tfprotov6.ProviderServer
type protocol interface {
	tfprotov6.ProviderServerWithActions
	tfprotov6.ProviderServerWithListResource
	tfprotov6.ProviderServerWithStateStores
}

// protocolServer is the framework's server with less memory. The framework keeps the context of every request until it
// is stopped, with the request's loggers and stream, some 25 kB. A plan sends four requests per resource, so thousands
// of resources would take hundreds of megabytes that the collector marks again and again. Requests that are sent once
// per object therefore have a context that releases everything after the answer.
//
// It also keeps sensitive values out of the log, see [protocolServer.hide].
type protocolServer struct {
	protocol
	provider  *Provider
	generator generator
	unseen    unseen
}

func (s *protocolServer) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	if problems := s.invalid(ctx, "resource "+req.TypeName, req.Config); problems != nil {
		return &tfprotov6.ValidateResourceConfigResponse{Diagnostics: problems}, nil
	}
	ctx, end := untilAnswered(ctx)
	defer end()
	return s.protocol.ValidateResourceConfig(ctx, req)
}

func (s *protocolServer) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	ctx, end := untilAnswered(ctx)
	defer end()
	return s.protocol.UpgradeResourceState(ctx, req)
}

func (s *protocolServer) UpgradeResourceIdentity(ctx context.Context, req *tfprotov6.UpgradeResourceIdentityRequest) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	ctx, end := untilAnswered(ctx)
	defer end()
	return s.protocol.UpgradeResourceIdentity(ctx, req)
}

func (s *protocolServer) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	ctx = s.hide(ctx, req.TypeName, req.CurrentState)
	ctx, end := untilAnswered(ctx)
	defer end()
	return s.readSeen(ctx, req)
}

func (s *protocolServer) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	ctx = s.hide(ctx, req.TypeName, req.Config, req.PriorState)
	ctx, end := untilAnswered(ctx)
	defer end()
	if problems := s.invalid(ctx, "resource "+req.TypeName, req.Config); problems != nil {
		return &tfprotov6.PlanResourceChangeResponse{
			PlannedState: req.ProposedNewState, PlannedPrivate: req.PriorPrivate, PlannedIdentity: req.PriorIdentity, Diagnostics: problems,
		}, nil
	}
	answer, err := s.protocol.PlanResourceChange(ctx, req)
	if err == nil {
		err = s.planUnseen(ctx, req, answer)
		s.shorten(answer.Diagnostics)
	}
	return answer, err
}

func (s *protocolServer) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	ctx = s.hide(ctx, req.TypeName, req.Config, req.PlannedState, req.PriorState)
	if meta := s.provider.meta.Load(); meta != nil && meta.WarnOfExisting {
		return &tfprotov6.ApplyResourceChangeResponse{NewState: req.PriorState, Private: req.PlannedPrivate, Diagnostics: []*tfprotov6.Diagnostic{{
			Severity: tfprotov6.DiagnosticSeverityError, Summary: "ZULIP_WARN_OF_EXISTING allows no apply",
			Detail: "With this variable, a plan only warns about objects that already exist. Import them, and apply without the variable.",
		}}}, nil
	}
	ctx, end := untilStored(ctx)
	defer end()
	answer, err := s.protocol.ApplyResourceChange(ctx, req)
	if err == nil {
		s.shorten(answer.Diagnostics)
		err = s.countManaged(req.PriorState, answer.NewState)
	}
	return answer, err
}

// countManaged tells the sandbox, if there is one, whether a resource has come into Terraform's state or has left it.
func (s *protocolServer) countManaged(before, after *tfprotov6.DynamicValue) error {
	sandbox := s.provider.sandbox.Load()
	if sandbox == nil || before == nil || after == nil {
		return nil
	}
	wasNull, err := before.IsNull()
	if err != nil {
		return err
	}
	isNull, err := after.IsNull()
	switch {
	case err != nil || wasNull == isNull:
		return err
	case isNull:
		return sandbox.CountManaged(-1)
	}
	return sandbox.CountManaged(1)
}

// StopProvider is called when the run is interrupted. The contexts of all requests end right after it. The framework's
// method would also end the contexts of changes: see [untilStored].
func (s *protocolServer) StopProvider(context.Context, *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	return &tfprotov6.StopProviderResponse{}, nil
}

func (s *protocolServer) ImportResourceState(ctx context.Context, req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	ctx, end := untilAnswered(ctx)
	defer end()
	answer, err := s.protocol.ImportResourceState(ctx, req)
	if err == nil {
		for _, one := range answer.ImportedResources {
			s.unseen.imported.Store(s.key(ctx, one.TypeName, one.State), true)
		}
	}
	if sandbox := s.provider.sandbox.Load(); err == nil && sandbox != nil {
		err = sandbox.CountManaged(len(answer.ImportedResources))
	}
	return answer, err
}

func (s *protocolServer) ValidateDataResourceConfig(ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	if problems := s.invalid(ctx, "data "+req.TypeName, req.Config); problems != nil {
		return &tfprotov6.ValidateDataResourceConfigResponse{Diagnostics: problems}, nil
	}
	ctx, end := untilAnswered(ctx)
	defer end()
	return s.protocol.ValidateDataResourceConfig(ctx, req)
}

func (s *protocolServer) ValidateEphemeralResourceConfig(ctx context.Context, req *tfprotov6.ValidateEphemeralResourceConfigRequest) (*tfprotov6.ValidateEphemeralResourceConfigResponse, error) {
	if problems := s.invalid(ctx, "ephemeral "+req.TypeName, req.Config); problems != nil {
		return &tfprotov6.ValidateEphemeralResourceConfigResponse{Diagnostics: problems}, nil
	}
	return s.protocol.ValidateEphemeralResourceConfig(ctx, req)
}

func (s *protocolServer) ValidateListResourceConfig(ctx context.Context, req *tfprotov6.ValidateListResourceConfigRequest) (*tfprotov6.ValidateListResourceConfigResponse, error) {
	if problems := s.invalid(ctx, "list "+req.TypeName, req.Config); problems != nil {
		return &tfprotov6.ValidateListResourceConfigResponse{Diagnostics: problems}, nil
	}
	return s.protocol.ValidateListResourceConfig(ctx, req)
}

func (s *protocolServer) ValidateActionConfig(ctx context.Context, req *tfprotov6.ValidateActionConfigRequest) (*tfprotov6.ValidateActionConfigResponse, error) {
	if problems := s.invalid(ctx, "action "+req.ActionType, req.Config); problems != nil {
		return &tfprotov6.ValidateActionConfigResponse{Diagnostics: problems}, nil
	}
	return s.protocol.ValidateActionConfig(ctx, req)
}

func (s *protocolServer) ValidateProviderConfig(ctx context.Context, req *tfprotov6.ValidateProviderConfigRequest) (*tfprotov6.ValidateProviderConfigResponse, error) {
	if problems := s.invalid(ctx, providerBlock, req.Config); problems != nil {
		return &tfprotov6.ValidateProviderConfigResponse{PreparedConfig: req.Config, Diagnostics: problems}, nil
	}
	return s.protocol.ValidateProviderConfig(ctx, req)
}

func (s *protocolServer) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	if problems := s.invalid(ctx, "data "+req.TypeName, req.Config); problems != nil {
		return &tfprotov6.ReadDataSourceResponse{Diagnostics: problems}, nil
	}
	ctx, end := untilAnswered(ctx)
	defer end()
	answer, err := s.protocol.ReadDataSource(ctx, req)
	if err == nil {
		s.shorten(answer.Diagnostics)
	}
	return answer, err
}

func (s *protocolServer) CallFunction(ctx context.Context, req *tfprotov6.CallFunctionRequest) (*tfprotov6.CallFunctionResponse, error) {
	ctx, end := untilAnswered(ctx)
	defer end()
	return s.protocol.CallFunction(ctx, req)
}

func (s *protocolServer) OpenEphemeralResource(ctx context.Context, req *tfprotov6.OpenEphemeralResourceRequest) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	return s.protocol.OpenEphemeralResource(s.hide(ctx, req.TypeName, req.Config), req)
}

func (s *protocolServer) InvokeAction(ctx context.Context, req *tfprotov6.InvokeActionRequest) (*tfprotov6.InvokeActionServerStream, error) {
	if problems := s.invalid(ctx, "action "+req.ActionType, req.Config); problems != nil {
		return &tfprotov6.InvokeActionServerStream{Events: slices.Values([]tfprotov6.InvokeActionEvent{
			{Type: tfprotov6.CompletedInvokeActionEventType{Diagnostics: problems}},
		})}, nil
	}
	return s.protocol.InvokeAction(s.hide(ctx, req.ActionType, req.Config), req)
}

// untilAnswered returns a context for answering a request. It ends with the request, or when end is called.
func untilAnswered(ctx context.Context) (_ context.Context, end func()) {
	own, cancel := context.WithCancelCause(context.Background())
	stop := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	answering, detach := detach(ctx, own)
	return answering, func() { detach(); stop(); cancel(nil) }
}

// untilStored returns a context for the change of a resource. If the run is interrupted, it ends when the result of the requests
// that were sent is in the state: see [zulip.Change].
func untilStored(ctx context.Context) (_ context.Context, end func()) {
	own, change := zulip.NewChange(context.Background())
	stop := context.AfterFunc(ctx, change.Interrupt)
	answering, detach := detach(ctx, own)
	return answering, func() { detach(); stop(); change.End() }
}

// detach returns own with the values of ctx until end is called.
func detach(ctx, own context.Context) (_ *detachedContext, end func()) {
	detached := &detachedContext{Context: own}
	detached.request.Store(&ctx)
	return detached, func() { detached.request.Store(nil) }
}

// detachedContext is a context for a request that does not keep the request in memory. It has the request's values
// until the answer. Derived contexts depend on its own context, which never changes.
type detachedContext struct {
	context.Context
	request atomic.Pointer[context.Context] // nil when it is answered
}

// Deadline is the request's.
func (p *detachedContext) Deadline() (time.Time, bool) {
	if request := p.request.Load(); request != nil {
		return (*request).Deadline()
	}
	return time.Time{}, false
}

// Value is the request's.
func (p *detachedContext) Value(key any) any {
	if value := p.Context.Value(key); value != nil {
		return value
	}
	if request := p.request.Load(); request != nil {
		return (*request).Value(key)
	}
	return nil
}

// schemas is what this process keeps of the schemas. They are the same for every server of the process.
type schemas struct {
	// secret are the schemas with sensitive or write-only attributes, by the name of the resource, data source,
	// ephemeral resource or action.
	secret map[string]*tfprotov6.Schema
	// configs are the types of the configurations of all blocks, by the kind and the name of a block.
	configs map[string]tftypes.Type
}

var (
	keepOnce    sync.Once
	keptSchemas schemas
)

// GetProviderSchema returns all schemas of the provider, and stores what others need. Computing all of them takes
// longer than a small plan, and storing all of them takes memory that the collector multiplies.
func (s *protocolServer) GetProviderSchema(ctx context.Context, req *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	all, err := s.protocol.GetProviderSchema(ctx, req)
	if err == nil {
		keepOnce.Do(func() { keptSchemas = newSchemas(all) })
	}
	return all, err
}

// readSchemas returns what this process keeps of the schemas. A provider whose schemas cannot be read fails in every
// call.
func (s *protocolServer) readSchemas(ctx context.Context) *schemas {
	keepOnce.Do(func() {
		if all, err := s.protocol.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{}); err == nil {
			keptSchemas = newSchemas(all)
		}
	})
	return &keptSchemas
}

func newSchemas(all *tfprotov6.GetProviderSchemaResponse) schemas {
	found := schemas{map[string]*tfprotov6.Schema{}, map[string]tftypes.Type{providerBlock: all.Provider.ValueType()}}
	add := func(kind, name string, schema *tfprotov6.Schema) {
		found.configs[kind+" "+name] = schema.ValueType()
		if len(secretPaths(schema.Block, nil)) > 0 {
			found.secret[name] = schema
		}
	}
	for kind, schemas := range map[string]map[string]*tfprotov6.Schema{
		"resource": all.ResourceSchemas, "data": all.DataSourceSchemas, "ephemeral": all.EphemeralResourceSchemas, "list": all.ListResourceSchemas,
	} {
		for name, schema := range schemas {
			add(kind, name, schema)
		}
	}
	for name, action := range all.ActionSchemas {
		add("action", name, action.Schema)
	}
	return found
}
