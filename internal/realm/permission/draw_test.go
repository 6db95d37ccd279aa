package permission_test

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

const waitingPeriod = 10 // days

// isFullMember decides it by the date alone, as the server does daily.
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
		if i > 1 { // nobody is by itself, and nothing is below owners
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
			if !owner.IsBot { // only people own bots, and who is deactivated takes them along
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
