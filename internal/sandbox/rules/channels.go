package rules

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// Topics policies of a channel (server-behavior §C15).
const (
	TopicsInherit       = "inherit"
	TopicsAllowEmpty    = "allow_empty_topic"
	TopicsDisableEmpty  = "disable_empty_topic"
	TopicsOnlyEmpty     = "empty_topic_only"
	maxChannelName      = 60
	unlimitedRetention  = -1
	EmptyTopicShownName = "general chat" // how an empty topic is shown
)

// TopicsPolicies lists the values of a channel's topics_policy.
var TopicsPolicies = []string{TopicsInherit, TopicsAllowEmpty, TopicsDisableEmpty, TopicsOnlyEmpty}

// Channel is a channel ("stream" on most of the API).
type Channel struct {
	ID            int                   `json:"id"`
	Name          string                `json:"name"`
	Description   string                `json:"description"`
	Private       bool                  `json:"private,omitempty"`
	WebPublic     bool                  `json:"web_public,omitempty"`
	SharedHistory bool                  `json:"shared_history,omitempty"`
	RetentionDays *int                  `json:"retention_days"` // nil: the organization's; -1: unlimited
	TopicsPolicy  string                `json:"topics_policy"`
	DefaultPush   bool                  `json:"default_push,omitempty"` // of new subscribers
	FolderID      *int                  `json:"folder_id"`
	Archived      bool                  `json:"archived,omitempty"`
	CreatorID     *int                  `json:"creator_id"`
	DateCreated   int64                 `json:"date_created"` // Unix seconds
	Permissions   map[string]GroupValue `json:"permissions"`  // values of all ChannelPermissions
}

// channelIndex finds channels by name, in any case.
type channelIndex struct {
	byName map[string]int
}

func (o *Organization) indexChannels() {
	o.channels.byName = map[string]int{}
	o.Channels.index(func(id int, before, after *Channel) {
		if before != nil {
			delete(o.channels.byName, upper(before.Name))
		}
		if after != nil {
			o.channels.byName[upper(after.Name)] = id
		}
	})
}

// ChannelByName finds a channel, archived ones included: they keep their names
// (server-behavior §C7).
func (o *Organization) ChannelByName(name string) (Channel, bool) {
	id, ok := o.channels.byName[upper(Strip(name))]
	if !ok {
		return Channel{}, false
	}
	return o.Channels.Get(id)
}

// HasContentAccess reports whether a person can read the channel's messages (server-behavior §C16). The role of
// administrator is not enough.
func (o *Organization) HasContentAccess(u User, ch Channel) bool {
	if ch.WebPublic || o.IsSubscribed(u.ID, ch.ID) {
		return true
	}
	if u.IsGuest() {
		return false
	}
	return !ch.Private || o.mayChannel(u, ch, "can_subscribe_group") || o.mayChannel(u, ch, "can_add_subscribers_group")
}

// HasMetadataAccess reports whether a person can see that the channel exists (server-behavior §C16).
func (o *Organization) HasMetadataAccess(u User, ch Channel) bool {
	return u.IsAdmin() || o.HasContentAccess(u, ch) || o.mayChannel(u, ch, "can_administer_channel_group")
}

// Administers reports whether a person is the channel's administrator.
func (o *Organization) Administers(u User, ch Channel) bool {
	return u.IsAdmin() || o.mayChannel(u, ch, "can_administer_channel_group")
}

func (o *Organization) mayChannel(u User, ch Channel, permission string) bool {
	p, ok := FindPermission(ChannelPermissions, permission)
	return ok && o.Has(u, p, ch.Permissions[permission])
}

// ReadableChannel returns an active channel if the person can see its metadata.
func (o *Organization) ReadableChannel(u User, id int) (Channel, error) {
	ch, ok := o.Channels.Get(id)
	if !ok || ch.Archived || !o.HasMetadataAccess(u, ch) {
		return Channel{}, errInvalidChannelID
	}
	return ch, nil
}

// ShownChannel is ReadableChannel for endpoints that only show the channel. Servers of feature level 480 and later show
// archived ones too.
func (o *Organization) ShownChannel(u User, id int) (Channel, error) {
	ch, ok := o.Channels.Get(id)
	if !ok || o.hidesArchived(ch) || !o.HasMetadataAccess(u, ch) {
		return Channel{}, errInvalidChannelID
	}
	return ch, nil
}

func (o *Organization) hidesArchived(ch Channel) bool {
	return ch.Archived && o.level() < featurelevel.ArchivedChannels
}

// ChannelContent returns an active channel if the person can read its content.
func (o *Organization) ChannelContent(u User, id int) (Channel, error) {
	ch, ok := o.Channels.Get(id)
	if !ok || ch.Archived || !o.HasContentAccess(u, ch) {
		return Channel{}, errInvalidChannelID
	}
	return ch, nil
}

// ChannelContentByName is ChannelContent for a name (server-behavior §C19).
func (o *Organization) ChannelContentByName(u User, name string) (Channel, error) {
	ch, ok := o.ChannelByName(name)
	if !ok || ch.Archived || !o.HasContentAccess(u, ch) {
		return Channel{}, Refuse("Invalid channel name '%s'", name)
	}
	return ch, nil
}

// channelForAdmin returns a channel the person administers, archived or not
// (server-behavior §C18).
func (o *Organization) channelForAdmin(u User, id int) (Channel, error) {
	ch, ok := o.Channels.Get(id)
	if !ok || !o.HasMetadataAccess(u, ch) {
		return Channel{}, errInvalidChannelID
	}
	if !o.Administers(u, ch) {
		return Channel{}, Refuse("You do not have permission to administer this channel.")
	}
	return ch, nil
}

// ChannelFilter selects the channels of GET /streams; the includes are alternatives (server-behavior §C3).
type ChannelFilter struct {
	Public, Subscribed, WebPublic, OwnerSubscribed, ContentAccess bool
	// All lists every channel that the caller can see, and overrides the other fields.
	All bool
	// Archived lists archived channels too.
	Archived bool
}

// ListChannels returns the matching channels that a person can see, by name.
func (o *Organization) ListChannels(u User, f ChannelFilter) []Channel {
	list := []Channel{}
	for _, ch := range o.Channels.All() {
		if (f.Archived || !ch.Archived) && o.listed(u, ch, f) {
			list = append(list, ch)
		}
	}
	slices.SortFunc(list, func(a, b Channel) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func (o *Organization) listed(u User, ch Channel, f ChannelFilter) bool {
	if f.All {
		return o.HasMetadataAccess(u, ch)
	}
	return f.ContentAccess && o.HasContentAccess(u, ch) ||
		f.Public && !u.IsGuest() && !ch.Private ||
		f.WebPublic && ch.WebPublic && !ch.Archived ||
		f.Subscribed && o.IsSubscribed(u.ID, ch.ID) ||
		f.OwnerSubscribed && u.IsBot && u.BotOwnerID != 0 && o.IsSubscribed(u.BotOwnerID, ch.ID)
}

// PostPolicy derives the legacy number 1 to 4 from the permission to post (server-behavior §C1).
func (o *Organization) PostPolicy(ch Channel) int {
	switch ch.Permissions["can_send_message_group"].Group {
	case o.SystemGroup(Administrators):
		return 2
	case o.SystemGroup(FullMembers):
		return 3
	case o.SystemGroup(Moderators):
		return 4
	default:
		return 1
	}
}

// checkChannelName refuses impossible names. Positions count from 1.
func checkChannelName(name string) error {
	if Strip(name) == "" {
		return Refuse("Channel name can't be empty.")
	}
	if utf8.RuneCountInString(name) > maxChannelName {
		return Refuse("Channel name too long (limit: %d characters).", maxChannelName)
	}
	if at := unprintableAt(name); at > 0 {
		return Refuse("Invalid character in channel name, at position %d.", at)
	}
	return nil
}

// unprintableAt returns the position, from 1, of the first control character or noncharacter (server-behavior §C24); 0 if
// there is none.
func unprintableAt(s string) int {
	at := 0
	for _, r := range s {
		at++
		nonCharacter := r&0xFFFE == 0xFFFE || r >= 0xFDD0 && r <= 0xFDEF
		if unicode.Is(unicode.Cc, r) || nonCharacter {
			return at
		}
	}
	return 0
}

// retention reads message_retention_days in the form of a request: days, "unlimited" or "realm_default" (server-behavior
// §C4).
func retention(value any) (*int, error) {
	switch v := value.(type) {
	case string:
		if v == "unlimited" {
			days := unlimitedRetention
			return &days, nil
		}
		if v == "realm_default" {
			return nil, nil
		}
	case int:
		if v > maxInteger {
			return nil, errConflict
		}
		if v > 0 {
			return &v, nil
		}
	}
	return nil, BadValue("message_retention_days", value)
}

// unsupportedHistory refuses restrictions on creating topics if the history is protected. Their refusals would reveal old
// topics to people who cannot see them.
func unsupportedHistory() *Error {
	const names = "history_public_to_subscribers, can_create_topic_group"
	return &Error{Msg: "Unsupported parameter combination: " + names, Extra: map[string]any{"parameters": names}}
}

// NewChannel is a request that creates channels: POST /channels/create or POST /users/me/subscriptions.
type NewChannel struct {
	Name, Description string
	Private           bool
	WebPublic         bool
	SharedHistory     *bool // nil: shared unless private
	Default           bool
	DefaultPush       bool
	Announce          bool // where the organization announces new channels
	// Retention is days, "unlimited" or "realm_default"; nil is the last.
	Retention    any
	FolderID     *int
	TopicsPolicy string // "": inherit
	Permissions  map[string]GroupValue
}

// droppedOnCreate lists the permissions that POST /channels/create checks and then ignores (server-behavior §C8): the
// channel gets the defaults.
var droppedOnCreate = []string{"can_create_topic_group", "can_delete_any_message_group", "can_delete_own_message_group"}

// CreateChannel is POST /channels/create: one channel, and its first subscribers by id. The creator subscribes only if
// listed.
//
// If isSimultaneous is true for the channel with the name, the server has not seen it in time. It then adds the subscribers
// to this channel, and answers as if it were new (server-behavior §C25).
func (o *Organization) CreateChannel(actor User, in NewChannel, subscribers []int, isSimultaneous func(id int) bool) (ch Channel, isNew bool, err error) {
	in.Name = Strip(in.Name)
	if err := checkChannelName(in.Name); err != nil {
		return Channel{}, false, err
	}
	existing, taken := o.ChannelByName(in.Name)
	if taken && !isSimultaneous(existing.ID) {
		return Channel{}, false, channelExists(in.Name)
	}
	ch, err = o.prepareChannel(actor, in)
	switch {
	case err != nil:
		return Channel{}, false, err
	case taken && in.Default:
		o.makeDefault(existing.ID)
		fallthrough
	case taken:
		ch = existing
	default:
		for _, name := range droppedOnCreate {
			p, _ := FindPermission(ChannelPermissions, name)
			ch.Permissions[name] = o.defaultValue(p, actor)
		}
		o.insertChannel(&ch, in.Default)
	}
	for _, id := range subscribers {
		u, err := o.AnyUser(id)
		if err != nil {
			return Channel{}, false, err
		}
		if !u.Active {
			return Channel{}, false, errUserDeactivated
		}
		o.subscribe(u.ID, ch.ID, "")
	}
	if len(subscribers) > 0 {
		o.postCreatedNotice(actor, []Channel{ch}, in.Announce)
	}
	return ch, !taken, nil
}

// prepareChannel checks a request and returns the new channel, in the server's order: folder, retention, topics policy, the
// permission to create, permissions.
func (o *Organization) prepareChannel(actor User, in NewChannel) (Channel, error) {
	ch := Channel{
		Name: in.Name, Description: strings.ReplaceAll(in.Description, "\n", " "),
		Private: in.Private, WebPublic: in.WebPublic,
		SharedHistory: !in.Private,
		TopicsPolicy:  in.TopicsPolicy, FolderID: in.FolderID, DefaultPush: in.DefaultPush,
		CreatorID: &actor.ID, DateCreated: o.now().Unix(),
	}
	if in.Private && in.SharedHistory != nil {
		ch.SharedHistory = *in.SharedHistory
	}
	if ch.TopicsPolicy == "" {
		ch.TopicsPolicy = TopicsInherit
	}
	var err error
	if ch.RetentionDays, err = o.checkNewChannel(actor, in); err != nil {
		return ch, err
	}
	if err := o.checkMayCreate(actor, in, ch.RetentionDays); err != nil {
		return ch, err
	}
	err = o.preparePermissions(actor, &ch, in)
	return ch, err
}

// checkNewChannel checks the properties of channels to create, even if the request creates none (server-behavior §S2), and
// returns the days of retention.
func (o *Organization) checkNewChannel(actor User, in NewChannel) (days *int, err error) {
	if in.FolderID != nil && !o.Folders.Has(*in.FolderID) {
		return nil, errInvalidFolder
	}
	if in.Retention != nil {
		if days, err = retention(in.Retention); err != nil {
			return nil, err
		}
	}
	if in.TopicsPolicy != "" && in.TopicsPolicy != TopicsInherit && !o.maySetTopicsPolicy(actor) {
		return nil, errInsufficientPermission
	}
	return days, nil
}

// preparePermissions checks and sets the permissions. It considers the requested history even for a channel that is not
// private, although such a channel always shares its history.
func (o *Organization) preparePermissions(actor User, ch *Channel, in NewChannel) error {
	sharedHistory := !in.Private
	set(&sharedHistory, in.SharedHistory)
	ch.Permissions = map[string]GroupValue{}
	for _, p := range ChannelPermissions {
		value, given := in.Permissions[p.Name]
		if !given {
			ch.Permissions[p.Name] = o.defaultValue(p, actor)
			continue
		}
		value = o.canonical(value)
		if p.Name == "can_create_topic_group" && !sharedHistory && value.Group != o.SystemGroup(Everyone) {
			return unsupportedHistory()
		}
		if err := o.checkValue(p, value); err != nil {
			return err
		}
		if deletesMessages(p.Name) && value.Group != o.SystemGroup(Nobody) && !o.maySetDeletePolicy(actor) {
			return errInsufficientPermission
		}
		ch.Permissions[p.Name] = value
	}
	return nil
}

// insertChannel stores a prepared channel under a new id.
func (o *Organization) insertChannel(ch *Channel, asDefault bool) {
	ch.ID = o.Channels.NextID()
	o.Channels.Put(ch.ID, *ch)
	if asDefault {
		o.makeDefault(ch.ID)
	}
}

// checkMayCreate checks the permissions that a new channel needs.
func (o *Organization) checkMayCreate(actor User, in NewChannel, retentionDays *int) error {
	switch {
	case !o.mayUsePrivacy(actor, in.Private), (in.Default || in.DefaultPush) && !actor.IsAdmin():
		return errInsufficientPermission
	case in.Default && in.Private:
		return errDefaultCannotBePrivate
	}
	if in.WebPublic {
		if err := o.checkMayWebPublic(actor); err != nil {
			return err
		}
	}
	if retentionDays != nil && !actor.IsOwner() {
		return ErrMustBeOwner
	}
	return nil
}

// mayUsePrivacy reports whether a user may create private channels, or channels that are not private. A PATCH of the
// privacy checks it again.
func (o *Organization) mayUsePrivacy(u User, private bool) bool {
	if private {
		return o.MayRealm(u, "can_create_private_channel_group")
	}
	return o.MayRealm(u, "can_create_public_channel_group")
}

func (o *Organization) checkMayWebPublic(u User) error {
	if !o.Settings().EnableSpectatorAccess {
		return Refuse("Web-public channels are not enabled.")
	}
	if !o.MayRealm(u, "can_create_web_public_channel_group") {
		return errInsufficientPermission
	}
	return nil
}

func (o *Organization) maySetTopicsPolicy(u User) bool {
	return u.IsAdmin() || o.MayRealm(u, "can_set_topics_policy_group")
}

func (o *Organization) maySetDeletePolicy(u User) bool {
	return u.IsAdmin() || o.MayRealm(u, "can_set_delete_message_policy_group")
}

func deletesMessages(permission string) bool {
	return permission == "can_delete_any_message_group" || permission == "can_delete_own_message_group"
}
