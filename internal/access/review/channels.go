package review

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// reviewedChannel is a channel that the plan changes, or that it creates.
type reviewedChannel struct {
	*access.Channel // as it is after the plan

	current *zulip.Channel // nil for one that is yet to be created
	before  permission.Channel
	planned map[string]access.PlannedPermission
	// in are the subscribers after the plan, if the plan says something of them; isExclusive says that nobody else is
	in, out []int64
	// made is what the plan writes of it as it will be; nil if it writes nothing, or ends it.
	made *plan.Change
	// isDefault is true if the server subscribes new accounts to it.
	isDefault   bool
	isExclusive bool
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
		b.settle(reviewed)
		if named || !permission.Same(permission.ChannelRights{Access: b.before, Channel: reviewed.before}, permission.ChannelRights{Access: b.after, Channel: reviewed.Facts}) {
			b.addChannel(reviewed)
		} else if beside := b.options.Beside; beside > 0 && i*beside/len(all) >= len(b.besideWas) {
			b.addBeside(reviewed)
		}
	}
	for _, reviewed := range b.created {
		b.settle(reviewed)
		b.addChannel(reviewed)
	}
	return nil
}

// settle works out what a channel will be, when every change is read: rules are proven of the same.
func (b *builder) settle(reviewed *reviewedChannel) {
	reviewed.applySubscribers()
	b.folderAfter(reviewed)
	b.joinDefault(&reviewed.Facts, reviewed.isDefault, reviewed.mayBecomeDefault())
	if !reviewed.Facts.IsArchived {
		b.channelsAfter = append(b.channelsAfter, reviewed.Channel)
	}
}

// reviewChannel returns what the review says of a channel that is there.
func (b *builder) reviewChannel(channel *zulip.Channel) *reviewedChannel {
	if reviewed, ok := b.channels[channel.ID]; ok {
		return reviewed
	}
	facts := permission.ChannelOf(channel)
	facts.Subscribers, facts.SubscribersKnown = b.org.Subscribers()[channel.ID]
	if !facts.SubscribersKnown {
		facts.Subscribers, facts.SubscribersKnown = b.read[channel.ID]
	}
	return &reviewedChannel{
		current: channel, before: facts, isDefault: channel.IsDefault,
		Channel: &access.Channel{ID: channel.ID, Name: channel.Name, Folder: b.org.folderOf(channel.FolderID), Facts: facts, Privacy: report.ValueOf(report.PrivacyText(facts.Privacy))},
	}
}

// reviewPlannedChannel is reviewChannel for a channel that the plan changes.
func (b *builder) reviewPlannedChannel(channel *zulip.Channel, c *plan.Change) *reviewedChannel {
	reviewed := b.reviewChannel(channel)
	b.channels[channel.ID] = reviewed
	if !slices.Contains(reviewed.Addresses, c.Address) {
		reviewed.Addresses = append(reviewed.Addresses, c.Address)
	}
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
	switch {
	case c.Does("delete") && !current.IsArchived:
		reviewed := b.reviewPlannedChannel(current, c)
		if reviewed.Action = report.Release; !isKept(before) {
			reviewed.Action, reviewed.Facts.IsArchived, reviewed.isDefault = report.Archive, true, false
		}
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
		reviewed.NameUnknown = after.IsUnknown("name") && c.IsSet("name")
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
	current, taken := b.org.Channels().ByName(name)
	if isBack := known && taken && b.isReplaced(c, current.ID); isBack || known && taken && current.IsArchived && after.IsTrue("adopt_archived") {
		reviewed := b.reviewPlannedChannel(current, c)
		if reviewed.Action = report.Reactivate; isBack {
			reviewed.Action = report.Replace
		}
		reviewed.Facts.IsArchived = false
		b.applyPlan(reviewed, c, current.Permissions)
		return
	}
	if !known {
		name = c.Address
		b.addDoubt(fmt.Sprintf("The name of %s is not known yet.", c.Address))
	}
	reviewed := &reviewedChannel{
		Channel: &access.Channel{ID: b.org.nextID(), Name: name, NameUnknown: !known, Action: report.Create, Addresses: []string{c.Address}, Privacy: report.ValueOf(report.PrivacyText(zulip.PrivacyPublic)),
			Facts: permission.Channel{Privacy: zulip.PrivacyPublic, Permissions: map[string]zulip.GroupSettingValue{}, SubscribersKnown: true}},
	}
	if c.Replaces != nil {
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
			reviewed.Facts.Permissions[setting.Name] = zulip.NamedGroup(group.ID)
		case ok && said.DefaultGroupName == "channel_creator":
			reviewed.Facts.Permissions[setting.Name] = zulip.GroupSettingValue{DirectMembers: []int64{b.options.Store.Self().ID}}
		case ok:
			reviewed.Facts.Unknown[setting.Name] = true
		}
	}
}

// applyPlan records the privacy and the permissions that a change gives a channel.
func (b *builder) applyPlan(reviewed *reviewedChannel, c *plan.Change, current map[string]zulip.GroupSettingValue) {
	reviewed.made = c
	if isDefault, known := c.After().Flag("is_default"); known {
		reviewed.isDefault = isDefault
	}
	value, known := c.After().Text("privacy")
	was, _ := c.Before().Text("privacy")
	switch {
	case c.After().IsUnknown("privacy") && c.IsSet("privacy"):
		reviewed.Facts.PrivacyUnknown = true
		reviewed.Privacy = report.Value{Unknown: true}
	case known && value != was:
		reviewed.Facts.Privacy = zulip.Privacy(value)
		reviewed.Privacy = report.ValueOf(report.PrivacyText(reviewed.Facts.Privacy))
	}
	if policy, known := c.After().Text("topics_policy"); known {
		reviewed.Facts.TopicsPolicy = policy
	} else if c.After().IsUnknown("topics_policy") && c.IsSet("topics_policy") {
		reviewed.Facts.TopicsPolicyUnknown = true
	}
	reviewed.planned = b.plannedRights(c, permission.Channels, current)
	reviewed.Facts.Permissions, reviewed.Facts.Unknown = maps.Clone(reviewed.Facts.Permissions), maps.Clone(reviewed.Facts.Unknown)
	if reviewed.Facts.Unknown == nil {
		reviewed.Facts.Unknown = map[string]bool{}
	}
	for name, planned := range reviewed.planned {
		if planned.Unknown {
			reviewed.Facts.Unknown[name] = true
		} else {
			reviewed.Facts.Permissions[name] = planned.Value
		}
	}
}

// addChannel adds a channel to the organization before and after.
func (b *builder) addChannel(reviewed *reviewedChannel) {
	is, why := reviewed.Channel, b.unknownReason(reviewed)
	if reviewed.current != nil {
		was := &access.Channel{ID: is.ID, Name: reviewed.current.Name}
		b.source(b.before).Describe(was, reviewed.before, nil, why)
		b.was.Channels = append(b.was.Channels, was)
	}
	b.source(b.after).Describe(is, reviewed.Facts, reviewed.planned, why)
	b.is.Channels = append(b.is.Channels, is)
}

// addBeside notes who can do what in a channel in which nothing changes.
func (b *builder) addBeside(reviewed *reviewedChannel) {
	was, is := &access.Channel{ID: reviewed.current.ID, Name: reviewed.current.Name}, &access.Channel{ID: reviewed.current.ID, Name: reviewed.current.Name}
	b.source(b.before).Describe(was, reviewed.before, nil, "")
	b.source(b.after).Describe(is, reviewed.Facts, nil, "")
	b.besideWas, b.besideIs = append(b.besideWas, was), append(b.besideIs, is)
}

// source works out rights; what the plan does not change has the names of before.
func (b *builder) source(people *permission.Access) access.Source {
	return access.Source{People: people, Names: b.org.Snapshot}
}

// readSubscribers reads who is in a channel of which the snapshot does not say it, if that makes a difference.
func (b *builder) readSubscribers(reviewed *reviewedChannel) error {
	if reviewed.before.SubscribersKnown || reviewed.current.IsArchived {
		return nil
	}
	was, is := permission.ChannelRights{Access: b.before, Channel: reviewed.before}, permission.ChannelRights{Access: b.after, Channel: reviewed.Facts}
	if reviewed.in == nil && reviewed.out == nil && !permission.NeedsSubscribers(was, is) {
		return nil
	}
	found, err := b.options.Store.Subscribers(b.ctx, reviewed.current.ID)
	if err != nil || found == nil {
		return err
	}
	reviewed.before.Subscribers, reviewed.before.SubscribersKnown = found, true
	reviewed.Facts.Subscribers, reviewed.Facts.SubscribersKnown = found, true
	return nil
}

// unknownReason says what it depends on who gains and who loses.
func (b *builder) unknownReason(reviewed *reviewedChannel) string {
	switch {
	case reviewed.unknownReason != "":
		return reviewed.unknownReason
	case reviewed.Facts.PrivacyUnknown:
		return "the plan does not know yet what kind of channel it will be"
	case reviewed.Facts.TopicsPolicyUnknown:
		return "the plan does not know yet whether messages of the channel will have topics"
	case len(reviewed.Facts.Unknown) > 0:
		names := slices.Sorted(maps.Keys(reviewed.Facts.Unknown))
		return "the plan does not know yet whom " + strings.Join(names, " and ") + " will name"
	case reviewed.current != nil && !reviewed.before.SubscribersKnown:
		return "who is in the channel cannot be asked"
	}
	return "it is not known yet who will be in a group, or whom a permission of the organization will name"
}

// initialSubscribers records who is in a new channel: by default nobody, in a private one the account the provider uses.
func (b *builder) initialSubscribers(reviewed *reviewedChannel, c *plan.Change) {
	texts, unknown, ok := c.After().List("initial_subscribers")
	if !ok && (reviewed.Facts.PrivacyUnknown || reviewed.Facts.Privacy.IsPrivate()) {
		texts = []string{fmt.Sprint(b.options.Store.Self().ID)}
	}
	ids, missing := b.org.findUsers(texts)
	reviewed.in, reviewed.isExclusive = ids, true
	b.addMissing(c, missing)
	if unknown || len(missing) > 0 {
		reviewed.unknownReason = "it is not known yet who will be in the channel"
	}
}

// subscribers records who is put into a channel and taken out.
func (b *builder) subscribers(c *plan.Change) {
	was, is := c.Before(), c.After()
	reviewed, ok := b.subscribersChannel(c)
	_, there := is.Number("channel_id")
	switch {
	case !ok && !c.HasAfter():
		return
	case !ok && there:
		b.addUnseen(c)
		return
	case !ok:
		b.addUnknown(fmt.Sprintf("Whom %s puts into which channel is not known yet.", c.Address))
		return
	}
	if c.Type == "zulip_channel_subscription" {
		added, _, _ := was.List("added_user_ids")
		out, _ := b.org.findUsers(added)
		reviewed.out = append(reviewed.out, out...)
	}
	if !c.HasAfter() {
		return // zulip_channel_subscribers leaves everybody where they are
	}
	users, unknown, _ := is.List("users")
	ids, missing := b.org.findUsers(users)
	b.addMissing(c, missing)
	reviewed.in = append(reviewed.in, ids...)
	reviewed.isExclusive = reviewed.isExclusive && c.Type == "zulip_channel_subscription" || c.Type == "zulip_channel_subscribers"
	if unknown || len(missing) > 0 {
		reviewed.unknownReason = fmt.Sprintf("it is not known yet whom %s puts into the channel", c.Address)
	}
}

// subscribersChannel finds the channel that a change of subscribers is about.
func (b *builder) subscribersChannel(c *plan.Change) (*reviewedChannel, bool) {
	m := c.After()
	if !c.HasAfter() {
		m = c.Before()
	}
	if id, ok := m.Number("channel_id"); ok {
		channel, ok := b.org.Channels().ByID(id)
		if !ok {
			return nil, false
		}
		return b.reviewPlannedChannel(channel, c), true
	}
	address, name := c.RefersTo("channel"), ""
	if text, ok := m.Text("channel"); ok {
		name = strings.TrimPrefix(text, "name:")
	}
	for _, reviewed := range b.created {
		if name != "" && strings.EqualFold(reviewed.Name, name) || address != "" && slices.Contains(reviewed.Addresses, address) {
			reviewed.Addresses = append(reviewed.Addresses, c.Address)
			return reviewed, true
		}
	}
	return nil, false
}

// applySubscribers works out who will be in a channel.
func (r *reviewedChannel) applySubscribers() {
	if r.in == nil && r.out == nil && r.unknownReason == "" && !r.isExclusive {
		return
	}
	subscribers := r.Facts.Subscribers
	if r.isExclusive {
		subscribers = nil
	}
	r.Facts.Subscribers = merged(subscribers, r.in, r.out)
	r.Facts.SubscribersKnown = r.unknownReason == "" && (r.Facts.SubscribersKnown || r.isExclusive)
}
