package rules

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/yuin/goldmark"
)

// Organization is everything the server holds. It is not safe for concurrent
// use.
type Organization struct {
	now    func() time.Time
	level  func() int
	log    changeLog
	tables []storedTable

	Users                *Table[User]
	Groups               *Table[UserGroup]
	Realm                *Table[Realm]
	Channels             *Table[Channel]
	Subscriptions        *Table[Subscription]
	Folders              *Table[Folder]
	DefaultChannels      *Table[DefaultChannel]
	DefaultChannelGroups *Table[DefaultChannelGroup]
	RealmEmoji           *Table[RealmEmoji]
	UserDefaults         *Table[UserDefaults]
	PersonalSettings     *Table[PersonalSettings]
	Messages             *Table[Message]
	TopicVisibilities    *Table[TopicVisibility]
	Drafts               *Table[Draft]
	ScheduledMessages    *Table[ScheduledMessage]
	Linkifiers           *Table[Linkifier]
	Playgrounds          *Table[Playground]
	Domains              *Table[Domain]
	Statuses             *Table[Status]
	ProfileFields        *Table[ProfileField]
	Bots                 *Table[Bot]
	Invitations          *Table[Invitation]
	InviteLinks          *Table[InviteLink]
	Pictures             *Table[Picture]
	Exports              *Table[Export]

	exportTakes time.Duration
	exportsFail bool

	videoChat []string // keys of the server's providers of calls

	people      peopleIndex
	membership  membershipIndex
	channels    channelIndex
	subscribers subscriberIndex
	messages    messageIndex
	visibility  map[topicOf]int

	markdown goldmark.Markdown
}

// New returns an organization without people: the system groups and the
// organization's settings at their defaults. now is the clock, level the
// server's feature level.
func New(now func() time.Time, level func() int) *Organization {
	o := &Organization{now: now, level: level, log: newChangeLog(), videoChat: []string{"disabled", "jitsi_meet"}, exportTakes: exportTakes}

	o.markdown = o.newMarkdown()

	o.Realm = newTable[Realm](o, "realm", realmID)
	o.Users = newTable[User](o, "users", firstUser)
	o.Groups = newTable[UserGroup](o, "groups", 301)
	o.Channels = newTable[Channel](o, "channels", 1201)
	o.Subscriptions = newTable[Subscription](o, "subscriptions", 20001)
	o.Folders = newTable[Folder](o, "folders", 701)
	o.DefaultChannels = newTable[DefaultChannel](o, "default_channels", 1)
	o.DefaultChannelGroups = newTable[DefaultChannelGroup](o, "default_channel_groups", 801)
	o.RealmEmoji = newTable[RealmEmoji](o, "realm_emoji", 901)
	o.UserDefaults = newTable[UserDefaults](o, "user_defaults", userDefaultsID)
	o.PersonalSettings = newTable[PersonalSettings](o, "personal_settings", 1)
	o.Messages = newTable[Message](o, "messages", 100001)
	o.TopicVisibilities = newTable[TopicVisibility](o, "topic_visibilities", 1)
	o.Drafts = newTable[Draft](o, "drafts", 5001)
	o.ScheduledMessages = newTable[ScheduledMessage](o, "scheduled_messages", 6001)
	o.Linkifiers = newTable[Linkifier](o, "linkifiers", 1501)
	o.Playgrounds = newTable[Playground](o, "playgrounds", 1601)
	o.Domains = newTable[Domain](o, "domains", 1701)
	o.Statuses = newTable[Status](o, "statuses", 1)
	o.ProfileFields = newTable[ProfileField](o, "profile_fields", 1801)
	o.Bots = newTable[Bot](o, "bots", 1)
	o.Invitations = newTable[Invitation](o, "invitations", 1901)
	o.InviteLinks = newTable[InviteLink](o, "invite_links", 2001)
	o.Pictures = newTable[Picture](o, "pictures", 1)
	o.Exports = newTable[Export](o, "exports", 2201)

	o.indexPeople()
	o.indexMembership()
	o.indexChannels()
	o.indexSubscribers()
	o.indexMessages()
	o.indexTopicVisibility()
	return o
}

// firstUser is the number of the first account, because two recorded sentences contain such a number.
const firstUser = 43

// OverlapNumbers lets channels have the same ids as accounts, as on a real server,
// where each kind has its own sequence. The example organization keeps them apart, so
// that code that confuses them is noticed.
func (o *Organization) OverlapNumbers() { o.Channels.next = firstUser }

// Initialize creates the content of every new organization: the groups of roles, and its settings. It is not called for a
// loaded organization.
func (o *Organization) Initialize() {
	o.createSystemGroups()
	o.createRealm()
}

// Empty reports whether the organization has not been initialized yet.
func (o *Organization) Empty() bool { return o.Realm.Len() == 0 }

// Commit keeps the steps so far: a later Rollback stops here. Rules call it if the real server commits its steps one by
// one (server-behavior §C10).
func (o *Organization) Commit() { o.log.kept = len(o.log.undo) }

// Rollback undoes everything since the last Commit or EndRequest.
func (o *Organization) Rollback() { o.log.rewind(o.log.kept) }

// Revert undoes everything since the last EndRequest, even if it was committed. It
// is for a store that could not write the changes.
func (o *Organization) Revert() {
	o.log.rewind(0)
	o.EndRequest()
}

// Try calls a function between two requests, and undoes all its changes, including its IDs.
func (o *Organization) Try(f func()) {
	next := make([]int, len(o.tables))
	for i, table := range o.tables {
		next[i] = table.sequence()
	}
	defer func() {
		o.Revert()
		for i, table := range o.tables {
			table.restartSequence(next[i])
		}
	}()
	f()
}

// EndRequest ends a request: its changes are final.
func (o *Organization) EndRequest() {
	o.log = newChangeLog()
	o.membership.forget()
}

// Change is one record to write: the row with the id in the table, or its removal if Row is nil.
type Change struct {
	Table string
	ID    int
	Row   []byte
}

// Sequence is the next id of a table, stored across restarts.
type Sequence struct {
	Table string
	Next  int
}

// Changes returns the records and sequences changed since the last EndRequest,
// ordered by table and id.
func (o *Organization) Changes() ([]Change, []Sequence, error) {
	byName := map[string]storedTable{}
	for _, t := range o.tables {
		byName[t.tableName()] = t
	}
	changes := make([]Change, 0, len(o.log.dirty))
	for key := range o.log.dirty {
		row, err := byName[key.table].encode(key.id)
		if err != nil {
			return nil, nil, fmt.Errorf("encoding row %d of %s: %w", key.id, key.table, err)
		}
		changes = append(changes, Change{Table: key.table, ID: key.id, Row: row})
	}
	slices.SortFunc(changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.ID, b.ID))
	})
	var sequences []Sequence
	for table, next := range o.log.sequences {
		sequences = append(sequences, Sequence{table, next})
	}
	slices.SortFunc(sequences, func(a, b Sequence) int { return cmp.Compare(a.Table, b.Table) })
	return changes, sequences, nil
}

// Load puts a stored record into its table without recording a change.
func (o *Organization) Load(c Change) error {
	for _, t := range o.tables {
		if t.tableName() == c.Table {
			return t.decode(c.ID, c.Row)
		}
	}
	return fmt.Errorf("unknown table %q", c.Table)
}

// LoadSequence sets the next id of a table from a store.
func (o *Organization) LoadSequence(s Sequence) error {
	for _, t := range o.tables {
		if t.tableName() == s.Table {
			if s.Next > t.lastID() {
				t.restartSequence(s.Next)
			}
			return nil
		}
	}
	return fmt.Errorf("unknown table %q", s.Table)
}

// Now returns the time of the organization's clock.
func (o *Organization) Now() time.Time { return o.now() }

// Level returns the server's feature level.
func (o *Organization) Level() int { return o.level() }

// realmID is the key of the only row of the realm table.
const realmID = 1

// Realm holds the organization-wide settings.
type Realm struct {
	Name                     string  `json:"name"`
	Description              string  `json:"description"`
	DateCreated              int64   `json:"date_created"` // Unix seconds
	OrgType                  int     `json:"org_type"`
	DefaultLanguage          string  `json:"default_language"`
	DefaultCodeBlockLanguage string  `json:"default_code_block_language"`
	WelcomeMessageCustomText string  `json:"welcome_message_custom_text"`
	TopicsPolicy             string  `json:"topics_policy"`                          // a key of RealmTopicsPolicies
	MessageEditHistory       string  `json:"message_edit_history_visibility_policy"` // a key of EditHistoryPolicies
	JitsiServerURL           *string `json:"jitsi_server_url"`                       // nil: the server's
	VideoChatProvider        int     `json:"video_chat_provider"`
	// Host is the domain of generated addresses; "": the constant of that name.
	Host string `json:"host,omitempty"`
	// SystemBots are the system bots; nil: the default ones.
	SystemBots             []SystemBot `json:"system_bots,omitempty"`
	Icon                   RealmImage  `json:"icon,omitzero"`
	Logo                   RealmImage  `json:"logo,omitzero"`
	NightLogo              RealmImage  `json:"night_logo,omitzero"`
	GIFRating              int         `json:"giphy_rating"`             // an index of GIFRatings
	DefaultAvatarSource    string      `json:"default_avatar_source"`    // "G": Gravatar, "J": Jdenticon
	MediaPreviewSize       int         `json:"media_preview_size"`       // percent
	DigestWeekday          int         `json:"digest_weekday"`           // Monday is 0
	WaitingPeriodThreshold int         `json:"waiting_period_threshold"` // days

	// Limits: days, with -1 for unlimited, and seconds, with nil for unlimited.
	MessageRetentionDays             int  `json:"message_retention_days"`
	MessageContentEditLimit          *int `json:"message_content_edit_limit_seconds"`
	MessageContentDeleteLimit        *int `json:"message_content_delete_limit_seconds"`
	MoveMessagesWithinChannelLimit   *int `json:"move_messages_within_stream_limit_seconds"`
	MoveMessagesBetweenChannelsLimit *int `json:"move_messages_between_streams_limit_seconds"`

	RealmSwitches

	// Channels for posts of the organization itself; 0 is none.
	ModerationRequestChannelID   int `json:"moderation_request_channel_id,omitempty"`
	NewChannelAnnouncementsID    int `json:"new_channel_announcements_id,omitempty"`
	SignupAnnouncementsChannelID int `json:"signup_announcements_channel_id,omitempty"`
	UpdateAnnouncementsChannelID int `json:"update_announcements_channel_id,omitempty"`

	// AuthenticationMethods has the methods that the server enables; the value is true if the organization allows the
	// method.
	AuthenticationMethods map[string]bool `json:"authentication_methods"`

	// Permissions holds the value of each of RealmPermissions.
	Permissions map[string]GroupValue `json:"permissions"`
}

// RealmSwitches are the settings that are on or off.
type RealmSwitches struct {
	AllowMessageEditing                   bool `json:"allow_message_editing"`
	AvatarChangesDisabled                 bool `json:"avatar_changes_disabled"`
	DigestEmailsEnabled                   bool `json:"digest_emails_enabled"`
	DisallowDisposableEmailAddresses      bool `json:"disallow_disposable_email_addresses"`
	EmailChangesDisabled                  bool `json:"email_changes_disabled"`
	EmailsRestrictedToDomains             bool `json:"emails_restricted_to_domains"`
	EnableGuestUserDMWarning              bool `json:"enable_guest_user_dm_warning"`
	EnableGuestUserIndicator              bool `json:"enable_guest_user_indicator"`
	EnableReadReceipts                    bool `json:"enable_read_receipts"`
	EnableSpectatorAccess                 bool `json:"enable_spectator_access"`
	InlineImagePreview                    bool `json:"inline_image_preview"`
	InlineURLEmbedPreview                 bool `json:"inline_url_embed_preview"`
	InviteRequired                        bool `json:"invite_required"`
	MessageContentAllowedInEmails         bool `json:"message_content_allowed_in_email_notifications"`
	NameChangesDisabled                   bool `json:"name_changes_disabled"`
	RequireE2EEPushNotifications          bool `json:"require_e2ee_push_notifications"`
	RequireUniqueNames                    bool `json:"require_unique_names"`
	SendChannelEventsMessages             bool `json:"send_channel_events_messages"`
	SendWelcomeEmails                     bool `json:"send_welcome_emails"`
	WantAdvertiseInCommunitiesDirectories bool `json:"want_advertise_in_communities_directory"`
}

// RealmTopicsPolicies are the values of the setting topics_policy and the
// numbers under which the server answers a change of it.
var RealmTopicsPolicies = map[string]int{"allow_empty_topic": 2, "disable_empty_topic": 3}

// EditHistoryPolicies are the values of the setting
// message_edit_history_visibility_policy and their numbers.
var EditHistoryPolicies = map[string]int{"all": 1, "moves": 2, "none": 3}

// UnavailableAuthenticationMethod is a method that the server supports and the organization's plan does not.
const UnavailableAuthenticationMethod = "SAML"

// newRealm returns the settings of a new organization, without permissions.
func newRealm(created int64) Realm {
	const tenMinutes, aWeek = 600, 604800
	seconds := func(n int) *int { return &n }
	return Realm{
		Name: "Sandbox", DateCreated: created, DefaultLanguage: "en",
		TopicsPolicy: "allow_empty_topic", MessageEditHistory: "all",
		VideoChatProvider: 1, GIFRating: 1, DigestWeekday: 1, DefaultAvatarSource: "J", MediaPreviewSize: 100,
		MessageRetentionDays:    unlimitedRetention,
		MessageContentEditLimit: seconds(tenMinutes), MessageContentDeleteLimit: seconds(tenMinutes),
		MoveMessagesWithinChannelLimit: seconds(aWeek), MoveMessagesBetweenChannelsLimit: seconds(aWeek),
		RealmSwitches: RealmSwitches{
			AllowMessageEditing: true, DisallowDisposableEmailAddresses: true,
			EnableGuestUserDMWarning: true, EnableGuestUserIndicator: true, EnableReadReceipts: true,
			InlineImagePreview: true, InviteRequired: true, MessageContentAllowedInEmails: true, SendWelcomeEmails: true,
		},
		AuthenticationMethods: map[string]bool{
			"Dev": true, "Email": true, "GitHub": true, "GitLab": true, "Google": true, "Apple": true,
			"OpenID Connect": true, UnavailableAuthenticationMethod: false,
		},
		Permissions: map[string]GroupValue{},
	}
}

func (o *Organization) createRealm() {
	o.PutRealm(o.StartingRealm())
}

// CompleteRealm sets settings that are missing in an older stored organization to their initial values.
func (o *Organization) CompleteRealm() {
	start := newRealm(0)
	o.changeRealm(func(r *Realm) {
		r.DefaultAvatarSource = cmp.Or(r.DefaultAvatarSource, start.DefaultAvatarSource)
		r.MediaPreviewSize = cmp.Or(r.MediaPreviewSize, start.MediaPreviewSize)
		for _, p := range RealmPermissions {
			if _, ok := r.Permissions[p.Name]; !ok {
				r.Permissions[p.Name] = Named(o.SystemGroup(p.Default))
			}
		}
	})
}

// Host returns the domain of generated addresses.
func (o *Organization) Host() string { return cmp.Or(o.Settings().Host, Host) }

// Settings returns the organization-wide settings.
func (o *Organization) Settings() Realm {
	realm, _ := o.Realm.Get(realmID)
	return realm
}

// changeRealm stores the settings after a change of a copy.
func (o *Organization) changeRealm(change func(*Realm)) {
	realm := o.Settings()
	realm.Permissions = maps.Clone(realm.Permissions)
	realm.AuthenticationMethods = maps.Clone(realm.AuthenticationMethods)
	change(&realm)
	o.Realm.Put(realmID, realm)
}

// MayRealm reports whether the person has an organization-wide permission.
func (o *Organization) MayRealm(u User, permission string) bool {
	p, ok := FindPermission(RealmPermissions, permission)
	return ok && o.Has(u, p, o.Settings().Permissions[permission])
}
