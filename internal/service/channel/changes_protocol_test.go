package channel_test

import (
	"fmt"
	"net/http"
	"reflect"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// params are what one request sends.
type params = map[string]string

// expectWrites fails the test unless exactly these changes were sent, in this order.
func expectWrites(t *testing.T, sent *acctest.Sent, want ...params) {
	t.Helper()
	if got := writes(sent); !reflect.DeepEqual(got, append([]params{}, want...)) {
		t.Errorf("sent:\n  %v\nwant:\n  %v", got, want)
	}
}

func TestProtocolSendsOneChangedAttributeAlone(t *testing.T) {
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

		"public to shared":    {values{"privacy": "public"}, values{"privacy": "private_shared_history"}, params{"is_private": "true", "history_public_to_subscribers": "true"}},
		"shared to public":    {values{"privacy": "private_shared_history"}, values{"privacy": "public"}, params{"is_private": "false"}},
		"shared to protected": {values{"privacy": "private_shared_history"}, values{"privacy": "private_protected_history"}, params{"history_public_to_subscribers": "false"}},
		"protected to shared": {values{"privacy": "private_protected_history"}, values{"privacy": "private_shared_history"}, params{"history_public_to_subscribers": "true"}},
		"protected to public": {values{"privacy": "private_protected_history"}, values{"privacy": "public"}, params{"is_private": "false"}},

		"on_destroy":            {values{}, values{"on_destroy": "keep"}, nil},
		"nothing":               {values{"description": "a\nb"}, values{"description": "a b"}, nil},
		"what is not said":      {values{"description": "before"}, values{"description": nil}, nil},
		"other words":           {values{"can_send_message_group": who()}, values{"can_send_message_group": who("role:nobody")}, nil},
		"initial_subscribers":   {values{}, values{"initial_subscribers": []any{"kenji.sato@example.com"}}, nil},
		"nobody beside someone": {values{"can_subscribe_group": who("group:sre")}, values{"can_subscribe_group": who("group:sre", "role:nobody")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			o, run := managed(t)
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

func TestProtocolMovesAChannelBetweenFolders(t *testing.T) {
	o, run := managed(t)
	folder := o.Folder(t, "folder")
	run.MustApply(values{"name": "changed"})
	sent := o.Sent()
	run.MustApply(values{"name": "changed", "folder_id": folder})
	expectWrites(t, sent, params{"folder_id": fmt.Sprint(folder)})
	sent = o.Sent()
	run.MustApply(values{"name": "changed"}) // not said any more: not managed
	expectWrites(t, sent)
	run.MustApply(values{"name": "changed", "folder_id": 0})
	expectWrites(t, sent, params{"folder_id": "null"})
}

// Each permission is changed by itself, from one group to people and groups and back, with the value it replaces.
func TestProtocolSendsTheValueThatAPermissionReplaces(t *testing.T) {
	o, run := managed(t)
	moderators := role(t, o, "moderators")
	listed := zulip.GroupSettingValue{DirectMembers: []int64{person(t, o, "member")}, DirectSubgroups: []int64{group(t, o, "sre")}}
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
				params{setting.Name: change(t, listed, &moderators)},
				params{setting.Name: change(t, moderators, &listed)})
		})
	}
}

func TestProtocolSendsPermissionsFirstAndTogether(t *testing.T) {
	o, run := managed(t)
	sre, nobody, moderators := zulip.NamedGroup(group(t, o, "sre")), role(t, o, "nobody"), role(t, o, "moderators")
	before := values{"name": "changed", "description": "before", "can_send_message_group": who("role:moderators"), "can_subscribe_group": who()}
	run.MustApply(before)

	sent := o.Sent()
	run.MustApply(but(before, values{"description": "after", "topics_policy": "disable_empty_topic", "can_send_message_group": who("group:sre"), "can_subscribe_group": who("group:sre")}))
	expectWrites(t, sent,
		params{"can_send_message_group": change(t, sre, &moderators), "can_subscribe_group": change(t, sre, &nobody)},
		params{"description": "after", "topics_policy": "disable_empty_topic"})
}

// While history is protected the right to create topics is fixed, so here the permission comes second.
func TestProtocolSharesHistoryBeforeItRestrictsTopics(t *testing.T) {
	o, run := managed(t)
	before := values{"name": "changed", "privacy": "private_protected_history"}
	run.MustApply(before)
	everyone := role(t, o, "everyone")

	sent := o.Sent()
	run.MustApply(but(before, values{"privacy": "private_shared_history", "can_create_topic_group": who("role:moderators")}))
	expectWrites(t, sent, params{"history_public_to_subscribers": "true"}, params{"can_create_topic_group": change(t, role(t, o, "moderators"), &everyone)})
}

func TestProtocolCreatesWithWhatIsConfiguredAndNoMore(t *testing.T) {
	o, run := managed(t)
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
		// The server accepts it on creation, and forgets it (server-behavior §C8).
		params{"can_create_topic_group": change(t, moderators, &everyone)})
}

func TestProtocolTakesUpAStateWithoutPrivateData(t *testing.T) {
	const setting = "can_administer_channel_group"
	o, run := managed(t)
	before := values{"name": "changed", setting: who("user:lena.fischer@example.com", "group:sre")}
	run.MustApply(before)
	plan := run.MustPlan(but(before, values{setting: who("role:moderators")}))
	old := zulip.GroupSettingValue{DirectMembers: []int64{person(t, o, "member")}, DirectSubgroups: []int64{group(t, o, "sre")}}

	forgetful := run.Fork()
	forgetful.State = &acctest.Instance{Values: run.State.Values, Identity: run.State.Identity}
	p := forgetful.Process()
	// Without a refresh, nothing tells the provider what the state was made from but its words.
	again, diags := p.Plan("zulip_channel", forgetful.State, plan.Config)
	diags.ExpectNoError(t)
	sent := o.Sent()
	state, diags := p.Apply(again)
	diags.ExpectNoError(t)
	if state == nil || len(state.Private) == 0 {
		t.Error("the private data is not back")
	}
	expectWrites(t, sent, params{setting: change(t, role(t, o, "moderators"), &old)})

	// And it is compared as well: run planned from what it was before.
	plan.Prior = &acctest.Instance{Values: run.State.Values, Identity: run.State.Identity}
	o.Change(t, "changed", permit(setting, zulip.NamedGroup(group(t, o, "leads"))))
	run.Apply(plan).ExpectError(t, "", "was changed by somebody else", `now:                        "group:leads"`)
	if got := o.Sandbox.Journal().Count(sandbox.Filter{Method: http.MethodPatch}); got != 2 {
		t.Errorf("%d changes, not one by the provider and one by hand", got)
	}
}
