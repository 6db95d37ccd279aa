package channels_test

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/change"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

var inside = []any{"ines.moreau@example.com", "lena.fischer@example.com", "paul.dubois@example.com"}

// expectAccessWarning plans a configuration, and expects one warning about access with this summary, and none for "".
func expectAccessWarning(t *testing.T, run *acctest.Run, config values, summary string) {
	t.Helper()
	_, diags := run.Plan(config)
	slices.DeleteFunc(diags, func(one acctest.Diagnostic) bool {
		return one.Summary == change.ManagedSummary || one.Summary == "Guests have no effect in this permission"
	}).ExpectOnlyAccessWarning(t, summary)
}

func TestProtocolChannel_AccessChanged_Warning(t *testing.T) {
	o, run := channelManaged(t)
	public := values{"name": "ops", "initial_subscribers": inside, "can_send_message_group": who("role:everyone"), "can_administer_channel_group": who("role:owners"), "privacy": "public"}
	expectAccessWarning(t, run, public, "") // no one had a permission in a channel that did not exist
	run.MustApply(public)
	private := o.NewRun(t, "zulip_channel")
	private.MustApply(but(public, values{"name": "cellar", "privacy": "private_shared_history"}))
	inPrivate := but(public, values{"name": "cellar", "privacy": "private_shared_history"})

	for name, test := range map[string]struct {
		run            *acctest.Run
		config, change values
		want           string
	}{
		"nothing":            {run, public, nil, ""},
		"another attribute":  {run, public, values{"description": "other"}, ""},
		"in other words":     {run, public, values{"can_send_message_group": who("role:everyone", "user:kenji.sato@example.com")}, ""},
		"by role they do it": {run, public, values{"can_administer_channel_group": who("role:administrators")}, ""},
		"who posts":          {run, public, values{"can_send_message_group": who("role:moderators")}, acctest.GeneralAccess},
		"who administers":    {run, public, values{"can_administer_channel_group": who("group:sre")}, acctest.GeneralAccess},
		"who comes into a private channel": {
			private, inPrivate, values{"can_add_subscribers_group": who("user:kenji.sato@example.com", "user:paul.dubois@example.com")},
			`More people can gain access to private channel "cellar"`,
		},
		"a channel becomes private":        {run, public, values{"privacy": "private_shared_history"}, acctest.GeneralAccess},
		"what is not known is not guessed": {run, public, values{"can_send_message_group": []any{"role:moderators", acctest.Unknown}}, acctest.GeneralAccess},
		// The effects that don't depend on the privacy are known.
		"nor the privacy":              {run, public, values{"privacy": acctest.Unknown, "can_send_message_group": who()}, `A permission can be left with no one in channel "ops"`},
		"nor who enters":               {private, inPrivate, values{"can_add_subscribers_group": []any{acctest.Unknown}}, `More people can gain access to private channel "cellar"`},
		"nor if the internet can read": {run, public, values{"privacy": acctest.Unknown}, acctest.GeneralAccess},
	} {
		t.Run(name, func(t *testing.T) {
			fork := test.run.Fork()
			if name == "nor the privacy" { // otherwise a channel in which no one posts is refused
				fork.Block = but(fork.Block, values{"lockout_protection": false})
			}
			expectAccessWarning(t, fork, but(test.config, test.change), test.want)
		})
	}
	t.Run("turned off", func(t *testing.T) {
		silent := private.Fork()
		silent.Block = but(o.Block(nil), values{"access_warnings": false})
		expectAccessWarning(t, silent, but(inPrivate, values{"can_send_message_group": who("role:moderators")}), "")
	})
	t.Run("destroyed", func(t *testing.T) {
		if _, diags := run.Plan(nil); len(diags) > 0 {
			t.Errorf("reported: %v", diags)
		}
	})
}

func TestProtocolChannel_SubscribersIrrelevant_NotRead(t *testing.T) {
	o, run := channelManaged(t)
	public := values{"name": "ops", "initial_subscribers": inside, "can_send_message_group": who("role:everyone"), "can_administer_channel_group": who("role:owners")}
	run.MustApply(public)
	private := o.NewRun(t, "zulip_channel")
	inPrivate := but(public, values{"name": "cellar", "privacy": "private_shared_history"})
	private.MustApply(inPrivate)
	asked := func(run *acctest.Run, config values) int {
		t.Helper()
		sent := o.Sent()
		_, diags := run.Plan(config)
		diags.ExpectNoError(t)
		count := 0
		for _, request := range sent.Requests() {
			if strings.HasSuffix(request.Path, "/members") {
				count++
			}
		}
		return count
	}
	for name, test := range map[string]struct {
		run    *acctest.Run
		config values
		want   int
	}{
		"nothing changes":                   {private, inPrivate, 0},
		"nothing that decides":              {private, but(inPrivate, values{"description": "other"}), 0},
		"guests are not concerned":          {run, but(public, values{"can_administer_channel_group": who("group:sre")}), 0},
		"guests lose what they have inside": {run, but(public, values{"can_send_message_group": who("role:members")}), 1},
		"a private channel":                 {private, but(inPrivate, values{"can_send_message_group": who("role:members")}), 1},
	} {
		if got := asked(test.run, test.config); got != test.want {
			t.Errorf("%s: asked %d times, not %d", name, got, test.want)
		}
	}

	defer o.Sandbox.Fail(sandbox.Fault{Method: http.MethodGet, Path: fmt.Sprintf("/streams/%d/members", private.State.Values["id"]), Action: sandbox.FaultStatus, Status: http.StatusBadRequest})()
	narrower := but(inPrivate, values{"can_send_message_group": who("role:members")})
	_, diags := private.Plan(narrower)
	diags.ExpectError(t, "can_send_message_group", `Cannot read the subscribers of channel "cellar"`)
	private.Block["lockout_protection"] = false
	expectAccessWarning(t, private, narrower, acctest.GeneralAccess)
}

func TestProtocolChannel_AccessForNone_Refused(t *testing.T) {
	o, run := channelManaged(t)
	config := values{"name": "ops", "can_send_message_group": who("role:everyone"), "initial_subscribers": inside}
	run.MustApply(config)
	empty := o.NewRun(t, "zulip_channel")
	empty.MustApply(values{"name": "empty"})
	closed := o.NewRun(t, "zulip_channel")
	closed.MustApply(values{"name": "closed", "privacy": "private_shared_history", "initial_subscribers": []any{"ines.moreau@example.com"}, "can_send_message_group": who("role:everyone")})

	noPosts := []string{`No one could post in channel "ops"`, "lockout_protection = false"}
	expectRefusals(t, o, run, map[string]refusal{
		"nobody":                         {but(config, values{"can_send_message_group": who()}), "can_send_message_group", noPosts},
		"nobody who reads it":            {but(config, values{"can_send_message_group": who("user:kenji.sato@example.com"), "privacy": "private_protected_history"}), "can_send_message_group", noPosts},
		"a group in which there is none": {but(config, values{"can_send_message_group": who("role:nobody")}), "can_send_message_group", noPosts},
	})
	expectRefusals(t, o, empty, map[string]refusal{
		"a private channel that nobody is in": {values{"name": "empty", "privacy": "private_shared_history"}, "privacy", []string{`No one could join channel "empty"`, "subscribe someone to the channel", "lockout_protection = false"}},
	})
	for _, fine := range []values{
		{"can_subscribe_group": who("group:leads")}, {"can_add_subscribers_group": who("role:members")}, {"can_subscribe_group": []any{acctest.Unknown}},
	} {
		_, diags := empty.Plan(but(values{"name": "empty", "privacy": "private_shared_history"}, fine))
		diags.ExpectNoError(t)
	}
	_, diags := closed.Plan(values{"name": "closed", "can_send_message_group": who("role:moderators")})
	diags.ExpectNoError(t)

	// The confirmed change passes, with a warning.
	run.Block = but(run.Block, values{"lockout_protection": false})
	expectAccessWarning(t, run, but(config, values{"can_send_message_group": who()}), `A permission can be left with no one in channel "ops"`)
	run.MustApply(but(config, values{"can_send_message_group": who()}))
	// A problem that already exists is no reason to refuse other changes.
	run.Block = o.Block(nil)
	run.MustApply(but(config, values{"can_send_message_group": who(), "can_resolve_topics_group": who("role:members")}))
	run.MustApply(config)
}

// TestProtocolChannelLockout_ProtectionOff_ChannelClosed shows what the provider protects from. With the protection
// off, the channel is closed for good, even to the owner of the organization.
func TestProtocolChannelLockout_ProtectionOff_ChannelClosed(t *testing.T) {
	o, run := channelManaged(t)
	run.MustApply(values{"name": "vault"})
	private := values{"name": "vault", "privacy": "private_shared_history"}
	_, diags := run.Plan(private)
	diags.ExpectError(t, "privacy", `No one could join channel "vault"`)

	run.Block = but(run.Block, values{"lockout_protection": false})
	plan, diags := run.Plan(private)
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "", `The provider's account can lose access in channel "vault"`)
	run.Apply(plan).ExpectNoError(t)

	for _, account := range []string{"owner", "admin", "moderator", "member"} {
		as := o.As(t, account)
		if _, err := as.Client.CreateChannelBySubscribing(t.Context(), zulip.ChannelCreate{Name: "vault"}); !zulip.IsMessage(err, "Unable to access channel (vault).") {
			t.Errorf("%s comes in: %v", account, err)
		}
	}
	public := false
	if _, err := o.Client.UpdateChannel(t.Context(), o.MustChannel(t, "vault").ID, zulip.ChannelUpdate{IsPrivate: &public}); !zulip.IsMessage(err, "Channel content access is required.") {
		t.Errorf("the server makes the channel public again: %v", err)
	}
	for attribute, wayBack := range map[string]values{
		"privacy": {"name": "vault", "privacy": "public"}, "can_add_subscribers_group": but(private, values{"can_add_subscribers_group": who("role:owners")}),
	} {
		_, diags := run.Fork().Plan(wayBack)
		diags.ExpectWarning(t, attribute, `ines.moreau@example.com cannot read private channel "vault", so the apply will fail`, "The channel has no subscribers")
	}
}

// If all messages are sent without a topic, no one starts topics, and the plan says so.
func TestProtocolChannel_TopicsDisabled_Warning(t *testing.T) {
	_, run := channelManaged(t)
	config := values{"name": "ops", "topics_policy": "inherit"}
	run.MustApply(config)
	expectAccessWarning(t, run, but(config, values{"topics_policy": "disable_empty_topic"}), "")
	expectAccessWarning(t, run, but(config, values{"topics_policy": "empty_topic_only"}), `A permission can be left with no one in channel "ops"`)
	expectAccessWarning(t, run, but(config, values{"topics_policy": acctest.Unknown}), acctest.GeneralAccess)
}

// An incoming webhook bot can't add anyone to a channel, even if a permission names it.
func TestProtocolChannelLockout_WebhookBotAdmitted_Refused(t *testing.T) {
	o, run := channelManaged(t)
	o.Call(t, http.MethodPost, "/bots", map[string]string{"full_name": "Hook", "short_name": "hook", "bot_type": "2"})
	config := values{"name": "ops", "initial_subscribers": []any{}, "privacy": "public"}
	run.MustApply(config)
	hook := who("user:hook-bot@zulip.example.com")
	expectRefusals(t, o, run, map[string]refusal{
		"a bot that can only send": {
			but(config, values{"privacy": "private_shared_history", "can_add_subscribers_group": hook}), "can_add_subscribers_group",
			[]string{`No one could join channel "ops"`},
		},
	})
}

// While a plan does not know yet whom a permission names, it warns that this may keep the account out.
func TestProtocolChannelLockout_UnknownNames_Announced(t *testing.T) {
	for name, test := range map[string]struct {
		account, setting, other string
		config                  values
	}{
		"administration": {"moderator", "can_administer_channel_group", "role:administrators", values{"name": "press", "can_administer_channel_group": []any{"user:amara.okafor@example.com"}}},
		"access": {"owner", "can_subscribe_group", "user:tomas.berg@example.com", values{
			"name": "press", "privacy": "private_shared_history", "initial_subscribers": []any{"kenji.sato@example.com"}, "can_subscribe_group": who("user:ines.moreau@example.com"),
		}},
	} {
		t.Run(name, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{}).As(t, test.account)
			run := o.NewRun(t, channelType)
			run.MustApply(test.config)
			own := test.config[test.setting].([]any)[0]
			_, diags := run.Plan(but(test.config, values{test.setting: []any{acctest.Unknown, own}}))
			if len(diags.Errors()) > 0 || strings.Contains(diags.String(), "own access") {
				t.Errorf("the account stays: %v", diags)
			}
			plan, diags := run.Plan(but(test.config, values{test.setting: []any{acctest.Unknown, test.other}}))
			diags.ExpectNoError(t)
			diags.ExpectWarning(t, test.setting, "remove the provider's own access", "The apply will fail, unless the names that this plan does not know yet include the account")
			plan.Config[test.setting] = []any{test.other, "role:nobody"}
			sent := o.Sent()
			run.Apply(plan).ExpectError(t, test.setting, "remove the provider's own access")
			sent.Expect(t)
		})
	}
}

// The members decide whether anyone could still join a channel. The provider reads them just before the request, and
// refuses if it cannot.
func TestProtocolChannelLockout_AtRequest_Refused(t *testing.T) {
	o, run := channelManaged(t)
	config := values{"name": "ops", "initial_subscribers": inside, "privacy": "public"}
	run.MustApply(config)
	private := but(config, values{"privacy": "private_shared_history"})
	plan := run.MustPlan(private)
	everybody := strings.ReplaceAll(fmt.Sprint(o.Subscribers(t, "ops")), " ", ",")
	o.Call(t, http.MethodDelete, "/users/me/subscriptions", map[string]string{"subscriptions": `["ops"]`, "principals": everybody})
	sent := o.Sent()
	run.Apply(plan).ExpectError(t, "privacy", `No one could join channel "ops"`)
	sent.Expect(t)

	run.Block["max_retries"] = 0
	for _, path := range []string{"/register", "/streams/*/members"} {
		o.Sandbox.Fail(sandbox.Fault{Method: "*", Path: path, Action: sandbox.FaultStatus, Status: http.StatusBadGateway, Skip: map[string]int{"/register": 1}[path]})
	}
	_, diags := run.Plan(private)
	diags.ExpectError(t, "privacy", `Cannot read the subscribers of channel "ops"`, "Nothing was changed")
}

// A change that was harmless during plan, and leaves no one with a permission during apply, is refused just before the
// request.
func TestProtocolChannel_AccessForNoneAtRequest(t *testing.T) {
	const lena = "lena.fischer@example.com"
	for name, test := range map[string]struct {
		config, change values
		makesPrivate   bool   // a request by another account after the plan
		leaves         string // or the account that is unsubscribed
		at, summary    string
	}{
		"nobody posts": {
			values{"name": "cellar", "privacy": "private_shared_history", "initial_subscribers": []any{"ines.moreau@example.com", lena}},
			values{"can_send_message_group": who("user:" + lena)}, false, "member", "can_send_message_group", `No one could post in channel "cellar"`,
		},
		"nobody joins": {
			values{"name": "cellar", "initial_subscribers": []any{"ines.moreau@example.com"}},
			values{"privacy": "private_shared_history"}, false, "owner", "privacy", `No one could join channel "cellar"`,
		},
		"the channel has become private": {
			values{"name": "cellar", "privacy": "public", "initial_subscribers": []any{"ines.moreau@example.com"}},
			values{"can_send_message_group": who("user:" + lena)}, true, "", "can_send_message_group", `No one could post in channel "cellar"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			o, run := channelManaged(t)
			run.MustApply(test.config)
			config := but(test.config, test.change)
			if test.makesPrivate {
				delete(config, "privacy")
			}
			p := run.Process()
			plan, diags := p.Plan("zulip_channel", run.State, config)
			diags.ExpectNoError(t)
			if test.makesPrivate {
				private := true
				o.Change(t, "cellar", zulip.ChannelUpdate{IsPrivate: &private})
			} else if _, err := o.Client.Unsubscribe(t.Context(), "cellar", []int64{o.WithAccount(t, test.leaves).Self.ID}); err != nil {
				t.Fatal(err)
			}
			before, sent := *o.MustChannel(t, "cellar"), o.Sent()
			_, diags = p.Apply(plan)
			diags.ExpectError(t, test.at, test.summary)
			sent.Expect(t)
			if now := *o.MustChannel(t, "cellar"); !reflect.DeepEqual(now, before) {
				t.Errorf("the channel was %+v and is %+v", before, now)
			}
		})
	}
}

// A change is one request, or two if permissions change too. The server executes the parts of a request in order,
// permissions last (server-behavior §C10), and if it refuses a part, nothing may have changed before. The channels are
// also read before and after.
func TestProtocolChannelRequests_Change(t *testing.T) {
	base := values{"name": "counted", "description": "As it was", "privacy": "public", "can_send_message_group": who("role:everyone")}
	for name, test := range map[string]struct {
		change values
		want   []string
	}{
		"the description":         {values{"description": "New"}, []string{"PATCH description"}},
		"all but permissions":     {values{"name": "renamed", "description": "New", "is_default": true, "message_retention_days": "30"}, []string{"PATCH description is_default_stream message_retention_days new_name"}},
		"a permission":            {values{"can_send_message_group": who("role:moderators")}, []string{"PATCH can_send_message_group"}},
		"several permissions":     {values{"can_send_message_group": who("role:moderators"), "can_add_subscribers_group": who("role:members"), "can_resolve_topics_group": who("role:members")}, []string{"PATCH can_add_subscribers_group can_resolve_topics_group can_send_message_group"}},
		"both":                    {values{"description": "New", "can_send_message_group": who("role:moderators")}, []string{"PATCH can_send_message_group", "PATCH description"}},
		"as much as can be":       {values{"name": "renamed", "description": "New", "topics_policy": "allow_empty_topic", "can_send_message_group": who("role:moderators"), "can_delete_any_message_group": who("role:moderators")}, []string{"PATCH can_delete_any_message_group can_send_message_group", "PATCH description new_name topics_policy"}},
		"nothing, in other words": {values{"can_send_message_group": who("role:everyone"), "description": "As it was"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			o, run := channelManaged(t)
			run.MustApply(base)
			plan := run.MustPlan(but(base, test.change))
			sent := o.Sent()
			run.Apply(plan).ExpectNoError(t)
			sent.Expect(t, test.want...)
			if reads := count(sent.Requests(), http.MethodGet, "/streams"); len(test.want) > 0 && reads != 2 {
				t.Errorf("the channels were read %d times", reads)
			}
		})
	}
}

// Creation and destroy are one request each, and one request reads the channel after the creation.
func TestProtocolChannelRequests_CreateAndDestroy(t *testing.T) {
	o, run := channelManaged(t)
	config := values{
		"name": "counted", "description": "Made", "privacy": "private_shared_history", "can_send_message_group": who("role:moderators"),
		"can_add_subscribers_group": who("role:moderators", "user:lena.fischer@example.com"),
	}
	sent := o.Sent()
	run.MustApply(config)
	if made, reads := len(sent.Writes()), count(sent.Requests(), http.MethodGet, "/streams"); made != 1 || reads != 1 {
		t.Errorf("%d writes and %d reads: %s", made, reads, sent.Words())
	}
	plan := run.MustPlan(nil)
	sent = o.Sent()
	run.Apply(plan).ExpectNoError(t)
	sent.Expect(t, "DELETE")
	if reads := count(sent.Requests(), http.MethodGet, "/streams") + count(sent.Requests(), http.MethodPost, "/register"); reads != 0 {
		t.Errorf("read %d times to archive one channel", reads)
	}
}

func count(requests []sandbox.Request, method, path string) (n int) {
	for _, request := range requests {
		if request.Method == method && request.Path == path {
			n++
		}
	}
	return n
}

// If many channels cannot be read for one reason, one message says so.
func TestProtocolChannel_ManyUnreadable_OneExplanation(t *testing.T) {
	o, run := channelManaged(t)
	run.MustApply(values{"name": "unread"})
	p := run.Process()
	heal := o.Sandbox.Fail(sandbox.Fault{Method: http.MethodPost, Path: "/register", Action: sandbox.FaultStatus, Status: http.StatusBadRequest})
	defer heal()
	sent := o.Sent()
	for i := range 30 {
		_, diags := p.Read("zulip_channel", run.State)
		if len(diags.Errors()) != 1 {
			t.Fatalf("%d errors: %v", len(diags.Errors()), diags)
		}
		detail, isTold := diags.Errors()[0].Detail, "The organization could not be read; another message of this run gives the cause."
		if told := detail == isTold; told != (i > 0) {
			t.Errorf("channel %d: %s", i, detail)
		}
	}
	if asked := count(sent.Requests(), http.MethodPost, "/register"); asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}
