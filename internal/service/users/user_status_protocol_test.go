package users_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/change"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

const userStatusLena = "lena.fischer@example.com" // a member

// expectUserStatus fails the test unless Lena has this status.
func expectUserStatus(t *testing.T, o *acctest.Organization, text, emoji string) {
	t.Helper()
	status, err := o.Client.Status(context.Background(), id(t, o, "member"))
	acctest.NoError(t, err)
	if status.Text != text || status.EmojiName != emoji {
		t.Errorf("the status is %+v, want %q and %q", status, text, emoji)
	}
}

// say sets Lena's status text outside Terraform.
func say(t *testing.T, o *acctest.Organization, text, emoji string) {
	t.Helper()
	acctest.NoError(t, o.Client.SetStatus(context.Background(), id(t, o, "member"), zulip.StatusUpdate{Text: &text, EmojiName: &emoji}))
}

// An unmanaged part is not written, not read, and not cleared on destroy.
func TestProtocolUserStatusParts(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user_status")
	say(t, o, "Mine", "car")
	sent := o.Sent()
	_, diags := run.Plan(values{"user": userStatusLena, "emoji_name": "palm_tree"})
	diags.ExpectWarning(t, "", change.ManagedSummary, "of the status of "+userStatusLena, "\nemoji_name\n  now:                        \"car\"", "asks for: \"palm_tree\"")
	run.MustApply(values{"user": userStatusLena, "emoji_name": "palm_tree"})
	sent.Expect(t, "POST emoji_name")
	say(t, o, "Still mine", "palm_tree")
	run.ExpectUnchanged(values{"user": userStatusLena, "emoji_name": "palm_tree"})
	run.MustApply(values{"user": userStatusLena, "emoji_name": "palm_tree", "status_text": "Ours"})
	sent = o.Sent()
	run.MustApply(values{"user": userStatusLena, "status_text": "Ours"}) // the emoji is no longer managed
	sent.Expect(t)
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	sent.Expect(t, "POST status_text")
	expectUserStatus(t, o, "", "palm_tree")
}

// The account's own status has its own request, which older servers also support.
func TestProtocolUserStatusOwn(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: featurelevel.StatusOfOthers - 1})
	run := o.NewRun(t, "zulip_user_status")
	sent := o.Sent()
	run.MustApply(values{"status_text": "Automating"})
	if writes := sent.Writes(); len(writes) != 1 || writes[0].Path != "/users/me/status" {
		t.Errorf("sent: %+v", writes)
	}
	if run.State.Values["user"] != o.Self.Address() {
		t.Errorf("the state holds %v", run.State.Values)
	}
	here := "Here"
	acctest.NoError(t, o.Client.SetOwnStatus(t.Context(), zulip.StatusUpdate{Text: &here}))
	sent = o.Sent()
	run.MustApply(values{"status_text": "Automating"})
	sent.Expect(t, "POST status_text")
	run.ExpectImports(o.Self.ID)
	run.Fork().ExpectRefused(values{"user": userStatusLena, "status_text": "x"}, "user", "feature level 407")
}

func TestProtocolUserStatusDrift(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user_status")
	config := values{"user": userStatusLena, "status_text": "On leave", "emoji_name": "palm_tree"}
	run.MustApply(config)
	say(t, o, "Here", "palm_tree")
	sent := o.Sent()
	run.MustApply(config)
	sent.Expect(t, "POST status_text")
	o.Call(t, http.MethodDelete, fmt.Sprint("/users/", id(t, o, "member")), nil)
	plan, diags := run.Plan(config)
	diags.ExpectWarning(t, "user", "is deactivated")
	if !plan.Empty() {
		t.Errorf("the plan changes %v", plan.Changes())
	}
	run.ExpectRefused(values{"user": userStatusLena, "status_text": "Gone"}, "user", "is deactivated")
}

// A destroy succeeds if the person was deactivated in the meantime.
func TestProtocolUserStatusDestroyDeactivated(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user_status")
	run.MustApply(values{"user": userStatusLena, "status_text": "On leave"})
	plan := run.MustPlan(nil)
	o.Call(t, http.MethodDelete, fmt.Sprint("/users/", id(t, o, "member")), nil)
	run.Apply(plan).ExpectNoError(t)
}

func TestProtocolUserStatusMany(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user_status")
	run.MustApply(values{"user": userStatusLena, "status_text": "x"})
	other := o.NewRun(t, "zulip_user_status")
	other.MustApply(values{"status_text": "y"})
	p, sent := run.Process(), o.Sent()
	for _, state := range []*acctest.Instance{run.State, other.State} {
		_, diags := p.Read("zulip_user_status", state)
		diags.ExpectNoError(t)
	}
	if requests := sent.Requests(); len(requests) != 2 { // the snapshot, and the end of its queue
		t.Errorf("%d requests for two statuses: %+v", len(requests), requests)
	}
}

func TestProtocolUserStatusRefusedAtPlan(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user_status")
	sixty := strings.Repeat("ü", 60)
	run.MustApply(values{"user": userStatusLena, "status_text": sixty + " "})
	expectUserStatus(t, o, sixty, "")
	bot := fmt.Sprint(id(t, o, "bot"))
	run.ExpectRefusals(acctest.Refusals{
		{values{"user": userStatusLena}, "", []string{"The resource manages nothing"}},
		{values{"user": userStatusLena, "status_text": sixty + "ü"}, "status_text", []string{"61 characters", "accepts 60"}},
		{values{"user": userStatusLena, "status_text": "x", "emoji_code": "1f697"}, "emoji_code", []string{"Set emoji_name"}},
		{values{"user": userStatusLena, "emoji_name": "", "reaction_type": "realm_emoji"}, "reaction_type", []string{"Set emoji_name"}},
		{values{"user": userStatusLena, "emoji_name": "palm_treee"}, "emoji_name", []string{`No such emoji: "palm_treee"`, "Did you mean palm_tree"}},
		{values{"user": userStatusLena, "emoji_name": "car", "emoji_code": "1f600"}, "emoji_code", []string{"is 1f697"}},
		{values{"user": userStatusLena, "emoji_name": "car", "reaction_type": "realm_emoji"}, "reaction_type", []string{"is unicode_emoji"}},
		{values{"user": userStatusLena, "emoji_name": "car", "reaction_type": "other"}, "reaction_type", []string{"must be one of"}},
		{values{"user": bot, "status_text": "x"}, "user", []string{"A bot has no status"}},
		{values{"user": "lina.fischer@example.com", "status_text": "x"}, "user", []string{"did you mean " + userStatusLena}},
	})
	o.As(t, "moderator").NewRun(t, "zulip_user_status").ExpectRefused(values{"user": fmt.Sprint(id(t, o, "member")), "status_text": "x"}, "user", "cannot set the status of others")
}

// From a feature level on, bots with an administrator's role can set the status of people. Bots have no status
// themselves.
func TestProtocolUserStatusByBots(t *testing.T) {
	for _, level := range []int{442, featurelevel.StatusByBots - 1} {
		o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: level})
		o.As(t, "bot").NewRun(t, "zulip_user_status").ExpectRefused(values{"user": userStatusLena, "status_text": "x"}, "user", "A bot cannot set a status", "feature level 473", fmt.Sprintf("has feature level %d", level))
	}
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: featurelevel.StatusByBots})
	bot := o.As(t, "bot")
	run, sent := bot.NewRun(t, "zulip_user_status"), bot.Sent()
	run.MustApply(values{"user": userStatusLena, "status_text": "On leave"})
	expectUserStatus(t, o, "On leave", "")
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	expectUserStatus(t, o, "", "")
	for _, write := range sent.Writes() {
		if want := fmt.Sprintf("/users/%d/status", id(t, o, "member")); write.Path != want {
			t.Errorf("sent %s %s, want %s", write.Method, write.Path, want)
		}
	}
	bot.NewRun(t, "zulip_user_status").ExpectRefused(values{"status_text": "x"}, "user", "A bot cannot set its own status")

	o.Call(t, http.MethodPatch, fmt.Sprint("/bots/", bot.Self.ID), map[string]string{"role": "300"})
	o.As(t, "bot").NewRun(t, "zulip_user_status").ExpectRefused(values{"user": fmt.Sprint(id(t, o, "member")), "status_text": "x"}, "user", "cannot set the status of others")
}

// Every kind of emoji that the server accepts passes the check. If a server does not list its emoji, the server checks.
func TestProtocolUserStatusEmoji(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user_status")
	for _, c := range []values{
		{"emoji_name": "zulip"}, {"emoji_name": "working_on_it"}, {"emoji_name": "zulip", "reaction_type": "zulip_extra_emoji"},
	} {
		c["user"] = userStatusLena
		run.MustApply(c)
	}
	id := o.Emoji(t, "party_hat")
	run.MustApply(values{"user": userStatusLena, "emoji_name": "party_hat"})
	if got := run.State.Values; got["reaction_type"] != "realm_emoji" || got["emoji_code"] != fmt.Sprint(id) {
		t.Errorf("the state holds %v", got)
	}
}

// The names of emoji change with the server's version. An existing status is kept, and plans no change.
func TestProtocolUserStatus_OldEmoji_NoChange(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user_status")
	config := values{"user": userStatusLena, "status_text": "On my way", "emoji_name": "car", "emoji_code": "1f697", "reaction_type": "unicode_emoji"}
	run.MustApply(config)
	short := values{"user": userStatusLena, "status_text": "On my way", "emoji_name": "car"}
	for _, table := range []string{`{"code_to_names":{"1f3ce":["car"]}}`, `{"code_to_names":{"1f3ce":["racing_car"]}}`} {
		upgraded := http.NewServeMux()
		upgraded.Handle("/", o.Sandbox.Handler())
		upgraded.HandleFunc("GET /static/generated/emoji/emoji_api.json", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, table) })
		server := httptest.NewServer(upgraded)
		t.Cleanup(server.Close)
		run.Block = o.Block(values{"site": server.URL})
		sent := o.Sent()
		for _, same := range []values{config, short} {
			run.ExpectUnchanged(same)
		}
		run.MustApply(values{"user": userStatusLena, "status_text": "There", "emoji_name": "car", "emoji_code": "1f697"})
		sent.Expect(t, "POST status_text")
		run.MustApply(config)
	}
}

func TestProtocolUserStatusDataSource(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user_status")
	say(t, o, "On leave", "palm_tree")
	p := run.Process()
	found := p.MustReadData("zulip_user_status", values{"user": strings.ToUpper(userStatusLena)})
	if found["status_text"] != "On leave" || found["emoji_code"] != "1f334" || found["user_id"] != id(t, o, "member") {
		t.Errorf("found %v", found)
	}
	_, diags := p.ReadData("zulip_user_status", values{"user": fmt.Sprint(id(t, o, "bot"))})
	diags.ExpectError(t, "user", "A bot has no status")
}

// Two resources that set different statuses of one person would revert each other with each apply. They can set
// different parts.
func TestProtocolUserStatusTwoResources(t *testing.T) {
	_, run := acctest.StartRun(t, "zulip_user_status")
	p := run.Process()
	plan := func(config values) acctest.Diagnostics {
		config["user"] = userStatusLena
		_, diags := p.Plan("zulip_user_status", nil, config)
		return diags
	}
	plan(values{"status_text": "Away"}).ExpectNoError(t)
	plan(values{"status_text": "Away ", "emoji_name": "car"}).ExpectNoError(t)
	plan(values{"emoji_name": "palm_tree"}).ExpectError(t, "emoji_name", "Duplicate status of "+userStatusLena, "Keep one of them.")
	plan(values{"status_text": ""}).ExpectError(t, "status_text", "Duplicate status of "+userStatusLena, "Keep one of them.")
}

// A status that was set after the plan is neither overwritten nor cleared.
func TestProtocolUserStatusConflict(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user_status")
	config := values{"user": userStatusLena, "status_text": "On leave", "emoji_name": "palm_tree"}
	other := values{"user": userStatusLena, "status_text": "In a meeting", "emoji_name": "calendar"}
	for _, meanwhile := range []struct {
		text, emoji string
		words       []string
	}{
		{"Ill", "palm_tree", []string{"status_text", `"On leave"`, `"Ill"`, `"In a meeting"`}},
		{"On leave", "car", []string{"emoji_name", "palm_tree", "car", "calendar"}},
	} {
		run.MustApply(config)
		plan, end := run.MustPlan(other), run.MustPlan(nil)
		say(t, o, meanwhile.text, meanwhile.emoji)
		sent := o.Sent()
		run.Apply(plan).ExpectError(t, "", append(meanwhile.words, "changed after the plan was made")...)
		run.Apply(end).ExpectError(t, "", "changed after the plan was made")
		sent.Expect(t)
		expectUserStatus(t, o, meanwhile.text, meanwhile.emoji)
		if run.State == nil || run.State.Values["status_text"] != meanwhile.text || run.State.Values["emoji_name"] != meanwhile.emoji {
			t.Errorf("the state holds %v", run.State)
		}
		run.MustApply(other) // planned from the current status
	}
	// A planned status that is already set is not sent.
	plan := run.MustPlan(values{"user": userStatusLena, "status_text": "Back", "emoji_name": "car"})
	say(t, o, "Back", "calendar")
	sent := o.Sent()
	run.Apply(plan).ExpectNoError(t)
	sent.Expect(t, "POST emoji_name")
	// A status that the person has cleared is not cleared again.
	end := run.MustPlan(nil)
	say(t, o, "", "")
	sent = o.Sent()
	run.Apply(end).ExpectNoError(t)
	sent.Expect(t)
}
