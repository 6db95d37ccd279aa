package messageflags_test

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

// These are attributes, as tests write them.
type values = acctest.Values

const flags, narrow, topic = "zulip_message_flags", "zulip_message_flags_for_narrow", "zulip_mark_topic_as_read"

// started gives a test a sandbox, a process of the provider, and messages in two topics of the channel "general" that the
// account has not read.
func started(t *testing.T) (o *acctest.Organization, p *acctest.Process, plans, news []any) {
	t.Helper()
	o = acctest.StartSandbox(t, sandbox.Config{})
	other := o.As(t, "member")
	channel := o.MustChannel(t, "general").ID
	for _, name := range []string{"plans", "plans", "plans", "news", ""} {
		id, err := other.Client.SendMessage(context.Background(), zulip.Addressee{ChannelID: channel, Topic: name}, "x")
		if err != nil {
			t.Fatal(err)
		}
		if name == "plans" {
			plans = append(plans, id)
		} else {
			news = append(news, id)
		}
	}
	return o, o.NewRun(t, "zulip_message").Process(), plans, news
}

// flagged returns those of the messages that have the flag.
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

func invoke(t *testing.T, p *acctest.Process, action string, config values) (string, acctest.Diagnostics) {
	t.Helper()
	p.PlanAction(action, config).ExpectNoError(t)
	messages, diags := p.InvokeAction(context.Background(), action, config, nil)
	diags.ExpectNoError(t)
	return strings.Join(messages, "; "), diags
}

func TestProtocolMessageFlags(t *testing.T) {
	o, p, plans, _ := started(t)
	progress, _ := invoke(t, p, flags, values{"messages": plans[:2], "op": "add", "flag": "starred"})
	if progress != "Flag starred of 2 messages: add" {
		t.Errorf("progress: %q", progress)
	}
	expectFlagged(t, o, "starred", plans, plans[0], plans[1])
	invoke(t, p, flags, values{"messages": plans, "op": "remove", "flag": "starred"})
	expectFlagged(t, o, "starred", plans)

	p.PlanAction(flags, values{"messages": []any{}, "op": "add", "flag": "read"}).ExpectError(t, "messages", "between 1 and 5000", "It is empty")
	p.PlanAction(flags, values{"messages": plans, "op": "toggle", "flag": "read"}).ExpectError(t, "op", "remove")
	p.PlanAction(flags, values{"messages": plans, "op": "add", "flag": "mentioned"}).ExpectError(t, "flag", "collapsed")
	_, diags := p.InvokeAction(context.Background(), flags, values{"messages": []any{1}, "op": "add", "flag": "read"}, nil)
	diags.ExpectError(t, "", "None was changed")
	// The server takes its time, so that there is something to cancel.
	heal := o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/messages/flags", Action: sandbox.FaultStall, Delay: time.Minute})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, diags = p.InvokeAction(ctx, flags, values{"messages": plans, "op": "add", "flag": "read"}, func(string) { cancel() })
	diags.ExpectError(t, "", "Cannot change the flag")
	heal()
}

// The flag came with a feature level; below it a plan is refused, and so is a request.
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
			p.PlanAction(action, config).ExpectError(t, "flag", "too old for flag = "+flag, "It needs feature level 510", "upgrade the server")
			_, diags := p.InvokeAction(context.Background(), action, config, nil)
			diags.ExpectError(t, "", "Cannot change the flag", flag)
		}
		p.PlanAction(flags, values{"messages": plans, "op": "add", "flag": "starred"}).ExpectNoError(t)
		p.PlanAction(flags, values{"messages": plans, "op": "add", "flag": acctest.Unknown}).ExpectNoError(t)
	}
	expectFlagged(t, o, flag, plans)
	p := at(featurelevel.HideLinkPreviews)
	invoke(t, p, flags, byMessage)
	expectFlagged(t, o, flag, plans, plans...)
	invoke(t, p, narrow, byNarrow)
	expectFlagged(t, o, flag, plans)
}

// Nobody has unread messages in a channel they are not in: the server leaves them read, and the action says so.
func TestProtocolMessageFlagsNotSubscribed(t *testing.T) {
	o, p, plans, _ := started(t)
	invoke(t, p, flags, values{"messages": plans, "op": "add", "flag": "read"})
	o.Call(t, http.MethodDelete, "/users/me/subscriptions", map[string]string{"subscriptions": `["general"]`})
	_, diags := invoke(t, p, flags, values{"messages": plans, "op": "remove", "flag": "read"})
	diags.ExpectWarning(t, "", "Some messages stay read")
}

func TestProtocolMessageFlagsForNarrow(t *testing.T) {
	o, p, plans, news := started(t)
	inTopic := []any{values{"operator": "channel", "operand": fmt.Sprint(o.MustChannel(t, "general").ID)}, values{"operator": "topic", "operand": "plans"}}
	config := values{"anchor": "oldest", "num_before": 0, "num_after": 1, "narrow": inTopic, "op": "add", "flag": "read"}
	invoke(t, p, narrow, config)
	if got := len(flagged(t, o, "read", plans)); got == 0 || got == len(plans) {
		t.Errorf("%d of %d are read, want one end of them", got, len(plans))
	}
	config["to_the_end"] = true
	progress, _ := invoke(t, p, narrow, config)
	expectFlagged(t, o, "read", plans, plans...)
	expectFlagged(t, o, "read", news)
	if strings.Count(progress, "messages looked at") < 2 {
		t.Errorf("progress: %q, want one for each step", progress)
	}
	others := values{"anchor": "newest", "num_before": 100, "num_after": 0, "op": "add", "flag": "starred",
		"narrow": []any{inTopic[0], values{"operator": "topic", "operand": "plans", "negated": true}}}
	invoke(t, p, narrow, others)
	expectFlagged(t, o, "starred", plans)
	if got := flagged(t, o, "starred", news); len(got) != len(news) {
		t.Errorf("starred: %v of %v", got, news)
	}
	others["op"] = "remove"
	invoke(t, p, narrow, others)
	expectFlagged(t, o, "starred", news)
}

// Cancelled in the second step: what was done before is said, and there is no third.
func TestProtocolMessageFlagsForNarrowCancelled(t *testing.T) {
	o, p, _, _ := started(t)
	sent := o.Sent()
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/messages/flags/narrow", Action: sandbox.FaultStall, Delay: time.Minute, Skip: 1})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, diags := p.InvokeAction(ctx, narrow, values{"anchor": "oldest", "num_before": 0, "num_after": 1, "to_the_end": true, "op": "add", "flag": "read",
		"narrow": []any{values{"operator": "topic", "operand": "plans"}}}, func(string) { cancel() })
	diags.ExpectError(t, "", "messages were looked at before")
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
		{values{"num_before": 4000, "num_after": 4000}, "num_after", []string{"come to 8000", "to_the_end"}},
		{values{"include_anchor": false}, "include_anchor", []string{"at an end of the range"}},
		{values{"to_the_end": true}, "to_the_end", []string{"num_before = 0"}},
		{values{"num_before": -1}, "num_before", []string{"between 0 and 5000"}},
	} {
		p.PlanAction(narrow, config(c.change)).ExpectError(t, c.attribute, c.words...)
	}
	p.PlanAction(narrow, config(values{"narrow": acctest.Unknown, "num_before": acctest.Unknown})).ExpectNoError(t)
	_, diags := p.InvokeAction(context.Background(), narrow, config(values{"narrow": []any{values{"operator": "color", "operand": "red"}}}), nil)
	diags.ExpectError(t, "", "Cannot change the flag", "color")
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 154})
	o.NewRun(t, "zulip_message").Process().PlanAction(narrow, config(nil)).ExpectError(t, "", "feature level 155")
}

func TestProtocolMarkTopicAsRead(t *testing.T) {
	o, p, plans, news := started(t)
	progress, _ := invoke(t, p, topic, values{"channel": "general", "topic": "plans"})
	if progress != `Marking topic "plans" of channel "general" as read` {
		t.Errorf("progress: %q", progress)
	}
	expectFlagged(t, o, "read", plans, plans...)
	expectFlagged(t, o, "read", news)
	progress, _ = invoke(t, p, topic, values{"channel": "general", "whole_channel": true})
	if progress != `Marking the whole channel "general" as read` {
		t.Errorf("progress: %q", progress)
	}
	expectFlagged(t, o, "read", news, news...)
}

// A topic without a name is the whole channel to the server: it is refused, also when it was not known before, unless
// that is asked for.
func TestProtocolMarkTopicAsReadTrap(t *testing.T) {
	o, p, plans, news := started(t)
	for _, name := range []any{"", " ", "general chat", "(no topic)", nil} {
		config := values{"channel": "general", "topic": name}
		p.PlanAction(topic, config).ExpectError(t, "topic", "whole channel", "whole_channel = true", "zulip_message_flags_for_narrow")
		_, diags := p.InvokeAction(context.Background(), topic, config, nil)
		diags.ExpectError(t, "topic", "whole channel")
	}
	p.PlanAction(topic, values{"channel": "general", "topic": acctest.Unknown}).ExpectNoError(t)
	p.PlanAction(topic, values{"channel": "general", "topic": "plans", "whole_channel": true}).ExpectError(t, "whole_channel", "One topic or the whole channel")
	expectFlagged(t, o, "read", append(plans, news...))

	p.PlanAction(topic, values{"channel": "genral", "topic": "plans"}).ExpectError(t, "channel", `did you mean "general"?`)
	_, diags := p.InvokeAction(context.Background(), topic, values{"channel": "general", "topic": "nothing here"}, nil)
	diags.ExpectError(t, "", "Cannot mark topic", "No such topic")
}

// An element of the list is unknown as a whole while a conditional expression decides which it is.
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
