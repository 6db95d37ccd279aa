package rules

import (
	"regexp"
	"slices"
	"strings"
)

// PersonalSettings are the settings of one person that were changed, or were not the standard ones when the account was
// created. UserSettings has the rest.
type PersonalSettings struct {
	UserDefaults
	// Edited are the names of the settings that the person changed.
	Edited map[string]bool `json:"edited,omitempty"`
}

// OthersSettings selects the people whose settings an administrator changes.
type OthersSettings struct {
	Users, Groups []int
	// SkipEdited skips settings that people have ever changed themselves.
	SkipEdited bool
}

// errNotForOthers refuses settings that only people themselves change.
var errNotForOthers = Refuse("Cannot change this setting for other users.")

// notForOthers are the settings that administrators cannot change for others.
var notForOthers = strings.Fields("allow_private_data_export email_address_visibility enable_digest_emails " +
	"enable_login_emails enable_marketing_emails presence_enabled send_private_typing_notifications " +
	"send_read_receipts send_stream_typing_notifications")

// UserSetting returns a person's value of one of UserSettings.
func (o *Organization) UserSetting(id int, s UserSetting) any {
	u, _ := o.Users.Get(id)
	switch s.Name {
	case emailVisibility:
		return u.EmailVisibility
	case Timezone:
		return u.Timezone
	}
	settings, _ := o.PersonalSettings.Get(id)
	return o.settingIn(settings.UserDefaults, s)
}

// Settings stored with the account.
const (
	Timezone        = "timezone"
	emailVisibility = "email_address_visibility"
)

// OwnChange is a change of one's own account; nil leaves things unchanged.
type OwnChange struct {
	UserDefaults
	FullName, Email          *string
	OldPassword, NewPassword *string
}

// UpdateOwnSettings changes the actor, except for a new address, which must be confirmed by email (server-behavior §U20).
func (o *Organization) UpdateOwnSettings(actor User, change OwnChange) error {
	if err := change.check(); err != nil {
		return err
	}
	if change.NewPassword != nil {
		if change.OldPassword == nil || !actor.hasPassword(*change.OldPassword) {
			return Refuse("Wrong password!")
		}
		if err := checkPassword(*change.NewPassword, "New password is too weak!"); err != nil {
			return err
		}
		if err := o.SetPassword(actor.ID, *change.NewPassword); err != nil {
			return err
		}
		o.Commit()
		actor, _ = o.Users.Get(actor.ID)
	}
	if change.Email != nil {
		if err := o.checkNewAddress(actor, Strip(*change.Email)); err != nil {
			return err
		}
	}
	mayRename := actor.IsAdmin() || !o.Settings().NameChangesDisabled
	if change.FullName != nil && *change.FullName != actor.FullName && mayRename {
		var err error
		if actor.FullName, err = o.checkFullName(*change.FullName, actor.ID); err != nil {
			return err
		}
	}
	if visibility, ok := change.Numbers[emailVisibility]; ok {
		actor.EmailVisibility = visibility
	}
	if zone, ok := change.Texts[Timezone]; ok {
		actor.Timezone = zone
	}
	o.Users.Put(actor.ID, actor)
	o.changeSettings(actor.ID, change.UserDefaults, true)
	return nil
}

// checkNewAddress refuses a new address that a person cannot use.
func (o *Organization) checkNewAddress(actor User, address string) error {
	if address == actor.Email {
		return nil
	}
	if o.Settings().EmailChangesDisabled && !actor.IsAdmin() {
		return Refuse("Email address changes are disabled in this organization.")
	}
	problem := o.addressProblem(address)
	if problem == "" {
		problem, _ = o.addressTaken(address)
	}
	if problem != "" {
		return Refuse("%s", problem)
	}
	return nil
}

// UpdateSettingsOf changes settings of others, active or not. Bots have none. The sound and the period of emails are not
// checked, like on a real server.
func (o *Organization) UpdateSettingsOf(actor User, whose OthersSettings, change UserDefaults) error {
	if !actor.IsAdmin() {
		return ErrMustBeAdministrator
	}
	for _, name := range notForOthers {
		if change.names(name) {
			return errNotForOthers
		}
	}
	people, err := o.peopleOf(whose)
	if err != nil {
		return err
	}
	for _, id := range people {
		settings, _ := o.PersonalSettings.Get(id)
		mine := change
		if whose.SkipEdited {
			mine = change.without(settings.Edited)
		}
		o.changeSettings(id, mine, false)
	}
	return nil
}

// peopleOf lists the selected people, including group members.
func (o *Organization) peopleOf(whose OthersSettings) ([]int, error) {
	named := slices.Clone(whose.Users)
	for _, id := range whose.Groups {
		g, ok := o.Groups.Get(id)
		if !ok {
			return nil, Refuse("Invalid user group ID: %d", id)
		}
		named = append(named, o.AllMembers(g)...)
	}
	var people []int
	for _, id := range sortedSet(named) {
		u, ok := o.Users.Get(id)
		switch {
		case !ok:
			return nil, Refuse("Invalid user ID: %d", id)
		case !u.IsBot:
			people = append(people, id)
		}
	}
	return people, nil
}

func (o *Organization) changeSettings(id int, change UserDefaults, own bool) {
	before, _ := o.PersonalSettings.Get(id)
	after := PersonalSettings{UserDefaults: change.override(before.UserDefaults), Edited: merged(before.Edited, nil)}
	for _, s := range slices.Concat(UserSettings, OwnUserSettings) {
		if own && change.names(s.Name) && o.settingIn(before.UserDefaults, s) != o.settingIn(after.UserDefaults, s) {
			after.Edited[s.Name] = true
		}
	}
	o.PersonalSettings.Put(id, after)
}

// names reports whether a setting is changed.
func (change UserDefaults) names(setting string) bool {
	_, flag := change.Flags[setting]
	_, number := change.Numbers[setting]
	_, text := change.Texts[setting]
	return flag || number || text
}

// without returns the change without some settings.
func (change UserDefaults) without(edited map[string]bool) UserDefaults {
	return UserDefaults{leaveOut(change.Flags, edited), leaveOut(change.Numbers, edited), leaveOut(change.Texts, edited)}
}

func leaveOut[T any](all map[string]T, names map[string]bool) map[string]T {
	left := map[string]T{}
	for name, value := range all {
		if !names[name] {
			left[name] = value
		}
	}
	return left
}

// hexColor matches a subscription's color.
var hexColor = regexp.MustCompile(`^#([0-9a-fA-F]{3,6})$`)

// IsColor reports whether a text can be a subscription's color.
func IsColor(s string) bool { return hexColor.MatchString(s) }

// SetSubscriptionProperty changes one of the caller's own settings of a channel
// (server-behavior §S7). The value is a bool or, for color, a string.
func (o *Organization) SetSubscriptionProperty(actor User, channel int, property string, value any) error {
	if err := CheckSubscriptionProperty(property, value); err != nil {
		return err
	}
	ch, ok := o.Channels.Get(channel)
	if !ok || ch.Archived || !o.HasContentAccess(actor, ch) {
		return errInvalidChannelID
	}
	sub, ok := o.SubscriptionOf(actor.ID, channel)
	if !ok {
		return Refuse("Not subscribed to channel ID %d", channel)
	}
	if property == "color" {
		color, ok := value.(string)
		if !ok {
			return Refuse("color is not a string")
		}
		sub.Color = color
	} else {
		on, _ := value.(bool)
		boolProperty(&sub, property)(on)
	}
	o.Subscriptions.Put(sub.ID, sub)
	return nil
}

// CheckSubscriptionProperty refuses an unknown property, and a non-boolean value of a boolean one.
func CheckSubscriptionProperty(property string, value any) error {
	if property == "color" {
		return nil
	}
	if boolProperty(&Subscription{}, property) == nil {
		return Refuse("Unknown subscription property: %s", property)
	}
	if _, ok := value.(bool); !ok {
		return Refuse("%s is not a boolean", property)
	}
	return nil
}

// boolProperty returns a function that sets a property of sub; nil if the name is unknown. in_home_view is the old name,
// and means not muted.
func boolProperty(sub *Subscription, property string) func(bool) {
	into := func(field **bool) func(bool) { return func(on bool) { *field = &on } }
	switch property {
	case "is_muted":
		return func(on bool) { sub.Muted = on }
	case "in_home_view":
		return func(on bool) { sub.Muted = !on }
	case "pin_to_top":
		return func(on bool) { sub.Pinned = on }
	case "desktop_notifications":
		return into(&sub.Desktop)
	case "audible_notifications":
		return into(&sub.Audible)
	case "push_notifications":
		return into(&sub.Push)
	case "email_notifications":
		return into(&sub.Email)
	case "wildcard_mentions_notify":
		return into(&sub.Wildcards)
	default:
		return nil
	}
}

// Visibilities of a topic for a person, beyond the channel's own settings.
const (
	TopicInherits = 0
	TopicMuted    = 1
	TopicUnmuted  = 2
	TopicFollowed = 3
)

// TopicVisibility is a person's own visibility of one topic. The sandbox makes the automatic changes of the server
// (server-behavior §M4) under the default settings of accounts. A person who starts a topic or is mentioned in it follows
// it, and a person who writes in a muted channel unmutes the topic.
type TopicVisibility struct {
	UserID    int    `json:"user_id"`
	ChannelID int    `json:"channel_id"`
	Topic     string `json:"topic"`
	Policy    int    `json:"policy"`
	Updated   int64  `json:"updated"` // Unix seconds
}

type topicOf struct {
	user, channel int
	topic         string // in lower case
}

func (v TopicVisibility) key() topicOf {
	return topicOf{v.UserID, v.ChannelID, strings.ToLower(v.Topic)}
}

func (o *Organization) indexTopicVisibility() {
	o.visibility = map[topicOf]int{}
	o.TopicVisibilities.index(func(id int, before, after *TopicVisibility) {
		if before != nil {
			delete(o.visibility, before.key())
		}
		if after != nil {
			o.visibility[after.key()] = id
		}
	})
}

// visibilityOf returns a person's policy for a topic.
func (o *Organization) visibilityOf(user, channel int, topic string) int {
	row, _ := o.TopicVisibilities.Get(o.visibility[topicOf{user, channel, strings.ToLower(topic)}])
	return row.Policy
}

func (o *Organization) setVisibility(v TopicVisibility) {
	v.Updated = o.now().Unix()
	id, known := o.visibility[v.key()]
	switch {
	case v.Policy == TopicInherits:
		o.TopicVisibilities.Delete(id)
	case known:
		o.TopicVisibilities.Put(id, v)
	default:
		o.TopicVisibilities.Put(o.TopicVisibilities.NextID(), v)
	}
}

// followSent changes the policy of a sent message's topic for its sender, and returns the new policy; 0 if unchanged.
func (o *Organization) followSent(sender User, m Message, starts bool) int {
	if sender.IsBot || m.Direct() {
		return TopicInherits
	}
	sub, _ := o.SubscriptionOf(sender.ID, m.ChannelID)
	now := o.visibilityOf(sender.ID, m.ChannelID, m.Topic)
	policy := TopicInherits
	switch {
	case now == TopicFollowed:
	case starts:
		policy = TopicFollowed
	case sub.Muted && now != TopicUnmuted:
		policy = TopicUnmuted
	}
	if policy != TopicInherits {
		o.setVisibility(TopicVisibility{UserID: sender.ID, ChannelID: m.ChannelID, Topic: m.Topic, Policy: policy})
	}
	return policy
}

// followMentioned lets mentioned people follow the topic.
func (o *Organization) followMentioned(m Message, said mentions) {
	if m.Direct() {
		return
	}
	for _, id := range said.people {
		if u, ok := o.Users.Get(id); ok && !u.IsBot && m.received(id) && o.visibilityOf(id, m.ChannelID, m.Topic) != TopicFollowed {
			o.setVisibility(TopicVisibility{UserID: id, ChannelID: m.ChannelID, Topic: m.Topic, Policy: TopicFollowed})
		}
	}
}

// moveVisibility moves all policies along with a topic that moved completely. If both topics have one, the more visible
// wins.
func (o *Organization) moveVisibility(from, to Message) {
	var moved []TopicVisibility
	for _, v := range o.TopicVisibilities.All() {
		if v.ChannelID == from.ChannelID && strings.EqualFold(v.Topic, from.Topic) {
			moved = append(moved, v)
		}
	}
	for _, v := range moved {
		policy := max(v.Policy, o.visibilityOf(v.UserID, to.ChannelID, to.Topic))
		v.Policy = TopicInherits
		o.setVisibility(v)
		if ch, ok := o.Channels.Get(to.ChannelID); ok && o.HasContentAccess(o.Sender(v.UserID), ch) {
			o.setVisibility(TopicVisibility{UserID: v.UserID, ChannelID: to.ChannelID, Topic: to.Topic, Policy: policy})
		}
	}
}
