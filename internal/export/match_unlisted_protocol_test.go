package export_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// What no list shows is found by what it is of, if the provider imports it: roles, statuses, and who is in a channel or a group.
func TestProtocolExportForAPlanOfWhatNoListShows(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	lena := o.Sandbox.AllCredentials()["member"]
	group := o.Call(t, "POST", "/user_groups/create", map[string]string{"name": "readers", "description": "", "members": fmt.Sprintf("[%d]", lena.ID)})["group_id"]
	general := o.MustChannel(t, "general").ID
	message := o.Call(t, "POST", "/messages", map[string]string{"type": "channel", "to": "general", "topic": "x", "content": "y"})["id"]
	o.Call(t, "POST", fmt.Sprintf("/messages/%v/reactions", message), map[string]string{"emoji_name": "tada"})
	folder := t.TempDir()
	matched, err := match(t, folder, strings.Join([]string{
		created("zulip_role_members", "administrators", `{"role": "administrator", "users": ["tomas.berg@example.com"]}`),
		created("zulip_user_status", "lena", `{"user": "Lena.Fischer@example.com", "status_text": "x"}`),
		created("zulip_user_status", "own", `{"status_text": "x"}`),
		created("zulip_channel", "general", `{"name": "general"}`),
		created("zulip_channel_subscription_settings", "general", `{"pin_to_top": true}`),
		created("zulip_channel_subscription", "general", `{"channel": "General", "users": ["lena.fischer@example.com"]}`),
		created("zulip_channel_subscription", "outside", `{"channel": "general", "users": ["nobody@example.com"]}`),
		created("zulip_channel_subscription", "unknown", `{"channel": "general", "users": [null]}`),
		created("zulip_user_group_membership", "lena", `{"group": "readers", "members": ["lena.fischer@example.com"]}`),
		created("zulip_reaction", "tada", fmt.Sprintf(`{"message_id": %v, "emoji_name": "tada"}`, message)),
		created("zulip_reaction", "other", fmt.Sprintf(`{"message_id": %v, "emoji_name": "heart"}`, message)),
	}, ", "), `{"address": "zulip_channel_subscription_settings.general", "expressions": {"channel": {"references": ["zulip_channel.general.id", "zulip_channel.general"]}}}`)
	if err != nil {
		t.Fatal(err)
	}
	imports := filesOf(t, folder)["imports.tf"]
	for address, id := range map[string]string{
		"zulip_role_members.administrators": "administrator", "zulip_user_status.lena": fmt.Sprint(lena.ID), "zulip_user_status.own": fmt.Sprint(o.Sandbox.AllCredentials()["owner"].ID),
		"zulip_channel.general": fmt.Sprint(general), "zulip_channel_subscription_settings.general": fmt.Sprint(general),
		"zulip_channel_subscription.general": fmt.Sprintf("%d/lena.fischer@example.com", general),
		"zulip_user_group_membership.lena":   fmt.Sprintf("%v/lena.fischer@example.com", group), "zulip_reaction.tada": fmt.Sprintf("%v/tada", message),
	} {
		if !strings.Contains(imports, fmt.Sprintf("to = %s\n  id = %q\n", address, id)) {
			t.Errorf("%s is not imported by %s", address, id)
		}
	}
	left := strings.Join(matched.Left, "\n")
	for _, want := range []string{"zulip_channel_subscription.outside: ", "zulip_channel_subscription.unknown: the plan does not know yet", "zulip_reaction.other: "} {
		if !strings.Contains(left, want) {
			t.Errorf("%q is not in:\n%s", want, left)
		}
	}
	if matched.Imports != 8 || len(matched.Left) != 3 {
		t.Errorf("%d imports:\n%s\nleft:\n%s", matched.Imports, imports, left)
	}
}

// A role that a resource of the state has, and one that a plan takes from another address, are not imported twice.
func TestProtocolExportForAPlanMovesWhatNoListShows(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	had := func(action, kind, name, before string) string {
		return fmt.Sprintf(`{"address": %q, "mode": "managed", "type": %q, "name": %q, "change": {"actions": [%q], "before": %s, "after": null}}`, kind+"."+name, kind, name, action, before)
	}
	folder := t.TempDir()
	matched, err := match(t, folder, strings.Join([]string{
		created("zulip_role_members", "new", `{"role": "administrator", "users": ["tomas.berg@example.com"]}`),
		had("delete", "zulip_role_members", "old", `{"id": "administrator", "role": "administrator"}`),
		created("zulip_role_members", "second", `{"role": "owner", "users": ["ines.moreau@example.com"]}`),
		had("no-op", "zulip_role_members", "first", `{"id": "owner", "role": "owner"}`),
		created("zulip_channel_subscription", "new", `{"channel": "general", "users": ["lena.fischer@example.com"]}`),
		had("delete", "zulip_channel_subscription", "old", `{"channel": "general", "users": ["lena.fischer@example.com"]}`),
	}, ", "), "")
	if err != nil {
		t.Fatal(err)
	}
	imports, left := filesOf(t, folder)["imports.tf"], strings.Join(matched.Left, "\n")
	if matched.Imports != 0 || matched.Moves != 1 || !strings.Contains(imports, "from = zulip_role_members.old\n") {
		t.Errorf("%d imports, %d moves:\n%s", matched.Imports, matched.Moves, imports)
	}
	for _, want := range []string{"zulip_role_members.second: it is managed already, by zulip_role_members.first", "zulip_channel_subscription.new: the plan destroys zulip_channel_subscription.old"} {
		if !strings.Contains(left, want) {
			t.Errorf("%q is not in:\n%s", want, left)
		}
	}
}

// What is there and deactivated or archived is not missing: it says what the plan does with it.
func TestProtocolExportForAPlanOfWhatHasEnded(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	o.Call(t, "DELETE", fmt.Sprintf("/users/%d", o.Sandbox.AllCredentials()["member"].ID), nil)
	group := o.Call(t, "POST", "/user_groups/create", map[string]string{"name": "readers", "description": "", "members": "[]"})["group_id"]
	o.Call(t, "POST", fmt.Sprintf("/user_groups/%v/deactivate", group), nil)
	o.Call(t, "DELETE", fmt.Sprintf("/streams/%d", o.MustChannel(t, "general").ID), nil)
	bot := o.Call(t, "POST", "/bots", map[string]string{"full_name": "Hook", "short_name": "hook"})["user_id"]
	o.Call(t, "DELETE", fmt.Sprintf("/bots/%v", bot), nil)
	for what, trial := range map[string]struct{ changes, want string }{
		"a leaver":              {created("zulip_user", "a", `{"email": "Lena.Fischer@example.com", "active": false}`), "it is deactivated. With active = false the next apply takes it into the state as it is, without an import"},
		"somebody to come back": {created("zulip_user", "a", `{"email": "lena.fischer@example.com", "adopt_deactivated": true}`), "it is deactivated. With adopt_deactivated = true the next apply adopts it"},
		"an account":            {created("zulip_user", "a", `{"email": "lena.fischer@example.com"}`), "it is deactivated. active = false keeps it so, adopt_deactivated = true reactivates it"},
		"a group":               {created("zulip_user_group", "a", `{"name": "readers"}`), "it is deactivated. adopt_deactivated = true adopts it"},
		"a channel":             {created("zulip_channel", "a", `{"name": "general", "adopt_archived": true}`), "it is archived. With adopt_archived = true the next apply adopts it"},
		"a bot":                 {created("zulip_bot", "a", `{"short_name": "hook"}`), "it is deactivated. adopt_deactivated = true adopts it"},
		"somebody else":         {created("zulip_user", "a", `{"email": "not.there@example.com", "active": false}`), "with the email not.there@example.com"},
	} {
		matched, err := match(t, t.TempDir(), trial.changes, "")
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if len(matched.Left) != 1 || !strings.Contains(matched.Left[0], trial.want) || what == "somebody else" && strings.Contains(matched.Left[0], "deactivated") {
			t.Errorf("%s: left %q", what, matched.Left)
		}
	}
}
