package rules

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Subscription is a person's subscription to a channel, with the person's own settings. Unsubscribing keeps the row, so
// that subscribing again restores them.
type Subscription struct {
	ID        int    `json:"id"`
	UserID    int    `json:"user_id"`
	ChannelID int    `json:"channel_id"`
	Active    bool   `json:"active"`
	Color     string `json:"color"`
	Muted     bool   `json:"muted,omitempty"`
	Pinned    bool   `json:"pinned,omitempty"`

	// nil: the person's general settings.
	Desktop   *bool `json:"desktop,omitempty"`
	Audible   *bool `json:"audible,omitempty"`
	Push      *bool `json:"push,omitempty"`
	Email     *bool `json:"email,omitempty"`
	Wildcards *bool `json:"wildcards,omitempty"`
}

// subscriberIndex finds subscriptions by person and by channel, and counts a channel's active subscribers without walking
// them.
type subscriberIndex struct {
	rows   map[[2]int]int       // person, channel → row, active or not
	active map[int]map[int]bool // channel → people subscribed, deactivated ones included
	of     map[int]map[int]bool // person → channels subscribed
	count  map[int]int          // channel → active people subscribed
	colors map[colorOf]int      // number of a person's subscriptions, active or not, with a color
}

func (o *Organization) indexSubscribers() {
	s := &o.subscribers
	s.rows, s.active, s.of, s.count = map[[2]int]int{}, map[int]map[int]bool{}, map[int]map[int]bool{}, map[int]int{}
	s.colors = map[colorOf]int{}
	o.Subscriptions.index(func(id int, before, after *Subscription) {
		if before != nil {
			s.colors[colorOf{before.UserID, before.Color}]--
			delete(s.rows, [2]int{before.UserID, before.ChannelID})
			if before.Active {
				delete(s.active[before.ChannelID], before.UserID)
				delete(s.of[before.UserID], before.ChannelID)
				s.count[before.ChannelID] -= o.countable(before.UserID)
			}
		}
		if after != nil {
			s.colors[colorOf{after.UserID, after.Color}]++
			s.rows[[2]int{after.UserID, after.ChannelID}] = id
			if after.Active {
				addTo(s.active, after.ChannelID, after.UserID)
				addTo(s.of, after.UserID, after.ChannelID)
				s.count[after.ChannelID] += o.countable(after.UserID)
			}
		}
	})
	o.Users.index(func(id int, before, after *User) {
		change := 0
		if before != nil && before.Active {
			change--
		}
		if after != nil && after.Active {
			change++
		}
		if change == 0 {
			return
		}
		for channel := range s.of[id] {
			s.count[channel] += change
		}
	})
}

// countable is 1 for an active person, otherwise 0.
func (o *Organization) countable(user int) int {
	if u, ok := o.Users.Get(user); ok && u.Active {
		return 1
	}
	return 0
}

// IsSubscribed reports whether a person is in a channel.
func (o *Organization) IsSubscribed(user, channel int) bool {
	return o.subscribers.of[user][channel]
}

// SubscriberCount is the number of active people, bots included, in a channel.
func (o *Organization) SubscriberCount(channel int) int { return o.subscribers.count[channel] }

// Subscribers returns the active people in a channel, ascending.
func (o *Organization) Subscribers(channel int) []int {
	people := []int{}
	for user := range o.subscribers.active[channel] {
		if o.countable(user) == 1 {
			people = append(people, user)
		}
	}
	slices.Sort(people)
	return people
}

// ChannelsOf returns the channels a person is in, ascending, archived ones
// included (server-behavior §S8).
func (o *Organization) ChannelsOf(user int) []int {
	channels := []int{}
	for channel := range o.subscribers.of[user] {
		channels = append(channels, channel)
	}
	slices.Sort(channels)
	return channels
}

// SubscriptionOf returns a person's subscription of a channel.
func (o *Organization) SubscriptionOf(user, channel int) (Subscription, bool) {
	sub, ok := o.FormerSubscriptionOf(user, channel)
	return sub, ok && sub.Active
}

// FormerSubscriptionOf returns a person's subscription of a channel, current or former.
func (o *Organization) FormerSubscriptionOf(user, channel int) (Subscription, bool) {
	return o.Subscriptions.Get(o.subscribers.rows[[2]int{user, channel}])
}

// subscribe subscribes a person to a channel and reports whether that was new. Without a color, it chooses the next one
// that is not among those chosen for other channels.
func (o *Organization) subscribe(user, channel int, color string, chosen ...string) bool {
	sub, known := o.FormerSubscriptionOf(user, channel)
	if known && sub.Active {
		return false
	}
	if !known {
		if color == "" {
			color = o.nextColor(user, channel, chosen)
		}
		sub = Subscription{ID: o.Subscriptions.NextID(), UserID: user, ChannelID: channel, Color: color}
		if ch, ok := o.Channels.Get(channel); ok && ch.DefaultPush {
			sub.Push = &ch.DefaultPush
		}
	}
	sub.Active = true
	o.Subscriptions.Put(sub.ID, sub)
	return true
}

func (o *Organization) unsubscribe(user, channel int) bool {
	sub, ok := o.SubscriptionOf(user, channel)
	if !ok {
		return false
	}
	sub.Active = false
	o.Subscriptions.Put(sub.ID, sub)
	return true
}

// Principal names a person by id or, when ID is 0, by the API address.
type Principal struct {
	ID    int
	Email string
}

// principals returns the people of a request: the caller if none are named. others is true if a user other than the caller
// was named by id.
func (o *Organization) principals(actor User, named []Principal) (people []User, others bool, err error) {
	if len(named) == 0 {
		return []User{actor}, false, nil
	}
	for _, p := range named {
		u, ok := o.Users.Get(p.ID)
		if p.ID == 0 {
			u, ok = o.UserByAPIEmail(p.Email)
		}
		if !ok {
			return nil, false, errNoSuchUser
		}
		if !u.Active {
			return nil, false, errUserDeactivated
		}
		if p.ID != actor.ID {
			others = true
		}
		if !slices.ContainsFunc(people, func(known User) bool { return known.ID == u.ID }) {
			people = append(people, u)
		}
	}
	return people, others, nil
}

// ChannelSpec is one channel of a request to subscribe people. The description is for a new channel.
type ChannelSpec struct{ Name, Description, Color string }

// SubscribeRequest is the request POST /users/me/subscriptions (https://zulip.com/api/subscribe).
type SubscribeRequest struct {
	Channels   []ChannelSpec
	Principals []Principal
	// Create describes the channels that do not exist yet.
	Create NewChannel
	// Lenient is true if inaccessible channels are reported instead of failing.
	Lenient bool
	// Quiet is true if people get no message about their subscription.
	Quiet bool
}

// MaxNewSubscriptionMessages is the maximum number of people who get a message about their subscription (server-behavior
// §S4).
const MaxNewSubscriptionMessages = 100

// SubscribeResult lists the new and the existing subscriptions; keys are people's ids.
type SubscribeResult struct {
	Subscribed, Already map[int][]string
	Unauthorized        []string
	Changed             int // number of people with a new subscription
}

// Subscribe subscribes people, creating the channels that do not exist.
func (o *Organization) Subscribe(actor User, in SubscribeRequest) (SubscribeResult, error) {
	result := SubscribeResult{Subscribed: map[int][]string{}, Already: map[int][]string{}, Unauthorized: []string{}}
	existing, created, colors, err := o.findOrCreate(actor, in)
	if err != nil {
		return result, err
	}
	people, others, err := o.principals(actor, in.Principals)
	if err != nil {
		return result, err
	}
	var channels []Channel
	for _, ch := range existing {
		if o.HasContentAccess(actor, ch) {
			channels = append(channels, ch)
			continue
		}
		if !in.Lenient {
			return result, Refuse("Unable to access channel (%s).", ch.Name)
		}
		result.Unauthorized = append(result.Unauthorized, ch.Name)
	}
	if others {
		for _, ch := range channels {
			if !o.mayAddSubscribers(actor, ch) {
				return result, errInsufficientPermission
			}
		}
	}
	joined, already := map[int][]Channel{}, map[int][]Channel{} // of the existing channels
	channels = distinctChannels(append(channels, created...))
	slices.SortFunc(channels, func(a, b Channel) int { return cmp.Compare(a.ID, b.ID) })
	chosen := slices.Collect(maps.Values(colors))
	for _, ch := range channels {
		isNew := slices.ContainsFunc(created, func(c Channel) bool { return c.ID == ch.ID })
		for _, u := range people {
			if !o.subscribe(u.ID, ch.ID, colors[ch.ID], chosen...) {
				already[u.ID] = append(already[u.ID], ch)
				continue
			}
			result.Subscribed[u.ID] = append(result.Subscribed[u.ID], ch.Name)
			if !isNew {
				joined[u.ID] = append(joined[u.ID], ch)
			}
		}
	}
	for user, channels := range already {
		result.Already[user] = o.inOrderOfJoining(user, channels)
	}
	result.Changed = len(result.Subscribed)
	o.postCreatedNotice(actor, created, in.Create.Announce)
	if !in.Quiet && result.Changed <= MaxNewSubscriptionMessages {
		o.notifySubscribed(actor, joined)
	}
	return result, nil
}

// inOrderOfJoining names a person's channels in the order of joining.
func (o *Organization) inOrderOfJoining(user int, channels []Channel) []string {
	slices.SortFunc(channels, func(a, b Channel) int {
		return cmp.Compare(o.subscribers.rows[[2]int{user, a.ID}], o.subscribers.rows[[2]int{user, b.ID}])
	})
	var names []string
	for _, ch := range channels {
		names = append(names, ch.Name)
	}
	return names
}

// distinctChannels removes duplicates: a request may name a channel several times.
func distinctChannels(channels []Channel) []Channel {
	var distinct []Channel
	for _, ch := range channels {
		if !slices.ContainsFunc(distinct, func(known Channel) bool { return known.ID == ch.ID }) {
			distinct = append(distinct, ch)
		}
	}
	return distinct
}

// findOrCreate splits the requested channels into existing ones, archived ones included, and new ones.
func (o *Organization) findOrCreate(actor User, in SubscribeRequest) (existing, created []Channel, colors map[int]string, err error) {
	if _, err := o.checkNewChannel(actor, in.Create); err != nil {
		return nil, nil, nil, err
	}
	for _, requested := range in.Channels {
		if err := checkChannelName(Strip(requested.Name)); err != nil {
			return nil, nil, nil, err
		}
	}
	missing := func(requested ChannelSpec) bool { _, ok := o.ChannelByName(requested.Name); return !ok }
	if slices.ContainsFunc(in.Channels, missing) {
		// POST /channels/create differs: it checks the permission to create first.
		if err := o.preparePermissions(actor, &Channel{}, in.Create); err != nil {
			return nil, nil, nil, err
		}
	}
	colors = map[int]string{}
	for _, requested := range in.Channels {
		name := Strip(requested.Name)
		spec := in.Create
		spec.Name, spec.Description = name, requested.Description
		if ch, ok := o.ChannelByName(name); ok {
			existing = append(existing, ch)
			colors[ch.ID] = requested.Color
			continue
		}
		ch, err := o.prepareChannel(actor, spec)
		if err != nil {
			return nil, nil, nil, err
		}
		o.insertChannel(&ch, spec.Default)
		created = append(created, ch)
		colors[ch.ID] = requested.Color
	}
	return existing, created, colors, nil
}

func (o *Organization) mayAddSubscribers(u User, ch Channel) bool {
	return u.IsAdmin() || o.MayRealm(u, "can_add_subscribers_group") ||
		o.mayChannel(u, ch, "can_administer_channel_group") || o.mayChannel(u, ch, "can_add_subscribers_group")
}

// UnsubscribeResult holds one entry per person and channel.
type UnsubscribeResult struct{ Removed, NotRemoved []string }

// Unsubscribe unsubscribes people from channels (server-behavior §S5).
func (o *Organization) Unsubscribe(actor User, names []string, named []Principal) (UnsubscribeResult, error) {
	result := UnsubscribeResult{Removed: []string{}, NotRemoved: []string{}}
	var channels []Channel
	var missing []string
	for _, name := range names {
		if ch, ok := o.ChannelByName(name); ok && lower(ch.Name) == lower(Strip(name)) {
			channels = append(channels, ch)
		} else { // also a name that only the database regards as equal
			missing = append(missing, Strip(name))
		}
	}
	people, _, err := o.principals(actor, named)
	if err != nil {
		return result, err
	}
	for _, name := range names {
		if err := checkChannelName(Strip(name)); err != nil {
			return result, err
		}
	}
	if !o.mayUnsubscribe(actor, people, channels) {
		return result, errInsufficientPermission
	}
	if len(missing) > 0 {
		return result, Refuse("Channel(s) (%s) do not exist", strings.Join(missing, ", "))
	}
	channels = distinctChannels(channels)
	for _, u := range people {
		for _, ch := range channels {
			if o.unsubscribe(u.ID, ch.ID) {
				result.Removed = append(result.Removed, ch.Name)
			} else {
				result.NotRemoved = append(result.NotRemoved, ch.Name)
			}
		}
	}
	return result, nil
}

// mayUnsubscribe reports whether the actor may unsubscribe people from all the channels. Guests never may, even without
// channels.
func (o *Organization) mayUnsubscribe(actor User, people []User, channels []Channel) bool {
	others := slices.ContainsFunc(people, func(u User) bool { return u.ID != actor.ID && (!u.IsBot || u.BotOwnerID != actor.ID) })
	if !others || actor.IsAdmin() {
		return true
	}
	if actor.IsGuest() {
		return false
	}
	administersAll, removesAll := true, true
	for _, ch := range channels {
		administersAll = administersAll && o.Administers(actor, ch)
		removesAll = removesAll && o.HasMetadataAccess(actor, ch) && o.mayChannel(actor, ch, "can_remove_subscribers_group")
	}
	return administersAll || removesAll
}

// subscriptionColors are given to subscriptions in turn.
var subscriptionColors = []string{
	"#76ce90", "#fae589", "#a6c7e5", "#e79ab5", "#bfd56f", "#f4ae55", "#b0a5fd", "#addfe5", "#f5ce6e", "#c2726a", "#94c849", "#bd86e5",
	"#ee7e4a", "#a6dcbf", "#95a5fd", "#53a063", "#9987e1", "#e4523d", "#c2c2c2", "#4f8de4", "#c6a8ad", "#e7cc4d", "#c8bebf", "#a47462",
}

// colorOf is a color of one of a person's subscriptions.
type colorOf struct {
	user  int
	color string
}

// nextColor returns the first color that neither the person's subscriptions nor the chosen ones have. If all are used, it
// returns a color by the channel.
func (o *Organization) nextColor(user, channel int, chosen []string) string {
	for _, color := range subscriptionColors {
		if o.subscribers.colors[colorOf{user, color}] == 0 && !slices.Contains(chosen, color) {
			return color
		}
	}
	return subscriptionColors[channel%len(subscriptionColors)]
}
