package provider_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/provider"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// Secrets are found in any depth, in lists and maps, and under write-only attributes.
func TestSecrets_AnyDepth_Found(t *testing.T) {
	text := tftypes.String
	inner := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"plain": text, "hidden": tftypes.Map{ElementType: text}}}
	schema := &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{Attributes: []*tfprotov6.SchemaAttribute{
		{Name: "name", Type: text, Required: true},
		{Name: "password", Type: text, Optional: true, WriteOnly: true},
		{Name: "later", Type: text, Optional: true, Sensitive: true},
		{Name: "parts", Optional: true, NestedType: &tfprotov6.SchemaObject{Nesting: tfprotov6.SchemaObjectNestingModeList, Attributes: []*tfprotov6.SchemaAttribute{
			{Name: "plain", Type: text, Optional: true},
			{Name: "hidden", Type: tftypes.Map{ElementType: text}, Optional: true, Sensitive: true},
		}}},
	}}}
	of := func(value string) tftypes.Value { return tftypes.NewValue(text, value) }
	value, err := tfprotov6.NewDynamicValue(schema.ValueType(), tftypes.NewValue(schema.ValueType(), map[string]tftypes.Value{
		"name": of("shown"), "password": of("one"), "later": tftypes.NewValue(text, tftypes.UnknownValue),
		"parts": tftypes.NewValue(tftypes.List{ElementType: inner}, []tftypes.Value{tftypes.NewValue(inner, map[string]tftypes.Value{
			"plain":  of("shown too"),
			"hidden": tftypes.NewValue(tftypes.Map{ElementType: text}, map[string]tftypes.Value{"key": of("two")}),
		})}),
	}))
	requireNoError(t, err)
	found := provider.Secrets(schema, &value)
	slices.Sort(found)
	if !slices.Equal(found, []string{"one", "two"}) {
		t.Errorf("found %q", found)
	}
}

// changedLater is a resource with an attribute that is changed between a plan and its apply.
type changedLater struct {
	of     string
	config values
	// attribute is the attribute that the plan changes to a value, and that a change outside Terraform sets to a
	// third one. other is a further attribute that is changed outside Terraform.
	attribute        string
	planned, another any
	other            string
	theirs           any
}

func changedMeanwhile() []changedLater {
	const later, evenLater = "2035-01-31T09:00:00Z", "2036-01-31T09:00:00Z"
	return []changedLater{
		{"zulip_linkifier", values{"pattern": "a(?P<id>[0-9]+)", "url_template": "https://a.example.com/{id}"}, "pattern", "b(?P<id>[0-9]+)", "c(?P<id>[0-9]+)", "url_template", "https://b.example.com/{id}"},
		{"zulip_channel_folder", values{"name": "a"}, "name", "b", "c", "description", "theirs"},
		{"zulip_custom_profile_field", values{"field_type": "short_text", "name": "a"}, "name", "b", "c", "hint", "theirs"},
		{"zulip_default_channel_group", values{"name": "a", "description": "x"}, "name", "b", "c", "description", "theirs"},
		{"zulip_bot", values{"short_name": "alerts", "full_name": "a bot"}, "full_name", "b bot", "c bot", "role", "guest"},
		{"zulip_bot", values{"short_name": "alerts", "full_name": "a bot"}, "default_sending_stream", "general", "incidents", "owner", "lena.fischer@example.com"},
		{"zulip_user", values{"email": "nadia.haddad@example.com", "full_name": "Nadia Haddad"}, "role", "moderator", "guest", "full_name", "Nadia"},
		{"zulip_channel", values{"name": "a", "description": "ours"}, "name", "b", "c", "description", "theirs"},
		{"zulip_user_group", values{"name": "a", "description": "ours"}, "description", "b", "c", "name", "theirs"},
		{"zulip_draft", values{"channel": "general", "topic": "x", "content": "a"}, "content", "b", "c", "topic", "theirs"},
		{"zulip_message", values{"channel": "general", "topic": "x", "content": "a"}, "content", "b", "c", "topic", "theirs"},
		{"zulip_message", values{"channel": "general", "topic": "x", "content": "a"}, "topic", "y", "z", "content", "theirs"},
		{
			"zulip_scheduled_message", values{"channel": "general", "topic": "x", "content": "a", "scheduled_delivery_timestamp": later}, "content", "b", "c",
			"scheduled_delivery_timestamp", evenLater,
		},
	}
}

func eachMeanwhile(t *testing.T, test func(*testing.T, changedLater, *acctest.Organization, *acctest.Run)) {
	t.Helper()
	for _, one := range changedMeanwhile() {
		t.Run(one.of+"/"+one.attribute, func(t *testing.T) {
			t.Parallel()
			o := acctest.NewSandbox(t, sandbox.Config{})
			run := o.NewRun(t, one.of)
			run.MustApply(one.config)
			test(t, one, o, run)
		})
	}
}

// and returns a configuration with one more attribute.
func and(config values, attribute string, value any) values {
	more := maps.Clone(config)
	more[attribute] = value
	return more
}

// A change of another attribute outside Terraform is kept, although the server may require whole objects.
func TestProtocolChange_OtherAttributeChanged_Kept(t *testing.T) {
	eachMeanwhile(t, func(t *testing.T, one changedLater, _ *acctest.Organization, run *acctest.Run) {
		plan := run.MustPlan(and(one.config, one.attribute, one.planned))
		run.Fork().MustApply(and(one.config, one.other, one.theirs))
		run.Apply(plan).ExpectNoError(t)
		now := run.Fork()
		now.Refresh().ExpectNoError(t)
		if now.State.Values[one.attribute] != one.planned || now.State.Values[one.other] != one.theirs {
			t.Errorf("%s is %v, and %s is %v", one.attribute, now.State.Values[one.attribute], one.other, now.State.Values[one.other])
		}
	})
}

// The server refuses a change because of the rate limit, and the same attribute is changed before the request may be
// repeated. That change is not overwritten either.
func TestProtocolChange_DuringRateLimit_NotOverwritten(t *testing.T) {
	eachMeanwhile(t, func(t *testing.T, one changedLater, o *acctest.Organization, run *acctest.Run) {
		plan := run.MustPlan(and(one.config, one.attribute, one.planned))
		byHand := run.Fork()
		gate := o.Sandbox.Gate(http.MethodPatch, "")
		defer gate.Open()
		applied := make(chan acctest.Diagnostics)
		go func() { applied <- run.Apply(plan) }()
		held := <-gate.Arrived
		changed := make(chan acctest.Diagnostics)
		go func() {
			theirs, diags := byHand.Plan(and(one.config, one.attribute, one.another))
			if theirs != nil {
				diags = byHand.Apply(theirs)
			}
			changed <- diags
		}()
		(<-gate.Arrived).Release()
		(<-changed).ExpectNoError(t)
		o.Sandbox.Fail(sandbox.Fault{
			Method: http.MethodPatch, Action: sandbox.FaultStatus, Status: http.StatusTooManyRequests, RetryAfter: 20 * time.Millisecond, Count: 1,
		})
		patches := func() int { return o.Sandbox.Journal().Count(sandbox.Filter{Method: http.MethodPatch}) }
		before := patches()
		held.Release()
		gate.Open()
		(<-applied).ExpectError(t, "", "was changed after the plan was made", one.attribute+"\n", fmt.Sprintf("now:                        %#v", one.another))
		if count := patches() - before; count != 1 { // the refused request
			t.Errorf("%d requests for a change were made", count)
		}
		if now := run.State.Values[one.attribute]; now != one.another {
			t.Errorf("the state says that %s is %v", one.attribute, now)
		}
	})
}

// An apply of one attribute sends only this attribute, if the server accepts it alone.
func TestProtocolBot_OneAttribute_SentOnly(t *testing.T) {
	o := acctest.NewSandbox(t, sandbox.Config{})
	run := o.NewRun(t, "zulip_bot")
	config := values{"short_name": "alerts", "full_name": "Alerts"}
	run.MustApply(config)
	plan := run.MustPlan(and(config, "full_name", "Alarms"))
	path := fmt.Sprint("/bots/", run.State.Values["id"])
	o.Call(t, "PATCH", path, map[string]string{
		"bot_owner_id": fmt.Sprint(lenaID(t, o)), "default_sending_stream": "general",
		"default_events_register_stream": "incidents", "default_all_public_streams": "true",
	})
	sent := o.Sent()
	run.Apply(plan).ExpectNoError(t)
	sent.Expect(t, "PATCH full_name")
	now := run.Fork()
	now.Refresh().ExpectNoError(t)
	theirs := values{"owner": "lena.fischer@example.com", "default_sending_stream": "general", "default_all_public_streams": true}
	for attribute, want := range theirs {
		if got := now.State.Values[attribute]; got != want && !strings.EqualFold(fmt.Sprint(got), fmt.Sprint(want)) {
			t.Errorf("%s is %v", attribute, got)
		}
	}
}

func lenaID(t *testing.T, o *acctest.Organization) int64 {
	t.Helper()
	lena, err := o.Client.UserByEmail(t.Context(), "lena.fischer@example.com")
	requireNoError(t, err)
	return lena.ID
}

type contextKey struct{}

// TestServer_RequestAnswered_MemoryFreed checks that the memory of a request is freed after its answer.
func TestServer_RequestAnswered_MemoryFreed(t *testing.T) {
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
				requireNoError(t, ask(ctx))
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

func TestServerContext_CallerCanceled_Ends(t *testing.T) {
	caller, cancel := context.WithCancelCause(t.Context())
	ctx, end := provider.UntilAnswered(caller)
	defer end()
	if _, isLimited := ctx.Deadline(); isLimited || ctx.Err() != nil {
		t.Error("the context has ended before it began")
	}
	derived, stop := context.WithTimeout(ctx, time.Hour)
	defer stop()
	before := ctx.Done()
	cancel(errors.New("no more"))
	<-derived.Done()
	if !errors.Is(derived.Err(), context.Canceled) {
		t.Errorf("after its caller gave up the request got %v", derived.Err())
	}
	// Code that waits for the end of a request waits for one channel.
	if during := ctx.Done(); before != during {
		t.Error("the context has had several channels")
	}
	if end(); before != ctx.Done() {
		t.Error("the context has had several channels")
	}
}

// Work that continues after its request sees that the request is over.
func TestServerContext_RequestAnswered_Ends(t *testing.T) {
	ctx, end := provider.UntilAnswered(context.WithValue(t.Context(), contextKey{}, "here"))
	if ctx.Value(contextKey{}) != "here" {
		t.Error("the request does not see its values")
	}
	if end(); ctx.Err() == nil || ctx.Value(contextKey{}) != nil {
		t.Error("the context lives on after its request")
	}
}
