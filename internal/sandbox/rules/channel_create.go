package rules

import "strings"

// NewChannel is what a request that creates channels asks for. It is used with
// POST /channels/create and with POST /users/me/subscriptions.
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

// droppedAtCreation lists the permissions that POST /channels/create checks and
// then forgets (server-behavior §C8): the channel gets the defaults.
var droppedAtCreation = []string{"can_create_topic_group", "can_delete_any_message_group", "can_delete_own_message_group"}

// CreateChannel is POST /channels/create: one channel, and its first
// subscribers by id. The creator is not subscribed unless listed.
func (o *Organization) CreateChannel(actor User, in NewChannel, subscribers []int) (Channel, error) {
	in.Name = strings.TrimSpace(in.Name)
	if err := checkChannelName(in.Name); err != nil {
		return Channel{}, err
	}
	if _, taken := o.ChannelByName(in.Name); taken {
		return Channel{}, channelExists(in.Name)
	}
	ch, err := o.prepareChannel(actor, in)
	if err != nil {
		return Channel{}, err
	}
	for _, name := range droppedAtCreation {
		p, _ := FindPermission(ChannelPermissions, name)
		ch.Permissions[name] = o.defaultValue(p, actor)
	}
	o.insertChannel(&ch, in.Default)
	for _, id := range subscribers {
		u, err := o.AnyUser(id)
		if err != nil {
			return Channel{}, err
		}
		if !u.Active {
			return Channel{}, errUserDeactivated
		}
		o.subscribe(u.ID, ch.ID, "")
	}
	if len(subscribers) > 0 {
		o.postCreatedNotice(actor, []Channel{ch}, in.Announce)
	}
	return ch, nil
}

// prepareChannel checks a request and works the channel out, in the server's
// order: folder, retention, topics policy, the right to create, permissions.
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

// checkNewChannel checks what a request says of channels to be created, whether
// it creates one or not (server-behavior §S2), and returns the days of retention.
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

// preparePermissions checks and sets the permissions. What is said of the history counts here even for a channel that is not
// private, whose history is shared in the end whatever is said.
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

// checkMayCreate checks the rights that a new channel needs.
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

// mayUsePrivacy reports whether somebody may create private channels, or those that
// are not private. It is checked again when a PATCH sets the privacy.
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
