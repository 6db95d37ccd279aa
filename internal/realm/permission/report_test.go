package permission_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

func TestReport_Channel_AccessChanges(t *testing.T) {
	access, _ := team(t)
	public, private := open(zulip.PrivacyPublic, 1, 3, 5), open(zulip.PrivacyPrivateSharedHistory, 1, 3, 5)
	listed := func(members ...int64) zulip.GroupSettingValue { return zulip.GroupSettingValue{DirectMembers: members} }
	unknown := func(channel permission.Channel, settings ...string) permission.Channel {
		channel.Unknown = map[string]bool{}
		for _, setting := range settings {
			channel.Unknown[setting] = true
		}
		return channel
	}
	webPublic := public
	webPublic.Privacy = zulip.PrivacyWebPublic
	somewhere := public
	somewhere.PrivacyUnknown = true
	for name, test := range map[string]struct {
		before, after permission.Channel
		want          []string
	}{
		"nothing": {public, public, nil},
		"the same people in other words": {
			but(public, permission.CanSendMessage, listed(1, 2, 3, 4, 5, 6)), public, nil,
		},
		"who posts": {
			public, but(public, permission.CanSendMessage, zulip.NamedGroup(13)), // moderators, and the bot of an owner
			[]string{"Can no longer post and start topics: Dan (u4@example.com, the provider's account), Gus (u5@example.com, a guest) and Cem (u3@example.com)."},
		},
		"the account itself first": {
			but(public, permission.CanAdministerChannel, zulip.NamedGroup(15)), public,
			[]string{"Can no longer administer the channel, add subscribers, remove subscribers and move messages: " +
				"Dan (u4@example.com, the provider's account), Bea (u2@example.com), Cem (u3@example.com) and Bot (u6@example.com, a bot)."},
		},
		"nobody is left": {
			public, but(but(public, permission.CanSendMessage, zulip.NamedGroup(nobody)), permission.CanResolveTopics, listed(3)),
			[]string{
				"No one is left who can post and start topics.",
				"Can no longer post and start topics: Dan (u4@example.com, the provider's account), Gus (u5@example.com, a guest), Ada (u1@example.com), Bea (u2@example.com), Cem (u3@example.com) and Bot (u6@example.com, a bot).",
				"Can now resolve topics: Cem (u3@example.com).",
			},
		},
		"a public channel becomes private": {
			public, private,
			[]string{
				"Can no longer read: Dan (u4@example.com, the provider's account), Bea (u2@example.com) and Bot (u6@example.com, a bot).",
				"Can no longer join: Dan (u4@example.com, the provider's account), Ada (u1@example.com), Bea (u2@example.com), Cem (u3@example.com) and Bot (u6@example.com, a bot).",
				// The bot can still post where its owner is subscribed.
				"Can no longer post and start topics: Dan (u4@example.com, the provider's account) and Bea (u2@example.com).",
			},
		},
		"the web reads": {public, webPublic, []string{"Anyone on the internet can read it, without an account."}},
		"the web reads no more": {webPublic, public, []string{
			"It can no longer be read without an account.",
		}},
		"something is not known": {
			public, unknown(public, "can_send_message_group"),
			[]string{"Not known yet: who gains and who loses that they can post and start topics."},
		},
		"not known, and without effect": {
			public, unknown(public, "can_subscribe_group"), nil,
		},
		"the privacy is not known": {
			public, somewhere, []string{"Not known yet: who gains and who loses that they can read, join, post and start topics."},
		},
	} {
		report := permission.Report{Self: 4}
		got := report.Channel(permission.ChannelState{Access: access, Channel: test.before}, permission.ChannelState{Access: access, Channel: test.after})
		if want := strings.Join(test.want, "\n"); got != want {
			t.Errorf("%s:\n%s\nwanted:\n%s", name, got, want)
		}
	}
}

func TestReportOfManyChannels(t *testing.T) {
	access, _ := team(t)
	after := access.With(permission.Change{Groups: map[int64]permission.Membership{50: {Members: []int64{3, 4}}}})
	var changes []permission.ChannelChange
	for i := range 25 {
		channel := open(zulip.PrivacyPublic, 5)
		switch {
		case i == 3:
			channel = but(channel, permission.CanSendMessage, zulip.NamedGroup(51))
		case i%2 == 0:
			channel = but(channel, permission.CanResolveTopics, zulip.NamedGroup(50))
		}
		changes = append(changes, permission.ChannelChange{
			Name:   fmt.Sprintf("channel %02d", i),
			Before: permission.ChannelState{Access: access, Channel: channel}, After: permission.ChannelState{Access: after, Channel: channel},
		})
	}
	want := `In channel 00, channel 02, channel 04, channel 06, channel 08, channel 10, channel 12, channel 14, channel 16, channel 18 and 3 more:
Can no longer resolve topics: Gus (u5@example.com, a guest).
Can now resolve topics: Dan (u4@example.com).

In channel 03:
Can no longer post and start topics: Gus (u5@example.com, a guest).
Can now post and start topics: Dan (u4@example.com).`
	if got := (permission.Report{}).Channels(changes); got != want {
		t.Errorf("%s\nwanted:\n%s", got, want)
	}
	if got := (permission.Report{}).Channels(changes[1:2]); got != "" {
		t.Errorf("of a channel in which nothing changes: %s", got)
	}
}

func TestReport_DifferingChannels_Counted(t *testing.T) {
	access, _ := team(t)
	var changes []permission.ChannelChange
	for i := range 15 { // two of them alike
		before := open(zulip.PrivacyPublic)
		after := but(before, permission.CanResolveTopics, zulip.GroupSettingValue{DirectMembers: []int64{int64(1 + i%5)}})
		after = but(after, permission.CanDeleteAnyMessage, zulip.GroupSettingValue{DirectMembers: []int64{int64(1 + i/5), int64(1 + i%4)}})
		changes = append(changes, permission.ChannelChange{
			Name:   fmt.Sprintf("channel %02d", i),
			Before: permission.ChannelState{Access: access, Channel: before}, After: permission.ChannelState{Access: access, Channel: after},
		})
	}
	got := (permission.Report{}).Channels(changes)
	if !strings.Contains(got, "And something else in 4 more channels.") {
		t.Errorf("%s\ndoes not count the channels that are left out", got)
	}
	if named := strings.Count(got, "@example.com"); named != permission.MaxNames {
		t.Errorf("%d names:\n%s", named, got)
	}
}

// A report has at most ten names and counts the other people.
func TestLawReport(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		facts := drawFacts(t)
		for i, user := range facts.Users {
			user.FullName, user.Email = fmt.Sprintf("Person %d", i), fmt.Sprintf("<%d>", user.ID)
		}
		access := permission.NewAccess(facts)
		a, b := permission.ChannelState{Access: access, Channel: drawChannel(t, facts)}, permission.ChannelState{Access: access, Channel: drawChannel(t, facts)}
		text, effects := permission.Report{Self: 1000}.Channel(a, b), permission.Compare(a, b)
		internet := (a.Channel.Privacy == zulip.PrivacyWebPublic) != (b.Channel.Privacy == zulip.PrivacyWebPublic)
		if (text == "") != (len(effects) == 0 && !internet) {
			t.Fatalf("%d effects, and the report is %q", len(effects), text)
		}
		if names := strings.Count(text, "Person "); names > permission.MaxNames {
			t.Fatalf("%d names:\n%s", names, text)
		}
		for _, effect := range effects {
			if counts.MatchString(text) {
				break // some permissions are only counted
			}
			if effect.Gain.Has(1000) != strings.Contains(inSentence(text, "Can now", effect.Permission), "<1000>") {
				t.Fatalf("the account itself gains %s: %t\n%s", effect.Permission, effect.Gain.Has(1000), text)
			}
			if (effect.NobodyLeft && effect.Permission != permission.CanSubscribe) != (inSentence(text, "No one is left", effect.Permission) != "") {
				t.Fatalf("nobody is left who can %s: %t\n%s", effect.Permission, effect.NobodyLeft, text)
			}
		}
	})
}

// counts finds a sentence in which permissions are counted.
var counts = regexp.MustCompile(`(?m)^(?:Can no longer|Can now|No one is left who can) [^:]* and \d+ more permissions[:.]`)

// The description of many permissions for the same people is short, and names the most powerful permission first.
func TestPermissions_SamePeople_Summarized(t *testing.T) {
	var all []string
	for _, name := range permission.ChannelPermissions {
		all = append(all, name.InWords())
	}
	for want, actions := range map[string][]string{
		"administer the channel, read, add subscribers, join and 6 more permissions": all,
		"start topics, move messages and resolve topics":                             {"start topics", "move messages to other channels", "move messages to other topics", "resolve topics"},
		"read, add subscribers, join, post and start topics":                         {"read", "add subscribers", "join", "post", "start topics"},
		"delete messages":              {"delete anyone's messages", "delete own messages"},
		"delete own messages and post": {"delete own messages", "post"},
		"post":                         {"post"},
	} {
		if got := permission.JoinActions(actions, 4); got != want {
			t.Errorf("%q is said as %q, want %q", actions, got, want)
		}
	}
}

// inSentence returns the sentences that begin so and are about a permission.
func inSentence(text, beginning string, name permission.ChannelPermission) string {
	lines := strings.Split(text, "\n")
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool {
		about, _, _ := strings.Cut(strings.TrimPrefix(line, beginning), ":")
		words := strings.FieldsFunc(strings.NewReplacer(" who can ", "", " and ", ", ").Replace(about), func(r rune) bool { return r == ',' || r == '.' })
		for i := range words {
			words[i] = strings.TrimSpace(words[i])
		}
		if slices.Contains(words, "move messages") {
			words = append(words, permission.CanMoveMessagesOutOfChannel.InWords(), permission.CanMoveMessagesWithinChannel.InWords())
		}
		if slices.Contains(words, "delete messages") {
			words = append(words, permission.CanDeleteAnyMessage.InWords(), permission.CanDeleteOwnMessage.InWords())
		}
		return !strings.HasPrefix(line, beginning) || !slices.Contains(words, name.InWords())
	}), "\n")
}

func TestReport_Organization_AccessChanges(t *testing.T) {
	access, facts := team(t)
	group := func(name string) zulip.GroupSettingValue {
		i := slices.IndexFunc(facts.Groups, func(g *zulip.UserGroup) bool { return g.Name == name })
		return zulip.NamedGroup(facts.Groups[i].ID)
	}
	change := func(setting string, before, after zulip.GroupSettingValue) permission.OrganizationChange {
		i := slices.IndexFunc(permission.RealmSettings, func(s permission.Spec) bool { return s.Name == setting })
		return permission.OrganizationChange{Setting: permission.RealmSettings[i], Before: before, After: after}
	}
	listed := func(members ...int64) zulip.GroupSettingValue { return zulip.GroupSettingValue{DirectMembers: members} }
	unknown := change("can_create_groups", group("role:members"), zulip.GroupSettingValue{})
	unknown.Unknown = true
	for name, test := range map[string]struct {
		changes []permission.OrganizationChange
		want    []string
	}{
		"nothing": {nil, nil},
		"the same people in other words": {
			[]permission.OrganizationChange{change("can_create_groups", group("role:owners"), listed(1))}, nil,
		},
		// Cem and Gus are in the group that contains sre, but guests never create groups.
		"less": {
			[]permission.OrganizationChange{change("can_create_groups", group("role:members"), group("leads"))},
			[]string{"Can no longer create user groups: Dan (u4@example.com, the provider's account), Ada (u1@example.com), Bea (u2@example.com) and Bot (u6@example.com, a bot)."},
		},
		"where guests can have it": {
			[]permission.OrganizationChange{change("can_resolve_topics_group", group("role:members"), group("role:everyone"))},
			[]string{"Can now mark topics as resolved: Gus (u5@example.com, a guest)."},
		},
		"several at once": {
			[]permission.OrganizationChange{
				change("can_create_bots_group", listed(3), group("role:nobody")), change("can_invite_users_group", listed(3), group("role:nobody")),
				change("can_add_custom_emoji_group", group("role:nobody"), listed(2)),
			},
			[]string{
				"No one is left who can create bots of any kind and invite people by email.",
				"Can no longer create bots of any kind and invite people by email: Cem (u3@example.com).",
				"Can now add custom emoji: Bea (u2@example.com).",
			},
		},
		"not known": {
			[]permission.OrganizationChange{unknown},
			[]string{"Not known yet: who gains and who loses that they can create user groups."},
		},
	} {
		if got := (permission.Report{Self: 4}).Organization(access, access, test.changes); got != strings.Join(test.want, "\n") {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, strings.Join(test.want, "\n"))
		}
	}
}

// A server publishes whether guests can have a permission. A newer server may differ from this table.
func TestReport_OrganizationGuests_ByServerRules(t *testing.T) {
	_, facts := team(t)
	facts.Realm.SupportedPermissions = map[string]map[string]zulip.SupportedPermission{"realm": {"can_resolve_topics_group": {}}}
	i := slices.IndexFunc(permission.RealmSettings, func(s permission.Spec) bool { return s.Name == "can_resolve_topics_group" })
	change := permission.OrganizationChange{Setting: permission.RealmSettings[i], After: zulip.GroupSettingValue{DirectMembers: []int64{5}}}
	access := permission.NewAccess(facts)
	if got := (permission.Report{}).Organization(access, access, []permission.OrganizationChange{change}); got != "" {
		t.Errorf("said %q", got)
	}
}

// organization is an organization with linear search.
type organization struct {
	groups  []*zulip.UserGroup
	users   []*zulip.User
	planned []permission.Principal
}

func (o *organization) UserGroup(id int64) (*zulip.UserGroup, bool) {
	return first(o.groups, func(g *zulip.UserGroup) bool { return g.ID == id })
}

func (o *organization) UserGroupByName(name string) (*zulip.UserGroup, bool) {
	return first(o.groups, func(g *zulip.UserGroup) bool { return g.Name == name })
}

func (o *organization) User(id int64) (*zulip.User, bool) {
	return first(o.users, func(u *zulip.User) bool { return u.ID == id })
}

func (o *organization) UserByAddress(address string) (*zulip.User, bool) {
	return first(o.users, func(u *zulip.User) bool { return strings.EqualFold(u.Address(), address) })
}

func (o *organization) IsPlanned(p permission.Principal) bool { return slices.Contains(o.planned, p) }

func (o *organization) Reassigned(permission.Principal) (int64, bool) { return 0, false }

func (o *organization) HiddenUser(string) (*zulip.User, bool) { return nil, false }

func (o *organization) Nearest(permission.Principal) []permission.Principal {
	return []permission.Principal{{Kind: permission.KindGroup, Name: "near"}}
}

func first[T any](all []*T, match func(*T) bool) (*T, bool) {
	for _, one := range all {
		if match(one) {
			return one, true
		}
	}
	return nil, false
}

var roles = []string{"nobody", "owners", "administrators", "moderators", "fullmembers", "members", "everyone", "internet"}

// drawOrganization draws people and groups; every organization has the roles. Groups contain only groups before them,
// so there are no cycles, as on a server.
func drawOrganization(t *rapid.T) *organization {
	o := &organization{}
	for i := range rapid.IntRange(1, 8).Draw(t, "people") {
		address := fmt.Sprintf("person%d@example.com", i)
		o.users = append(o.users, &zulip.User{
			ID: int64(100 + i), Email: address, DeliveryEmail: &address, Role: zulip.RoleMember,
			IsActive: rapid.Float64().Draw(t, "activity") > 0.2,
		})
	}
	for i, role := range roles {
		o.groups = append(o.groups, &zulip.UserGroup{ID: int64(10 + i), Name: "role:" + role, IsSystemGroup: true, Members: drawIDs(t, o.activeIDs())})
	}
	o.groups[0].Members = nil
	for i := range rapid.IntRange(0, 6).Draw(t, "groups") {
		group := &zulip.UserGroup{ID: int64(50 + i), Name: fmt.Sprintf("group %d", i), Members: drawIDs(t, o.activeIDs())}
		for _, earlier := range o.groups {
			if rapid.Float64().Draw(t, "nesting") < 0.15 {
				group.DirectSubgroupIDs = append(group.DirectSubgroupIDs, earlier.ID)
			}
		}
		o.groups = append(o.groups, group)
	}
	return o
}

func (o *organization) activeIDs() (ids []int64) {
	for _, user := range o.users {
		if user.IsActive {
			ids = append(ids, user.ID)
		}
	}
	return ids
}

func (o *organization) groupIDs() (ids []int64) {
	for _, group := range o.groups {
		if group.Name != "role:nobody" {
			ids = append(ids, group.ID)
		}
	}
	return ids
}

// drawIDs draws some of the IDs, in any order and with repetition, like a user's list.
func drawIDs(t *rapid.T, from []int64) []int64 {
	if len(from) == 0 {
		return nil
	}
	return rapid.SliceOfN(rapid.SampledFrom(from), 0, 5).Draw(t, "ids")
}

// drawValue draws a group-setting value in any form that the API can have.
func drawValue(t *rapid.T, o *organization) zulip.GroupSettingValue {
	if rapid.Bool().Draw(t, "named") {
		return zulip.NamedGroup(rapid.SampledFrom(o.groups).Draw(t, "group").ID)
	}
	return zulip.GroupSettingValue{DirectMembers: drawIDs(t, o.activeIDs()), DirectSubgroups: drawIDs(t, o.groupIDs())}
}
