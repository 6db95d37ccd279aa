// Package recording reads an organization as a file that the sandbox starts with: the configuration that an
// administrator sees, with its IDs.
//
// [Read] returns an [Organization], [Organization.Encode] writes the file, and [Organization.Anonymise] removes the
// people from it. The keys are the API's. Lists are sorted by ID, or in the organization's own order if that has a
// meaning, so that two files can be compared line by line.
//
// The file has no secrets and no texts of people: no messages, keys, passwords, links of invitations, statuses and
// drafts. The package knows only the client.
package recording

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Format is the version of the form.
const Format = 1

// Organization is the content of the file.
type Organization struct {
	Format int    `json:"format"`
	Server Server `json:"server"`
	// NotSeen lists the objects of the organization that the server does not show.
	NotSeen       []string                   `json:"not_seen"`
	Realm         Realm                      `json:"realm"`
	UserDefaults  map[string]json.RawMessage `json:"realm_user_settings_defaults"`
	SystemBots    []SystemBot                `json:"system_bots"`
	Accounts      []Account                  `json:"accounts"`
	Bots          []Bot                      `json:"bots"`
	UserGroups    []UserGroup                `json:"user_groups"`
	Folders       []*zulip.ChannelFolder     `json:"channel_folders"`
	Channels      []Channel                  `json:"channels"`
	Defaults      []int64                    `json:"default_channels"`
	DefaultGroups []DefaultChannelGroup      `json:"default_channel_groups"`
	ProfileFields []*zulip.ProfileField      `json:"custom_profile_fields"` // in their order
	Linkifiers    []Linkifier                `json:"linkifiers"`            // in the order in which they are tried
	Playgrounds   []*zulip.Playground        `json:"playgrounds"`
	Domains       []*zulip.Domain            `json:"domains"`
	CustomEmoji   []CustomEmoji              `json:"custom_emoji"`
	Invitations   []Invitation               `json:"invitations"`
}

// Server is the server of the organization.
type Server struct {
	Version      string `json:"zulip_version"`
	FeatureLevel int    `json:"zulip_feature_level"`
}

// Realm has the settings of the organization, by name without `realm_`.
type Realm struct {
	BotDomain          string                             `json:"bot_domain"`
	VideoChatProviders []string                           `json:"available_video_chat_providers"`
	Settings           map[string]json.RawMessage         `json:"settings"`
	Permissions        map[string]zulip.GroupSettingValue `json:"permissions"`
}

// SystemBot is an account that is in no organization.
type SystemBot struct {
	ID       int64  `json:"user_id"`
	Email    string `json:"email"`
	FullName string `json:"full_name"`
}

// Account is a person or bot.
type Account struct {
	ID             int64             `json:"user_id"`
	Email          string            `json:"email"`
	DeliveryEmail  *string           `json:"delivery_email"`
	FullName       string            `json:"full_name"`
	Role           zulip.Role        `json:"role"`
	IsActive       bool              `json:"is_active"`
	IsDeleted      bool              `json:"is_deleted,omitempty"`
	IsImportedStub bool              `json:"is_imported_stub,omitempty"`
	IsBot          bool              `json:"is_bot"`
	BotType        *int64            `json:"bot_type,omitempty"`
	BotOwnerID     *int64            `json:"bot_owner_id,omitempty"`
	Timezone       string            `json:"timezone"`
	DateJoined     string            `json:"date_joined"`
	ProfileData    map[string]string `json:"profile_data,omitempty"`
}

// Bot is a bot's configuration, without its account.
type Bot struct {
	ID                          int64              `json:"user_id"`
	DefaultSendingStream        *string            `json:"default_sending_stream"`
	DefaultEventsRegisterStream *string            `json:"default_events_register_stream"`
	DefaultAllPublicStreams     bool               `json:"default_all_public_streams"`
	Services                    []zulip.BotService `json:"services"`
}

// UserGroup is a group. A system group has no members here, because they follow from the roles.
type UserGroup struct {
	ID          int64                              `json:"id"`
	Name        string                             `json:"name"`
	Description string                             `json:"description"`
	IsSystem    bool                               `json:"is_system_group"`
	Deactivated bool                               `json:"deactivated"`
	CreatorID   *int64                             `json:"creator_id"`
	DateCreated *int64                             `json:"date_created"`
	Members     []int64                            `json:"members"`
	Subgroups   []int64                            `json:"direct_subgroup_ids"`
	Permissions map[string]zulip.GroupSettingValue `json:"permissions"`
}

// Channel is a channel, archived or not.
type Channel struct {
	ID                         int64                              `json:"stream_id"`
	Name                       string                             `json:"name"`
	Description                string                             `json:"description"`
	InviteOnly                 bool                               `json:"invite_only"`
	IsWebPublic                bool                               `json:"is_web_public"`
	HistoryPublicToSubscribers bool                               `json:"history_public_to_subscribers"`
	MessageRetentionDays       *int64                             `json:"message_retention_days"`
	TopicsPolicy               string                             `json:"topics_policy"` // "" on servers without policies
	DefaultPushNotifications   *bool                              `json:"default_push_notifications,omitempty"`
	FolderID                   *int64                             `json:"folder_id"`
	IsArchived                 bool                               `json:"is_archived"`
	CreatorID                  *int64                             `json:"creator_id"`
	DateCreated                int64                              `json:"date_created"`
	Permissions                map[string]zulip.GroupSettingValue `json:"permissions"`
	Subscribers                []int64                            `json:"subscribers"` // null: not seen
}

// DefaultChannelGroup is a set of channels that new people can choose.
type DefaultChannelGroup struct {
	ID          int64   `json:"id"`
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Channels    []int64 `json:"streams"`
}

// Linkifier turns the matches of its pattern into links.
type Linkifier struct {
	ID                      int64    `json:"id"`
	Pattern                 string   `json:"pattern"`
	URLTemplate             string   `json:"url_template"`
	ExampleInput            *string  `json:"example_input,omitempty"`
	ReverseTemplate         *string  `json:"reverse_template,omitempty"`
	AlternativeURLTemplates []string `json:"alternative_url_templates,omitempty"`
}

// CustomEmoji is an emoji without its picture.
type CustomEmoji struct {
	ID          int64  `json:"id"`
	Name        string `json:"name"`
	AuthorID    *int64 `json:"author_id"`
	FileType    string `json:"file_type"` // as in "png"
	Deactivated bool   `json:"deactivated"`
}

// Invitation is a pending invitation, without its link.
type Invitation struct {
	ID                   int64      `json:"id"`
	IsMultiuse           bool       `json:"is_multiuse"`
	InvitedAs            zulip.Role `json:"invited_as"`
	InvitedByUserID      int64      `json:"invited_by_user_id"`
	Invited              int64      `json:"invited"`
	ExpiryDate           *int64     `json:"expiry_date"`
	Email                string     `json:"email,omitempty"`
	NotifyReferrerOnJoin bool       `json:"notify_referrer_on_join,omitempty"`
}

// Encode returns the file. Equal organizations have equal bytes.
func (o *Organization) Encode() ([]byte, error) {
	var file bytes.Buffer
	encoder := json.NewEncoder(&file)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(o); err != nil {
		return nil, err
	}
	return numbersInLines.ReplaceAllFunc(file.Bytes(), func(list []byte) []byte {
		return bytes.ReplaceAll(blanks.ReplaceAll(list, nil), []byte(","), []byte(", "))
	}), nil
}

// EncodePeople returns the file of people from which an otherwise new organization starts: the accounts of people by their
// email, without those who were deleted.
func (o *Organization) EncodePeople() ([]byte, error) {
	type person struct {
		Email         string     `json:"email"`
		FullName      string     `json:"full_name"`
		Role          zulip.Role `json:"role"`
		IsDeactivated bool       `json:"is_deactivated,omitempty"`
	}
	people := map[string]person{}
	for _, account := range o.Accounts {
		if account.IsBot || account.IsDeleted {
			continue
		}
		email := account.Email
		if account.DeliveryEmail != nil {
			email = *account.DeliveryEmail
		}
		people[email] = person{email, account.FullName, account.Role, !account.IsActive}
	}
	text, err := json.MarshalIndent(map[string]any{"accounts": people}, "", "  ")
	return append(text, '\n'), err
}

// Each list of numbers is written in one line. Texts have no line breaks in JSON, so none looks like a list.
var (
	numbersInLines = regexp.MustCompile(`\[\n\s+\d+(,\n\s+\d+)*\n\s+\]`)
	blanks         = regexp.MustCompile(`\s+`)
)

// Anonymise replaces the names and emails of people and bots by invented ones derived from their IDs, and removes
// their texts about themselves. It keeps roles and IDs, and the names and descriptions of the organization, its
// groups and its channels.
func (o *Organization) Anonymise() {
	for i := range o.Accounts {
		account := &o.Accounts[i]
		name, local := "Person", "person"
		if account.IsBot {
			name, local = "Bot", "bot"
		}
		address := fmt.Sprintf("%s%d@example.com", local, account.ID)
		if isDummy := account.DeliveryEmail == nil || *account.DeliveryEmail != account.Email; account.IsBot || !isDummy {
			account.Email = address
		} else {
			account.Email = fmt.Sprintf("user%d@%s", account.ID, o.Realm.BotDomain)
		}
		if account.DeliveryEmail != nil {
			account.DeliveryEmail = &address
		}
		account.FullName = fmt.Sprintf("%s %d", name, account.ID)
		account.Timezone, account.ProfileData = "", nil
	}
	for i := range o.Bots {
		for j := range o.Bots[i].Services {
			o.Bots[i].Services[j].BaseURL = "https://example.com/"
		}
	}
	for i := range o.Invitations {
		if !o.Invitations[i].IsMultiuse {
			o.Invitations[i].Email = fmt.Sprintf("invited%d@example.com", o.Invitations[i].ID)
		}
	}
}
