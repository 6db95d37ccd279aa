package review

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// room is a channel that the plan changes, or that it creates.
type room struct {
	channel *zulip.Channel // nil for one that is yet to be created
	says    *Channel
	before  permission.Channel
	after   permission.Channel
	rights  map[string]planned
	// in are the subscribers after the plan, if the plan says something of them; vague: and others.
	in, out []int64
	exactly bool
	vague   string // what it depends on who will be in it; "" if that is known
}

// compareChannels says who gains and who loses which right in which channel: in those that the plan changes, those it
// creates, and those in which a change of something else has effects.
func (b *builder) compareChannels() error {
	for _, change := range b.of("zulip_channel") {
		b.channel(change)
	}
	for _, change := range b.of("zulip_channel_subscribers", "zulip_channel_subscription") {
		b.subscribers(change)
	}
	for _, channel := range b.names.ChannelList() {
		room, named := b.channels[channel.ID]
		if !named {
			if channel.IsArchived {
				continue
			}
			room = b.roomOf(channel)
		}
		if err := b.compareRoom(room); err != nil {
			return err
		}
		if named || len(room.says.Rights) > 0 {
			b.review.Channels = append(b.review.Channels, room.says)
		}
	}
	for _, room := range b.created {
		b.newRoom(room)
		b.review.Channels = append(b.review.Channels, room.says)
	}
	b.review.Channels = arranged(b.review.Channels)
	return nil
}

// roomOf returns the room of a channel that is there.
func (b *builder) roomOf(channel *zulip.Channel) *room {
	if room, ok := b.channels[channel.ID]; ok {
		return room
	}
	facts := permission.ChannelOf(channel)
	facts.Subscribers, facts.SubscribersKnown = b.names.Subscribers(channel.ID)
	privacy := said(privacyWords(facts.Privacy))
	return &room{
		channel: channel, before: facts, after: facts,
		says: &Channel{
			ID: channel.ID, Name: channel.Name, Addresses: []string{}, Privacy: Change{privacy, privacy},
			Rights: []*Right{}, Joins: b.crowd.nobody(), Leaves: b.crowd.nobody(),
		},
	}
}

// named is roomOf for a channel that the plan changes.
func (b *builder) named(channel *zulip.Channel, c *change) *room {
	room := b.roomOf(channel)
	b.channels[channel.ID] = room
	room.says.Addresses = append(room.says.Addresses, c.Address)
	return room
}

// channel takes up the change of a zulip_channel.
func (b *builder) channel(c *change) {
	before, after := c.before(), c.after()
	var held *zulip.Channel
	if id, ok := before.number("id"); ok {
		held, _ = b.names.Channel(id)
	}
	if held == nil && !c.does("create") {
		b.unseen(c)
		return
	}
	if c.does("delete") && held != nil && !held.IsArchived {
		room := b.named(held, c)
		if room.says.Action = Release; !keeps(before) {
			room.says.Action, room.after.IsArchived = Archive, true
		}
	}
	switch {
	case c.does("forget") && !held.IsArchived:
		b.named(held, c).says.Action = Release
	case c.does("create"):
		b.create(c)
	case c.does("update"):
		room := b.named(held, c)
		room.says.Action = Update
		b.plan(room, c, held.Permissions)
		if name, ok := after.text("name"); ok && name != held.Name {
			room.says.Name, room.says.OldName = name, held.Name
		}
	}
}

// keeps reports whether destroying the channel leaves it as it is.
func keeps(m moment) bool {
	word, _ := m.text("on_destroy")
	return word == "keep"
}

// create takes up a channel that is created, or taken back from the archive.
func (b *builder) create(c *change) {
	after := c.after()
	name, known := after.text("name")
	if held, ok := b.names.ChannelByName(name); known && ok && held.IsArchived && after.isTrue("adopt_archived") {
		room := b.named(held, c)
		room.says.Action, room.after.IsArchived = Reactivate, false
		b.plan(room, c, held.Permissions)
		return
	}
	if !known {
		name = c.Address
		b.unsure(fmt.Sprintf("The name of %s is not known yet.", c.Address))
	}
	room := &room{
		says: &Channel{
			Name: name, Action: Create, Addresses: []string{c.Address}, Rights: []*Right{}, Joins: b.crowd.nobody(), Leaves: b.crowd.nobody(),
			Privacy: Change{After: said(privacyWords(zulip.PrivacyPublic))},
		},
		after: permission.Channel{Privacy: zulip.PrivacyPublic, Permissions: map[string]zulip.GroupSettingValue{}, SubscribersKnown: true},
	}
	if c.does("delete") {
		room.says.Action = Replace
	}
	b.plan(room, c, nil)
	b.serverDefaults(room)
	b.initialSubscribers(room, c)
	b.created = append(b.created, room)
}

// serverDefaults fills in what the configuration leaves to the server, as the server says it does (wire-1 §2).
func (b *builder) serverDefaults(room *room) {
	for _, setting := range permission.ChannelSettings {
		if _, set := room.rights[setting.Name]; set {
			continue
		}
		said, ok := b.names.Realm().SupportedPermissions[permission.Channels.Key][setting.Name]
		group, there := b.names.UserGroupByName(said.DefaultGroupName)
		switch {
		case ok && there:
			room.after.Permissions[setting.Name] = zulip.NamedGroup(group.ID)
		case ok && said.DefaultGroupName == "channel_creator":
			room.after.Permissions[setting.Name] = zulip.GroupSettingValue{DirectMembers: []int64{b.options.Directory.Self().ID}}
		case ok:
			room.after.Unknown[setting.Name] = true
		}
	}
}

// initialSubscribers takes up who is in a new channel: by default nobody, in a private one the account the provider uses.
func (b *builder) initialSubscribers(room *room, c *change) {
	texts, unknown, ok := c.after().list("initial_subscribers")
	if !ok && (room.after.PrivacyUnknown || room.after.Privacy.IsPrivate()) {
		texts = []string{fmt.Sprint(b.options.Directory.Self().ID)}
	}
	ids, missing := b.names.people(texts)
	room.in, room.exactly = ids, true
	b.missing(c, missing)
	if unknown || len(missing) > 0 {
		room.vague = "it is not known yet who will be in the channel"
	}
}

// plan takes up the privacy and the permissions that a change gives a channel.
func (b *builder) plan(room *room, c *change, held map[string]zulip.GroupSettingValue) {
	word, known := c.after().text("privacy")
	was, _ := c.before().text("privacy")
	switch {
	case c.after().isUnknown("privacy") && c.isSet("privacy"):
		room.after.PrivacyUnknown = true
		room.says.Privacy.After = Value{Unknown: true}
	case known && word != was:
		room.after.Privacy = zulip.Privacy(word)
		room.says.Privacy.After = said(privacyWords(room.after.Privacy))
	}
	room.rights = b.plannedRights(c, permission.Channels, held)
	room.after.Permissions, room.after.Unknown = maps.Clone(room.after.Permissions), map[string]bool{}
	for name, planned := range room.rights {
		if planned.unknown {
			room.after.Unknown[name] = true
		} else {
			room.after.Permissions[name] = planned.value
		}
	}
}

// subscribers takes up who is put into a channel and taken out.
func (b *builder) subscribers(c *change) {
	was, is := c.before(), c.after()
	room, ok := b.targetRoom(c)
	_, there := is.number("channel_id")
	switch {
	case !ok && c.Change.After == nil:
		return
	case !ok && there:
		b.unseen(c)
		return
	case !ok:
		b.unsure(fmt.Sprintf("Whom %s puts into which channel is not known yet.", c.Address))
		return
	}
	if c.Type == "zulip_channel_subscription" {
		added, _, _ := was.list("added_user_ids")
		out, _ := b.names.people(added)
		room.out = append(room.out, out...)
	}
	if c.Change.After == nil {
		return // zulip_channel_subscribers leaves everybody where they are
	}
	users, unknown, _ := is.list("users")
	ids, missing := b.names.people(users)
	b.missing(c, missing)
	room.in = append(room.in, ids...)
	room.exactly = room.exactly && c.Type == "zulip_channel_subscription" || c.Type == "zulip_channel_subscribers"
	if unknown || len(missing) > 0 {
		room.vague = fmt.Sprintf("it is not known yet whom %s puts into the channel", c.Address)
	}
}

// targetRoom finds the channel that a change of subscribers is about.
func (b *builder) targetRoom(c *change) (*room, bool) {
	m := c.after()
	if c.Change.After == nil {
		m = c.before()
	}
	if id, ok := m.number("channel_id"); ok {
		channel, ok := b.names.Channel(id)
		if !ok {
			return nil, false
		}
		return b.named(channel, c), true
	}
	address, name := c.refersTo("channel"), ""
	if text, ok := m.text("channel"); ok {
		name = strings.TrimPrefix(text, "name:")
	}
	for _, room := range b.created {
		if name != "" && strings.EqualFold(room.says.Name, name) || address != "" && slices.Contains(room.says.Addresses, address) {
			room.says.Addresses = append(room.says.Addresses, c.Address)
			return room, true
		}
	}
	return nil, false
}

// settle works out who will be in a channel.
func (r *room) settle() {
	if r.in == nil && r.out == nil && r.vague == "" {
		return
	}
	subscribers := r.after.Subscribers
	if r.exactly {
		subscribers = nil
	}
	r.after.Subscribers = merged(subscribers, r.in, r.out)
	r.after.SubscribersKnown = r.vague == "" && (r.after.SubscribersKnown || r.exactly)
}

// compareRoom says who gains and who loses in a channel that is there.
func (b *builder) compareRoom(room *room) error {
	was, is := permission.State{Access: b.before, Channel: room.before}, permission.State{Access: b.after}
	if err := b.ask(room); err != nil {
		return err
	}
	room.settle()
	was.Channel, is.Channel = room.before, room.after
	effects := map[permission.Right]permission.Effect{}
	for _, effect := range permission.Compare(was, is) {
		effect.Lose = effect.Lose.Minus(b.gone())
		if effect.Unknown || effect.NobodyLeft || !effect.Gain.IsEmpty() || !effect.Lose.IsEmpty() {
			effects[effect.Right] = effect
		}
	}
	if room.before.SubscribersKnown && room.after.SubscribersKnown {
		in, later := b.before.People(room.before.Subscribers), b.before.People(room.after.Subscribers)
		room.says.Joins, room.says.Leaves = b.crowd.of(later.Minus(in)), b.crowd.of(in.Minus(later))
	}
	for _, right := range permission.Rights {
		effect, differs := effects[right]
		planned, changes := room.rights[string(right)]
		reading := right == permission.CanRead && room.says.Privacy.Differs()
		if !differs && !changes && !reading {
			continue
		}
		room.says.Rights = append(room.says.Rights, b.right(room, right, effect, planned, changes))
	}
	return nil
}

// ask reads who is in a channel of which the snapshot does not say it, if that makes a difference.
func (b *builder) ask(room *room) error {
	if room.before.SubscribersKnown || room.channel.IsArchived {
		return nil
	}
	was, is := permission.State{Access: b.before, Channel: room.before}, permission.State{Access: b.after, Channel: room.after}
	if room.in == nil && room.out == nil && !permission.NeedsSubscribers(was, is) {
		return nil
	}
	found, err := b.options.Directory.Subscribers(b.ctx, room.channel.ID)
	if err != nil || found == nil {
		return err
	}
	room.before.Subscribers, room.before.SubscribersKnown = found, true
	room.after.Subscribers, room.after.SubscribersKnown = found, true
	return nil
}

// right says what happens to a right in a channel that is there.
func (b *builder) right(room *room, right permission.Right, effect permission.Effect, planned planned, changes bool) *Right {
	says := &Right{
		Name: string(right), Text: right.InWords(), Change: planned.change, NobodyLeft: effect.NobodyLeft,
		Gain: b.crowd.of(effect.Gain), Lose: b.crowd.of(effect.Lose), Unknown: effect.Unknown,
	}
	switch {
	case right == permission.CanRead:
		says.Change, says.Internet = room.says.Privacy, internet(room.before, room.after)
	case !changes:
		value := Value{Words: words(room.before.Permissions[string(right)], b.names.View)}
		says.Change = Change{value, value}
	}
	if says.Unknown {
		says.Why = b.why(room, planned)
	}
	says.locksOut = right == permission.CanAdministerChannel && slices.ContainsFunc(says.Lose.Accounts, func(a *Account) bool { return a.IsSelf })
	return says
}

// why says what it depends on who gains and who loses.
func (b *builder) why(room *room, planned planned) string {
	switch {
	case planned.why != "":
		return planned.why
	case room.vague != "":
		return room.vague
	case room.after.PrivacyUnknown:
		return "the plan does not know yet what kind of channel it will be"
	case len(room.after.Unknown) > 0:
		names := slices.Sorted(maps.Keys(room.after.Unknown))
		return "the plan does not know yet whom " + strings.Join(names, " and ") + " will name"
	case !room.before.SubscribersKnown:
		return "who is in the channel cannot be asked"
	}
	return "it is not known yet who will be in a group, or whom a permission of the organization will name"
}

// internet says whether anyone outside the organization comes to read a channel, or does no more.
func internet(before, after permission.Channel) string {
	was, is := before.Privacy == zulip.PrivacyWebPublic, after.Privacy == zulip.PrivacyWebPublic && !after.PrivacyUnknown
	switch {
	case is && !was:
		return InternetGains
	case was && !is && !after.PrivacyUnknown:
		return InternetLoses
	}
	return ""
}

// newRoom says who can do what in a new channel: who reads it, and what the plan sets.
func (b *builder) newRoom(room *room) {
	room.settle()
	for _, right := range permission.Rights {
		planned, set := room.rights[string(right)]
		if !set && right != permission.CanRead {
			continue
		}
		who, certain := b.after.Can(right, room.after)
		says := &Right{
			Name: string(right), Text: right.InWords(), Change: planned.change, Gain: b.crowd.of(who), Lose: b.crowd.nobody(), Unknown: !certain,
		}
		if right == permission.CanRead {
			says.Change, says.Internet = room.says.Privacy, internet(permission.Channel{}, room.after)
		}
		if says.Unknown {
			says.Gain, says.Why = b.crowd.nobody(), b.why(room, planned)
		}
		room.says.Rights = append(room.says.Rights, says)
	}
	room.says.Joins = b.crowd.of(b.after.People(room.after.Subscribers))
}

// arranged puts those channels beside one another in which the same happens, those first that the plan changes itself.
func arranged(channels []*Channel) []*Channel {
	var named, affected []*Channel
	for _, channel := range channels {
		if len(channel.Addresses) > 0 {
			named = append(named, channel)
		} else {
			affected = append(affected, channel)
		}
	}
	return append(grouped(named), grouped(affected)...)
}

func grouped(channels []*Channel) []*Channel {
	var order []string
	alike := map[string][]*Channel{}
	for _, channel := range channels {
		key := channel.effects()
		if alike[key] == nil {
			order = append(order, key)
		}
		alike[key] = append(alike[key], channel)
	}
	var all []*Channel
	for _, key := range order {
		all = append(all, alike[key]...)
	}
	return all
}

// effects is the same text for channels in which the same happens.
func (c *Channel) effects() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s %t %q", c.Action, len(c.Addresses) > 0, c.Privacy)
	for _, right := range c.Rights {
		fmt.Fprintf(&text, "\n%s %q %p %p %s %t %t %s", right.Name, right.Change, right.Gain, right.Lose, right.Internet, right.NobodyLeft, right.Unknown, right.Why)
	}
	fmt.Fprintf(&text, "\n%p %p", c.Joins, c.Leaves)
	return text.String()
}

// privacyWords are what kind of channel it is, for people.
func privacyWords(privacy zulip.Privacy) string {
	switch privacy {
	case zulip.PrivacyWebPublic:
		return "public on the web"
	case zulip.PrivacyPublic:
		return "public"
	case zulip.PrivacyPrivateSharedHistory:
		return "private, with shared history"
	case zulip.PrivacyPrivateProtectedHistory:
		return "private, with protected history"
	}
	return string(privacy)
}
