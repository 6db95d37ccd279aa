package messages_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// These are attributes, as tests write them.
type values = acctest.Values

func draftConfig(content string) values {
	return values{"channel": "general", "topic": "plans", "content": content}
}

// drafts returns the account's drafts, each as its kind, topic and content.
func drafts(t *testing.T, o *acctest.Organization) []string {
	t.Helper()
	list, err := o.Client.Drafts(context.Background())
	acctest.NoError(t, err)
	words := []string{}
	for _, draft := range list {
		words = append(words, fmt.Sprintf("%s/%s/%s", draft.Type, draft.Topic, draft.Content))
	}
	slices.Sort(words)
	return words
}

// expectDraft fails the test unless the account has these drafts.
func expectDraft(t *testing.T, o *acctest.Organization, want ...string) {
	t.Helper()
	if got := drafts(t, o); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the account has %q, want %q", got, want)
	}
}

// Removing an attribute is a change like any other.
func TestProtocolDraft_RecipientRemoved_Updated(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_draft")
	run.MustApply(draftConfig("Begun."))
	run.MustApply(values{"content": "Begun."})
	expectDraft(t, o, "//Begun.")
}

// Drafts that are created at the same time are stored in few requests. A refused one does not affect the others.
func TestProtocolDrafts_CreatedTogether_Batched(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_draft")
	refused := o.Call(t, http.MethodPost, "/channels/create", map[string]string{"name": o.Prefix + "gone", "subscribers": "[]"})
	p, want := run.Process(), []string{}
	plans := []*acctest.PlannedChange{}
	for i := range 6 {
		content := fmt.Sprint("Draft ", i)
		plan := p.MustPlan("zulip_draft", nil, draftConfig(content))
		plans, want = append(plans, plan), append(want, "stream/plans/"+content)
	}
	bad := p.MustPlan("zulip_draft", nil, values{"channel": fmt.Sprint(refused["id"]), "topic": "x", "content": "Nowhere."})
	o.Archive(t, o.Prefix+"gone")
	sent := o.Sent()
	done := make(chan acctest.Diagnostics)
	for _, plan := range append(plans, bad) {
		go func() {
			_, diags := p.Apply(plan)
			done <- diags
		}()
	}
	failed := 0
	for range len(plans) + 1 {
		if diags := <-done; len(diags.Errors()) > 0 {
			failed++
			diags.ExpectError(t, "", "Cannot create the draft", "Invalid channel ID")
		}
	}
	if failed != 1 {
		t.Errorf("%d failed, want only the one for the archived channel", failed)
	}
	expectDraft(t, o, want...)
	if len(sent.Writes()) == 0 {
		t.Error("nothing was sent")
	}
}

// Drafts have no unique name, so none waits for the deletion of another.
func TestProtocolDrafts_DeletedTogether_NoWait(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_draft")
	other := o.NewRun(t, "zulip_draft")
	run.MustApply(draftConfig("One"))
	other.MustApply(draftConfig("Two"))
	p, gate, done := run.Process(), o.Sandbox.Gate(http.MethodDelete, "/drafts/*"), make(chan acctest.Diagnostics)
	for _, state := range []*acctest.Instance{run.State, other.State} {
		plan := p.MustPlan("zulip_draft", state, nil)
		go func() {
			_, diags := p.Apply(plan)
			done <- diags
		}()
	}
	for range 2 {
		select {
		case <-gate.Arrived:
		case <-time.After(10 * time.Second):
			t.Error("a deletion waits for another")
		}
	}
	gate.Open()
	(<-done).ExpectNoError(t)
	(<-done).ExpectNoError(t)
	expectDraft(t, o)
}

// Without a refused draft, one request is enough for all.
func TestProtocolDraftsInOneRequest(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_draft")
	p, plans := run.Process(), []*acctest.PlannedChange{}
	for i := range 6 {
		plan := p.MustPlan("zulip_draft", nil, draftConfig(fmt.Sprint("Draft ", i)))
		plans = append(plans, plan)
	}
	sent, done := o.Sent(), make(chan acctest.Diagnostics)
	for _, plan := range plans {
		go func() {
			_, diags := p.Apply(plan)
			done <- diags
		}()
	}
	for range plans {
		(<-done).ExpectNoError(t)
	}
	if writes := len(sent.Writes()); writes > 3 {
		t.Errorf("%d requests for %d drafts", writes, len(plans))
	}
}

func TestProtocolDraftBadInput(t *testing.T) {
	_, run := acctest.StartRun(t, "zulip_draft")
	run.ExpectRefusals(acctest.Refusals{
		{values{"content": " "}, "content", []string{"White space alone"}},
		{values{"content": strings.Repeat("x", 10001)}, "content", []string{"accepts 10000"}},
		{values{"topic": "plans", "content": "x"}, "", []string{"No recipient"}},
		{values{"channel": "genral", "topic": "plans", "content": "x"}, "channel", []string{`did you mean "general"?`}},
	})
}

// The import of an object that doesn't exist has the provider's error, not Terraform's.
func TestProtocolDraftImport_NotFound_Error(t *testing.T) {
	_, run := acctest.StartRun(t, "zulip_draft")
	run.Import("99", nil).ExpectError(t, "", "Cannot import this draft", "no draft with the ID 99")
}

// The server cuts the topic of a draft before it removes white space, so the white space is not sent.
func TestProtocolDraftLongTopicWithSpace(t *testing.T) {
	_, run := acctest.StartRun(t, "zulip_draft")
	run.MustApply(values{"channel": "general", "topic": strings.Repeat("🦄", 60) + " ", "content": "x"})
}

// clock is a server's clock that tests can advance.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

// scheduledMessageManaged starts a sandbox, and a run with one zulip_scheduled_message that does not exist yet.
func scheduledMessageManaged(t *testing.T) (*acctest.Organization, *acctest.Run, *clock) {
	t.Helper()
	clock := &clock{}
	o := acctest.StartSandbox(t, sandbox.Config{Clock: clock.now})
	run := o.NewRun(t, "zulip_scheduled_message")
	return o, run, clock
}

// at returns a time after now, in the form of a configuration.
func at(wait time.Duration) string { return time.Now().Add(wait).UTC().Format(time.RFC3339) }

func scheduledMessageConfig(content, moment string) values {
	return values{"channel": "general", "topic": "plans", "content": content, "scheduled_delivery_timestamp": moment}
}

// scheduled returns the account's scheduled messages, as texts.
func scheduled(t *testing.T, o *acctest.Organization) []string {
	t.Helper()
	list, err := o.Client.ScheduledMessages(context.Background())
	acctest.NoError(t, err)
	words := []string{}
	for _, message := range list {
		words = append(words, fmt.Sprint(message.Topic, ": ", message.Content))
	}
	return words
}

func expectScheduledMessage(t *testing.T, got []string, want ...string) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// sentMessages returns the account's messages in the topic.
func sentMessages(t *testing.T, o *acctest.Organization) []string {
	t.Helper()
	return written(t, o, "plans")
}

// waitFor waits until a time on this machine's clock, which the provider uses.
func waitFor(t *testing.T, moment string) {
	t.Helper()
	parsed, err := time.Parse(time.RFC3339, moment)
	acctest.NoError(t, err)
	<-time.After(time.Until(parsed))
}

// Someone makes the channel private. The server checks the message again if its content changes, but not for another time.
func TestProtocolScheduledMessage_UnreadableChannel_Announced(t *testing.T) {
	o, run, _ := scheduledMessageManaged(t)
	channel := o.Call(t, http.MethodPost, "/channels/create", map[string]string{"name": o.Prefix + "vault", "subscribers": "[]"})
	wanted := scheduledMessageConfig("Soon.", at(time.Hour))
	wanted["channel"] = fmt.Sprint(channel["id"])
	run.MustApply(wanted)
	o.Call(t, http.MethodPatch, fmt.Sprintf("/streams/%v", channel["id"]), map[string]string{"is_private": "true"})
	wanted["content"] = "Later."
	plan, diags := run.Plan(wanted)
	diags.ExpectWarning(t, "channel", "cannot post in channel", "The apply will fail")
	run.Fork().Apply(plan).ExpectError(t, "", "Not authorized to send")
	wanted["content"], wanted["scheduled_delivery_timestamp"] = "Soon.", at(2*time.Hour)
	run.MustApply(wanted)

	draft := o.NewRun(t, "zulip_draft")
	plan, diags = draft.Plan(values{"channel": wanted["channel"], "topic": "plans", "content": "x"})
	diags.ExpectWarning(t, "channel", "cannot draft a message for channel", "The apply will fail")
	draft.Apply(plan).ExpectError(t, "", "Invalid channel ID")
}

// A delivered message stays in the state and is not sent again, unless its time changes.
func TestProtocolScheduledMessageDelivered(t *testing.T) {
	o, run, clock := scheduledMessageManaged(t)
	moment := at(1500 * time.Millisecond)
	run.MustApply(scheduledMessageConfig("Now.", moment))
	clock.ahead.Store(int64(time.Minute))
	expectScheduledMessage(t, sentMessages(t, o), "Now.")
	waitFor(t, moment)
	sent := o.Sent()
	run.MustApply(scheduledMessageConfig("Now.", moment))
	sent.Expect(t)
	if run.State.Values["delivered"] != true {
		t.Errorf("the state holds %v", run.State.Values)
	}
	run.ExpectRefused(scheduledMessageConfig("Now!", moment), "scheduled_delivery_timestamp", "The scheduled message was already sent", "another time in the future")
	plan := run.MustPlan(scheduledMessageConfig("Now!", at(time.Hour)))
	if fmt.Sprint(plan.Replace) != "[scheduled_delivery_timestamp]" {
		t.Errorf("to be replaced because of %v", plan.Replace)
	}
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	expectScheduledMessage(t, sentMessages(t, o), "Now.")
}

// A message that the server could not send needs another time.
func TestProtocolScheduledMessageFailed(t *testing.T) {
	o, run, clock := scheduledMessageManaged(t)
	channel := o.Call(t, http.MethodPost, "/channels/create", map[string]string{"name": o.Prefix + "short-lived", "subscribers": fmt.Sprintf("[%d]", o.Self.ID)})
	moment := at(30 * time.Minute)
	wanted := scheduledMessageConfig("Soon.", moment)
	wanted["channel"] = fmt.Sprint(channel["id"])
	run.MustApply(wanted)
	o.Archive(t, o.Prefix+"short-lived")
	clock.ahead.Store(int64(time.Hour))
	plan, diags := run.Plan(wanted)
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "scheduled_delivery_timestamp", "could not send")
	if !plan.Empty() || run.State.Values["failed"] != true {
		t.Errorf("changes %v, state %v", plan.Changes(), run.State.Values)
	}
	run.ExpectRefused(scheduledMessageConfig("Soon!", moment), "scheduled_delivery_timestamp", "another time")
	clock.ahead.Store(0)
	run.MustApply(scheduledMessageConfig("Soon.", at(2*time.Hour)))
	expectScheduledMessage(t, scheduled(t, o), "plans: Soon.")
}

func TestProtocolScheduledMessageBadInput(t *testing.T) {
	_, run, _ := scheduledMessageManaged(t)
	run.ExpectRefusals(acctest.Refusals{
		{scheduledMessageConfig("Soon.", at(-time.Hour)), "scheduled_delivery_timestamp", []string{"The scheduled time is in the past"}},
		{scheduledMessageConfig("Soon.", "tomorrow"), "scheduled_delivery_timestamp", []string{"Invalid timestamp", "time zone"}},
		{scheduledMessageConfig("Soon.", "2090-01-01T00:00:00.5Z"), "scheduled_delivery_timestamp", []string{"whole seconds"}},
		{scheduledMessageConfig(" ", at(time.Hour)), "content", []string{"White space alone"}},
		{values{"content": "x", "scheduled_delivery_timestamp": at(time.Hour)}, "", []string{"No recipient"}},
	})
	run.MustPlan(values{"channel": acctest.Unknown, "topic": "plans", "content": acctest.Unknown, "scheduled_delivery_timestamp": acctest.Unknown})
}
