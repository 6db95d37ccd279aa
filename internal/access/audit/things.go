package audit

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/meaning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Thing is an object that affects access apart from permissions: joining, signing in, outgoing content, deletion. Its
// form is that of its resource.
type Thing struct {
	// Type is the resource type, Key identifies the object within it, and Name is its name, if it has one.
	Type string `json:"type"`
	Key  string `json:"key"`
	Name string `json:"name"`
	// Attributes are the relevant attributes, as JSON values.
	Attributes map[string]any `json:"attributes"`
}

// Names lists the attributes.
func (t *Thing) Names() []string {
	if t == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(t.Attributes))
}

// Value returns an attribute.
func (t *Thing) Value(name string) meaning.Value {
	if t == nil {
		return meaning.Value{}
	}
	return meaning.Value{Data: t.Attributes[name]}
}

// things records the objects that affect access apart from permissions.
func (m *maker) things() {
	m.organizationThing()
	for _, domain := range m.view.Domains().List() {
		m.thing("zulip_domain", domain.Domain, domain.Domain, map[string]any{"domain": domain.Domain, "allow_subdomains": domain.AllowSubdomains})
	}
	for _, invitation := range m.facts.Invitations {
		m.invitationThing(invitation)
	}
	for _, channel := range m.chosen {
		m.thing("zulip_channel", fmt.Sprint(channel.ID), channel.Name, map[string]any{"name": channel.Name, "is_default": channel.IsDefault, "message_retention_days": channel.Retention().String()})
	}
	for _, group := range m.view.DefaultChannelGroups().List() {
		var names []any
		for _, channel := range lists.Found(group.ChannelIDs, m.view.Channels().ByID) {
			names = append(names, channel.Name)
		}
		m.thing("zulip_default_channel_group", fmt.Sprint(group.ID), group.Name, map[string]any{"name": group.Name, "channel_ids": names})
	}
	for _, linkifier := range m.view.Linkifiers().List() {
		m.thing("zulip_linkifier", fmt.Sprint(linkifier.ID), linkifier.Pattern, map[string]any{
			"pattern": linkifier.Pattern, "url_template": linkifier.URLTemplate, "alternative_url_templates": lists.Map(linkifier.AlternativeURLTemplates, func(text string) any { return text }),
		})
	}
	for _, playground := range m.view.Playgrounds().List() {
		m.thing("zulip_code_playground", fmt.Sprint(playground.ID), playground.Name, map[string]any{"name": playground.Name, "url_template": playground.URLTemplate})
	}
	for bot := range m.access.Everybody().All() {
		if details, ok := m.view.Bots().ByID(bot.ID); ok && bot.IsBot {
			m.botThing(bot, details)
		}
	}
}

func (m *maker) thing(kind, key, name string, attributes map[string]any) {
	m.audit.Things = append(m.audit.Things, &Thing{Type: kind, Key: key, Name: name, Attributes: attributes})
}

// organizationThing records the settings that are not permissions.
func (m *maker) organizationThing() {
	realm := m.view.Realm()
	if realm == nil {
		return
	}
	settings, attributes := meaning.Organization(realm.Settings, realm.EnabledMethods()), map[string]any{}
	for _, name := range settings.Names() {
		if value := settings.Value(name); !value.IsUnknown {
			attributes[name] = value.Data
		} else {
			attributes[name] = string(realm.Settings[name]) // the number of a word that this version does not know
		}
	}
	m.thing("zulip_organization", "", "", attributes)
	newPeople := map[string]any{}
	for _, name := range []string{"email_address_visibility", "message_content_in_email_notifications"} {
		var held any
		raw, has := m.view.UserDefaults()[name]
		if !has || json.Unmarshal(raw, &held) != nil {
			continue
		}
		if number, isNumber := held.(float64); isNumber {
			if word, known := meaning.Word(name, number); known {
				held = word
			}
		}
		newPeople[name] = held
	}
	m.thing("zulip_default_user_settings", "", "", newPeople)
}

// invitationThing records an invitation, without the link itself, which is a secret.
func (m *maker) invitationThing(invitation *zulip.Invitation) {
	attributes := map[string]any{"id": float64(invitation.ID), "invite_as": invitation.InvitedAs.String(), "expires_in_minutes": nil}
	if minutes := invitation.ExpiresInMinutes(); minutes != nil {
		attributes["expires_in_minutes"] = float64(*minutes)
	}
	if !invitation.IsMultiuse {
		attributes["email"], attributes["id"] = invitation.Email, fmt.Sprint(invitation.ID)
		m.thing("zulip_invitation", "mail "+fmt.Sprint(invitation.ID), invitation.Email, attributes)
		return
	}
	m.thing("zulip_invite_link", "link "+fmt.Sprint(invitation.ID), "", attributes)
}

// botThing records where a bot gets and sends content. It records unset attributes too, so that a later audit shows
// that they were set.
func (m *maker) botThing(bot *zulip.User, details *zulip.Bot) {
	attributes := map[string]any{"full_name": bot.FullName, "default_all_public_streams": details.DefaultAllPublicStreams, "payload_url": nil}
	for name, channel := range map[string]*string{"default_sending_stream": details.DefaultSendingStream, "default_events_register_stream": details.DefaultEventsRegisterStream} {
		if attributes[name] = nil; channel != nil {
			attributes[name] = *channel
		}
	}
	if len(details.Services) > 0 {
		attributes["payload_url"] = withoutToken(details.Services[0].BaseURL)
	}
	m.thing("zulip_bot", fmt.Sprint(bot.ID), bot.FullName, attributes)
}

// withoutToken returns a URL with a hash in place of everything after the host, which may be a secret. Two different
// URLs stay different.
func withoutToken(text string) string {
	parsed, err := url.Parse(text)
	digest := fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:12]
	switch {
	case err != nil:
		return "sha256:" + digest
	case strings.Trim(parsed.Path, "/") == "" && parsed.RawQuery == "" && parsed.User == nil && parsed.Fragment == "":
		return parsed.Scheme + "://" + parsed.Host
	}
	return fmt.Sprintf("%s://%s/… (sha256:%s)", parsed.Scheme, parsed.Host, digest)
}

// things compares the objects that affect access apart from permissions.
func (c *comparison) things() {
	if c.before.audit.Selection != nil {
		return // an audit of a part records no things
	}
	if c.before.audit.Things == nil || c.after.audit.Things == nil {
		c.report.Unknown = append(c.report.Unknown, "An audit was made by an earlier version, which didn't record invitations, settings of the organization and where content goes. It isn't known whether these changed.")
		return
	}
	names := c.channelNames()
	before, after := c.before.things(c.byName), c.after.things(c.byName)
	if c.byName {
		for key, thing := range before {
			before[key] = names.translated(thing)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(after)) {
		c.thing(key, before[key], after[key], names.name)
	}
	for _, key := range slices.Sorted(maps.Keys(before)) {
		if after[key] == nil {
			c.thing(key, before[key], nil, names.name)
		}
	}
}

// hiddenEmail is the email of someone who hides it.
const hiddenEmail = "hides their email"

// things are the things of an audit by their keys, accounts among them.
func (s *side) things(byName bool) map[string]*Thing {
	all := map[string]*Thing{}
	for _, thing := range s.audit.Things {
		key := thing.Type + " " + s.thingKey(thing, byName)
		if all[key] != nil { // some things have no unique names
			key += " " + thing.Key
		}
		all[key] = thing
	}
	for _, account := range s.audit.Accounts {
		if account.IsActive && !account.IsBot {
			email := account.Email
			if strings.HasPrefix(email, fmt.Sprintf("user%d@", account.ID)) { // the server makes such an address
				email = hiddenEmail
			}
			all[fmt.Sprint("zulip_user ", s.ids[account.ID])] = &Thing{Type: "zulip_user", Name: account.Email, Attributes: map[string]any{"email": email}}
		}
	}
	return all
}

// thingKey is the key by which a thing is matched among those of its type. Accounts and channels have the same key as
// in the lists of accounts and channels.
func (s *side) thingKey(thing *Thing, byName bool) string {
	if !byName {
		return thing.Key
	}
	switch thing.Type {
	case "zulip_bot":
		if id, err := strconv.ParseInt(thing.Key, 10, 64); err == nil {
			return fmt.Sprint(s.ids[id])
		}
	case "zulip_channel":
		return zulip.FoldName(thing.Name)
	}
	return cmp.Or(thing.Name, thing.Key)
}

// channelNames are the names of the channels of both audits by their IDs in the comparison. ids are these IDs by the
// IDs of the earlier audit: in another organization the same ID is another channel.
type channelNames struct {
	names map[int64]string
	ids   map[int64]int64
	last  int64
}

// beyondIDs is more than any ID that a server has.
const beyondIDs = 1 << 40

func (c *comparison) channelNames() *channelNames {
	n := &channelNames{names: map[int64]string{}, ids: map[int64]int64{}, last: beyondIDs}
	byName := lists.By(c.after.audit.Channels, func(channel *Channel) string { return zulip.FoldName(channel.Name) })
	for _, channel := range c.before.audit.Channels {
		id := channel.ID
		if c.byName {
			if same := byName[zulip.FoldName(channel.Name)]; same != nil {
				id = same.ID
			} else {
				id = n.next()
			}
			n.ids[channel.ID] = id
		}
		n.names[id] = channel.Name
	}
	for _, channel := range c.after.audit.Channels {
		n.names[channel.ID] = channel.Name
	}
	return n
}

// next is an ID that no channel has.
func (n *channelNames) next() int64 {
	n.last++
	return n.last
}

// translated is a thing of the earlier audit with the IDs of the comparison. A channel that the earlier audit does not
// list is different from all channels of the later audit.
func (n *channelNames) translated(thing *Thing) *Thing {
	result := *thing
	result.Attributes = maps.Clone(thing.Attributes)
	for name, value := range thing.Attributes {
		number, isNumber := value.(float64)
		if !isNumber || number <= 0 || !meaning.NamesChannels(name) {
			continue
		}
		id, known := n.ids[int64(number)]
		if !known {
			id = n.next()
			n.ids[int64(number)], n.names[id] = id, fmt.Sprintf("%.0f in the other organization", number)
		}
		result.Attributes[name] = float64(id)
	}
	return &result
}

// name returns the name of a channel by its ID in the comparison. No thing names other objects.
func (n *channelNames) name(kind string, id int64) (string, bool) {
	name, ok := n.names[id]
	return name, ok && kind == meaning.ChannelKind
}

// thing adds the meaning of the change of one thing. The lists already report channels and accounts that are added or
// removed.
func (c *comparison) thing(key string, before, after *Thing, names meaning.Names) {
	one := after
	if one == nil {
		one = before
	}
	of, known := meaning.Of(one.Type)
	isListed := one.Type == "zulip_channel" || one.Type == "zulip_user" || one.Type == "zulip_bot"
	if !known || isListed && (before == nil || after == nil) {
		return
	}
	change := meaning.Change{
		Of: of, Address: strings.TrimSpace(key), Names: names, Before: before, After: after, IsMade: before == nil, IsEnded: after == nil,
		IsSet:      func(string) bool { return true },
		IsComputed: func(name string, _ *meaning.Row) bool { return name == "name" && isListed },
	}
	change.Retention = func() (before, after meaning.Value) { return c.before.audit.retention(), c.after.audit.retention() }
	also := &report.Also{Resource: change.Where(one), Action: report.Update, Attributes: []report.AlsoAttribute{}}
	switch {
	case change.IsMade:
		also.Action = report.Create
	case change.IsEnded:
		also.Action = report.Delete
	}
	if was, is := before.Value("email").Data, after.Value("email").Data; one.Type == "zulip_user" && was != is && (was == hiddenEmail || is == hiddenEmail) {
		also.Resource = "account " + one.Name
		also.Attributes = append(also.Attributes, report.AlsoAttribute{Name: "email", Change: report.Change{Before: report.ValueOf(fmt.Sprint(was)), After: report.ValueOf(fmt.Sprint(is))}})
		c.report.Also = append(c.report.Also, also)
		return
	}
	isSaid := c.report.Say(change.Says(), also)
	if len(also.Attributes) > 0 || also.Action != report.Update && !isSaid {
		c.report.Also = append(c.report.Also, also)
	}
}

// retention is the organization's retention; unknown if the audit does not have it.
func (a *Audit) retention() meaning.Value {
	for _, thing := range a.Things {
		if value := thing.Value("message_retention_days"); thing.Type == "zulip_organization" && !value.IsNone() {
			return value
		}
	}
	return meaning.Value{IsUnknown: true}
}
