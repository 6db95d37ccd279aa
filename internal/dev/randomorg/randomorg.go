// Package randomorg creates random organizations on sandboxes, and random changes of them, as plans and as requests. Tests
// compare a computed result with the rules of a server.
package randomorg

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// Attributes are the attributes of a resource, or of a change, as in a JSON plan.
type Attributes = map[string]any

// Organization is a random organization, used with the account of an owner.
type Organization struct {
	*acctest.Organization

	t    *testing.T
	rand *rand.Rand

	// People are the IDs of accounts by name, the part of the address before @. Groups and Channels are IDs by name.
	People   map[string]int64
	Groups   map[string]int64
	Channels map[string]int64
	// lists are the direct members of groups, and the subscribers of channels, by name.
	lists map[string][]string
	// addresses of accounts, and IDs of the groups of roles.
	addresses map[string]string
	roles     map[string]int64
	// isDefault are the default channels. limitsTopics are channels in which some people cannot start topics.
	isDefault, limitsTopics map[string]bool
}

// roles are the codes of roles by name.
var roles = map[string]string{"owner": "100", "administrator": "200", "moderator": "300", "member": "400", "guest": "600"}

// New creates an organization.
func New(t *testing.T, r *rand.Rand) *Organization {
	t.Helper()
	accounts := map[string]sandbox.Account{"owner": {Email: "owner@example.com", FullName: "owner", Role: 100, CanCreateUsers: true}}
	for name, role := range map[string]int{"otto": 100, "ada": 200, "mo": 300, "mel": 400, "max": 400, "gus": 600, "gil": 600} {
		accounts[name] = sandbox.Account{Email: name + "@example.com", FullName: name, Role: role}
	}
	accounts["bot"] = sandbox.Account{Email: "bot-bot@example.com", FullName: "bot", Role: 400, IsBot: true, Owner: []string{"mel", "gus", "ada"}[r.IntN(3)]}
	o := &Organization{
		Organization: acctest.NewSandbox(t, sandbox.Config{Accounts: accounts}), t: t, rand: r,
		People: map[string]int64{}, Groups: map[string]int64{}, Channels: map[string]int64{}, lists: map[string][]string{},
		addresses: map[string]string{}, roles: map[string]int64{}, isDefault: map[string]bool{}, limitsTopics: map[string]bool{},
	}
	o.Organization = o.WithAccount(t, "owner")
	for name, account := range accounts {
		credentials, _ := o.Sandbox.Credentials(name)
		o.People[name], o.addresses[name] = int64(credentials.ID), account.Email
	}
	for _, group := range o.Sandbox.Organization().Groups() {
		o.roles[group.Name] = int64(group.ID)
	}
	if r.IntN(2) == 0 {
		o.People["hook"] = o.made("/bots", "user_id", map[string]string{"full_name": "hook", "short_name": "hook", "bot_type": "2"})
		credentials, _ := o.Sandbox.CredentialsByID(int(o.People["hook"]))
		o.addresses["hook"] = credentials.APIEmail
	}
	for _, name := range []string{"red", "green", "blue"} {
		o.newGroup(name)
	}
	o.Call(t, "PATCH", "/realm", map[string]string{"enable_spectator_access": "true"})
	for _, setting := range []string{"can_add_subscribers_group", "can_create_groups"} {
		o.Call(t, "PATCH", "/realm", map[string]string{setting: fmt.Sprintf(`{"new":%s}`, o.role("administrators", "moderators", "members"))})
	}
	for _, name := range []string{"alpha", "beta", "gamma"} {
		o.newChannel(name)
	}
	for range r.IntN(4) {
		setting := o.draw(organizationSettings...)
		if strings.HasPrefix(setting, "can_create_p") || setting == "can_manage_all_groups" || setting == "can_create_groups" {
			continue // the owner needs the permission to make the changes
		}
		o.Call(t, "PATCH", "/realm", map[string]string{setting: fmt.Sprintf(`{"new":%s}`, o.value(permission.RealmSettings, setting))})
	}
	return o
}

// channelSettings, groupSettings and organizationSettings are the permissions to draw from.
var (
	channelSettings = namesOf(permission.ChannelSettings)
	groupSettings   = namesOf(permission.UserGroupSettings)
	// Permissions that only some roles can have are left out.
	organizationSettings = slices.DeleteFunc(namesOf(permission.RealmSettings), func(name string) bool {
		return name == "can_access_all_users_group" || name == "can_create_web_public_channel_group"
	})
)

func namesOf(settings []permission.Spec) (names []string) {
	for _, setting := range settings {
		names = append(names, setting.Name)
	}
	return names
}

func (o *Organization) newGroup(name string) {
	o.t.Helper()
	o.lists[name] = o.some(3)
	params := map[string]string{"name": name, "description": "", "members": o.ids(o.lists[name])}
	if below := o.draw(slices.Sorted(maps.Keys(o.Groups))...); below != "" && o.rand.IntN(2) == 0 {
		params["subgroups"] = fmt.Sprintf("[%d]", o.Groups[below])
	}
	for range o.rand.IntN(3) {
		setting := o.draw(groupSettings...)
		params[setting] = o.value(permission.UserGroupSettings, setting)
	}
	o.Groups[name] = o.made("/user_groups/create", "group_id", params)
}

// sharedSettings are drawn often, because most rules of a server use them.
var sharedSettings = []string{"can_send_message_group", "can_administer_channel_group", "can_subscribe_group", "can_add_subscribers_group"}

func (o *Organization) newChannel(name string) {
	o.t.Helper()
	o.lists[name] = append(o.some(3), "owner")
	isPrivate := o.rand.IntN(2) == 0
	isShared := !isPrivate || o.rand.IntN(2) == 0
	params := map[string]string{
		"name": name, "subscribers": o.ids(o.lists[name]), "invite_only": fmt.Sprint(isPrivate), "history_public_to_subscribers": fmt.Sprint(isShared),
	}
	if !isPrivate && o.rand.IntN(3) == 0 {
		params["is_web_public"] = "true"
	}
	for _, setting := range sharedSettings {
		if o.rand.IntN(2) == 0 {
			params[setting] = o.value(permission.ChannelSettings, setting)
		}
	}
	o.Channels[name] = o.made("/channels/create", "id", params)
	for range o.rand.IntN(4) {
		if setting := o.draw(channelSettings...); isShared || setting != "can_create_topic_group" {
			o.Call(o.t, "PATCH", o.path(name), map[string]string{setting: fmt.Sprintf(`{"new":%s}`, o.value(permission.ChannelSettings, setting))})
			o.limitsTopics[name] = o.limitsTopics[name] || setting == "can_create_topic_group"
		}
	}
	if isShared && o.rand.IntN(6) == 0 {
		o.Call(o.t, "PATCH", o.path(name), map[string]string{"topics_policy": "empty_topic_only"})
	}
	if !isPrivate && o.rand.IntN(2) == 0 {
		o.Call(o.t, "POST", "/default_streams", map[string]string{"stream_id": fmt.Sprint(o.Channels[name])})
		o.isDefault[name] = true
	}
}

func (o *Organization) path(channel string) string {
	return fmt.Sprintf("/streams/%d", o.Channels[channel])
}

func (o *Organization) made(path, key string, params map[string]string) int64 {
	o.t.Helper()
	id, _ := o.Call(o.t, "POST", path, params)[key].(float64)
	return int64(id)
}

func (o *Organization) draw(from ...string) string {
	if len(from) == 0 {
		return ""
	}
	return from[o.rand.IntN(len(from))]
}

// some draws at most this many people.
func (o *Organization) some(most int) []string {
	names := slices.Sorted(maps.Keys(o.People))
	o.rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	names = slices.DeleteFunc(names[:o.rand.IntN(most+1)], func(name string) bool { return name == "owner" })
	slices.Sort(names)
	return names
}

func (o *Organization) ids(names []string) string {
	ids := make([]string, len(names))
	for i, name := range names {
		ids[i] = fmt.Sprint(o.People[name])
	}
	return "[" + strings.Join(ids, ",") + "]"
}

func (o *Organization) role(names ...string) string {
	return fmt.Sprint(o.roles["role:"+o.draw(names...)])
}

// value draws a value of a permission, in the API's form.
func (o *Organization) value(of []permission.Spec, setting string) string {
	value, _ := o.valueAndPrincipals(of, setting)
	return value
}

// valueAndPrincipals is value, which also returns the plan's form.
func (o *Organization) valueAndPrincipals(of []permission.Spec, setting string) (value string, principals []string) {
	switch o.rand.IntN(3) {
	case 0:
		if group := o.draw(slices.Sorted(maps.Keys(o.Groups))...); group != "" {
			return fmt.Sprint(o.Groups[group]), []string{"group:" + group}
		}
	case 1:
		people := append(o.some(2), "ada")
		slices.Sort(people)
		people = slices.Compact(people)
		for _, name := range people {
			principals = append(principals, "user:"+o.Address(name))
		}
		return fmt.Sprintf(`{"direct_members":%s,"direct_subgroups":[]}`, o.ids(people)), principals
	}
	roles := []string{"administrators", "moderators", "members"}
	if slices.ContainsFunc(of, func(one permission.Spec) bool { return one.Name == setting && one.AllowEveryone }) {
		roles = append(roles, "everyone")
	}
	role := o.draw(roles...)
	return fmt.Sprint(o.roles["role:"+role]), []string{"role:" + role}
}

// Address is the address of an account.
func (o *Organization) Address(name string) string {
	if address, ok := o.addresses[name]; ok {
		return address
	}
	return name + "@example.com"
}

func (o *Organization) addressesOf(names []string) []string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = o.Address(name)
	}
	return all
}

// ResourceChange is the change of a resource in a JSON plan. unknown are attributes that are not known yet.
func ResourceChange(kind string, before, after Attributes, unknown ...string) Attributes {
	action, notKnown := "update", Attributes{}
	switch {
	case before == nil:
		action = "create"
	case after == nil:
		action = "delete"
	}
	for _, attribute := range unknown {
		notKnown[attribute] = true
	}
	return Attributes{
		"address": kind + ".x", "mode": "managed", "type": kind, "provider_name": "registry.example.com/zulip-iac/zulip",
		"change": Attributes{"actions": []string{action}, "before": before, "after": after, "after_unknown": notKnown},
	}
}

// Plan returns a plan of some changes, in the JSON form of the CLI.
func Plan(t testing.TB, changes ...Attributes) string {
	t.Helper()
	plan, err := json.Marshal(Attributes{"format_version": "1.2", "planned_values": Attributes{}, "resource_changes": changes})
	if err != nil {
		t.Fatal(err)
	}
	return string(plan)
}

// Change draws a change: for a plan, and as requests.
func (o *Organization) Change() (planned []Attributes, apply func()) {
	channel, group, person := o.draw("alpha", "beta", "gamma"), o.draw("red", "green", "blue"), o.draw("otto", "ada", "mo", "mel", "max", "gus", "gil")
	kinds := []func() ([]Attributes, func()){
		func() ([]Attributes, func()) { return o.changePermission(channel, o.draw(sharedSettings...)) },
		func() ([]Attributes, func()) { return o.changePermission(channel, o.draw(channelSettings...)) },
		func() ([]Attributes, func()) { return o.changePrivacy(channel) },
		func() ([]Attributes, func()) { return o.changeMembers(group) },
		func() ([]Attributes, func()) { return o.addMember(group, person) },
		func() ([]Attributes, func()) { return o.changeRole(person) },
		func() ([]Attributes, func()) { return o.deactivate(person) },
		func() ([]Attributes, func()) { return o.changeSubscribers(channel) },
		o.addPerson,
		o.changeOrganization,
		func() ([]Attributes, func()) { return o.changeGroupPermission(group) },
		func() ([]Attributes, func()) { return o.nameNewGroup(channel, person) },
		func() ([]Attributes, func()) { return o.archive(channel) },
		func() ([]Attributes, func()) { return o.addChannel(person) },
		func() ([]Attributes, func()) { return o.changeSubgroups(group) },
		func() ([]Attributes, func()) { return o.changeTopicsPolicy(channel) },
		func() ([]Attributes, func()) { return o.replaceRole(person) },
		func() ([]Attributes, func()) { return o.replaceSubscription(channel, person) },
		func() ([]Attributes, func()) { return o.replaceChannel(channel) },
		func() ([]Attributes, func()) { return o.forget(channel, group, person) },
	}
	return kinds[o.rand.IntN(len(kinds))]()
}

// Replacement draws a change that replaces a resource, in the form of [Organization.Change].
func (o *Organization) Replacement() (planned []Attributes, apply func()) {
	channel, person := o.draw("alpha", "beta", "gamma"), o.draw("otto", "ada", "mo", "mel", "max", "gus", "gil")
	switch o.rand.IntN(3) {
	case 0:
		return o.replaceRole(person)
	case 1:
		return o.replaceSubscription(channel, o.draw(append(sets.Without(o.lists[channel], []string{"owner"}), person)...))
	}
	return o.replaceChannel(channel)
}

// of returns an existing resource with a change.
func of(id int64, name string, change Attributes) Attributes {
	all := Attributes{"id": id, "name": name}
	maps.Copy(all, change)
	return all
}

func (o *Organization) changePermission(channel, setting string) ([]Attributes, func()) {
	if setting == "can_create_topic_group" {
		setting = "can_send_message_group" // a protected history does not allow changes of the other permission
	}
	value, principals := o.valueAndPrincipals(permission.ChannelSettings, setting)
	id := o.Channels[channel]
	return []Attributes{ResourceChange("zulip_channel", of(id, channel, Attributes{setting: []string{}}), of(id, channel, Attributes{setting: principals}))},
		func() {
			o.Call(o.t, "PATCH", o.path(channel), map[string]string{setting: fmt.Sprintf(`{"new":%s}`, value)})
		}
}

func (o *Organization) changePrivacy(channel string) ([]Attributes, func()) {
	privacies := []string{"public"}
	if !o.isDefault[channel] {
		privacies = append(privacies, "private_shared_history")
		if !o.limitsTopics[channel] {
			privacies = append(privacies, "private_protected_history")
		}
	}
	privacy, id := o.draw(privacies...), o.Channels[channel]
	return []Attributes{ResourceChange("zulip_channel", of(id, channel, Attributes{"privacy": "x"}), of(id, channel, Attributes{"privacy": privacy}))},
		func() {
			o.Call(o.t, "PATCH", o.path(channel), map[string]string{
				"is_private": fmt.Sprint(privacy != "public"), "is_web_public": "false", "history_public_to_subscribers": fmt.Sprint(privacy != "private_protected_history"),
			})
		}
}

func (o *Organization) changeMembers(group string) ([]Attributes, func()) {
	members, id := o.some(4), o.Groups[group]
	return []Attributes{ResourceChange("zulip_user_group", of(id, group, Attributes{"members": o.addressesOf(o.lists[group])}), of(id, group, Attributes{"members": o.addressesOf(members)}))},
		func() { o.listed(fmt.Sprintf("/user_groups/%d/members", id), o.lists[group], members) }
}

func (o *Organization) addMember(group, person string) ([]Attributes, func()) {
	return []Attributes{ResourceChange("zulip_user_group_membership", nil, Attributes{"group_id": o.Groups[group], "group": group, "members": []string{o.Address(person)}})},
		func() {
			o.listed(fmt.Sprintf("/user_groups/%d/members", o.Groups[group]), o.lists[group], append(slices.Clone(o.lists[group]), person))
		}
}

func (o *Organization) changeRole(person string) ([]Attributes, func()) {
	role := o.draw("owner", "administrator", "moderator", "member", "guest")
	return []Attributes{ResourceChange("zulip_user_role", nil, Attributes{"user_id": o.People[person], "user": o.Address(person), "role": role})},
		func() {
			o.Call(o.t, "PATCH", fmt.Sprintf("/users/%d", o.People[person]), map[string]string{"role": roles[role]})
		}
}

func (o *Organization) deactivate(person string) ([]Attributes, func()) {
	return []Attributes{ResourceChange("zulip_user", Attributes{"id": o.People[person], "email": o.Address(person), "full_name": person}, nil)},
		func() { o.Call(o.t, "DELETE", fmt.Sprintf("/users/%d", o.People[person]), nil) }
}

func (o *Organization) changeSubscribers(channel string) ([]Attributes, func()) {
	users, id := append(o.some(4), "owner"), o.Channels[channel]
	return []Attributes{ResourceChange("zulip_channel_subscribers", Attributes{"channel_id": id, "channel": channel, "users": o.addressesOf(o.lists[channel])},
			Attributes{"channel_id": id, "channel": channel, "users": o.addressesOf(users)})},
		func() { o.subscribe(channel, users) }
}

// addPerson adds a person, who subscribes to the default channels.
func (o *Organization) addPerson() ([]Attributes, func()) {
	role := o.draw("member", "guest")
	return []Attributes{ResourceChange("zulip_user", nil, Attributes{"email": "nia@example.com", "full_name": "nia", "role": role})},
		func() {
			o.People["nia"] = o.made("/users", "user_id", map[string]string{"email": "nia@example.com", "full_name": "nia", "password": "xuzpSwordfish42!"})
			o.Call(o.t, "PATCH", fmt.Sprintf("/users/%d", o.People["nia"]), map[string]string{"role": roles[role]})
		}
}

func (o *Organization) changeOrganization() ([]Attributes, func()) {
	setting := "can_add_subscribers_group"
	if o.rand.IntN(2) == 0 {
		setting = o.draw(organizationSettings...)
	}
	value, principals := o.valueAndPrincipals(permission.RealmSettings, setting)
	return []Attributes{ResourceChange("zulip_organization", Attributes{setting: []string{}}, Attributes{setting: principals})},
		func() { o.Call(o.t, "PATCH", "/realm", map[string]string{setting: fmt.Sprintf(`{"new":%s}`, value)}) }
}

func (o *Organization) changeGroupPermission(group string) ([]Attributes, func()) {
	setting, id := o.draw(groupSettings...), o.Groups[group]
	value, principals := o.valueAndPrincipals(permission.UserGroupSettings, setting)
	return []Attributes{ResourceChange("zulip_user_group", of(id, group, Attributes{setting: []string{}}), of(id, group, Attributes{setting: principals}))},
		func() {
			o.Call(o.t, "PATCH", fmt.Sprintf("/user_groups/%d", id), map[string]string{setting: fmt.Sprintf(`{"new":%s}`, value)})
		}
}

// nameNewGroup lets a new group join a channel.
func (o *Organization) nameNewGroup(channel, person string) ([]Attributes, func()) {
	id := o.Channels[channel]
	return []Attributes{
			ResourceChange("zulip_user_group", nil, Attributes{"name": "violet", "members": []string{o.Address(person)}}),
			ResourceChange("zulip_channel", of(id, channel, Attributes{"can_subscribe_group": []string{}}), of(id, channel, Attributes{"can_subscribe_group": []string{"group:violet"}})),
		}, func() {
			o.Groups["violet"] = o.made("/user_groups/create", "group_id", map[string]string{"name": "violet", "description": "", "members": o.ids([]string{person})})
			o.Call(o.t, "PATCH", o.path(channel), map[string]string{"can_subscribe_group": fmt.Sprintf(`{"new":%d}`, o.Groups["violet"])})
		}
}

func (o *Organization) archive(channel string) ([]Attributes, func()) {
	return []Attributes{ResourceChange("zulip_channel", of(o.Channels[channel], channel, nil), nil)},
		func() { o.Call(o.t, "DELETE", o.path(channel), nil) }
}

// addChannel adds a private channel with one subscriber.
func (o *Organization) addChannel(person string) ([]Attributes, func()) {
	setting := o.draw("can_send_message_group", "can_administer_channel_group", "can_subscribe_group", "can_move_messages_within_channel_group")
	value, principals := o.valueAndPrincipals(permission.ChannelSettings, setting)
	return []Attributes{ResourceChange("zulip_channel", nil, Attributes{
			"name": "delta", "privacy": "private_shared_history", "initial_subscribers": []string{o.Address(person), o.Address("owner")}, setting: principals,
		})}, func() {
			o.Channels["delta"] = o.made("/channels/create", "id", map[string]string{
				"name": "delta", "subscribers": o.ids([]string{person, "owner"}), "invite_only": "true", "history_public_to_subscribers": "true", setting: value,
			})
		}
}

// changeSubgroups adds all groups to a group, except for its supergroups.
func (o *Organization) changeSubgroups(group string) ([]Attributes, func()) {
	id, below := o.Groups[group], []string{}
	if group == "blue" { // blue is in no other group
		below = append(below, o.draw("red", "green"))
	}
	return []Attributes{ResourceChange("zulip_user_group", of(id, group, Attributes{"subgroups": []string{"x"}}), of(id, group, Attributes{"subgroups": below}))},
		func() {
			for _, current := range o.Sandbox.Organization().Groups() {
				for _, name := range current.Subgroups {
					if current.Name == group && !slices.Contains(below, name) {
						o.Call(o.t, "POST", fmt.Sprintf("/user_groups/%d/subgroups", id), map[string]string{"delete": fmt.Sprintf("[%d]", o.Groups[name])})
					}
				}
				for _, name := range below {
					if current.Name == group && !slices.Contains(current.Subgroups, name) {
						o.Call(o.t, "POST", fmt.Sprintf("/user_groups/%d/subgroups", id), map[string]string{"add": fmt.Sprintf("[%d]", o.Groups[name])})
					}
				}
			}
		}
}

func (o *Organization) changeTopicsPolicy(channel string) ([]Attributes, func()) {
	policy, id := o.draw("empty_topic_only", "allow_empty_topic", "inherit"), o.Channels[channel]
	return []Attributes{ResourceChange("zulip_channel", of(id, channel, Attributes{"topics_policy": "x"}), of(id, channel, Attributes{"topics_policy": policy}))},
		func() { o.Call(o.t, "PATCH", o.path(channel), map[string]string{"topics_policy": policy}) }
}

// Replaced turns the change of a resource into a replacement.
func Replaced(change Attributes) Attributes {
	of, _ := change["change"].(Attributes)
	of["actions"] = []string{"delete", "create"}
	return change
}

// Withhold changes one attribute of a change to unknown, and returns its name; empty if the change sets none.
func Withhold(r *rand.Rand, change Attributes) string {
	of, _ := change["change"].(Attributes)
	before, _ := of["before"].(Attributes)
	after, _ := of["after"].(Attributes)
	var names []string
	for name, value := range after {
		if name != "id" && !strings.HasSuffix(name, "_id") && !reflect.DeepEqual(value, before[name]) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	name, notKnown := names[r.IntN(len(names))], Attributes{}
	later := maps.Clone(after)
	for _, unknown := range []string{name, name + "_id"} { // user_id follows from user
		if _, isSet := after[unknown]; isSet {
			delete(later, unknown)
			notKnown[unknown] = true
		}
	}
	of["after"], of["after_unknown"] = later, notKnown
	return name
}

// replaceRole removes a role from one account and gives one to another, which may be the same.
func (o *Organization) replaceRole(person string) ([]Attributes, func()) {
	other, role := o.draw("otto", "ada", "mo", "mel", "max", "gus", "gil", person), o.draw("owner", "administrator", "moderator", "guest")
	set := func(person, role string) {
		o.Call(o.t, "PATCH", fmt.Sprintf("/users/%d", o.People[person]), map[string]string{"role": roles[role]})
	}
	return []Attributes{Replaced(ResourceChange("zulip_user_role",
			Attributes{"user_id": o.People[person], "user": o.Address(person), "role": "moderator", "on_destroy": "member"},
			Attributes{"user_id": o.People[other], "user": o.Address(other), "role": role, "on_destroy": "member"}))},
		func() { set(person, "member"); set(other, role) }
}

// replaceSubscription unsubscribes a person from one channel and subscribes them to another, which may be the same.
func (o *Organization) replaceSubscription(channel, person string) ([]Attributes, func()) {
	other := o.draw("alpha", "beta", "gamma")
	subscription := func(channel string, users ...string) Attributes {
		return Attributes{"channel_id": o.Channels[channel], "channel": channel, "users": o.addressesOf(users)}
	}
	before, after := subscription(channel, person), subscription(other, person, "mel")
	before["added_user_ids"] = []int64{o.People[person]}
	return []Attributes{Replaced(ResourceChange("zulip_channel_subscription", before, after, "added_user_ids"))}, func() {
		left := sets.Without(o.lists[channel], []string{person})
		o.subscribe(channel, left)
		o.lists[channel] = left
		o.subscribe(other, append(slices.Clone(o.lists[other]), person, "mel"))
	}
}

// replaceChannel archives a channel and unarchives it with another permission.
func (o *Organization) replaceChannel(channel string) ([]Attributes, func()) {
	setting := o.draw("can_send_message_group", "can_administer_channel_group", "can_subscribe_group")
	value, principals := o.valueAndPrincipals(permission.ChannelSettings, setting)
	after := of(o.Channels[channel], channel, Attributes{setting: principals})
	delete(after, "id")
	return []Attributes{Replaced(ResourceChange("zulip_channel", of(o.Channels[channel], channel, Attributes{setting: principals}), after, "id"))}, func() {
		o.Call(o.t, "DELETE", o.path(channel), nil)
		o.Call(o.t, "PATCH", o.path(channel), map[string]string{"is_archived": "false"})
		o.Call(o.t, "PATCH", o.path(channel), map[string]string{setting: fmt.Sprintf(`{"new":%s}`, value)})
	}
}

// forget removes resources from the state, next to another change. Their objects remain unchanged.
func (o *Organization) forget(channel, group, person string) ([]Attributes, func()) {
	forgotten := []Attributes{
		ResourceChange("zulip_channel", of(o.Channels[channel], channel, nil), nil),
		ResourceChange("zulip_user_group", of(o.Groups[group], group, nil), nil),
		ResourceChange("zulip_user_role", Attributes{"user_id": o.People[person], "user": o.Address(person), "role": "owner", "on_destroy": "guest"}, nil),
	}
	for _, one := range forgotten {
		change, _ := one["change"].(Attributes)
		change["actions"] = []string{"forget"}
	}
	planned, apply := o.changePermission(o.draw("alpha", "beta", "gamma"), o.draw(sharedSettings...))
	return append(planned, forgotten...), apply
}

// listed changes a list of people.
func (o *Organization) listed(path string, was, is []string) {
	o.t.Helper()
	params := map[string]string{}
	for key, names := range map[string][]string{"add": sets.Without(is, was), "delete": sets.Without(was, is)} {
		if len(names) > 0 {
			params[key] = o.ids(names)
		}
	}
	if len(params) > 0 {
		o.Call(o.t, "POST", path, params)
	}
}

func (o *Organization) subscribe(channel string, users []string) {
	o.t.Helper()
	subscriptions, err := json.Marshal([]map[string]string{{"name": channel}})
	if err != nil {
		o.t.Fatal(err)
	}
	if in := sets.Without(users, o.lists[channel]); len(in) > 0 {
		o.Call(o.t, "POST", "/users/me/subscriptions", map[string]string{"subscriptions": string(subscriptions), "principals": o.ids(in)})
	}
	if out := sets.Without(o.lists[channel], users); len(out) > 0 {
		names, err := json.Marshal([]string{channel})
		if err != nil {
			o.t.Fatal(err)
		}
		o.Call(o.t, "DELETE", "/users/me/subscriptions", map[string]string{"subscriptions": string(names), "principals": o.ids(out)})
	}
}
