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
		if name, ok := c.After().Text("name"); ok {
			channel.Name = name
		}
		channel.NameUnknown = c.After().IsUnknown("name") && c.IsSet("name")
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
	value, _ := m.Text("on_destroy")
	return value == "keep"
}

// createChannel creates a channel, or unarchives one.
func (b *builder) createChannel(c *plan.Change) {
	name, known := c.After().Text("name")
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
		name = c.Address
		b.unknown(access.OneThing, "The name of %s isn't known yet.", c.Address)
	}
	channel := &access.Channel{
		ID: b.org.nextID(), Name: name, NameUnknown: !known, Touched: access.Touched{Action: report.Create},
		Facts: permission.Channel{Privacy: zulip.PrivacyPublic, SubscribersKnown: true},
	}
	if c.Replaces != nil {
		channel.Action = report.Replace
	}
	b.setChannel(channel, c)
	defaults, unknownDefaults := b.serverDefaults(permission.Channels, channel.Planned)
	channel.Facts.Permissions, channel.Facts.Unknown = merge(channel.Facts.Permissions, defaults), merge(channel.Facts.Unknown, unknownDefaults)
	texts, unknown, ok := c.After().List("initial_subscribers")
	if !ok && (channel.Facts.PrivacyUnknown || channel.Facts.Privacy.IsPrivate()) { // otherwise it has no subscribers
		texts = []string{fmt.Sprint(b.options.Store.Self().ID)}
	}
	b.subscribe(channel, c, texts, unknown, "the channel's subscribers aren't known yet")
	b.is.Channels, b.org.channels[channel.ID] = append(b.is.Channels, channel), channel
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
	setUnknown := func(attribute string, isUnknown *bool) {
		*isUnknown = *isUnknown || c.After().IsUnknown(attribute) && c.IsSet(attribute)
	}
	setUnknown("is_default", &channel.DefaultUnknown)
	setUnknown("privacy", &channel.Facts.PrivacyUnknown)
	setUnknown("topics_policy", &channel.Facts.TopicsPolicyUnknown)
	if isDefault, known := c.After().Flag("is_default"); known {
		channel.IsDefault = isDefault
	}
	was, _ := c.Before().Text("privacy")
	if value, known := c.After().Text("privacy"); known && value != was {
		channel.Facts.Privacy = zulip.Privacy(value)
	}
	if policy, known := c.After().Text("topics_policy"); known {
		channel.Facts.TopicsPolicy = policy
	}
	b.setFolder(channel, c)
	planned := b.plannedPermissions(c, permission.Channels, channel.Facts.Permissions)
	channel.Planned = merge(channel.Planned, planned)
	channel.Facts.Permissions = withPlanned(channel.Facts.Permissions, planned)
	for name, one := range planned {
		if one.Unknown {
			channel.Facts.Unknown = merge(channel.Facts.Unknown, map[string]bool{name: true})
		}
	}
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
		if !one.Unknown {
			all[name] = one.Value
		}
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
func (b *builder) subscribe(channel *access.Channel, c *plan.Change, texts []string, unknown bool, why string) {
	ids, missing := b.listedUsers(texts)
	b.missing(access.OneThing, c, missing)
	channel.Facts.Subscribers = merged(channel.Facts.Subscribers, ids, nil)
	if unknown || len(missing) > 0 {
		channel.Facts.SubscribersKnown, channel.Why = false, why
	}
}

// unsubscribes unsubscribes the people of a zulip_channel_subscription, unless another one subscribes them.
func (b *builder) unsubscribes(c *plan.Change) {
	added, _, _ := c.Before().List("added_user_ids")
	if channel, ok := b.subscribersChannel(c, c.Before()); ok {
		channel.TouchBy(c.Address)
		out, _ := b.org.findUsers(added)
		channel.Facts.Subscribers = merged(channel.Facts.Subscribers, nil, out)
	}
}

// subscribes applies a zulip_channel_subscribers or zulip_channel_subscription. The first lists all subscribers. Destroying
// it unsubscribes no one.
func (b *builder) subscribes(c *plan.Change) {
	if !c.HasAfter() {
		if channel, ok := b.subscribersChannel(c, c.Before()); ok {
			channel.TouchBy(c.Address)
		}
		return
	}
	channel, ok := b.subscribersChannel(c, c.After())
	if _, there := c.After().Number("channel_id"); !ok && there {
		b.addUnseen(c)
		return
	} else if !ok {
		b.unknown(access.Anywhere, "The channel or the users of %s aren't known yet.", c.Address)
		return
	}
	channel.TouchBy(c.Address)
	if c.Type == "zulip_channel_subscribers" && channel.ID > 0 {
		channel.Facts.Subscribers, channel.Facts.SubscribersKnown = nil, channel.Why == ""
	}
	users, unknown, _ := c.After().List("users")
	b.subscribe(channel, c, users, unknown, fmt.Sprintf("the users that %s subscribes aren't known yet", c.Address))
}

// subscribersChannel finds the channel of the subscribers in a change.
func (b *builder) subscribersChannel(c *plan.Change, m plan.Attributes) (*access.Channel, bool) {
	if id, ok := m.Number("channel_id"); ok {
		channel, ok := b.org.channels[id]
		return channel, ok
	}
	created := b.is.Channels[len(b.was.Channels):]
	if text, ok := m.Text("channel"); ok {
		for _, channel := range created {
			if zulip.FoldName(channel.Name) == zulip.FoldName(strings.TrimPrefix(text, "name:")) {
				return channel, true
			}
		}
	}
	return made(c, "channel", created)
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
			channel.Facts.SubscribersKnown = false
		}
	}
}
