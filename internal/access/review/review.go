// Package review computes how a plan changes who can do what. It takes a plan of Terraform or OpenTofu, which the package
// plan reads, and the organization as it is. It returns a [report.Report], which a person reads before the apply.
//
// The packages markdown and page write the report.
package review

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/effects"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Options are the options of a review, and its data apart from the plan.
type Options struct {
	// Provider is the provider configuration to review; "" is the only one.
	Provider string
	// Store reads the organization; nil if it must not be read.
	Store *store.Store
	// Site is the address of the organization, to be shown.
	Site string
	// Now decides which waiting periods are over.
	Now time.Time
	// Rules are checked against the organization after the plan, unless nil.
	Rules *rules.File
}

// New reviews the part of a plan that belongs to one provider configuration. The organization is read in one snapshot.
func New(ctx context.Context, p *plan.Plan, options Options) (*report.Report, error) {
	found, _, err := Compute(ctx, p, options)
	return found, err
}

// Compute is [New], and also returns the two organizations that it compared; nil if there was nothing to compare.
func Compute(ctx context.Context, p *plan.Plan, options Options) (*report.Report, *Computed, error) {
	provider, err := p.ChooseProvider(options.Provider)
	if err != nil {
		return nil, nil, err
	}
	if site := p.Site(provider); options.Store != nil && site != "" && !report.IsSameSite(site, options.Site) {
		return nil, nil, fmt.Errorf("the plan is for %s (provider configuration %s), and this review reads %s: set ZULIP_SITE, ZULIP_EMAIL and ZULIP_API_KEY for the organization of the plan", site, provider, options.Site)
	}
	b := &builder{
		ctx: ctx, options: options, is: new(access.Organization), groupOf: map[*plan.Change]*access.Group{}, ids: map[string]int64{}, people: report.NewPeopleSets(0),
		report: report.New(options.Site),
	}
	b.report.Provider, b.report.Offline, b.report.Others = provider, options.Store == nil, p.Others
	b.chooseChanges(p, provider)
	if p.IsIncomplete {
		b.unknown(access.Anywhere, "The plan is incomplete: it needs another plan after it, which can change more.")
	}
	if options.Store != nil && (len(b.changes) > 0 || options.Rules != nil) {
		if err := b.compare(); err != nil {
			return nil, nil, err
		}
	} else if len(b.changes) > 0 {
		b.unknown(access.Anywhere, "The organization wasn't read, so it isn't known who gains or loses access.")
	}
	b.sayMeanings()
	if b.org != nil && options.Rules != nil {
		b.checkRules()
	}
	b.report.Unknown = append(append([]string{}, b.is.Unknowns(access.Anywhere, access.OneThing)...), b.report.Unknown...)
	b.report.Accounts = b.people.Accounts()
	b.report.Assess()
	if b.org == nil {
		return b.report, nil, nil
	}
	return b.report, &Computed{Before: b.was, After: b.is}, nil
}

// Computed is who can do what before and after a plan, as [New] compares it. Tests try it.
type Computed struct {
	// Before and After have the permissions of the channels that the plan changes or affects, of all user groups, and of the
	// organization.
	Before, After *access.Organization
}

// builder makes a review.
type builder struct {
	ctx     context.Context
	options Options
	report  *report.Report
	people  *report.PeopleSets
	changes []*plan.Change

	// was is the organization as it was read, and is the organization after the plan. Both have the new accounts of the
	// plan, so that the review reports the access of a new account once and not for each channel.
	was, is *access.Organization
	org     *plannedOrganization // nil if the organization was not read
	// groupOf are the groups to which changes apply.
	groupOf map[*plan.Change]*access.Group
	// change is the change of group members and roles by the plan.
	change permission.Change
	// ids are the objects of the resources, by address. choices and may are what the plan doesn't know, for the rules, and
	// strangers are groups of unknown people.
	ids       map[string]int64
	kept      []*plan.Change // the resources that the plan does not destroy
	choices   []choice
	may       []outcome
	strangers []*zulip.UserGroup
	// planned are the writes of the plan, after which the server does more by itself.
	planned effects.Log
}

// chooseChanges selects the changes of a provider configuration.
func (b *builder) chooseChanges(p *plan.Plan, provider string) {
	for _, change := range slices.Concat(p.Unchanged, p.Changes) {
		if change.Provider != provider || change.Does("delete") {
			continue
		}
		b.kept = append(b.kept, change)
		if id, ok := change.Before().Number("id"); ok {
			b.ids[change.Address] = id
		}
	}
	for _, change := range p.Changes {
		switch {
		case change.Provider != provider && change.ReplacedBy != nil: // it is counted once
		case change.Provider == "":
			b.unknown(access.Anywhere, "The plan doesn't show the provider configuration of %s, so it isn't reviewed.", change.Address)
		case change.Provider == provider:
			b.changes = append(b.changes, change)
		default:
			b.report.Others++
		}
	}
}

// unknown adds a fact that the plan or the organization does not tell.
func (b *builder) unknown(scope access.Scope, format string, values ...any) {
	b.is.Unknown = append(b.is.Unknown, access.Unknown{Scope: scope, Text: fmt.Sprintf(format, values...)})
}

// risk adds a risk that doesn't come from permissions.
func (b *builder) risk(condition report.Condition, where, format string, values ...any) {
	b.report.Risks = append(b.report.Risks, report.Risk{Condition: condition, Where: where, Text: fmt.Sprintf(format, values...)})
}

// stage applies the changes of some kinds of resources.
type stage struct {
	apply func(*builder, *plan.Change)
	kinds []string
}

// A plan is applied in stages: each kind of resource after the kinds that it names, and removals before additions. Groups
// and roles are complete before the channels.
var peopleStages, channelStages = []stage{
	{(*builder).folder, []string{"zulip_channel_folder"}},
	{(*builder).person, []string{"zulip_user"}},
	{(*builder).person, []string{"zulip_bot"}},
	{(*builder).roleResource, []string{"zulip_user_role"}},
	{(*builder).givesRoles, []string{"zulip_role_members"}},
	{(*builder).removeRoles, []string{"zulip_role_members"}},
	{(*builder).startGroup, []string{"zulip_user_group"}},
	{(*builder).listedMembers, []string{"zulip_user_group"}},
	{(*builder).membership, []string{"zulip_user_group_membership"}},
	{(*builder).groupPermissions, []string{"zulip_user_group"}},
	{(*builder).organization, []string{"zulip_organization"}},
	{(*builder).leaveGroups, []string{"zulip_user_group"}},
	{(*builder).invitation, []string{"zulip_invite_link", "zulip_invitation"}},
}, []stage{
	{(*builder).channel, []string{"zulip_channel"}},
	{(*builder).leaveChannels, []string{"zulip_user_group"}},
	{(*builder).unsubscribes, []string{"zulip_channel_subscription"}},
	{(*builder).subscribes, []string{"zulip_channel_subscribers"}},
	{(*builder).subscribes, []string{"zulip_channel_subscription"}},
}

// apply turns the organization into the one after the plan.
func (b *builder) apply() {
	b.applyStages(peopleStages)
	b.endOwned()
	b.applyStages(channelStages)
	b.applyToPeople()
	b.noteInvisibleChannels()
	b.fullMembers()
}

// applyStages applies the changes of some stages. Each stage applies destroys first, whatever Terraform does first.
func (b *builder) applyStages(stages []stage) {
	for _, stage := range stages {
		changes := b.of(stage.kinds...)
		slices.SortStableFunc(changes, func(x, y *plan.Change) int { return lists.TrueFirst(x.Does("delete"), y.Does("delete")) })
		for _, change := range changes {
			stage.apply(b, change)
		}
	}
}

// compare computes who gains and loses access.
func (b *builder) compare() error {
	if err := b.read(); err != nil {
		return err
	}
	if err := b.checkFit(); err != nil {
		return err
	}
	b.apply()
	if err := b.readSubscribers(); err != nil {
		return err
	}
	b.joinDefaultChannels()
	for _, account := range b.joining() {
		if account.ID > 0 {
			b.unknown(access.OneThing, "%s is reactivated and returns to earlier channels and user groups, which the server doesn't show.", account.Address())
			b.maySubscribe([]int64{account.ID}, nil, true)
			b.may = append(b.may, mayJoin([]int64{account.ID}, nil))
		}
	}
	b.is.Causes = b.causes()
	access.Compare(b.was, b.is, b.people, b.report)
	b.sayKeys()
	b.findStops()
	return nil
}

// read reads the organization, with the subscribers of the channels that rules and lists name.
func (b *builder) read() error {
	view, err := b.options.Store.Read(b.ctx, store.Channels, store.Subscribers, store.Domains)
	if err != nil {
		return err
	}
	view = view.Knowing(knownEmails(slices.Concat(b.kept, b.changes)))
	read := access.Read{View: view, Self: b.options.Store.Self(), Subscribers: maps.Clone(view.Subscribers()), Now: b.options.Now}
	if read.Subscribers == nil {
		read.Subscribers = map[int64][]int64{}
	}
	named := map[int64]bool{}
	for _, change := range b.of("zulip_channel_subscribers", "zulip_channel_subscription") {
		for _, attributes := range []plan.Attributes{change.Before(), change.After()} {
			if id, ok := attributes.Number("channel_id"); ok {
				named[id] = true
			}
		}
	}
	for _, change := range b.of("zulip_channel") {
		if id, ok := change.Before().Number("id"); ok && change.Does("delete") && b.options.Rules != nil {
			named[id] = true // for the limits
		}
	}
	for _, channel := range view.Channels().List() {
		if _, known := read.Subscribers[channel.ID]; known || channel.IsArchived || !named[channel.ID] && (b.options.Rules == nil || !b.options.Rules.SelectsName(channel.Name)) {
			continue
		}
		in, err := b.options.Store.Subscribers(b.ctx, channel.ID)
		if err != nil {
			return err
		}
		if in != nil {
			read.Subscribers[channel.ID] = in
		}
	}
	if deactivates := b.deactivates(); deactivates || b.options.Rules != nil && b.options.Rules.AsksForInvitations() {
		if read.Invitations, read.MissingInvitations = access.Invitations(b.ctx, b.options.Store); deactivates && read.MissingInvitations != "" {
			b.unknown(access.OneThing, "%s The server revokes those of the people whom it deactivates.", read.MissingInvitations)
		}
	}
	unknown := b.is.Unknown
	b.was = access.Of(read)
	b.is = b.was.Clone()
	b.is.Unknown = append(b.is.Unknown, unknown...)
	b.org, b.people = newPlannedOrganization(view, b.is), report.NewPeopleSets(read.Self.ID)
	b.is.Names = b.org
	b.change = permission.Change{
		Roles: map[int64]zulip.Role{}, Owners: map[int64]int64{}, Groups: map[int64]permission.Membership{}, Organization: map[string]zulip.GroupSettingValue{}, Now: b.options.Now,
	}
	return nil
}

// noteInvisibleChannels notes that the account that reviews does not see some channels. An administrator sees every channel.
func (b *builder) noteInvisibleChannels() {
	everywhere := len(b.change.Groups) + len(b.is.Accounts) + len(b.is.Planned) + len(b.is.Effective)
	if self := b.options.Store.Self(); everywhere > 0 && self.Role > zulip.RoleAdministrator {
		b.unknown(access.OneThing, "The reviewing account, %s, is not an administrator: this review lacks changes in private channels it isn't subscribed to.", self.Address())
	}
}

// addUnseen notes that the organization does not show the object of a change.
func (b *builder) addUnseen(c *plan.Change) {
	b.unknown(access.Anywhere, "The change of %s isn't reviewed: its object doesn't exist, or isn't visible to the reviewing account.", c.Address)
}

// of returns the changes of some kinds of resource. Removing a resource from the state changes nothing, but channels and groups get
// a line for it.
func (b *builder) of(types ...string) []*plan.Change {
	return lists.Where(b.changes, func(change *plan.Change) bool {
		hasLine := change.Type == "zulip_channel" || change.Type == "zulip_user_group"
		return slices.Contains(types, change.Type) && (hasLine || !change.Does("forget"))
	})
}

// applyToPeople computes the members of groups and the roles, before and after.
func (b *builder) applyToPeople() {
	view := b.org.Snapshot
	facts, joining := permission.AccessInput{Groups: slices.Clone(view.UserGroups().List()), Realm: view.Realm()}, map[int64]zulip.Role{}
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
	for i, group := range b.is.Groups {
		if group.ID < 0 {
			facts.Groups = append(facts.Groups, &zulip.UserGroup{ID: group.ID, Name: group.Name})
		} else if was := b.was.Groups[i]; !group.MembersUnknown && slices.Equal(group.Members, was.Members) && slices.Equal(group.DirectSubgroupIDs, was.DirectSubgroupIDs) {
			continue
		}
		b.change.Groups[group.ID] = permission.Membership{Members: group.Members, Subgroups: group.DirectSubgroupIDs, Unknown: group.MembersUnknown, Among: append([]int64{}, group.MayJoin...)}
	}
	facts.Groups = append(facts.Groups, b.strangers...)
	for name, planned := range b.is.Planned {
		b.change.Organization[name] = planned.Value
	}
	b.people.SetEverybody(facts.Users)
	b.was.People = permission.NewAccess(facts)
	if len(joining) > 0 {
		b.was.People = b.was.People.With(permission.Change{Roles: joining, Now: b.options.Now})
	}
	b.is.People = b.was.People.With(b.change)
}
