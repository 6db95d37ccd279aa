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
)

// These are attributes, as tests write them.
type values = acctest.Values

func draftConfig(content string) values {
	return values{"channel": "general", "topic": "plans", "content": content}
}

// expectDraft fails the test unless the account has these drafts, each as its kind, topic and content.
func expectDraft(t *testing.T, o *acctest.Organization, want ...string) {
	t.Helper()
	list, err := o.Client.Drafts(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, draft := range list {
		got = append(got, fmt.Sprintf("%s/%s/%s", draft.Type, draft.Topic, draft.Content))
	}
	slices.Sort(got)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the account has %q, want %q", got, want)
	}
}

func TestProtocolDraftLives(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_draft")
	run.MustApply(draftConfig("Begun.\n"))
	id := run.State.Values["id"]
	expectDraft(t, o, "stream/plans/Begun.")
	run.ExpectUnchanged(draftConfig("Begun."))
	run.MustApply(draftConfig("Begun, and gone on."))
	run.MustApply(values{"recipients": []any{"lena.fischer@example.com"}, "content": "To Lena."})
	expectDraft(t, o, "private//To Lena.")
	run.MustApply(values{"content": "To whom?"})
	expectDraft(t, o, "//To whom?")
	if run.State.Values["id"] != id {
		t.Error("it is to be changed in place")
	}
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	expectDraft(t, o)
}

// That an attribute is removed is a change like any other.
func TestProtocolDraftForNobodyAnyMore(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_draft")
	run.MustApply(draftConfig("Begun."))
	run.MustApply(values{"content": "Begun."})
	expectDraft(t, o, "//Begun.")
}

func TestProtocolDraftDrift(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_draft")
	run.MustApply(draftConfig("Begun."))
	path := fmt.Sprintf("/drafts/%v", run.State.Values["id"])
	o.Call(t, http.MethodPatch, path, map[string]string{"draft": `{"type":"","to":[],"topic":"","content":"Else."}`})
	if plan := run.MustPlan(draftConfig("Begun.")); fmt.Sprint(plan.Changes()) != "[channel content topic]" {
		t.Errorf("planned: %v", plan.Changes())
	}
	run.MustApply(draftConfig("Begun."))
	expectDraft(t, o, "stream/plans/Begun.")
	o.Call(t, http.MethodDelete, path, nil)
	run.MustApply(draftConfig("Begun."))
	expectDraft(t, o, "stream/plans/Begun.")
}

func TestProtocolDraftImport(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_draft")
	run.MustApply(draftConfig("Begun."))
	before := run.State.Values
	run.ExpectImports(before["id"], values{"id": before["id"]})
	o.NewRun(t, "zulip_draft").Import("Begun.", nil).ExpectError(t, "", "not a number")
}

func TestProtocolDraftLostAnswer(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_draft")
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/drafts", After: true, Action: sandbox.FaultDrop, Count: 1})
	run.MustApply(draftConfig("Begun."))
	expectDraft(t, o, "stream/plans/Begun.")
}

func TestProtocolDraftBrokenOff(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_draft")
	run.Block["max_retries"] = 0
	plan := run.MustPlan(draftConfig("Begun."))
	healPost := o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/drafts", After: true, Action: sandbox.FaultDrop})
	healLook := o.Sandbox.Fail(sandbox.Fault{Method: "GET", Path: "/drafts", Action: sandbox.FaultDrop, Skip: 1})
	run.Apply(plan).ExpectError(t, "", "Cannot create the draft", "Look before you apply again")
	healPost()
	healLook()
	run.MustApply(draftConfig("Begun."))
	expectDraft(t, o, "stream/plans/Begun.", "stream/plans/Begun.") // nobody knows whose the first is
}

// Drafts that are made at the same time are stored in few requests; one that is refused does not keep out the others.
func TestProtocolDraftsTogether(t *testing.T) {
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

// Drafts have no name by which one could be another: none waits for the end of another's deletion.
func TestProtocolDraftsAreDeletedAtTheSameTime(t *testing.T) {
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

// Without one that is refused, one request is enough for all that come together.
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

func TestProtocolDraftOldServer(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 86})
	o.NewRun(t, "zulip_draft").ExpectRefused(values{"content": "x"}, "", "too old for this resource", "feature level 87", "86")
}

func TestProtocolDraftBadInput(t *testing.T) {
	_, run := acctest.StartRun(t, "zulip_draft")
	run.ExpectRefusals(acctest.Refusals{
		{values{"content": " "}, "content", []string{"not blank"}},
		{values{"content": strings.Repeat("x", 10001)}, "content", []string{"takes 10000"}},
		{values{"topic": "plans", "content": "x"}, "", []string{"Nobody to send to"}},
		{values{"channel": "genral", "topic": "plans", "content": "x"}, "channel", []string{`did you mean "general"?`}},
	})
}

// Importing what is not there says so in words of its own, not in the CLI's.
func TestProtocolDraftImportOfNothing(t *testing.T) {
	_, run := acctest.StartRun(t, "zulip_draft")
	run.Import("99", nil).ExpectError(t, "", "Cannot import this draft", "no draft with the ID 99")
}

// The server cuts the topic of a draft before it takes white space away: so that is not sent.
func TestProtocolDraftLongTopicWithSpace(t *testing.T) {
	_, run := acctest.StartRun(t, "zulip_draft")
	run.MustApply(values{"channel": "general", "topic": strings.Repeat("🦄", 60) + " ", "content": "x"})
}
