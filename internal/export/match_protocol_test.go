package export_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/export"
	"github.com/zulip-iac/terraform-provider-zulip/internal/provider"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// match runs export --for with a plan of some changes and a configuration.
func match(t *testing.T, folder, changes, configuration string) (*export.Matched, error) {
	t.Helper()
	session, err := provider.Open(context.Background(), "test")
	acctest.NoError(t, err)
	meta := session.Meta()
	text := fmt.Sprintf(`{"format_version": "1.2", "resource_changes": [%s], "configuration": {"root_module": {"resources": [%s]}}}`, changes, configuration)
	return export.Match(context.Background(), export.Source{Provider: session, Store: meta.Store, Client: meta.Client}, []byte(text), folder)
}

func created(kind, name, after string) string {
	return fmt.Sprintf(`{"address": %q, "mode": "managed", "type": %q, "name": %q, "change": {"actions": ["create"], "after": %s}}`, kind+"."+name, kind, name, after)
}

// An uncertain match is listed with the reason.
func TestProtocolExportForPlan_Unmatched_Listed(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	for _, language := range []string{"Python", "Rust"} {
		o.Call(t, "POST", "/realm/playgrounds", map[string]string{"name": "try", "pygments_language": language, "url_template": "https://example.com/{code}"})
	}
	o.WithAccount(t, "guest").Call(t, "PATCH", "/settings", map[string]string{"email_address_visibility": "4"})
	general := o.MustChannel(t, "general").ID
	for what, trial := range map[string]struct{ changes, want string }{
		"an unknown name":   {created("zulip_channel", "a", `{"description": "x"}`), "zulip_channel.a: the plan doesn't know its name yet. If it exists, import it by ID"},
		"no name":           {created("zulip_channel", "a", `{"name": null}`), "zulip_channel.a: the plan doesn't know its name yet"},
		"the name null":     {created("zulip_channel", "a", `{"name": "null"}`), "zulip_channel.a: the organization has no channel with the name null"},
		"another pattern":   {created("zulip_linkifier", "a", `{"pattern": "none"}`), "zulip_linkifier.a: the organization has no linkifier with the pattern none"},
		"another language":  {created("zulip_code_playground", "a", `{"name": "try", "pygments_language": "Go"}`), "has no code playground with the name try pygments_language Go"},
		"a type of no name": {created("zulip_message", "a", `{"content": "x"}`), "zulip_message.a: objects of this type have no name to search for"},
		"a user not there":  {created("zulip_user", "a", `{"email": "nina@example.com"}`), "with the email nina@example.com. Some users hide their emails. To import one, use the user's ID"},
		"an absent user":    {created("zulip_channel_subscription", "a", `{"channel": "general", "users": ["nina@example.com"]}`), "is not in the organization. The provider's account sees"},
		"no name at all":    {created("zulip_invite_link", "a", `{}`), "zulip_invite_link.a: an object of this type has no name"},
		"managed already": {created("zulip_channel", "a", `{"name": "general"}`) + fmt.Sprintf(`, {"address": "zulip_channel.b", "mode": "managed", "type": "zulip_channel", "name": "b",
			"change": {"actions": ["no-op"], "before": {"id": %d}, "after": {"id": %d}}}`, general, general), "zulip_channel.a: it is already managed by zulip_channel.b"},
	} {
		folder := t.TempDir()
		matched, err := match(t, folder, trial.changes, "")
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if len(matched.Left) != 1 || !strings.Contains(matched.Left[0], trial.want) || matched.Imports != 0 {
			t.Errorf("%s: %d imports, left %q", what, matched.Imports, matched.Left)
		}
		if files := filesOf(t, folder); len(files) > 0 {
			t.Errorf("%s: wrote %v", what, files)
		}
	}
}

// If two resources create the same object, neither is imported.
func TestProtocolExportForPlan_DuplicateObject_Unmatched(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	folder := t.TempDir()
	role := fmt.Sprintf(`{"user_id": %d, "role": "member"}`, o.Sandbox.AllCredentials()["member"].ID)
	matched, err := match(t, folder, strings.Join([]string{
		created("zulip_user_role", "a", role),
		created("zulip_user_role", "b", role),
		created("zulip_channel", "general", `{"name": "GENERAL"}`),
	}, ", "), "")
	acctest.NoError(t, err)
	left := strings.Join(matched.Left, "\n")
	if want := "zulip_user_role.a: several resources create lena.fischer@example.com: zulip_user_role.a, zulip_user_role.b"; len(matched.Left) != 2 || !strings.Contains(left, want) {
		t.Errorf("left: %s", left)
	}
	if imports := filesOf(t, folder)["imports.tf"]; strings.Count(imports, "import {") != 1 || !strings.Contains(imports, "to = zulip_channel.general\n") {
		t.Errorf("wrote:\n%s", imports)
	}
}

// With the variable for such plans, nothing is applied.
func TestProtocolExportForPlan_Applied_Refused(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	t.Setenv("ZULIP_WARN_OF_EXISTING", "true")
	run := o.NewRun(t, "zulip_channel")
	change := run.MustPlan(acctest.Values{"name": "launch"})
	sent := o.Sent()
	run.Apply(change).ExpectError(t, "", "ZULIP_WARN_OF_EXISTING allows no apply", "Import them, and apply without the variable")
	sent.Expect(t)
}

// With the variable, an existing object need not meet the conditions for a new one.
func TestProtocolExportForPlan_NotCreatable_Planned(t *testing.T) {
	for kind, config := range map[string]acctest.Values{
		"zulip_channel":    {"name": "General", "privacy": "private_shared_history", "can_administer_channel_group": []any{"user:lena.fischer@example.com"}},
		"zulip_user_group": {"name": "leads", "can_manage_group": []any{"role:nobody"}},
	} {
		o := acctest.StartSandbox(t, sandbox.Config{})
		o.Call(t, "PATCH", "/realm", map[string]string{"can_create_groups": `{"new": {"direct_members": [], "direct_subgroups": []}}`, "can_create_private_channel_group": `{"new": {"direct_members": [], "direct_subgroups": []}}`})
		member := o.WithAccount(t, "moderator").NewRun(t, kind)
		if _, diags := member.Plan(config); len(diags.Errors()) < 2 {
			t.Fatalf("%s: only the name is refused without the variable: %v", kind, diags)
		}
		t.Run(kind, func(t *testing.T) {
			t.Setenv("ZULIP_WARN_OF_EXISTING", "true")
			member.MustPlan(config)
		})
	}
}

// Pictures of the organization are found by their kind and imported with the planned file. Invitations are found by
// their email.
func TestProtocolExportForPlan_PicturesAndInvitations(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	acctest.NoError(t, o.Client.UploadRealmImage(t.Context(), "logo", "a.png", "image/png", pngOf(t, 3)))
	o.Call(t, "POST", "/invites", map[string]string{"invitee_emails": "one@example.net", "stream_ids": "[]"})
	folder := t.TempDir()
	matched, err := match(t, folder, strings.Join([]string{
		created("zulip_organization_image", "logo", `{"kind": "logo", "file": "./mine.png"}`),
		created("zulip_organization_image", "icon", `{"kind": "icon", "file": "./mine.png"}`),
		created("zulip_invitation", "one", `{"email": "One@example.net"}`),
	}, ", "), "")
	acctest.NoError(t, err)
	imports := filesOf(t, folder)["imports.tf"]
	if matched.Imports != 2 || !strings.Contains(imports, `"logo=./mine.png"`) || !strings.Contains(imports, `"one@example.net"`) {
		t.Errorf("%d imports:\n%s", matched.Imports, imports)
	}
	if left := strings.Join(matched.Left, "\n"); len(matched.Left) != 1 || !strings.Contains(left, "has no organization image with the kind icon") {
		t.Errorf("left: %s", left)
	}
}

func TestProtocolExportForPlan_BadInput_Refused(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	general := created("zulip_channel", "a", `{"name": "general"}`)
	two := general + ", " + created("zulip_channel", "b", `{"name": "leads"}`)
	configuration := `{"address": "zulip_channel.a", "provider_config_key": "zulip.one"}, {"address": "zulip_channel.b", "provider_config_key": "zulip.two"}`
	if _, err := match(t, t.TempDir(), two, configuration); err == nil || !strings.Contains(err.Error(), "with 2 provider configurations") {
		t.Errorf("two organizations: %v", err)
	}
	folder := t.TempDir()
	mine := filepath.Join(folder, "imports.tf")
	acctest.NoError(t, os.WriteFile(mine, []byte("# mine\n"), 0o600))
	if _, err := match(t, folder, general, ""); err == nil || !strings.Contains(err.Error(), "imports.tf exists and wasn't written by export --for") {
		t.Errorf("a file of somebody else: %v", err)
	}
	if files := filesOf(t, folder); len(files) != 1 || files["imports.tf"] != "# mine\n" {
		t.Errorf("the folder has %v", files)
	}
	if _, err := match(t, filepath.Join(folder, "none"), general, ""); err == nil {
		t.Error("a folder that is not there is accepted")
	}
}

// Objects without a list are found by the objects they belong to, if the provider imports them: roles, statuses, and
// the members of a channel or a group.
func TestProtocolExportForPlan_UnlistedObjects_Imported(t *testing.T) {
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
	acctest.NoError(t, err)
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
	for _, want := range []string{"zulip_channel_subscription.outside: ", "zulip_channel_subscription.unknown: the plan doesn't know yet", "zulip_reaction.other: "} {
		if !strings.Contains(left, want) {
			t.Errorf("%q is not in:\n%s", want, left)
		}
	}
	if matched.Imports != 8 || len(matched.Left) != 3 {
		t.Errorf("%d imports:\n%s\nleft:\n%s", matched.Imports, imports, left)
	}
}

// A role that a resource of the state has, and one that a plan takes from another address, are not imported twice.
func TestProtocolExportForPlan_UnlistedObjects_Moved(t *testing.T) {
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
	acctest.NoError(t, err)
	imports, left := filesOf(t, folder)["imports.tf"], strings.Join(matched.Left, "\n")
	if matched.Imports != 0 || matched.Moves != 1 || !strings.Contains(imports, "from = zulip_role_members.old\n") {
		t.Errorf("%d imports, %d moves:\n%s", matched.Imports, matched.Moves, imports)
	}
	for _, want := range []string{"zulip_role_members.second: it is already managed by zulip_role_members.first", "zulip_channel_subscription.new: the plan destroys zulip_channel_subscription.old"} {
		if !strings.Contains(left, want) {
			t.Errorf("%q is not in:\n%s", want, left)
		}
	}
}

// An existing object that is deactivated or archived is not reported as missing: the note describes the plan's change.
func TestProtocolExportForPlan_Deactivated_Explained(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	o.Call(t, "DELETE", fmt.Sprintf("/users/%d", o.Sandbox.AllCredentials()["member"].ID), nil)
	group := o.Call(t, "POST", "/user_groups/create", map[string]string{"name": "readers", "description": "", "members": "[]"})["group_id"]
	o.Call(t, "POST", fmt.Sprintf("/user_groups/%v/deactivate", group), nil)
	o.Call(t, "DELETE", fmt.Sprintf("/streams/%d", o.MustChannel(t, "general").ID), nil)
	bot := o.Call(t, "POST", "/bots", map[string]string{"full_name": "Hook", "short_name": "hook"})["user_id"]
	o.Call(t, "DELETE", fmt.Sprintf("/bots/%v", bot), nil)
	for what, trial := range map[string]struct{ changes, want string }{
		"a leaver":              {created("zulip_user", "a", `{"email": "Lena.Fischer@example.com", "active": false}`), "it is deactivated. With active = false, the next apply adopts it unchanged, without an import"},
		"somebody to come back": {created("zulip_user", "a", `{"email": "lena.fischer@example.com", "adopt_deactivated": true}`), "it is deactivated. With adopt_deactivated = true, the next apply adopts it"},
		"a user":                {created("zulip_user", "a", `{"email": "lena.fischer@example.com"}`), "it is deactivated. active = false leaves it unchanged, adopt_deactivated = true reactivates it"},
		"a group":               {created("zulip_user_group", "a", `{"name": "readers"}`), "it is deactivated. adopt_deactivated = true adopts it"},
		"a channel":             {created("zulip_channel", "a", `{"name": "general", "adopt_archived": true}`), "it is archived. With adopt_archived = true, the next apply adopts it"},
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

// stateOf returns the output of terraform show -json of a state with some resources.
func stateOf(resources ...string) []byte {
	return []byte(`{"format_version": "1.0", "values": {"root_module": {"resources": [` + strings.Join(resources, ", ") + `]}}}`)
}

func inState(kind, name, values string) string {
	return fmt.Sprintf(`{"address": %q, "mode": "managed", "type": %q, "name": %q, "values": %s}`, kind+"."+name, kind, name, values)
}

// An export of unmanaged objects is named after the organization, counts only the unmanaged invitations, and names
// their senders.
func TestProtocolExportNew_Summary_UnmanagedCounted(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	o.Call(t, "PATCH", "/realm", map[string]string{"name": "Dr. Who & Co. (Bonn)"})
	o.Call(t, "POST", "/invites", map[string]string{"invitee_emails": "one@example.net,Two@example.net", "stream_ids": "[]"})
	for range 2 {
		o.Call(t, "POST", "/invites/multiuse", map[string]string{"invite_expires_in_minutes": "null"})
	}
	invitations, err := o.Client.Invitations(t.Context())
	acctest.NoError(t, err)
	var links []int64
	for _, one := range invitations {
		if one.IsMultiuse {
			links = append(links, one.ID)
		}
	}
	first := stateOf(inState("zulip_invitation", "one", `{"id": "one@example.net"}`), inState("zulip_invite_link", "a", fmt.Sprintf(`{"id": %d}`, links[0])))
	both := stateOf(inState("zulip_invitation", "two", `{"id": "two@example.net"}`), inState("zulip_invite_link", "b", fmt.Sprintf(`{"id": %d}`, links[1])))
	summaryFor := func(states map[string][]byte) string {
		folder := exportNew(t, export.Options{States: states, Only: export.Selection{"channel"}})
		return readSummary(t, folder)
	}
	summary := summaryFor(map[string][]byte{"s1.json": first})
	for _, want := range []string{
		"# Dr. Who & Co. (Bonn) as configuration\n", "- 1 pending invitation by email (1 as member by `ines.moreau@example.com`).", "- 1 invitation link (1 as member by `ines.moreau@example.com`).",
	} {
		if !strings.Contains(summary, want) {
			t.Errorf("%q is not in:\n%s", want, summary)
		}
	}
	if summary = summaryFor(map[string][]byte{"s1.json": first, "s2.json": both}); strings.Contains(summary, "pending") || strings.Contains(summary, "invitation link") {
		t.Errorf("it counts what the states have:\n%s", summary)
	}
}

// A role with a whole list in a state is left out: the list decides it, even if someone gained or lost the role
// outside Terraform.
func TestProtocolExportNew_RoleListManaged_Omitted(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	lena := o.Sandbox.AllCredentials()["member"]
	o.Call(t, "PATCH", fmt.Sprintf("/users/%d", lena.ID), map[string]string{"role": "200"})
	list := inState("zulip_role_members", "administrators", `{"id": "administrator", "role": "administrator", "users": ["tomas.berg@example.com", "user:paul.dubois@example.com"]}`)
	for _, as := range []export.PeopleAs{export.PeopleAsAddress, export.PeopleAsVariable, export.PeopleAsUser} {
		folder := exportNew(t, export.Options{States: map[string][]byte{"s1.json": stateOf(list)}, PeopleAs: as})
		resources := readConfiguration(t, folder).resources
		roles := 0
		for address, resource := range resources {
			for _, name := range []string{"lena_fischer", "tomas_berg", "paul_dubois"} {
				if _, has := resource.attributes["role"]; has && strings.HasSuffix(address, "."+name) {
					t.Errorf("as %q: %s proposes a role that the list of a state decides", as, address)
				}
			}
			if _, has := resource.attributes["role"]; has {
				roles++
			}
		}
		if roles == 0 {
			t.Errorf("as %q: the roles of nobody are proposed", as)
		}
		summary := readSummary(t, folder)
		if want := "`zulip_role_members.administrators` in `s1.json` lists every administrator"; !strings.Contains(summary, want) || !strings.Contains(summary, "Its plan shows") {
			t.Errorf("as %q: %q is not in:\n%s", as, want, summary)
		}
		if named := strings.Contains(summary, "lena.fischer@example.com"); named == (as == export.PeopleAsVariable) {
			t.Errorf("as %q: it names whom the list decides: %t, in:\n%s", as, named, summary)
		}
	}
}

// An attribute that a state leaves unset, and that has another value than in a new object, is listed with its value.
func TestProtocolExportNew_UnsetAttributes_Listed(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	moderators := o.SystemGroup(t, "role:moderators")
	permissions := func(names ...string) zulip.ChannelUpdate {
		update := zulip.ChannelUpdate{Permissions: map[string]zulip.GroupSettingChange{}}
		for _, name := range names {
			update.Permissions[name] = zulip.GroupSettingChange{New: zulip.NamedGroup(moderators)}
		}
		return update
	}
	channel := o.NewRun(t, "zulip_channel")
	channel.MustApply(acctest.Values{"name": "news", "can_send_message_group": []any{"role:members"}})
	state := stateOf(inState("zulip_channel", "news", fmt.Sprintf(`{"id": %v, "name": "news", "description": null, "can_send_message_group": ["role:members"], "can_resolve_topics_group": null}`, channel.State.Values["id"])))
	unset := func(only ...string) []string {
		t.Helper()
		result, err := exportInto(t.TempDir(), export.Options{States: map[string][]byte{"state.json": state}, Only: only})
		acctest.NoError(t, err)
		return result.Unset
	}
	if found := unset("channel"); len(found) > 0 {
		t.Errorf("of a new channel are listed %q", found)
	}
	o.Change(t, "news", permissions("can_send_message_group", "can_resolve_topics_group"))
	want := []string{`zulip_channel.news: can_resolve_topics_group = ["role:moderators"]`}
	if found := unset("channel"); !slices.Equal(found, want) {
		t.Errorf("listed are %q, want %q", found, want)
	}
	state = stateOf(inState("zulip_channel", "news", fmt.Sprintf(`{"id": %v, "name": "news", "folder": null, "folder_id": %d, "can_resolve_topics_group": []}`, channel.State.Values["id"], o.Folder(t, "Press"))))
	channel.MustApply(acctest.Values{"name": "news", "folder": o.Prefix + "Press", "can_send_message_group": []any{"role:members"}})
	if found := unset("channel"); slices.ContainsFunc(found, func(text string) bool { return strings.Contains(text, "folder") }) {
		t.Errorf("the folder is listed, which the state has by ID: %q", found)
	}
	if found := unset("channel:general"); len(found) > 0 {
		t.Errorf("of another channel are listed %q", found)
	}
}

// A value that changed since the state was written is listed, also that of an attribute that no configuration sets: the state
// of an imported object has all of them.
func TestProtocolExportNew_ChangedValues_Listed(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	channel := o.NewRun(t, "zulip_channel")
	channel.MustImport("leads")
	values, err := json.Marshal(channel.State.Values)
	acctest.NoError(t, err)
	changed := func() []string {
		t.Helper()
		result, err := exportInto(t.TempDir(), export.Options{States: map[string][]byte{"state.json": stateOf(inState("zulip_channel", "leads", string(values)))}, Only: export.Selection{"channel:leads"}})
		acctest.NoError(t, err)
		return result.Changed
	}
	if found := changed(); len(found) > 0 {
		t.Errorf("nothing changed, and listed are %q", found)
	}
	o.Change(t, "leads", zulip.ChannelUpdate{Permissions: map[string]zulip.GroupSettingChange{"can_subscribe_group": {New: zulip.NamedGroup(o.SystemGroup(t, "role:moderators"))}}})
	if found, want := changed(), []string{`zulip_channel.leads: can_subscribe_group was ["role:nobody"], and is ["role:moderators"]`}; !slices.Equal(found, want) {
		t.Errorf("listed are %q, want %q", found, want)
	}
	long := zulip.GroupSettingValue{DirectSubgroups: []int64{o.Group(t, "writers of the handbook"), o.Group(t, "readers of the handbook")}}
	for _, role := range []string{"role:fullmembers", "role:moderators", "role:owners"} {
		long.DirectSubgroups = append(long.DirectSubgroups, o.SystemGroup(t, role))
	}
	o.Change(t, "leads", zulip.ChannelUpdate{Permissions: map[string]zulip.GroupSettingChange{"can_subscribe_group": {New: long}}})
	if found := changed(); len(found) != 1 || !strings.HasSuffix(found[0], `handbook", "role:fullmembers", "role:moderators", "role:owners"]`) {
		t.Errorf("a long list is not on one line: %q", found)
	}
	o.Archive(t, "leads")
	if found, want := changed(), []string{"zulip_channel.leads: it was removed, archived or deactivated"}; !slices.Equal(found, want) {
		t.Errorf("listed are %q, want %q", found, want)
	}
}
