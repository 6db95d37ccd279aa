package sandbox

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// loadInto fills the tables of an empty organization. The rows were checked before.
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
	if wrong := inconsistency(o); wrong != "" {
		return fmt.Errorf("recorded organization: %s", wrong)
	}
	return nil
}

// realm returns the settings; missing ones are as in a new organization.
func (f *recordedOrganization) realm(o *rules.Organization) (rules.Realm, error) {
	realm := o.StartingRealm()
	if f.Realm.BotDomain != rules.Host {
		realm.Host = f.Realm.BotDomain
	}
	for _, bot := range f.SystemBots {
		realm.SystemBots = append(realm.SystemBots, rules.SystemBot(bot))
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
