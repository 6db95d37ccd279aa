package review

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/effects"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// folder applies a zulip_channel_folder. A planned object has a negative ID.
func (b *builder) folder(c *plan.Change) {
	id, ok := c.Before().Number("id")
	if !ok {
		id = b.org.nextID()
	}
	delete(b.is.Folders, id)
	if name, ok := c.After().Text("name"); ok {
		b.is.Folders[id] = name
	}
	b.ids[c.Address] = id
	b.is.NameFolders()
}

// channel applies a zulip_channel.
func (b *builder) channel(c *plan.Change) {
	id, _ := c.Before().Number("id")
	channel := b.org.channels[id]
	switch {
	case c.Does("create"):
		b.createChannel(c)
	case channel == nil:
		b.addUnseen(c)
	case c.Does("update"):
		channel.Action = report.Update
		b.setChannel(channel, c)
		if name, ok := c.After().Plain("name"); ok && name != channel.Name {
			channel.Name, channel.Secret = b.named(c)
		}
		channel.NameUnknown = c.SetsUnknown("name")
	case channel.Facts.IsArchived:
	default:
		channel.TouchBy(c.Address)
		if channel.Action = report.Release; c.Does("delete") && !isKept(c.Before()) {
			channel.Action, channel.Facts.IsArchived = report.Archive, true
			b.planned.Add(effects.Write{Kind: effects.Archived, ID: id})
			channel.IsDefault = channel.IsDefault && len(b.planned.After(effects.Defaults, []int64{id}, nil)) > 0
		}
	}
}

// isKept reports whether destroying a resource leaves its object unchanged.
func isKept(m plan.Attributes) bool {
	value, _ := m.Plain("on_destroy")
	return value == "keep"
}

// createChannel creates a channel, or unarchives one.
func (b *builder) createChannel(c *plan.Change) {
	name, known := c.After().Plain("name")
	current, taken := b.org.Channels().ByName(name)
	if isBack := known && taken && b.isReplaced(c, current.ID); isBack || known && taken && current.IsArchived && c.After().IsTrue("adopt_archived") {
		channel := b.org.channels[current.ID]
		if channel.Action = report.Reactivate; isBack {
			channel.Action = report.Replace
		}
		channel.Facts.IsArchived = false
		b.setChannel(channel, c)
		return
	}
	if !known {
		b.unknown(access.OneThing, "The name of %s isn't known yet.", c.Address)
	}
	name, secret := b.named(c)
	channel := &access.Channel{
		ID: b.org.nextID(), Name: name, Secret: secret, NameUnknown: !known, Touched: access.Touched{Action: report.Create},
		Facts: permission.Channel{Privacy: zulip.PrivacyPublic, SubscribersKnown: true},
	}
	if c.Replaces != nil {
		channel.Action = report.Replace
	}
	b.setChannel(channel, c)
	defaults, unknownDefaults := b.serverDefaults(permission.Channels, channel.Planned)
	channel.Facts.Permissions, channel.Facts.Unknown = merge(channel.Facts.Permissions, defaults), merge(channel.Facts.Unknown, unknownDefaults)
	users := b.users(c, "initial_subscribers")
	_, _, ok := c.After().List("initial_subscribers")
	if !ok && (channel.Facts.PrivacyUnknown || channel.Facts.Privacy.IsPrivate()) { // otherwise it has no subscribers
		users.accounts = []int64{b.options.Store.Self().ID}
	}
	b.subscribe(channel, c, users, "the channel's subscribers aren't known yet")
	b.is.Channels, b.org.channels[channel.ID], b.ids[c.Address] = append(b.is.Channels, channel), channel, channel.ID
}

// serverDefaults returns the permissions of a new object that the configuration leaves out, as far as the server publishes
// them (server-behavior §P7). unknown are those with a default that this version does not know.
func (b *builder) serverDefaults(table permission.Table, planned map[string]access.PlannedPermission) (values map[string]zulip.GroupSettingValue, unknown map[string]bool) {
	values, unknown = map[string]zulip.GroupSettingValue{}, map[string]bool{}
	for _, setting := range table.Settings {
		if _, set := planned[setting.Name]; set {
			continue
		}
		said, ok := b.org.Realm().SupportedPermissions[table.Key][setting.Name]
		group, there := b.org.UserGroupByName(said.DefaultGroupName)
		switch {
		case ok && there:
			values[setting.Name] = zulip.NamedGroup(group.ID)
		case ok && (said.DefaultGroupName == "channel_creator" || said.DefaultGroupName == "group_creator"):
			values[setting.Name] = zulip.GroupSettingValue{DirectMembers: []int64{b.options.Store.Self().ID}}
		case ok:
			unknown[setting.Name] = true
		}
	}
	return values, unknown
}

// setChannel applies the attributes of a change to a channel.
func (b *builder) setChannel(channel *access.Channel, c *plan.Change) {
	channel.TouchBy(c.Address)
	channel.DefaultUnknown = channel.DefaultUnknown || c.SetsUnknown("is_default")
	channel.Facts.PrivacyUnknown = channel.Facts.PrivacyUnknown || c.SetsUnknown("privacy")
	channel.Facts.TopicsPolicyUnknown = channel.Facts.TopicsPolicyUnknown || c.SetsUnknown("topics_policy")
	if isDefault, known := c.After().Flag("is_default"); known {
		channel.IsDefault = isDefault
	}
	was, _ := c.Before().Plain("privacy")
	if value, known := c.After().Plain("privacy"); known && value != was {
		channel.Facts.Privacy = zulip.Privacy(value)
		channel.Facts.PrivacyUnknown = !slices.Contains(zulip.Privacies, channel.Facts.Privacy)
	}
	if policy, known := c.After().Plain("topics_policy"); known {
		channel.Facts.TopicsPolicy = policy
	}
	b.setFolder(channel, c)
	planned := b.plannedPermissions(c, permission.Channels, channel.Facts.Permissions)
	channel.Planned = merge(channel.Planned, planned)
	channel.Facts.Permissions = withPlanned(channel.Facts.Permissions, planned)
}

// merge returns the elements of two maps. The second map takes precedence.
func merge[Value any](one, other map[string]Value) map[string]Value {
	all := make(map[string]Value, len(one)+len(other))
	maps.Copy(all, one)
	maps.Copy(all, other)
	return all
}

// withPlanned returns permissions with the planned values.
func withPlanned(current map[string]zulip.GroupSettingValue, planned map[string]access.PlannedPermission) map[string]zulip.GroupSettingValue {
	all := merge(current, nil)
	for name, one := range planned {
		all[name] = one.Value
	}
	return all
}

// setFolder moves a channel into the folder of a change.
func (b *builder) setFolder(channel *access.Channel, c *plan.Change) {
	if !c.IsSet("folder_id") && !c.IsSet("folder") {
		return
	}
	id, isKnown := c.After().Number("folder_id")
	name, isNamed := c.After().Text("folder")
	for _, attribute := range []string{"folder_id", "folder"} {
		if found, isComplete := b.objects(c, attribute); !isKnown && !isNamed && isComplete && len(found.folders) == 1 {
			id, isKnown = found.folders[0], true
		}
	}
	switch folder := b.is.Folders[id]; {
	case isNamed:
		channel.Folder = strings.TrimPrefix(name, "folder:")
	case isKnown && folder != "":
		channel.Folder = folder
	case c.After().IsUnknown("folder_id") || c.After().IsUnknown("folder") || isKnown:
		channel.FolderUnknown = true
	}
}

// subscribe puts people into a channel.
func (b *builder) subscribe(channel *access.Channel, c *plan.Change, users list, why string) {
	b.notFound(c, users.missing)
	channel.Facts.Subscribers = merged(channel.Facts.Subscribers, users.accounts, nil)
	if !users.isKnown() {
		channel.Facts.MaySubscribe, channel.Why = slices.Concat(channel.Facts.MaySubscribe, users.may), why
	}
}

// unsubscribes unsubscribes the people of a zulip_channel_subscription, unless another one subscribes them.
func (b *builder) unsubscribes(c *plan.Change) {
	added, _, _ := c.Before().List("added_user_ids")
	if channels, _ := b.subscribersChannels(c, c.Before()); len(channels) == 1 {
		channel := b.org.channels[channels[0]]
		channel.TouchBy(c.Address)
		out, _ := b.org.findUsers(added)
		channel.Facts.Subscribers = merged(channel.Facts.Subscribers, nil, out)
	}
}

// subscribes applies a zulip_channel_subscribers or zulip_channel_subscription. The first lists all subscribers. Destroying
// it unsubscribes no one.
func (b *builder) subscribes(c *plan.Change) {
	channels, isKnown := b.subscribersChannels(c, c.Latest())
	listsAll := c.Type == "zulip_channel_subscribers"
	switch users := b.users(c, "users"); {
	case len(channels) != 1 && !c.HasAfter():
	case isKnown && len(channels) == 0:
		b.addUnseen(c)
	case len(channels) > 1:
		b.unknown(access.OneThing, "The channel of %s isn't known yet: %s.", c.Address, b.channelsText(channels))
		b.maySubscribe(slices.Concat(users.accounts, users.may), channels, !listsAll)
	case len(channels) == 0:
		b.unknown(access.OneThing, "The channel of %s isn't known yet.", c.Address)
		b.maySubscribe(slices.Concat(users.accounts, users.may), nil, !listsAll)
	default:
		channel := b.org.channels[channels[0]]
		if channel.TouchBy(c.Address); !c.HasAfter() {
			return
		}
		if listsAll && channel.ID > 0 {
			channel.Facts.Subscribers, channel.Facts.SubscribersKnown = nil, true
		}
		b.subscribe(channel, c, users, fmt.Sprintf("the users that %s subscribes aren't known yet", c.Address))
	}
}

// subscribersChannels finds the channel of the subscribers in a change, or the channels of which one is meant. isKnown
// reports whether the attributes say which it is.
func (b *builder) subscribersChannels(c *plan.Change, m plan.Attributes) (ids []int64, isKnown bool) {
	if id, ok := m.Number("channel_id"); ok {
		if _, ok := b.org.channels[id]; !ok {
			return nil, true
		}
		return []int64{id}, true
	}
	if found, isComplete := b.objects(c, "channel"); isComplete && len(found.channels) > 0 {
		return found.channels, false
	}
	if text, ok := m.Plain("channel"); ok {
		for _, channel := range b.is.Channels[len(b.was.Channels):] {
			if zulip.FoldName(channel.Called()) == zulip.FoldName(strings.TrimPrefix(text, "name:")) {
				return []int64{channel.ID}, true
			}
		}
	}
	return nil, false
}

// readSubscribers reads the subscribers of channels for which the snapshot does not have them, if they make a difference.
func (b *builder) readSubscribers() error {
	for i, was := range b.was.Channels {
		is := b.is.Channels[i]
		if was.Facts.SubscribersKnown || was.Facts.IsArchived || !permission.NeedsSubscribers(b.was.In(was), b.is.In(is)) {
			continue
		}
		found, err := b.options.Store.Subscribers(b.ctx, was.ID)
		if err != nil {
			return err
		}
		if found != nil {
			was.Facts.Subscribers, was.Facts.SubscribersKnown = found, true
			is.Facts.Subscribers, is.Facts.SubscribersKnown = found, true
		}
	}
	return nil
}

// joinDefaultChannels subscribes new people of the plan to default channels.
func (b *builder) joinDefaultChannels() {
	var joining []int64
	for _, account := range b.joining() {
		if !account.IsBot && account.ID < 0 {
			joining = append(joining, account.ID)
		}
	}
	for _, channel := range b.is.Channels {
		in := channel.Facts.Subscribers
		switch come := b.planned.After(effects.DefaultSubscribers, nil, sets.Without(joining, in)); {
		case channel.IsDefault:
			channel.Facts.Subscribers = slices.Concat(in, come)
		case channel.DefaultUnknown && len(come) > 0:
			channel.Facts.MaySubscribe = slices.Concat(channel.Facts.MaySubscribe, come)
		}
	}
}
