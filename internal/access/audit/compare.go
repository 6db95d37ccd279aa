package audit

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Compare returns who gained and lost which access between two audits. It matches audits of one organization by IDs,
// and audits of two organizations by names and addresses.
//
// It reports a new or deactivated account once, not for each permission that the account gains or loses.
func Compare(before, after *Audit) (*report.Report, error) {
	switch {
	case before.Person != nil || after.Person != nil:
		return nil, fmt.Errorf("an audit of one person can't be compared: make both audits without --person")
	case !reflect.DeepEqual(before.Selection, after.Selection):
		return nil, fmt.Errorf("the earlier audit has a different selection: make both audits with the same --channel, --guests and --bots")
	}
	c := &comparison{before: &side{audit: before}, after: &side{audit: after}, byName: !report.IsSameSite(before.Site, after.Site)}
	c.report = report.New(after.Site)
	c.report.Organization, c.report.Since = after.Organization, since(before, after)
	c.matchAccounts()
	was, is := c.organizations()
	access.Compare(was, is, c.people, c.report)
	c.things()
	c.findings()
	c.incomplete()
	c.report.Accounts = c.people.Accounts()
	c.report.Assess()
	return c.report, nil
}

func since(before, after *Audit) string {
	text := "the audit of " + before.When.UTC().Format("2006-01-02 15:04 MST")
	if !report.IsSameSite(before.Site, after.Site) {
		text += " of " + before.Site
	}
	return text
}

// comparison compares two audits.
type comparison struct {
	before, after *side
	// byName says that the audits are of two organizations.
	byName bool
	people *report.PeopleSets
	report *report.Report
	// addresses are the addresses of all accounts by their IDs in the comparison. The later audit takes precedence.
	addresses map[int64]string
}

// side is one of two audits. Both have the same accounts: an account that is missing in one is inactive there.
type side struct {
	audit  *Audit
	access *permission.Access
	// ids are the IDs of accounts in the comparison, by the IDs in the audit.
	ids map[int64]int64
	// active are the addresses of active accounts, by the IDs in the audit.
	active map[int64]string

	accounts []*access.Account
	sets     map[int]permission.People
	in       []int64 // the IDs of one set after another
}

// set returns a set of the audit.
func (s *side) set(index int) permission.People {
	if known, ok := s.sets[index]; ok {
		return known
	}
	s.in = s.in[:0]
	for account := range s.audit.Sets[index].All() {
		s.in = append(s.in, s.ids[account.ID])
	}
	set := s.access.People(s.in)
	s.sets[index] = set
	return set
}

// matchAccounts matches the accounts of both audits.
func (c *comparison) matchAccounts() {
	byAddress := map[string]int64{}
	c.before.ids, c.after.ids = map[int64]int64{}, map[int64]int64{}
	for _, account := range c.after.audit.Accounts {
		byAddress[strings.ToLower(account.Email)] = account.ID
		c.after.ids[account.ID] = account.ID
	}
	last := int64(0)
	for _, account := range c.before.audit.Accounts {
		id, known := byAddress[strings.ToLower(account.Email)]
		switch {
		case !c.byName:
			id = account.ID
		case !known:
			last--
			id = last
		}
		c.before.ids[account.ID] = id
	}
	c.addresses = map[int64]string{}
	for _, side := range []*side{c.before, c.after} {
		side.active = map[int64]string{}
		for _, account := range side.audit.Accounts {
			if c.addresses[side.ids[account.ID]] = account.Email; account.IsActive {
				side.active[account.ID] = account.Email
			}
		}
	}
	was, is := c.before.users(), c.after.users()
	everybody := maps.Clone(is)
	maps.Copy(everybody, was) // the roles before
	c.before.access, c.after.access = accessOf(was, everybody), accessOf(is, everybody)
	c.before.sets, c.after.sets = map[int]permission.People{}, map[int]permission.People{}
	c.people = report.NewPeopleSets(c.after.audit.AccountID)
	all := slices.SortedFunc(maps.Values(everybody), func(a, b *zulip.User) int { return cmp.Compare(a.ID, b.ID) })
	c.people.SetEverybody(all)
	for _, user := range all {
		for _, one := range []struct {
			in   map[int64]*zulip.User
			side *side
		}{{was, c.before}, {is, c.after}} {
			if user, ok := one.in[user.ID]; ok {
				one.side.accounts = append(one.side.accounts, &access.Account{User: *user, RoleText: report.ValueOf(user.Role.String()), OwnerText: c.owner(user)})
			}
		}
		if _, had := was[user.ID]; !had && !c.byName && slices.Contains(c.before.audit.DeactivatedIDs, user.ID) { // it is back
			c.before.accounts = append(c.before.accounts, &access.Account{User: zulip.User{ID: user.ID}})
		}
	}
}

// users are the active accounts of an audit, by their IDs in the comparison.
func (s *side) users() map[int64]*zulip.User {
	users := map[int64]*zulip.User{}
	for _, account := range s.audit.Accounts {
		if !account.IsActive {
			continue
		}
		role, _ := zulip.ParseRole(account.Role)
		user := &zulip.User{ID: s.ids[account.ID], FullName: account.Name, Email: account.Email, Role: role, IsActive: true, IsBot: account.IsBot}
		if owner, ok := s.ids[account.OwnerID]; ok {
			user.BotOwnerID = &owner
		}
		users[user.ID] = user
	}
	return users
}

// accessOf returns an organization of some active accounts, in which all have a place.
func accessOf(active, everybody map[int64]*zulip.User) *permission.Access {
	var users []*zulip.User
	for id, user := range everybody {
		if here, ok := active[id]; ok {
			users = append(users, here)
			continue
		}
		absent := *user
		absent.IsActive = false
		users = append(users, &absent)
	}
	return permission.NewAccess(permission.AccessInput{Users: users})
}

// owner is the owner of a bot in words; no value if the owner isn't known.
func (c *comparison) owner(bot *zulip.User) (owner report.Value) {
	if bot.BotOwnerID != nil && c.addresses[*bot.BotOwnerID] != "" {
		owner = report.ValueOf(c.addresses[*bot.BotOwnerID])
	}
	return owner
}

// findings lists the findings of the later audit, the new ones first and the accepted ones last. A finding whose
// acceptance has ended is new.
func (c *comparison) findings() {
	was := map[string]bool{}
	key := func(finding *Finding, place string) string {
		return fmt.Sprintf("%s %q %q", finding.Kind, finding.Text, place)
	}
	for _, finding := range c.before.audit.Open() {
		for _, place := range finding.Where {
			was[key(finding, place)] = true
		}
	}
	for _, finding := range c.after.audit.Findings {
		places := map[bool][]string{} // by whether the finding is new at the place
		for _, place := range finding.Where {
			isNew := !was[key(finding, place)] && finding.Accepted == nil
			places[isNew] = append(places[isNew], place)
		}
		text := strings.TrimSpace(finding.Text + " " + finding.AcceptedText())
		for isNew, where := range places {
			c.report.Found = append(c.report.Found, report.Found{
				Kind: string(finding.Kind), Severity: string(finding.Severity), Where: where, Text: text, IsNew: isNew,
			})
		}
	}
	slices.SortStableFunc(c.report.Found, func(x, y report.Found) int { return lists.TrueFirst(x.IsNew, y.IsNew) })
}

// incomplete describes the access that neither audit shows.
func (c *comparison) incomplete() {
	for _, one := range []struct {
		of    *Audit
		which string
	}{{c.before.audit, "The earlier audit"}, {c.after.audit, "This audit"}} {
		for _, text := range one.of.Missing {
			c.report.Unknown = append(c.report.Unknown, one.which+" is incomplete: "+text)
		}
	}
}
