package effects_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/effects"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// named is a value that names accounts or channels, and the object that is written.
type named struct {
	place  effects.Place
	object int64
	read   func() []int64
}

// world is an organization in which every place names a person or a channel.
type world struct {
	*acctest.Organization

	t      *testing.T
	group  int64
	person int64
	values map[string]named
}

func (w *world) email(name string) string { return w.Prefix + name + "@example.com" }

func (w *world) channel(name string) (id int64) {
	w.t.Helper()
	channel := w.Channel(w.t, w.Prefix+name)
	if channel == nil {
		principals := []int64{w.Self.ID}
		if w.person != 0 {
			principals = append(principals, w.person)
		}
		w.Call(w.t, http.MethodPost, "/users/me/subscriptions", map[string]string{
			"subscriptions": fmt.Sprintf(`[{"name": %q}]`, w.Prefix+name), "principals": fmt.Sprint(list(principals)),
		})
		channel = w.MustChannel(w.t, w.Prefix+name)
	}
	return channel.ID
}

// list is a JSON list of IDs.
func list(ids []int64) string {
	text, _ := json.Marshal(ids) // numbers have no error
	return string(text)
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

const password = "effects-of-a-run"

// create creates the person.
func (w *world) create() {
	var err error
	w.person, err = w.Client.CreateUser(w.t.Context(), zulip.NewUser{Email: w.email("person"), FullName: w.Prefix + "Person", Password: password})
	w.must(err)
}

// subscribers is the value of a channel's subscribers.
func (w *world) subscribers(place effects.Place, name string) named {
	w.channel(name)
	return named{place, w.person, func() []int64 { return w.Subscribers(w.t, w.Prefix+name) }}
}

// settle puts the person, and one channel for each, into all other places.
func (w *world) settle() {
	group, _, err := w.Client.CreateUserGroup(w.t.Context(), zulip.UserGroupCreate{Name: w.Prefix + "group", Members: []int64{w.Self.ID, w.person}, Permissions: map[string]zulip.GroupSettingValue{
		"can_mention_group": {DirectMembers: []int64{w.Self.ID, w.person}},
	}})
	w.must(err)
	find := func() *zulip.UserGroup {
		groups := w.Snapshot(w.t, zulip.FetchUserGroups).UserGroups
		return groups[slices.IndexFunc(groups, func(one *zulip.UserGroup) bool { return one.ID == group })]
	}
	w.values["default channel"] = w.subscribers(effects.DefaultSubscribers, "default")
	w.values["channel"] = w.subscribers(effects.Members, "channel")
	subgroup, _, err := w.Client.CreateUserGroup(w.t.Context(), zulip.UserGroupCreate{Name: w.Prefix + "subgroup"})
	w.must(err)
	w.must(w.Client.ChangeUserGroupMembership(w.t.Context(), group, zulip.MembershipChange{AddSubgroups: []int64{subgroup}}))
	w.group = group
	w.values["subgroup"] = named{effects.Subgroups, subgroup, func() []int64 { return find().DirectSubgroupIDs }}
	w.values["group"] = named{effects.Members, w.person, func() []int64 { return find().Members }}
	w.values["permission"] = named{effects.Members, w.person, func() []int64 { return find().Permissions["can_mention_group"].DirectMembers }}
	bot, err := w.Client.CreateBot(w.t.Context(), zulip.NewBot{FullName: w.Prefix + "Bot", ShortName: w.Prefix + "bot", Type: zulip.BotGeneric})
	w.must(err)
	w.Call(w.t, http.MethodPatch, fmt.Sprintf("/bots/%d", bot), map[string]string{"bot_owner_id": strconv.FormatInt(w.person, 10)})
	w.values["bot"] = named{effects.Owners, w.person, func() (owner []int64) {
		user, err := w.Client.User(w.t.Context(), bot)
		if w.must(err); user.IsActive {
			owner = []int64{*user.BotOwnerID}
		}
		return owner
	}}
	w.LogIn(w.t, w.email("person"), password).Call(w.t, http.MethodPost, "/invites", map[string]string{"invitee_emails": w.email("invited"), "stream_ids": "[]"})
	w.values["invitation"] = named{effects.Owners, w.person, func() (inviters []int64) {
		all, err := w.Client.Invitations(w.t.Context())
		w.must(err)
		for _, one := range all {
			if one.Email == w.email("invited") {
				inviters = append(inviters, one.InvitedByUserID)
			}
		}
		return inviters
	}}
	standard := w.channel("default")
	w.values["default channels"] = named{effects.Defaults, standard, func() []int64 {
		return slices.DeleteFunc(w.Snapshot(w.t, zulip.FetchDefaultStreams).DefaultStreams, func(id int64) bool { return id != standard })
	}}
	grouped := w.channel("grouped")
	w.must(w.Client.CreateDefaultChannelGroup(w.t.Context(), w.Prefix+"channels", "Channels", []string{w.Prefix + "grouped"}))
	w.values["default channel group"] = named{effects.Defaults, grouped, func() []int64 {
		groups := w.Snapshot(w.t, zulip.FetchDefaultGroups).DefaultGroups
		return groups[slices.IndexFunc(groups, func(one *zulip.DefaultChannelGroup) bool { return one.Name == w.Prefix+"channels" })].ChannelIDs
	}}
	private := w.channel("private")
	w.Call(w.t, http.MethodPatch, fmt.Sprintf("/streams/%d", private), map[string]string{"is_private": "true"})
	for setting, channel := range map[string]int64{
		"new_stream_announcements_stream_id": w.channel("new"), "signup_announcements_stream_id": w.channel("new"),
		"zulip_update_announcements_stream_id": w.channel("new"), "moderation_request_channel_id": private,
	} {
		w.Call(w.t, http.MethodPatch, "/realm", map[string]string{setting: strconv.FormatInt(channel, 10)})
		w.values[setting] = named{effects.ChannelSetting, channel, func() []int64 {
			var id int64
			w.must(json.Unmarshal(w.Snapshot(w.t, zulip.FetchRealm).Realm.Settings[setting], &id))
			return []int64{id}
		}}
	}
}

// shown returns the values of the places that a kind of write can change, as the server shows them.
func (w *world) shown(kind effects.Kind) map[string][]int64 {
	all := map[string][]int64{}
	for name, value := range w.values {
		ofChannels := value.place == effects.Defaults || value.place == effects.ChannelSetting
		if ofChannels == (kind == effects.Archived || kind == effects.Unarchived) && (value.place == effects.Subgroups) == (kind == effects.RemovedGroup) {
			all[name] = slices.Sorted(slices.Values(value.read()))
		}
	}
	return all
}

// after is a value after a write of its object, by the table.
func after(kind effects.Kind, value named, before []int64) []int64 {
	then := effects.Stays
	for _, row := range effects.Table {
		if row.After == kind && slices.Contains(row.In, value.place) {
			then = row.Then
		}
	}
	without := slices.DeleteFunc(slices.Clone(before), func(id int64) bool { return id == value.object })
	switch then {
	case effects.Leaves:
		return without
	case effects.Returns:
		return slices.Sorted(slices.Values(append(without, value.object)))
	case effects.Resets:
		return []int64{effects.None}
	}
	return before
}

// After each kind of write, the server shows in every place what the table says, and a run knows the same.
func TestAccTable(t *testing.T) {
	w := &world{Organization: acctest.Start(t), t: t, values: map[string]named{}}
	w.Call(t, http.MethodPatch, fmt.Sprintf("/streams/%d", w.channel("default")), map[string]string{"is_default_stream": "true"})
	w.values["default channel"] = w.subscribers(effects.DefaultSubscribers, "default")
	channels := func(do func(id int64)) {
		for _, name := range []string{"default", "grouped", "new", "private"} {
			do(w.channel(name))
		}
	}
	type try struct {
		kind  effects.Kind
		place effects.Place
	}
	tried := map[try]bool{}
	for _, write := range []struct {
		kind effects.Kind
		do   func()
	}{
		{effects.Created, w.create},
		{effects.Deactivated, func() {
			_, err := w.Client.DeactivateUser(t.Context(), w.person, zulip.Deactivation{})
			w.must(err)
		}},
		{effects.Reactivated, func() { w.must(w.Client.ReactivateUser(t.Context(), w.person)) }},
		{effects.RemovedGroup, func() {
			subgroup := w.values["subgroup"].object
			w.must(w.Client.ChangeUserGroupMembership(t.Context(), w.group, zulip.MembershipChange{DeleteSubgroups: []int64{subgroup}}))
			w.must(w.Client.DeactivateUserGroup(t.Context(), subgroup))
		}},
		{effects.Archived, func() { channels(func(id int64) { w.must(w.Client.ArchiveChannel(t.Context(), id)) }) }},
		{effects.Unarchived, func() {
			channels(func(id int64) {
				w.Call(t, http.MethodPatch, fmt.Sprintf("/streams/%d", id), map[string]string{"is_archived": "false"})
			})
		}},
	} {
		before := w.shown(write.kind)
		write.do()
		for name, now := range w.shown(write.kind) {
			value := w.values[name]
			tried[try{write.kind, value.place}] = true
			if write.kind == effects.Created {
				value.object = w.person
			}
			if want := after(write.kind, value, before[name]); !slices.Equal(now, want) {
				t.Errorf("%s: %s is %v, before %v, by the table %v", write.kind, name, now, before[name], want)
			}
			var run effects.Log
			run.Add(effects.Write{Kind: write.kind, ID: value.object})
			if known := run.After(value.place, before[name], now); !slices.Equal(known, now) {
				t.Errorf("%s: %s is %v, before %v, for the run %v", write.kind, name, now, before[name], known)
			}
		}
		if write.kind == effects.Created {
			w.settle()
		}
	}
	for _, row := range effects.Table {
		for _, place := range row.In {
			if !tried[try{row.After, place}] {
				t.Errorf("%s is not tried in %s", row.After, place)
			}
		}
	}
	w.must(func() error {
		_, err := w.Client.DeactivateUser(t.Context(), w.person, zulip.Deactivation{})
		return err
	}())
	for _, channel := range w.Own(t) {
		w.must(w.Client.ArchiveChannel(t.Context(), channel.ID))
	}
}
