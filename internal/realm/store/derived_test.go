package store_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// everything reads all parts of an organization into one snapshot.
func everything(ctx context.Context, d *store.Store) (*snapshot.Snapshot, error) {
	return d.Read(ctx, store.Channels, store.Statuses, store.Bots, store.Linkifiers, store.ProfileFields, store.CustomEmoji,
		store.Folders, store.Playgrounds, store.Domains)
}

// derived returns all derived answers of a view as texts, by question.
func derived(view *snapshot.Snapshot) map[string]string {
	all := map[string]string{}
	answer := func(question string, key, found any) { all[fmt.Sprintf("%s %v", question, key)] = fmt.Sprint(found) }
	for _, user := range view.Users() {
		byID, _ := view.User(user.ID)
		answer("user", user.ID, fmt.Sprint(byID.FullName, byID.Role, byID.IsActive))
		for _, address := range []string{user.Email, user.Address()} {
			byAddress, ok := view.UserByAddress(strings.ToUpper(address))
			answer("address", address, fmt.Sprint(ok, byAddress.ID, byAddress.IsActive))
		}
		_, isBot := view.Bots().ByID(user.ID)
		answer("bot", user.ID, isBot)
		answer("other owner than", user.ID, view.HasOtherOwner(user.ID))
	}
	for _, group := range view.UserGroups().List() {
		byName, _ := view.UserGroupByName(group.Name)
		byID, _ := view.UserGroup(group.ID)
		answer("group", group.Name, fmt.Sprint(byName.ID, byID.Name, byID.Deactivated))
		answer("members of", group.Name, view.AllMembers(group))
		answer("subgroups of", group.Name, view.AllSubgroups(group))
		answer("in", group.Name, view.Access().In(zulip.NamedGroup(group.ID)).IDs())
	}
	for _, channel := range view.Channels().List() {
		byName, _ := view.Channels().ByName(strings.ToUpper(channel.Name))
		byID, _ := view.Channels().ByID(channel.ID)
		answer("channel", channel.Name, fmt.Sprint(byName.ID, byID.Name, byID.IsArchived, byID.IsDefault))
		facts := permission.ChannelOf(channel)
		facts.SubscribersKnown = true
		for _, name := range permission.ChannelPermissions {
			who, certain := view.Access().Can(name, facts)
			answer(fmt.Sprintf("%s in", name), channel.Name, fmt.Sprint(who.IDs(), certain))
		}
	}
	for _, setting := range permission.RealmSettings {
		admitted := view.Access().Admitted(permission.Organizations, setting, view.Realm().Permissions[setting.Name])
		answer("admitted by", setting.Name, admitted.IDs())
	}
	for _, folder := range view.Folders().List() {
		byName, _ := view.Folders().ByName(folder.Name)
		archived, _ := view.ArchivedFolder(folder.Name)
		answer("folder", folder.Name, fmt.Sprint(byName == folder, archived == folder))
	}
	for _, linkifier := range view.Linkifiers().List() {
		byID, _ := view.Linkifiers().ByID(linkifier.ID)
		byPattern, _ := view.Linkifiers().ByName(linkifier.Pattern)
		answer("linkifier", linkifier.Pattern, fmt.Sprint(byID.URLTemplate, byPattern.ID))
	}
	for _, field := range view.ProfileFields().List() {
		byID, _ := view.ProfileFields().ByID(field.ID)
		byName, _ := view.ProfileFields().ByName(field.Name)
		answer("profile field", field.Name, fmt.Sprint(byID.Type, byName.ID))
	}
	answer("everybody", "", view.Access().Everybody().IDs())
	answer("guests", "", view.Access().Guests().IDs())
	return all
}

// A write, and the facts that the resources then register in the store.
type write struct {
	what string
	do   func(ctx context.Context, t *testing.T, w *written) error
	told func(ctx context.Context, d *store.Store, w *written) error
}

// written is a changed organization, and the created objects.
type written struct {
	client         *zulip.Client
	view           *snapshot.Snapshot // before the write
	group, channel int64
}

func (w *written) id(t *testing.T, address string) int64 {
	t.Helper()
	user, ok := w.view.UserByAddress(address)
	if !ok {
		t.Fatalf("nobody has the address %s", address)
	}
	return user.ID
}

func readAgain(part store.Part) func(context.Context, *store.Store, *written) error {
	return func(ctx context.Context, d *store.Store, _ *written) error {
		_, err := d.Fresh(ctx, part)
		return err
	}
}

func forget(parts ...store.Part) func(context.Context, *store.Store, *written) error {
	return func(_ context.Context, d *store.Store, _ *written) error {
		d.Invalidate(parts...)
		return nil
	}
}

func realmSetting(name, value string) func(context.Context, *testing.T, *written) error {
	return func(ctx context.Context, _ *testing.T, w *written) error {
		var update zulip.RealmUpdate
		update.Settings.Text(name, value)
		_, err := w.client.UpdateRealm(ctx, update)
		return err
	}
}

const (
	kenji = "kenji.sato@example.com"
	lena  = "lena.fischer@example.com"
	amara = "amara.okafor@example.com"
)

var (
	freshGroups   = readAgain(store.UserGroups)
	freshPeople   = readAgain(store.Users)
	freshChannels = readAgain(store.Channels)
	freshRealm    = readAgain(store.Organization)
	freshBots     = readAgain(store.Bots)
)

// writes are the writes after which resources read a part, or put facts into the snapshot, in a possible order of a
// run.
var writes = []write{
	{"a user group is created", func(ctx context.Context, t *testing.T, w *written) (err error) {
		w.group, _, err = w.client.CreateUserGroup(ctx, zulip.UserGroupCreate{Name: "press", Members: []int64{w.id(t, lena)}})
		return err
	}, freshGroups},
	{"a channel is created that the group posts in", func(ctx context.Context, _ *testing.T, w *written) (err error) {
		w.channel, _, err = w.client.CreateChannel(ctx, zulip.ChannelCreate{
			Name: "newsroom", Permissions: map[string]zulip.GroupSettingValue{"can_send_message_group": zulip.NamedGroup(w.group)},
		})
		return err
	}, freshChannels},
	{"a member is exchanged", func(ctx context.Context, t *testing.T, w *written) error {
		return w.client.ChangeUserGroupMembership(ctx, w.group, zulip.MembershipChange{Add: []int64{w.id(t, kenji)}, Delete: []int64{w.id(t, lena)}})
	}, freshGroups},
	{"a subgroup is added", func(ctx context.Context, _ *testing.T, w *written) error {
		sre, _ := w.view.UserGroupByName("sre")
		return w.client.ChangeUserGroupMembership(ctx, w.group, zulip.MembershipChange{AddSubgroups: []int64{sre.ID}})
	}, freshGroups},
	{"a user group is renamed", func(ctx context.Context, _ *testing.T, w *written) error {
		name := "newspeople"
		_, err := w.client.UpdateUserGroup(ctx, w.group, zulip.UserGroupUpdate{Name: &name})
		return err
	}, freshGroups},
	{"a permission of a channel is changed", func(ctx context.Context, t *testing.T, w *written) error {
		value := zulip.GroupSettingValue{DirectMembers: []int64{w.id(t, amara)}}
		_, err := w.client.UpdateChannel(ctx, w.channel, zulip.ChannelUpdate{Permissions: map[string]zulip.GroupSettingChange{"can_send_message_group": {New: value}}})
		return err
	}, freshChannels},
	{"a channel is renamed", func(ctx context.Context, _ *testing.T, w *written) error {
		name := "press room"
		_, err := w.client.UpdateChannel(ctx, w.channel, zulip.ChannelUpdate{Name: &name})
		return err
	}, freshChannels},
	{"a channel is archived", func(ctx context.Context, _ *testing.T, w *written) error {
		return w.client.ArchiveChannel(ctx, w.channel)
	}, freshChannels},
	{"a person gets another role", func(ctx context.Context, t *testing.T, w *written) error {
		role := zulip.RoleAdministrator
		return w.client.UpdateUser(ctx, w.id(t, kenji), zulip.UserUpdate{Role: &role})
	}, func(_ context.Context, d *store.Store, w *written) error {
		user, _ := w.view.UserByAddress(kenji)
		d.GaveRole(user.ID, zulip.RoleAdministrator)
		return nil
	}},
	{"a person is renamed", func(ctx context.Context, t *testing.T, w *written) error {
		name := "Kenji the Great"
		return w.client.UpdateUser(ctx, w.id(t, kenji), zulip.UserUpdate{FullName: &name})
	}, freshPeople},
	{"a person is deactivated", func(ctx context.Context, t *testing.T, w *written) error {
		_, err := w.client.DeactivateUser(ctx, w.id(t, amara), zulip.Deactivation{})
		return err
	}, forget(store.Users, store.UserGroups)},
	{"a person is deactivated, and the people are read", func(ctx context.Context, t *testing.T, w *written) error {
		_, err := w.client.DeactivateUser(ctx, w.id(t, lena), zulip.Deactivation{})
		return err
	}, func(ctx context.Context, d *store.Store, w *written) error {
		d.Invalidate(store.UserGroups)
		return freshPeople(ctx, d, w)
	}},
	{"a person is reactivated", func(ctx context.Context, t *testing.T, w *written) error {
		return w.client.ReactivateUser(ctx, w.id(t, lena))
	}, func(ctx context.Context, d *store.Store, w *written) error {
		d.BecameActive()
		return freshPeople(ctx, d, w)
	}},
	{"an account is created", func(ctx context.Context, _ *testing.T, w *written) (err error) {
		_, err = w.client.CreateUser(ctx, zulip.NewUser{Email: "jo@example.com", FullName: "Jo", Password: "correct horse battery staple"})
		return err
	}, func(ctx context.Context, d *store.Store, w *written) error {
		d.BecameActive()
		return freshPeople(ctx, d, w)
	}},
	{"a bot is created", func(ctx context.Context, _ *testing.T, w *written) (err error) {
		_, err = w.client.CreateBot(ctx, zulip.NewBot{FullName: "Alerts", ShortName: "alerts", Type: zulip.BotIncomingWebhook, Interface: 1})
		return err
	}, func(ctx context.Context, d *store.Store, w *written) error {
		d.BecameActive()
		return freshBots(ctx, d, w)
	}},
	{"a permission of the organization is changed", func(ctx context.Context, _ *testing.T, w *written) error {
		moderators, _ := w.view.UserGroupByName("role:moderators")
		_, err := w.client.UpdateRealm(ctx, zulip.RealmUpdate{Permissions: map[string]zulip.GroupSettingChange{"can_resolve_topics_group": {New: zulip.NamedGroup(moderators.ID)}}})
		return err
	}, freshRealm},
	{"the waiting period is changed", realmSetting("waiting_period_threshold", "100000"), func(ctx context.Context, d *store.Store, w *written) error {
		d.Invalidate(store.UserGroups)
		return freshRealm(ctx, d, w)
	}},
	{"a folder is created", func(ctx context.Context, _ *testing.T, w *written) error {
		_, err := w.client.CreateChannelFolder(ctx, "Teams", "")
		return err
	}, readAgain(store.Folders)},
	{"a linkifier is created", func(ctx context.Context, _ *testing.T, w *written) error {
		_, err := w.client.CreateLinkifier(ctx, zulip.LinkifierChange{Pattern: "T(?P<id>[0-9]+)", URLTemplate: "https://example.com/{id}"})
		return err
	}, readAgain(store.Linkifiers)},
	{"a profile field is created", func(ctx context.Context, _ *testing.T, w *written) error {
		name := "Office"
		_, err := w.client.CreateProfileField(ctx, zulip.ProfileFieldChange{Name: &name, Type: zulip.ProfileFieldLongText})
		return err
	}, readAgain(store.ProfileFields)},
	{"a user group is deactivated", func(ctx context.Context, _ *testing.T, w *written) error {
		return w.client.DeactivateUserGroup(ctx, w.group)
	}, forget(store.UserGroups)},
}

// After any writes, a snapshot gives the same answers as a new one. A snapshot from before a write keeps its answers
// for those that still use it.
func TestStore_DerivedFactsAfterWrite_Current(t *testing.T) {
	ctx := context.Background()
	d, client, _ := newStore(t)
	w := &written{client: client}
	view, err := everything(ctx, d)
	requireNoError(t, err)
	for _, write := range writes {
		before := derived(view) // everything has been computed
		w.view = view
		if err := write.do(ctx, t, w); err != nil {
			t.Fatalf("%s: %v", write.what, err)
		}
		if err := write.told(ctx, d, w); err != nil {
			t.Fatalf("%s: %v", write.what, err)
		}
		now, err := everything(ctx, d)
		requireNoError(t, err)
		anew, err := everything(ctx, store.New(client, d.Self(), 442, new(runstate.State)))
		requireNoError(t, err)
		expectSame(t, "after "+write.what, derived(now), derived(anew))
		expectSame(t, "the snapshot before "+write.what, derived(view), before)
		if maps.Equal(before, derived(now)) {
			t.Errorf("%s: nothing that is derived differs; what does this test?", write.what)
		}
		view = now
	}
}

func expectSame(t *testing.T, when string, got, want map[string]string) {
	t.Helper()
	var wrong []string
	for question, answer := range want {
		if got[question] != answer {
			wrong = append(wrong, fmt.Sprintf("%s:\n    %s, not\n    %s", question, got[question], answer))
		}
	}
	for question := range got {
		if _, asked := want[question]; !asked {
			wrong = append(wrong, question+": is not there any longer")
		}
	}
	slices.Sort(wrong)
	if len(wrong) > 3 {
		wrong = append(wrong[:3], fmt.Sprintf("and %d more", len(wrong)-3))
	}
	if len(wrong) > 0 {
		t.Errorf("%s:\n  %s", when, strings.Join(wrong, "\n  "))
	}
}
