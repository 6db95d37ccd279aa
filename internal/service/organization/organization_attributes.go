package organization

import (
	"fmt"
	"math"
	"regexp"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	datasourceschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/text/unicode/norm"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/effects"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/change"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/settings"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// languageCode matches the codes of the server's languages.
var languageCode = regexp.MustCompile(`^[a-z]{2,3}(-[a-z]{2,8})?$`)

type (
	organizationStep    = change.Step[*zulip.Realm, zulip.RealmUpdate]
	organizationPending = change.Pending[*zulip.Realm, zulip.RealmUpdate]
	organizationReading = change.Reading[*zulip.Realm]
	organizationPrior   = attribute.Prior[organizationModel, *zulip.Realm]
)

// organizationTable are the attributes of the organization: the table [settings], and the table of permissions.
var organizationTable = func() attribute.Table[organizationModel, *zulip.Realm, zulip.RealmUpdate] {
	all := attribute.Table[organizationModel, *zulip.Realm, zulip.RealmUpdate]{
		Resource:    "zulip_organization",
		Permissions: map[string]attribute.Permission[organizationModel]{},
		Wire: attribute.Permissions[*zulip.Realm, zulip.RealmUpdate]{
			Table:   permission.Organizations,
			Values:  func(r *zulip.Realm) map[string]zulip.GroupSettingValue { return r.Permissions },
			Changes: func(u *zulip.RealmUpdate) *map[string]zulip.GroupSettingChange { return &u.Permissions },
		},
	}
	for _, setting := range organizationSettings {
		all.Rows = append(all.Rows, organizationRow{setting})
	}
	for _, setting := range permission.Organizations.All() {
		one := attribute.Permission[organizationModel]{At: func(m *organizationModel) *types.Set { return m.permission(setting.Name) }}
		if setting.OwnersOnly {
			one.Requires.Role = zulip.RoleOwner
		}
		all.Permissions[setting.Name] = one
	}
	return all
}()

// organizationRow is the row of a setting. The kind of the setting has the server's form of its values.
type organizationRow struct{ settings.Setting }

// AttributeName is the name of the setting.
func (r organizationRow) AttributeName() string { return r.Name }

// ResourceAttribute describes it in the schema of the resource.
func (r organizationRow) ResourceAttribute(string) schema.Attribute { return r.Attribute() }

// DataSourceAttribute describes it in the schema of the data source.
func (r organizationRow) DataSourceAttribute(string) datasourceschema.Attribute {
	return r.Setting.DataSourceAttribute()
}

// Takes returns the role or permission that an account needs to set the setting.
func (r organizationRow) Takes() (requires attribute.Requirement) {
	if r.OwnerOnly {
		requires.Role = zulip.RoleOwner
	}
	return requires
}

// ReadInto sets the model to the server's value.
func (r organizationRow) ReadInto(m *organizationModel, realm *zulip.Realm, env attribute.Env, diags *diag.Diagnostics) {
	if value := r.Read(realm.Settings, env.FeatureLevel, m.settings[r.Name], diags); value != nil {
		m.set(r.Name, value)
	}
}

// Step is the change of the setting.
func (r organizationRow) Step(prior *organizationPrior, planned *organizationModel, env attribute.Env) (change organizationStep, problems []permission.Problem, found bool) {
	value, before := planned.settings[r.Name], prior.Values.settings[r.Name]
	if !r.Changes(value, before) {
		return change, nil, false
	}
	change = organizationStep{
		Attribute: r.Name, Prior: describeOrganizationValue(before), Planned: describeOrganizationValue(value),
		Current: func(realm *zulip.Realm) string {
			// An unreadable value was reported when the state was read. Here it only counts as different.
			var unreadable diag.Diagnostics
			return describeOrganizationValue(r.Read(realm.Settings, env.FeatureLevel, nil, &unreadable))
		},
		Put: func(update *zulip.RealmUpdate, current *zulip.Realm, _ bool) {
			r.put(update, planned, current, env.FeatureLevel)
		},
	}
	if channel, ok := before.(types.Int64); ok && r.Kind == (channelKind{}) {
		change.After = func(known *effects.Log, _ *zulip.Realm) organizationStep {
			after := change
			for _, id := range known.After(effects.ChannelSetting, []int64{channel.ValueInt64()}, nil) {
				after.Prior = describeOrganizationValue(types.Int64Value(id))
			}
			return after
		}
	}
	return change, nil, true
}

// put writes the model's value into an update.
func (r organizationRow) put(update *zulip.RealmUpdate, m *organizationModel, current *zulip.Realm, featureLevel int) {
	if r.Name == methodsAttribute {
		update.Settings.JSON(r.Name, turnOff(m.settings[r.Name], current.AuthenticationMethods))
		return
	}
	r.Send(&update.Settings, m.settings, current.Settings, featureLevel)
}

// KeepPrior keeps null if the server does not have the setting, because it won't have it after the apply either.
func (r organizationRow) KeepPrior(config, planned, state *organizationModel, _ attribute.Env) {
	if before := state.settings[r.Name]; planned.settings[r.Name].IsUnknown() && config.settings[r.Name].IsNull() && before.IsNull() {
		planned.set(r.Name, before)
	}
}

// KeepPlanned keeps the planned value, unless that is unknown.
func (r organizationRow) KeepPlanned(m, planned *organizationModel) {
	if value := planned.settings[r.Name]; !value.IsUnknown() {
		m.set(r.Name, value)
	}
}

// ForgetUnknown makes an unknown value null.
func (r organizationRow) ForgetUnknown(m *organizationModel) {
	if m.settings[r.Name].IsUnknown() {
		m.set(r.Name, r.Read(nil, 0, nil, &diag.Diagnostics{}))
	}
}

// describeOrganizationValue returns a value of a setting for messages. Values with the same meaning have the same text, because
// Terraform normalizes every text to the Unicode normal form NFC, unlike the server.
func describeOrganizationValue(value attr.Value) string {
	set, isSet := value.(types.Set)
	switch {
	case value == nil || value.IsNull():
		return "nothing"
	case isSet:
		texts := organizationTextsOf(set)
		slices.Sort(texts)
		return norm.NFC.String(fmt.Sprintf("%q", texts))
	}
	return norm.NFC.String(value.String())
}

// The server's limits, counted in characters (server-behavior §O6).
const (
	organizationMaxName = 40
	maxDescription      = 1000
	maxWelcomeMessage   = 8000
	maxJitsiURL         = 200
)

// organizationSettings are the settings of `PATCH /realm` other than permissions (server-behavior §O3), in the order of the
// pages on which administrators find them. They exclude `string_id`, which moves a demo organization to another URL:
// the provider would no longer find the organization.
var organizationSettings = settings.WithLevels("zulip_organization", settings.Table{
	// Organization profile.
	{Name: "name", Kind: nameKind{}, Description: "Name of the organization."},
	{Name: "description", Kind: settings.Text{MaxLength: maxDescription}, Description: "Description of the organization, in Markdown, shown before login."},
	{Name: "org_type", Kind: organizationTypes, Description: "Type of the organization."},
	{Name: "want_advertise_in_communities_directory", Kind: settings.Flag{}, Description: "If true, the Zulip communities directory can list the organization."},

	// Organization settings, such as announcements and language.
	{Name: "new_stream_announcements_stream_id", Kind: channelKind{}, Description: "Channel that announces new channels."},
	{Name: "signup_announcements_stream_id", Kind: channelKind{}, Description: "Channel that announces new users."},
	{Name: "zulip_update_announcements_stream_id", Kind: channelKind{}, Description: "Channel that announces Zulip updates."},
	{Name: "send_channel_events_messages", Kind: settings.Flag{}, Description: "If true, channels get automated messages about people who join or leave."},
	{Name: "default_language", Kind: settings.Text{Rule: validators.Matches(languageCode, "must be the code of a language, such as en or pt-br")}, Description: "Language of new users, automated messages, and invitation emails: a code such as `en` or `pt-br`."},
	{Name: "default_code_block_language", Kind: settings.Text{}, Description: "Language of code blocks without a language; `\"\"` for none."},
	{Name: "welcome_message_custom_text", Kind: settings.Text{MaxLength: maxWelcomeMessage}, Description: "Text in Markdown that Welcome Bot adds to its greeting of new users; `\"\"` for none."},
	{Name: "send_welcome_emails", Kind: settings.Flag{}, Description: "If true, new users get emails that introduce Zulip."},
	{Name: "digest_emails_enabled", Kind: settings.Flag{}, Description: "If true, inactive users get a weekly digest by email. Can be true only if the server sends digests."},
	{Name: "digest_weekday", Kind: weekdays, Description: "Weekday on which digests are sent."},
	{Name: "message_content_allowed_in_email_notifications", Kind: settings.Flag{}, Description: "If true, email notifications can include the content of messages."},
	{Name: "require_e2ee_push_notifications", Kind: settings.Flag{}, Description: "If true, the content of mobile notifications requires end-to-end encryption. Other devices get notifications without content, and none from feature level 500."},
	{Name: "topics_policy", Kind: settings.Word{"allow_empty_topic", "disable_empty_topic"}, Description: "Policy for channel messages without a topic. A channel can have its own policy."},
	{Name: "message_retention_days", Kind: limitKind{unit: "days"}, OwnerOnly: true, Description: "Retention period of messages. A channel can have its own."},
	{Name: "inline_image_preview", Kind: settings.Flag{}, Description: "If true, uploaded and linked images and videos are previewed."},
	{Name: "inline_url_embed_preview", Kind: settings.Flag{}, Description: "If true, linked websites are previewed."},
	{Name: "giphy_rating", Renamed: "gif_rating_policy", Kind: gifRatings, Description: fmt.Sprintf("Highest rating of the GIFs on offer; `disabled` turns the GIF integration off. The API name is `gif_rating_policy` from feature level %d.", featurelevel.GIFRatingPolicy)},
	{Name: "media_preview_size", Kind: previewSizeKind{}, Description: "Size of image and video previews in percent of the smallest size."},
	{Name: "video_chat_provider", Kind: videoChatProviders, Description: "Provider of calls. The server must be set up for it."},
	{Name: "jitsi_server_url", Kind: jitsiKind{}, Description: "URL of the Jitsi Meet server for calls, or `default` for the server's own choice."},

	// Organization permissions that do not list principals.
	{Name: "invite_required", Kind: settings.Flag{}, OwnerOnly: true, Description: "If true, joining the organization requires an invitation."},
	{Name: "emails_restricted_to_domains", Kind: settings.Flag{}, OwnerOnly: true, Description: "If true, only people with an email of the organization's domains (`zulip_domain`) can join."},
	{Name: "disallow_disposable_email_addresses", Kind: settings.Flag{}, OwnerOnly: true, Description: "If true, people with disposable emails can't join. Has no effect while `emails_restricted_to_domains` is `true`."},
	{Name: "waiting_period_threshold", Kind: settings.Number{Min: 0, Max: math.MaxInt32}, OwnerOnly: true, Description: "Number of days until a new member becomes a full member. A change immediately changes the members of `role:fullmembers`."},
	{Name: "enable_spectator_access", Kind: settings.Flag{}, Description: "If true, people can create web-public channels, which anyone on the internet can read. The server must allow them."},
	{Name: "moderation_request_channel_id", Kind: channelKind{}, Description: "Private channel for reported messages."},
	{Name: "enable_guest_user_indicator", Kind: settings.Flag{}, Description: "If true, names of guests are marked."},
	{Name: "enable_guest_user_dm_warning", Kind: settings.Flag{}, Description: "If true, people see a warning when they compose a direct message to a guest."},
	{Name: "enable_read_receipts", Kind: settings.Flag{}, Description: "If true, people can see who has read a message."},
	{Name: "require_unique_names", Kind: settings.Flag{}, Description: "If true, user names must be unique."},
	{Name: "name_changes_disabled", Kind: settings.Flag{}, Description: "If true, only administrators can change names."},
	{Name: "email_changes_disabled", Kind: settings.Flag{}, Description: "If true, only administrators can change emails."},
	{Name: "default_avatar_source", Kind: avatarKind{}, Description: "Source of new users' profile pictures: Gravatar, or a generated picture (`jdenticon`)."},
	{Name: "avatar_changes_disabled", Kind: settings.Flag{}, Description: "If true, only administrators can change profile pictures."},
	{Name: "allow_message_editing", Kind: settings.Flag{}, Description: "If true, people can edit their own messages."},
	{Name: "message_content_edit_limit_seconds", Kind: limitKind{unit: "seconds"}, Description: "Time limit for people to edit their own messages."},
	{Name: "message_edit_history_visibility_policy", Kind: settings.Word{"all", "moves", "none"}, Description: "Visible part of a message's history: edits and moves, moves only, or nothing."},
	{Name: "message_content_delete_limit_seconds", Kind: limitKind{unit: "seconds"}, Description: "Time limit for people to delete their own messages."},
	{Name: "move_messages_within_stream_limit_seconds", Kind: limitKind{unit: "seconds"}, Description: "Time limit for members to move messages to another topic."},
	{Name: "move_messages_between_streams_limit_seconds", Kind: limitKind{unit: "seconds"}, Description: "Time limit for members to move messages to another channel."},

	// Authentication methods.
	{Name: "authentication_methods", Kind: methodsKind{}, OwnerOnly: true, Description: "Complete list of enabled authentication methods, by their names on the server, such as `Email`, `Google`, `GitHub`, `LDAP` or `SAML`. API keys always work."},
})

// organizationTypes are the kinds of organizations (server-behavior §O7).
var organizationTypes = settings.Coded{
	{Word: "unspecified", Number: 0}, {Word: "business", Number: 10}, {Word: "opensource", Number: 20},
	{Word: "education_nonprofit", Number: 30}, {Word: "education", Number: 35}, {Word: "research", Number: 40},
	{Word: "event", Number: 50}, {Word: "nonprofit", Number: 60}, {Word: "government", Number: 70},
	{Word: "political_group", Number: 80}, {Word: "community", Number: 90}, {Word: "personal", Number: 100},
	{Word: "other", Number: 1000},
}

// weekdays begin with Monday, as on the wire.
var weekdays = settings.Coded{
	{Word: "monday", Number: 0}, {Word: "tuesday", Number: 1}, {Word: "wednesday", Number: 2}, {Word: "thursday", Number: 3},
	{Word: "friday", Number: 4}, {Word: "saturday", Number: 5}, {Word: "sunday", Number: 6},
}

// gifRatings have the server's words (`gif_rating_options`).
var gifRatings = settings.Coded{
	{Word: "disabled", Number: 0}, {Word: "g", Number: 1}, {Word: "pg", Number: 2}, {Word: "pg-13", Number: 3}, {Word: "r", Number: 4},
}

// videoChatProviders have the server's words (`realm_available_video_chat_providers`); 2 was a provider that no longer
// exists.
var videoChatProviders = settings.Coded{
	{Word: "disabled", Number: 0}, {Word: "jitsi_meet", Number: 1}, {Word: "zoom", Number: 3}, {Word: "big_blue_button", Number: 4},
	{Word: "zoom_server_to_server", Number: 5}, {Word: "constructor_groups", Number: 6}, {Word: "nextcloud_talk", Number: 7},
	{Word: "webex", Number: 8},
}
