package sandbox

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

type recordedAccount struct {
	ID            int               `json:"user_id"`
	Email         string            `json:"email"`
	DeliveryEmail *string           `json:"delivery_email"`
	FullName      string            `json:"full_name"`
	Role          int               `json:"role"`
	Active        bool              `json:"is_active"`
	Deleted       bool              `json:"is_deleted,omitempty"`
	Imported      bool              `json:"is_imported_stub,omitempty"`
	IsBot         bool              `json:"is_bot"`
	BotType       int               `json:"bot_type,omitempty"`
	BotOwner      *int              `json:"bot_owner_id,omitempty"`
	Timezone      string            `json:"timezone"`
	Joined        recordedTime      `json:"date_joined"`
	Profile       map[string]string `json:"profile_data,omitempty"`
}

func (a recordedAccount) address() string {
	if a.DeliveryEmail != nil && *a.DeliveryEmail != "" {
		return *a.DeliveryEmail
	}
	return a.Email
}

// loadAccounts gives every account a key. The owners get the permissions that servers grant in their shell and do not show.
func (f *recordedOrganization) loadAccounts(o *rules.Organization) {
	for _, a := range f.Accounts {
		u := rules.User{
			ID: a.ID, Account: a.address(), Email: a.address(), FullName: a.FullName, Role: a.Role,
			Active: a.Active, Deleted: a.Deleted, Imported: a.Imported, APIKey: rules.NewAPIKey(),
			IsBot: a.IsBot, Timezone: a.Timezone, DateJoined: a.Joined.Time, AvatarVersion: 1,
			EmailVisibility: a.visibility(),
			CanCreateUsers:  a.Role == rules.RoleOwner, CanChangeUserEmails: a.Role == rules.RoleOwner,
		}
		if u.EmailVisibility != rules.EmailVisibleToEveryone {
			u.Dummy = a.Email
		}
		if a.IsBot {
			u.BotType = cmp.Or(a.BotType, rules.BotGeneric)
			if a.BotOwner != nil {
				u.BotOwnerID = *a.BotOwner
			}
		}
		for field, value := range a.Profile {
			if id, err := strconv.Atoi(field); err == nil {
				if u.ProfileData == nil {
					u.ProfileData = map[int]string{}
				}
				u.ProfileData[id] = value
			}
		}
		o.Users.Put(u.ID, u)
	}
}

// visibility returns the setting of who sees the real email, as far as an administrator can tell. Between everyone and no
// one, it is the default.
func (a recordedAccount) visibility() int {
	switch {
	case a.DeliveryEmail == nil || *a.DeliveryEmail == "":
		if a.IsBot {
			return rules.EmailVisibleToEveryone
		}
		return rules.EmailVisibleToNobody
	case *a.DeliveryEmail == a.Email:
		return rules.EmailVisibleToEveryone
	}
	return rules.EmailVisibleToAdmins
}

type recordedGroup struct {
	ID          int                      `json:"id"`
	Name        string                   `json:"name"`
	Description string                   `json:"description"`
	CreatorID   *int                     `json:"creator_id"`
	DateCreated *int64                   `json:"date_created"`
	System      bool                     `json:"is_system_group"`
	Deactivated bool                     `json:"deactivated"`
	Members     []int                    `json:"members"`
	Subgroups   []int                    `json:"direct_subgroup_ids"`
	Permissions map[string]recordedValue `json:"permissions"`
}

func (f *recordedOrganization) loadGroups(o *rules.Organization) {
	for _, g := range f.Groups {
		o.Groups.Put(g.ID, rules.UserGroup{
			ID: g.ID, Name: g.Name, Description: g.Description, CreatorID: g.CreatorID, DateCreated: g.DateCreated,
			System: g.System, Deactivated: g.Deactivated,
			Members: sortedIDs(g.Members), Subgroups: sortedIDs(g.Subgroups), Permissions: plainValues(g.Permissions),
		})
	}
}

// completeGroups gives groups the permissions that the recorded server did not have.
func (f *recordedOrganization) completeGroups(o *rules.Organization) {
	for _, recorded := range f.Groups {
		g, _ := o.Groups.Get(recorded.ID)
		if g.System {
			for _, p := range rules.GroupPermissions {
				if _, ok := g.Permissions[p.Name]; !ok {
					g.Permissions[p.Name] = rules.Named(o.SystemGroup(rules.Nobody))
				}
			}
		}
		g.Permissions = o.CompletePermissions(rules.GroupPermissions, g.Permissions, g.CreatorID)
		o.Groups.Put(g.ID, g)
	}
}

type recordedFolder struct {
	ID          int    `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Order       int    `json:"order"`
	CreatorID   *int   `json:"creator_id"`
	DateCreated int64  `json:"date_created"`
	Archived    bool   `json:"is_archived"`
}

type recordedChannel struct {
	ID            int                      `json:"stream_id"`
	Name          string                   `json:"name"`
	Description   string                   `json:"description"`
	Private       bool                     `json:"invite_only"`
	WebPublic     bool                     `json:"is_web_public"`
	SharedHistory bool                     `json:"history_public_to_subscribers"`
	RetentionDays *int                     `json:"message_retention_days"`
	TopicsPolicy  string                   `json:"topics_policy"`
	DefaultPush   *bool                    `json:"default_push_notifications,omitempty"`
	FolderID      *int                     `json:"folder_id"`
	Archived      bool                     `json:"is_archived"`
	CreatorID     *int                     `json:"creator_id"`
	DateCreated   int64                    `json:"date_created"`
	Permissions   map[string]recordedValue `json:"permissions"`
	Subscribers   []int                    `json:"subscribers"` // nil: not seen
}

type recordedDefaultGroup struct {
	ID          int    `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Channels    []int  `json:"streams"`
}

type recordedBotRow struct {
	ID             int                   `json:"user_id"`
	SendingChannel *string               `json:"default_sending_stream"`
	EventsChannel  *string               `json:"default_events_register_stream"`
	AllPublic      bool                  `json:"default_all_public_streams"`
	Services       list[recordedService] `json:"services"`
}

type recordedService struct {
	URL       string `json:"base_url"`
	Interface int    `json:"interface"`
}

func (f *recordedOrganization) loadChannels(o *rules.Organization) {
	for _, d := range f.Folders {
		o.Folders.Put(d.ID, rules.Folder(d))
	}
	for _, ch := range f.Channels {
		row := rules.Channel{
			ID: ch.ID, Name: ch.Name, Description: ch.Description, Private: ch.Private, WebPublic: ch.WebPublic,
			SharedHistory: ch.SharedHistory, RetentionDays: ch.RetentionDays,
			TopicsPolicy: cmp.Or(ch.TopicsPolicy, rules.TopicsInherit), FolderID: ch.FolderID, Archived: ch.Archived,
			CreatorID: ch.CreatorID, DateCreated: ch.DateCreated,
			Permissions: o.CompletePermissions(rules.ChannelPermissions, plainValues(ch.Permissions), ch.CreatorID),
		}
		o.Channels.Put(ch.ID, row) // without the default of new subscribers, which does not apply to existing ones
		for _, account := range ch.Subscribers {
			o.PutSubscription(account, ch.ID)
		}
		if ch.DefaultPush != nil && *ch.DefaultPush {
			row.DefaultPush = true
			o.Channels.Put(ch.ID, row)
		}
	}
	for _, id := range f.Defaults {
		o.DefaultChannels.Put(id, rules.DefaultChannel{})
	}
	for _, g := range f.DefaultGroups {
		o.DefaultChannelGroups.Put(g.ID, rules.DefaultChannelGroup(g))
	}
	for _, b := range f.Bots {
		row := rules.Bot{AllPublic: b.AllPublic}
		for _, channel := range []struct {
			name *string
			id   *int
		}{{b.SendingChannel, &row.SendingChannelID}, {b.EventsChannel, &row.EventsChannelID}} {
			if channel.name != nil {
				ch, _ := o.ChannelByName(*channel.name)
				*channel.id = ch.ID
			}
		}
		for _, service := range b.Services {
			row.Service = &rules.BotService{URL: service.URL, Interface: service.Interface, Token: rules.NewAPIKey()}
		}
		o.Bots.Put(b.ID, row)
	}
}

type recordedProfileField struct {
	ID       int    `json:"id"`
	Name     string `json:"name"`
	Type     int    `json:"type"`
	Hint     string `json:"hint"`
	Data     string `json:"field_data"`
	Summary  bool   `json:"display_in_profile_summary"`
	Required bool   `json:"required"`
	Editable bool   `json:"editable_by_user"`
	Matching bool   `json:"use_for_user_matching"`
}

type recordedLinkifier struct {
	ID                      int      `json:"id"`
	Pattern                 string   `json:"pattern"`
	URLTemplate             string   `json:"url_template"`
	ExampleInput            *string  `json:"example_input,omitempty"`
	ReverseTemplate         *string  `json:"reverse_template,omitempty"`
	AlternativeURLTemplates []string `json:"alternative_url_templates,omitempty"`
}

type recordedPlayground struct {
	ID          int    `json:"id"`
	Name        string `json:"name"`
	Language    string `json:"pygments_language"`
	URLTemplate string `json:"url_template"`
}

type recordedDomain struct {
	Domain          string `json:"domain"`
	AllowSubdomains bool   `json:"allow_subdomains"`
}

type recordedEmoji struct {
	ID          int    `json:"id"`
	Name        string `json:"name"`
	AuthorID    *int   `json:"author_id"`
	FileType    string `json:"file_type"` // "png"
	Deactivated bool   `json:"deactivated"`
}

// loadLists fills the tables without references from others. Ordered lists keep their order.
func (f *recordedOrganization) loadLists(o *rules.Organization) {
	for order, p := range f.ProfileFields {
		o.ProfileFields.Put(p.ID, rules.ProfileField{
			ID: p.ID, Name: p.Name, Type: p.Type, Hint: p.Hint, Data: p.Data, Order: order,
			Required: p.Required, Editable: p.Editable, Summary: p.Summary, Matching: p.Matching,
		})
	}
	for order, l := range f.Linkifiers {
		row := rules.Linkifier{
			ID: l.ID, Pattern: l.Pattern, URLTemplate: l.URLTemplate, Order: order, AlternativeURLTemplates: l.AlternativeURLTemplates,
		}
		if l.ExampleInput != nil {
			row.ExampleInput = *l.ExampleInput
		}
		if l.ReverseTemplate != nil {
			row.ReverseTemplate = *l.ReverseTemplate
		}
		o.Linkifiers.Put(l.ID, row)
	}
	for _, p := range f.Playgrounds {
		o.Playgrounds.Put(p.ID, rules.Playground(p))
	}
	for _, d := range f.Domains {
		id := o.Domains.NextID()
		o.Domains.Put(id, rules.Domain{ID: id, Domain: d.Domain, AllowSubdomains: d.AllowSubdomains})
	}
	for _, e := range f.Emoji {
		row := rules.RealmEmoji{ID: e.ID, Name: e.Name, Extension: "." + cmp.Or(e.FileType, "png"), Deactivated: e.Deactivated}
		if e.AuthorID != nil {
			row.AuthorID = *e.AuthorID
		}
		o.RealmEmoji.Put(e.ID, row)
	}
}

type recordedInvitation struct {
	ID           int    `json:"id"`
	Multiuse     bool   `json:"is_multiuse"`
	Role         int    `json:"invited_as"`
	Inviter      int    `json:"invited_by_user_id"`
	Invited      int64  `json:"invited"`
	Expires      *int64 `json:"expiry_date"`
	Email        string `json:"email,omitempty"`
	NotifyOnJoin bool   `json:"notify_referrer_on_join,omitempty"`
}

func (f *recordedOrganization) loadInvitations(o *rules.Organization) {
	for _, i := range f.Invitations {
		terms := rules.InviteTerms{InviterID: i.Inviter, Role: i.Role, Invited: time.Unix(i.Invited, 0).UTC()}
		if i.Expires != nil {
			expires := time.Unix(*i.Expires, 0).UTC()
			terms.Expires = &expires
		}
		if i.Multiuse {
			o.InviteLinks.Put(i.ID, rules.InviteLink{ID: i.ID, InviteTerms: terms, Key: rules.NewInviteKey()})
		} else {
			o.Invitations.Put(i.ID, rules.Invitation{ID: i.ID, InviteTerms: terms, Email: i.Email, NotifyOnJoin: i.NotifyOnJoin})
		}
	}
}

// recordedValue is a group-setting value: the ID of a group, or lists of accounts and groups.
type recordedValue struct{ rules.GroupValue }

// UnmarshalJSON reads either form and rejects others.
func (v *recordedValue) UnmarshalJSON(data []byte) error {
	*v = recordedValue{}
	if !bytes.HasPrefix(data, []byte("{")) {
		if err := json.Unmarshal(data, &v.Group); err != nil || v.Group == 0 {
			return fmt.Errorf("%s is neither the ID of a group nor lists of members and subgroups", data)
		}
		return nil
	}
	var lists struct {
		Members   []int `json:"direct_members"`
		Subgroups []int `json:"direct_subgroups"`
	}
	if err := decodeStrictly(data, &lists); err != nil {
		return err
	}
	v.GroupValue = rules.Listed(lists.Members, lists.Subgroups)
	return nil
}

func plainValues(recorded map[string]recordedValue) map[string]rules.GroupValue {
	values := make(map[string]rules.GroupValue, len(recorded))
	for name, v := range recorded {
		values[name] = v.GroupValue
	}
	return values
}

// sortedIDs returns IDs ascending, without duplicates.
func sortedIDs(ids []int) []int {
	sorted := slices.Sorted(slices.Values(ids))
	return slices.Compact(sorted)
}

// recordedTime is a time in a row of an account: without seconds, or with.
type recordedTime struct{ time.Time }

// UnmarshalJSON reads either form; "" is no time.
func (t *recordedTime) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	if text == "" {
		return nil
	}
	var err error
	if t.Time, err = time.Parse("2006-01-02T15:04Z07:00", text); err != nil {
		if t.Time, err = time.Parse(time.RFC3339, text); err != nil {
			return fmt.Errorf("%q is not a time such as 2026-01-31T09:30+00:00", text)
		}
	}
	return nil
}
