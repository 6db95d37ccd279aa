package access_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

type values = acctest.Values

// valuesOf returns the values with which a permission is tried, so that people, bots and guests are in them in different
// ways.
func (tr *trial) valuesOf(name permission.ChannelPermission) map[string]any {
	switch name {
	case permission.CanRead:
		return map[string]any{"": nil}
	case permission.CanSendMessage:
		return map[string]any{"leads": tr.groups["leads"], "the moderator": fields{"direct_members": tr.ids([]string{"moder"}), "direct_subgroups": []any{}}}
	}
	return map[string]any{
		"leads": tr.groups["leads"], "nobody": tr.groups["role:nobody"],
		"some": fields{"direct_members": tr.ids([]string{"member", "bot", "hook"}), "direct_subgroups": []any{tr.groups["role:owners"]}},
	}
}

// TestConformanceChannelAccess_RealAttempts_Same compares the answer with the result of each account's attempt. It
// covers every permission, every kind of channel and a few values, with wide and narrow permissions of the organization.
func TestConformanceChannelAccess_RealAttempts_Same(t *testing.T) {
	rooms, tried, alike := 0, 0, 0
	for _, narrow := range []bool{false, true} {
		tr := newTrial(t)
		if narrow {
			tr.narrow()
		}
		for _, privacy := range zulip.Privacies {
			for _, name := range acctest.Sample(permission.ChannelPermissions) {
				for words, value := range tr.valuesOf(name) {
					if name == permission.CanCreateTopic && privacy == zulip.PrivacyPrivateProtectedHistory {
						continue // everyone has the permission there, and the server accepts no other value
					}
					rooms++
					room := tr.room(fmt.Sprintf("room %d", rooms), privacy, []string{"owner", "member", "guest", "adminbot"})
					if value != nil {
						tr.must("PATCH", room.path(), fields{string(name): fields{"new": value}})
					}
					different, count := room.compare(name)
					tried += count
					alike += count - len(different)
					if len(different) > 0 {
						t.Errorf("narrow %t, %s, %s = %s: %s", narrow, privacy, name, words, strings.Join(different, ", "))
					}
				}
			}
		}
	}
	fmt.Printf("zulip_channel_access: alike %d/%d\n", alike, tried)
}

// compare returns the accounts for which the data source and the attempt differ, and the number of attempts.
func (r *room) compare(name permission.ChannelPermission) (different []string, tried int) {
	r.t.Helper()
	answer, diags := r.o.NewRun(r.t, "zulip_channel").Process().ReadData("zulip_channel_access", values{"channel": fmt.Sprint(r.id)})
	diags.ExpectNoError(r.t)
	users := answer[string(name)].(values)["users"].([]any)
	for _, account := range r.names {
		could, was := attempts[name](r, account)
		if !was {
			continue
		}
		tried++
		if said := slices.Contains(users, any(r.keys[account].Email)); said != could {
			different = append(different, fmt.Sprintf("%s could: %t, said: %t", account, could, said))
		}
	}
	return different, tried
}

// A user who has left a channel with protected history, and can return, cannot read it but can delete their own
// messages.
func TestConformanceProtectedHistory(t *testing.T) {
	tr := newTrial(t)
	for name, setting := range map[string]string{"may join": "can_subscribe_group", "may add": "can_add_subscribers_group"} {
		for _, one := range []permission.ChannelPermission{
			permission.CanRead, permission.CanSendMessage, permission.CanDeleteOwnMessage, permission.CanDeleteAnyMessage,
			permission.CanMoveMessagesWithinChannel, permission.CanResolveTopics, permission.CanAddSubscribers,
		} {
			room := tr.room(fmt.Sprintf("%s, %s", name, one), zulip.PrivacyPrivateProtectedHistory, []string{"owner", "member", "member2", "guest", "moder"})
			room.unsubscribe("owner", "member", "guest", "member2")
			everyone, members := tr.groups["role:everyone"], fields{"direct_members": tr.ids([]string{"member", "guest"}), "direct_subgroups": []any{}}
			tr.must("PATCH", room.path(), fields{setting: fields{"new": members}})
			if one == permission.CanDeleteOwnMessage || one == permission.CanDeleteAnyMessage || one == permission.CanResolveTopics {
				tr.must("PATCH", room.path(), fields{string(one): fields{"new": everyone}})
			}
			if different, _ := room.compare(one); len(different) > 0 {
				t.Errorf("%s, %s: %s", name, one, strings.Join(different, ", "))
			}
		}
	}
}

// In a channel without topics, no one can start a topic, move messages to one or resolve one.
func TestConformanceWithoutTopics(t *testing.T) {
	tr := newTrial(t)
	id := tr.channel("no topics", zulip.PrivacyPublic, []string{"owner", "member"})
	r := &room{trial: tr, id: id, name: "no topics"}
	tr.must("PATCH", r.path(), fields{"topics_policy": "empty_topic_only"})
	answer := tr.o.NewRun(t, "zulip_channel").Process().MustReadData("zulip_channel_access", values{"channel": fmt.Sprint(id)})
	for name, try := range map[permission.ChannelPermission]func(account string) bool{
		permission.CanSendMessage: func(account string) bool { _, ok := r.post(account, ""); return ok },
		permission.CanCreateTopic: func(account string) bool { _, ok := r.post(account, "new"); return ok },
		permission.CanMoveMessagesWithinChannel: func(account string) bool {
			_, ok := r.ask(account, "PATCH", r.posted(""), fields{"topic": "new"})
			return ok
		},
		permission.CanResolveTopics: func(account string) bool {
			_, ok := r.ask(account, "PATCH", r.posted(""), fields{"topic": "✔ ", "propagate_mode": "change_all"})
			return ok
		},
		permission.CanMoveMessagesOutOfChannel: func(account string) bool {
			_, ok := r.ask(account, "PATCH", r.posted(""), fields{"stream_id": r.target})
			return ok
		},
	} {
		users := answer[string(name)].(values)["users"].([]any)
		for _, account := range tr.names {
			if could, said := try(account), slices.Contains(users, any(tr.keys[account].Email)); could != said {
				t.Errorf("%s: %s could: %t, said: %t", name, account, could, said)
			}
		}
	}
}

// A user who can move messages between topics, but not start topics, can move them to existing ones.
func TestConformanceMovingToNewTopics(t *testing.T) {
	tr := newTrial(t)
	tr.narrow()
	r := tr.room("moving", zulip.PrivacyPublic, []string{"owner", "member"})
	r.posted("old")
	tr.must("PATCH", r.path(), fields{
		"can_create_topic_group":                 fields{"new": fields{"direct_members": tr.ids([]string{"owner"}), "direct_subgroups": []any{}}},
		"can_move_messages_within_channel_group": fields{"new": fields{"direct_members": tr.ids([]string{"member"}), "direct_subgroups": []any{}}},
	})
	move := func(topic string) bool {
		_, ok := r.ask("member", "PATCH", r.posted("t"), fields{"topic": topic})
		return ok
	}
	if !move("old") || move("new") {
		t.Error("the member moves messages to a topic that is there, and to no other")
	}
	answer := tr.o.NewRun(t, "zulip_channel").Process().MustReadData("zulip_channel_access", values{"channel": "moving"})
	for name, want := range map[permission.ChannelPermission]bool{permission.CanMoveMessagesWithinChannel: true, permission.CanCreateTopic: false} {
		if got := slices.Contains(answer[string(name)].(values)["users"].([]any), any("member@example.com")); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestProtocolChannelAccess_Users_Shown(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	process := o.NewRun(t, "zulip_channel").Process()
	read := func(channel string) values {
		t.Helper()
		answer, diags := process.ReadData("zulip_channel_access", values{"channel": channel})
		diags.ExpectNoError(t)
		if warnings := diags.Warnings(); len(warnings) > 0 {
			t.Errorf("warns: %v", warnings)
		}
		return answer
	}
	leads := read("leads")
	byID := read(fmt.Sprint(leads["channel_id"]))
	if leads["name"] != "leads" || leads["privacy"] != "private_protected_history" || leads["is_archived"] != false {
		t.Errorf("the channel is %v", leads)
	}
	want := values{
		"users": []any{"amara.okafor@example.com", "ines.moreau@example.com", "terraform-bot@zulip.example.com", "tomas.berg@example.com"},
		"count": int64(4), "guest_count": int64(0), "bot_count": int64(1), // the bot can post where its owner is subscribed
	}
	got := leads["can_send_message_group"].(values)
	for name, value := range want {
		if fmt.Sprint(got[name]) != fmt.Sprint(value) {
			t.Errorf("%s of those who post are %v, not %v", name, got[name], value)
		}
	}
	if fmt.Sprint(byID["can_send_message_group"]) != fmt.Sprint(got) {
		t.Errorf("by ID it is %v", byID["can_send_message_group"])
	}
	general := read("GENERAL")["can_read"].(values)
	if general["guest_count"] != int64(1) || general["count"] != int64(7) || len(general["user_ids"].([]any)) != 7 {
		t.Errorf("general is read by %v", general)
	}
}

func TestProtocolChannelAccess_Unknown_NotShown(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	read := func(channel string) (values, acctest.Diagnostics) {
		return o.NewRun(t, "zulip_channel").Process().ReadData("zulip_channel_access", values{"channel": channel})
	}
	_, diags := read("leds")
	diags.ExpectError(t, "channel", "No such channel", `did you mean "leads"?`)

	heal := o.Sandbox.Fail(sandbox.Fault{Method: "GET", Path: fmt.Sprintf("/streams/%d/members", o.MustChannel(t, "leads").ID), Action: sandbox.FaultStatus, Status: 400})
	_, diags = read("leads")
	diags.ExpectError(t, "channel", `Cannot read the subscribers of channel "leads"`)
	heal()

	o.Archive(t, "leads")
	o.Sandbox.SetFeatureLevel(featurelevel.ArchivedChannels - 1)
	archived, diags := read("leads")
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "channel", `Some facts about channel "leads" are unknown`, "archived", "read, add subscribers")
	if archived["can_read"] != nil || archived["can_add_subscribers_group"] != nil {
		t.Errorf("who reads an archived channel: %v", archived["can_read"])
	}
	if posters := archived["can_send_message_group"].(values); posters["count"] != int64(0) {
		t.Errorf("in an archived channel %v post", posters)
	}

	o.Sandbox.SetFeatureLevel(featurelevel.ArchivedChannels)
	archived, diags = read("leads")
	diags.ExpectNoError(t)
	if warnings := diags.Warnings(); len(warnings) > 0 {
		t.Errorf("warns: %v", warnings)
	}
	readers, _ := archived["can_read"].(values)
	posters, _ := archived["can_send_message_group"].(values)
	if readers["count"] != int64(3) || posters["count"] != int64(0) {
		t.Errorf("an archived channel is read by %v, and %v post", readers, posters)
	}
}

func TestProtocolChannelAccess_UnsupportedByServer_Omitted(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 389})
	answer, diags := o.NewRun(t, "zulip_channel").Process().ReadData("zulip_channel_access", values{"channel": "general"})
	diags.ExpectNoError(t)
	if answer["can_resolve_topics_group"] != nil || answer["can_create_topic_group"] != nil || answer["can_send_message_group"] == nil {
		t.Errorf("at feature level 389: %v", answer)
	}
	if warnings := diags.Warnings(); len(warnings) > 0 {
		t.Errorf("warns: %v", warnings)
	}
}

func TestProtocolChannelAccess_ManyChannels_Batched(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	process := o.NewRun(t, "zulip_channel").Process()
	sent := o.Sent()
	for range 3 {
		for _, channel := range []string{"general", "leads", "incidents"} {
			process.MustReadData("zulip_channel_access", values{"channel": channel})
		}
	}
	// Requests: the snapshot and the end of its queue, one for each of two channels, then one snapshot of all channels
	// and the end of its queue.
	if got := sent.Requests(); len(got) != 6 {
		t.Errorf("%d requests: %v", len(got), got)
	}
}
