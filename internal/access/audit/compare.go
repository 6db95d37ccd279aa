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
	// active are the addresses of active accounts, by the IDs in the audit. users are these accounts, by their IDs in the
	// comparison.
	active map[int64]string
	users  map[int64]*zulip.User

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
	sides := []*side{c.before, c.after}
	for _, side := range sides {
		side.active, side.sets = map[int64]string{}, map[int]permission.People{}
		for _, account := range side.audit.Accounts {
			if c.addresses[side.ids[account.ID]] = account.Email; account.IsActive {
				side.active[account.ID] = account.Email
			}
		}
		side.users = side.activeUsers()
	}
	everybody := maps.Clone(c.after.users)
	maps.Copy(everybody, c.before.users) // the roles before
	c.people = report.NewPeopleSets(c.after.audit.AccountID)
	all := slices.SortedFunc(maps.Values(everybody), func(a, b *zulip.User) int { return cmp.Compare(a.ID, b.ID) })
	c.people.SetEverybody(all)
	for _, side := range sides {
		side.access = side.accessAmong(all)
	}
	for _, user := range all {
		for _, side := range sides {
			if user, ok := side.users[user.ID]; ok {
				side.accounts = append(side.accounts, &access.Account{User: *user, RoleText: report.ValueOf(user.Role.String()), OwnerText: c.owner(user)})
			}
		}
		if _, had := c.before.users[user.ID]; !had && !c.byName && slices.Contains(c.before.audit.DeactivatedIDs, user.ID) { // it is back
			c.before.accounts = append(c.before.accounts, &access.Account{User: zulip.User{ID: user.ID}})
		}
	}
}

// activeUsers are the active accounts of an audit, by their IDs in the comparison.
func (s *side) activeUsers() map[int64]*zulip.User {
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

// accessAmong returns the organization of the active accounts, in which everybody has a place.
func (s *side) accessAmong(everybody []*zulip.User) *permission.Access {
	return permission.NewAccess(permission.AccessInput{Users: lists.Map(everybody, func(user *zulip.User) *zulip.User {
		if here, ok := s.users[user.ID]; ok {
			return here
		}
		absent := *user
		absent.IsActive = false
		return &absent
	})})
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
	for _, text := range c.before.audit.Missing {
		c.report.Unknown = append(c.report.Unknown, "The earlier audit is incomplete: "+text)
	}
	for _, text := range c.after.audit.Missing {
		c.report.Unknown = append(c.report.Unknown, "This audit is incomplete: "+text)
	}
}
