//nolint:revive // each method is that of the framework's server, or of the context that it stands for
package provider

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// NewServer returns the provider of a version as the CLI talks to it.
func NewServer(version string) tfprotov6.ProviderServer {
	whole, ok := providerserver.NewProtocol6(New(version)())().(protocol)
	if !ok {
		panic("the framework's server does not answer all of the protocol any more")
	}
	return &lean{whole}
}

// protocol is all that the framework's server answers.
//
//nolint:staticcheck // the parts have no other names until they belong to tfprotov6.ProviderServer
type protocol interface {
	tfprotov6.ProviderServerWithActions
	tfprotov6.ProviderServerWithListResource
	tfprotov6.ProviderServerWithStateStores
}

// lean is the framework's, but for what it keeps: it holds the context of every request until it is stopped, and with it
// the request's loggers and stream, some 25 kB. A plan asks four times per resource, so that thousands of resources would
// take hundreds of megabytes that the collector marks again and again. What is asked once per object is therefore answered
// under a context that lets go of everything when the answer is there.
type lean struct{ protocol }

func (s *lean) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return passing(ctx, req, s.protocol.ValidateResourceConfig)
}

func (s *lean) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return passing(ctx, req, s.protocol.UpgradeResourceState)
}

func (s *lean) UpgradeResourceIdentity(ctx context.Context, req *tfprotov6.UpgradeResourceIdentityRequest) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	return passing(ctx, req, s.protocol.UpgradeResourceIdentity)
}

func (s *lean) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return passing(ctx, req, s.protocol.ReadResource)
}

func (s *lean) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	return passing(ctx, req, s.protocol.PlanResourceChange)
}

func (s *lean) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return passing(ctx, req, s.protocol.ApplyResourceChange)
}

func (s *lean) ImportResourceState(ctx context.Context, req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	return passing(ctx, req, s.protocol.ImportResourceState)
}

func (s *lean) ValidateDataResourceConfig(ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return passing(ctx, req, s.protocol.ValidateDataResourceConfig)
}

func (s *lean) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	return passing(ctx, req, s.protocol.ReadDataSource)
}

func (s *lean) CallFunction(ctx context.Context, req *tfprotov6.CallFunctionRequest) (*tfprotov6.CallFunctionResponse, error) {
	return passing(ctx, req, s.protocol.CallFunction)
}

// passing answers a request under a context that ends with it.
func passing[Request, Response any](ctx context.Context, req Request, answer func(context.Context, Request) (Response, error)) (Response, error) {
	passing := &passingContext{}
	passing.current.Store(&ctx)
	defer passing.current.Store(&over)
	return answer(passing, req)
}

// passingContext is a request's context until the request is answered, and [over] from then on.
type passingContext struct {
	current atomic.Pointer[context.Context]
}

// over is what a context is after its request.
var over = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

func (p *passingContext) Deadline() (time.Time, bool) { return (*p.current.Load()).Deadline() }
func (p *passingContext) Done() <-chan struct{}       { return (*p.current.Load()).Done() }
func (p *passingContext) Err() error                  { return (*p.current.Load()).Err() }
func (p *passingContext) Value(key any) any           { return (*p.current.Load()).Value(key) }
