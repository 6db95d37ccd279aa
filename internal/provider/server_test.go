package provider_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/zulip-iac/terraform-provider-zulip/internal/provider"
)

type contextKey struct{}

// TestServerLetsRequestsGo looks whether what comes with a request is collected when the request is answered.
func TestServerLetsRequestsGo(t *testing.T) {
	server := provider.NewServer("test")
	state := &tfprotov6.RawState{JSON: []byte(`{"id": 7, "name": "general"}`)}
	for name, ask := range map[string]func(context.Context) error{
		"state": func(ctx context.Context) error {
			_, err := server.UpgradeResourceState(ctx, &tfprotov6.UpgradeResourceStateRequest{TypeName: "zulip_channel", RawState: state})
			return err
		},
		"function": func(ctx context.Context) error {
			_, err := server.CallFunction(ctx, &tfprotov6.CallFunctionRequest{Name: "role_code"})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			collected := make(chan struct{})
			func() {
				load := &[1 << 14]byte{} // as much as a request's loggers
				runtime.AddCleanup(load, func(done chan struct{}) { close(done) }, collected)
				ctx, cancel := context.WithCancel(context.WithValue(t.Context(), contextKey{}, load))
				defer cancel()
				if err := ask(ctx); err != nil {
					t.Fatal(err)
				}
			}()
			runtime.GC()
			select {
			case <-collected:
			case <-time.After(10 * time.Second):
				t.Error("the server still holds the request")
			}
			runtime.KeepAlive(server)
		})
	}
}

// TestServerPassesCancellationOn looks whether a request still ends when its caller gives up.
func TestServerPassesCancellationOn(t *testing.T) {
	var seen error
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err := provider.Passing(ctx, "a request", func(ctx context.Context, req string) (any, error) {
		if _, limited := ctx.Deadline(); limited || ctx.Err() != nil {
			t.Error("the context has ended before it began")
		}
		under, stop := context.WithTimeout(ctx, time.Hour)
		defer stop()
		cancel(errors.New("no more"))
		<-under.Done()
		seen = under.Err()
		return len(req), seen
	})
	if !errors.Is(err, context.Canceled) || !errors.Is(seen, context.Canceled) {
		t.Errorf("after its caller gave up the request got %v, and said %v", seen, err)
	}
}

// TestServerContextKeepsItsChannel looks whether what waits for the end of a request waits for one thing: the channel that
// a context has may not become another one.
func TestServerContextKeepsItsChannel(t *testing.T) {
	var before, during <-chan struct{}
	var kept context.Context
	ctx, cancel := context.WithCancel(t.Context())
	_, _ = provider.Passing(ctx, "", func(ctx context.Context, _ string) (any, error) {
		kept, before = ctx, ctx.Done()
		cancel()
		<-ctx.Done()
		during = ctx.Done()
		return nil, nil
	})
	if before != during || before != kept.Done() {
		t.Error("the context has had several channels")
	}
}

// TestServerEndsContexts looks whether work that outlives its request sees that it is over.
func TestServerEndsContexts(t *testing.T) {
	var kept context.Context
	_, _ = provider.Passing(context.WithValue(t.Context(), contextKey{}, "here"), "", func(ctx context.Context, _ string) (any, error) {
		kept = ctx
		if ctx.Value(contextKey{}) != "here" {
			t.Error("the request does not see its values")
		}
		return nil, nil
	})
	if kept.Err() == nil || kept.Value(contextKey{}) != nil {
		t.Error("the context lives on after its request")
	}
}
