// Package review says what a plan does to who may do what: from a plan of Terraform or OpenTofu, which the package plan
// reads, and the organization as it is, to a [report.Report], which a person reads before the plan is applied.
//
// The packages markdown and page write the report.
package review

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Options say what to review, and what is known beside the plan.
type Options struct {
	// Provider is the provider configuration to review; "" is the only one.
	Provider string
	// Store reads the organization; nil: it is not asked.
	Store *store.Store
	// Site is the address of the organization, to be shown.
	Site string
	// Now decides whose waiting period is over.
	Now time.Time
	// Rules are to be proven of the organization as the plan leaves it; nil: none are.
	Rules *rules.File
	// Beside is in how many channels where nothing changes it is computed who can do what, for [Compute].
	Beside int
}

// New reviews the part of a plan that belongs to one provider configuration. The organization is read in one snapshot.
func New(ctx context.Context, p *plan.Plan, options Options) (*report.Report, error) {
	found, _, err := Compute(ctx, p, options)
	return found, err
}

// Compute is [New], and returns what the report was made of. That is nil where there was nothing to compare.
func Compute(ctx context.Context, p *plan.Plan, options Options) (*report.Report, *Computed, error) {
	provider, err := p.ChooseProvider(options.Provider)
	if err != nil {
		return nil, nil, err
	}
	if site := p.Site(provider); options.Store != nil && site != "" && !report.IsSameSite(site, options.Site) {
		return nil, nil, fmt.Errorf("the plan is of %s, as the provider configuration %s says, and this review reads %s: set ZULIP_SITE, ZULIP_EMAIL and ZULIP_API_KEY for the organization of the plan", site, provider, options.Site)
	}
	b := &builder{
		ctx: ctx, options: options, channels: map[int64]*reviewedChannel{}, people: report.NewPeopleSets(0),
		report: &report.Report{
			FormatVersion: report.FormatVersion, Site: options.Site, Provider: provider, Offline: options.Store == nil,
			Risks: []report.Risk{}, Channels: []*report.Channel{}, Groups: []*report.Group{}, People: []*report.Person{}, Rights: []*report.Right{}, Unknown: []string{},
			Also: []*report.Also{}, Others: p.Others, Accounts: []*report.Account{},
		},
	}
	b.chooseChanges(p, provider)
	if p.IsIncomplete {
		b.addUnknown("The plan is not complete: another one is needed after it, which can change more.")
	}
	var view *snapshot.Snapshot
	if options.Store != nil && (len(b.changes) > 0 || options.Rules != nil) {
		if view, err = options.Store.Read(ctx, store.Channels, store.Subscribers, store.Domains); err != nil {
			return nil, nil, err
		}
		if err := b.readForRules(view); err != nil {
			return nil, nil, err
		}
		if err := b.compare(view); err != nil {
			return nil, nil, err
		}
	} else if len(b.changes) > 0 {
		b.addUnknown("The organization was not asked: who gains and who loses by what changes is not known.")
	}
	b.sayMeanings()
	if view != nil {
		b.proveRules(view)
	}
	b.report.Accounts = b.people.Accounts()
	b.report.Assess()
	b.report.Mask(b.secrets())
	if b.before == nil {
		return b.report, nil, nil
	}
	return b.report, &Computed{Snapshot: view, Changes: b.changes, Before: &b.was, After: &b.is, BesideBefore: b.besideWas, BesideAfter: b.besideIs}, nil
}

// Computed is who can do what by computing, before and after a plan: what [New] compares, to be tried.
type Computed struct {
	Snapshot *snapshot.Snapshot
	// Changes are those that are reviewed.
	Changes []*plan.Change
	// Before and After have what the plan changes or has effects in, all user groups, and the permissions of the organization.
	Before, After *access.Organization
	// BesideBefore and BesideAfter are some channels in which the plan changes nothing, by computing.
	BesideBefore, BesideAfter []*access.Channel
}

// builder makes a review. Its methods are called in the order in which they stand here.
type builder struct {
	ctx     context.Context
	options Options
	report  *report.Report
	people  *report.PeopleSets
	changes []*plan.Change
	// unproven is what is not known and may matter to any rule. Of what is not known of one channel or group the facts of the channel
	// or group say so, and the rules about it find out whether it matters to them.
	unproven []string
	// unnamed are the groups whose names are not known, and mayStay those that somebody is taken out of who may stay.
	unnamed, mayStay map[int64]bool

	org                *plannedOrganization
	change             permission.Change
	groups             map[int64]*access.Group // those that the plan changes, or creates
	groupRights        map[int64]map[string]access.PlannedPermission
	organizationRights map[string]access.PlannedPermission
	// namesUnknownPeople says that a permission of the organization names people who are not known yet.
	namesUnknownPeople bool
	before, after      *permission.Access
	// was and is are what of the organization the plan changes, or has effects in, before and after.
	was, is access.Organization
	// besideWas and besideIs are channels in which nothing changes.
	besideWas, besideIs []*access.Channel

	channels map[int64]*reviewedChannel // those that are there, as the plan changes them
	created  []*reviewedChannel
	// channelsAfter are all channels that are there after the plan, and read the subscribers that were asked for because of the rules.
	channelsAfter []*access.Channel
	groupsAfter   []*access.GroupFacts
	read          map[int64][]int64
	rulesBefore   *rules.Organization
}

// chooseChanges takes the changes of a provider configuration.
func (b *builder) chooseChanges(p *plan.Plan, provider string) {
	for _, change := range p.Changes {
		switch {
		case change.Provider != provider && change.ReplacedBy != nil: // it is counted once
		case change.Provider == "":
			b.addUnknown(fmt.Sprintf("The plan does not tell which provider configuration %s belongs to. It is not reviewed.", change.Address))
		case change.Provider == provider:
			b.changes = append(b.changes, change)
		default:
			b.report.Others++
		}
	}
}

// addDoubt says what the plan or the organization does not tell of one thing, whose facts say so too.
func (b *builder) addDoubt(sentence string) {
	b.report.Unknown = append(b.report.Unknown, sentence)
}

// addUnknown says what the plan or the organization does not tell, and what may matter anywhere. No rule is proven then.
func (b *builder) addUnknown(sentence string) {
	b.report.Unknown, b.unproven = append(b.report.Unknown, sentence), append(b.unproven, sentence)
}

// compare finds out who gains and who loses.
func (b *builder) compare(view *snapshot.Snapshot) error {
	b.org, b.people = newPlannedOrganization(view), report.NewPeopleSets(b.options.Store.Self().ID)
	b.change = permission.Change{
		Groups: map[int64]permission.Membership{}, Roles: map[int64]zulip.Role{}, Owners: map[int64]int64{}, Organization: map[string]zulip.GroupSettingValue{}, Now: b.options.Now,
	}
	if err := b.checkFit(); err != nil {
		return err
	}
	b.org.planFolders(b.of("zulip_channel_folder"))
	b.unnamed, b.mayStay = map[int64]bool{}, map[int64]bool{}
	b.groups, b.groupRights = map[int64]*access.Group{}, map[int64]map[string]access.PlannedPermission{}
	for _, step := range []struct {
		kind  string
		apply func(*plan.Change)
	}{{"zulip_user", b.person}, {"zulip_bot", b.person}, {"zulip_user_role", b.roleResource}, {"zulip_role_members", b.givesRoles}, {"zulip_role_members", b.takesRoles}} {
		changes := b.of(step.kind)
		slices.SortStableFunc(changes, endsFirst)
		for _, change := range changes {
			step.apply(change)
		}
	}
	b.endBots()
	b.collectGroups()
	b.organizationRights = map[string]access.PlannedPermission{}
	organizations := b.of("zulip_organization")
	slices.SortStableFunc(organizations, endsFirst)
	for _, change := range organizations {
		b.organization(change)
	}
	b.noteInvisibleChannels()
	b.buildAccess(view)
	if err := b.compareChannels(); err != nil {
		return err
	}
	b.compareGroups()
	b.compareOrganization()
	b.was.People, b.is.People = b.before, b.after
	access.Compare(&b.was, &b.is, b.people, b.report)
	b.sayKeys()
	b.findStops()
	return nil
}

// noteInvisibleChannels says what the account that reviews does not see. An administrator sees every channel.
func (b *builder) noteInvisibleChannels() {
	everywhere := len(b.change.Groups) + len(b.is.Accounts) + len(b.change.Organization) + len(b.is.Rights)
	if self := b.options.Store.Self(); everywhere > 0 && self.Role > zulip.RoleAdministrator {
		b.report.Unknown = append(b.report.Unknown, fmt.Sprintf("The account that reviews, %s, is not an administrator and does not see private channels that it is not in: what changes in those is not in this review.", self.Address()))
	}
}

// addUnseen says that the organization shows nothing of what a change is about.
func (b *builder) addUnseen(c *plan.Change) {
	b.addUnknown(fmt.Sprintf("What %s changes is not reviewed: the account that reviews does not see what it is about, or that is gone.", c.Address))
}

// of returns the changes of some kinds of resource. To what is no longer managed nothing happens, whatever it is; of channels
// and groups that is worth a line.
func (b *builder) of(types ...string) []*plan.Change {
	var some []*plan.Change
	for _, change := range b.changes {
		if change.Does("forget") && change.Type != "zulip_channel" && change.Type != "zulip_user_group" {
			continue
		}
		if slices.Contains(types, change.Type) {
			some = append(some, change)
		}
	}
	return some
}

// endsFirst orders changes of the same kind: what is destroyed comes first, whatever Terraform does first.
func endsFirst(a, b *plan.Change) int {
	switch {
	case a.Does("delete") == b.Does("delete"):
		return 0
	case a.Does("delete"):
		return -1
	}
	return 1
}

// buildAccess makes the organization before and after. Groups and people who are yet to come are in it before too: the groups
// without members, and named by nobody. What people may by being there is said of the person, and not of every channel.
func (b *builder) buildAccess(view *snapshot.Snapshot) {
	facts := permission.AccessInput{Groups: slices.Clone(view.UserGroups().List()), Realm: view.Realm()}
	joining := map[int64]zulip.Role{}
	for _, account := range b.joining() {
		facts.Users = append(facts.Users, &account.User)
		joining[account.ID] = account.Role
	}
	for _, user := range view.Users() {
		account := b.org.accounts[user.ID]
		if _, joins := joining[user.ID]; joins {
			continue
		} else if account != nil && user.IsActive && !account.IsActive {
			b.change.Deactivated = append(b.change.Deactivated, user.ID)
		} else if account != nil && account.Role != user.Role {
			b.change.Roles[user.ID] = account.Role
		}
		if account != nil && !hasSameOwner(&account.User, user) {
			b.change.Owners[user.ID] = *account.BotOwnerID
		}
		facts.Users = append(facts.Users, user)
	}
	facts.Groups = append(facts.Groups, &zulip.UserGroup{ID: unknownPeopleID})
	for id, group := range b.org.groups {
		if id < 0 {
			facts.Groups = append(facts.Groups, &zulip.UserGroup{ID: id, Name: group.Name})
		}
	}
	if b.namesUnknownPeople {
		b.change.Groups[unknownPeopleID] = permission.Membership{Unknown: true}
	}
	b.people.SetEverybody(facts.Users)
	b.before = permission.NewAccess(facts)
	if len(joining) > 0 {
		b.before = b.before.With(permission.Change{Roles: joining, Now: b.options.Now})
	}
	b.after = b.before.With(b.change)
}
