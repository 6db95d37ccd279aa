package permission_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// oracle decides for one person at a time, in the order of the server's checks, by linear search. Tests compare
// effective access with it.
type oracle struct{ facts permission.AccessInput }

func (o oracle) can(name permission.ChannelPermission, channel *permission.Channel) (ids []int64) {
	for _, user := range o.facts.Users {
		if user.IsActive && !user.IsSystemBot && o.mayDo(user, name, channel) {
			ids = append(ids, user.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

func (o oracle) mayDo(user *zulip.User, name permission.ChannelPermission, channel *permission.Channel) bool {
	named := o.holds(channel.Permissions[string(name)], user)
	if isWebhook(user) && name != permission.CanSendMessage && name != permission.CanCreateTopic {
		return false
	}
	if onlyEmpty := channel.TopicsPolicy == "empty_topic_only"; onlyEmpty && slices.Contains(aboutTopics, name) {
		return false
	}
	switch name {
	case permission.CanRead:
		return o.sees(user, channel) && (channel.Privacy != zulip.PrivacyPrivateProtectedHistory || isIn(user, channel))
	case permission.CanAdministerChannel:
		return o.administers(user, channel)
	case permission.CanSubscribe:
		return !isGuest(user) && o.sees(user, without(channel, user))
	case permission.CanAddSubscribers:
		if isGuest(user) || !o.sees(user, channel) {
			return false
		}
		return o.hasInOrganization(user, "can_add_subscribers_group") || o.administers(user, channel) || named
	case permission.CanRemoveSubscribers:
		if o.administers(user, channel) {
			return true
		}
		return !isGuest(user) && o.knows(user, channel) && named
	case permission.CanSendMessage:
		return o.sends(user, channel)
	case permission.CanCreateTopic:
		return o.sends(user, channel) && (named || o.ownerHolds(user, channel.Permissions[string(name)]))
	}
	if channel.IsArchived || !o.sees(user, channel) || isGuest(user) && !isIn(user, channel) {
		return false
	}
	isOwn := name == permission.CanDeleteOwnMessage
	if !isOwn && channel.Privacy == zulip.PrivacyPrivateProtectedHistory && !isIn(user, channel) {
		return false
	}
	switch name {
	case permission.CanDeleteAnyMessage:
		return o.hasInOrganization(user, "can_delete_any_message_group") || named
	case permission.CanDeleteOwnMessage:
		return o.hasInOrganization(user, "can_delete_any_message_group") || o.holds(channel.Permissions["can_delete_any_message_group"], user) ||
			o.hasInOrganization(user, "can_delete_own_message_group") || named
	case permission.CanMoveMessagesOutOfChannel:
		return o.hasInOrganization(user, "can_move_messages_between_channels_group") || o.administers(user, channel) || named
	case permission.CanMoveMessagesWithinChannel:
		return o.hasInOrganization(user, "can_move_messages_between_topics_group") || o.administers(user, channel) || named
	case permission.CanResolveTopics:
		return o.hasInOrganization(user, "can_resolve_topics_group") || named
	}
	panic(name)
}

func (o oracle) sends(user *zulip.User, channel *permission.Channel) bool {
	value := channel.Permissions["can_send_message_group"]
	if !o.holds(value, user) && !o.ownerHolds(user, value) || channel.IsArchived {
		return false
	}
	switch {
	case channel.Privacy == zulip.PrivacyWebPublic:
		return true
	case !channel.Privacy.IsPrivate() && !isGuest(user):
		return true
	case isIn(user, channel):
		return true
	}
	if owner := o.ownerOf(user); owner != nil && isIn(owner, channel) {
		return true
	}
	if channel.Privacy == zulip.PrivacyPrivateSharedHistory {
		return o.isOpenedTo(user, channel)
	}
	return false
}

func (o oracle) administers(user *zulip.User, channel *permission.Channel) bool {
	if user.Role == zulip.RoleOwner || user.Role == zulip.RoleAdministrator {
		return true
	}
	return !isGuest(user) && o.holds(channel.Permissions["can_administer_channel_group"], user)
}

// sees reports whether the server shows the channel's metadata to a user.
func (o oracle) sees(user *zulip.User, channel *permission.Channel) bool {
	switch {
	case channel.Privacy == zulip.PrivacyWebPublic, isIn(user, channel):
		return true
	case isGuest(user):
		return false
	}
	return channel.Privacy == zulip.PrivacyPublic || o.isOpenedTo(user, channel)
}

func (o oracle) knows(user *zulip.User, channel *permission.Channel) bool {
	return o.sees(user, channel) || o.administers(user, channel)
}

func (o oracle) isOpenedTo(user *zulip.User, channel *permission.Channel) bool {
	return !isGuest(user) &&
		(o.holds(channel.Permissions["can_subscribe_group"], user) || o.holds(channel.Permissions["can_add_subscribers_group"], user))
}

func (o oracle) hasInOrganization(user *zulip.User, setting string) bool {
	guestsToo := slices.Contains([]string{"can_delete_own_message_group", "can_move_messages_between_topics_group", "can_resolve_topics_group"}, setting)
	return (guestsToo || !isGuest(user)) && o.holds(o.facts.Realm.Permissions[setting], user)
}

func (o oracle) holds(value zulip.GroupSettingValue, user *zulip.User) bool {
	if !user.IsActive {
		return false
	}
	if slices.Contains(value.DirectMembers, user.ID) {
		return true
	}
	return slices.ContainsFunc(append(slices.Clone(value.DirectSubgroups), value.Group), func(id int64) bool {
		return slices.ContainsFunc(o.facts.Groups, func(group *zulip.UserGroup) bool {
			return group.ID == id && o.holds(zulip.GroupSettingValue{DirectMembers: group.Members, DirectSubgroups: group.DirectSubgroupIDs}, user)
		})
	})
}

func (o oracle) ownerHolds(user *zulip.User, value zulip.GroupSettingValue) bool {
	owner := o.ownerOf(user)
	return owner != nil && o.holds(value, owner)
}

func (o oracle) ownerOf(user *zulip.User) *zulip.User {
	if !user.IsBot || user.BotOwnerID == nil {
		return nil
	}
	owner, _ := first(o.facts.Users, func(u *zulip.User) bool { return u.ID == *user.BotOwnerID && u.IsActive })
	return owner
}

// aboutTopics are the permissions to create and move named topics.
var aboutTopics = []permission.ChannelPermission{permission.CanCreateTopic, permission.CanMoveMessagesWithinChannel, permission.CanResolveTopics}

func isWebhook(user *zulip.User) bool { return user.IsBot && user.BotType != nil && *user.BotType == 2 }

func isGuest(user *zulip.User) bool { return user.Role == zulip.RoleGuest }

func isIn(user *zulip.User, channel *permission.Channel) bool {
	return user.IsActive && slices.Contains(channel.Subscribers, user.ID)
}

// without returns the channel after a user has left it.
func without(channel *permission.Channel, user *zulip.User) *permission.Channel {
	left := *channel
	left.Subscribers = slices.DeleteFunc(slices.Clone(channel.Subscribers), func(id int64) bool { return id == user.ID })
	return &left
}

// permissionRules are the rules of a permission in the tables of the provider and the sandbox, in the sandbox's form.
type permissionRules struct {
	Since                                                  int
	AllowInternet, AllowNobody, AllowEveryone, RequireRole bool
	OwnerOnly, Unwritable                                  bool
	Roles, Default                                         string
}

// The provider and the sandbox share no type, so that both cannot have the same mistake. Up to the recorded level, a
// real server shows which is wrong. Above it, only the two tables are compared.
func TestTables_Sandbox_SameRules(t *testing.T) {
	for _, tables := range []struct {
		provider permission.Table
		sandbox  []rules.Permission
		creator  string
	}{
		{permission.Channels, rules.ChannelPermissions, "the channel's creator"},
		{permission.UserGroups, rules.GroupPermissions, "the group's creator"},
		{permission.Organizations, rules.RealmPermissions, ""},
	} {
		sandbox := map[string]permissionRules{}
		for _, p := range tables.sandbox {
			sandbox[p.Name] = ofSandbox(p, tables.creator)
		}
		for i, setting := range tables.provider.All() {
			other, there := sandbox[setting.Name]
			if !there {
				t.Errorf("%s of a %s: the sandbox does not have it", setting.Name, tables.provider.Noun)
				continue
			}
			delete(sandbox, setting.Name)
			if mine := ofProvider(setting, i >= len(tables.provider.Settings)); mine != other {
				t.Errorf("%s of a %s:\nthe provider says %+v\nthe sandbox says  %+v", setting.Name, tables.provider.Noun, mine, other)
			}
		}
		for name := range sandbox {
			t.Errorf("%s of a %s: only the sandbox has it", name, tables.provider.Noun)
		}
	}
}

func ofProvider(s permission.Spec, isShown bool) permissionRules {
	by := s.SupportedBy()
	return permissionRules{
		// Below the oldest supported level, some permissions had another form, which the sandbox also has.
		Since:         max(s.FeatureLevel, featurelevel.Oldest),
		AllowInternet: by.AllowInternetGroup, AllowNobody: by.AllowNobodyGroup, AllowEveryone: by.AllowEveryoneGroup, RequireRole: by.RequireSystemGroup,
		OwnerOnly: s.OwnersOnly, Unwritable: isShown,
		Roles: sorted(by.AllowedSystemGroups), Default: s.Default,
	}
}

func ofSandbox(p rules.Permission, creator string) permissionRules {
	byDefault := p.Default
	if byDefault == rules.Creator {
		byDefault = cmp.Or(creator, rules.Creator)
	}
	return permissionRules{
		Since:         max(p.Since, featurelevel.Oldest),
		AllowInternet: p.AllowInternet, AllowNobody: p.AllowNobody, AllowEveryone: p.AllowEveryone, RequireRole: p.RequireSystem,
		OwnerOnly: p.OwnerOnly, Unwritable: p.Unwritable,
		Roles: sorted(p.AllowedSystem), Default: byDefault,
	}
}

// sorted returns names as one text, independent of their order.
func sorted(names []string) (text string) {
	for _, name := range slices.Sorted(slices.Values(names)) {
		text += name + " "
	}
	return text
}

// The server applies the permissions of a channel one by one, in an order that both tables must have (server-behavior
// §C10).
func TestChannelPermissions_Sandbox_SameOrder(t *testing.T) {
	var mine, others []string
	for _, setting := range permission.ChannelSettings {
		mine = append(mine, setting.Name)
	}
	for _, p := range rules.ChannelPermissions {
		others = append(others, p.Name)
	}
	if !slices.Equal(mine, others) {
		t.Errorf("the provider's order is\n%q\nthe sandbox's\n%q", mine, others)
	}
}

// The server refuses a guest's request to leave a group, whatever the value is. Mentioning a group requires no such
// request.
func TestGuest_LeavingGroup_NotAdmitted(t *testing.T) {
	const member, guest = 1, 2
	access := permission.NewAccess(permission.AccessInput{Users: []*zulip.User{
		{ID: member, Role: zulip.RoleMember, IsActive: true}, {ID: guest, Role: zulip.RoleGuest, IsActive: true},
	}})
	for _, setting := range permission.UserGroupSettings {
		who := access.Admitted(permission.UserGroups, setting, zulip.GroupSettingValue{DirectMembers: []int64{member, guest}})
		if !who.Has(member) || who.Has(guest) != (setting.Name == "can_mention_group") {
			t.Errorf("%s: the guest has it: %t", setting.Name, who.Has(guest))
		}
	}
}

// largeFacts is an organization with nested groups, ten deep, of 100 direct members each; one person in 50 is a guest,
// one in 20 a bot.
func largeFacts(people, groups int) permission.AccessInput {
	facts := permission.AccessInput{Realm: &zulip.Realm{Permissions: map[string]zulip.GroupSettingValue{}}}
	for i := range people {
		user := &zulip.User{
			ID: int64(i + 1), Role: zulip.RoleMember, IsActive: true,
			FullName: fmt.Sprintf("Person %d", i), Email: fmt.Sprintf("person%d@example.com", i),
		}
		switch {
		case i < 10:
			user.Role = zulip.RoleOwner
		case i%50 == 0:
			user.Role = zulip.RoleGuest
		case i%20 == 0:
			owner := int64(i - 1)
			user.IsBot, user.BotOwnerID = true, &owner
		}
		facts.Users = append(facts.Users, user)
	}
	facts.Groups = systemGroups(facts.Users, func(*zulip.User) bool { return true })
	for i := range groups {
		group := &zulip.UserGroup{ID: int64(100 + i), Name: fmt.Sprintf("group %d", i)}
		for member := range 100 {
			group.Members = append(group.Members, int64((i*37+member*11)%people+1))
		}
		if i%10 > 0 {
			group.DirectSubgroupIDs = []int64{group.ID - 1}
		}
		facts.Groups = append(facts.Groups, group)
	}
	return facts
}

func BenchmarkNewAccess(b *testing.B) {
	for _, size := range []struct{ people, groups int }{{5_000, 200}, {50_000, 2_000}} {
		facts := largeFacts(size.people, size.groups)
		b.Run(fmt.Sprintf("%d people, %d groups", size.people, size.groups), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				permission.NewAccess(facts)
			}
		})
	}
}

func BenchmarkAccess_Channel_AllPermissions(b *testing.B) {
	access := permission.NewAccess(largeFacts(50_000, 2_000))
	channel := but(open(zulip.PrivacyPrivateSharedHistory, 1, 2, 3), permission.CanSendMessage, zulip.NamedGroup(2_000))
	b.ReportAllocs()
	for b.Loop() {
		for _, name := range permission.ChannelPermissions {
			access.Can(name, channel)
		}
	}
}

// BenchmarkReview is the review of a plan of 1,000 changed channels in an organization of 5,000 people.
func BenchmarkReview(b *testing.B) {
	facts := largeFacts(5_000, 200)
	for b.Loop() {
		review(permission.NewAccess(facts), 1_000)
	}
}

func review(access *permission.Access, channels int) (effects int) {
	for i := range channels {
		privacy := zulip.Privacies[i%len(zulip.Privacies)]
		before := open(privacy, int64(i+1), int64(i+2))
		after := but(before, permission.CanSendMessage, zulip.NamedGroup(int64(100+i%200)))
		after = but(after, permission.CanAdministerChannel, zulip.GroupSettingValue{DirectMembers: []int64{int64(i + 7)}})
		effects += len(permission.Compare(permission.ChannelState{Access: access, Channel: before}, permission.ChannelState{Access: access, Channel: after}))
	}
	return effects
}

func TestReview_ThousandChannels_Fast(t *testing.T) {
	facts := largeFacts(5_000, 200)
	began := time.Now()
	if effects := review(permission.NewAccess(facts), 1_000); effects < 1_000 {
		t.Errorf("%d effects", effects)
	}
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("took %s, and may take 3 s", took)
	}
}
