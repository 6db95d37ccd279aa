package rules

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ChannelChange is the request PATCH /streams/{id}; nil leaves things unchanged (https://zulip.com/api/update-stream).
type ChannelChange struct {
	Name, Description *string
	Private           *bool
	WebPublic         *bool
	SharedHistory     *bool
	Default           *bool
	DefaultPush       *bool
	Archived          *bool // true is ignored
	// Retention is days, "unlimited" or "realm_default".
	Retention    any
	Folder       *FolderChange
	TopicsPolicy *string
	Permissions  map[string]PermissionChange
}

// FolderChange moves a channel into a folder; a nil ID removes it from its folder.
type FolderChange struct{ ID *int }

// UpdateChannel changes a channel step by step, in the order of server-behavior §C10. The steps before a failing one
// remain.
func (o *Organization) UpdateChannel(actor User, id int, c ChannelChange) error {
	ch, err := o.channelForAdmin(actor, id)
	if err != nil {
		return err
	}
	if err := o.checkPrivacyChange(actor, ch, c); err != nil {
		return err
	}
	steps := []func(User, *Channel, ChannelChange) error{
		o.setTopicsPolicy,
		o.setPrivacy,
		o.setDefault,
		o.setRetention,
		o.setDefaultPush,
		o.unarchive,
		o.checkDeletePolicyChange,
		o.setDescription,
		o.rename,
		o.setFolder,
	}
	for _, step := range steps {
		if err := step(actor, &ch, c); err != nil {
			return err
		}
		o.Channels.Put(id, ch)
		o.Commit()
	}
	for _, p := range ChannelPermissions {
		change, given := c.Permissions[p.Name]
		if !given {
			continue
		}
		if err := o.setPermission(actor, &ch, p, change); err != nil {
			return err
		}
		o.Channels.Put(id, ch)
		o.Commit()
	}
	return nil
}

// privacyAfter returns the kind of a channel after a change. If a request has is_private without the history, the history
// follows it (server-behavior §C12).
func privacyAfter(ch Channel, c ChannelChange) (private, webPublic, shared bool) {
	private, webPublic, shared = ch.Private, ch.WebPublic, ch.SharedHistory
	if c.Private != nil {
		private = *c.Private
		shared = !private
	}
	if c.WebPublic != nil {
		webPublic = *c.WebPublic
	}
	if c.SharedHistory != nil {
		shared = *c.SharedHistory
	}
	return private, webPublic, shared
}

// checkPrivacyChange is the first step of a PATCH: it makes the checks that need no write.
func (o *Organization) checkPrivacyChange(actor User, ch Channel, c ChannelChange) error {
	private, webPublic, shared := privacyAfter(ch, c)
	isDefault := o.IsDefault(ch.ID)
	if c.Default != nil {
		isDefault = *c.Default
	}
	if webPublic && (!shared || private) || !private && !shared {
		return Refuse("Invalid parameters")
	}
	if private && isDefault {
		return errDefaultCannotBePrivate
	}
	if !private && o.Settings().ModerationRequestChannelID == ch.ID {
		return Refuse("Moderation request channel must be private.")
	}
	if c.Private != nil {
		if !o.HasContentAccess(actor, ch) {
			return errContentAccess
		}
		if !o.mayUsePrivacy(actor, *c.Private) {
			return errInsufficientPermission
		}
	}
	if c.WebPublic != nil && *c.WebPublic {
		return o.checkMayWebPublic(actor)
	}
	return nil
}

var errContentAccess = Refuse("Channel content access is required.")

func (o *Organization) setTopicsPolicy(actor User, ch *Channel, c ChannelChange) error {
	if c.TopicsPolicy == nil || *c.TopicsPolicy == ch.TopicsPolicy {
		return nil
	}
	if *c.TopicsPolicy != TopicsInherit && !o.maySetTopicsPolicy(actor) {
		return errInsufficientPermission
	}
	if *c.TopicsPolicy == TopicsOnlyEmpty && o.hasNamedTopics(ch.ID) {
		return aboutEmptyTopic("To enable this configuration, all messages in this channel must be in the %s topic. Consider renaming other topics to %s.",
			EmptyTopicShownName, EmptyTopicShownName)
	}
	before := ch.TopicsPolicy
	ch.TopicsPolicy = *c.TopicsPolicy
	if !ch.Archived {
		o.channelNotice(*ch, fmt.Sprintf("%s changed the topics policy from **%s** to **%s**.", silentMention(actor), before, ch.TopicsPolicy))
	}
	return nil
}

func (o *Organization) setPrivacy(actor User, ch *Channel, c ChannelChange) error {
	private, webPublic, shared := privacyAfter(*ch, c)
	_, topicsToo := c.Permissions["can_create_topic_group"]
	if !topicsToo && !shared && ch.Permissions["can_create_topic_group"].Group != o.SystemGroup(Everyone) {
		return unsupportedHistory()
	}
	before := kindName(*ch)
	ch.Private, ch.WebPublic, ch.SharedHistory = private, webPublic, shared
	if c.Private != nil || c.WebPublic != nil || c.SharedHistory != nil {
		o.channelNotice(*ch, fmt.Sprintf("%s changed the [access permissions](/help/channel-permissions) for this channel from **%s** to **%s**.",
			silentMention(actor), before, kindName(*ch)))
	}
	return nil
}

func (o *Organization) setDefault(actor User, ch *Channel, c ChannelChange) error {
	switch {
	case c.Default == nil:
	case !actor.IsAdmin():
		return Refuse("You do not have permission to change default channels.")
	case *c.Default:
		o.makeDefault(ch.ID)
	default:
		o.unmakeDefault(ch.ID)
	}
	return nil
}

func (o *Organization) setRetention(actor User, ch *Channel, c ChannelChange) error {
	if c.Retention == nil {
		return nil
	}
	if !actor.IsOwner() {
		return ErrMustBeOwner
	}
	days, err := retention(c.Retention)
	if err != nil {
		return err
	}
	before := o.retentionPeriod(*ch)
	ch.RetentionDays = days
	o.channelNotice(*ch, fmt.Sprintf("%s has changed the [message retention period](/help/message-retention-policy) for this channel:\n* **Old retention period**: %s\n* **New retention period**: %s",
		silentMention(actor), before, o.retentionPeriod(*ch)))
	return nil
}

// setDefaultPush requires an administrator even if nothing changes.
func (o *Organization) setDefaultPush(actor User, ch *Channel, c ChannelChange) error {
	if c.DefaultPush == nil {
		return nil
	}
	if !actor.IsAdmin() {
		return errInsufficientPermission
	}
	ch.DefaultPush = *c.DefaultPush
	return nil
}

func (o *Organization) unarchive(_ User, ch *Channel, c ChannelChange) error {
	if c.Archived == nil || *c.Archived {
		return nil
	}
	if !ch.Archived {
		return Refuse("Channel is not currently deactivated")
	}
	if ch.Private && len(o.subscribers.active[ch.ID]) == 0 {
		return Refuse("Channel is private and have no subscribers")
	}
	ch.Archived = false
	o.channelNotice(*ch, fmt.Sprintf("Channel %s has been unarchived.", channelLink(*ch)))
	return nil
}

func (o *Organization) checkDeletePolicyChange(actor User, _ *Channel, c ChannelChange) error {
	for name := range c.Permissions {
		if deletesMessages(name) && !o.maySetDeletePolicy(actor) {
			return errInsufficientPermission
		}
	}
	return nil
}

func (o *Organization) setDescription(actor User, ch *Channel, c ChannelChange) error {
	if c.Description == nil {
		return nil
	}
	before := ch.Description
	ch.Description = strings.ReplaceAll(*c.Description, "\n", " ")
	o.channelNotice(*ch, fmt.Sprintf("%s changed the description for this channel.\n\n* **Old description:**\n%s\n* **New description:**\n%s",
		silentMention(actor), quoted(before), quoted(ch.Description)))
	return nil
}

func (o *Organization) rename(actor User, ch *Channel, c ChannelChange) error {
	if c.Name == nil {
		return nil
	}
	name := Strip(*c.Name)
	if name == ch.Name {
		return Refuse("Channel already has that name.")
	}
	if err := checkChannelName(name); err != nil {
		return err
	}
	if other, taken := o.ChannelByName(name); taken && other.ID != ch.ID {
		return channelExists(name)
	}
	o.channelNotice(*ch, fmt.Sprintf("%s renamed channel **%s** to **%s**.", silentMention(actor), ch.Name, name))
	ch.Name = name
	return nil
}

func (o *Organization) setFolder(_ User, ch *Channel, c ChannelChange) error {
	if c.Folder == nil {
		return nil
	}
	if c.Folder.ID != nil && !o.Folders.Has(*c.Folder.ID) {
		return errInvalidFolder
	}
	ch.FolderID = c.Folder.ID
	return nil
}

func (o *Organization) setPermission(actor User, ch *Channel, p Permission, change PermissionChange) error {
	value, differs, err := o.changePermission(ch.Permissions[p.Name], change)
	if err != nil || !differs {
		return err
	}
	givesContent := p.Name == "can_add_subscribers_group" || p.Name == "can_subscribe_group"
	if givesContent && !o.HasContentAccess(actor, *ch) {
		return errContentAccess
	}
	if p.Name == "can_create_topic_group" && !ch.SharedHistory && value.Group != o.SystemGroup(Everyone) {
		return unsupportedHistory()
	}
	if err := o.checkValue(p, value); err != nil {
		return err
	}
	if p.Name == "can_send_message_group" {
		o.channelNotice(*ch, fmt.Sprintf("%s changed the [posting permissions](/help/channel-posting-policy) for this channel:\n\n* **Old**: %s\n* **New**: %s\n",
			silentMention(actor), o.principalNames(ch.Permissions[p.Name]), o.principalNames(value)))
	}
	ch.Permissions = maps.Clone(ch.Permissions)
	ch.Permissions[p.Name] = value
	return nil
}

// ArchiveChannel is DELETE /streams/{id}: the channel keeps its name, settings
// and subscribers, and stops being a default (server-behavior §C14).
func (o *Organization) ArchiveChannel(actor User, id int) error {
	ch, err := o.channelForAdmin(actor, id)
	if err != nil {
		return err
	}
	if ch.Archived {
		return Refuse("Channel is already deactivated")
	}
	ch.Archived = true
	o.Channels.Put(id, ch)
	o.channelNotice(ch, fmt.Sprintf("Channel %s has been archived.", channelLink(ch)), o.Subscribers(id)...)
	o.unmakeDefault(id)
	o.removeFromDefaultGroups(id)
	o.changeRealm(func(r *Realm) {
		for _, role := range []*int{&r.ModerationRequestChannelID, &r.NewChannelAnnouncementsID, &r.SignupAnnouncementsChannelID, &r.UpdateAnnouncementsChannelID} {
			if *role == id {
				*role = 0
			}
		}
	})
	return nil
}

// Folder groups channels in the sidebar (server-behavior §F1).
type Folder struct {
	ID          int    `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Order       int    `json:"order"`
	CreatorID   *int   `json:"creator_id"`
	DateCreated int64  `json:"date_created"` // Unix seconds
	Archived    bool   `json:"archived,omitempty"`
}

var errInvalidFolder = Refuse("Invalid channel folder ID")

// ListFolders returns the folders in their order.
func (o *Organization) ListFolders(archivedToo bool) []Folder {
	list := []Folder{}
	for _, f := range o.Folders.All() {
		if archivedToo || !f.Archived {
			list = append(list, f)
		}
	}
	slices.SortStableFunc(list, func(a, b Folder) int { return cmp.Compare(a.Order, b.Order) })
	return list
}

// CreateFolder appends a folder.
func (o *Organization) CreateFolder(actor User, name, description string) (Folder, error) {
	if err := o.checkFolderName(0, name); err != nil {
		return Folder{}, err
	}
	f := Folder{ID: o.Folders.NextID(), Name: name, Description: description, CreatorID: &actor.ID, DateCreated: o.now().Unix()}
	f.Order = f.ID
	o.Folders.Put(f.ID, f)
	return f, nil
}

// FolderUpdate is the request PATCH /channel_folders/{id}; nil leaves things unchanged.
type FolderUpdate struct {
	Name, Description *string
	Archived          *bool
}

// UpdateFolder changes a folder; name, description and archiving are committed
// one by one.
func (o *Organization) UpdateFolder(id int, c FolderUpdate) error {
	f, ok := o.Folders.Get(id)
	if !ok {
		return errInvalidFolder
	}
	if c.Name != nil && *c.Name != f.Name {
		// The folder's own name counts as used, so a change of case is refused.
		if err := o.checkFolderName(id, *c.Name); err != nil {
			return err
		}
		f.Name = *c.Name
		o.Folders.Put(id, f)
		o.Commit()
	}
	if c.Description != nil && *c.Description != f.Description {
		f.Description = *c.Description
		o.Folders.Put(id, f)
		o.Commit()
	}
	if c.Archived == nil || *c.Archived == f.Archived {
		return nil
	}
	if *c.Archived && o.folderInUse(id) {
		return Refuse("You need to remove all the channels from this folder to archive it.")
	}
	if !*c.Archived && o.folderNameTaken(id, f.Name, lower) {
		return errConflict // a constraint of the database, which the server does not handle
	}
	f.Archived = *c.Archived
	o.Folders.Put(id, f)
	return nil
}

// OrderFolders puts the folders into the order of ids, which must contain every folder. Unknown ids use up a position, and
// of duplicates the last position counts.
func (o *Organization) OrderFolders(ids []int) error {
	place := map[int]int{}
	for i, id := range ids {
		place[id] = i
	}
	var moved []Folder
	for id, f := range o.Folders.All() {
		at, ok := place[id]
		if !ok {
			return Refuse("Invalid order mapping.")
		}
		f.Order = at
		moved = append(moved, f)
	}
	for _, f := range moved {
		o.Folders.Put(f.ID, f)
	}
	return nil
}

// checkFolderName refuses a name for a folder, which is 0 for a new one. The server also refuses the folder's own name in
// another case (server-behavior §F4).
func (o *Organization) checkFolderName(id int, name string) error {
	if Strip(name) == "" {
		return Refuse("Channel folder name can't be empty.")
	}
	if at := unprintableAt(name); at > 0 {
		return Refuse("Invalid character in channel folder name, at position %d.", at)
	}
	if o.folderNameTaken(0, name, upper) {
		return Refuse("Channel folder name already in use")
	}
	if o.folderNameTaken(id, name, lower) {
		return errConflict // of the database, which compares small letters (server-behavior §C23)
	}
	return nil
}

// folderNameTaken reports whether an active folder other than except has a name.
func (o *Organization) folderNameTaken(except int, name string, fold func(string) string) bool {
	for id, f := range o.Folders.All() {
		if id != except && !f.Archived && fold(f.Name) == fold(name) {
			return true
		}
	}
	return false
}

// folderInUse reports whether the folder contains a channel, archived or not.
func (o *Organization) folderInUse(id int) bool {
	for _, ch := range o.Channels.All() {
		if ch.FolderID != nil && *ch.FolderID == id {
			return true
		}
	}
	return false
}
