package typing_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// These are attributes, as tests write them.
type values = acctest.Values

const typing = "zulip_typing"

func TestProtocolTyping(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	p := o.NewRun(t, "zulip_message").Process()
	channel := values{"op": "start", "channel": "general", "topic": "plans"}
	people := values{"op": "stop", "recipients": []any{"lena.fischer@example.com"}}
	sent := o.Sent()
	for config, want := range map[*values]string{&channel: `Typing (start) to channel "general", topic "plans"`, &people: "Typing (stop) to lena.fischer@example.com"} {
		p.PlanAction(typing, *config).ExpectNoError(t)
		messages, diags := p.InvokeAction(context.Background(), typing, *config, nil)
		diags.ExpectNoError(t)
		if fmt.Sprint(messages) != "["+want+"]" {
			t.Errorf("progress: %q, want %q", messages, want)
		}
	}
	sent.Expect(t, "POST op stream_id topic type", "POST op to")

	p.PlanAction(typing, values{"op": "pause", "channel": "general", "topic": "plans"}).ExpectError(t, "op", "start")
	p.PlanAction(typing, values{"op": "start"}).ExpectError(t, "", "Nobody to send to")
	p.PlanAction(typing, values{"op": "start", "channel": "genral", "topic": "x"}).ExpectError(t, "channel", `did you mean "general"?`)
	p.PlanAction(typing, values{"op": "start", "channel": acctest.Unknown, "topic": "x"}).ExpectNoError(t)

	member := o.As(t, "member").NewRun(t, "zulip_message").Process()
	_, diags := member.InvokeAction(context.Background(), typing, values{"op": "start", "channel": "announcements", "topic": "x"}, nil)
	diags.ExpectError(t, "", "Cannot show that the account is typing", "permission")

	// The server takes its time, so that there is something to cancel.
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/typing", Action: sandbox.FaultStall, Delay: time.Minute})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, diags = p.InvokeAction(ctx, typing, channel, func(string) { cancel() })
	diags.ExpectError(t, "", "Cannot show that the account is typing")
}
