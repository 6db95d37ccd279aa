package sandbox

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// recordedFormat is the version of the form of recorded organizations.
const recordedFormat = 1

// recordedOrganization is an organization in the form of "export --snapshot". An unknown key is an error, because its objects
// would be lost. Unknown settings and permissions are ignored, because other servers have more. For the keys of one object,
// see [decodeObject].
type recordedOrganization struct {
	Format        int                        `json:"format"`
	Server        recordedServer             `json:"server"`
	NotSeen       []string                   `json:"not_seen"`
	Realm         recordedRealm              `json:"realm"`
	UserDefaults  map[string]json.RawMessage `json:"realm_user_settings_defaults"`
	SystemBots    list[recordedSystemBot]    `json:"system_bots"`
	Accounts      list[recordedAccount]      `json:"accounts"`
	Bots          list[recordedBotRow]       `json:"bots"`
	Groups        list[recordedGroup]        `json:"user_groups"`
	Folders       list[recordedFolder]       `json:"channel_folders"`
	Channels      list[recordedChannel]      `json:"channels"`
	Defaults      []int                      `json:"default_channels"`
	DefaultGroups list[recordedDefaultGroup] `json:"default_channel_groups"`
	ProfileFields list[recordedProfileField] `json:"custom_profile_fields"`
	Linkifiers    list[recordedLinkifier]    `json:"linkifiers"`
	Playgrounds   list[recordedPlayground]   `json:"playgrounds"`
	Domains       list[recordedDomain]       `json:"domains"`
	Emoji         list[recordedEmoji]        `json:"custom_emoji"`
	Invitations   list[recordedInvitation]   `json:"invitations"`
}

type recordedServer struct {
	Version      string `json:"zulip_version"`
	FeatureLevel int    `json:"zulip_feature_level"`
}

// UnmarshalJSON reads the JSON form.
func (s *recordedServer) UnmarshalJSON(data []byte) error {
	type plain recordedServer
	return decodeObject(data, (*plain)(s))
}

type recordedRealm struct {
	BotDomain          string                     `json:"bot_domain"`
	VideoChatProviders []string                   `json:"available_video_chat_providers"`
	Settings           map[string]json.RawMessage `json:"settings"`
	Permissions        map[string]recordedValue   `json:"permissions"`
}

// UnmarshalJSON reads the JSON form.
func (r *recordedRealm) UnmarshalJSON(data []byte) error {
	type plain recordedRealm
	return decodeObject(data, (*plain)(r))
}

type recordedSystemBot struct {
	ID       int    `json:"user_id"`
	Email    string `json:"email"`
	FullName string `json:"full_name"`
}

// list is a list of objects with errors that name the position.
type list[T any] []T

// UnmarshalJSON reads the JSON form.
func (l *list[T]) UnmarshalJSON(data []byte) error {
	var rows []json.RawMessage
	if err := json.Unmarshal(data, &rows); err != nil {
		return err
	}
	*l = make(list[T], len(rows))
	for i, row := range rows {
		if err := decodeObject(row, &(*l)[i]); err != nil {
			return &placedError{fmt.Sprintf("[%d]", i), err}
		}
	}
	return nil
}

// placedError is an error with its place in the file.
type placedError struct {
	place string
	cause error
}

// Error includes the whole path: "channels[3]: group 77 is not among the groups".
func (e *placedError) Error() string {
	var inner *placedError
	if errors.As(e.cause, &inner) {
		return e.place + inner.Error()
	}
	return e.place + ": " + e.cause.Error()
}

func (e *placedError) Unwrap() error { return e.cause }

// decodeObject reads one object. A key that this version does not know is ignored, because a later version may have added
// it. But if a key that no object omits is missing, the unknown key is probably its misspelling.
func decodeObject(data []byte, into any) error {
	err := decodeStrictly(data, into)
	var unknown unknownKeyError
	if !errors.As(err, &unknown) {
		return err
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(data, &keys); err != nil {
		return withoutGoTerms(err)
	}
	for _, field := range reflect.VisibleFields(reflect.TypeOf(into).Elem()) {
		name, option, _ := strings.Cut(field.Tag.Get("json"), ",")
		if _, ok := keys[name]; !ok && option != "omitempty" {
			return err
		}
	}
	if err := json.Unmarshal(data, into); err != nil {
		return withoutGoTerms(err)
	}
	return nil
}

// unknownKeyError is the error about an unknown key, which it quotes.
type unknownKeyError string

// Error returns the message.
func (e unknownKeyError) Error() string { return "unknown key " + string(e) }

// decodeStrictly reads one object, and refuses unknown keys.
func decodeStrictly(data []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return withoutGoTerms(err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more after the end of the object")
	}
	return nil
}

// withoutGoTerms returns an error without Go's terms.
func withoutGoTerms(err error) error {
	var wrongType *json.UnmarshalTypeError
	if errors.As(err, &wrongType) {
		if wrongType.Field == "" {
			return fmt.Errorf("a JSON %s does not belong here", wrongType.Value)
		}
		return fmt.Errorf("%s: a JSON %s does not belong here", wrongType.Field, wrongType.Value)
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return unknownKeyError(name)
	}
	return err
}

// IsRecorded reports whether a file holds a recorded organization, rather than accounts.
func IsRecorded(data []byte) bool {
	var document struct {
		Format *json.RawMessage `json:"format"`
	}
	return json.Unmarshal(data, &document) == nil && document.Format != nil
}

// ReadOrganization reads a file of either form: a recorded organization or accounts. It also uses the recorded feature
// level unless one is set.
func (c *Config) ReadOrganization(data []byte) (err error) {
	if !IsRecorded(data) {
		c.Accounts, err = ParseAccounts(data)
		for name, account := range c.Accounts { // as in the example organization
			if account.Role == rules.RoleOwner {
				account.CanCreateUsers, account.CanChangeUserEmails = true, true
				c.Accounts[name] = account
			}
		}
		return err
	}
	recorded, err := parseOrganization(data)
	if err != nil {
		return err
	}
	level := cmp.Or(c.FeatureLevel, recorded.featureLevel())
	if err := recorded.loadInto(rules.New(time.Now, func() int { return level })); err != nil {
		return err // before the configuration is changed
	}
	c.Organization, c.FeatureLevel = data, level
	return nil
}

// parseOrganization reads a recorded organization and checks it.
func parseOrganization(data []byte) (*recordedOrganization, error) {
	var version struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(data, &version); err != nil {
		return nil, fmt.Errorf("recorded organization: %w", withoutGoTerms(err))
	}
	if version.Format != recordedFormat {
		return nil, fmt.Errorf("recorded organization: format %d is not known, only %d", version.Format, recordedFormat)
	}
	// Keys are decoded one after the other, so that an error names its key.
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(data, &keys); err != nil {
		return nil, fmt.Errorf("recorded organization: %w", withoutGoTerms(err))
	}
	var recorded recordedOrganization
	for _, key := range sortedKeys(keys) {
		one, err := json.Marshal(map[string]json.RawMessage{key: keys[key]})
		if err == nil {
			err = decodeStrictly(one, &recorded)
		}
		var placed *placedError
		switch {
		case errors.As(err, &placed):
			return nil, fmt.Errorf("recorded organization: %s%w", key, placed)
		case err != nil:
			return nil, fmt.Errorf("recorded organization: %s: %w", key, err)
		}
	}
	if err := recorded.check(); err != nil {
		return nil, fmt.Errorf("recorded organization: %w", err)
	}
	return &recorded, nil
}

// featureLevel is the recorded level, or the nearest that the sandbox has.
func (f *recordedOrganization) featureLevel() int {
	return min(max(f.Server.FeatureLevel, featurelevel.Oldest), featurelevel.Newest)
}

// check finds mistakes in rows. For those between rows, see [inconsistency].
func (f *recordedOrganization) check() error {
	c := recordedCheck{}
	accounts := recordedIDs(&c, "accounts", f.Accounts, func(a recordedAccount) int { return a.ID })
	recordedIDs(&c, "user_groups", f.Groups, func(g recordedGroup) int { return g.ID })
	recordedIDs(&c, "channels", f.Channels, func(ch recordedChannel) int { return ch.ID })
	recordedIDs(&c, "channel_folders", f.Folders, func(d recordedFolder) int { return d.ID })
	recordedIDs(&c, "system_bots", f.SystemBots, func(b recordedSystemBot) int { return b.ID })
	recordedIDs(&c, "default_channel_groups", f.DefaultGroups, func(g recordedDefaultGroup) int { return g.ID })
	recordedIDs(&c, "custom_profile_fields", f.ProfileFields, func(p recordedProfileField) int { return p.ID })
	recordedIDs(&c, "linkifiers", f.Linkifiers, func(l recordedLinkifier) int { return l.ID })
	recordedIDs(&c, "playgrounds", f.Playgrounds, func(p recordedPlayground) int { return p.ID })
	recordedIDs(&c, "custom_emoji", f.Emoji, func(e recordedEmoji) int { return e.ID })
	recordedIDs(&c, "bots", f.Bots, func(b recordedBotRow) int { return b.ID })
	f.checkAccounts(&c, accounts)
	f.checkGroups(&c)
	f.checkChannels(&c)
	for i, invitation := range f.Invitations {
		c.isID(invitation.ID, "invitations[%d]", i) // a link can have the ID of an email's invitation
		c.isRole(invitation.Role, "invitations[%d]", i)
	}
	return c.err
}

func (f *recordedOrganization) checkAccounts(c *recordedCheck, accounts map[int]bool) {
	owners := 0
	for i, a := range f.Accounts {
		c.isRole(a.Role, "accounts[%d]", i)
		if a.FullName == "" || a.address() == "" {
			c.wrong("full_name and email are needed", "accounts[%d]", i)
		}
		if a.Active && a.Deleted {
			c.wrong("a deleted account is not active", "accounts[%d]", i)
		}
		if a.Active && a.Role == rules.RoleOwner {
			owners++
		}
	}
	if owners == 0 {
		c.wrong("there is no active owner, one with \"role\": 100", "accounts")
	}
	for i, b := range f.SystemBots {
		if accounts[b.ID] {
			c.wrong(fmt.Sprintf("account %d has the same ID", b.ID), "system_bots[%d]", i)
		}
	}
	for i, b := range f.Bots {
		if !accounts[b.ID] {
			c.wrong(fmt.Sprintf("account %d is not among the accounts", b.ID), "bots[%d]", i)
		}
	}
}

// systemGroups are the groups that every organization has.
var systemGroups = []string{
	rules.Nobody, rules.Owners, rules.Administrators, rules.Moderators, rules.FullMembers, rules.Members, rules.Everyone, rules.Internet,
}

func (f *recordedOrganization) checkGroups(c *recordedCheck) {
	missing := slices.Clone(systemGroups)
	for i, g := range f.Groups {
		if g.Name == "" {
			c.wrong("name is needed", "user_groups[%d]", i)
		}
		if g.System {
			missing = slices.DeleteFunc(missing, func(name string) bool { return name == g.Name })
			if len(g.Members) > 0 {
				c.wrong("the members of a system group follow from the roles: leave them out", "user_groups[%d]", i)
			}
		}
	}
	if len(missing) > 0 {
		c.wrong(fmt.Sprintf("the system group %s is missing", missing[0]), "user_groups")
	}
}

func (f *recordedOrganization) checkChannels(c *recordedCheck) {
	names := map[string]bool{}
	for i, ch := range f.Channels {
		names[ch.Name] = true
		if ch.Name == "" {
			c.wrong("name is needed", "channels[%d]", i)
		}
		if ch.Private && ch.WebPublic {
			c.wrong("invite_only and is_web_public exclude each other", "channels[%d]", i)
		}
	}
	for i, b := range f.Bots {
		for _, name := range []*string{b.SendingChannel, b.EventsChannel} {
			if name != nil && !names[*name] {
				c.wrong(fmt.Sprintf("channel %q is not among the channels", *name), "bots[%d]", i)
			}
		}
	}
}

// recordedCheck keeps the first mistake.
type recordedCheck struct{ err error }

func (c *recordedCheck) wrong(what, place string, at ...any) {
	if c.err == nil {
		c.err = &placedError{fmt.Sprintf(place, at...), errors.New(what)}
	}
}

func (c *recordedCheck) isID(id int, place string, at ...any) {
	if id <= 0 || id >= math.MaxInt32 {
		c.wrong(fmt.Sprintf("%d is no ID", id), place, at...)
	}
}

func (c *recordedCheck) isRole(role int, place string, at ...any) {
	switch role {
	case rules.RoleOwner, rules.RoleAdministrator, rules.RoleModerator, rules.RoleMember, rules.RoleGuest:
	default:
		c.wrong(fmt.Sprintf("there is no role %d", role), place, at...)
	}
}

// recordedIDs returns the IDs of a list, which must be possible and different.
func recordedIDs[T any](c *recordedCheck, key string, rows []T, of func(T) int) map[int]bool {
	ids := map[int]bool{}
	for i, row := range rows {
		id := of(row)
		if c.isID(id, "%s[%d]", key, i); ids[id] {
			c.wrong(fmt.Sprintf("the ID %d is there twice", id), "%s[%d]", key, i)
		}
		ids[id] = true
	}
	return ids
}
