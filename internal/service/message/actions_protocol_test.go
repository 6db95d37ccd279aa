package message_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

const sendAction, reportAction = "zulip_send_message", "zulip_report_message"

// invoke plans and invokes an action without an error, and returns its progress messages.
func invoke(t *testing.T, p *acctest.Process, action string, config values) []string {
	t.Helper()
	p.PlanAction(action, config).ExpectNoError(t)
	messages, diags := p.InvokeAction(context.Background(), action, config, nil)
	diags.ExpectNoError(t)
	return messages
}

func TestProtocolSendMessage(t *testing.T) {
	o, run := managed(t)
	p := run.Process()
	messages := invoke(t, p, sendAction, inTopic("deploys", "Deployed.\n"))
	if len(messages) != 2 || messages[0] != `Sending to channel "general", topic "deploys"` || !strings.HasPrefix(messages[1], "Sent as message ") {
		t.Errorf("progress: %q", messages)
	}
	invoke(t, p, sendAction, inTopic("deploys", "Deployed.")) // once each time it is invoked
	invoke(t, run.Process(), sendAction, inTopic("deploys", "Deployed."))
	expectWritten(t, o, "deploys", "Deployed.", "Deployed.", "Deployed.")
	messages = invoke(t, p, sendAction, values{"recipients": []any{"lena.fischer@example.com"}, "content": "Deployed."})
	if messages[0] != "Sending to lena.fischer@example.com" {
		t.Errorf("progress: %q", messages)
	}
}

// The last message names the URL where the server says it.
func TestProtocolSendMessageURL(t *testing.T) {
	o, run := managedAt(t, featurelevel.MessageURL)
	progress := invoke(t, run.Process(), sendAction, inTopic("deploys", "Deployed."))
	if want := fmt.Sprintf(": %s/#narrow/channel/%d-general/topic/deploys/near/", o.Client.Site(), o.MustChannel(t, "general").ID); !strings.Contains(progress[1], want) {
		t.Errorf("progress: %q, want %q", progress, want)
	}
	o.Sandbox.SetFeatureLevel(featurelevel.MessageURL - 1)
	if progress := invoke(t, run.Process(), sendAction, inTopic("deploys", "Deployed.")); strings.Contains(progress[1], "://") {
		t.Errorf("progress: %q", progress)
	}
}

// A lost answer is no second message; an equal one from before does not count as sent.
func TestProtocolSendMessageLostAnswer(t *testing.T) {
	o, run := managed(t)
	p := run.Process()
	invoke(t, p, sendAction, inTopic("deploys", "Deployed."))
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/messages", After: true, Action: sandbox.FaultDrop, Count: 1})
	invoke(t, p, sendAction, inTopic("deploys", "Deployed."))
	expectWritten(t, o, "deploys", "Deployed.", "Deployed.")
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/messages", After: false, Action: sandbox.FaultStatus, Status: 500, Count: 1})
	invoke(t, p, sendAction, inTopic("deploys", "Deployed."))
	expectWritten(t, o, "deploys", "Deployed.", "Deployed.", "Deployed.")
}

func TestProtocolSendMessageErrors(t *testing.T) {
	o, run := managed(t)
	p := run.Process()
	for _, c := range []struct {
		config    values
		attribute string
		words     []string
	}{
		{inTopic("deploys", " "), "content", []string{"not blank"}},
		{inTopic("deploys", strings.Repeat("x", 10001)), "content", []string{"takes 10000"}},
		{values{"content": "x"}, "", []string{"Nobody to send to"}},
		{values{"channel": "genral", "topic": "deploys", "content": "x"}, "channel", []string{`did you mean "general"?`}},
	} {
		p.PlanAction(sendAction, c.config).ExpectError(t, c.attribute, c.words...)
	}
	p.PlanAction(sendAction, values{"channel": acctest.Unknown, "topic": acctest.Unknown, "content": acctest.Unknown}).ExpectNoError(t)

	member := o.As(t, "guest").NewRun(t, "zulip_message").Process()
	_, diags := member.InvokeAction(context.Background(), sendAction, values{"recipients": []any{"999999"}, "content": "x"}, nil)
	diags.ExpectError(t, "recipients", "999999")
	_, diags = o.As(t, "member").NewRun(t, "zulip_message").Process().InvokeAction(context.Background(), sendAction,
		values{"channel": "announcements", "topic": "x", "content": "x"}, nil)
	diags.ExpectError(t, "", "You do not have permission to post in this channel.")
}

// Whoever cancels gets an answer, and nothing is tried after it.
func TestProtocolSendMessageCancelled(t *testing.T) {
	o, run := managed(t)
	p, sent := run.Process(), o.Sent()
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/messages", Action: sandbox.FaultStall, Delay: time.Minute})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, diags := p.InvokeAction(ctx, sendAction, inTopic("deploys", "Deployed."), func(string) { cancel() })
	diags.ExpectError(t, "", "Cannot send the message")
	if requests := len(sent.Writes()); requests > 1 {
		t.Errorf("%d requests: the action went on", requests)
	}
}

func TestProtocolReportMessage(t *testing.T) {
	o, run := managed(t)
	run.MustApply(inTopic("rules", "Buy this!"))
	id, p := run.State.Values["id"], run.Process()
	config := values{"message_id": id, "report_type": "spam", "description": "Again."}
	_, diags := p.InvokeAction(context.Background(), reportAction, config, nil)
	diags.ExpectError(t, "", "Message reporting is not enabled", "moderation_request_channel_id")
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"moderation_request_channel_id": fmt.Sprint(o.MustChannel(t, "leads").ID)})

	sent := o.Sent()
	messages := invoke(t, p, reportAction, config)
	if fmt.Sprint(messages) != fmt.Sprintf("[Reporting message %v]", id) {
		t.Errorf("progress: %q", messages)
	}
	invoke(t, p, reportAction, values{"message_id": id, "report_type": "norms"})
	sent.Expect(t, "POST description report_type", "POST description report_type")

	p.PlanAction(reportAction, values{"message_id": id, "report_type": "other"}).ExpectError(t, "description", "wants a description")
	p.PlanAction(reportAction, values{"message_id": id, "report_type": "rude"}).ExpectError(t, "report_type", "harassment")
	p.PlanAction(reportAction, values{"message_id": id, "report_type": "other", "description": strings.Repeat("x", 1001)}).ExpectError(t, "description", "1000")
	_, diags = p.InvokeAction(context.Background(), reportAction, values{"message_id": 1, "report_type": "spam"}, nil)
	diags.ExpectError(t, "", "The message is gone")
}

// A report is not sent twice when its answer is lost: nobody could find out whether it arrived.
func TestProtocolReportMessageLostAnswer(t *testing.T) {
	o, run := managed(t)
	run.MustApply(inTopic("rules", "Buy this!"))
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"moderation_request_channel_id": fmt.Sprint(o.MustChannel(t, "leads").ID)})
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/messages/*/report", After: true, Action: sandbox.FaultDrop})
	p, sent := run.Process(), o.Sent()
	_, diags := p.InvokeAction(context.Background(), reportAction, values{"message_id": run.State.Values["id"], "report_type": "spam"}, nil)
	diags.ExpectError(t, "", "may have got the report")
	sent.Expect(t, "POST description report_type")
}

func TestProtocolReportMessageOldServer(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 381})
	p := o.NewRun(t, "zulip_message").Process()
	p.PlanAction(reportAction, values{"message_id": 1, "report_type": "spam"}).ExpectError(t, "", "feature level 382")
}
