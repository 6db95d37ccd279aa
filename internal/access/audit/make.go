package audit

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Options say what to audit.
type Options struct {
	// Site is the address of the organization, to be shown. Now is the time of the audit.
	Site string
	Now  time.Time
	// Selection narrows the audit; the zero value is everything.
	Selection Selection
	// Managed returns the resources that manage the objects of findings; nil if it is not known.
	Managed *Managed
	// Accepted accepts findings; nil: none is accepted.
	Accepted *AcceptedFile
	// Rules are checked unless nil. They need the whole organization, not a selection.
	Rules *rules.File
}

// audited are the parts of an organization that an audit reads.
var audited = []store.Part{
	store.Channels, store.Subscribers, store.Domains, store.DefaultChannelGroups, store.Linkifiers, store.Playgrounds, store.UserDefaults, store.Bots,
}

// Make audits an organization. It reads the organization in one snapshot, and sends one more request for each channel
// if the account is not an administrator.
func Make(ctx context.Context, from *store.Store, options Options) (*Audit, error) {
	view, err := from.Read(ctx, audited...)
	if err != nil {
		return nil, err
	}
	facts := access.Read{View: view, Self: from.Self(), Subscribers: map[int64][]int64{}}
	channels, err := options.Selection.chooseChannels(view)
	if err != nil {
		return nil, err
	}
	for _, channel := range channels {
		ids, known := view.Subscribers()[channel.ID]
		if !known {
			if ids, err = from.Subscribers(ctx, channel.ID); err != nil {
				return nil, err
			}
			known = ids != nil
		}
		if known {
			facts.Subscribers[channel.ID] = ids
		}
	}
	if facts.Self.Role != zulip.RoleGuest {
		facts.Invitations, facts.MissingInvitations = access.Invitations(ctx, from)
	}
	return Of(facts, options)
}

// Of audits an organization that was read before.
func Of(facts access.Read, options Options) (*Audit, error) {
	facts = withinLimits(facts)
	facts.Now = options.Now
	m := &maker{
		facts: facts, options: options, view: facts.View, sets: map[*report.People]int{},
		org: access.Of(facts), access: facts.View.Access(), people: report.NewPeopleSets(facts.Self.ID),
		named: map[int64]bool{}, usedEntries: map[*acceptEntry]bool{}, tooGrave: map[*acceptEntry]bool{},
		audit: &Audit{
			FormatVersion: FormatVersion, Site: options.Site, When: options.Now.UTC().Truncate(time.Second), AccountID: facts.Self.ID,
			Missing: []string{}, Findings: []*Finding{}, Channels: []*Channel{}, Groups: []*Group{}, Permissions: []*EffectivePermission{}, Sets: []*report.People{},
		},
	}
	m.channelByID = lists.By(m.org.Channels, func(channel *access.Channel) int64 { return channel.ID })
	m.people.SetEverybody(slices.DeleteFunc(slices.Clone(m.view.Users()), func(user *zulip.User) bool { return !user.IsActive }))
	m.members = m.access.Everybody().Humans().Minus(m.access.Guests())
	m.administrators = m.access.Everybody().WithRoles(zulip.RoleOwner, zulip.RoleAdministrator)
	if realm := m.view.Realm(); realm != nil {
		_ = json.Unmarshal(realm.Settings["name"], &m.audit.Organization) // without a name there is none to show
	}
	m.completeness()
	if err := m.choose(); err != nil {
		return nil, err
	}
	m.channels()
	if len(options.Selection.Channels) == 0 {
		m.groups()
		m.audit.Permissions = m.permissions(m.org.DescribePermissions(m.view))
	}
	if m.audit.Selection == nil {
		m.things()
	}
	if m.audit.Selection == nil && options.Rules != nil {
		m.audit.Rules = options.Rules.Report(m.org, options.Rules.Check(m.org), nil, nil)
	}
	m.find()
	if err := m.person(); err != nil {
		return nil, err
	}
	m.accounts()
	return m.audit, nil
}

// maker makes an audit.
type maker struct {
	facts   access.Read
	options Options
	view    *snapshot.Snapshot
	org     *access.Organization
	access  *permission.Access
	people  *report.PeopleSets
	sets    map[*report.People]int
	audit   *Audit

	// members are the active people except guests, and administrators the active administrators and owners, bots included.
	members, administrators permission.People

	chosen      []*zulip.Channel
	channelByID map[int64]*access.Channel
	// among are the people in the selection of the audit; nil without a selection.
	among *permission.People
	// named are deactivated accounts that a finding is about.
	named map[int64]bool

	// usedEntries are the entries that accept a finding, and tooGrave those that would if it were less severe.
	usedEntries, tooGrave map[*acceptEntry]bool
}

// completeness notes what the account does not see.
func (m *maker) completeness() {
	self, missing := m.facts.Self, func(text string) { m.audit.Missing = append(m.audit.Missing, text) }
	if m.facts.MissingInvitations != "" {
		missing(m.facts.MissingInvitations)
	}
	if self.Role > zulip.RoleAdministrator {
		missing(fmt.Sprintf("%s is not an administrator. This audit lacks private channels it isn't subscribed to, and invitations of others.", self.Address()))
	}
	if self.Role == zulip.RoleGuest {
		missing(fmt.Sprintf("%s is a guest and might not see everyone in the organization.", self.Address()))
	}
}

// chooseChannels returns the channels of the audit, by name.
func (s Selection) chooseChannels(view *snapshot.Snapshot) ([]*zulip.Channel, error) {
	var chosen []*zulip.Channel
	for _, channel := range view.Channels().List() {
		if !channel.IsArchived && len(s.Channels) == 0 {
			chosen = append(chosen, channel)
		}
	}
	for _, name := range s.Channels {
		channel, ok := view.Channels().ByName(name)
		switch {
		case !ok:
			return nil, fmt.Errorf("the account sees no channel %q%s", name, suggest.Names{Things: "channels", All: view.Channels().Names(), Where: "an audit without --channel lists all"}.Suggest(name))
		case channel.IsArchived:
			return nil, fmt.Errorf("the channel %q is archived, and archived channels aren't audited", name)
		case !slices.Contains(chosen, channel):
			chosen = append(chosen, channel)
		}
	}
	slices.SortFunc(chosen, func(a, b *zulip.Channel) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), cmp.Compare(a.ID, b.ID))
	})
	return chosen, nil
}

// choose applies the selection.
func (m *maker) choose() (err error) {
	selection := m.options.Selection
	if selection.Person != "" || len(selection.Channels) > 0 || selection.Guests || selection.Bots {
		m.audit.Selection = &selection
	}
	if m.chosen, err = selection.chooseChannels(m.view); err != nil {
		return err
	}
	for _, channel := range m.view.Channels().List() {
		if channel.IsArchived {
			m.audit.Archived++
			m.audit.ArchivedIDs = append(m.audit.ArchivedIDs, channel.ID)
		}
	}
	if !selection.Guests && !selection.Bots {
		return nil
	}
	among := m.access.Everybody().Where(func(user *zulip.User) bool {
		return selection.Guests && user.Role == zulip.RoleGuest || selection.Bots && user.IsBot
	})
	m.among = &among
	return nil
}

// set returns the index of a set of people, limited to the selection of the audit.
func (m *maker) set(people permission.People) int {
	of := m.people.Of(m.narrowed(people))
	index, known := m.sets[of]
	if !known {
		index = len(m.audit.Sets)
		m.sets[of] = index
		m.audit.Sets = append(m.audit.Sets, of)
	}
	return index
}

func (m *maker) narrowed(people permission.People) permission.People {
	if m.among == nil {
		return people
	}
	return people.And(*m.among)
}

// channels describes who can do what in each channel.
func (m *maker) channels() {
	unseen := 0
	for _, channel := range m.chosen {
		described := m.channelByID[channel.ID]
		m.org.DescribeChannel(described, m.view)
		if !described.Facts.SubscribersKnown {
			unseen++
		}
		result := &Channel{ID: channel.ID, Name: channel.Name, Folder: described.Folder, Privacy: described.Facts.Privacy, Internet: described.Internet != nil && *described.Internet}
		if described.Subscribers != nil {
			index := m.set(*described.Subscribers)
			result.Subscribers = &index
		}
		if result.Permissions = m.permissions(described.Effective); result.Privacy != zulip.PrivacyPrivateProtectedHistory { // the same people read older messages
			result.Permissions = slices.DeleteFunc(result.Permissions, isHistory)
		}
		if m.among == nil || len(result.Permissions) > 0 {
			m.audit.Channels = append(m.audit.Channels, result)
		}
	}
	if unseen > 0 {
		m.audit.Missing = append(m.audit.Missing, fmt.Sprintf("The account can't see the subscribers of %s.", report.Counted(unseen, "channel")))
	}
	m.audit.Complete = len(m.audit.Missing) == 0
}

// permissions returns permissions in the form of the audit. It leaves out those by which no one in the selection has
// access.
func (m *maker) permissions(all []*access.EffectivePermission) []*EffectivePermission {
	permissions := []*EffectivePermission{}
	for _, one := range all {
		who, certain := one.Held.Certain()
		if m.among != nil && m.narrowed(who).IsEmpty() {
			continue
		}
		written := &EffectivePermission{Name: one.Name, Text: one.Text, Value: one.Value.Values, Unknown: !certain, People: m.set(who)}
		if one.Name == string(permission.CanRead) || isHistory(written) {
			written.Value = []string{} // the value is the privacy, which the channel has
		}
		permissions = append(permissions, written)
	}
	return permissions
}

func isHistory(one *EffectivePermission) bool { return one.Name == string(permission.CanReadHistory) }

// activeGroups returns the user groups that are not deactivated, without the roles, by name.
func (m *maker) activeGroups() []*access.Group {
	groups := m.org.ActiveGroups()
	slices.SortFunc(groups, func(a, b *access.Group) int { return strings.Compare(a.Name, b.Name) })
	return groups
}

// groups describes the members of each user group, and who can do what with it.
func (m *maker) groups() {
	for _, group := range m.activeGroups() {
		m.org.DescribeGroup(group, m.view)
		subgroups := lists.Map(lists.Found(group.DirectSubgroupIDs, m.view.UserGroup), func(below *zulip.UserGroup) string { return below.Name })
		result := &Group{
			ID: group.ID, Name: group.Name, People: m.set(group.People), Members: append([]int64{}, group.Members...), Subgroups: subgroups, Permissions: m.permissions(group.Effective),
		}
		if m.among == nil || len(result.Permissions) > 0 || !m.narrowed(group.People).IsEmpty() {
			m.audit.Groups = append(m.audit.Groups, result)
		}
	}
}

// accounts lists all active accounts, in the order of the sets, and then the named deactivated ones.
func (m *maker) accounts() {
	m.audit.Accounts = []*Account{}
	for user := range m.people.Everybody() {
		m.account(user)
	}
	for _, user := range m.view.Users() {
		if user.IsActive {
			continue
		}
		if m.audit.DeactivatedIDs = append(m.audit.DeactivatedIDs, user.ID); m.named[user.ID] {
			m.account(user)
		}
	}
}

func (m *maker) account(user *zulip.User) {
	account := &Account{Account: m.people.Account(user), IsActive: user.IsActive}
	if user.BotOwnerID != nil {
		account.OwnerID = *user.BotOwnerID
	}
	m.audit.Accounts = append(m.audit.Accounts, account)
}
