package review

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
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
}

// New reviews the part of a plan that belongs to one provider configuration. The organization is read in one snapshot.
func New(ctx context.Context, plan *Plan, options Options) (*Review, error) {
	provider, err := plan.choose(options.Provider)
	if err != nil {
		return nil, err
	}
	b := &builder{
		ctx: ctx, options: options, channels: map[int64]*room{}, crowd: newCrowd(0),
		review: &Review{
			FormatVersion: FormatVersion, Site: options.Site, Provider: provider, Offline: options.Store == nil,
			Risks: []Risk{}, Channels: []*Channel{}, Groups: []*Group{}, People: []*Person{}, Rights: []*Right{}, Unknown: []string{},
			Others: plan.elsewhere, Accounts: []*Account{},
		},
	}
	b.choose(plan, provider)
	if plan.incomplete {
		b.unsure("The plan is not complete: another one is needed after it, which can change more.")
	}
	if options.Store != nil && len(b.changes) > 0 {
		err = b.compare()
	} else {
		b.list()
	}
	if err != nil {
		return nil, err
	}
	b.review.Accounts = b.crowd.all()
	b.review.judge()
	return b.review, nil
}

// choose returns the provider configuration to review.
func (p *Plan) choose(wanted string) (string, error) {
	have := strings.Join(p.Providers, ", ")
	switch {
	case wanted != "" && !slices.Contains(p.Providers, wanted):
		if have == "" {
			have = "none"
		}
		return "", fmt.Errorf("the plan changes nothing with the provider configuration %s; it has %s", wanted, have)
	case wanted != "":
		return wanted, nil
	case len(p.Providers) > 1:
		return "", fmt.Errorf("the plan changes resources of several provider configurations (%s), which can be different organizations: name one with --as, with the credentials of its organization", have)
	case len(p.Providers) == 1:
		return p.Providers[0], nil
	}
	return "", nil
}

// builder makes a review. Its methods are called in the order in which they stand here.
type builder struct {
	ctx     context.Context
	options Options
	review  *Review
	crowd   *crowd
	changes []*change // those that decide something

	names  *names
	change permission.Change
	// joining are those who have an account after the plan and not before. They are taken for there all the time: what
	// they may by being there is said of the person, and not of every channel.
	joining     map[int64]zulip.Role
	groups      map[int64]*Group
	groupRights map[int64]map[string]planned
	realmRights map[string]planned
	// realmSettingRights are what follows from settings of the organization that are no permissions.
	realmSettingRights []*Right
	vague              bool // whether anything names somebody
	before, after      *permission.Access

	channels map[int64]*room // those that are there, as the plan changes them
	created  []*room
}

// kinds are the resources that decide who may do what.
var kinds = []string{
	"zulip_channel", "zulip_channel_subscribers", "zulip_channel_subscription", "zulip_user_group", "zulip_user_group_membership",
	"zulip_user", "zulip_user_role", "zulip_bot", "zulip_organization",
}

// released are those of which it is worth saying that they are no longer managed; whatever they are, nothing happens to them.
var released = []string{"zulip_channel", "zulip_user_group"}

// choose takes the changes of a provider configuration, and counts those that decide nothing.
func (b *builder) choose(plan *Plan, provider string) {
	for _, change := range plan.changes {
		switch {
		case change.does("forget") && !slices.Contains(released, change.Type):
			b.review.Others++
		case change.provider == "" && slices.Contains(kinds, change.Type):
			b.unsure(fmt.Sprintf("%s is not in the configuration any more, and the plan does not tell of which provider configuration it was. It is not reviewed.", change.Address))
		case change.provider == provider && slices.Contains(kinds, change.Type):
			b.changes = append(b.changes, change)
		default:
			b.review.Others++
		}
	}
}

func (b *builder) unsure(sentence string) { b.review.Unknown = append(b.review.Unknown, sentence) }

// compare finds out who gains and who loses.
func (b *builder) compare() error {
	view, err := b.options.Store.Read(b.ctx, store.Channels, store.Subscribers)
	if err != nil {
		return err
	}
	b.names, b.crowd = newNames(view), newCrowd(b.options.Store.Self().ID)
	b.change = permission.Change{
		Groups: map[int64]permission.Membership{}, Roles: map[int64]zulip.Role{}, Owners: map[int64]int64{}, Organization: map[string]zulip.GroupSettingValue{}, Now: b.options.Now,
	}
	b.joining, b.groups, b.groupRights = map[int64]zulip.Role{}, map[int64]*Group{}, map[int64]map[string]planned{}
	for _, change := range b.of("zulip_user", "zulip_bot", "zulip_user_role") {
		b.person(change)
	}
	b.collectGroups()
	for _, change := range b.of("zulip_organization") {
		b.organization(change)
	}
	b.admitLimits()
	b.workOut(view)
	if err := b.compareChannels(); err != nil {
		return err
	}
	b.compareGroups()
	b.compareSettings()
	b.compareOrganization()
	return nil
}

// admitLimits says what the account that reviews does not see. An administrator sees every channel.
func (b *builder) admitLimits() {
	everywhere := len(b.change.Groups) + len(b.change.Roles) + len(b.change.Owners) + len(b.change.Deactivated) + len(b.change.Organization) + len(b.joining) + len(b.realmSettingRights)
	if self := b.options.Store.Self(); everywhere > 0 && self.Role > zulip.RoleAdministrator {
		b.unsure(fmt.Sprintf("The account that reviews, %s, is not an administrator and does not see private channels that it is not in: what changes in those is not in this review.", self.Address()))
	}
}

// unseen says that the organization shows nothing of what a change is about.
func (b *builder) unseen(c *change) {
	b.unsure(fmt.Sprintf("What %s changes is not reviewed: the account that reviews does not see what it is about, or that is gone.", c.Address))
}

// of returns the changes of some kinds of resource.
func (b *builder) of(types ...string) []*change {
	var some []*change
	for _, change := range b.changes {
		if slices.Contains(types, change.Type) {
			some = append(some, change)
		}
	}
	return some
}

// workOut makes the organization before and after. Groups and people who are yet to come are in it before too: the groups
// without members, and named by nobody.
func (b *builder) workOut(view *snapshot.Snapshot) {
	facts := permission.Facts{Users: slices.Clone(view.Users()), Groups: view.UserGroups().List(), Realm: view.Realm()}
	facts.Users = slices.DeleteFunc(facts.Users, func(user *zulip.User) bool { return b.names.users[user.ID] != nil })
	facts.Users = slices.AppendSeq(facts.Users, maps.Values(b.names.users))
	facts.Groups = append(facts.Groups, &zulip.UserGroup{ID: somebody})
	for id, group := range b.names.groups {
		if id < 0 {
			facts.Groups = append(facts.Groups, &zulip.UserGroup{ID: id, Name: group.Name})
		}
	}
	if b.vague {
		b.change.Groups[somebody] = permission.Membership{Unknown: true}
	}
	b.crowd.arrange(facts.Users)
	b.before = permission.NewAccess(facts)
	if len(b.joining) > 0 {
		b.before = b.before.With(permission.Change{Roles: b.joining, Now: b.options.Now})
	}
	b.after = b.before.With(b.change)
}
