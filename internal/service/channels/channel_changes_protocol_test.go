package channels_test

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// params are the parameters of one request.
type params = map[string]string

// expectWrites fails the test unless exactly these changes were sent, in this order.
func expectWrites(t *testing.T, sent *acctest.Sent, want ...params) {
	t.Helper()
	if got := writes(sent); !reflect.DeepEqual(got, append([]params{}, want...)) {
		t.Errorf("sent:\n  %v\nwant:\n  %v", got, want)
	}
}

func TestProtocolChannel_OneAttribute_SentAlone(t *testing.T) {
	for name, test := range map[string]struct {
		before, after values
		sent          params
	}{
		"name":              {values{}, values{"name": "new"}, params{"new_name": "new"}},
		"description":       {values{"description": "before"}, values{"description": "after"}, params{"description": "after"}},
		"no description":    {values{"description": "before"}, values{"description": ""}, params{"description": ""}},
		"line breaks":       {values{"description": "before"}, values{"description": "a\nb"}, params{"description": "a b"}},
		"retention":         {values{}, values{"message_retention_days": "30"}, params{"message_retention_days": "30"}},
		"retention's end":   {values{"message_retention_days": "30"}, values{"message_retention_days": "unlimited"}, params{"message_retention_days": `"unlimited"`}},
		"retention's reset": {values{"message_retention_days": "30"}, values{"message_retention_days": "realm_default"}, params{"message_retention_days": `"realm_default"`}},
		"topics_policy":     {values{}, values{"topics_policy": "allow_empty_topic"}, params{"topics_policy": "allow_empty_topic"}},
		"is_default":        {values{}, values{"is_default": true}, params{"is_default_stream": "true"}},
		"is_default's end":  {values{"is_default": true}, values{"is_default": false}, params{"is_default_stream": "false"}},

		"on_destroy":            {values{}, values{"on_destroy": "keep"}, nil},
		"nothing":               {values{"description": "a\nb"}, values{"description": "a b"}, nil},
		"what is not said":      {values{"description": "before"}, values{"description": nil}, nil},
		"other words":           {values{"can_send_message_group": who()}, values{"can_send_message_group": who("role:nobody")}, nil},
		"initial_subscribers":   {values{}, values{"initial_subscribers": []any{"kenji.sato@example.com"}}, nil},
		"nobody beside someone": {values{"can_subscribe_group": who("group:sre")}, values{"can_subscribe_group": who("group:sre", "role:nobody")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			o, run := channelManaged(t)
			before := but(values{"name": "changed", "privacy": "public", "initial_subscribers": []any{"ines.moreau@example.com"}}, test.before)
			run.MustApply(before)

			sent := o.Sent()
			run.MustApply(but(before, test.after))
			if test.sent == nil {
				expectWrites(t, sent)
				return
			}
			expectWrites(t, sent, test.sent)
		})
	}
}

// A channel of each kind is changed to each other kind, in place (server-behavior §C12).
func TestProtocolChannel_OtherPrivacy_FlagsOnly(t *testing.T) {
	const public, web, shared, protected = "public", "web_public", "private_shared_history", "private_protected_history"
	for change, want := range map[[2]string]params{
		{public, web}:       {"is_web_public": "true"},
		{public, shared}:    {"is_private": "true", "history_public_to_subscribers": "true"},
		{public, protected}: {"is_private": "true"},
		{web, public}:       {"is_web_public": "false"},
		{web, shared}:       {"is_private": "true", "history_public_to_subscribers": "true", "is_web_public": "false"},
		{web, protected}:    {"is_private": "true", "is_web_public": "false"},
		{shared, public}:    {"is_private": "false"},
		{shared, web}:       {"is_private": "false", "is_web_public": "true"},
		{shared, protected}: {"history_public_to_subscribers": "false"},
		{protected, public}: {"is_private": "false"},
		{protected, web}:    {"is_private": "false", "is_web_public": "true"},
		{protected, shared}: {"history_public_to_subscribers": "true"},
	} {
		t.Run(change[0]+" to "+change[1], func(t *testing.T) {
			o, run := channelManaged(t)
			o.Call(t, http.MethodPatch, "/realm", params{"enable_spectator_access": "true"})
			config := values{"name": "changed", "privacy": change[0], "initial_subscribers": []any{o.Self.Address()}}
			run.MustApply(config)
			sent := o.Sent()
			run.MustApply(but(config, values{"privacy": change[1]}))
			expectWrites(t, sent, want)
			if got := o.MustChannel(t, "changed").Privacy(); string(got) != change[1] {
				t.Errorf("the channel is %s", got)
			}
		})
	}
}

// The same principals can be written in several forms, and the state keeps the written form. A changed permission is
// written in the new form.
func TestProtocolChannel_PrincipalsInOtherWords_Unchanged(t *testing.T) {
	o, run := channelManaged(t)
	sre := channelGroup(t, o, "sre")
	byNumber := values{
		"name": "words", "can_send_message_group": who(fmt.Sprint("group_id:", sre)), "can_subscribe_group": who(),
		"can_add_subscribers_group": who("role:moderators", fmt.Sprint("user_id:", o.Self.ID)), "can_resolve_topics_group": who("role:nobody"),
	}
	byName := values{
		"name": "words", "can_send_message_group": who("group:sre"), "can_subscribe_group": who("role:nobody"),
		"can_add_subscribers_group": who("role:moderators", "user:"+strings.ToUpper(o.Self.Address())), "can_resolve_topics_group": who(),
	}
	expect := func(want values) {
		t.Helper()
		for attribute, value := range want {
			if got := run.State.Values[attribute]; !reflect.DeepEqual(got, value) {
				t.Errorf("%s in the state is %v, not %v", attribute, got, value)
			}
		}
	}
	run.MustApply(byNumber)
	expect(byNumber)
	sent := o.Sent()
	run.MustApply(byName)
	expectWrites(t, sent)
	expect(byNumber)
	everyone := role(t, o, "everyone")
	o.Change(t, "words", permit("can_send_message_group", everyone))
	sent = o.Sent()
	run.MustApply(byName)
	expectWrites(t, sent, params{"can_send_message_group": channelChange(t, zulip.NamedGroup(sre), &everyone)})
	expect(but(byNumber, values{"can_send_message_group": byName["can_send_message_group"]}))
}

func TestProtocolChannel_FolderChanged_Moved(t *testing.T) {
	o, run := channelManaged(t)
	folder := o.Folder(t, "folder")
	run.MustApply(values{"name": "changed"})
	sent := o.Sent()
	run.MustApply(values{"name": "changed", "folder_id": folder})
	expectWrites(t, sent, params{"folder_id": fmt.Sprint(folder)})
	sent = o.Sent()
	run.MustApply(values{"name": "changed"}) // no longer configured, so not managed
	expectWrites(t, sent)
	run.MustApply(values{"name": "changed", "folder_id": 0})
	expectWrites(t, sent, params{"folder_id": "null"})
}

// Each permission is changed on its own, from one group to people and groups and back. The request has the value that
// it replaces.
func TestProtocolChannel_PermissionChanged_OldSent(t *testing.T) {
	o, run := channelManaged(t)
	moderators := role(t, o, "moderators")
	listed := zulip.GroupSettingValue{DirectMembers: []int64{person(t, o, "member")}, DirectSubgroups: []int64{channelGroup(t, o, "sre")}}
	first := values{"name": "changed"}
	for _, setting := range permission.ChannelSettings {
		first[setting.Name] = who("role:moderators")
	}
	run.MustApply(first)
	for _, setting := range permission.ChannelSettings {
		t.Run(setting.Name, func(t *testing.T) {
			sent := o.Sent()
			run.MustApply(but(first, values{setting.Name: who("user:lena.fischer@example.com", "group:sre")}))
			run.MustApply(first)
			expectWrites(t, sent,
				params{setting.Name: channelChange(t, listed, &moderators)},
				params{setting.Name: channelChange(t, moderators, &listed)})
		})
	}
}

func TestProtocolChannel_Permissions_SentFirst(t *testing.T) {
	o, run := channelManaged(t)
	sre, nobody, moderators := zulip.NamedGroup(channelGroup(t, o, "sre")), role(t, o, "nobody"), role(t, o, "moderators")
	before := values{"name": "changed", "description": "before", "can_send_message_group": who("role:moderators"), "can_subscribe_group": who()}
	run.MustApply(before)

	sent := o.Sent()
	run.MustApply(but(before, values{"description": "after", "topics_policy": "disable_empty_topic", "can_send_message_group": who("group:sre"), "can_subscribe_group": who("group:sre")}))
	expectWrites(t, sent,
		params{"can_send_message_group": channelChange(t, sre, &moderators), "can_subscribe_group": channelChange(t, sre, &nobody)},
		params{"description": "after", "topics_policy": "disable_empty_topic"})
}

// While history is protected the permission to create topics is fixed, so here the permission comes second.
func TestProtocolChannel_HistoryAndTopics_HistoryFirst(t *testing.T) {
	o, run := channelManaged(t)
	before := values{"name": "changed", "privacy": "private_protected_history"}
	run.MustApply(before)
	everyone := role(t, o, "everyone")

	sent := o.Sent()
	run.MustApply(but(before, values{"privacy": "private_shared_history", "can_create_topic_group": who("role:moderators")}))
	expectWrites(t, sent, params{"history_public_to_subscribers": "true"}, params{"can_create_topic_group": channelChange(t, role(t, o, "moderators"), &everyone)})
}

func TestProtocolChannelCreated_ConfiguredAttributes_Only(t *testing.T) {
	o, run := channelManaged(t)
	bare, full := run.Fork(), run.Fork()
	sent := o.Sent()
	bare.MustApply(values{"name": "bare"})
	expectWrites(t, sent, params{"name": "bare", "subscribers": "[]"})

	everyone, moderators := role(t, o, "everyone"), role(t, o, "moderators")
	sent = o.Sent()
	full.MustApply(values{
		"name": "full", "description": "a\nb", "privacy": "private_shared_history", "initial_subscribers": []any{"kenji.sato@example.com", "ines.moreau@example.com"},
		"message_retention_days": "30", "topics_policy": "allow_empty_topic", "announce": true,
		"can_send_message_group": who("role:moderators"), "can_create_topic_group": who("role:moderators"),
	})
	bareOf := func(value zulip.GroupSettingValue) string { return fmt.Sprint(value.Group) }
	expectWrites(t, sent,
		params{
			"name": "full", "description": "a\nb", "subscribers": fmt.Sprintf("[%d,%d]", person(t, o, "owner"), person(t, o, "member2")),
			"invite_only": "true", "is_web_public": "false", "history_public_to_subscribers": "true",
			"message_retention_days": "30", "topics_policy": `"allow_empty_topic"`, "announce": "true",
			"can_send_message_group": bareOf(moderators), "can_create_topic_group": bareOf(moderators),
		},
		// The server accepts the permission on creation, but doesn't store it (server-behavior §C8).
		params{"can_create_topic_group": channelChange(t, moderators, &everyone)})
}

func TestProtocolChannel_NoPrivateData_StateUsed(t *testing.T) {
	const setting = "can_administer_channel_group"
	o, run := channelManaged(t)
	before := values{"name": "changed", setting: who("user:lena.fischer@example.com", "group:sre")}
	run.MustApply(before)
	plan := run.MustPlan(but(before, values{setting: who("role:moderators")}))
	old := zulip.GroupSettingValue{DirectMembers: []int64{person(t, o, "member")}, DirectSubgroups: []int64{channelGroup(t, o, "sre")}}

	forgetful := run.Fork()
	forgetful.State = &acctest.Instance{Values: run.State.Values, Identity: run.State.Identity}
	p := forgetful.Process()
	// Without a refresh, the provider knows the principals only from the texts in the state.
	again, diags := p.Plan("zulip_channel", forgetful.State, plan.Config)
	diags.ExpectNoError(t)
	sent := o.Sent()
	state, diags := p.Apply(again)
	diags.ExpectNoError(t)
	if state == nil || len(state.Private) == 0 {
		t.Error("the private data is not back")
	}
	expectWrites(t, sent, params{setting: channelChange(t, role(t, o, "moderators"), &old)})

	// The permission is also compared, because the run plans from its prior value.
	plan.Prior = &acctest.Instance{Values: run.State.Values, Identity: run.State.Identity}
	o.Change(t, "changed", permit(setting, zulip.NamedGroup(channelGroup(t, o, "leads"))))
	run.Apply(plan).ExpectError(t, "", "was changed after the plan was made", `now:                        "group:leads"`)
	if got := o.Sandbox.Journal().Count(sandbox.Filter{Method: http.MethodPatch}); got != 2 {
		t.Errorf("%d changes, not one by the provider and one by hand", got)
	}
}

// A server below feature level 417 may create the channel after its answer was lost and the provider has looked for the
// channel once. The channel is still in the state.
func TestProtocolChannelLateCreation(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: featurelevel.CreateChannel - 1})
	run := o.NewRun(t, "zulip_channel")
	plan := run.MustPlan(values{"name": "late", "description": "Slow"})
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/users/me/subscriptions", Action: sandbox.FaultDrop, Count: 1})
	reads := o.Sandbox.Gate("GET", "/streams")
	done := make(chan acctest.Diagnostics, 1)
	go func() { done <- run.Apply(plan) }()
	asked := func() bool {
		return len(o.Sandbox.Journal().Requests(sandbox.Filter{Method: "POST", Path: "/users/me/subscriptions"})) > 0
	}
	var diags acctest.Diagnostics
	for looks := 0; diags == nil; {
		select {
		case held := <-reads.Arrived:
			if asked() {
				looks++
			}
			if looks == 2 { // the first search has found nothing
				reads.Open()
				description := "Slow"
				if _, err := o.Client.CreateChannelBySubscribing(context.Background(), zulip.ChannelCreate{Name: "late", Settings: zulip.ChannelUpdate{Description: &description}}); err != nil {
					t.Error(err)
				}
			}
			held.Release()
		case diags = <-done:
			if diags == nil {
				diags = acctest.Diagnostics{}
			}
		}
	}
	diags.ExpectNoError(t)
	if run.State == nil || run.State.Values["id"] != o.MustChannel(t, "late").ID {
		t.Errorf("the state is %+v", run.State)
	}
	if left := o.Sandbox.Journal().Requests(sandbox.Filter{Method: "POST", Path: "/users/me/subscriptions"}); len(left) != 2 {
		t.Errorf("it was asked for %d times", len(left)) // one by the provider, one by the late server
	}
}

// A channel that is not found may still be created later. The message says what happens in that case.
func TestProtocolChannelCreated_NotFound_Error(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: featurelevel.CreateChannel - 1})
	run := o.NewRun(t, "zulip_channel")
	run.Block["max_retries"] = 1
	plan := run.MustPlan(values{"name": "late"})
	sent := o.Sent()
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/users/me/subscriptions", Action: sandbox.FaultDrop})
	run.Apply(plan).ExpectError(t, "", `Cannot create channel "late"`, "did not find it", "If the server creates it later, the next plan reports it, with the block that imports it")
	sent.Expect(t, "POST subscriptions")
}

// The server refuses a creation because of the rate limit, and another channel of the name is created before the
// request may be repeated. The same request would subscribe people to that channel.
func TestProtocolChannelCreated_NameTakenDuringWait(t *testing.T) {
	const path = "/users/me/subscriptions"
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: featurelevel.CreateChannel - 1})
	run, theirs := o.NewRun(t, "zulip_channel"), o.As(t, "admin")
	plan := run.MustPlan(values{"name": "late", "initial_subscribers": []any{"lena.fischer@example.com"}})
	gate := o.Sandbox.Gate(http.MethodPost, path)
	defer gate.Open()
	applied := make(chan acctest.Diagnostics)
	go func() { applied <- run.Apply(plan) }()
	held := <-gate.Arrived
	go func() { (<-gate.Arrived).Release() }()
	if _, err := theirs.Client.CreateChannelBySubscribing(t.Context(), zulip.ChannelCreate{Name: "late"}); err != nil {
		t.Fatal(err)
	}
	o.Sandbox.Fail(sandbox.Fault{Method: http.MethodPost, Path: path, Action: sandbox.FaultStatus, Status: http.StatusTooManyRequests, RetryAfter: 20 * time.Millisecond, Count: 1})
	held.Release()
	gate.Open()
	late := o.MustChannel(t, "late")
	(<-applied).ExpectError(t, "name", "already exists", fmt.Sprintf(`id = "%d"`, late.ID))
	if in := o.Subscribers(t, "late"); !slices.Equal(in, []int64{theirs.Self.ID}) {
		t.Errorf("subscribed are %v", in)
	}
	if count := o.Sandbox.Journal().Count(sandbox.Filter{Method: http.MethodPost, Path: path}); count != 2 { // the other account's request, and the refused one
		t.Errorf("%d requests were made", count)
	}
	if run.State != nil {
		t.Errorf("the state has %v", run.State.Values)
	}
}

// A creation that was refused temporarily is repeated if the name is still free. The server subscribes the account, so
// the provider unsubscribes it from the channel by its current name.
func TestProtocolChannelCreated_AfterWait_AccountUnsubscribed(t *testing.T) {
	const path = "/users/me/subscriptions"
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: featurelevel.CreateChannel - 1})
	run := o.NewRun(t, "zulip_channel")
	tooMany := sandbox.Fault{Path: path, Action: sandbox.FaultStatus, Status: http.StatusTooManyRequests, RetryAfter: 20 * time.Millisecond, Count: 1}
	tooMany.Method = http.MethodPost
	o.Sandbox.Fail(tooMany)
	tooMany.Method = http.MethodDelete
	o.Sandbox.Fail(tooMany)
	plan := run.MustPlan(values{"name": "late"})
	gate := o.Sandbox.Gate(http.MethodDelete, path)
	defer gate.Open()
	applied := make(chan acctest.Diagnostics)
	go func() { applied <- run.Apply(plan) }()
	held := <-gate.Arrived
	created, renamed := o.MustChannel(t, "late"), "later"
	o.Change(t, "late", zulip.ChannelUpdate{Name: &renamed})
	if _, err := o.Client.CreateChannelBySubscribing(t.Context(), zulip.ChannelCreate{Name: "late"}); err != nil { // another channel, which stays unchanged
		t.Fatal(err)
	}
	held.Release()
	gate.Open()
	diags := <-applied
	if warned := diags.Warnings(); len(warned) > 0 {
		t.Errorf("warned: %v", warned)
	}
	diags.ExpectError(t, "", `Its name is "later", and this apply sent "late"`, fmt.Sprintf(`id = "%d"`, created.ID))
	if in := o.Subscribers(t, "later"); len(in) > 0 {
		t.Errorf("subscribed to the new channel are %v", in)
	}
	if in := o.Subscribers(t, "late"); !slices.Equal(in, []int64{o.Self.ID}) {
		t.Errorf("subscribed to another channel are %v", in)
	}
}
