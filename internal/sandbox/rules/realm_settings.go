package rules

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// RealmSetting describes one organization-wide setting, and whether only owners may send it.
type RealmSetting[T any] struct {
	// Name is the attribute's name in the table of feature levels. It is also the server's name, unless Renamed is set.
	Name      string
	Renamed   Renaming
	OwnerOnly bool
	Field     func(*Realm) *T
}

// Renaming is the name of a setting from a feature level on. Zero means that the setting keeps its name.
type Renaming struct {
	Level int
	Name  string
}

// NameAt returns the setting's name on a server of a feature level.
func (s RealmSetting[T]) NameAt(level int) string {
	if s.Renamed.Level > 0 && level >= s.Renamed.Level {
		return s.Renamed.Name
	}
	return s.Name
}

// Since returns the first feature level of the setting.
func (s RealmSetting[T]) Since() int { return featurelevel.Lookup("zulip_organization", s.Name) }

// RealmFlags are the settings that are on or off.
var RealmFlags = []RealmSetting[bool]{
	{Name: "allow_message_editing", Field: func(r *Realm) *bool { return &r.AllowMessageEditing }},
	{Name: "avatar_changes_disabled", Field: func(r *Realm) *bool { return &r.AvatarChangesDisabled }},
	{Name: "digest_emails_enabled", Field: func(r *Realm) *bool { return &r.DigestEmailsEnabled }},
	{Name: "disallow_disposable_email_addresses", OwnerOnly: true, Field: func(r *Realm) *bool { return &r.DisallowDisposableEmailAddresses }},
	{Name: "email_changes_disabled", Field: func(r *Realm) *bool { return &r.EmailChangesDisabled }},
	{Name: "emails_restricted_to_domains", OwnerOnly: true, Field: func(r *Realm) *bool { return &r.EmailsRestrictedToDomains }},
	{Name: "enable_guest_user_dm_warning", Field: func(r *Realm) *bool { return &r.EnableGuestUserDMWarning }},
	{Name: "enable_guest_user_indicator", Field: func(r *Realm) *bool { return &r.EnableGuestUserIndicator }},
	{Name: "enable_read_receipts", Field: func(r *Realm) *bool { return &r.EnableReadReceipts }},
	{Name: "enable_spectator_access", Field: func(r *Realm) *bool { return &r.EnableSpectatorAccess }},
	{Name: "inline_image_preview", Field: func(r *Realm) *bool { return &r.InlineImagePreview }},
	{Name: "inline_url_embed_preview", Field: func(r *Realm) *bool { return &r.InlineURLEmbedPreview }},
	{Name: "invite_required", OwnerOnly: true, Field: func(r *Realm) *bool { return &r.InviteRequired }},
	{Name: "message_content_allowed_in_email_notifications", Field: func(r *Realm) *bool { return &r.MessageContentAllowedInEmails }},
	{Name: "name_changes_disabled", Field: func(r *Realm) *bool { return &r.NameChangesDisabled }},
	{Name: "require_e2ee_push_notifications", Field: func(r *Realm) *bool { return &r.RequireE2EEPushNotifications }},
	{Name: "require_unique_names", Field: func(r *Realm) *bool { return &r.RequireUniqueNames }},
	{Name: "send_channel_events_messages", Field: func(r *Realm) *bool { return &r.SendChannelEventsMessages }},
	{Name: "send_welcome_emails", Field: func(r *Realm) *bool { return &r.SendWelcomeEmails }},
	{Name: "want_advertise_in_communities_directory", Field: func(r *Realm) *bool { return &r.WantAdvertiseInCommunitiesDirectories }},
}

// RealmNumbers are the settings with a number; the code that reads or checks them knows the possible numbers.
var RealmNumbers = []RealmSetting[int]{
	{Name: "digest_weekday", Field: func(r *Realm) *int { return &r.DigestWeekday }},
	{Name: "giphy_rating", Renamed: Renaming{featurelevel.GIFRatingPolicy, "gif_rating_policy"}, Field: func(r *Realm) *int { return &r.GIFRating }},
	{Name: "media_preview_size", Field: func(r *Realm) *int { return &r.MediaPreviewSize }},
	{Name: "video_chat_provider", Field: func(r *Realm) *int { return &r.VideoChatProvider }},
	{Name: "waiting_period_threshold", OwnerOnly: true, Field: func(r *Realm) *int { return &r.WaitingPeriodThreshold }},
}

// RealmTexts are the settings with a text.
var RealmTexts = []RealmSetting[string]{
	{Name: "default_avatar_source", Field: func(r *Realm) *string { return &r.DefaultAvatarSource }},
	{Name: "default_code_block_language", Field: func(r *Realm) *string { return &r.DefaultCodeBlockLanguage }},
	{Name: "default_language", Field: func(r *Realm) *string { return &r.DefaultLanguage }},
	{Name: "description", Field: func(r *Realm) *string { return &r.Description }},
	{Name: "name", Field: func(r *Realm) *string { return &r.Name }},
	{Name: "welcome_message_custom_text", Field: func(r *Realm) *string { return &r.WelcomeMessageCustomText }},
}

// RealmPolicies are the settings with one of a few words.
var RealmPolicies = []struct {
	RealmSetting[string]
	Numbers map[string]int // numbers in the answer to a change
}{
	{RealmSetting[string]{Name: "message_edit_history_visibility_policy", Field: func(r *Realm) *string { return &r.MessageEditHistory }}, EditHistoryPolicies},
	{RealmSetting[string]{Name: "topics_policy", Field: func(r *Realm) *string { return &r.TopicsPolicy }}, RealmTopicsPolicies},
}

// RealmTimeLimits are the settings in seconds that can be unlimited.
var RealmTimeLimits = []RealmSetting[*int]{
	{Name: "message_content_delete_limit_seconds", Field: func(r *Realm) **int { return &r.MessageContentDeleteLimit }},
	{Name: "message_content_edit_limit_seconds", Field: func(r *Realm) **int { return &r.MessageContentEditLimit }},
	{Name: "move_messages_within_stream_limit_seconds", Field: func(r *Realm) **int { return &r.MoveMessagesWithinChannelLimit }},
	{Name: "move_messages_between_streams_limit_seconds", Field: func(r *Realm) **int { return &r.MoveMessagesBetweenChannelsLimit }},
}

// RealmChannels are the channels for the organization's own posts. Requests and answers have -1 for none.
var RealmChannels = []RealmSetting[int]{
	{Name: "moderation_request_channel_id", Field: func(r *Realm) *int { return &r.ModerationRequestChannelID }},
	{Name: "new_stream_announcements_stream_id", Field: func(r *Realm) *int { return &r.NewChannelAnnouncementsID }},
	{Name: "signup_announcements_stream_id", Field: func(r *Realm) *int { return &r.SignupAnnouncementsChannelID }},
	{Name: "zulip_update_announcements_stream_id", Field: func(r *Realm) *int { return &r.UpdateAnnouncementsChannelID }},
}

// VideoChatProvider is a provider of calls, by its number.
type VideoChatProvider struct {
	ID        int
	Key, Name string
}

// videoChatProviders are all providers that a server can enable.
var videoChatProviders = []VideoChatProvider{
	{0, "disabled", "None"}, {1, "jitsi_meet", "Jitsi Meet"}, {3, "zoom", "Zoom"}, {4, "big_blue_button", "BigBlueButton"},
	{5, "zoom_server_to_server", "Zoom"}, {6, "constructor_groups", "Constructor Groups"},
	{7, "nextcloud_talk", "Nextcloud Talk"}, {8, "webex", "Webex"},
}

// SetUpVideoChat enables more providers. Initially "disabled" and "jitsi_meet" are enabled.
func (o *Organization) SetUpVideoChat(keys ...string) {
	o.videoChat = append(o.videoChat, keys...)
}

// VideoChatProviders returns the enabled providers that the server's level supports.
func (o *Organization) VideoChatProviders() []VideoChatProvider {
	return slices.DeleteFunc(slices.Clone(videoChatProviders), func(p VideoChatProvider) bool {
		return !slices.Contains(o.videoChat, p.Key) || o.level() < featurelevel.LookupValue("zulip_organization", "video_chat_provider", p.Key)
	})
}

// GIFRatings are the values of the setting giphy_rating, in order.
var GIFRatings = []struct{ Key, Name string }{
	{"disabled", "GIF integration disabled"}, {"g", "Allow GIFs rated G (General audience)"},
	{"pg", "Allow GIFs rated PG (Parental guidance)"}, {"pg-13", "Allow GIFs rated PG-13 (Parental guidance - under 13)"},
	{"r", "Allow GIFs rated R (Restricted)"},
}

// RealmUpdate is the request PATCH /realm. The maps contain the sent values, by the setting's name. A limit is an int or a
// string.
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

// UpdateRealm changes the settings one after the other: the steps before a failing one remain (server-behavior §O2). It
// returns the changes for the answer.
func (o *Organization) UpdateRealm(actor User, u RealmUpdate) (map[string]any, error) {
	retentionDays, err := o.checkRealmUpdate(actor, u)
	if err != nil {
		return nil, err
	}
	changed := map[string]any{}
	if err := o.setTimeLimits(u, changed); err != nil {
		return nil, err
	}
	o.changeRealm(func(r *Realm) { o.setPlain(r, u, retentionDays, changed) })
	o.Commit()
	if err := o.setRealmPermissions(u, changed); err != nil {
		return nil, err
	}
	if u.AuthenticationMethods != nil && !maps.Equal(u.AuthenticationMethods, o.Settings().AuthenticationMethods) {
		o.changeRealm(func(r *Realm) { maps.Copy(r.AuthenticationMethods, u.AuthenticationMethods) })
		o.Commit()
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

// UpdateStaleRealm is UpdateRealm of a server that compares with an older copy of the settings. It writes only the settings
// of the request that differ from the copy.
func (o *Organization) UpdateStaleRealm(stale Realm, actor User, u RealmUpdate) (map[string]any, error) {
	current := o.Settings()
	o.Realm.Put(realmID, stale)
	changed, err := o.UpdateRealm(actor, u)
	current.Permissions = maps.Clone(current.Permissions)
	current.AuthenticationMethods = maps.Clone(current.AuthenticationMethods)
	putDifferences(reflect.ValueOf(&current).Elem(), reflect.ValueOf(stale), reflect.ValueOf(o.Settings()))
	o.Realm.Put(realmID, current)
	o.Commit()
	return changed, err
}

// putDifferences sets the differences between two values, field by field and key by key.
func putDifferences(into, before, after reflect.Value) {
	switch {
	case reflect.DeepEqual(before.Interface(), after.Interface()):
	case after.Kind() == reflect.Struct:
		for i := range after.NumField() {
			putDifferences(into.Field(i), before.Field(i), after.Field(i))
		}
	case after.Kind() == reflect.Map:
		for entry := after.MapRange(); entry.Next(); {
			if was := before.MapIndex(entry.Key()); !was.IsValid() || !reflect.DeepEqual(was.Interface(), entry.Value().Interface()) {
				into.SetMapIndex(entry.Key(), entry.Value())
			}
		}
	default:
		into.Set(after)
	}
}

// checkRealmUpdate makes the checks before any change. It returns the days of the retention policy; nil leaves them
// unchanged.
func (o *Organization) checkRealmUpdate(actor User, u RealmUpdate) (*int, error) {
	for _, p := range RealmPermissions {
		if _, sent := u.Permissions[p.Name]; sent && p.Unwritable {
			return nil, errConflict
		}
	}
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
		!slices.ContainsFunc(o.VideoChatProviders(), func(p VideoChatProvider) bool { return p.ID == id }) {
		return nil, Refuse("Invalid video_chat_provider %d", id)
	}
	if rating, ok := u.Numbers["giphy_rating"]; ok && (rating < 0 || rating > 4) {
		return nil, Refuse("Invalid %s %d", o.realmNumber("giphy_rating").NameAt(o.level()), rating)
	}
	for _, number := range u.Numbers {
		if number > maxInteger {
			return nil, errConflict
		}
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

// needsOwner reports whether the request contains a setting that only owners may send, changed or not.
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

// checkAuthenticationMethods refuses methods that the server does not enable (server-behavior §O13).
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
		if n > maxInteger {
			return nil, errConflict
		}
		return &n, nil
	}
	if value == "unlimited" {
		return nil, nil
	}
	return nil, BadValue(name, value)
}

// setTimeLimits sets the limits. It stores unlimited ones immediately, and numbers after all limits are checked.
func (o *Organization) setTimeLimits(u RealmUpdate, changed map[string]any) error {
	set := func(s RealmSetting[*int], limit *int) {
		o.changeRealm(func(r *Realm) {
			field := s.Field(r)
			if orUnlimited(*field) != orUnlimited(limit) {
				*field = limit
				changed[s.Name] = limit
			}
		})
		o.Commit()
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

// orUnlimited returns a comparable form of a limit.
func orUnlimited(limit *int) int {
	if limit == nil {
		return 0
	}
	return *limit
}

// setPlain sets values without further checks, and records the differences: for texts the word "updated", for others the
// new value.
func (o *Organization) setPlain(r *Realm, u RealmUpdate, retentionDays *int, changed map[string]any) {
	setEach(r, RealmFlags, u.Flags, func(name string, value bool) { changed[name] = value })
	setEach(r, RealmNumbers, u.Numbers, func(name string, value int) { changed[o.realmNumber(name).NameAt(o.level())] = value })
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

// realmNumber returns one of RealmNumbers.
func (o *Organization) realmNumber(name string) RealmSetting[int] {
	at := slices.IndexFunc(RealmNumbers, func(s RealmSetting[int]) bool { return s.Name == name })
	return RealmNumbers[at]
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
		o.Commit()
		changed[p.Name] = value
		if value.Group == 0 {
			changed[p.Name] = change.New.rawLists()
		}
	}
	return nil
}

// setRealmChannels sets the channels. An unset channel counts as changed even by -1.
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
		o.Commit()
		changed[s.Name] = id
	}
	return nil
}

// languages are the languages with enough translations.
var languages = strings.Fields("ar be bg bn bqi ca cs cy da de el en en-gb eo es et eu fa fi fr gl gu hi hr hu id it ja ka " +
	"ko lt lv mn nb-no nl no pl pt pt-br pt-pt ro ru si sk sl sq sr sv ta tl tr uk uz vi zh-hans zh-hant zh-tw")
