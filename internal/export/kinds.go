package export

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// kind is a resource that is exported.
type kind struct {
	resource string
	// file is the file of the resources, without its extension.
	file string
	// title is the comment at the head of that file.
	title string
	// id is the import ID of an object that exists once. It is empty if the kind has a list or ids.
	id string
	// ids returns the IDs of objects of a kind without a list. Optional.
	ids func(e *export) []string
	// identity is the attribute that identifies an object: "id" if it is empty.
	identity string
	// nameOf is the attribute that a resource is named after: "name" if it is empty. called is the name of a resource
	// that exists once.
	nameOf, called string
	// rank orders references: a resource references one of a lower rank, or of the same if refersToOwn is true.
	rank        int
	refersToOwn bool
	// references are the attributes that name other objects.
	references map[string]reference
	// permissions is the server's name for the permissions of such objects, for their defaults.
	permissions string
	// defaults are the values of a new object, in the form of a configuration.
	defaults map[string]any
	// matches are the attributes by which a planned object is found on the server: "name" if there are none. Other
	// kinds are not imported for a plan. ignoresCase is true if the server ignores case.
	matches     []string
	isUnnamed   bool
	ignoresCase bool
	// always are the attributes that are also written with their default, because they decide who gets in and who rules, and
	// a plan shows their changes only then. alwaysIfPrivate are those of a private channel.
	always, alwaysIfPrivate []string
	// isHidden reports whether an account can neither list nor manage such objects. Optional.
	isHidden func(self *zulip.User) bool
	// lists are the arguments of the lists that find the objects, one after the other, if not all are exported.
	// Optional.
	lists func(e *export) []map[string]string
	// isSelected leaves out further objects. Optional.
	isSelected func(e *export, o *object) bool
}

// reference is an attribute that names objects of another resource.
type reference struct {
	// to is the resource, by its attribute: "id" or "name".
	to, by string
	// isPrincipal is true if the values are principals, as in "group:press"; isUser if they are emails of people or
	// bots.
	isPrincipal, isUser bool
}

var (
	principals    = reference{isPrincipal: true}
	somebody      = reference{isUser: true}
	channelByName = reference{to: "zulip_channel", by: "name"}
)

// kinds are the exported kinds, in the best order for readers of the files.
var kinds = []*kind{
	{
		resource: "zulip_organization", file: "organization", title: "The organization's settings and permissions.",
		id: "organization", called: "this", rank: 4, permissions: "realm", defaults: organizationDefaults,
		always: []string{
			"message_retention_days", "invite_required", "emails_restricted_to_domains", "disallow_disposable_email_addresses", "waiting_period_threshold",
			"authentication_methods", "can_invite_users_group", "create_multiuse_invite_group", "can_manage_all_groups", "can_access_all_users_group",
			"can_add_subscribers_group", "enable_spectator_access", "can_create_web_public_channel_group",
		},
		references: map[string]reference{
			"new_stream_announcements_stream_id":   {to: "zulip_channel", by: "id"},
			"signup_announcements_stream_id":       {to: "zulip_channel", by: "id"},
			"zulip_update_announcements_stream_id": {to: "zulip_channel", by: "id"},
			"moderation_request_channel_id":        {to: "zulip_channel", by: "id"},
		},
	},
	{
		resource: "zulip_default_user_settings", file: "organization", id: "organization", called: "this", rank: 4, defaults: userDefaults,
	},
	{resource: "zulip_domain", file: "organization", nameOf: "domain", identity: "domain", matches: []string{"domain"}, ignoresCase: true},
	{
		resource: "zulip_user", file: "people", title: "Users. Destroying a zulip_user deactivates the user and the bots that they own.", nameOf: "user",
		defaults: map[string]any{"role": "member"}, always: []string{"role"}, matches: []string{"email"}, ignoresCase: true,
	},
	{
		resource: "zulip_role_members", file: "people", title: "All owners, administrators and moderators. Someone removed from a list becomes a member.", ids: (*export).listedRoles,
		identity: "role", nameOf: "role", matches: []string{"role"}, rank: 4, references: map[string]reference{"users": somebody},
	},
	{
		resource: "zulip_user_role", file: "people", title: "Roles of users. Users with the role member aren't listed.", identity: "user_id", nameOf: "user", lists: (*export).rolesToList, isSelected: (*export).endsAsMember,
		references: map[string]reference{"user": somebody}, matches: []string{"user_id"},
	},
	{
		resource: "zulip_bot", file: "bots", title: "Bots. Their keys are read with the ephemeral resource zulip_bot_api_key.",
		nameOf: "short_name", rank: 1, defaults: botDefaults, isHidden: isBot, matches: []string{"short_name"}, ignoresCase: true,
		references: map[string]reference{"owner": somebody, "default_sending_stream": channelByName, "default_events_register_stream": channelByName},
	},
	{
		resource: "zulip_user_group", file: "groups", title: "User groups. Members are a group's direct members, subgroups the groups that it contains.",
		ignoresCase: true, rank: 2, refersToOwn: true, permissions: "group", defaults: map[string]any{"members": []any{}, "subgroups": []any{}, "description": ""},
		references: map[string]reference{"subgroups": {to: "zulip_user_group", by: "name"}, "members": somebody},
	},
	{resource: "zulip_channel_folder", file: "folders", title: "Channel folders, and their order.", defaults: map[string]any{"description": ""}},
	{
		resource: "zulip_channel_folder_order", file: "folders", id: "channel_folders", called: "this", rank: 4,
		references: map[string]reference{"folder_ids": {to: "zulip_channel_folder", by: "id"}},
	},
	{
		resource: "zulip_channel", file: "channels", title: "Channels without a folder.", ignoresCase: true, rank: 3, permissions: "stream", defaults: channelDefaults,
		always: []string{"message_retention_days", "privacy"}, alwaysIfPrivate: []string{"can_subscribe_group", "can_add_subscribers_group"},
		references: map[string]reference{"folder_id": {to: "zulip_channel_folder", by: "id"}},
	},
	{
		resource: "zulip_channel_subscribers", file: "subscribers", title: "Subscribers of private channels.", identity: "channel_id", rank: 4, matches: []string{"channel_id"},
		references: map[string]reference{"channel": {to: "zulip_channel", by: "id"}, "users": somebody},
		isSelected: (*export).isJoinedByInvitation,
	},
	{
		resource: "zulip_default_channel_group", file: "channels", rank: 4,
		references: map[string]reference{"channel_ids": {to: "zulip_channel", by: "id"}},
	},
	{resource: "zulip_linkifier", file: "linkifiers", title: "Linkifiers: text that becomes links. The first match applies.", nameOf: "pattern", matches: []string{"pattern"}, defaults: map[string]any{"example_input": "", "reverse_template": "", "alternative_url_templates": []any{}}},
	{
		resource: "zulip_linkifier_order", file: "linkifiers", id: "linkifiers", called: "this", rank: 4,
		references: map[string]reference{"linkifier_ids": {to: "zulip_linkifier", by: "id"}},
	},
	{resource: "zulip_code_playground", file: "playgrounds", title: "Code playgrounds.", matches: []string{"name", "pygments_language"}},
	{
		resource: "zulip_custom_profile_field", file: "profile_fields", title: "Custom profile fields, and their order.",
		defaults: map[string]any{"hint": "", "display_in_profile_summary": false, "required": false, "editable_by_user": true, "use_for_user_matching": false},
	},
	{
		resource: "zulip_custom_profile_field_order", file: "profile_fields", id: "custom_profile_fields", called: "this", rank: 4,
		references: map[string]reference{"field_ids": {to: "zulip_custom_profile_field", by: "id"}},
	},
	{
		resource: "zulip_organization_image", file: "organization", ids: (*export).uploadedImages, nameOf: "kind", isSelected: (*export).hasPicture, matches: []string{"kind"},
	},
	{resource: "zulip_custom_emoji", file: "emoji", title: "Custom emoji. Their images are next to this file.", isSelected: (*export).hasImage},
	{
		resource: "zulip_invitation", file: "invitations", title: "Pending invitations.", nameOf: "user", isHidden: isBot, isSelected: noteUnread,
		matches: []string{"email"}, ignoresCase: true,
	},
	{resource: "zulip_invite_link", file: "invitations", title: "Pending invitations.", nameOf: "invite_as", isHidden: isBot, isUnnamed: true, isSelected: warnOfChannels},
}

func kindOf(resource string) (*kind, bool) {
	i := slices.IndexFunc(kinds, func(k *kind) bool { return k.resource == resource })
	if i < 0 {
		return nil, false
	}
	return kinds[i], true
}

func (k *kind) identityAttribute() string {
	if k.identity == "" {
		return "id"
	}
	return k.identity
}

// word is the type without the provider's name, as in "channel".
func (k *kind) word() string { return strings.TrimPrefix(k.resource, "zulip_") }

// Selection selects resources. Each text is a type without zulip_, with an optional pattern of names after a colon, as
// in "channel:team-*".
type Selection []string

// ResourceNames returns the types that a selection can name, such as channel.
func ResourceNames() []string {
	names := make([]string, len(kinds))
	for i, kind := range kinds {
		names[i] = kind.word()
	}
	return names
}

// Check refuses a resource that is not exported.
func (s Selection) Check() error {
	words := ResourceNames()
	for _, text := range s {
		word, _, _ := strings.Cut(text, ":")
		if !slices.Contains(words, word) {
			names := suggest.Names{Things: "exported resources", All: words, Unquoted: true}
			return fmt.Errorf("no resource called %q is exported%s", word, names.Suggest(word))
		}
	}
	return nil
}

// These are the values of new objects, as a configuration writes them (server-behavior §O9). They do not include
// permissions, whose defaults the server publishes (server-behavior §P7). If a newer server has another default, the
// attribute is written, which changes nothing.

// channelDefaults are the values of a new channel.
var channelDefaults = map[string]any{
	"default_push_notifications": false,
	"description":                "",
	"folder":                     "",
	"folder_id":                  0,
	"is_default":                 false,
	"message_retention_days":     "realm_default",
	"privacy":                    "public",
	"topics_policy":              "inherit",
}

// botDefaults are the values of a new bot.
var botDefaults = map[string]any{
	"default_all_public_streams":     false,
	"default_events_register_stream": "",
	"default_sending_stream":         "",
	"interface":                      "generic",
	"role":                           "member",
}

// organizationDefaults are the values of a new organization.
var organizationDefaults = map[string]any{
	"allow_message_editing":                          true,
	"avatar_changes_disabled":                        false,
	"default_avatar_source":                          "jdenticon",
	"default_code_block_language":                    "",
	"default_language":                               "en",
	"description":                                    "",
	"digest_emails_enabled":                          false,
	"digest_weekday":                                 "tuesday",
	"disallow_disposable_email_addresses":            true,
	"email_changes_disabled":                         false,
	"emails_restricted_to_domains":                   false,
	"enable_guest_user_dm_warning":                   true,
	"enable_guest_user_indicator":                    true,
	"enable_read_receipts":                           true,
	"enable_spectator_access":                        false,
	"giphy_rating":                                   "g",
	"inline_image_preview":                           true,
	"inline_url_embed_preview":                       false,
	"invite_required":                                true,
	"jitsi_server_url":                               "default",
	"media_preview_size":                             100,
	"message_content_allowed_in_email_notifications": true,
	"message_content_delete_limit_seconds":           "600",
	"message_content_edit_limit_seconds":             "600",
	"message_edit_history_visibility_policy":         "all",
	"message_retention_days":                         "unlimited",
	"moderation_request_channel_id":                  -1,
	"move_messages_between_streams_limit_seconds":    "604800",
	"move_messages_within_stream_limit_seconds":      "604800",
	"name_changes_disabled":                          false,
	"new_stream_announcements_stream_id":             -1,
	"org_type":                                       "unspecified",
	"require_e2ee_push_notifications":                false,
	"require_unique_names":                           false,
	"send_channel_events_messages":                   false,
	"send_welcome_emails":                            true,
	"signup_announcements_stream_id":                 -1,
	"topics_policy":                                  "allow_empty_topic",
	"video_chat_provider":                            "jitsi_meet",
	"waiting_period_threshold":                       0,
	"want_advertise_in_communities_directory":        false,
	"welcome_message_custom_text":                    "",
	"zulip_update_announcements_stream_id":           -1,
}

// userDefaults are the settings of new users in a new organization.
var userDefaults = map[string]any{
	"automatically_follow_topics_policy":                  "initiation",
	"automatically_follow_topics_where_mentioned":         true,
	"automatically_unmute_topics_in_muted_streams_policy": "send",
	"color_scheme":                                "automatic",
	"demote_inactive_streams":                     "automatic",
	"desktop_icon_count_display":                  "messages",
	"display_emoji_reaction_users":                true,
	"email_address_visibility":                    "administrators",
	"email_notifications_batching_period_seconds": 120,
	"emojiset":                                       "google",
	"enable_desktop_notifications":                   true,
	"enable_digest_emails":                           true,
	"enable_drafts_synchronization":                  true,
	"enable_followed_topic_audible_notifications":    true,
	"enable_followed_topic_desktop_notifications":    true,
	"enable_followed_topic_email_notifications":      true,
	"enable_followed_topic_push_notifications":       true,
	"enable_followed_topic_wildcard_mentions_notify": true,
	"enable_offline_email_notifications":             true,
	"enable_offline_push_notifications":              true,
	"enable_online_push_notifications":               true,
	"enable_sounds":                                  true,
	"enable_stream_audible_notifications":            false,
	"enable_stream_desktop_notifications":            false,
	"enable_stream_email_notifications":              false,
	"enable_stream_push_notifications":               false,
	"enter_sends":                                    false,
	"fluid_layout_width":                             false,
	"hide_ai_features":                               false,
	"high_contrast_mode":                             false,
	"left_side_userlist":                             false,
	"message_content_in_email_notifications":         true,
	"notification_sound":                             "zulip",
	"pm_content_in_desktop_notifications":            true,
	"presence_enabled":                               true,
	"realm_name_in_email_notifications_policy":       "automatic",
	"receives_typing_notifications":                  true,
	"resolved_topic_notice_auto_read_policy":         "except_followed",
	"send_private_typing_notifications":              true,
	"send_read_receipts":                             true,
	"send_stream_typing_notifications":               true,
	"starred_message_counts":                         true,
	"translate_emoticons":                            false,
	"twenty_four_hour_time":                          false,
	"user_list_style":                                "with_avatar",
	"web_animate_image_previews":                     "on_hover",
	"web_channel_default_view":                       "first_topic",
	"web_escape_navigates_to_home_view":              true,
	"web_font_size_px":                               16,
	"web_home_view":                                  "inbox",
	"web_inbox_show_channel_folders":                 true,
	"web_left_sidebar_show_channel_folders":          true,
	"web_left_sidebar_unreads_count_summary":         true,
	"web_line_height_percent":                        140,
	"web_mark_read_on_scroll_policy":                 "always",
	"web_navigate_to_sent_message":                   true,
	"web_stream_unreads_count_display_policy":        "unmuted_streams",
	"web_suggest_update_timezone":                    true,
	"wildcard_mentions_notify":                       true,
}

// isDefault reports whether an attribute has the value of a new object on that server.
func (e *export) isDefault(o *object, name string, value tftypes.Value) bool {
	if permission, ok := e.realm.SupportedPermissions[o.kind.permissions][name]; ok {
		words := wordsOf(value)
		if strings.Contains(permission.DefaultGroupName, "creator") {
			return e.isCreator(o, words)
		}
		if len(words) == 0 {
			words = []string{"role:nobody"}
		}
		return len(words) == 1 && words[0] == permission.DefaultGroupName
	}
	if name == "authentication_methods" {
		return e.allowsEveryLogin(wordsOf(value))
	}
	standard, ok := o.kind.defaults[name]
	return ok && isSame(value, standard)
}

// isCreator reports whether principals are exactly the creator of an object: the server's value of a permission that
// was never set.
func (e *export) isCreator(o *object, words []string) bool {
	id, _ := strconv.ParseInt(o.id, 10, 64) // it is one
	var creatorID *int64
	if channel, ok := e.snapshot.Channels().ByID(id); ok && o.kind.resource == "zulip_channel" {
		creatorID = channel.CreatorID
	} else if group, ok := e.snapshot.UserGroups().ByID(id); ok && o.kind.resource == "zulip_user_group" {
		creatorID = group.CreatorID
	}
	if creatorID == nil {
		return false
	}
	creator, ok := e.snapshot.User(*creatorID)
	return ok && len(words) == 1 && words[0] == userPrefix+creator.Address()
}

// allowsEveryLogin reports whether all authentication methods of the server are enabled.
func (e *export) allowsEveryLogin(methods []string) bool {
	for name, method := range e.realm.AuthenticationMethods {
		if method.Available != slices.Contains(methods, name) {
			return false
		}
	}
	return true
}

// isSame reports whether a value equals a plain one: a text, a number, a bool, or an empty list.
func isSame(value tftypes.Value, plain any) bool {
	if value.IsNull() || !value.IsFullyKnown() {
		return false
	}
	switch plain := plain.(type) {
	case string:
		return value.Type().Is(tftypes.String) && textOf(value) == plain
	case int:
		return value.Type().Is(tftypes.Number) && numberOf(value).Cmp(big.NewFloat(float64(plain))) == 0
	case bool:
		var is bool
		return value.As(&is) == nil && is == plain
	case []any:
		var elements []tftypes.Value
		return value.As(&elements) == nil && len(elements) == 0 && len(plain) == 0
	}
	return false
}

// numberOf returns a number, and zero for any other value.
func numberOf(value tftypes.Value) *big.Float {
	number := new(big.Float)
	if value.As(&number) != nil || number == nil {
		return new(big.Float)
	}
	return number
}

// wordsOf returns the texts of a list or set, sorted.
func wordsOf(value tftypes.Value) []string {
	var elements []tftypes.Value
	if value.As(&elements) != nil {
		return nil
	}
	words := make([]string, 0, len(elements))
	for _, element := range elements {
		words = append(words, textOf(element))
	}
	slices.SortFunc(words, strings.Compare)
	return words
}
