package messages_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// forbidden are messages that Lena Fischer, a member, can't send: the recipients, the attribute of the error, and its
// text.
func forbidden(t *testing.T, o *acctest.Organization) map[string]struct {
	to        values
	attribute string
	words     []string
} {
	t.Helper()
	newChannel := func(name string, create zulip.ChannelCreate) {
		create.Name, create.Subscribers = name, []int64{o.Self.ID}
		if _, _, err := o.Client.CreateChannel(context.Background(), create); err != nil {
			t.Fatal(err)
		}
	}
	private := true
	newChannel("vault", zulip.ChannelCreate{InviteOnly: &private, Permissions: map[string]zulip.GroupSettingValue{"can_administer_channel_group": zulip.NamedGroup(o.SystemGroup(t, "role:members"))}})
	for channel, change := range map[string]zulip.ChannelUpdate{
		"named": {TopicsPolicy: text("disable_empty_topic")}, "unnamed": {TopicsPolicy: text("empty_topic_only")},
		"fixed": {Permissions: map[string]zulip.GroupSettingChange{"can_create_topic_group": {New: zulip.NamedGroup(o.SystemGroup(t, "role:owners"))}}},
		"old":   {},
	} {
		newChannel(channel, zulip.ChannelCreate{})
		if !change.Empty() {
			o.Change(t, channel, change)
		}
	}
	o.Archive(t, "old")
	if _, err := o.Client.Send(context.Background(), zulip.Addressee{ChannelID: o.MustChannel(t, "fixed").ID, Topic: "There"}, "Begun."); err != nil {
		t.Fatal(err)
	}
	in := func(channel, topic string) values { return values{"channel": channel, "topic": topic} }
	return map[string]struct {
		to        values
		attribute string
		words     []string
	}{
		"no permission to post": {in("announcements", "news"), "channel", []string{`lena.fischer@example.com cannot post in channel "announcements"`, `can_send_message_group`, `"role:moderators"`}},
		"private":               {in("vault", "plans"), "channel", []string{`lena.fischer@example.com cannot post in channel "vault"`, "not subscribed", `users   = ["lena.fischer@example.com"]`}},
		"archived":              {in("old", "plans"), "channel", []string{"The channel is archived"}},
		"no topic":              {in("named", ""), "topic", []string{`Channel "named" requires a topic`, `"disable_empty_topic"`}},
		"a topic":               {in("unnamed", "plans"), "topic", []string{`Channel "unnamed" does not allow topics`, `"plans"`, `topic = ""`}},
		"a new topic":           {in("fixed", "new"), "topic", []string{`lena.fischer@example.com cannot start topics in channel "fixed"`, `"role:owners"`, `"new"`}},
	}
}

func text(words string) *string { return &words }

func with(config, more values) values {
	all := values{}
	for _, part := range []values{config, more} {
		for name, value := range part {
			all[name] = value
		}
	}
	return all
}

func TestProtocolMessage_SenderNotAllowed_Refused(t *testing.T) {
	o, _ := acctest.StartRun(t, "zulip_message")
	cases := forbidden(t, o)
	member := o.WithAccount(t, "member")
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			sent := o.Sent()
			content := with(test.to, values{"content": "Hello"})
			scheduled := with(content, values{"scheduled_delivery_timestamp": time.Now().Add(time.Hour).UTC().Format(time.RFC3339)})
			p := member.NewRun(t, "zulip_message").Process()
			planned := p.PlanAction(sendAction, content)
			if isLack := strings.Contains(test.words[0], " cannot "); isLack {
				member.NewRun(t, "zulip_message").ExpectLack(content, test.attribute, test.words...)
				member.NewRun(t, "zulip_scheduled_message").ExpectLack(scheduled, test.attribute, test.words...)
				planned.ExpectNoError(t)
				planned.ExpectWarning(t, test.attribute, test.words...)
			} else {
				member.NewRun(t, "zulip_message").ExpectRefused(content, test.attribute, test.words...)
				member.NewRun(t, "zulip_scheduled_message").ExpectRefused(scheduled, test.attribute, test.words...)
				planned.ExpectError(t, test.attribute, test.words...)
			}
			_, diags := p.InvokeAction(context.Background(), sendAction, content, nil)
			diags.ExpectError(t, test.attribute, test.words...)
			sent.Expect(t)
		})
	}
	fixed := member.NewRun(t, "zulip_message")
	fixed.MustApply(values{"channel": "fixed", "topic": "there", "content": "Gone on."})
	fixed.ExpectLack(values{"channel": "fixed", "topic": "new", "content": "Gone on."}, "topic", "cannot start topics")
	fixed.ExpectLack(values{"channel": "announcements", "topic": "there", "content": "Gone on."}, "channel", "cannot post")
}

// The planned permissions and subscriptions of the channel count.
func TestProtocolMessage_ChannelOpenedByPlan_Sent(t *testing.T) {
	o, _ := acctest.StartRun(t, "zulip_message")
	forbidden(t, o)
	member := o.WithAccount(t, "member")
	channel := member.NewRun(t, "zulip_channel")
	channel.MustImport(o.MustChannel(t, "incidents").ID)
	o.Change(t, "incidents", zulip.ChannelUpdate{Permissions: map[string]zulip.GroupSettingChange{"can_send_message_group": {New: zulip.NamedGroup(o.SystemGroup(t, "role:owners"))}}})
	channel.Refresh().ExpectNoError(t)
	message := member.NewRun(t, "zulip_message")
	config := values{"channel": fmt.Sprint(channel.State.Values["id"]), "topic": "plans", "content": "Hello"}
	message.ExpectLack(config, "channel", "cannot post")
	p := channel.Process()
	opened := p.MustPlan("zulip_channel", channel.State, values{"name": "incidents", "can_send_message_group": []any{"role:members"}})
	posted := p.MustPlan("zulip_message", nil, config)
	p.MustApply(opened)
	p.MustApply(posted)

	private, kenji := true, o.WithAccount(t, "member2").Self.ID
	if _, _, err := o.Client.CreateChannel(context.Background(), zulip.ChannelCreate{
		Name: "attic", InviteOnly: &private, Subscribers: []int64{kenji},
		Permissions: map[string]zulip.GroupSettingValue{"can_add_subscribers_group": zulip.NamedGroup(o.SystemGroup(t, "role:owners"))},
	}); err != nil {
		t.Fatal(err)
	}
	attic := values{"channel": fmt.Sprint(o.MustChannel(t, "attic").ID)}
	hello := with(attic, values{"topic": "plans", "content": "Hello"})
	o.NewRun(t, "zulip_message").ExpectLack(hello, "channel", `ines.moreau@example.com cannot post in channel "attic"`, `"private_protected_history"`)
	p = o.NewRun(t, "zulip_message").Process()
	subscribed := p.MustPlan("zulip_channel_subscription", nil, with(attic, values{"users": []any{"ines.moreau@example.com"}}))
	greeted := p.MustPlan("zulip_message", nil, hello)
	p.MustApply(subscribed)
	p.MustApply(greeted)
}

// Right before the message is sent or moved, the apply notices a permission that was lost after the plan.
func TestProtocolMessage_PermissionLostSincePlan_Refused(t *testing.T) {
	o, _ := acctest.StartRun(t, "zulip_message")
	member := o.WithAccount(t, "member")
	run := member.NewRun(t, "zulip_message")
	config := values{"channel": "incidents", "topic": "plans", "content": "Hello"}
	plan := run.MustPlan(config)
	o.Change(t, "incidents", zulip.ChannelUpdate{Permissions: map[string]zulip.GroupSettingChange{"can_send_message_group": {New: zulip.NamedGroup(o.SystemGroup(t, "role:owners"))}}})
	sent := member.Sent()
	run.Apply(plan).ExpectError(t, "channel", "cannot post")
	sent.Expect(t)
}

func TestProtocolMessage_DirectMessagesDisabled_Refused(t *testing.T) {
	o, _ := acctest.StartRun(t, "zulip_message")
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"direct_message_permission_group": fmt.Sprintf(`{"new": %d}`, o.SystemGroup(t, "role:owners"))})
	member := o.WithAccount(t, "member")
	to := func(accounts ...string) values {
		recipients := []any{}
		for _, account := range accounts {
			recipients = append(recipients, fmt.Sprint(o.WithAccount(t, account).Self.ID))
		}
		return values{"recipients": recipients, "content": "Hello"}
	}
	sent := o.Sent()
	member.NewRun(t, "zulip_message").ExpectLack(to("member2"), "recipients", "lena.fischer@example.com cannot send this direct message", "direct_message_permission_group", `"role:owners"`)
	sent.Expect(t)
	for _, fine := range []values{to("owner", "member2"), to("bot"), to("member")} {
		member.NewRun(t, "zulip_message").MustApply(fine)
	}
}

func TestProtocolMessage_ConversationNotAllowed_Refused(t *testing.T) {
	o, _ := acctest.StartRun(t, "zulip_message")
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"direct_message_initiator_group": fmt.Sprintf(`{"new": %d}`, o.SystemGroup(t, "role:owners"))})
	member, other := o.WithAccount(t, "member"), o.WithAccount(t, "member2")
	config := values{"recipients": []any{fmt.Sprint(other.Self.ID)}, "content": "Hello"}
	sent := o.Sent()
	member.NewRun(t, "zulip_message").ExpectLack(config, "recipients", "lena.fischer@example.com cannot start this conversation", "direct_message_initiator_group", `"role:owners"`)
	sent.Expect(t)
	member.NewRun(t, "zulip_message").MustApply(values{"recipients": []any{fmt.Sprint(o.WithAccount(t, "bot").Self.ID)}, "content": "Hello"})
	o.Call(t, http.MethodPost, "/messages", map[string]string{"type": "direct", "to": fmt.Sprintf("[%d]", member.Self.ID), "content": "Hi"})
	member.NewRun(t, "zulip_message").MustApply(values{"recipients": []any{fmt.Sprint(o.Self.ID)}, "content": "Hello"})
}

func TestProtocolMessage_MoveNotAllowed_Refused(t *testing.T) {
	o, _ := acctest.StartRun(t, "zulip_message")
	member := o.WithAccount(t, "member")
	run := member.NewRun(t, "zulip_message")
	config := values{"channel": "general", "topic": "here", "content": "Hello"}
	run.MustApply(config)
	for _, setting := range []string{"can_move_messages_between_topics_group", "can_move_messages_between_channels_group"} {
		o.Call(t, http.MethodPatch, "/realm", map[string]string{setting: fmt.Sprintf(`{"new": %d}`, o.SystemGroup(t, "role:administrators"))})
	}
	topic := values{"channel": "general", "topic": "there", "content": "Hello"}
	sent := o.Sent()
	run.ExpectLack(topic, "topic", "cannot move messages to another topic", "can_move_messages_within_channel_group")
	run.ExpectLack(values{"channel": "announcements", "topic": "here", "content": "Hello"}, "channel", "cannot move messages out of channel", "can_move_messages_out_of_channel_group")
	sent.Expect(t)
	run.MustApply(values{"channel": "general", "topic": "here", "content": "Edited"})
	o.Change(t, "general", zulip.ChannelUpdate{Permissions: map[string]zulip.GroupSettingChange{"can_move_messages_within_channel_group": {New: zulip.NamedGroup(o.SystemGroup(t, "role:members"))}}})
	run.MustApply(topic)
}

// A message can't leave its channel for one that the same plan creates, if it can leave it for none.
func TestProtocolMessage_MovedToNewChannel_Announced(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_message")
	run.MustApply(values{"channel": "general", "topic": "plans", "content": "Hello"})
	o.Archive(t, "general")
	p := run.Process()
	p.MustPlan("zulip_channel", nil, values{"name": "hall"})
	_, diags := p.Plan("zulip_message", run.State, values{"channel": "hall", "topic": "plans", "content": "Hello"})
	diags.ExpectWarning(t, "channel", "cannot move messages out of channel \"general\"", "The apply will fail")
}

// A plan warns of a message to a new channel in which the account may be unable to post, also while the channel is not known.
func TestProtocolMessage_NewChannelWithoutAccount_Warning(t *testing.T) {
	const summary = "The account may be unable to post in a new channel"
	_, run := acctest.StartRun(t, "zulip_message")
	for name, test := range map[string]struct {
		posts []any // who can, nil for the default
		warns bool
	}{
		"default": {nil, false}, "includes the account": {[]any{"group:new", "role:owners"}, false}, "a new group": {[]any{"group:new"}, true}, "someone else": {[]any{"user:lena.fischer@example.com"}, true},
	} {
		for _, channel := range []any{acctest.Unknown, "Silence", "general"} {
			for _, kind := range []string{"zulip_message", "zulip_scheduled_message", sendAction} {
				p := run.Process()
				p.MustPlan("zulip_user_group", nil, values{"name": "new"})
				created := values{"name": "silence"}
				if test.posts != nil {
					created["can_send_message_group"] = test.posts
				}
				p.MustPlan("zulip_channel", nil, created)
				config := values{"channel": channel, "topic": "plans", "content": "Hello"}
				if kind == "zulip_scheduled_message" {
					config["scheduled_delivery_timestamp"] = at(time.Hour)
				}
				said := p.PlanUnchecked(kind, config)
				if warns := strings.Contains(fmt.Sprint(said), summary); warns != (test.warns && channel != "general") {
					t.Errorf("%s, %s in %v: the plan says %v", name, kind, channel, said)
				}
			}
		}
	}
}
