package rules

import (
	"cmp"
	"maps"
)

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
	// Host is the domain of the addresses the server generates; "": the constant of that name.
	Host string `json:"host,omitempty"`
	// SystemBots are the accounts every server has; none: the usual ones.
	SystemBots             []SystemBot `json:"system_bots,omitempty"`
	Icon                   RealmImage  `json:"icon,omitzero"`
	Logo                   RealmImage  `json:"logo,omitzero"`
	NightLogo              RealmImage  `json:"night_logo,omitzero"`
	GIFRating              int         `json:"giphy_rating"`             // an index of GIFRatings
	DefaultAvatarSource    string      `json:"default_avatar_source"`    // "G": Gravatar, "J": Jdenticon
	MediaPreviewSize       int         `json:"media_preview_size"`       // percent
	DigestWeekday          int         `json:"digest_weekday"`           // Monday is 0
	WaitingPeriodThreshold int         `json:"waiting_period_threshold"` // days

	// Limits: days, -1 being unlimited, and seconds, nil being unlimited.
	MessageRetentionDays             int  `json:"message_retention_days"`
	MessageContentEditLimit          *int `json:"message_content_edit_limit_seconds"`
	MessageContentDeleteLimit        *int `json:"message_content_delete_limit_seconds"`
	MoveMessagesWithinChannelLimit   *int `json:"move_messages_within_stream_limit_seconds"`
	MoveMessagesBetweenChannelsLimit *int `json:"move_messages_between_streams_limit_seconds"`

	RealmSwitches

	// Channels the organization itself posts to; 0 is none.
	ModerationRequestChannelID   int `json:"moderation_request_channel_id,omitempty"`
	NewChannelAnnouncementsID    int `json:"new_channel_announcements_id,omitempty"`
	SignupAnnouncementsChannelID int `json:"signup_announcements_channel_id,omitempty"`
	UpdateAnnouncementsChannelID int `json:"update_announcements_channel_id,omitempty"`

	// AuthenticationMethods says of each method the server supports whether
	// the organization allows it.
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

// UnavailableAuthenticationMethod is the one that the server supports and the
// organization's plan does not.
const UnavailableAuthenticationMethod = "SAML"

// newRealm returns the settings an organization starts with, without
// permissions.
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

// CompleteRealm gives an organization that was stored before a setting was
// known what the setting starts with.
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

// Host is the domain of the addresses the server generates.
func (o *Organization) Host() string { return cmp.Or(o.Settings().Host, Host) }

// Settings returns the organization-wide settings.
func (o *Organization) Settings() Realm {
	realm, _ := o.Realm.Get(realmID)
	return realm
}

// changeRealm stores the settings with one change made to a copy.
func (o *Organization) changeRealm(change func(*Realm)) {
	realm := o.Settings()
	realm.Permissions = maps.Clone(realm.Permissions)
	realm.AuthenticationMethods = maps.Clone(realm.AuthenticationMethods)
	change(&realm)
	o.Realm.Put(realmID, realm)
}

// MayRealm reports whether the person has an organization-wide right.
func (o *Organization) MayRealm(u User, right string) bool {
	p, ok := FindPermission(RealmPermissions, right)
	return ok && o.Has(u, p, o.Settings().Permissions[right])
}
