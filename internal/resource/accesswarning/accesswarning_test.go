package accesswarning_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"

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

// warned returns the summary of the only warning; "" without a warning.
func warned(t *testing.T, diags diag.Diagnostics) string {
	t.Helper()
	if len(diags) > 1 || diags.HasError() {
		t.Fatalf("reported: %v", diags)
	}
	if len(diags) == 0 {
		return ""
	}
	return diags[0].Summary()
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
		"nothing":                            {permission.Change{}, "", 0},
		"the same members":                   {group(permission.Membership{Members: []int64{amara, lena}}), "", 0},
		"a member instead of another":        {group(permission.Membership{Members: []int64{amara, kenji}}), acctest.GeneralAccess, 0},
		"others who are not known yet":       {group(permission.Membership{Members: []int64{amara, lena}, Unknown: true}), acctest.GeneralAccess, 0},
		"a guest, who can make no use of it": {group(permission.Membership{Members: []int64{amara, lena, guest}}), "", 0},
		"a guest becomes a member":           {permission.Change{Roles: map[int64]zulip.Role{guest: zulip.RoleMember}}, acctest.GeneralAccess, 4},
	} {
		server.Journal().Reset()
		var diags diag.Diagnostics
		b.Meta.Store.Invalidate(store.Subscribers)
		accesswarning.OfChange(context.Background(), b.Meta, &diags, test.change)
		if got := warned(t, diags); got != test.want {
			t.Errorf("%s: warns of %q, want %q", name, got, test.want)
		}
		if asked := len(server.Journal().Requests(sandbox.Filter{})); asked != test.members {
			t.Errorf("%s: %d requests, not %d", name, asked, test.members)
		}
	}

	b.Meta.AccessWarnings = false
	var diags diag.Diagnostics
	accesswarning.OfChange(context.Background(), b.Meta, &diags, group(permission.Membership{}))
	if len(diags) > 0 {
		t.Errorf("turned off, it says %v", diags)
	}
}

// A warning names what it is about, so that Terraform shows it by itself. The first danger of a change counts.
func TestWarning_Danger_NamedInSummary(t *testing.T) {
	b, _, view := newBase(t)
	isOn := true
	access := view.Access().With(permission.Change{Spectators: &isOn})
	everyone, _ := view.UserGroupByName("role:everyone")
	guest, self := user(t, view, "paul.dubois@example.com"), b.Meta.Store.Self().ID
	permit := func(setting string, value zulip.GroupSettingValue) func(*permission.Channel) {
		return func(c *permission.Channel) {
			c.Permissions = maps.Clone(c.Permissions)
			c.Permissions[setting] = value
		}
	}
	subscribe := func(ids ...int64) func(*permission.Channel) {
		return func(c *permission.Channel) { c.Subscribers = ids }
	}
	for name, test := range map[string]struct {
		channel         string
		change          func(*permission.Channel)
		summary, detail string
	}{
		"the account": {"leads", subscribe(), `The provider's account can lose access in channel "leads"`, "This change can take from the account a permission to read or to administer that it has now.\n"},
		"no one":      {"announcements", permit("can_send_message_group", zulip.GroupSettingValue{}), `A permission can be left with no one in channel "announcements"`, "This change can take the permission from the last people who have it.\n"},
		"the internet, and a guest": {"announcements", func(c *permission.Channel) {
			c.Privacy, c.Subscribers = zulip.PrivacyWebPublic, []int64{self, guest}
		}, `Anyone on the internet can gain access in channel "announcements"`, "This change can let people read messages without an account.\n"},
		"a guest, in a private channel": {"leads", subscribe(self, guest), `Guests can gain access in channel "leads"`, "This change can give guests a permission that they do not have now.\n"},
		"a private channel": {"leads", func(c *permission.Channel) { c.Privacy = zulip.PrivacyPublic },
			`More people can gain access to private channel "leads"`, "This change can let people into the channel who cannot read it now.\n"},
		"members": {"announcements", permit("can_delete_any_message_group", zulip.GroupSettingValue{Group: everyone.ID}), acctest.GeneralAccess, ""},
	} {
		found, _ := view.Channels().ByName(test.channel)
		before := permission.ChannelOf(found)
		before.Subscribers, before.SubscribersKnown = []int64{self}, true
		after := before
		test.change(&after)
		change := permission.ChannelChange{Name: test.channel, Before: permission.ChannelState{Access: access, Channel: before}, After: permission.ChannelState{Access: access, Channel: after}}
		for _, isOfChannel := range []bool{true, false} {
			warn, summary, detail := accesswarning.OfChannel, test.summary, test.detail
			if !isOfChannel {
				warn = accesswarning.OfSubscribers
			}
			if name == "a private channel" && !isOfChannel { // only the channel's own change names it
				summary, detail = acctest.GeneralAccess, ""
			}
			var diags diag.Diagnostics
			if warn(t.Context(), b.Meta, &diags, found.ID, change); warned(t, diags) != summary || diags[0].Detail() != detail+acctest.AccessAdvice {
				t.Errorf("%s: warns of %v, want %q", name, diags, summary)
			}
		}
	}
}

// A warning names three channels and counts the others.
func TestWarning_ManyChannels_Counted(t *testing.T) {
	b, _, _ := newBase(t)
	isOn := true
	spectators := func(value string) {
		t.Helper()
		update := zulip.RealmUpdate{}
		update.Settings.Text("enable_spectator_access", value)
		if _, err := b.Meta.Client.UpdateRealm(t.Context(), update); err != nil {
			t.Fatal(err)
		}
	}
	spectators("true")
	for i := range 5 {
		if _, _, err := b.Meta.Client.CreateChannel(t.Context(), zulip.ChannelCreate{Name: fmt.Sprint("web ", i), IsWebPublic: &isOn}); err != nil {
			t.Fatal(err)
		}
	}
	spectators("false")
	b.Meta.Store.Invalidate(store.Organization, store.Channels)
	var diags diag.Diagnostics
	accesswarning.OfChange(t.Context(), b.Meta, &diags, permission.Change{Spectators: &isOn})
	if got := warned(t, diags); got != `Anyone on the internet can gain access in channels "web 0", "web 1", "web 2" and 2 more` {
		t.Errorf("warns of %q", got)
	}
}

// Subscribers that cannot be read are no reason to call a change harmless.
func TestWarning_SubscribersUnreadable_General(t *testing.T) {
	b, server, view := newBase(t)
	leads, _ := view.Channels().ByName("leads")
	defer server.Fail(sandbox.Fault{Method: "GET", Path: fmt.Sprintf("/streams/%d/members", leads.ID), Action: sandbox.FaultStatus, Status: 400})()
	before := permission.ChannelOf(leads)
	after := permission.ChannelOf(leads)
	after.Permissions = maps.Clone(after.Permissions)
	after.Permissions["can_send_message_group"] = zulip.GroupSettingValue{DirectMembers: []int64{b.Meta.Store.Self().ID}}
	var diags diag.Diagnostics
	accesswarning.OfChannel(t.Context(), b.Meta, &diags, leads.ID, permission.ChannelChange{
		Name: "leads", Before: permission.ChannelState{Access: view.Access(), Channel: before}, After: permission.ChannelState{Access: view.Access(), Channel: after},
	})
	if got := warned(t, diags); got != acctest.GeneralAccess {
		t.Errorf("warns of %q", got)
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
	null, unknown := types.SetNull(types.StringType), types.SetUnknown(types.StringType)
	fullMembers, _ := view.UserGroupByName("role:fullmembers")
	long, isOn := 100_000, true
	waits := maps.Clone(view.Realm().Permissions)
	waits["can_create_groups"] = zulip.GroupSettingValue{Group: fullMembers.ID}
	prior := view.Realm().Permissions
	closed := maps.Clone(prior)
	closed["can_resolve_topics_group"] = zulip.GroupSettingValue{Group: fullMembers.ID}
	b.Meta.Run.PlanName("zulip_user_group", 0, "to come")
	const groups, resolve = "can_create_groups", "can_resolve_topics_group"
	for name, test := range map[string]struct {
		prior        map[string]zulip.GroupSettingValue
		setting      string
		config, plan types.Set
		settings     *permission.Change
		want         string
	}{
		"not managed":                  {prior, groups, null, unknown, nil, ""},
		"as it is":                     {prior, groups, set("role:members"), set("role:members"), nil, ""},
		"less":                         {prior, groups, set("role:owners"), set("role:owners"), nil, acctest.GeneralAccess},
		"nobody":                       {prior, groups, set("role:nobody"), set("role:nobody"), nil, "A permission can be left with no one in the organization (can_create_groups)"},
		"not known yet":                {prior, groups, unknown, unknown, nil, acctest.GeneralAccess},
		"a group that is yet to come":  {prior, groups, set("group:to come"), set("group:to come"), nil, acctest.GeneralAccess},
		"the guests, who never can it": {prior, groups, set("role:everyone"), set("role:everyone"), nil, ""},
		"the guests":                   {closed, resolve, set("user:paul.dubois@example.com"), set("user:paul.dubois@example.com"), nil, "Guests can gain access in the organization (can_resolve_topics_group)"},
		// Settings such as the waiting period of new members also decide who has a permission.
		"no other wait": {waits, groups, null, null, &permission.Change{WaitingPeriod: &view.Realm().WaitingPeriodThreshold}, ""},
		"a longer wait": {waits, groups, null, null, &permission.Change{WaitingPeriod: &long}, acctest.GeneralAccess},
		"another wait":  {waits, groups, null, null, &permission.Change{WaitingPeriodUnknown: true}, acctest.GeneralAccess},
		"of no concern": {waits, groups, null, null, &permission.Change{Spectators: &isOn}, ""},
	} {
		sets := func(of types.Set) attribute.Sets {
			return func(setting string) *types.Set {
				if setting != test.setting {
					return &null
				}
				return &of
			}
		}
		plan := attribute.PermissionPlan{Table: permission.Organizations, View: view, Prior: test.prior, Config: sets(test.config), Plan: sets(test.plan)}
		var diags diag.Diagnostics
		if accesswarning.OfOrganization(t.Context(), b.Meta, &diags, plan, test.settings); warned(t, diags) != test.want {
			t.Errorf("%s: %v, want %q", name, diags, test.want)
		}
		b.Meta.AccessWarnings = false
		diags = nil
		if accesswarning.OfOrganization(t.Context(), b.Meta, &diags, plan, test.settings); len(diags) > 0 {
			t.Errorf("%s: warned although such warnings are off", name)
		}
		b.Meta.AccessWarnings = true
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
	if n := strings.Count(printed, "Warning: "+acctest.GeneralAccess); n != 1 || !strings.Contains(printed, "and 29 more similar warnings elsewhere") {
		t.Errorf("it warns %d times:\n%s", n, printed[max(0, len(printed)-2000):])
	}
}
