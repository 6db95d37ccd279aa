package organization_test

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

const codePlaygroundKind = "zulip_code_playground"

func codePlaygroundConfig(name, language, template string) values {
	return values{"name": name, "pygments_language": language, "url_template": template}
}

const codePlaygroundAddress = "https://py.example.com/{code}"

// playgrounds are what the server holds, by language and name.
func playgrounds(t *testing.T, o *acctest.Organization) map[string]*zulip.Playground {
	t.Helper()
	found := map[string]*zulip.Playground{}
	for _, playground := range o.Snapshot(t, zulip.FetchPlaygrounds).Playgrounds {
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
	o, run := acctest.StartRun(t, codePlaygroundKind)
	sent := o.Sent()
	run.MustApply(codePlaygroundConfig("Sandbox", "Python", codePlaygroundAddress))
	sent.Expect(t, "POST name pygments_language url_template")
	if held := playgrounds(t, o)["Python/Sandbox"]; held == nil || held.ID != run.State.Values["id"] || held.URLTemplate != codePlaygroundAddress {
		t.Errorf("the server holds %+v, the state %v", held, run.State.Values)
	}
	for _, c := range []struct {
		config  values
		because string
	}{
		{codePlaygroundConfig("Other", "Python", codePlaygroundAddress), "name"}, {codePlaygroundConfig("Sandbox", "Go", codePlaygroundAddress), "pygments_language"},
		{codePlaygroundConfig("Sandbox", "Python", codePlaygroundAddress+"#"), "url_template"},
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
	o, run := acctest.StartRun(t, codePlaygroundKind)
	wanted := codePlaygroundConfig("Sandbox", "Python", codePlaygroundAddress)
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
	o, run := acctest.StartRun(t, codePlaygroundKind)
	run.MustApply(codePlaygroundConfig("Sandbox", "C/C++", codePlaygroundAddress))
	before := run.State
	run.ExpectImports(before.Values["id"], "Sandbox", "C/C++/Sandbox", before.Identity)
	o.NewRun(t, codePlaygroundKind).Import("999999", nil).ExpectError(t, "", "Cannot import this code playground", `"C/C++/Sandbox"`)
	o.NewRun(t, codePlaygroundKind).Import("C++/Sandbox", nil).ExpectError(t, "", "Cannot import this code playground", `did you mean "C/C++/Sandbox"?`)
	o.NewRun(t, codePlaygroundKind).Import("Sandbocks", nil).ExpectError(t, "", "Cannot import this code playground", `did you mean "Sandbox"?`)
	add(t, o, zulip.Playground{Name: "Sandbox", Language: "Go", URLTemplate: codePlaygroundAddress})
	o.NewRun(t, codePlaygroundKind).Import("Sandbox", nil).ExpectError(t, "", "2 playgrounds are called", "LANGUAGE/NAME", `"Go/Sandbox"`)
}

// A lost answer adds no second one, whether the call is repeated or the playground looked for.
func TestProtocolPlaygroundLostAnswer(t *testing.T) {
	for _, retries := range []int{0, 2} {
		o, run := acctest.StartRun(t, codePlaygroundKind)
		run.Block["max_retries"] = retries
		plan := run.MustPlan(codePlaygroundConfig("Sandbox", "Python", codePlaygroundAddress))
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
	o, run := acctest.StartRun(t, codePlaygroundKind)
	run.Block["max_retries"] = 0
	plan := run.MustPlan(codePlaygroundConfig("Sandbox", "Python", codePlaygroundAddress))
	heal := o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/realm/playgrounds", Action: sandbox.FaultStatus})
	run.Apply(plan).ExpectError(t, "", "Cannot create code playground", "applying again is safe")
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/register", Action: sandbox.FaultStatus, Count: 1})
	run.Apply(plan).ExpectError(t, "", "Cannot read the code playgrounds")
	heal()
	run.MustApply(codePlaygroundConfig("Sandbox", "Python", codePlaygroundAddress))
}

// What has the language and name already is never taken into the state.
func TestProtocolPlaygroundTaken(t *testing.T) {
	o, run := acctest.StartRun(t, codePlaygroundKind)
	id := add(t, o, zulip.Playground{Name: "Sandbox", Language: "Python", URLTemplate: codePlaygroundAddress})
	for _, other := range []string{codePlaygroundAddress, codePlaygroundAddress + "#"} {
		run.Apply(run.MustPlan(codePlaygroundConfig("Sandbox", "Python", other))).ExpectError(t, "name", fmt.Sprintf("It has the ID %d", id), "import {", codePlaygroundAddress)
	}
	p := run.Process()
	p.MustPlan(codePlaygroundKind, nil, codePlaygroundConfig("New", "Python", codePlaygroundAddress))
	_, diags := p.Plan(codePlaygroundKind, nil, codePlaygroundConfig("New", "Python", codePlaygroundAddress))
	diags.ExpectError(t, "name", `Duplicate code playground language and name "Python/New"`)
}

// Reading any number of playgrounds is one request.
func TestProtocolPlaygroundsAreReadTogether(t *testing.T) {
	o, run := acctest.StartRun(t, codePlaygroundKind)
	run.MustApply(codePlaygroundConfig("Sandbox", "Python", codePlaygroundAddress))
	run.ExpectReadTogether(t, o, 2) // the snapshot, and the end of its queue
}

func TestProtocolPlaygroundBadInput(t *testing.T) {
	_, run := acctest.StartRun(t, codePlaygroundKind)
	run.ExpectRefusals(acctest.Refusals{
		{codePlaygroundConfig(" ", "Python", codePlaygroundAddress), "name", []string{"Empty text"}},
		{codePlaygroundConfig("Sandbox ", "Python", codePlaygroundAddress), "name", []string{"White space"}},
		{codePlaygroundConfig("Sandbox", "a;b", codePlaygroundAddress), "pygments_language", []string{"letters of English"}},
		{codePlaygroundConfig("Sandbox", strings.Repeat("x", 41), codePlaygroundAddress), "pygments_language", []string{"more than 40 characters"}},
		{codePlaygroundConfig("Sandbox", "Python", "https://py.example.com/"), "url_template", []string{"where the code goes"}},
		{codePlaygroundConfig("Sandbox", "Python", codePlaygroundAddress+"{x}"), "url_template", []string{"code, x"}},
		{codePlaygroundConfig("Sandbox", "Python", "{"), "url_template", []string{"RFC 6570"}},
	})
	run.MustPlan(values{"name": acctest.Unknown, "pygments_language": acctest.Unknown, "url_template": acctest.Unknown})
}

func TestProtocolPlaygroundRights(t *testing.T) {
	o, run := acctest.StartRun(t, codePlaygroundKind)
	run.MustApply(codePlaygroundConfig("Sandbox", "Python", codePlaygroundAddress))
	moderator := o.As(t, "moderator").NewRun(t, codePlaygroundKind)
	moderator.State = run.State
	if plan := moderator.MustPlan(codePlaygroundConfig("Sandbox", "Python", codePlaygroundAddress)); !plan.Empty() {
		t.Errorf("nothing changes, and the plan has %v", plan.Changes())
	}
	for _, wanted := range []values{codePlaygroundConfig("Other", "Python", codePlaygroundAddress), nil} {
		moderator.ExpectRefused(wanted, "", "may not manage code playgrounds", "moderator")
	}
	o.As(t, "bot").NewRun(t, codePlaygroundKind).MustApply(codePlaygroundConfig("Sandbox", "Go", codePlaygroundAddress)) // an administrator

	old := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 195})
	old.NewRun(t, codePlaygroundKind).ExpectRefused(codePlaygroundConfig("Sandbox", "Go", codePlaygroundAddress), "", "feature level 196; the server has 195")
}
