package permission_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// named gives drawn people emails, by which principals name them.
func named(facts permission.AccessInput) permission.AccessInput {
	for _, user := range facts.Users {
		user.Email = fmt.Sprintf("person%d@example.com", user.ID)
	}
	return facts
}

// A person has the permissions that [permission.Access.Can] computes for everyone, and a principal grants each permission.
func TestLawPerson_ChannelPermissions_MatchAccess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		facts := named(drawFacts(t))
		access, channel := permission.NewAccess(facts), drawChannel(t, facts)
		if rapid.IntRange(0, 3).Draw(t, "subscribers are unknown") == 0 {
			channel.Subscribers, channel.SubscribersKnown = nil, false
		}
		if rapid.IntRange(0, 3).Draw(t, "the server is old") == 0 {
			delete(channel.Permissions, string(permission.CanCreateTopic))
		}
		type answer struct {
			who     permission.People
			certain bool
		}
		answers := map[permission.ChannelPermission]answer{}
		for _, name := range permission.ChannelPermissions {
			who, certain := access.Can(name, channel)
			answers[name] = answer{who, certain}
		}
		for _, user := range facts.Users {
			found := access.Person(user).In(channel)
			for _, name := range permission.ChannelPermissions {
				who, certain := answers[name].who, answers[name].certain
				at := slices.IndexFunc(found.Permissions, func(granted permission.GrantedPermission) bool { return granted.Permission == name })
				unknown := slices.Contains(found.Unknown, name)
				if has := at >= 0; has != who.Has(user.ID) || unknown && (has || certain) {
					t.Fatalf("%d, %s: has it: %t, unknown: %t; access says %t, certain: %t", user.ID, name, has, unknown, who.Has(user.ID), certain)
				}
				if at >= 0 {
					requireGrants(t, facts, user, &channel, found.Permissions[at])
				}
			}
			if answers[permission.CanAddSubscribers].who.Has(user.ID) && len(found.Through) == 0 {
				t.Fatalf("%d adds subscribers without access to the channel", user.ID)
			}
		}
	})
}

// The organization permissions of a person match the people that a comparison counts.
func TestLawPerson_OrganizationPermissions_MatchAccess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		facts := named(drawFacts(t))
		access := permission.NewAccess(facts)
		for _, user := range facts.Users {
			names := access.Person(user).OrganizationPermissions()
			for _, setting := range permission.Organizations.Settings {
				who := access.Admitted(permission.Organizations, setting, facts.Realm.Permissions[setting.Name])
				if slices.Contains(names, setting.Name) != who.Has(user.ID) {
					t.Fatalf("%d, %s: in %v, and among those who have it: %t", user.ID, setting.Name, names, who.Has(user.ID))
				}
			}
		}
	})
}

// requireGrants checks that each permission is granted by a principal of the named permission that contains the user or
// the owner of the bot.
func requireGrants(t *rapid.T, facts permission.AccessInput, user *zulip.User, channel *permission.Channel, granted permission.GrantedPermission) {
	if len(granted.Through) == 0 {
		t.Fatalf("%d: nothing grants %s", user.ID, granted.Permission)
	}
	for i, text := range granted.Through {
		if slices.Contains(granted.Through[:i], text) {
			t.Fatalf("%d, %s: %q twice", user.ID, granted.Permission, text)
		}
		who, rest := user, text
		if below, ok := strings.CutPrefix(rest, "owner of the bot: "); ok {
			rest, who = below, oracle{facts}.ownerOf(user)
		}
		value := channel.Permissions[string(granted.Permission)]
		if setting, below, ok := strings.Cut(rest, "_group: "); ok {
			rest, value = below, channel.Permissions[setting+"_group"]
			if realm, ok := strings.CutPrefix(setting, "organization's "); ok {
				value = facts.Realm.Permissions[realm+"_group"]
			}
		}
		var isTrue bool
		switch rest {
		case "subscriber":
			isTrue = isIn(who, channel)
		case "public channel":
			isTrue = channel.Privacy == zulip.PrivacyPublic || channel.Privacy == zulip.PrivacyWebPublic
		case "web-public channel":
			isTrue = channel.Privacy == zulip.PrivacyWebPublic
		case "administrator of the organization":
			isTrue = who.Role <= zulip.RoleAdministrator
		default:
			isTrue = leadsTo(facts, value, rest, who)
		}
		if !isTrue {
			t.Fatalf("%d: %s is not granted by %q", user.ID, granted.Permission, text)
		}
	}
}

// leadsTo reports whether a path begins in a value, each group of it is in the one before, and the last contains the user.
func leadsTo(facts permission.AccessInput, value zulip.GroupSettingValue, path string, user *zulip.User) bool {
	if path == "user:"+user.Address() {
		return slices.Contains(value.DirectMembers, user.ID)
	}
	inside := value.DirectSubgroups
	if value.IsNamed() {
		inside = []int64{value.Group}
	}
	var last *zulip.UserGroup
	for name := range strings.SplitSeq(path, " > ") {
		group, ok := first(facts.Groups, func(group *zulip.UserGroup) bool {
			return group.Name == strings.TrimPrefix(name, "group:") && slices.Contains(inside, group.ID)
		})
		if !ok || last != nil && last.IsSystemGroup {
			return false
		}
		inside, last = group.DirectSubgroupIDs, group
	}
	return slices.Contains(last.Members, user.ID) || last.IsSystemGroup && oracle{facts}.holds(zulip.NamedGroup(last.ID), user)
}

func TestPersonGroups(t *testing.T) {
	lena := &zulip.User{ID: 1, Role: zulip.RoleMember, IsActive: true, Email: "lena@example.com"}
	gone := &zulip.User{ID: 2, Role: zulip.RoleMember, Email: "gone@example.com"}
	facts := permission.AccessInput{Users: []*zulip.User{lena, gone}, Groups: []*zulip.UserGroup{
		{ID: 11, Name: "role:everyone", IsSystemGroup: true, DirectSubgroupIDs: []int64{12}},
		{ID: 12, Name: "role:members", IsSystemGroup: true, Members: []int64{1}},
		{ID: 21, Name: "staff", DirectSubgroupIDs: []int64{12}},
		{ID: 22, Name: "sre", Members: []int64{1, 2}},
		{ID: 23, Name: "leads", DirectSubgroupIDs: []int64{22, 25}},
		{ID: 24, Name: "all", DirectSubgroupIDs: []int64{23, 22}},
		{ID: 25, Name: "old", Members: []int64{1}, Deactivated: true},
		{ID: 26, Name: "others"},
	}}
	access := permission.NewAccess(facts)
	got := access.Person(lena).Groups()
	want := map[int64]string{
		11: "role:everyone", 12: "role:members", 21: "group:staff > role:members", 22: "group:sre",
		23: "group:leads > group:sre", 24: "group:all > group:sre",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("Lena is in %v, not %v", got, want)
	}
	if got := access.Person(gone).Groups(); len(got) > 0 {
		t.Errorf("a deactivated user is in %v", got)
	}
}

// manyChannels are channels of an organization, each with every fifth person in it.
func manyChannels(facts permission.AccessInput, count int) []permission.Channel {
	var some []int64
	for i, user := range facts.Users {
		if i%5 == 0 {
			some = append(some, user.ID)
		}
	}
	channels := make([]permission.Channel, count)
	for i := range channels {
		channels[i] = but(open(zulip.Privacies[i%len(zulip.Privacies)], some...), permission.CanSendMessage, zulip.NamedGroup(int64(100+i%200)))
	}
	return channels
}

func BenchmarkPersonInManyChannels(b *testing.B) {
	facts := largeFacts(5_000, 200)
	access, channels := permission.NewAccess(facts), manyChannels(facts, 2_000)
	b.ReportAllocs()
	for b.Loop() {
		person := access.Person(facts.Users[4_321])
		for _, channel := range channels {
			person.In(channel)
		}
	}
}

func TestPerson_TwoThousandChannels_Fast(t *testing.T) {
	facts := largeFacts(5_000, 200)
	access, channels := permission.NewAccess(facts), manyChannels(facts, 2_000)
	began := time.Now()
	person := access.Person(facts.Users[4_321])
	for _, channel := range channels {
		person.In(channel)
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("took %s, and may take 1 s", took)
	}
}

const waitingPeriod = 10 // days

// isFullMember decides it only by the date, as the server does daily.
func isFullMember(user *zulip.User) bool { return hasWaited(user, waitingPeriod) }

func hasWaited(user *zulip.User, days int) bool {
	joined, err := time.Parse("2006-01-02T15:04-07:00", user.DateJoined)
	return err == nil && !joined.After(noon.AddDate(0, 0, -days))
}

// systemGroups are the groups of the roles, with their chain, as a server shows them.
func systemGroups(users []*zulip.User, isFull func(*zulip.User) bool) []*zulip.UserGroup {
	groups := make([]*zulip.UserGroup, len(roles))
	for i, name := range roles {
		groups[i] = &zulip.UserGroup{ID: int64(10 + i), Name: "role:" + name, IsSystemGroup: true}
		if i > 1 { // role:nobody is separate, and owners have no subgroup
			groups[i].DirectSubgroupIDs = []int64{int64(9 + i)}
		}
	}
	place := map[zulip.Role]int{
		zulip.RoleOwner: 1, zulip.RoleAdministrator: 2, zulip.RoleModerator: 3, zulip.RoleMember: 5, zulip.RoleGuest: 6,
	}
	for _, user := range users {
		if !user.IsActive {
			continue
		}
		group := groups[place[user.Role]]
		group.Members = append(group.Members, user.ID)
		if user.Role == zulip.RoleMember && isFull(user) {
			groups[4].Members = append(groups[4].Members, user.ID)
		}
	}
	return groups
}

// drawFacts draws an organization: people and bots of every role, some deactivated, and groups in groups.
func drawFacts(t *rapid.T) permission.AccessInput {
	facts := permission.AccessInput{Realm: &zulip.Realm{WaitingPeriodThreshold: waitingPeriod, Permissions: map[string]zulip.GroupSettingValue{}}}
	for i := range rapid.IntRange(1, 90).Draw(t, "people") {
		user := &zulip.User{
			ID: int64(1000 - 3*i), Role: rapid.SampledFrom(allRoles).Draw(t, "role"),
			IsActive:   rapid.IntRange(0, 5).Draw(t, "activity") > 0,
			DateJoined: noon.AddDate(0, 0, -rapid.IntRange(0, 20).Draw(t, "age")).Format("2006-01-02T15:04-07:00"),
		}
		if i > 0 && rapid.IntRange(0, 2).Draw(t, "bot") == 0 {
			owner := rapid.SampledFrom(facts.Users).Draw(t, "owner")
			if !owner.IsBot { // only people own bots, which are deactivated with their owner
				kind := rapid.Int64Range(1, 4).Draw(t, "bot type")
				user.IsBot, user.BotOwnerID, user.BotType = true, &owner.ID, &kind
				user.IsActive = user.IsActive && owner.IsActive
			}
		}
		facts.Users = append(facts.Users, user)
	}
	facts.Users = append(facts.Users, &zulip.User{ID: 1, Role: zulip.RoleMember, IsActive: true, IsBot: true, IsSystemBot: true})
	facts.Groups = systemGroups(facts.Users[:len(facts.Users)-1], isFullMember)
	for i := range rapid.IntRange(0, 12).Draw(t, "groups") {
		group := &zulip.UserGroup{ID: int64(50 + i), Name: fmt.Sprintf("group %d", i), Members: drawPeople(t, facts)}
		for _, earlier := range facts.Groups {
			if rapid.IntRange(0, 7).Draw(t, "nesting") == 0 {
				group.DirectSubgroupIDs = append(group.DirectSubgroupIDs, earlier.ID)
			}
		}
		facts.Groups = append(facts.Groups, group)
	}
	for _, setting := range []string{
		"can_add_subscribers_group", "can_delete_any_message_group", "can_delete_own_message_group",
		"can_move_messages_between_channels_group", "can_move_messages_between_topics_group", "can_resolve_topics_group",
	} {
		facts.Realm.Permissions[setting] = drawValueOf(t, facts)
	}
	return facts
}

func drawPeople(t *rapid.T, facts permission.AccessInput) (ids []int64) {
	for range rapid.IntRange(0, 4).Draw(t, "members") {
		ids = append(ids, rapid.SampledFrom(facts.Users).Draw(t, "member").ID)
	}
	return ids
}

func drawValueOf(t *rapid.T, facts permission.AccessInput) zulip.GroupSettingValue {
	group := func() int64 { return rapid.SampledFrom(facts.Groups).Draw(t, "group").ID }
	switch rapid.IntRange(0, 3).Draw(t, "kind of value") {
	case 0:
		return zulip.NamedGroup(nobody)
	case 1:
		return zulip.NamedGroup(group())
	default:
		value := zulip.GroupSettingValue{DirectMembers: drawPeople(t, facts)}
		if rapid.Bool().Draw(t, "with group") {
			value.DirectSubgroups = []int64{group()}
		}
		return value
	}
}

func drawChannel(t *rapid.T, facts permission.AccessInput) permission.Channel {
	channel := permission.Channel{
		Privacy: rapid.SampledFrom(zulip.Privacies).Draw(t, "privacy"), IsArchived: rapid.IntRange(0, 9).Draw(t, "archived") == 0,
		Permissions: map[string]zulip.GroupSettingValue{}, SubscribersKnown: true,
		TopicsPolicy: rapid.SampledFrom([]string{"", "inherit", "allow_empty_topic", "disable_empty_topic", "empty_topic_only"}).Draw(t, "topics policy"),
	}
	for _, setting := range permission.ChannelSettings {
		channel.Permissions[setting.Name] = drawValueOf(t, facts)
	}
	for _, user := range facts.Users {
		if rapid.IntRange(0, 2).Draw(t, "subscribed") == 0 {
			channel.Subscribers = append(channel.Subscribers, user.ID)
		}
	}
	return channel
}
