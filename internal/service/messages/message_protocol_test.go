package messages_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// The tests named TestProtocol… run the messages through the plugin protocol, in this process and without a CLI. The
// organization is the sandbox's example: ines.moreau@example.com is its owner and the account of the provider.

// inTopic is the configuration of a message in the channel "general".
func inTopic(topic, content string) values {
	return values{"channel": "general", "topic": topic, "content": content}
}

// written returns the account's messages in a topic of the channel "general", oldest first.
func written(t *testing.T, o *acctest.Organization, topic string) []string {
	t.Helper()
	list, err := o.Client.RecentMessages(context.Background(), zulip.Addressee{ChannelID: o.MustChannel(t, "general").ID, Topic: topic}, o.Self.ID, 100)
	acctest.NoError(t, err)
	texts := []string{}
	for _, message := range list {
		texts = append(texts, message.Content)
	}
	return texts
}

func expectWritten(t *testing.T, o *acctest.Organization, topic string, want ...string) {
	t.Helper()
	if got := written(t, o, topic); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("in %q the account has written %q, want %q", topic, got, want)
	}
}

// byHand edits a message outside Terraform.
func byHand(t *testing.T, o *acctest.Organization, run *acctest.Run, params map[string]string) {
	t.Helper()
	o.Call(t, http.MethodPatch, fmt.Sprintf("/messages/%v", run.State.Values["id"]), params)
}

func TestProtocolMessageDirect(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_message")
	run.MustApply(values{"recipients": []any{"lena.fischer@example.com"}, "content": "Welcome."})
	if run.State.Values["channel_id"] != nil {
		t.Errorf("channel_id is %v", run.State.Values["channel_id"])
	}
	sent := o.Sent()
	// The account is in every direct message that it sends.
	run.MustApply(values{"recipients": []any{"lena.fischer@example.com", o.Self.Address()}, "content": "Welcome."})
	sent.Expect(t)
	plan := run.MustPlan(values{"recipients": []any{"kenji.sato@example.com"}, "content": "Welcome."})
	if fmt.Sprint(plan.Replace) != "[recipients]" {
		t.Errorf("to be replaced because of %v", plan.Replace)
	}
}

func TestProtocolMessageDestroy(t *testing.T) {
	for onDestroy, left := range map[any][]string{nil: {}, "delete": {}, "keep": {"Be kind."}} {
		o, run := acctest.StartRun(t, "zulip_message")
		config := inTopic("rules", "Be kind.")
		config["on_destroy"] = onDestroy
		run.MustApply(config)
		run.Apply(run.MustPlan(nil)).ExpectNoError(t)
		expectWritten(t, o, "rules", left...)
	}
}

// With protected history, an account that was subscribed after the message does not see it. The message is not sent again.
func TestProtocolMessage_HistoryProtectedLater_Kept(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_message")
	o.WithAccount(t, "admin").Call(t, http.MethodPost, "/users/me/subscriptions", map[string]string{"subscriptions": `[{"name":"later"}]`})
	config := values{"channel": "later", "topic": "rules", "content": "Be kind."}
	run.MustApply(config)
	o.Call(t, http.MethodPost, "/users/me/subscriptions", map[string]string{"subscriptions": `[{"name":"later"}]`})
	o.Call(t, http.MethodPatch, fmt.Sprint("/streams/", o.MustChannel(t, "later").ID), map[string]string{"is_private": "true", "history_public_to_subscribers": "false"})
	plan, diags := run.Plan(config)
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "", "The account does not see everything in the state", fmt.Sprint("Message ", run.State.Values["id"]))
	if !plan.Empty() {
		t.Errorf("the plan changes %v", plan.Changes())
	}
}

// nameless are the resources without a unique name, so that the server accepts a second one.
var nameless = []struct {
	kind, path, title string
	config            values
	held              func(*testing.T, *acctest.Organization) []string
}{
	{"zulip_message", "/messages", "message", inTopic("plans", "Be kind."), sentMessages},
	{"zulip_draft", "/drafts", "draft", inTopic("plans", "Be kind."), drafts},
	{
		"zulip_scheduled_message", "/scheduled_messages", "scheduled message",
		values{"channel": "general", "topic": "plans", "content": "Be kind.", "scheduled_delivery_timestamp": "2099-01-15T09:00:00Z"}, scheduled,
	},
}

// The server is unavailable after it created the object. The apply fails, and says that the next one may create
// another.
func TestProtocolNameless_BrokenOff_MadeTwice(t *testing.T) {
	for _, one := range nameless {
		o, run := acctest.StartRun(t, one.kind)
		run.Block["max_retries"] = 0
		plan := run.MustPlan(one.config)
		healSend := o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: one.path, After: true, Action: sandbox.FaultDrop})
		healLook := o.Sandbox.Fail(sandbox.Fault{Method: "GET", Path: one.path, Action: sandbox.FaultDrop, Skip: 1})
		run.Apply(plan).ExpectError(t, "", "Cannot create the "+one.title, "Check before you apply again")
		if run.State != nil {
			t.Fatalf("%s: the state holds %v", one.kind, run.State)
		}
		healSend()
		healLook()
		run.MustApply(one.config)
		if held := one.held(t, o); len(held) != 2 || held[0] != held[1] { // it is not known who created the first
			t.Errorf("%s: the server holds %q", one.kind, held)
		}
	}
}

// Two equal resources are two messages.
func TestProtocolMessageTwins(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_message")
	twin := o.NewRun(t, "zulip_message")
	config := inTopic("rules", "Be kind.")
	p := run.Process()
	for range 2 {
		plan := p.MustPlan("zulip_message", nil, config)
		state := p.MustApply(plan)
		if twin.State != nil && twin.State.Values["id"] == state.Values["id"] {
			t.Errorf("both have message %v", state.Values["id"])
		}
		twin.State = state
	}
	expectWritten(t, o, "rules", "Be kind.", "Be kind.")
}

func TestProtocolMessageBadInput(t *testing.T) {
	_, run := acctest.StartRun(t, "zulip_message")
	cases := []struct {
		config    values
		attribute string
		words     []string
	}{
		{values{"content": "x"}, "", []string{"Set channel and topic, or "}},
		{values{"channel": "general", "content": "x"}, "topic", []string{`topic = ""`}},
		{values{"topic": "rules", "recipients": []any{"1"}, "content": "x"}, "topic", []string{"has no topic"}},
		{values{"channel": "general", "topic": "rules", "recipients": []any{"1"}, "content": "x"}, "recipients", []string{"channel and recipients exclude each other"}},
		{values{"recipients": []any{}, "content": "x"}, "recipients", []string{"at least one"}},
		{inTopic("rules", " \n "), "content", []string{"White space alone"}},
		{inTopic("a\nb", "x"), "topic", []string{"control characters"}},
		{inTopic("rules", strings.Repeat("ü", 10001)), "content", []string{"10001 characters", "accepts 10000"}},
		{inTopic(strings.Repeat("ü", 61), "x"), "topic", []string{"61 characters", "accepts 60"}},
		{values{"channel": "genral", "topic": "rules", "content": "x"}, "channel", []string{`did you mean "general"?`, "zulip_channel.NAME.id"}},
		{values{"channel": "999999", "topic": "rules", "content": "x"}, "channel", []string{"ID 999999"}},
		{values{"recipients": []any{"lena.fisher@example.com"}, "content": "x"}, "recipients", []string{"lena.fischer@example.com"}},
	}
	for _, c := range cases {
		run.ExpectRefused(c.config, c.attribute, c.words...)
	}
	run.MustPlan(inTopic(strings.Repeat("ü", 60), strings.Repeat("ü", 10000)+"\n\n"))
	run.MustPlan(values{"channel": acctest.Unknown, "topic": "rules", "content": acctest.Unknown})
	run.MustPlan(values{"recipients": acctest.Unknown, "content": "x"})
	run.MustPlan(values{"recipients": []any{acctest.Unknown}, "content": "x"})
}

// Only the sender can edit a message.
func TestProtocolMessage_OtherSender_NotEdited(t *testing.T) {
	o, _ := acctest.StartRun(t, "zulip_message")
	member := o.As(t, "member").NewRun(t, "zulip_message")
	member.MustApply(inTopic("rules", "Be kind."))
	run := o.NewRun(t, "zulip_message")
	run.Import(fmt.Sprint(member.State.Values["id"]), nil).ExpectNoError(t)
	run.ExpectRefused(inTopic("rules", "Be loud."), "content", "Only the sender can edit the message", "-replace=ADDRESS")
	run.MustApply(inTopic("laws", "Be kind.")) // moving requires another permission
}

// Reading many messages costs few requests.
func TestProtocolMessages_ReadTogether_Batched(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_message")
	p := run.Process()
	states := []*acctest.Instance{}
	for i := range 8 {
		plan := p.MustPlan("zulip_message", nil, inTopic("rules", fmt.Sprint("Rule ", i)))
		state := p.MustApply(plan)
		states = append(states, state)
	}
	reader, sent := run.Process(), o.Sent()
	done := make(chan acctest.Diagnostics, len(states))
	for _, state := range states {
		go func() {
			read, diags := reader.Read("zulip_message", state)
			if read == nil {
				t.Error("a message is gone")
			}
			done <- diags
		}()
	}
	for range states {
		(<-done).ExpectNoError(t)
	}
	reads := 0
	for _, request := range sent.Requests() {
		if strings.HasPrefix(request.Path, "/messages") {
			reads++
		}
	}
	if reads > 3 {
		t.Errorf("%d requests for %d messages", reads, len(states))
	}
}

// The import of an object that doesn't exist has the provider's error, not Terraform's.
func TestProtocolMessageImport_NotFound_Error(t *testing.T) {
	_, run := acctest.StartRun(t, "zulip_message")
	run.Import("99", nil).ExpectError(t, "", "Cannot import this message", "no message with the ID 99", "cannot read")
}

// pass advances the time, also on the server.
func pass(t *testing.T, span time.Duration) {
	t.Helper()
	select {
	case <-time.NewTimer(span).C:
	case <-t.Context().Done():
		t.Fatal(t.Context().Err())
	}
}

// A message can be edited and deleted only within the organization's time limits. The plan warns after that.
func TestProtocolMessageTimeLimits(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_message")
	run.MustApply(inTopic("limits", "before"))
	for _, realm := range []map[string]string{{"message_content_edit_limit_seconds": "1"}, {"allow_message_editing": "false", "message_content_edit_limit_seconds": `"unlimited"`}} {
		o.Call(t, http.MethodPatch, "/realm", realm)
		pass(t, 1100*time.Millisecond)
		_, diags := run.Plan(inTopic("limits", "after"))
		diags.ExpectNoError(t)
		diags.ExpectWarning(t, "content", "can no longer be edited", "-replace=ADDRESS")
		if _, diags = run.Plan(inTopic("limits", "before")); len(diags) > 0 {
			t.Errorf("nothing changes, and is reported: %v", diags)
		}
	}
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"message_content_delete_limit_seconds": "1"})
	if _, diags := run.Plan(nil); len(diags) > 0 { // an owner can delete any message
		t.Errorf("the limit is not for this account: %v", diags)
	}
	member := o.As(t, "member").NewRun(t, "zulip_message")
	member.MustApply(inTopic("limits", "of a member"))
	pass(t, 1100*time.Millisecond)
	_, diags := member.Plan(nil)
	diags.ExpectWarning(t, "", "can no longer be deleted", `on_destroy = "keep"`)
	member.Apply(member.MustPlan(nil)).ExpectError(t, "", "time limit for deleting")
}

// managedAt is managed, on a server of a feature level.
func managedAt(t *testing.T, level int) (*acctest.Organization, *acctest.Run) {
	t.Helper()
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: level})
	run := o.NewRun(t, "zulip_message")
	return o, run
}

// The answer has the URL, which stays in the state.
func TestProtocolMessageURL(t *testing.T) {
	o, run := managedAt(t, featurelevel.MessageURL)
	run.MustApply(inTopic("house rules", "Be kind."))
	id, url := run.State.Values["id"], run.State.Values["message_url"]
	want := fmt.Sprintf("%s/#narrow/channel/%d-general/topic/house.20rules/near/%d", o.Client.Site(), o.MustChannel(t, "general").ID, id)
	if link := run.State.Values["message_link"]; url != want || link != fmt.Sprintf("[#general > house rules @ 💬](%s)", want) {
		t.Errorf("the state holds %v and %v, want %s", url, link, want)
	}
	sent := o.Sent()
	run.MustApply(inTopic("rules", "Be kind, always."))
	sent.Expect(t, "PATCH content prev_content_sha256", "PATCH propagate_mode send_notification_to_new_thread send_notification_to_old_thread topic")
	if run.State.Values["message_url"] != url || run.State.Values["id"] != id {
		t.Errorf("the state holds %v", run.State.Values)
	}
	imported := o.NewRun(t, "zulip_message")
	imported.Import(fmt.Sprint(id), nil).ExpectNoError(t)
	if imported.State.Values["message_url"] != nil || imported.State.Values["message_link"] != nil {
		t.Errorf("imported: %v", imported.State.Values)
	}
	imported.MustApply(inTopic("rules", "Be kind."))

	direct := o.NewRun(t, "zulip_message")
	direct.MustApply(values{"recipients": []any{"lena.fischer@example.com"}, "content": "Welcome."})
	if url := fmt.Sprint(direct.State.Values["message_url"]); !strings.HasPrefix(url, o.Client.Site()+"/#narrow/dm/") {
		t.Errorf("the URL is %s", url)
	}

	// After a lost answer the message is found, but its URL is not known.
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/messages", After: true, Action: sandbox.FaultDrop, Count: 1})
	lost := o.NewRun(t, "zulip_message")
	lost.MustApply(inTopic("lost", "x"))
	expectWritten(t, o, "lost", "x")
	if lost.State.Values["message_url"] != nil {
		t.Errorf("found: %v", lost.State.Values)
	}
}

func TestProtocolMessageHistory(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_message")
	run.MustApply(inTopic("rules", "Be kind."))
	byHand(t, o, run, map[string]string{"content": "Be loud."})
	byHand(t, o, run, map[string]string{"topic": "laws", "propagate_mode": "change_one"})
	p := run.Process()
	read := p.MustReadData("zulip_message_history", values{"message_id": run.State.Values["id"]})
	got := []string{}
	list, _ := read["message_history"].([]any)
	for _, one := range list {
		s, _ := one.(values)
		got = append(got, fmt.Sprintf("%v<-%v in %v<-%v by %v", s["content"], s["prev_content"], s["topic"], s["prev_topic"], s["user_id"] == o.Self.ID))
		if s["timestamp"] == "" || s["timestamp"] == nil {
			t.Errorf("no time: %v", s)
		}
	}
	want := []string{
		"Be kind.<-<nil> in rules<-<nil> by true",
		"Be loud.<-Be kind. in rules<-<nil> by true",
		"Be loud.<-<nil> in laws<-rules by true",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("read:\n%q\nwant:\n%q", got, want)
	}
	_, diags := p.ReadData("zulip_message_history", values{"message_id": 1})
	diags.ExpectError(t, "message_id", "The message was deleted")
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"message_edit_history_visibility_policy": "none"})
	_, diags = p.ReadData("zulip_message_history", values{"message_id": run.State.Values["id"]})
	diags.ExpectError(t, "message_id", "message_edit_history_visibility_policy")
}
