package savedsnippet_test

import (
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

const kind = "zulip_saved_snippet"

type values = acctest.Values

func managed(t *testing.T) (*acctest.Organization, *acctest.Run) {
	t.Helper()
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := o.NewRun(t, kind)
	return o, run
}

func held(t *testing.T, o *acctest.Organization) []*zulip.SavedSnippet {
	t.Helper()
	all, err := o.Client.SavedSnippets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A snippet is stored, changed in place by what differs alone, and deleted.
func TestProtocolSavedSnippetLives(t *testing.T) {
	o, run := managed(t)
	sent := o.Sent()
	run.MustApply(values{"title": " Greeting ", "content": "Hello\nyou\n"})
	sent.Expect(t, "POST content title")
	made := held(t, o)
	if len(made) != 1 || made[0].Title != "Greeting" || made[0].Content != "Hello\nyou" || run.State.Values["id"] != made[0].ID {
		t.Fatalf("the server holds %+v, the state %v", made, run.State.Values)
	}
	if plan := run.MustPlan(values{"title": "Greeting", "content": "Hello\nyou"}); !plan.Empty() {
		t.Errorf("the same without white space changes %v", plan.Changes())
	}
	sent = o.Sent()
	run.MustApply(values{"title": "Greeting", "content": "Good morning"})
	sent.Expect(t, "PATCH content")
	sent = o.Sent()
	run.MustApply(values{"title": "Morning", "content": "Good morning"})
	sent.Expect(t, "PATCH title")
	if now := held(t, o); len(now) != 1 || now[0].ID != made[0].ID || now[0].Title != "Morning" || now[0].Content != "Good morning" {
		t.Errorf("the server holds %+v", now)
	}
	sent = o.Sent()
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	sent.Expect(t, "DELETE")
	if left := held(t, o); len(left) != 0 {
		t.Errorf("left are %+v", left)
	}
}

// What somebody deletes by hand is stored anew, and a bot has snippets of its own.
func TestProtocolSavedSnippetGone(t *testing.T) {
	o, run := managed(t)
	config := values{"title": "Greeting", "content": "Hello"}
	run.MustApply(config)
	bot := o.As(t, "bot")
	bot.NewRun(t, kind).MustApply(config)
	if err := o.Client.DeleteSavedSnippet(t.Context(), held(t, o)[0].ID); err != nil {
		t.Fatal(err)
	}
	run.MustApply(config)
	if own, others := held(t, o), held(t, bot); len(own) != 1 || len(others) != 1 || own[0].ID == others[0].ID {
		t.Errorf("the account has %+v, the bot %+v", own, others)
	}
}

// A lost answer stores no second one, whatever else has the same title.
func TestProtocolSavedSnippetLostAnswer(t *testing.T) {
	o, run := managed(t)
	config := values{"title": "Greeting", "content": "Hello"}
	o.NewRun(t, kind).MustApply(config)
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/saved_snippets", After: true, Action: sandbox.FaultDrop, Count: 1})
	run.MustApply(config)
	all := held(t, o)
	if len(all) != 2 || run.State.Values["id"] != all[1].ID {
		t.Errorf("the server holds %d, and the state %v", len(all), run.State.Values)
	}
}

func TestProtocolSavedSnippetRefused(t *testing.T) {
	o, run := managed(t)
	for attribute, config := range map[string]values{
		"title": {"title": strings.Repeat("t", 61), "content": "x"}, "content": {"title": "x", "content": ""},
	} {
		_, diags := run.Plan(config)
		diags.ExpectError(t, attribute, attribute)
	}
	run.Apply(run.MustPlan(values{"title": "x", "content": strings.Repeat("c", 10001)})).ExpectError(t, "", "content is too long")
	run.Apply(run.MustPlan(values{"title": "  ", "content": "x"})).ExpectError(t, "", "title cannot be blank")
	old := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 367})
	_, diags := old.NewRun(t, kind).Plan(values{"title": "x", "content": "x"})
	diags.ExpectError(t, "", "feature level 368; the server has 367")
	if left := held(t, o); len(left) != 0 {
		t.Errorf("stored are %+v", left)
	}
}
