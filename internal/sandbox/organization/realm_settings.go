package organization

import (
	"maps"
	"slices"
	"strings"
)

// RealmSetting describes one organization-wide setting: from which feature
// level it exists, and whether only owners may send it.
type RealmSetting[T any] struct {
	Name      string
	Since     int
	OwnerOnly bool
	Field     func(*Realm) *T
}

// RealmFlags are the settings that are on or off (wire-2 §12.2).
var RealmFlags = []RealmSetting[bool]{
	{Name: "allow_message_editing", Field: func(r *Realm) *bool { return &r.AllowMessageEditing }},
	{Name: "avatar_changes_disabled", Field: func(r *Realm) *bool { return &r.AvatarChangesDisabled }},
	{Name: "digest_emails_enabled", Field: func(r *Realm) *bool { return &r.DigestEmailsEnabled }},
	{Name: "disallow_disposable_email_addresses", OwnerOnly: true, Field: func(r *Realm) *bool { return &r.DisallowDisposableEmailAddresses }},
	{Name: "email_changes_disabled", Field: func(r *Realm) *bool { return &r.EmailChangesDisabled }},
	{Name: "emails_restricted_to_domains", OwnerOnly: true, Field: func(r *Realm) *bool { return &r.EmailsRestrictedToDomains }},
	{Name: "enable_guest_user_dm_warning", Since: 348, Field: func(r *Realm) *bool { return &r.EnableGuestUserDMWarning }},
	{Name: "enable_guest_user_indicator", Since: 216, Field: func(r *Realm) *bool { return &r.EnableGuestUserIndicator }},
	{Name: "enable_read_receipts", Since: 137, Field: func(r *Realm) *bool { return &r.EnableReadReceipts }},
	{Name: "enable_spectator_access", Since: 109, Field: func(r *Realm) *bool { return &r.EnableSpectatorAccess }},
	{Name: "inline_image_preview", Field: func(r *Realm) *bool { return &r.InlineImagePreview }},
	{Name: "inline_url_embed_preview", Field: func(r *Realm) *bool { return &r.InlineURLEmbedPreview }},
	{Name: "invite_required", OwnerOnly: true, Field: func(r *Realm) *bool { return &r.InviteRequired }},
	{Name: "message_content_allowed_in_email_notifications", Field: func(r *Realm) *bool { return &r.MessageContentAllowedInEmails }},
	{Name: "name_changes_disabled", Field: func(r *Realm) *bool { return &r.NameChangesDisabled }},
	{Name: "require_e2ee_push_notifications", Since: 409, Field: func(r *Realm) *bool { return &r.RequireE2EEPushNotifications }},
	{Name: "require_unique_names", Since: 246, Field: func(r *Realm) *bool { return &r.RequireUniqueNames }},
	{Name: "send_channel_events_messages", Since: 434, Field: func(r *Realm) *bool { return &r.SendChannelEventsMessages }},
	{Name: "send_welcome_emails", Field: func(r *Realm) *bool { return &r.SendWelcomeEmails }},
	{Name: "want_advertise_in_communities_directory", Since: 129, Field: func(r *Realm) *bool { return &r.WantAdvertiseInCommunitiesDirectories }},
}

// RealmNumbers are the settings that are a number; which numbers are possible
// is said where they are read or checked.
var RealmNumbers = []RealmSetting[int]{
	{Name: "digest_weekday", Field: func(r *Realm) *int { return &r.DigestWeekday }},
	{Name: "giphy_rating", Since: 55, Field: func(r *Realm) *int { return &r.GIFRating }},
	{Name: "video_chat_provider", Field: func(r *Realm) *int { return &r.VideoChatProvider }},
	{Name: "waiting_period_threshold", OwnerOnly: true, Field: func(r *Realm) *int { return &r.WaitingPeriodThreshold }},
}

// RealmTexts are the settings that are a text.
var RealmTexts = []RealmSetting[string]{
	{Name: "default_code_block_language", Since: 195, Field: func(r *Realm) *string { return &r.DefaultCodeBlockLanguage }},
	{Name: "default_language", Field: func(r *Realm) *string { return &r.DefaultLanguage }},
	{Name: "description", Field: func(r *Realm) *string { return &r.Description }},
	{Name: "name", Field: func(r *Realm) *string { return &r.Name }},
	{Name: "welcome_message_custom_text", Since: 416, Field: func(r *Realm) *string { return &r.WelcomeMessageCustomText }},
}

// RealmPolicies are the settings that are one of a few words.
var RealmPolicies = []struct {
	RealmSetting[string]
	Numbers map[string]int // what a change of it is answered with
}{
	{RealmSetting[string]{Name: "message_edit_history_visibility_policy", Since: 358, Field: func(r *Realm) *string { return &r.MessageEditHistory }}, EditHistoryPolicies},
	{RealmSetting[string]{Name: "topics_policy", Since: 392, Field: func(r *Realm) *string { return &r.TopicsPolicy }}, RealmTopicsPolicies},
}

// RealmTimeLimits are the settings in seconds that can be unlimited.
var RealmTimeLimits = []RealmSetting[*int]{
	{Name: "message_content_delete_limit_seconds", Since: 100, Field: func(r *Realm) **int { return &r.MessageContentDeleteLimit }},
	{Name: "message_content_edit_limit_seconds", Since: 138, Field: func(r *Realm) **int { return &r.MessageContentEditLimit }},
	{Name: "move_messages_within_stream_limit_seconds", Since: 162, Field: func(r *Realm) **int { return &r.MoveMessagesWithinChannelLimit }},
	{Name: "move_messages_between_streams_limit_seconds", Since: 162, Field: func(r *Realm) **int { return &r.MoveMessagesBetweenChannelsLimit }},
}

// RealmChannels are the channels the organization itself posts to; they are
// read and written with -1 for none.
var RealmChannels = []RealmSetting[int]{
	{Name: "moderation_request_channel_id", Since: 331, Field: func(r *Realm) *int { return &r.ModerationRequestChannelID }},
	{Name: "new_stream_announcements_stream_id", Since: 241, Field: func(r *Realm) *int { return &r.NewChannelAnnouncementsID }},
	{Name: "signup_announcements_stream_id", Since: 241, Field: func(r *Realm) *int { return &r.SignupAnnouncementsChannelID }},
	{Name: "zulip_update_announcements_stream_id", Since: 242, Field: func(r *Realm) *int { return &r.UpdateAnnouncementsChannelID }},
}

// VideoChatProvider is a provider of calls, by its number.
type VideoChatProvider struct {
	ID        int
	Key, Name string
}

// VideoChatProviders are the providers set up on the server.
var VideoChatProviders = []VideoChatProvider{{0, "disabled", "None"}, {1, "jitsi_meet", "Jitsi Meet"}}

// RealmUpdate is what PATCH /realm asks for. The maps hold, by the setting's
// name, what was sent; limits are an int or a string.
type RealmUpdate struct {
	Flags         map[string]bool
	Numbers       map[string]int
	Texts         map[string]string
	Policies      map[string]string
	TimeLimits    map[string]any
	Channels      map[string]int
	Permissions   map[string]PermissionChange
	RetentionDays any     // nil: not sent
	JitsiURL      *string // nil: not sent; "default" is the server's
	OrgType       *int
	StringID      *string
	// AuthenticationMethods, if not nil, switches the methods it names.
	AuthenticationMethods map[string]bool
}

// UpdateRealm changes the settings one after the other: what was done before a
// step that fails stays (wire-2 §12.1). It returns what the answer tells of the
// changes.
func (o *Organization) UpdateRealm(actor User, u RealmUpdate) (map[string]any, error) {
	retentionDays, err := o.checkRealmUpdate(actor, u)
	if err != nil {
		return nil, err
	}
	changed := map[string]any{}
	if err := o.setTimeLimits(u, changed); err != nil {
		return nil, err
	}
	o.changeRealm(func(r *Realm) { setPlain(r, u, retentionDays, changed) })
	o.Keep()
	if err := o.setRealmPermissions(u, changed); err != nil {
		return nil, err
	}
	if u.AuthenticationMethods != nil && !maps.Equal(u.AuthenticationMethods, o.Settings().AuthenticationMethods) {
		o.changeRealm(func(r *Realm) { maps.Copy(r.AuthenticationMethods, u.AuthenticationMethods) })
		o.Keep()
		changed["authentication_methods"] = u.AuthenticationMethods
	}
	if err := o.setRealmChannels(actor, u, changed); err != nil {
		return nil, err
	}
	if u.StringID != nil {
		return nil, Refuse("Must be a demo organization.")
	}
	if u.OrgType != nil {
		o.changeRealm(func(r *Realm) { r.OrgType = *u.OrgType })
		changed["org_type"] = *u.OrgType
	}
	return changed, nil
}

// checkRealmUpdate makes the checks that come before any change. It returns
// the days of the retention policy, nil if they are not to be changed.
func (o *Organization) checkRealmUpdate(actor User, u RealmUpdate) (*int, error) {
	if language, ok := u.Texts["default_language"]; ok && !slices.Contains(languages, language) {
		return nil, Refuse("Invalid language '%s'", language)
	}
	if !actor.IsOwner() && u.needsOwner() {
		return nil, ErrMustBeOwner
	}
	if u.AuthenticationMethods != nil {
		if err := o.checkAuthenticationMethods(u.AuthenticationMethods); err != nil {
			return nil, err
		}
	}
	if id, ok := u.Numbers["video_chat_provider"]; ok &&
		!slices.ContainsFunc(VideoChatProviders, func(p VideoChatProvider) bool { return p.ID == id }) {
		return nil, Refuse("Invalid video_chat_provider %d", id)
	}
	if rating, ok := u.Numbers["giphy_rating"]; ok && (rating < 0 || rating > 4) {
		return nil, Refuse("Invalid giphy_rating %d", rating)
	}
	if u.RetentionDays == nil {
		return nil, nil
	}
	days, err := limitOf("message_retention_days", u.RetentionDays)
	if days == nil && err == nil {
		unlimited := unlimitedRetention
		days = &unlimited
	}
	return days, err
}

// needsOwner says whether anything is sent that only owners may send, changed
// or not.
func (u RealmUpdate) needsOwner() bool {
	if u.AuthenticationMethods != nil || u.RetentionDays != nil || u.StringID != nil {
		return true
	}
	for _, s := range RealmFlags {
		if _, sent := u.Flags[s.Name]; sent && s.OwnerOnly {
			return true
		}
	}
	for _, s := range RealmNumbers {
		if _, sent := u.Numbers[s.Name]; sent && s.OwnerOnly {
			return true
		}
	}
	for _, p := range RealmPermissions {
		if _, sent := u.Permissions[p.Name]; sent && p.OwnerOnly {
			return true
		}
	}
	return false
}

func (o *Organization) checkAuthenticationMethods(methods map[string]bool) error {
	known := o.Settings().AuthenticationMethods
	for _, name := range slices.Sorted(maps.Keys(methods)) {
		if _, ok := known[name]; !ok {
			valid := "['" + strings.Join(slices.Sorted(maps.Keys(known)), "', '") + "']"
			return Refuse("Invalid authentication method: %s. Valid methods are: %s", name, valid)
		}
	}
	if methods[UnavailableAuthenticationMethod] && !known[UnavailableAuthenticationMethod] {
		return Refuse("Authentication method %s is not available on your current plan.", UnavailableAuthenticationMethod)
	}
	for _, enabled := range methods {
		if enabled {
			return nil
		}
	}
	return Refuse("At least one authentication method must be enabled.")
}

// limitOf reads a limit: a positive number, or nil for "unlimited".
func limitOf(name string, value any) (*int, error) {
	if n, ok := value.(int); ok && n > 0 {
		return &n, nil
	}
	if value == "unlimited" {
		return nil, nil
	}
	return nil, BadValue(name, value)
}

// setTimeLimits sets the limits. What becomes unlimited is set and kept at
// once, numbers only when all limits are known to be good.
func (o *Organization) setTimeLimits(u RealmUpdate, changed map[string]any) error {
	set := func(s RealmSetting[*int], limit *int) {
		o.changeRealm(func(r *Realm) {
			field := s.Field(r)
			if orUnlimited(*field) != orUnlimited(limit) {
				*field = limit
				changed[s.Name] = limit
			}
		})
		o.Keep()
	}
	numbers := map[string]*int{}
	for _, s := range RealmTimeLimits {
		value, sent := u.TimeLimits[s.Name]
		if !sent {
			continue
		}
		limit, err := limitOf(s.Name, value)
		if err != nil {
			return err
		}
		if limit == nil {
			set(s, nil)
		}
		numbers[s.Name] = limit
	}
	for _, s := range RealmTimeLimits {
		if limit := numbers[s.Name]; limit != nil {
			set(s, limit)
		}
	}
	return nil
}

// orUnlimited makes limits comparable.
func orUnlimited(limit *int) int {
	if limit == nil {
		return 0
	}
	return *limit
}

// setPlain sets what needs no further check, and notes what differs: of texts
// the word "updated", of the rest the new value.
func setPlain(r *Realm, u RealmUpdate, retentionDays *int, changed map[string]any) {
	setEach(r, RealmFlags, u.Flags, func(name string, value bool) { changed[name] = value })
	setEach(r, RealmNumbers, u.Numbers, func(name string, value int) { changed[name] = value })
	setEach(r, RealmTexts, u.Texts, func(name, _ string) { changed[name] = "updated" })
	for _, p := range RealmPolicies {
		setEach(r, []RealmSetting[string]{p.RealmSetting}, u.Policies, func(name, value string) { changed[name] = p.Numbers[value] })
	}
	if retentionDays != nil && *retentionDays != r.MessageRetentionDays {
		r.MessageRetentionDays = *retentionDays
		changed["message_retention_days"] = *retentionDays
	}
	switch {
	case u.JitsiURL == nil:
	case *u.JitsiURL == "default":
		if r.JitsiServerURL != nil {
			r.JitsiServerURL = nil
			changed["jitsi_server_url"] = nil
		}
	case r.JitsiServerURL == nil || *r.JitsiServerURL != *u.JitsiURL:
		r.JitsiServerURL = u.JitsiURL
		changed["jitsi_server_url"] = "updated"
	}
}

func setEach[T comparable](r *Realm, settings []RealmSetting[T], sent map[string]T, note func(name string, value T)) {
	for _, s := range settings {
		if value, ok := sent[s.Name]; ok && *s.Field(r) != value {
			*s.Field(r) = value
			note(s.Name, value)
		}
	}
}

func (o *Organization) setRealmPermissions(u RealmUpdate, changed map[string]any) error {
	for _, p := range RealmPermissions {
		change, sent := u.Permissions[p.Name]
		if !sent {
			continue
		}
		value, differs, err := o.changePermission(o.Settings().Permissions[p.Name], change)
		if err != nil {
			return err
		}
		if !differs {
			continue
		}
		if err := o.checkValue(p, value); err != nil {
			return err
		}
		o.changeRealm(func(r *Realm) { r.Permissions[p.Name] = value })
		o.Keep()
		changed[p.Name] = value
	}
	return nil
}

// setRealmChannels sets the channels. One that is unset counts as changed even
// by -1.
func (o *Organization) setRealmChannels(actor User, u RealmUpdate, changed map[string]any) error {
	for _, s := range RealmChannels {
		id, sent := u.Channels[s.Name]
		realm := o.Settings()
		if now := *s.Field(&realm); !sent || now != 0 && now == id {
			continue
		}
		if id >= 0 {
			ch, err := o.ReadableChannel(actor, id)
			if err != nil {
				return err
			}
			if s.Name == "moderation_request_channel_id" && !ch.Private {
				return Refuse("Moderation request channel must be private.")
			}
		}
		o.changeRealm(func(r *Realm) { *s.Field(r) = max(id, 0) })
		o.Keep()
		changed[s.Name] = id
	}
	return nil
}

// languages are those translated far enough to be chosen.
var languages = strings.Fields("ar be bg bn bqi ca cs cy da de el en en-gb eo es et eu fa fi fr gl gu hi hr hu id it ja ka " +
	"ko lt lv mn nb-no nl no pl pt pt-br pt-pt ro ru si sk sl sq sr sv ta tl tr uk uz vi zh-hans zh-hant zh-tw")
