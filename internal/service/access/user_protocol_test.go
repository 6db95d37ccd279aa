package access_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

const bot = "terraform-bot@zulip.example.com"

// permissionsIn returns the permissions in a channel in the result of zulip_user_access.
func permissionsIn(answer values, channel string) []any {
	found, ok := answer["channels"].(values)[channel].(values)
	if !ok {
		return nil
	}
	return found["permissions"].([]any)
}

// throughIn returns the principals that grant a permission in a channel in the result of zulip_user_access.
func throughIn(answer values, channel, permission string) any {
	return answer["channels"].(values)[channel].(values)["through"].(values)[permission]
}

// readUser reads zulip_user_access in a process of its own.
func readUser(t *testing.T, o *acctest.Organization, config values) (values, acctest.Diagnostics) {
	t.Helper()
	return o.NewRun(t, "zulip_channel").Process().ReadData("zulip_user_access", config)
}

func mustReadUser(t *testing.T, o *acctest.Organization, config values) values {
	t.Helper()
	answer, diags := readUser(t, o, config)
	diags.ExpectNoError(t)
	if warnings := diags.Warnings(); len(warnings) > 0 {
		t.Errorf("%v: warns: %v", config, warnings)
	}
	return answer
}

func expectValue(t *testing.T, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: %v, not %v", what, got, want)
	}
}

func expectValues(t *testing.T, of string, got, want values) {
	t.Helper()
	for attribute, value := range want {
		expectValue(t, of+": "+attribute, got[attribute], value)
	}
}

func TestProtocolUserAccess_Person_Shown(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	member, _ := o.Sandbox.Credentials("member")
	answer := mustReadUser(t, o, values{"user": "LENA.fischer@example.com"})
	expectValues(t, "Lena", answer, values{
		"user": "LENA.fischer@example.com", "user_id": member.ID, "email": lena, "full_name": "Lena Fischer", "role": "member",
		"is_bot": false, "is_active": true, "owner": nil, "channel_name": nil, "include_archived": nil,
		"groups": values{"sre": "group:sre", "leads": "group:leads > group:sre", "role:everyone": "role:everyone", "role:fullmembers": "role:fullmembers", "role:internet": "role:internet", "role:members": "role:members"},
	})
	byID := mustReadUser(t, o, values{"user": strconv.Itoa(member.ID)})
	byID["user"] = answer["user"]
	expectValue(t, "by ID", byID, answer)

	channels := answer["channels"].(values)
	if len(channels) != 4 {
		t.Errorf("channels: %v", channels)
	}
	expectValues(t, "leads", channels["leads"].(values), values{
		"privacy": "private_protected_history", "is_archived": false, "is_subscribed": false, "permissions": []any{}, "unknown_permissions": []any{},
		"access": []any{}, "through": values{},
	})
	incidents := channels["incidents"].(values)
	expectValue(t, "is_subscribed", incidents["is_subscribed"], true)
	expectValue(t, "access", incidents["access"], []any{"subscriber", "public channel"})
	expectValues(t, "incidents", incidents["through"].(values), values{
		"can_read": []any{"subscriber", "public channel"}, "can_administer_channel_group": []any{"group:sre"},
		"can_send_message_group": []any{"role:everyone"}, "can_remove_subscribers_group": []any{"can_administer_channel_group: group:sre"},
		"can_add_subscribers_group":    []any{"organization's can_add_subscribers_group: role:members", "can_administer_channel_group: group:sre"},
		"can_delete_any_message_group": nil,
	})
	expectValue(t, "posting announcements", throughIn(answer, "announcements", "can_send_message_group"), nil)

	matching := mustReadUser(t, o, values{"user": lena, "channel_name": "*EN?s"})["channels"].(values)
	if len(matching) != 2 || matching["incidents"] == nil || matching["announcements"] == nil {
		t.Errorf("matching: %v", matching)
	}
}

func TestProtocolUserAccess_GuestBotAdministrator_Shown(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	guest := mustReadUser(t, o, values{"user": paul})
	expectValue(t, "access of a guest", guest["channels"].(values)["general"].(values)["access"], []any{"subscriber"})
	expectValue(t, "permissions of a guest elsewhere", permissionsIn(guest, "incidents"), []any{})
	expectValue(t, "posts of a guest", throughIn(guest, "general", "can_send_message_group"), []any{"role:everyone"})

	automaton := mustReadUser(t, o, values{"user": bot})
	expectValue(t, "owner", automaton["owner"], "tomas.berg@example.com")
	expectValue(t, "posts of a bot", throughIn(automaton, "leads", "can_send_message_group"),
		[]any{"role:everyone", "owner of the bot: role:everyone", "owner of the bot: subscriber"})
	expectValue(t, "a bot administers", throughIn(automaton, "leads", "can_administer_channel_group"), []any{"administrator of the organization"})
}

// The result also has the organization permissions. Guests have only those that the server allows.
func TestProtocolUserAccess_OrganizationPermissions_Shown(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	for address, test := range map[string]struct{ has, lacks string }{
		"ines.moreau@example.com": {"can_manage_all_groups", "workplace_users_group"},
		lena:                      {"can_create_public_channel_group", "can_manage_all_groups"},
		paul:                      {"can_delete_own_message_group", "can_create_public_channel_group"},
	} {
		permissions := fmt.Sprint(mustReadUser(t, o, values{"user": address})["organization_permissions"])
		if !strings.Contains(permissions, test.has) || strings.Contains(permissions, test.lacks) {
			t.Errorf("%s has %s", address, permissions)
		}
	}
}

func TestProtocolUserAccessOfDeactivatedUsers(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	member, _ := o.Sandbox.Credentials("member")
	o.Call(t, http.MethodDelete, fmt.Sprintf("/users/%d", member.ID), nil)
	answer := mustReadUser(t, o, values{"user": strconv.Itoa(member.ID)})
	expectValue(t, "is_active", answer["is_active"], false)
	expectValue(t, "groups", answer["groups"], values{})
	expectValue(t, "organization_permissions", answer["organization_permissions"], []any{})
	for name, channel := range answer["channels"].(values) {
		expectValue(t, name, channel.(values)["permissions"], []any{})
		expectValue(t, name, channel.(values)["unknown_permissions"], []any{})
		expectValue(t, name, channel.(values)["is_subscribed"], false)
	}
}

func TestProtocolUserAccess_Invisible_Refused(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	_, diags := readUser(t, o, values{"user": "lena.fisher@example.com"})
	diags.ExpectError(t, "user", "is not in the organization", "did you mean lena.fischer@example.com?")
	_, diags = readUser(t, o, values{"user": "notification-bot@zulip.example.com"})
	diags.ExpectError(t, "user", "Cannot show the access of", "the server's own bots")

	// The guest can't see everyone, and shares no channel with the others.
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"can_access_all_users_group": fmt.Sprintf(`{"new": %d}`, o.SystemGroup(t, "role:members"))})
	guest := o.As(t, "guest")
	guest.Call(t, http.MethodDelete, "/users/me/subscriptions", map[string]string{"subscriptions": `["general"]`})
	member, _ := o.Sandbox.Credentials("member")
	for _, user := range []string{lena, strconv.Itoa(member.ID)} {
		_, diags = readUser(t, guest, values{"user": user})
		diags.ExpectError(t, "user", "is not in the organization", "provider's account sees no")
	}
}

func TestProtocolUserAccess_Unknown_Shown(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	o.Archive(t, "leads")
	if channels := mustReadUser(t, o, values{"user": "amara.okafor@example.com"})["channels"].(values); channels["leads"] != nil {
		t.Errorf("an archived channel is listed: %v", channels["leads"])
	}
	archived := mustReadUser(t, o, values{"user": "amara.okafor@example.com", "include_archived": true})["channels"].(values)["leads"].(values)
	expectValue(t, "is_subscribed", archived["is_subscribed"], true)
	expectValue(t, "permissions", archived["permissions"], []any{"can_add_subscribers_group", "can_read"})
	expectValue(t, "unknown_permissions", archived["unknown_permissions"], []any{})

	o.Sandbox.SetFeatureLevel(featurelevel.ArchivedChannels - 1)
	answer, diags := readUser(t, o, values{"user": "amara.okafor@example.com", "include_archived": true})
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "include_archived", "Cannot read the subscribers of archived channels (1)", "Servers below feature level 480", "unknown_permissions")
	archived = answer["channels"].(values)["leads"].(values)
	expectValue(t, "is_subscribed", archived["is_subscribed"], nil)
	expectValue(t, "access", archived["access"], nil)
	expectValue(t, "permissions", archived["permissions"], []any{})
	expectValue(t, "unknown_permissions", archived["unknown_permissions"], []any{"can_add_subscribers_group", "can_read"})

	old := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 389})
	general := mustReadUser(t, old, values{"user": lena})["channels"].(values)["general"].(values)
	expectValue(t, "unknown_permissions", general["unknown_permissions"], []any{"can_create_topic_group", "can_delete_any_message_group", "can_delete_own_message_group", "can_move_messages_out_of_channel_group", "can_move_messages_within_channel_group", "can_resolve_topics_group"})
	if permissions := general["permissions"].([]any); len(permissions) == 0 {
		t.Error("nothing is known of an old server")
	}
}

func TestProtocolUserAccess_ReadFails_Error(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	heal := o.Sandbox.Fail(sandbox.Fault{Method: "GET", Path: fmt.Sprintf("/streams/%d/members", o.MustChannel(t, "leads").ID), Action: sandbox.FaultStatus, Status: 400})
	defer heal()
	_, diags := readUser(t, o, values{"user": lena, "channel_name": "leads"})
	diags.ExpectError(t, "", "Cannot read the subscribers of the channels")
}

// The subscribers of two thousand channels are read in one request. Each user's access is then computed within a
// second.
func TestProtocolUserAccessOfTwoThousandChannels(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	for range 2_000 / 100 {
		createChannels(t, o, 100)
	}
	process := o.NewRun(t, "zulip_channel").Process()
	sent := o.Sent()
	read := func(user string) time.Duration {
		t.Helper()
		began := time.Now()
		answer := process.MustReadData("zulip_user_access", values{"user": user})
		if got := len(answer["channels"].(values)); got != 2_004 {
			t.Errorf("%d channels", got)
		}
		return time.Since(began)
	}
	read(lena)
	// Requests: the snapshots of the channels and of the subscribers, and the ends of their queues.
	if got := sent.Requests(); len(got) != 4 {
		t.Errorf("%d requests: %v", len(got), got)
	}
	took := read(paul)
	fmt.Printf("zulip_user_access: %d channels in %s\n", 2_004, took.Round(time.Millisecond))
	if got := sent.Requests(); len(got) != 4 {
		t.Errorf("%d requests: %v", len(got), got)
	}
}

// createChannels creates channels of every privacy, whose subscribers are the creator and a guest.
func createChannels(t *testing.T, o *acctest.Organization, count int) {
	t.Helper()
	guest, _ := o.Sandbox.Credentials("guest")
	for i := range 4 {
		var wanted []map[string]any
		for range count / 4 {
			wanted = append(wanted, map[string]any{"name": fmt.Sprintf("channel %d", created.Add(1))})
		}
		o.Call(t, http.MethodPost, "/users/me/subscriptions", map[string]string{
			"subscriptions": encoded(t, wanted), "principals": encoded(t, []int64{o.Self.ID, int64(guest.ID)}), "announce": "false",
			"invite_only": strconv.FormatBool(i > 0), "history_public_to_subscribers": strconv.FormatBool(i < 2),
		})
	}
}

var created atomic.Int64

func encoded(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	acctest.NoError(t, err)
	return string(text)
}
