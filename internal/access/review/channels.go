package review

import (
	"fmt"
	"maps"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// reviewedChannel is a channel that the plan changes, or that it creates.
type reviewedChannel struct {
	*access.Channel // as it is after the plan

	current       *zulip.Channel // nil for one that is yet to be created
	before, after permission.Channel
	planned       map[string]access.PlannedPermission
	// in are the subscribers after the plan, if the plan says something of them; isExclusive says that nobody else is
	in, out     []int64
	isExclusive bool
	// nameUnknown says that it is not known what it will be called.
	nameUnknown bool
	// unknownReason says what it depends on who will be in it; empty if that is known.
	unknownReason string
}

// compareChannels works out who can do what in the channels that the plan changes, those it creates, and those in which a change of
// something else has effects.
func (b *builder) compareChannels() error {
	for _, change := range b.of("zulip_channel") {
		b.channel(change)
	}
	for _, change := range b.of("zulip_channel_subscribers", "zulip_channel_subscription") {
		b.subscribers(change)
	}
	all := b.org.Channels().List()
	for i, channel := range all {
		_, named := b.channels[channel.ID]
		if !named && channel.IsArchived {
			continue
		}
		reviewed := b.reviewChannel(channel)
		if err := b.readSubscribers(reviewed); err != nil {
			return err
		}
		reviewed.applySubscribers()
		if named || !permission.Same(permission.ChannelRights{Access: b.before, Channel: reviewed.before}, permission.ChannelRights{Access: b.after, Channel: reviewed.after}) {
			b.addChannel(reviewed)
		} else if beside := b.options.Beside; beside > 0 && i*beside/len(all) >= len(b.besideWas) {
			b.addBeside(reviewed)
		}
	}
	for _, reviewed := range b.created {
		reviewed.applySubscribers()
		b.addChannel(reviewed)
	}
	return nil
}

// reviewChannel returns what the review says of a channel that is there.
func (b *builder) reviewChannel(channel *zulip.Channel) *reviewedChannel {
	if reviewed, ok := b.channels[channel.ID]; ok {
		return reviewed
	}
	facts := permission.ChannelOf(channel)
	facts.Subscribers, facts.SubscribersKnown = b.org.Subscribers()[channel.ID]
	return &reviewedChannel{
		current: channel, before: facts, after: facts,
		Channel: &access.Channel{ID: channel.ID, Name: channel.Name, Privacy: report.ValueOf(report.PrivacyText(facts.Privacy))},
	}
}

// reviewPlannedChannel is reviewChannel for a channel that the plan changes.
func (b *builder) reviewPlannedChannel(channel *zulip.Channel, c *plan.Change) *reviewedChannel {
	reviewed := b.reviewChannel(channel)
	b.channels[channel.ID] = reviewed
	reviewed.Addresses = append(reviewed.Addresses, c.Address)
	return reviewed
}

// channel records the change of a zulip_channel.
func (b *builder) channel(c *plan.Change) {
	before, after := c.Before(), c.After()
	var current *zulip.Channel
	if id, ok := before.Number("id"); ok {
		current, _ = b.org.Channels().ByID(id)
	}
	if current == nil && !c.Does("create") {
		b.addUnseen(c)
		return
	}
	if c.Does("delete") && current != nil && !current.IsArchived {
		reviewed := b.reviewPlannedChannel(current, c)
		if reviewed.Action = report.Release; !isKept(before) {
			reviewed.Action, reviewed.after.IsArchived = report.Archive, true
		}
	}
	switch {
	case c.Does("forget") && !current.IsArchived:
		b.reviewPlannedChannel(current, c).Action = report.Release
	case c.Does("create"):
		b.create(c)
	case c.Does("update"):
		reviewed := b.reviewPlannedChannel(current, c)
		reviewed.Action = report.Update
		b.applyPlan(reviewed, c, current.Permissions)
		if name, ok := after.Text("name"); ok {
			reviewed.Name = name
		}
		reviewed.nameUnknown = after.IsUnknown("name") && c.IsSet("name")
	}
}

// isKept reports whether destroying a resource leaves what it manages as it is.
func isKept(m plan.Attributes) bool {
	value, _ := m.Text("on_destroy")
	return value == "keep"
}

// create records a channel that is created, or unarchived.
func (b *builder) create(c *plan.Change) {
	after := c.After()
	name, known := after.Text("name")
	if current, ok := b.org.Channels().ByName(name); known && ok && current.IsArchived && after.IsTrue("adopt_archived") {
		reviewed := b.reviewPlannedChannel(current, c)
		reviewed.Action, reviewed.after.IsArchived = report.Reactivate, false
		b.applyPlan(reviewed, c, current.Permissions)
		return
	}
	if !known {
		name = c.Address
		b.addDoubt(fmt.Sprintf("The name of %s is not known yet.", c.Address))
	}
	reviewed := &reviewedChannel{
		nameUnknown: !known,
		Channel:     &access.Channel{ID: b.org.nextID(), Name: name, Action: report.Create, Addresses: []string{c.Address}, Privacy: report.ValueOf(report.PrivacyText(zulip.PrivacyPublic))},
		after:       permission.Channel{Privacy: zulip.PrivacyPublic, Permissions: map[string]zulip.GroupSettingValue{}, SubscribersKnown: true},
	}
	if c.Does("delete") {
		reviewed.Action = report.Replace
	}
	b.applyPlan(reviewed, c, nil)
	b.serverDefaults(reviewed)
	b.initialSubscribers(reviewed, c)
	b.created = append(b.created, reviewed)
}

// serverDefaults fills in what the configuration leaves to the server, as the server says it does
// (server-behavior §P7).
func (b *builder) serverDefaults(reviewed *reviewedChannel) {
	for _, setting := range permission.ChannelSettings {
		if _, set := reviewed.planned[setting.Name]; set {
			continue
		}
		said, ok := b.org.Realm().SupportedPermissions[permission.Channels.Key][setting.Name]
		group, there := b.org.UserGroupByName(said.DefaultGroupName)
		switch {
		case ok && there:
			reviewed.after.Permissions[setting.Name] = zulip.NamedGroup(group.ID)
		case ok && said.DefaultGroupName == "channel_creator":
			reviewed.after.Permissions[setting.Name] = zulip.GroupSettingValue{DirectMembers: []int64{b.options.Store.Self().ID}}
		case ok:
			reviewed.after.Unknown[setting.Name] = true
		}
	}
}

// applyPlan records the privacy and the permissions that a change gives a channel.
func (b *builder) applyPlan(reviewed *reviewedChannel, c *plan.Change, current map[string]zulip.GroupSettingValue) {
	value, known := c.After().Text("privacy")
	was, _ := c.Before().Text("privacy")
	switch {
	case c.After().IsUnknown("privacy") && c.IsSet("privacy"):
		reviewed.after.PrivacyUnknown = true
		reviewed.Privacy = report.Value{Unknown: true}
	case known && value != was:
		reviewed.after.Privacy = zulip.Privacy(value)
		reviewed.Privacy = report.ValueOf(report.PrivacyText(reviewed.after.Privacy))
	}
	if policy, known := c.After().Text("topics_policy"); known {
		reviewed.after.TopicsPolicy = policy
	} else if c.After().IsUnknown("topics_policy") && c.IsSet("topics_policy") {
		reviewed.after.TopicsPolicyUnknown = true
	}
	reviewed.planned = b.plannedRights(c, permission.Channels, current)
	reviewed.after.Permissions, reviewed.after.Unknown = maps.Clone(reviewed.after.Permissions), maps.Clone(reviewed.after.Unknown)
	if reviewed.after.Unknown == nil {
		reviewed.after.Unknown = map[string]bool{}
	}
	for name, planned := range reviewed.planned {
		if planned.Unknown {
			reviewed.after.Unknown[name] = true
		} else {
			reviewed.after.Permissions[name] = planned.Value
		}
	}
}
