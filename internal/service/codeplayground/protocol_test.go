package codeplayground_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// These are attributes, as tests write them.
type values = acctest.Values

const kind = "zulip_code_playground"

// managed gives a test a sandbox and one zulip_code_playground to manage in it, which does not exist yet.
func managed(t *testing.T) (*acctest.Organization, *acctest.Run) {
	t.Helper()
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := o.NewRun(t, kind)
	return o, run
}

func config(name, language, template string) values {
	return values{"name": name, "pygments_language": language, "url_template": template}
}

const address = "https://py.example.com/{code}"

// playgrounds are what the server holds, by language and name.
func playgrounds(t *testing.T, o *acctest.Organization) map[string]*zulip.Playground {
	t.Helper()
	snapshot, err := o.Client.Register(context.Background(), []string{zulip.FetchPlaygrounds})
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Client.DeleteQueue(context.Background(), snapshot.QueueID); err != nil {
		t.Fatal(err)
	}
	found := map[string]*zulip.Playground{}
	for _, playground := range snapshot.Playgrounds {
		found[playground.Key()] = playground
	}
	return found
}

// add adds a playground by hand.
func add(t *testing.T, o *acctest.Organization, playground zulip.Playground) int64 {
	t.Helper()
	id, err := o.Client.AddPlayground(context.Background(), playground)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestProtocolPlaygroundLives(t *testing.T) {
	o, run := managed(t)
	sent := o.Sent()
	run.MustApply(config("Sandbox", "Python", address))
	sent.Expect(t, "POST name pygments_language url_template")
	if held := playgrounds(t, o)["Python/Sandbox"]; held == nil || held.ID != run.State.Values["id"] || held.URLTemplate != address {
		t.Errorf("the server holds %+v, the state %v", held, run.State.Values)
	}
	for _, c := range []struct {
		config  values
		because string
	}{
		{config("Other", "Python", address), "name"}, {config("Sandbox", "Go", address), "pygments_language"},
		{config("Sandbox", "Python", address+"#"), "url_template"},
	} {
		if plan := run.MustPlan(c.config); fmt.Sprint(plan.Replace) != "["+c.because+"]" {
			t.Errorf("to be replaced because of %v, want %s", plan.Replace, c.because)
		}
	}
	gone := run.MustPlan(nil)
	run.Apply(gone).ExpectNoError(t)
	if held := playgrounds(t, o); len(held) != 0 {
		t.Errorf("the server holds %v", held)
	}
}

// Removed by hand it is added again; removed while it is to be removed, it is gone.
func TestProtocolPlaygroundGone(t *testing.T) {
	o, run := managed(t)
	wanted := config("Sandbox", "Python", address)
	remove := func() {
		t.Helper()
		if err := o.Client.DeletePlayground(context.Background(), playgrounds(t, o)["Python/Sandbox"].ID); err != nil {
			t.Fatal(err)
		}
	}
	run.MustApply(wanted)
	remove()
	run.MustApply(wanted)
	gone := run.MustPlan(nil)
	remove()
	run.Apply(gone).ExpectNoError(t)
}

func TestProtocolPlaygroundImport(t *testing.T) {
	o, run := managed(t)
	run.MustApply(config("Sandbox", "C/C++", address))
	before := run.State
	for _, by := range []struct {
		id       string
		identity values
	}{{id: fmt.Sprint(before.Values["id"])}, {id: "Sandbox"}, {id: "C/C++/Sandbox"}, {identity: before.Identity}} {
		fresh := o.NewRun(t, kind)
		fresh.Import(by.id, by.identity).ExpectNoError(t)
		if fmt.Sprint(fresh.State.Values) != fmt.Sprint(before.Values) {
			t.Errorf("imported by %v:\n%v\nwant:\n%v", by, fresh.State.Values, before.Values)
		}
	}
	o.NewRun(t, kind).Import("999999", nil).ExpectError(t, "", "Cannot import this code playground", `"C/C++/Sandbox"`)
	o.NewRun(t, kind).Import("C++/Sandbox", nil).ExpectError(t, "", "Cannot import this code playground", `did you mean "C/C++/Sandbox"?`)
	o.NewRun(t, kind).Import("Sandbocks", nil).ExpectError(t, "", "Cannot import this code playground", `did you mean "Sandbox"?`)
	add(t, o, zulip.Playground{Name: "Sandbox", Language: "Go", URLTemplate: address})
	o.NewRun(t, kind).Import("Sandbox", nil).ExpectError(t, "", "2 playgrounds are called", "LANGUAGE/NAME", `"Go/Sandbox"`)
}

// A lost answer adds no second one, whether the call is repeated or the playground looked for.
func TestProtocolPlaygroundLostAnswer(t *testing.T) {
	for _, retries := range []int{0, 2} {
		o, run := managed(t)
		run.Block["max_retries"] = retries
		plan := run.MustPlan(config("Sandbox", "Python", address))
		o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/realm/playgrounds", After: true, Action: sandbox.FaultDrop, Count: 1})
		diags := run.Apply(plan)
		diags.ExpectNoError(t)
		if warnings := diags.Warnings(); len(warnings) > 0 {
			t.Errorf("warned: %v", warnings)
		}
		if held := playgrounds(t, o); len(held) != 1 || held["Python/Sandbox"].ID != run.State.Values["id"] {
			t.Errorf("the server holds %v, the state %v", held, run.State.Values)
		}
	}
}

// What never reached the server is an error that says so.
func TestProtocolPlaygroundLost(t *testing.T) {
	o, run := managed(t)
	run.Block["max_retries"] = 0
	plan := run.MustPlan(config("Sandbox", "Python", address))
	heal := o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/realm/playgrounds", Action: sandbox.FaultStatus})
	run.Apply(plan).ExpectError(t, "", "Cannot create code playground", "applying again is safe")
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/register", Action: sandbox.FaultStatus, Count: 1})
	run.Apply(plan).ExpectError(t, "", "Cannot read the code playgrounds")
	heal()
	run.MustApply(config("Sandbox", "Python", address))
}

// What has the language and name already is never taken into the state.
func TestProtocolPlaygroundTaken(t *testing.T) {
	o, run := managed(t)
	id := add(t, o, zulip.Playground{Name: "Sandbox", Language: "Python", URLTemplate: address})
	for _, other := range []string{address, address + "#"} {
		run.Apply(run.MustPlan(config("Sandbox", "Python", other))).ExpectError(t, "name", fmt.Sprintf("It has the ID %d", id), "import {", address)
	}
	p := run.Process()
	_, diags := p.Plan(kind, nil, config("New", "Python", address))
	diags.ExpectNoError(t)
	_, diags = p.Plan(kind, nil, config("New", "Python", address))
	diags.ExpectError(t, "name", `Duplicate code playground language and name "Python/New"`)
}

// Reading any number of playgrounds is one request.
func TestProtocolPlaygroundsAreReadTogether(t *testing.T) {
	o, run := managed(t)
	run.MustApply(config("Sandbox", "Python", address))
	p, sent := run.Process(), o.Sent()
	for range 5 {
		if _, diags := p.Read(kind, run.State); len(diags.Errors()) > 0 {
			t.Fatal(diags)
		}
	}
	if requests := len(sent.Requests()); requests != 2 { // the snapshot, and the end of its queue
		t.Errorf("%d requests, want 2", requests)
	}
}

func TestProtocolPlaygroundBadInput(t *testing.T) {
	_, run := managed(t)
	for _, c := range []struct {
		config    values
		attribute string
		words     []string
	}{
		{config(" ", "Python", address), "name", []string{"Empty text"}},
		{config("Sandbox ", "Python", address), "name", []string{"White space"}},
		{config("Sandbox", "a;b", address), "pygments_language", []string{"letters of English"}},
		{config("Sandbox", strings.Repeat("x", 41), address), "pygments_language", []string{"more than 40 characters"}},
		{config("Sandbox", "Python", "https://py.example.com/"), "url_template", []string{"where the code goes"}},
		{config("Sandbox", "Python", address+"{x}"), "url_template", []string{"code, x"}},
		{config("Sandbox", "Python", "{"), "url_template", []string{"RFC 6570"}},
	} {
		_, diags := run.Plan(c.config)
		diags.ExpectError(t, c.attribute, c.words...)
	}
	run.MustPlan(values{"name": acctest.Unknown, "pygments_language": acctest.Unknown, "url_template": acctest.Unknown})
}

func TestProtocolPlaygroundRights(t *testing.T) {
	o, run := managed(t)
	run.MustApply(config("Sandbox", "Python", address))
	moderator := o.As(t, "moderator").NewRun(t, kind)
	moderator.State = run.State
	if plan := moderator.MustPlan(config("Sandbox", "Python", address)); !plan.Empty() {
		t.Errorf("nothing changes, and the plan has %v", plan.Changes())
	}
	for _, wanted := range []values{config("Other", "Python", address), nil} {
		_, diags := moderator.Plan(wanted)
		diags.ExpectError(t, "", "may not manage code playgrounds", "moderator")
	}
	o.As(t, "bot").NewRun(t, kind).MustApply(config("Sandbox", "Go", address)) // an administrator

	old := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 195})
	_, diags := old.NewRun(t, kind).Plan(config("Sandbox", "Go", address))
	diags.ExpectError(t, "", "feature level 196; the server has 195")
}
