package accesswarning_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accesswarning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

func TestMain(m *testing.M) {
	status := m.Run()
	acctest.RemovePlugin()
	os.Exit(status)
}

// newBase returns the base of a resource in the example organization, with the owner as the provider's account.
func newBase(t *testing.T) (*base.Base, *sandbox.Server, *snapshot.Snapshot) {
	t.Helper()
	server, err := sandbox.New(sandbox.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	owner, _ := server.Credentials("owner")
	client, err := zulip.New(zulip.Config{Site: server.URL(), Email: owner.Email, APIKey: owner.APIKey, MaxRetries: -1})
	if err != nil {
		t.Fatal(err)
	}
	self, err := client.Me(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	b := &base.Base{Meta: &base.Meta{Client: client, AccessWarnings: true}}
	b.Meta.Store = store.New(client, self, sandbox.DefaultFeatureLevel, &b.Meta.Run)
	view, err := b.Meta.Store.Read(context.Background(), store.Channels)
	if err != nil {
		t.Fatal(err)
	}
	server.Journal().Reset()
	return b, server, view
}

func user(t *testing.T, view *snapshot.Snapshot, address string) int64 {
	t.Helper()
	found, ok := view.UserByAddress(address)
	if !ok {
		t.Fatalf("%s is not in the organization", address)
	}
	return found.ID
}

// warned returns the text of the only warning; "" without a warning.
func warned(t *testing.T, diags diag.Diagnostics) string {
	t.Helper()
	if len(diags) > 1 || diags.HasError() {
		t.Fatalf("reported: %v", diags)
	}
	if len(diags) == 0 {
		return ""
	}
	text, ok := strings.CutPrefix(diags[0].Detail(), "The change.\n\n")
	if !ok || diags[0].Summary() != accesswarning.Summary {
		t.Errorf("the warning is %v", diags[0])
	}
	return strings.TrimSuffix(text, acctest.AloneText)
}

func TestWarning_MemberAccess_Reported(t *testing.T) {
	b, server, view := newBase(t)
	sre, _ := view.UserGroupByName("sre")
	kenji, amara, lena, guest := user(t, view, "kenji.sato@example.com"), user(t, view, "amara.okafor@example.com"), user(t, view, "lena.fischer@example.com"), user(t, view, "paul.dubois@example.com")
	group := func(membership permission.Membership) permission.Change {
		return permission.Change{Groups: map[int64]permission.Membership{sre.ID: membership}}
	}
	for name, test := range map[string]struct {
		change  permission.Change
		want    string
		members int // channels whose subscribers are read
	}{
		"nothing":          {permission.Change{}, "", 0},
		"the same members": {group(permission.Membership{Members: []int64{amara, lena}}), "", 0},
		"a member instead of another": {
			group(permission.Membership{Members: []int64{amara, kenji}}),
			"In incidents:\nCan no longer administer the channel and remove subscribers: Lena Fischer (lena.fischer@example.com).\n" +
				"Can now administer the channel and remove subscribers: Kenji Sato (kenji.sato@example.com).", 0,
		},
		"others who are not known yet": {
			group(permission.Membership{Members: []int64{amara, lena}, Unknown: true}),
			"In incidents:\nNot known yet: who gains and who loses that they can administer the channel and remove subscribers.", 0,
		},
		"a guest, who can make no use of it": {group(permission.Membership{Members: []int64{amara, lena, guest}}), "", 0},
		"a guest becomes a member": {
			permission.Change{Roles: map[int64]zulip.Role{guest: zulip.RoleMember}},
			"In announcements:\nCan now read, add subscribers, join, move messages, resolve topics and delete own messages: Paul Dubois (paul.dubois@example.com).\n\n" +
				"In general:\nCan now add subscribers, join and move messages to other channels: Paul Dubois (paul.dubois@example.com).\n\n" +
				"In incidents:\nCan now read, add subscribers, join, post, start topics, move messages and 2 more permissions: Paul Dubois (paul.dubois@example.com).", 4,
		},
		"someone is deactivated, who is not said to lose everything everywhere": {permission.Change{Deactivated: []int64{lena}}, "", -1},
	} {
		server.Journal().Reset()
		var diags diag.Diagnostics
		b.Meta.Store.Invalidate(store.Subscribers)
		accesswarning.OfChange(context.Background(), b.Meta, &diags, "The change", test.change)
		if got := warned(t, diags); got != test.want {
			t.Errorf("%s:\n%s\nwanted\n%s", name, got, test.want)
		}
		if asked := len(server.Journal().Requests(sandbox.Filter{})); test.members >= 0 && asked != test.members {
			t.Errorf("%s: %d requests, not %d", name, asked, test.members)
		}
	}

	b.Meta.AccessWarnings = false
	var diags diag.Diagnostics
	accesswarning.OfChange(context.Background(), b.Meta, &diags, "The change", group(permission.Membership{}))
	if len(diags) > 0 {
		t.Errorf("turned off, it says %v", diags)
	}
}

// Terraform shows a warning by itself if its summary names what it is about.
func TestWarning_Concerning_NamedInSummary(t *testing.T) {
	b, _, view := newBase(t)
	channel := func(name string) (int64, permission.Channel) {
		found, _ := view.Channels().ByName(name)
		return found.ID, permission.ChannelOf(found)
	}
	isOn := true
	access := view.Access().With(permission.Change{Spectators: &isOn})
	everyone, _ := view.UserGroupByName("role:everyone")
	guest := user(t, view, "paul.dubois@example.com")
	for name, test := range map[string]struct {
		channel string
		change  func(c *permission.Channel)
		want    string
	}{
		"the internet":      {"announcements", func(c *permission.Channel) { c.Privacy = zulip.PrivacyWebPublic }, `Anyone on the internet can gain access to channel "announcements"`},
		"a guest":           {"announcements", func(c *permission.Channel) { c.Subscribers = append(slices.Clone(c.Subscribers), guest) }, `Guests can gain access in channel "announcements"`},
		"a private channel": {"leads", func(c *permission.Channel) { c.Privacy = zulip.PrivacyPublic }, `More people can gain access to private channel "leads"`},
		"members": {"announcements", func(c *permission.Channel) {
			c.Permissions = maps.Clone(c.Permissions)
			c.Permissions["can_delete_any_message_group"] = zulip.GroupSettingValue{Group: everyone.ID}
		}, accesswarning.Summary},
	} {
		id, before := channel(test.channel)
		before.Subscribers, before.SubscribersKnown = []int64{b.Meta.Store.Self().ID}, true
		after := before
		test.change(&after)
		var diags diag.Diagnostics
		accesswarning.OfChannel(t.Context(), b.Meta, &diags, id, permission.ChannelChange{
			Name: test.channel, Before: permission.ChannelState{Access: access, Channel: before}, After: permission.ChannelState{Access: access, Channel: after},
		})
		if len(diags) != 1 || diags[0].Summary() != test.want {
			t.Errorf("%s: warns of %v, want %q", name, diags, test.want)
		}
	}
}

func TestWarning_SubscribersUnreadable_Unknown(t *testing.T) {
	b, server, view := newBase(t)
	admin := user(t, view, "tomas.berg@example.com")
	leads, _ := view.Channels().ByName("leads")
	defer server.Fail(sandbox.Fault{Method: "GET", Path: fmt.Sprintf("/streams/%d/members", leads.ID), Action: sandbox.FaultStatus, Status: 400})()
	var diags diag.Diagnostics
	accesswarning.OfChange(context.Background(), b.Meta, &diags, "The change", permission.Change{Roles: map[int64]zulip.Role{admin: zulip.RoleModerator}})
	text := warned(t, diags)
	sections := strings.Split(text, "\n\n")
	of := slices.IndexFunc(sections, func(section string) bool { return strings.HasPrefix(section, "In leads:") })
	if of < 0 || sections[of] != "In leads:\nNot known yet: who gains and who loses that they can delete anyone's messages." {
		t.Errorf("without knowing who is in leads:\n%s", text)
	}
}

func TestWarning_OrganizationAccess_Reported(t *testing.T) {
	b, _, view := newBase(t)
	set := func(principals ...string) types.Set {
		parsed := []permission.Principal{}
		for _, text := range principals {
			principal, err := permission.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			parsed = append(parsed, principal)
		}
		return attribute.SetOf(parsed)
	}
	unknown := types.SetUnknown(types.StringType)
	b.Meta.Run.PlanName("zulip_user_group", 0, "to come")
	for name, test := range map[string]struct {
		config, plan types.Set // of can_create_groups
		want         string    // begins the warning; "": there is none
	}{
		"not managed":                  {types.SetNull(types.StringType), unknown, ""},
		"as it is":                     {set("role:members"), set("role:members"), ""},
		"less":                         {set("role:owners"), set("role:owners"), "Can no longer create user groups: "},
		"not known yet":                {unknown, unknown, "Not known yet: who gains and who loses that they can create user groups."},
		"a group that is yet to come":  {set("group:to come"), set("group:to come"), "Not known yet: "},
		"the guests, who never can it": {set("role:everyone"), set("role:everyone"), ""},
	} {
		sets := func(of types.Set) attribute.Sets {
			return func(setting string) *types.Set {
				one := of
				if setting != "can_create_groups" {
					one = types.SetNull(types.StringType)
				}
				return &one
			}
		}
		plan := attribute.PermissionPlan{
			Table: permission.Organizations, View: view, Prior: view.Realm().Permissions,
			Config: sets(test.config), Plan: sets(test.plan),
		}
		var diags diag.Diagnostics
		accesswarning.OfOrganization(t.Context(), b.Meta, &diags, plan, permission.Change{})
		got := ""
		if len(diags) > 0 {
			got = strings.TrimPrefix(diags[0].Detail(), "Access in the organization changes.\n\n")
		}
		if len(diags) > 1 || diags.HasError() || !strings.HasPrefix(got, test.want) || (got == "") != (test.want == "") {
			t.Errorf("%s: %v", name, diags)
		}
		b.Meta.AccessWarnings = false
		diags = nil
		if accesswarning.OfOrganization(t.Context(), b.Meta, &diags, plan, permission.Change{}); len(diags) > 0 {
			t.Errorf("%s: warned although such warnings are off", name)
		}
		b.Meta.AccessWarnings = true
	}
}

// A setting such as the waiting period of new members also decides who has a permission.
func TestWarning_OrganizationSettings_Reported(t *testing.T) {
	b, _, view := newBase(t)
	fullMembers, _ := view.UserGroupByName("role:fullmembers")
	prior := maps.Clone(view.Realm().Permissions)
	prior["can_create_groups"] = zulip.GroupSettingValue{Group: fullMembers.ID}
	null := func(string) *types.Set { none := types.SetNull(types.StringType); return &none }
	long := 100_000
	for name, test := range map[string]struct {
		settings permission.Change
		want     string // begins the warning; "": there is none
	}{
		"nothing":       {permission.Change{}, ""},
		"the same":      {permission.Change{WaitingPeriod: &view.Realm().WaitingPeriodThreshold}, ""},
		"longer":        {permission.Change{WaitingPeriod: &long}, "Can no longer create user groups: Lena Fischer (lena.fischer@example.com) and Kenji Sato (kenji.sato@example.com)."},
		"not known":     {permission.Change{WaitingPeriodUnknown: true}, "Not known yet: who gains and who loses that they can create user groups."},
		"of no concern": {permission.Change{Spectators: new(bool)}, ""},
	} {
		plan := attribute.PermissionPlan{Table: permission.Organizations, View: view, Prior: prior, Config: null, Plan: null}
		var diags diag.Diagnostics
		accesswarning.OfOrganization(t.Context(), b.Meta, &diags, plan, test.settings)
		got := ""
		for _, one := range diags {
			text, ok := strings.CutPrefix(one.Detail(), "Access in the organization changes.\n\n")
			if !ok || one.Summary() != accesswarning.Summary {
				t.Errorf("%s: the warning is %v", name, one)
			}
			got += text
		}
		if len(diags) > 1 || diags.HasError() || !strings.HasPrefix(got, test.want) || (got == "") != (test.want == "") {
			t.Errorf("%s: %v", name, diags)
		}
	}
}

// The warning names the groups in a permission whose current members were counted.
func TestWarning_OrganizationGroup_CurrentMembers(t *testing.T) {
	b, _, view := newBase(t)
	sre := types.SetValueMust(types.StringType, []attr.Value{types.StringValue("group:sre")})
	sets := func(setting string) *types.Set {
		one := types.SetNull(types.StringType)
		if setting == "can_create_groups" {
			one = sre
		}
		return &one
	}
	plan := attribute.PermissionPlan{Table: permission.Organizations, View: view, Prior: view.Realm().Permissions, Config: sets, Plan: sets}
	var diags diag.Diagnostics
	accesswarning.OfOrganization(t.Context(), b.Meta, &diags, plan, permission.Change{})
	if len(diags) != 1 || !strings.HasSuffix(diags[0].Detail(), `This is based on the current members of group "sre".`+acctest.AloneText) {
		t.Errorf("reported: %v", diags)
	}
}

// A plan of thirty channels has one warning about access, which counts the channels that it does not name.
func TestAccSandboxAccessWarning_ThirtyChannels_One(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	config := func(role string) string {
		return `resource "zulip_channel" "many" {
  count                  = 30
  name                   = "many-${count.index}"
  can_send_message_group = ["role:` + role + `"]
}
`
	}
	w.Configure(t, config("everyone"))
	w.Must(t, "apply", "-auto-approve")
	w.Configure(t, config("moderators"))
	printed := w.Must(t, "plan")
	if n := strings.Count(printed, "Warning: This plan changes who can do what"); n != 1 || !strings.Contains(printed, "and 29 more similar warnings elsewhere") {
		t.Errorf("it warns %d times:\n%s", n, printed[max(0, len(printed)-2000):])
	}
}
