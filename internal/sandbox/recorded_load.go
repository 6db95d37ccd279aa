package sandbox

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// loadInto fills the tables of an empty organization. The file was checked before.
func (f *recordedOrganization) loadInto(o *rules.Organization) error {
	// The groups come first, because defaults name them. The settings come before rows that need the organization's host.
	f.loadGroups(o)
	realm, err := f.realm(o)
	if err != nil {
		return fmt.Errorf("recorded organization: %w", err)
	}
	o.PutRealm(realm)
	defaults, err := f.userDefaults()
	if err != nil {
		return fmt.Errorf("recorded organization: %w", err)
	}
	o.PutUserDefaults(defaults)
	f.loadAccounts(o)
	f.completeGroups(o)
	f.loadChannels(o)
	f.loadLists(o)
	f.loadInvitations(o)
	o.ContinueIDs()
	return nil
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

// realm returns the settings; missing ones are as in a new organization.
func (f *recordedOrganization) realm(o *rules.Organization) (rules.Realm, error) {
	realm := o.StartingRealm()
	if f.Realm.BotDomain != rules.Host {
		realm.Host = f.Realm.BotDomain
	}
	for _, bot := range f.SystemBots {
		realm.SystemBots = append(realm.SystemBots, rules.SystemBot{ID: bot.ID, Email: bot.Email, FullName: bot.FullName})
	}
	for _, p := range rules.RealmPermissions {
		if v, ok := f.Realm.Permissions[p.Name]; ok {
			realm.Permissions[p.Name] = v.GroupValue
		}
	}
	settings := recordedSettings{values: f.Realm.Settings}
	for _, s := range rules.RealmFlags {
		settings.read(s.Field(&realm), s.Name)
	}
	for _, s := range rules.RealmNumbers {
		settings.read(s.Field(&realm), s.Name, s.Renamed.Name)
	}
	for _, s := range rules.RealmTexts {
		settings.read(s.Field(&realm), s.Name)
	}
	for _, s := range rules.RealmPolicies {
		settings.read(s.Field(&realm), s.Name)
	}
	for _, s := range rules.RealmTimeLimits {
		settings.read(s.Field(&realm), s.Name)
	}
	for _, s := range rules.RealmChannels {
		settings.readChannel(s.Field(&realm), s.Name, f.Channels)
	}
	settings.read(&realm.MessageRetentionDays, "message_retention_days")
	settings.read(&realm.JitsiServerURL, "jitsi_server_url")
	settings.read(&realm.OrgType, "org_type")
	settings.read(&realm.DateCreated, "date_created")
	settings.readMethods(&realm)
	settings.readOlder(&realm)
	for name, image := range map[string]*rules.RealmImage{"icon_source": &realm.Icon, "logo_source": &realm.Logo, "night_logo_source": &realm.NightLogo} {
		var source string
		settings.read(&source, name)
		image.Uploaded = source == "U"
	}
	return realm, settings.err
}

// recordedSettings reads settings, and keeps the first unreadable one.
type recordedSettings struct {
	values map[string]json.RawMessage
	err    error
}

// read reads a setting under the first of its names that the file has.
func (s *recordedSettings) read(into any, names ...string) {
	for _, name := range names {
		raw, ok := s.values[name]
		if !ok || name == "" {
			continue
		}
		if err := json.Unmarshal(raw, into); err != nil && s.err == nil {
			s.err = &placedError{"realm.settings." + name, withoutGoTerms(err)}
		}
		return
	}
}

// readChannel reads the ID of a channel; -1 is none.
func (s *recordedSettings) readChannel(into *int, name string, channels []recordedChannel) {
	var id int
	s.read(&id, name)
	if id > 0 && s.err == nil && !slices.ContainsFunc(channels, func(ch recordedChannel) bool { return ch.ID == id }) {
		s.err = &placedError{"realm.settings." + name, fmt.Errorf("channel %d is not among the channels", id)}
	}
	*into = max(id, 0)
}

// readMethods reads the available and the enabled ways to log in, in the two forms of servers.
func (s *recordedSettings) readMethods(realm *rules.Realm) {
	const name = "authentication_methods"
	var methods map[string]json.RawMessage
	s.read(&methods, name)
	if methods == nil {
		return
	}
	realm.AuthenticationMethods = map[string]bool{}
	for _, method := range sortedKeys(methods) {
		var current struct {
			Enabled bool `json:"enabled"`
		}
		if json.Unmarshal(methods[method], &current.Enabled) != nil {
			if err := json.Unmarshal(methods[method], &current); err != nil && s.err == nil {
				s.err = &placedError{"realm.settings." + name + "." + method, withoutGoTerms(err)}
			}
		}
		realm.AuthenticationMethods[method] = current.Enabled
	}
}

// readOlder reads the settings of older servers that later settings replaced.
func (s *recordedSettings) readOlder(realm *rules.Realm) {
	if _, ok := s.values["topics_policy"]; !ok {
		var mandatory bool
		if s.read(&mandatory, "mandatory_topics"); mandatory {
			realm.TopicsPolicy = "disable_empty_topic"
		}
	}
}

// userDefaults returns the settings of new accounts that differ from the standard.
func (f *recordedOrganization) userDefaults() (rules.UserDefaults, error) {
	defaults := rules.UserDefaults{Flags: map[string]bool{}, Numbers: map[string]int{}, Texts: map[string]string{}}
	for _, s := range rules.UserSettings {
		raw, ok := f.UserDefaults[s.Name]
		if !ok {
			continue
		}
		var err error
		switch s.Default.(type) {
		case bool:
			err = readChanged(raw, s, defaults.Flags)
		case int:
			err = readChanged(raw, s, defaults.Numbers)
		default:
			err = readChanged(raw, s, defaults.Texts)
		}
		if err != nil {
			return defaults, &placedError{"realm_user_settings_defaults." + s.Name, withoutGoTerms(err)}
		}
	}
	return defaults, nil
}

func readChanged[T comparable](raw json.RawMessage, s rules.UserSetting, into map[string]T) error {
	var value T
	if err := json.Unmarshal(raw, &value); err != nil {
		return err
	}
	if s.Default != any(value) {
		into[s.Name] = value
	}
	return nil
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

func (f *recordedOrganization) loadChannels(o *rules.Organization) {
	for _, d := range f.Folders {
		o.Folders.Put(d.ID, rules.Folder{
			ID: d.ID, Name: d.Name, Description: d.Description, Order: d.Order,
			CreatorID: d.CreatorID, DateCreated: d.DateCreated, Archived: d.Archived,
		})
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
		o.DefaultChannelGroups.Put(g.ID, rules.DefaultChannelGroup{ID: g.ID, Name: g.Name, Description: g.Description, Channels: g.Channels})
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
		o.Playgrounds.Put(p.ID, rules.Playground{ID: p.ID, Name: p.Name, Language: p.Language, URLTemplate: p.URLTemplate})
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
