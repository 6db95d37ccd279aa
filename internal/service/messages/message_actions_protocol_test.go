package messages_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

const sendAction, reportAction = "zulip_send_message", "zulip_report_message"

// invokeAction plans and invokes an action without an error, and returns its progress messages.
func invokeAction(t *testing.T, p *acctest.Process, action string, config values) []string {
	t.Helper()
	p.PlanAction(action, config).ExpectNoError(t)
	messages, diags := p.InvokeAction(context.Background(), action, config, nil)
	diags.ExpectNoError(t)
	return messages
}

func TestProtocolSendMessage(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_message")
	p := run.Process()
	messages := invokeAction(t, p, sendAction, inTopic("deploys", "Deployed.\n"))
	if len(messages) != 2 || messages[0] != `Sending to channel "general", topic "deploys"` || !strings.HasPrefix(messages[1], "Sent as message ") {
		t.Errorf("progress: %q", messages)
	}
	invokeAction(t, p, sendAction, inTopic("deploys", "Deployed.")) // one message for each invocation
	invokeAction(t, run.Process(), sendAction, inTopic("deploys", "Deployed."))
	expectWritten(t, o, "deploys", "Deployed.", "Deployed.", "Deployed.")
	messages = invokeAction(t, p, sendAction, values{"recipients": []any{"lena.fischer@example.com"}, "content": "Deployed."})
	if messages[0] != "Sending to lena.fischer@example.com" {
		t.Errorf("progress: %q", messages)
	}
}

// The last progress message has the URL if the server returns it.
func TestProtocolSendMessageURL(t *testing.T) {
	o, run := managedAt(t, featurelevel.MessageURL)
	progress := invokeAction(t, run.Process(), sendAction, inTopic("deploys", "Deployed."))
	if want := fmt.Sprintf(": %s/#narrow/channel/%d-general/topic/deploys/near/", o.Client.Site(), o.MustChannel(t, "general").ID); !strings.Contains(progress[1], want) {
		t.Errorf("progress: %q, want %q", progress, want)
	}
	o.Sandbox.SetFeatureLevel(featurelevel.MessageURL - 1)
	if progress := invokeAction(t, run.Process(), sendAction, inTopic("deploys", "Deployed.")); strings.Contains(progress[1], "://") {
		t.Errorf("progress: %q", progress)
	}
}

// A lost answer causes no second message. An equal earlier message does not count as sent.
func TestProtocolSendMessageLostAnswer(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_message")
	p := run.Process()
	invokeAction(t, p, sendAction, inTopic("deploys", "Deployed."))
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/messages", After: true, Action: sandbox.FaultDrop, Count: 1})
	invokeAction(t, p, sendAction, inTopic("deploys", "Deployed."))
	expectWritten(t, o, "deploys", "Deployed.", "Deployed.")
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/messages", After: false, Action: sandbox.FaultStatus, Status: 500, Count: 1})
	invokeAction(t, p, sendAction, inTopic("deploys", "Deployed."))
	expectWritten(t, o, "deploys", "Deployed.", "Deployed.", "Deployed.")
}

func TestProtocolSendMessageErrors(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_message")
	p := run.Process()
	for _, c := range []struct {
		config    values
		attribute string
		words     []string
	}{
		{inTopic("deploys", " "), "content", []string{"White space alone"}},
		{inTopic("deploys", strings.Repeat("x", 10001)), "content", []string{"accepts 10000"}},
		{values{"content": "x"}, "", []string{"No recipient"}},
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
	diags.ExpectError(t, "channel", `lena.fischer@example.com cannot post in channel "announcements"`)
}

// A cancelled action returns an answer, and sends nothing afterwards.
func TestProtocolSendMessageCancelled(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_message")
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
	o, run := acctest.StartRun(t, "zulip_message")
	run.MustApply(inTopic("rules", "Buy this!"))
	id, p := run.State.Values["id"], run.Process()
	config := values{"message_id": id, "report_type": "spam", "description": "Again."}
	_, diags := p.InvokeAction(context.Background(), reportAction, config, nil)
	diags.ExpectError(t, "", "Message reporting is not enabled", "moderation_request_channel_id")
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"moderation_request_channel_id": fmt.Sprint(o.MustChannel(t, "leads").ID)})

	sent := o.Sent()
	messages := invokeAction(t, p, reportAction, config)
	if fmt.Sprint(messages) != fmt.Sprintf("[Reporting message %v]", id) {
		t.Errorf("progress: %q", messages)
	}
	invokeAction(t, p, reportAction, values{"message_id": id, "report_type": "norms"})
	sent.Expect(t, "POST description report_type", "POST description report_type")

	p.PlanAction(reportAction, values{"message_id": id, "report_type": "other"}).ExpectError(t, "description", "requires a description")
	p.PlanAction(reportAction, values{"message_id": id, "report_type": "rude"}).ExpectError(t, "report_type", "harassment")
	p.PlanAction(reportAction, values{"message_id": id, "report_type": "other", "description": strings.Repeat("x", 1001)}).ExpectError(t, "description", "1000")
	_, diags = p.InvokeAction(context.Background(), reportAction, values{"message_id": 1, "report_type": "spam"}, nil)
	diags.ExpectError(t, "", "The message was deleted")
}

// A report is not sent again when its answer is lost, because the action cannot find out whether it arrived.
func TestProtocolReportMessageLostAnswer(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_message")
	run.MustApply(inTopic("rules", "Buy this!"))
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"moderation_request_channel_id": fmt.Sprint(o.MustChannel(t, "leads").ID)})
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/messages/*/report", After: true, Action: sandbox.FaultDrop})
	p, sent := run.Process(), o.Sent()
	_, diags := p.InvokeAction(context.Background(), reportAction, values{"message_id": run.State.Values["id"], "report_type": "spam"}, nil)
	diags.ExpectError(t, "", "may have received the report")
	sent.Expect(t, "POST description report_type")
}

func TestProtocolReportMessageOldServer(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 381})
	p := o.NewRun(t, "zulip_message").Process()
	p.PlanAction(reportAction, values{"message_id": 1, "report_type": "spam"}).ExpectError(t, "", "feature level 382")
}

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
	p.PlanAction(typing, values{"op": "start"}).ExpectError(t, "", "No recipient")
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

const flags, narrow, topic = "zulip_message_flags", "zulip_message_flags_for_narrow", "zulip_mark_topic_as_read"

// started starts a sandbox and a process of the provider, and sends messages to two topics of the channel "general"
// that the account has not read.
func started(t *testing.T) (o *acctest.Organization, p *acctest.Process, plans, news []any) {
	t.Helper()
	o = acctest.StartSandbox(t, sandbox.Config{})
	other := o.As(t, "member")
	channel := o.MustChannel(t, "general").ID
	for _, name := range []string{"plans", "plans", "plans", "news", ""} {
		id, err := other.Client.SendMessage(context.Background(), zulip.Addressee{ChannelID: channel, Topic: name}, "x")
		acctest.NoError(t, err)
		if name == "plans" {
			plans = append(plans, id)
		} else {
			news = append(news, id)
		}
	}
	return o, o.NewRun(t, "zulip_message").Process(), plans, news
}

// flagged returns the messages that have the flag.
func flagged(t *testing.T, o *acctest.Organization, flag string, messages []any) []any {
	t.Helper()
	with := []any{}
	for _, id := range messages {
		message, _ := o.Call(t, http.MethodGet, fmt.Sprintf("/messages/%v", id), nil)["message"].(map[string]any)
		list, _ := message["flags"].([]any)
		if slices.Contains(list, any(flag)) {
			with = append(with, id)
		}
	}
	return with
}

func expectFlagged(t *testing.T, o *acctest.Organization, flag string, messages []any, want ...any) {
	t.Helper()
	if got := flagged(t, o, flag, messages); !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", flag, got, want)
	}
}

func invokeFlags(t *testing.T, p *acctest.Process, action string, config values) (string, acctest.Diagnostics) {
	t.Helper()
	p.PlanAction(action, config).ExpectNoError(t)
	messages, diags := p.InvokeAction(context.Background(), action, config, nil)
	diags.ExpectNoError(t)
	return strings.Join(messages, "; "), diags
}

func TestProtocolMessageFlags(t *testing.T) {
	o, p, plans, _ := started(t)
	progress, _ := invokeFlags(t, p, flags, values{"messages": plans[:2], "op": "add", "flag": "starred"})
	if progress != "Flag starred of 2 messages: add" {
		t.Errorf("progress: %q", progress)
	}
	expectFlagged(t, o, "starred", plans, plans[0], plans[1])
	invokeFlags(t, p, flags, values{"messages": plans, "op": "remove", "flag": "starred"})
	expectFlagged(t, o, "starred", plans)

	p.PlanAction(flags, values{"messages": []any{}, "op": "add", "flag": "read"}).ExpectError(t, "messages", "between 1 and 5000", "It is empty")
	p.PlanAction(flags, values{"messages": plans, "op": "toggle", "flag": "read"}).ExpectError(t, "op", "remove")
	p.PlanAction(flags, values{"messages": plans, "op": "add", "flag": "mentioned"}).ExpectError(t, "flag", "collapsed")
	_, diags := p.InvokeAction(context.Background(), flags, values{"messages": []any{1}, "op": "add", "flag": "read"}, nil)
	diags.ExpectError(t, "", "Nothing was changed")
	// The server takes its time, so that there is something to cancel.
	heal := o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/messages/flags", Action: sandbox.FaultStall, Delay: time.Minute})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, diags = p.InvokeAction(ctx, flags, values{"messages": plans, "op": "add", "flag": "read"}, func(string) { cancel() })
	diags.ExpectError(t, "", "Cannot change the flag")
	heal()
}

// Below the feature level of the flag, a plan is refused, and so is a request.
func TestProtocolHideLinkPreviews(t *testing.T) {
	const flag = "hide_link_previews"
	o, _, plans, _ := started(t)
	byMessage := values{"messages": plans, "op": "add", "flag": flag}
	byNarrow := values{"anchor": "newest", "num_before": 100, "num_after": 0, "op": "remove", "flag": flag}
	at := func(level int) *acctest.Process {
		o.Sandbox.SetFeatureLevel(level)
		return o.NewRun(t, "zulip_message").Process()
	}
	for _, level := range []int{442, featurelevel.HideLinkPreviews - 1} {
		p := at(level)
		for action, config := range map[string]values{flags: byMessage, narrow: byNarrow} {
			p.PlanAction(action, config).ExpectError(t, "flag", "too old for flag = "+flag, "It requires feature level 510", "upgrade the server")
			_, diags := p.InvokeAction(context.Background(), action, config, nil)
			diags.ExpectError(t, "", "Cannot change the flag", flag)
		}
		p.PlanAction(flags, values{"messages": plans, "op": "add", "flag": "starred"}).ExpectNoError(t)
		p.PlanAction(flags, values{"messages": plans, "op": "add", "flag": acctest.Unknown}).ExpectNoError(t)
	}
	expectFlagged(t, o, flag, plans)
	p := at(featurelevel.HideLinkPreviews)
	invokeFlags(t, p, flags, byMessage)
	expectFlagged(t, o, flag, plans, plans...)
	invokeFlags(t, p, narrow, byNarrow)
	expectFlagged(t, o, flag, plans)
}

// Messages in a channel without a subscription cannot be unread: the server leaves them read, and the action reports
// that.
func TestProtocolMessageFlagsNotSubscribed(t *testing.T) {
	o, p, plans, _ := started(t)
	invokeFlags(t, p, flags, values{"messages": plans, "op": "add", "flag": "read"})
	o.Call(t, http.MethodDelete, "/users/me/subscriptions", map[string]string{"subscriptions": `["general"]`})
	_, diags := invokeFlags(t, p, flags, values{"messages": plans, "op": "remove", "flag": "read"})
	diags.ExpectWarning(t, "", "Some messages stay marked as read")
}

func TestProtocolMessageFlagsForNarrow(t *testing.T) {
	o, p, plans, news := started(t)
	inTopic := []any{values{"operator": "channel", "operand": fmt.Sprint(o.MustChannel(t, "general").ID)}, values{"operator": "topic", "operand": "plans"}}
	config := values{"anchor": "oldest", "num_before": 0, "num_after": 1, "narrow": inTopic, "op": "add", "flag": "read"}
	invokeFlags(t, p, narrow, config)
	if got := len(flagged(t, o, "read", plans)); got == 0 || got == len(plans) {
		t.Errorf("%d of %d are read, want one end of them", got, len(plans))
	}
	config["to_the_end"] = true
	progress, _ := invokeFlags(t, p, narrow, config)
	expectFlagged(t, o, "read", plans, plans...)
	expectFlagged(t, o, "read", news)
	if strings.Count(progress, "messages checked") < 2 {
		t.Errorf("progress: %q, want one for each step", progress)
	}
	others := values{"anchor": "newest", "num_before": 100, "num_after": 0, "op": "add", "flag": "starred",
		"narrow": []any{inTopic[0], values{"operator": "topic", "operand": "plans", "negated": true}}}
	invokeFlags(t, p, narrow, others)
	expectFlagged(t, o, "starred", plans)
	if got := flagged(t, o, "starred", news); len(got) != len(news) {
		t.Errorf("starred: %v of %v", got, news)
	}
	others["op"] = "remove"
	invokeFlags(t, p, narrow, others)
	expectFlagged(t, o, "starred", news)
}

// When the action is cancelled in the second step, it reports what was done, and there is no third step.
func TestProtocolMessageFlagsForNarrowCancelled(t *testing.T) {
	o, p, _, _ := started(t)
	sent := o.Sent()
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/messages/flags/narrow", Action: sandbox.FaultStall, Delay: time.Minute, Skip: 1})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, diags := p.InvokeAction(ctx, narrow, values{"anchor": "oldest", "num_before": 0, "num_after": 1, "to_the_end": true, "op": "add", "flag": "read",
		"narrow": []any{values{"operator": "topic", "operand": "plans"}}}, func(string) { cancel() })
	diags.ExpectError(t, "", "messages were checked")
	if requests := len(sent.Writes()); requests > 2 {
		t.Errorf("%d requests: the action went on", requests)
	}
}

func TestProtocolMessageFlagsForNarrowErrors(t *testing.T) {
	_, p, _, _ := started(t)
	config := func(change values) values {
		config := values{"anchor": "newest", "num_before": 10, "num_after": 10, "op": "add", "flag": "read"}
		for name, value := range change {
			config[name] = value
		}
		return config
	}
	for _, c := range []struct {
		change    values
		attribute string
		words     []string
	}{
		{values{"anchor": "latest"}, "anchor", []string{"first_unread"}},
		{values{"num_before": 4000, "num_after": 4000}, "num_after", []string{"add up to 8000", "to_the_end"}},
		{values{"include_anchor": false}, "include_anchor", []string{"Set num_before or num_after to 0"}},
		{values{"to_the_end": true}, "to_the_end", []string{"num_before = 0"}},
		{values{"num_before": -1}, "num_before", []string{"between 0 and 5000"}},
	} {
		p.PlanAction(narrow, config(c.change)).ExpectError(t, c.attribute, c.words...)
	}
	p.PlanAction(narrow, config(values{"narrow": acctest.Unknown, "num_before": acctest.Unknown})).ExpectNoError(t)
	_, diags := p.InvokeAction(context.Background(), narrow, config(values{"narrow": []any{values{"operator": "color", "operand": "red"}}}), nil)
	diags.ExpectError(t, "", "Cannot change the flag", "color")
}

func TestProtocolMarkTopicAsRead(t *testing.T) {
	o, p, plans, news := started(t)
	progress, _ := invokeFlags(t, p, topic, values{"channel": "general", "topic": "plans"})
	if progress != `Marking topic "plans" of channel "general" as read` {
		t.Errorf("progress: %q", progress)
	}
	expectFlagged(t, o, "read", plans, plans...)
	expectFlagged(t, o, "read", news)
	progress, _ = invokeFlags(t, p, topic, values{"channel": "general", "whole_channel": true})
	if progress != `Marking the whole channel "general" as read` {
		t.Errorf("progress: %q", progress)
	}
	expectFlagged(t, o, "read", news, news...)
}

// The server treats a topic without a name as the whole channel. It is refused unless whole_channel is set, even if it
// was unknown during plan.
func TestProtocolMarkTopicAsReadTrap(t *testing.T) {
	o, p, plans, news := started(t)
	for _, name := range []any{"", " ", "general chat", "(no topic)", nil} {
		config := values{"channel": "general", "topic": name}
		p.PlanAction(topic, config).ExpectError(t, "topic", "whole channel", "whole_channel = true", "zulip_message_flags_for_narrow")
		_, diags := p.InvokeAction(context.Background(), topic, config, nil)
		diags.ExpectError(t, "topic", "whole channel")
	}
	p.PlanAction(topic, values{"channel": "general", "topic": acctest.Unknown}).ExpectNoError(t)
	p.PlanAction(topic, values{"channel": "general", "topic": "plans", "whole_channel": true}).ExpectError(t, "whole_channel", "topic and whole_channel exclude each other")
	expectFlagged(t, o, "read", append(plans, news...))

	p.PlanAction(topic, values{"channel": "genral", "topic": "plans"}).ExpectError(t, "channel", `did you mean "general"?`)
	_, diags := p.InvokeAction(context.Background(), topic, values{"channel": "general", "topic": "nothing here"}, nil)
	diags.ExpectError(t, "", "Cannot mark topic", "No such topic")
}

// An element of the list is wholly unknown if an unknown condition decides it.
func TestProtocolFlagsForNarrowUnknownTerm(t *testing.T) {
	_, p, _, _ := started(t)
	config := values{
		"anchor": "oldest", "num_before": 0, "num_after": 10, "flag": "read", "op": "add",
		"narrow": []any{acctest.Unknown},
	}
	p.PlanAction(narrow, config).ExpectNoError(t)
	for name, term := range map[string]any{"operand": values{"operator": "is"}, "operator": values{"operand": "starred"}} {
		config["narrow"] = []any{acctest.Unknown, term}
		p.PlanAction(narrow, config).ExpectError(t, "narrow", "Missing required attribute", "narrow[1]."+name)
	}
}
