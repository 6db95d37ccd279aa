package permission_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

var (
	allRoles = []zulip.Role{zulip.RoleOwner, zulip.RoleAdministrator, zulip.RoleModerator, zulip.RoleMember, zulip.RoleGuest}
	noon     = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
)

func TestLawEffectiveAccess_Oracle_Same(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		facts := drawFacts(t)
		access, channel := permission.NewAccess(facts), drawChannel(t, facts)
		for _, name := range permission.ChannelPermissions {
			who, certain := access.Can(name, channel)
			if want := (oracle{facts}).can(name, &channel); !certain || !slices.Equal(who.IDs(), want) {
				t.Fatalf("%s: %v (certain: %t), the oracle says %v", name, who.IDs(), certain, want)
			}
			if everybody := access.Everybody(); !who.Minus(everybody).IsEmpty() || who.Len() != len(who.IDs()) {
				t.Fatalf("%s: %v are not among those active", name, who.Minus(everybody).IDs())
			}
		}
	})
}

func TestLawCompare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		facts := drawFacts(t)
		access := permission.NewAccess(facts)
		a, b := permission.ChannelState{Access: access, Channel: drawChannel(t, facts)}, permission.ChannelState{Access: access, Channel: drawChannel(t, facts)}
		if effects := permission.Compare(a, a); len(effects) > 0 {
			t.Fatalf("a change of nothing: %+v", effects)
		}
		there, back := effectsByPermission(a, b), effectsByPermission(b, a)
		for _, name := range permission.ChannelPermissions {
			was, is := (oracle{facts}).can(name, &a.Channel), (oracle{facts}).can(name, &b.Channel)
			effect := there[name]
			if !slices.Equal(effect.Gain.IDs(), missing(is, was)) || !slices.Equal(effect.Lose.IDs(), missing(was, is)) {
				t.Fatalf("%s: from %v to %v gain %v and lose %v", name, was, is, effect.Gain.IDs(), effect.Lose.IDs())
			}
			if effect.Unknown || effect.NobodyLeft != (len(is) == 0 && len(was) > 0) {
				t.Fatalf("%s: from %v to %v: %+v", name, was, is, effect)
			}
			if !effect.Gain.Equal(back[name].Lose) || !effect.Lose.Equal(back[name].Gain) {
				t.Fatalf("%s: there and back differ", name)
			}
		}
	})
}

// A report about incompletely known facts is also true once they are known.
func TestLawEffectiveAccess_UnknownFacts_NotGuessed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		facts := drawFacts(t)
		access := permission.NewAccess(facts)
		a, b := permission.ChannelState{Access: access, Channel: drawChannel(t, facts)}, permission.ChannelState{Access: access, Channel: drawChannel(t, facts)}
		b.Channel.Subscribers = a.Channel.Subscribers
		known := effectsByPermission(a, b)
		b.Channel.Unknown = map[string]bool{}
		for _, setting := range permission.ChannelSettings {
			if rapid.IntRange(0, 5).Draw(t, "unknown") == 0 {
				b.Channel.Unknown[setting.Name] = true
			}
		}
		b.Channel.TopicsPolicyUnknown = rapid.IntRange(0, 5).Draw(t, "unknown policy of topics") == 0
		b.Channel.PrivacyUnknown = rapid.IntRange(0, 5).Draw(t, "unknown privacy") == 0
		if rapid.Bool().Draw(t, "unknown subscribers") {
			a.Channel.SubscribersKnown, b.Channel.SubscribersKnown = false, false
			a.Channel.Subscribers, b.Channel.Subscribers = nil, nil
		}
		told := effectsByPermission(a, b)
		for _, name := range permission.ChannelPermissions {
			same := told[name].Gain.Equal(known[name].Gain) && told[name].Lose.Equal(known[name].Lose)
			if !told[name].Unknown && !same {
				t.Fatalf("%s: told %v and %v, is %v and %v", name, told[name].Gain.IDs(), told[name].Lose.IDs(), known[name].Gain.IDs(), known[name].Lose.IDs())
			}
		}
	})
}

func TestLawWith_RebuiltOrganization_Same(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		facts := drawFacts(t)
		change := permission.Change{Groups: map[int64]permission.Membership{}, Roles: map[int64]zulip.Role{}, Now: noon}
		after := permission.AccessInput{Realm: facts.Realm}
		period := waitingPeriod
		if rapid.Bool().Draw(t, "change of the waiting period") {
			period = rapid.IntRange(0, 20).Draw(t, "waiting period")
			change.WaitingPeriod = &period
		}
		leave := map[int64]bool{}
		for _, user := range facts.Users {
			changed := *user
			if !user.IsSystemBot && rapid.IntRange(0, 4).Draw(t, "change of role") == 0 {
				changed.Role = rapid.SampledFrom(allRoles).Draw(t, "new role")
				change.Roles[user.ID] = changed.Role
			}
			if user.IsActive && rapid.IntRange(0, 9).Draw(t, "leaving") == 0 {
				change.Deactivated = append(change.Deactivated, user.ID)
				leave[user.ID] = true
			}
			after.Users = append(after.Users, &changed)
		}
		for _, user := range after.Users {
			if leave[user.ID] || user.BotOwnerID != nil && leave[*user.BotOwnerID] {
				user.IsActive = false
			}
		}
		after.Groups = systemGroups(after.Users[:len(after.Users)-1], func(user *zulip.User) bool { return hasWaited(user, period) })
		for _, group := range facts.Groups[len(roles):] {
			changed := *group
			if rapid.IntRange(0, 2).Draw(t, "change of group") == 0 {
				changed.Members = drawPeople(t, facts)
				changed.DirectSubgroupIDs = slices.DeleteFunc(slices.Clone(group.DirectSubgroupIDs), func(int64) bool { return rapid.Bool().Draw(t, "taken out") })
				change.Groups[group.ID] = permission.Membership{Members: changed.Members, Subgroups: changed.DirectSubgroupIDs}
			}
			after.Groups = append(after.Groups, &changed)
		}
		channel := drawChannel(t, facts)
		with, anew := permission.NewAccess(facts).With(change), permission.NewAccess(after)
		for _, name := range permission.ChannelPermissions {
			got, _ := with.Can(name, channel)
			want, _ := anew.Can(name, channel)
			if !slices.Equal(got.IDs(), want.IDs()) {
				t.Fatalf("%s after %+v: %v, wanted %v", name, change, got.IDs(), want.IDs())
			}
		}
	})
}

// A report about an unknown waiting period is true for every waiting period.
func TestLawWaitingPeriod_Unknown_NotGuessed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		facts := drawFacts(t)
		before, channel := permission.NewAccess(facts), drawChannel(t, facts)
		period := rapid.IntRange(0, 20).Draw(t, "waiting period")
		known := before.With(permission.Change{WaitingPeriod: &period, Now: noon})
		unknown := before.With(permission.Change{WaitingPeriodUnknown: true, Now: noon})
		was := permission.ChannelState{Access: before, Channel: channel}
		is, told := effectsByPermission(was, permission.ChannelState{Access: known, Channel: channel}), effectsByPermission(was, permission.ChannelState{Access: unknown, Channel: channel})
		for _, name := range permission.ChannelPermissions {
			if same := told[name].Gain.Equal(is[name].Gain) && told[name].Lose.Equal(is[name].Lose); !told[name].Unknown && !same {
				t.Fatalf("%s: told %v and %v, is %v and %v", name, told[name].Gain.IDs(), told[name].Lose.IDs(), is[name].Gain.IDs(), is[name].Lose.IDs())
			}
		}
		for _, group := range facts.Groups { // all members are certainly in the role of members
			if group.Name == "role:members" && unknown.IsUncertain(zulip.NamedGroup(group.ID)) {
				t.Fatal("it counts as not known who is a member")
			}
		}
	})
}

func effectsByPermission(before, after permission.ChannelState) map[permission.ChannelPermission]permission.Effect {
	effects := map[permission.ChannelPermission]permission.Effect{}
	for _, effect := range permission.Compare(before, after) {
		effects[effect.Permission] = effect
	}
	return effects
}

// missing returns the elements of the first that are not in the second.
func missing(ids, others []int64) []int64 {
	rest := []int64{}
	for _, id := range ids {
		if !slices.Contains(others, id) {
			rest = append(rest, id)
		}
	}
	return rest
}

// team is a small organization for examples: its people by ID, and the groups of the roles.
func team(t *testing.T) (access *permission.Access, facts permission.AccessInput) {
	t.Helper()
	ada := int64(1)
	for id, user := range map[int64]zulip.User{
		ada: {FullName: "Ada", Role: zulip.RoleOwner}, 2: {FullName: "Bea", Role: zulip.RoleModerator},
		3: {FullName: "Cem", Role: zulip.RoleMember}, 4: {FullName: "Dan", Role: zulip.RoleMember},
		5: {FullName: "Gus", Role: zulip.RoleGuest}, 6: {FullName: "Bot", Role: zulip.RoleMember, IsBot: true, BotOwnerID: &ada},
	} {
		user.ID, user.IsActive, user.Email = id, true, fmt.Sprintf("u%d@example.com", id)
		facts.Users = append(facts.Users, &user)
	}
	facts.Groups = append(systemGroups(facts.Users, func(*zulip.User) bool { return true }),
		&zulip.UserGroup{ID: 50, Name: "sre", Members: []int64{3, 5}}, &zulip.UserGroup{ID: 51, Name: "leads", DirectSubgroupIDs: []int64{50}})
	facts.Realm = &zulip.Realm{Permissions: map[string]zulip.GroupSettingValue{}}
	return permission.NewAccess(facts), facts
}

// open returns a channel in which everyone can post and start topics, and all other permissions are nobody.
func open(privacy zulip.Privacy, subscribers ...int64) permission.Channel {
	channel := permission.Channel{Privacy: privacy, Permissions: map[string]zulip.GroupSettingValue{}, Subscribers: subscribers, SubscribersKnown: true}
	for _, setting := range permission.ChannelSettings {
		channel.Permissions[setting.Name] = zulip.NamedGroup(nobody)
	}
	channel.Permissions["can_send_message_group"], channel.Permissions["can_create_topic_group"] = zulip.NamedGroup(16), zulip.NamedGroup(16)
	return channel
}

// but is the channel with another value of a permission.
func but(channel permission.Channel, name permission.ChannelPermission, value zulip.GroupSettingValue) permission.Channel {
	channel.Permissions = maps.Clone(channel.Permissions)
	channel.Permissions[string(name)] = value
	return channel
}

func TestEffectiveAccess_UnsupportedByServer_Omitted(t *testing.T) {
	access, _ := team(t)
	channel := open(zulip.PrivacyPublic)
	delete(channel.Permissions, "can_resolve_topics_group")
	if who, certain := access.Can(permission.CanResolveTopics, channel); certain || !who.IsEmpty() {
		t.Errorf("%v, certain: %t", who.IDs(), certain)
	}
	if who, certain := access.Can(permission.CanRead, channel); !certain || who.Len() != 5 {
		t.Errorf("%v read, certain: %t", who.IDs(), certain)
	}
}

func TestEffectiveAccess_UncertainUsers_NotNamed(t *testing.T) {
	access, _ := team(t)
	channel := but(open(zulip.PrivacyPrivateSharedHistory), permission.CanSubscribe, zulip.GroupSettingValue{DirectMembers: []int64{3}})
	channel.SubscribersKnown = false
	if who, certain := access.Can(permission.CanSendMessage, channel); certain || !slices.Equal(who.IDs(), []int64{3}) {
		t.Errorf("%v, certain: %t; of a private channel whose subscribers are not known only one can post for certain", who.IDs(), certain)
	}
}

func TestSubscribers_Irrelevant_NotRead(t *testing.T) {
	access, facts := team(t)
	withoutGuests := facts
	withoutGuests.Users = slices.DeleteFunc(slices.Clone(facts.Users), isGuest)
	for name, test := range map[string]struct {
		access     *permission.Access
		privacy    zulip.Privacy
		permission permission.ChannelPermission
		want       bool
	}{
		"a private channel":              {access, zulip.PrivacyPrivateSharedHistory, permission.CanSendMessage, true},
		"who administers it":             {access, zulip.PrivacyPrivateSharedHistory, permission.CanAdministerChannel, true}, // and moves messages
		"guests in a public channel":     {access, zulip.PrivacyPublic, permission.CanSendMessage, true},
		"no guests in a public channel":  {permission.NewAccess(withoutGuests), zulip.PrivacyPublic, permission.CanSendMessage, false},
		"guests have no part in it":      {access, zulip.PrivacyPublic, permission.CanAdministerChannel, false},
		"everyone reads what all may":    {access, zulip.PrivacyWebPublic, permission.CanSendMessage, false},
		"who administers it, by the web": {access, zulip.PrivacyWebPublic, permission.CanAdministerChannel, false},
	} {
		channel := open(test.privacy)
		channel.SubscribersKnown = false
		before := permission.ChannelState{Access: test.access, Channel: channel}
		after := permission.ChannelState{Access: test.access, Channel: but(channel, test.permission, zulip.NamedGroup(15))}
		if got := permission.NeedsSubscribers(before, after); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestGroups_UnknownMembers_EffectUnknown(t *testing.T) {
	access, _ := team(t)
	channel := but(open(zulip.PrivacyPublic), permission.CanSendMessage, zulip.NamedGroup(51))
	after := access.With(permission.Change{Groups: map[int64]permission.Membership{50: {Members: []int64{3}, Unknown: true}}})
	effects := effectsByPermission(permission.ChannelState{Access: access, Channel: channel}, permission.ChannelState{Access: after, Channel: channel})
	if !effects[permission.CanSendMessage].Unknown || len(effects) != 2 { // the other is to start topics
		t.Errorf("of a group below the one in the value it is not known who is in it: %+v", effects)
	}
	// The value is known later.
	later := after.With(permission.Change{Groups: map[int64]permission.Membership{50: {Members: []int64{3, 4}}}})
	effects = effectsByPermission(permission.ChannelState{Access: access, Channel: channel}, permission.ChannelState{Access: later, Channel: channel})
	if got := effects[permission.CanSendMessage]; !slices.Equal(got.Gain.IDs(), []int64{4}) || got.Unknown {
		t.Errorf("gain %v", got.Gain.IDs())
	}
}

func TestGroups_Cycle_Ends(t *testing.T) {
	_, facts := team(t)
	facts.Groups = append(facts.Groups,
		&zulip.UserGroup{ID: 60, Members: []int64{3}, DirectSubgroupIDs: []int64{61}}, &zulip.UserGroup{ID: 61, Members: []int64{4}, DirectSubgroupIDs: []int64{60}})
	if who := permission.NewAccess(facts).In(zulip.NamedGroup(60)); !slices.Equal(who.IDs(), []int64{3, 4}) {
		t.Errorf("%v", who.IDs())
	}
}

func TestPeople_ZeroValue_Empty(t *testing.T) {
	var none permission.People
	if none.Has(1) || none.Len() != 0 || !none.IsEmpty() || len(none.IDs()) > 0 || !none.Minus(none).Equal(none) {
		t.Error("the zero value holds somebody")
	}
}

// A report distinguishes access to older messages from access to new ones. People who can still read lose nothing.
func TestHistory(t *testing.T) {
	users := []*zulip.User{
		{ID: 1, Role: zulip.RoleMember, IsActive: true}, {ID: 2, Role: zulip.RoleMember, IsActive: true}, {ID: 3, Role: zulip.RoleMember, IsActive: true},
	}
	access := permission.NewAccess(permission.AccessInput{Users: users, Groups: []*zulip.UserGroup{{ID: 10, Members: []int64{3}}}})
	channel := func(privacy zulip.Privacy, joiners ...int64) permission.ChannelState {
		return permission.ChannelState{Access: access, Channel: permission.Channel{
			Privacy: privacy, Subscribers: []int64{1, 2}, SubscribersKnown: true,
			Permissions: map[string]zulip.GroupSettingValue{string(permission.CanSubscribe): {DirectMembers: joiners}},
		}}
	}
	const shared, protected = zulip.PrivacyPrivateSharedHistory, zulip.PrivacyPrivateProtectedHistory
	for name, test := range map[string]struct {
		before, after permission.ChannelState
		gain, lose    []int64
		isSaid        bool
	}{
		"opened":              {channel(protected), channel(shared), []int64{1, 2}, nil, true},
		"opened with joiners": {channel(protected, 3), channel(shared, 3), []int64{1, 2, 3}, nil, true},
		"closed":              {channel(shared), channel(protected), nil, nil, false},
		"closed with joiners": {channel(shared, 3), channel(protected, 3), nil, nil, false}, // as reading
		"a joiner":            {channel(shared), channel(shared, 3), nil, nil, false},       // as reading
	} {
		t.Run(name, func(t *testing.T) {
			isSaid := false
			for _, effect := range permission.Compare(test.before, test.after) {
				if effect.Permission != permission.CanReadHistory {
					continue
				}
				isSaid = true
				if !slices.Equal(effect.Gain.IDs(), test.gain) || !slices.Equal(effect.Lose.IDs(), test.lose) || effect.NobodyLeft {
					t.Errorf("gain %v, lose %v", effect.Gain.IDs(), effect.Lose.IDs())
				}
			}
			if isSaid != test.isSaid {
				t.Errorf("it is said: %t", isSaid)
			}
		})
	}
}

func TestInternet_ReadAccess_Reported(t *testing.T) {
	_, facts := team(t)
	yes, no := true, false
	organization := func(setting string, offered *bool, change permission.Change) *permission.Access {
		facts.Realm = &zulip.Realm{OffersWebPublicChannels: offered, Settings: map[string]json.RawMessage{}}
		if setting != "" {
			facts.Realm.Settings["enable_spectator_access"] = json.RawMessage(setting)
		}
		return permission.NewAccess(facts).With(change)
	}
	for name, test := range map[string]struct {
		before, after               *permission.Access
		privacyBefore, privacyAfter zulip.Privacy
		want                        permission.Internet
	}{
		"a channel goes on the web": {
			organization("true", &yes, permission.Change{}), nil, zulip.PrivacyPublic, zulip.PrivacyWebPublic, permission.InternetGains,
		},
		"where spectators are kept out": {
			organization("false", &yes, permission.Change{}), nil, zulip.PrivacyPublic, zulip.PrivacyWebPublic, permission.InternetAsBefore,
		},
		"where the server has no such channels": {
			organization("true", &no, permission.Change{}), nil, zulip.PrivacyPublic, zulip.PrivacyWebPublic, permission.InternetAsBefore,
		},
		"on a server that says nothing": {
			organization("", nil, permission.Change{}), nil, zulip.PrivacyPublic, zulip.PrivacyWebPublic, permission.InternetGains,
		},
		"spectators are let in": {
			organization("false", nil, permission.Change{}), organization("false", nil, permission.Change{Spectators: &yes}),
			zulip.PrivacyWebPublic, zulip.PrivacyWebPublic, permission.InternetGains,
		},
		"spectators are kept out from now on": {
			organization("true", nil, permission.Change{}), organization("true", nil, permission.Change{Spectators: &no}),
			zulip.PrivacyWebPublic, zulip.PrivacyWebPublic, permission.InternetLoses,
		},
		"not from what is no web-public channel": {
			organization("true", nil, permission.Change{}), organization("true", nil, permission.Change{Spectators: &no}),
			zulip.PrivacyPublic, zulip.PrivacyPublic, permission.InternetAsBefore,
		},
		"it is not known whether they are": {
			organization("true", nil, permission.Change{}), organization("true", nil, permission.Change{SpectatorsUnknown: true}),
			zulip.PrivacyWebPublic, zulip.PrivacyWebPublic, permission.InternetUnknown,
		},
		"nobody asks of another channel": {
			organization("true", nil, permission.Change{}), organization("true", nil, permission.Change{SpectatorsUnknown: true}),
			zulip.PrivacyPublic, zulip.PrivacyPublic, permission.InternetAsBefore,
		},
	} {
		if test.after == nil {
			test.after = test.before
		}
		before := permission.ChannelState{Access: test.before, Channel: open(test.privacyBefore, 1, 2, 3, 4, 5, 6)}
		after := permission.ChannelState{Access: test.after, Channel: open(test.privacyAfter, 1, 2, 3, 4, 5, 6)}
		if got := permission.CompareInternet(before, after); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
