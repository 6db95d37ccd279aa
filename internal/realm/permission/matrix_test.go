package permission_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// matrix has the accounts that a real server allowed to use a permission, for permissions, kinds of channel and values.
type matrix struct {
	Accounts map[string]struct {
		Role  zulip.Role `json:"role"`
		IsBot bool       `json:"is_bot"`
	} `json:"accounts"`
	Groups               map[string][]string `json:"groups"`
	OrganizationSettings map[string]string   `json:"organization_settings"`
	Rows                 []matrixRow         `json:"rows"`
}

type matrixRow struct {
	Setting    string            `json:"setting"`
	Privacy    zulip.Privacy     `json:"privacy"`
	Subscribed bool              `json:"subscribed"`
	Value      []string          `json:"value"`
	Allowed    []string          `json:"allowed"`
	Refusals   map[string]string `json:"refusals"`
}

// tried are the accounts that made the attempts.
func (r *matrixRow) tried(account string) bool {
	_, refused := r.Refusals[account]
	return refused || slices.Contains(r.Allowed, account)
}

// recordedOrganization is the organization in which the rows were tried.
type recordedOrganization struct {
	facts    permission.AccessInput
	accounts map[string]int64
	groups   map[string]int64
}

func newRecordedOrganization(m *matrix) *recordedOrganization {
	o := &recordedOrganization{accounts: map[string]int64{}, groups: map[string]int64{}}
	for i, account := range slices.Sorted(maps.Keys(m.Accounts)) {
		o.accounts[account] = int64(i + 1)
	}
	admin := o.accounts["admin"]
	for account, id := range o.accounts {
		user := &zulip.User{ID: id, Email: account, Role: m.Accounts[account].Role, IsActive: true, IsBot: m.Accounts[account].IsBot}
		if user.IsBot {
			user.BotOwnerID = &admin
		}
		o.facts.Users = append(o.facts.Users, user)
	}
	o.facts.Groups = systemGroups(o.facts.Users, func(*zulip.User) bool { return true })
	for _, group := range o.facts.Groups {
		o.groups[group.Name] = group.ID
	}
	for i, name := range slices.Sorted(maps.Keys(m.Groups)) {
		o.groups[name] = int64(100 + i)
	}
	for name, principals := range m.Groups {
		value := o.value(principals)
		if value.IsNamed() {
			value = zulip.GroupSettingValue{DirectSubgroups: []int64{value.Group}}
		}
		o.facts.Groups = append(o.facts.Groups, &zulip.UserGroup{
			ID: o.groups[name], Name: name, Members: value.DirectMembers, DirectSubgroupIDs: value.DirectSubgroups,
		})
	}
	o.facts.Realm = &zulip.Realm{Permissions: map[string]zulip.GroupSettingValue{}}
	for setting, principal := range m.OrganizationSettings {
		o.facts.Realm.Permissions[setting] = o.value([]string{principal})
	}
	return o
}

// value returns the group-setting value of principals in the form of the matrix.
func (o *recordedOrganization) value(principals []string) zulip.GroupSettingValue {
	var value zulip.GroupSettingValue
	for _, principal := range principals {
		switch kind, name, _ := strings.Cut(principal, ":"); kind {
		case "user":
			value.DirectMembers = append(value.DirectMembers, o.accounts[name])
		case "group":
			value.DirectSubgroups = append(value.DirectSubgroups, o.groups[name])
		default:
			value.DirectSubgroups = append(value.DirectSubgroups, o.groups[principal])
		}
	}
	return permission.Canonical(value, o.groups["role:nobody"])
}

// channel returns the channel of a row during the attempts.
func (o *recordedOrganization) channel(row *matrixRow) permission.Channel {
	channel := permission.Channel{Privacy: row.Privacy, SubscribersKnown: true, Permissions: map[string]zulip.GroupSettingValue{}}
	for _, setting := range permission.ChannelSettings {
		channel.Permissions[setting.Name] = zulip.NamedGroup(o.groups["role:nobody"])
	}
	everyone := zulip.NamedGroup(o.groups["role:everyone"])
	channel.Permissions["can_send_message_group"], channel.Permissions["can_create_topic_group"] = everyone, everyone
	// In the attempts of the three permissions over subscribers, no one administered the channel.
	if !strings.Contains(row.Setting, "subscribe") {
		channel.Permissions["can_administer_channel_group"] = zulip.GroupSettingValue{DirectMembers: []int64{o.accounts["owner"]}}
	}
	channel.Permissions[row.Setting] = o.value(row.Value)
	channel.Subscribers = []int64{o.accounts["owner"]}
	if row.Subscribed {
		channel.Subscribers = slices.Collect(maps.Values(o.accounts))
	}
	if row.Setting == "can_remove_subscribers_group" {
		// The account that the others tried to remove was subscribed before each attempt. It was still subscribed
		// during its own attempt, because no one before could remove it.
		channel.Subscribers = append(channel.Subscribers, o.accounts["member"])
	}
	return channel
}

func TestConformanceEffectiveAccess(t *testing.T) {
	data, err := os.ReadFile("testdata/access/matrix.json")
	requireNoError(t, err)
	var m matrix
	requireNoError(t, json.Unmarshal(data, &m))
	o := newRecordedOrganization(&m)
	access := permission.NewAccess(o.facts)
	alike := 0
	for i, row := range m.Rows {
		who, certain := access.Can(permission.ChannelPermission(row.Setting), o.channel(&row))
		var can []string
		for user := range who.All() {
			if row.tried(user.Email) {
				can = append(can, user.Email)
			}
		}
		want := slices.Sorted(slices.Values(row.Allowed))
		if slices.Sort(can); !slices.Equal(can, want) || !certain {
			t.Errorf("[%d] %s, %s, subscribed %t, %v: %v (certain: %t), the server let %v", i, row.Setting, row.Privacy, row.Subscribed, row.Value, can, certain, want)
			continue
		}
		alike++
	}
	fmt.Printf("effective access: alike %d/%d\n", alike, len(m.Rows))
}

// situation is one attempt of a permission in a channel of a real server, at feature level 442. An earlier version computed
// another result for it.
type situation struct {
	Miss       string                       `json:"miss"` // "access"; the others are in package review
	Permission permission.ChannelPermission `json:"permission"`
	Who        string                       `json:"who"`
	Kind       []any                        `json:"kind"`  // of the account: role at first, bot type, owner, days since joining
	Roles      map[string][]any             `json:"roles"` // role, whether active
	Said       any                          `json:"said"`
	Real       any                          `json:"real"` // booleans
	Words      any                          `json:"words"`
	Subscribed bool                         `json:"subscribed"`
	Waiting    int                          `json:"waiting"`
	Groups     map[string][2][]string       `json:"groups"` // members and subgroups
	// Organization are the organization's permissions.
	Organization map[string][]string `json:"organization"`
	Channel      struct {
		Privacy     zulip.Privacy       `json:"privacy"`
		IsArchived  bool                `json:"archived"`
		Permissions map[string][]string `json:"permissions"`
		Subscribers []string            `json:"subscribers"`
	} `json:"all"`
}

// isAlreadyIn reports whether the account was subscribed when it tried to subscribe. The server then answers with
// success even if the account could not subscribe.
func (s *situation) isAlreadyIn() bool {
	return s.Permission == permission.CanSubscribe && s.Subscribed && s.Words == float64(200)
}

// deactivated is the account that was deactivated before all rows.
const deactivated = "orc-gone"

// organization returns the facts of a situation. The other accounts are only known to be members.
func (s *situation) organization(t *testing.T) *recordedOrganization {
	t.Helper()
	o := &recordedOrganization{accounts: map[string]int64{}, groups: map[string]int64{}}
	add := func(name string) {
		if _, known := o.accounts[name]; known {
			return
		}
		user := &zulip.User{ID: int64(1000 + len(o.accounts)), Email: name, Role: zulip.RoleMember, IsActive: name != deactivated}
		o.accounts[name] = user.ID
		o.facts.Users = append(o.facts.Users, user)
	}
	add(s.Who)
	lists := slices.Concat(slices.Collect(maps.Values(s.Organization)), slices.Collect(maps.Values(s.Channel.Permissions)))
	for _, group := range s.Groups {
		lists = append(lists, group[0])
	}
	for _, list := range append(lists, s.Channel.Subscribers) {
		for _, principal := range list {
			if kind, name, _ := strings.Cut(principal, ":"); kind == "user" {
				add(name)
			} else if name == "" {
				add(principal)
			}
		}
	}
	who := o.facts.Users[0]
	role, ok := zulip.ParseRole(fmt.Sprint(s.Roles[s.Who][0]))
	if !ok {
		t.Fatalf("%v is no role", s.Roles[s.Who])
	}
	who.Role, who.IsActive = role, s.Roles[s.Who][1] == true
	if kind, isBot := s.Kind[1].(float64); isBot {
		kind := int64(kind)
		who.IsBot, who.BotType = true, &kind
		add(fmt.Sprint(s.Kind[2]))
		owner := o.accounts[fmt.Sprint(s.Kind[2])]
		who.BotOwnerID = &owner
	}
	if s.Waiting != 0 {
		t.Fatal("with a waiting period it is not known who is a full member")
	}
	o.facts.Groups = systemGroups(o.facts.Users, func(*zulip.User) bool { return true })
	for _, group := range o.facts.Groups {
		o.groups[group.Name] = group.ID
	}
	for i, name := range slices.Sorted(maps.Keys(s.Groups)) {
		o.groups[name] = int64(100 + i)
	}
	for name, group := range s.Groups {
		made := &zulip.UserGroup{ID: o.groups[name], Name: name}
		for _, member := range group[0] {
			made.Members = append(made.Members, o.accounts[member])
		}
		for _, subgroup := range group[1] {
			made.DirectSubgroupIDs = append(made.DirectSubgroupIDs, o.groups[subgroup])
		}
		o.facts.Groups = append(o.facts.Groups, made)
	}
	o.facts.Realm = &zulip.Realm{Permissions: map[string]zulip.GroupSettingValue{}}
	for setting, principals := range s.Organization {
		o.facts.Realm.Permissions[setting] = o.value(principals)
	}
	return o
}

func TestConformanceEffectiveAccess_PastErrors_Correct(t *testing.T) {
	data, err := os.ReadFile("testdata/access/misses.json")
	requireNoError(t, err)
	var situations []situation
	requireNoError(t, json.Unmarshal(data, &situations))
	tried, alike := 0, 0
	for i, s := range situations {
		if s.Miss != "access" {
			continue
		}
		tried++
		o := s.organization(t)
		channel := permission.Channel{
			Privacy: s.Channel.Privacy, IsArchived: s.Channel.IsArchived, SubscribersKnown: true, Permissions: map[string]zulip.GroupSettingValue{},
		}
		for setting, principals := range s.Channel.Permissions {
			channel.Permissions[setting] = o.value(principals)
		}
		for _, name := range s.Channel.Subscribers {
			channel.Subscribers = append(channel.Subscribers, o.accounts[name])
		}
		want := s.Real == true
		if s.isAlreadyIn() {
			want = s.Said == true
		}
		who, certain := permission.NewAccess(o.facts).Can(s.Permission, channel)
		if can := who.Has(o.accounts[s.Who]); can != want || !certain {
			t.Errorf("[%d] %s by %s %v in a %s channel: %t (certain: %t), the server: %v", i, s.Permission, s.Who, s.Kind, s.Channel.Privacy, can, certain, s.Words)
			continue
		}
		alike++
	}
	fmt.Printf("effective access where it was wrong: alike %d/%d\n", alike, tried)
}
