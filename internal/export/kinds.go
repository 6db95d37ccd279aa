package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// kind is a resource that is exported.
type kind struct {
	resource string
	// file is the file that the resources are in, without its ending.
	file string
	// title is the comment at the head of that file.
	title string
	// id is the ID that an object is imported by of which there is one; empty where a list says what there is, or ids.
	id string
	// ids are those of what there is some of and no list. Optional.
	ids func(e *export) []string
	// identity is the attribute that identifies an object: "id" if it is empty.
	identity string
	// nameOf is the attribute that a resource is named after: "name" if it is empty. called is the name of one that there
	// is once.
	nameOf, called string
	// rank orders references: a resource refers to one of a lower rank, or of the same if refersToOwn is set.
	rank        int
	refersToOwn bool
	// outlivesReferences says that the server ends an object only when nothing names it any more: one to which others refer is written
	// with create_before_destroy, so that Terraform changes those first.
	outlivesReferences bool
	// references say which attributes name other objects.
	references map[string]reference
	// permissions is what the server calls the permissions of such objects, for their defaults.
	permissions string
	// defaults are what something new has, as the configuration writes it.
	defaults map[string]any
	// matches are the attributes by which a planned object is found among those of the server: "name" if there are none. Those of
	// a kind that cannot be found so are not imported for a plan. ignoresCase says that the server does.
	matches     []string
	isUnnamed   bool
	ignoresCase bool
	// always are the attributes that are written also with the value that anything new has: changes of them are what people look
	// for in a plan.
	always []string
	// isHidden reports whether an account can neither list nor manage such objects. Optional.
	isHidden func(self *zulip.User) bool
	// lists are the arguments of the lists that find the objects, one after the other, where not all are wanted. Optional.
	lists func(e *export) []map[string]string
	// isSelected leaves out more than the flags do. Optional.
	isSelected func(e *export, o *object) bool
}

// reference says that an attribute names objects of another resource.
type reference struct {
	// to is the resource, by its attribute: "id" or "name".
	to, by string
	// isPrincipal is set where the values are principals, as in "group:press"; isUser where they are addresses of people or bots.
	isPrincipal, isUser bool
}

var (
	principals    = reference{isPrincipal: true}
	somebody      = reference{isUser: true}
	channelByName = reference{to: "zulip_channel", by: "name"}
)

// kinds are what is exported, in the order in which the files are read best.
var kinds = []*kind{
	{
		resource: "zulip_organization", file: "organization", title: "The organization: its settings, and who may do what.",
		id: "organization", called: "this", rank: 4, permissions: "realm", defaults: organizationDefaults, always: []string{"message_retention_days"},
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
		resource: "zulip_user", file: "people", title: "The accounts of people. Destroying a zulip_user deactivates the account, with the bots that it owns.", nameOf: "user",
		defaults: map[string]any{"role": "member"}, matches: []string{"email"}, ignoresCase: true,
	},
	{
		resource: "zulip_user_role", file: "people", title: "What people are in the organization. Members are not listed.", identity: "user_id", nameOf: "user", lists: (*export).rolesToList, isSelected: (*export).endsAsMember,
		references: map[string]reference{"user": somebody}, matches: []string{"user_id"},
	},
	{
		resource: "zulip_bot", file: "bots", title: "Bots. Their keys are read with the ephemeral resource zulip_bot_api_key.",
		nameOf: "short_name", rank: 1, defaults: botDefaults, isHidden: isBot, matches: []string{"short_name"}, ignoresCase: true,
		references: map[string]reference{"owner": somebody, "default_sending_stream": channelByName, "default_events_register_stream": channelByName},
	},
	{
		resource: "zulip_user_group", file: "groups", title: "User groups. Members are the people who are in a group by themselves, subgroups the groups in it.",
		ignoresCase: true, rank: 2, refersToOwn: true, outlivesReferences: true, permissions: "group", defaults: map[string]any{"members": []any{}, "subgroups": []any{}, "description": ""},
		references: map[string]reference{"subgroups": {to: "zulip_user_group", by: "name"}, "members": somebody},
	},
	{resource: "zulip_channel_folder", file: "folders", title: "Channel folders, and their order.", defaults: map[string]any{"description": ""}},
	{
		resource: "zulip_channel_folder_order", file: "folders", id: "channel_folders", called: "this", rank: 4,
		references: map[string]reference{"folder_ids": {to: "zulip_channel_folder", by: "id"}},
	},
	{
		resource: "zulip_channel", file: "channels", title: "Channels that are in no folder.", ignoresCase: true, rank: 3, permissions: "stream", defaults: channelDefaults, always: []string{"message_retention_days", "privacy"},
		references: map[string]reference{"folder_id": {to: "zulip_channel_folder", by: "id"}},
	},
	{
		resource: "zulip_channel_subscribers", file: "subscribers", title: "Who is in which private channel.", identity: "channel_id", rank: 4, matches: []string{"channel_id"},
		references: map[string]reference{"channel": {to: "zulip_channel", by: "id"}, "users": somebody},
		isSelected: (*export).isJoinedByInvitation,
	},
	{
		resource: "zulip_default_channel_group", file: "channels", rank: 4,
		references: map[string]reference{"channel_ids": {to: "zulip_channel", by: "id"}},
	},
	{resource: "zulip_linkifier", file: "linkifiers", title: "Linkifiers: texts that become links. The first that matches wins.", nameOf: "pattern", matches: []string{"pattern"}, defaults: map[string]any{"example_input": "", "reverse_template": "", "alternative_url_templates": []any{}}},
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
	{resource: "zulip_custom_emoji", file: "emoji", title: "Custom emoji. Their images are beside.", isSelected: (*export).hasImage},
	{
		resource: "zulip_invitation", file: "invitations", title: "Invitations that are still good.", nameOf: "user", isHidden: isBot, isSelected: noteUnread,
		matches: []string{"email"}, ignoresCase: true,
	},
	{resource: "zulip_invite_link", file: "invitations", title: "Invitations that are still good.", nameOf: "invite_as", isHidden: isBot, isUnnamed: true, isSelected: warnOfChannels},
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

// Selection selects resources: each text is a type without zulip_, with a pattern of names after a colon if not all of the
// type are meant, as in "channel:team-*".
type Selection []string

// ResourceNames lists what a selection can name, as in channel.
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
