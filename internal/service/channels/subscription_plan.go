package channels

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// What a resource of one of the two kinds registers about a channel, so that both are not used on the same.
const (
	exclusiveKind = "zulip_channel_subscribers"
	additiveKind  = "zulip_channel_subscription"
)

// relation is what both resources share.
type relation struct{ base.Resource }

// shared are the attributes that both resources have.
type shared struct {
	Channel   types.String `tfsdk:"channel"`
	ChannelID types.Int64  `tfsdk:"channel_id"`
	Users     types.List   `tfsdk:"users"`
	Tell      types.Bool   `tfsdk:"send_new_subscription_messages"`
}

// subscriptionPlanning is what a plan is about.
type subscriptionPlanning struct {
	view    *snapshot.Snapshot
	channel *zulip.Channel
	// wanted are those whom `users` names.
	wanted people
	// before are those whom the state names for the same channel.
	before ids
	// held reports whether the state is about the same channel, same whether it names the same people.
	held, same bool
}

// locate finds the channel and the people of a plan, and puts into the plan what follows: the texts of the state where
// they name the same, and the channel's ID. It returns nil while the channel is not known, or cannot be found.
func (b *relation) locate(ctx context.Context, plan, state *shared, resp *resource.ModifyPlanResponse) *subscriptionPlanning {
	view, err := b.Meta.Store.ReadNaming(ctx, lookup.Names(plan.Users.Elements()), store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the organization", base.Explain(err))
		return nil
	}
	p := &subscriptionPlanning{view: view, wanted: peopleIn(plan.Users, view, &resp.Diagnostics)}
	replace := func() {
		if !state.ChannelID.IsNull() {
			resp.RequiresReplace.Append(path.Root("channel"))
		}
	}
	if plan.Channel.IsUnknown() || lookup.IsPlannedChannel(view, plan.Channel.ValueString()) {
		plan.ChannelID = types.Int64Unknown()
		replace() // it will be another
		return nil
	}
	if p.channel = findChannel(view, plan.Channel, &resp.Diagnostics); p.channel == nil {
		return nil
	}
	plan.ChannelID = types.Int64Value(p.channel.ID)
	if p.held = state.ChannelID.Equal(plan.ChannelID); !p.held {
		replace()
		return p
	}
	plan.Channel = state.Channel
	if lookup.UserList.MustWait(plan.Users, state.Users, view) {
		resp.Diagnostics.AddAttributeWarning(path.Root("users"), fmt.Sprintf("The subscribers of channel %q wait for the next apply", p.channel.Name),
			"Who they are to be is known only after this apply, so this plan cannot list who would be unsubscribed. Nothing of this resource changes now; plan again after the apply. "+
				"The members of a user group that this configuration manages are known at plan: zulip_user_group.NAME.members.")
		*plan = *state // all of it: the apply plans again, and may know the users then
	}
	before := peopleOfState(state.Users, view)
	plan.Users = lookup.UserList.KeepPrior(plan.Users, state.Users, view)
	if p.before, p.same = before.active, plan.Users.Equal(state.Users); p.same {
		p.wanted = before
	}
	return p
}

// locateInApply finds the channel of a plan and whom it names; nil after an error.
func (b *relation) locateInApply(ctx context.Context, plan *shared, diags *diag.Diagnostics) (*zulip.Channel, people) {
	view, err := b.Meta.Store.ReadNaming(ctx, lookup.Names(plan.Users.Elements()), store.Channels)
	if err != nil {
		diags.AddError("Cannot read the organization", base.Explain(err))
		return nil, people{}
	}
	channel, wanted := findChannel(view, plan.Channel, diags), peopleIn(plan.Users, view, diags)
	if !wanted.known {
		diags.AddAttributeError(path.Root("users"), "Somebody is still not in the organization",
			fmt.Sprintf("The plan was to create or to reactivate %s before. Refer to the resource that does, so that Terraform knows the order.", cmp.Or(strings.Join(wanted.planned, ", "), "an account")))
	}
	if diags.HasError() {
		return nil, people{}
	}
	return channel, wanted
}

// findChannel finds the channel a resource is about, and reports why there is none.
func findChannel(view *snapshot.Snapshot, text types.String, diags *diag.Diagnostics) *zulip.Channel {
	channel, err := lookup.Channel(view, text.ValueString())
	switch {
	case err != nil:
		diags.AddAttributeError(path.Root("channel"), "No such channel",
			base.Sentence(err)+"\n\nIf this configuration creates the channel, write zulip_channel.NAME.id: its ID is not known before, so that the channel comes first.")
		return nil
	case channel.IsArchived:
		diags.AddAttributeError(path.Root("channel"), "The channel is archived",
			fmt.Sprintf("Nobody enters %q. A zulip_channel with its name and adopt_archived = true unarchives it; refer to it here, so that it comes first.", channel.Name))
		return nil
	}
	return channel
}

// subscribers returns who is in a channel, as read once in this run. It is an error that the account cannot see them.
func (b *relation) subscribers(ctx context.Context, channel *zulip.Channel, diags *diag.Diagnostics) (in ids, ok bool) {
	list, err := b.Meta.Store.Subscribers(ctx, channel.ID)
	switch {
	case err != nil:
		diags.AddError(fmt.Sprintf("Cannot read the subscribers of channel %q", channel.Name), base.Explain(err))
	case list == nil:
		diags.AddAttributeError(path.Root("channel"), fmt.Sprintf("Cannot read the subscribers of channel %q", channel.Name), cannotSee)
	}
	return setOf(list), err == nil && list != nil
}

// lookUp reads a channel and who is in it, once in this run. gone reports that it is archived or gone; without that and without
// a reading there is an error, or one was reported before: see [base.Meta.MayRemove].
func (b *relation) lookUp(ctx context.Context, id int64, diags *diag.Diagnostics) (now *channelReading, gone bool) {
	// First, for the channels may come with them.
	in, err := b.Meta.Store.Subscribers(ctx, id)
	if err != nil {
		diags.AddError("Cannot read the subscribers", base.Explain(err))
		return nil, false
	}
	names := make([]string, len(in))
	for i, id := range in {
		names[i] = strconv.FormatInt(id, 10)
	}
	view, err := b.Meta.Store.ReadNaming(ctx, names, store.Channels)
	if err != nil {
		diags.AddError("Cannot read the organization", base.Explain(err))
		return nil, false
	}
	channel, ok := view.Channels().ByID(id)
	switch {
	case !ok && !b.Meta.MayRemove(b.Meta.SeesAll(), fmt.Sprintf("channel %d", id), diags):
		return nil, false
	case !ok, channel.IsArchived: // from feature level 480 on servers tell who is in an archived one all the same
		return nil, true
	case in == nil:
		diags.AddError(fmt.Sprintf("Cannot read the subscribers of channel %q", channel.Name), cannotSee)
		return nil, false
	}
	return &channelReading{view, channel, setOf(in)}, false
}

const cannotSee = "The server does not tell the account the provider uses who is subscribed to it."

const bothKinds = "zulip_channel_subscribers says who is in the channel, and nobody else; zulip_channel_subscription adds people to whoever is in. Of one channel, the first would take out whom the second adds. Keep one of the two kinds."

// register tells the run whom a resource lists for a channel, and whom it takes out, and refuses the plan if another
// resource takes out whom this one lists, or the other way round: which of them the CLI applies first is not known.
func (b *relation) register(channel *zulip.Channel, view *snapshot.Snapshot, listed, leaving ids, diags *diag.Diagnostics) {
	run, kind, both := &b.Meta.Run, runstate.SubscribersOf(channel.ID), ids{}
	for id := range listed {
		run.Manage(kind, id)
		both[id] = run.WillBeDestroyed(kind, id)
	}
	for id := range leaving {
		run.WillDestroy(kind, id)
		both[id] = run.IsManaged(kind, id)
	}
	if both = both.filter(func(id int64) bool { return both[id] }); len(both) == 0 {
		return
	}
	diags.AddAttributeError(path.Root("users"), fmt.Sprintf("One resource unsubscribes from channel %q whom another lists", channel.Name),
		fmt.Sprintf("A zulip_channel_subscription that is destroyed, or lists them no more, unsubscribes %s, whom another resource lists for the same channel. In one apply they would be out and in again, or only out.\n\n", lookup.UserList.Describe(both.sorted(), view))+
			"To hand them over, let go of the first resource without destroying it, and import it again if it goes on: an imported one unsubscribes nobody.\n\n"+
			"  removed {\n    from = zulip_channel_subscription.NAME\n    lifecycle {\n      destroy = false\n    }\n  }\n\nIf it was only renamed in the configuration, add a moved block instead.")
}

// isListed reports whether a resource of this run lists somebody for a channel.
func (b *relation) isListed(channel, user int64) bool {
	return b.Meta.Run.IsManaged(runstate.SubscribersOf(channel), user)
}

// ids is a set of user IDs.
type ids map[int64]bool

func setOf(list []int64) ids {
	set := make(ids, len(list))
	for _, id := range list {
		set[id] = true
	}
	return set
}

// sorted lists a set, ascending.
func (set ids) sorted() []int64 { return slices.Sorted(maps.Keys(set)) }

// minus lists what is not in another set, ascending.
func (set ids) minus(other ids) []int64 {
	return set.filter(func(id int64) bool { return !other[id] }).sorted()
}

// and lists what is in another set too, ascending.
func (set ids) and(other ids) []int64 {
	return set.filter(func(id int64) bool { return other[id] }).sorted()
}

func (set ids) filter(keep func(int64) bool) ids {
	kept := ids{}
	for id := range set {
		if keep(id) {
			kept[id] = true
		}
	}
	return kept
}

// people are whom a list of users names.
type people struct {
	// active are those the server lists as subscribers; deactivated ones it neither lists nor accepts.
	active, deactivated ids
	// known is false while the list holds what is not known yet, or somebody whom this run has yet to create.
	known bool
	// planned are the texts for those whom this run has yet to create.
	planned []string
	// absent are the errors of addresses that nobody has yet.
	absent []error
	// mayHaveMoved says that one of these may be the old address of somebody.
	mayHaveMoved bool
}

// peopleIn finds whom a list names. Who does not exist is reported at `users`.
func peopleIn(list types.List, view *snapshot.Snapshot, diags *diag.Diagnostics) people {
	resolved, known := lookup.UserList.Resolve(list, view)
	for _, err := range resolved.Problems {
		lookup.AddError(diags, path.Root("users"), err, "")
	}
	return people{setOf(resolved.IDs), setOf(resolved.Deactivated), known && len(resolved.Planned) == 0, resolved.Planned, resolved.Absent, resolved.MayHaveMoved}
}

// peopleOfState is peopleIn for the list of a state: who is not in the organization any more is passed over.
func peopleOfState(list types.List, view *snapshot.Snapshot) people {
	var gone diag.Diagnostics
	return peopleIn(list, view, &gone)
}

// reportAbsent reports the addresses that nobody has yet; leaving are those who would leave by the same plan.
func (p people) reportAbsent(ctx context.Context, meta *base.Meta, leaving []int64, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	lookup.ReportAbsent(ctx, meta, view, p.absent, leaving, path.Root("users"), diags)
}

// warnOfDeactivated warns of users who are deactivated: nobody can subscribe them.
func (p people) warnOfDeactivated(view *snapshot.Snapshot, diags *diag.Diagnostics) {
	if len(p.deactivated) > 0 {
		diags.AddAttributeWarning(path.Root("users"), "Deactivated users and groups are ignored",
			fmt.Sprintf("The server neither subscribes nor unsubscribes deactivated users: %s. They are ignored until they are reactivated.", lookup.UserList.Describe(p.deactivated.sorted(), view)))
	}
}

// names reports whether somebody is among them, deactivated or not.
func (p people) names(id int64) bool { return p.active[id] || p.deactivated[id] }

// isActive reports whether the server lists and accepts somebody.
func isActive(view *snapshot.Snapshot, id int64) bool {
	user, ok := view.User(id)
	return ok && user.IsActive
}

// numbersOf writes IDs as a list, ascending.
func numbersOf(set ids) types.List {
	elements := make([]attr.Value, 0, len(set))
	for _, id := range set.sorted() {
		elements = append(elements, types.Int64Value(id))
	}
	return types.ListValueMust(types.Int64Type, elements)
}

// numbersIn reads a list of IDs.
func numbersIn(list types.List) ids {
	found := ids{}
	for _, element := range list.Elements() {
		if id, ok := element.(types.Int64); ok && !id.IsUnknown() {
			found[id.ValueInt64()] = true
		}
	}
	return found
}

// change is whom a plan puts into a channel and takes out of it. It is checked twice: in the plan, on what was read then,
// and in the apply, on what was read just before the request.
type change struct {
	meta    *base.Meta
	view    *snapshot.Snapshot
	channel *zulip.Channel
	// rights decide who can do what in the channel when the change is made: in a plan, as the run plans the channel.
	rights permission.Channel
	// in are those who are in the channel.
	in          ids
	add, remove []int64
	// listed are those whom the plan lists to be taken out. Nobody else is.
	listed ids
}

// users are those whom the change subscribes, or those whom it unsubscribes.
func (c *change) users(removes bool) []int64 {
	if removes {
		return c.remove
	}
	return c.add
}

// check refuses what the server would refuse, what would lock the account out, and to take out whom no plan has listed, and
// reports whether nothing was refused. It names the right that is missing (server-behavior §S3, §S5).
func (c *change) check(diags *diag.Diagnostics) bool {
	var found diag.Diagnostics
	c.refuse(&found)
	diags.Append(found...)
	return !found.HasError()
}

func (c *change) refuse(diags *diag.Diagnostics) {
	self := c.meta.Store.Self()
	if unlisted := setOf(c.remove).minus(c.listed); len(unlisted) > 0 {
		diags.AddAttributeError(path.Root("users"), fmt.Sprintf("%d would leave channel %q whom no plan lists", len(unlisted), c.channel.Name),
			fmt.Sprintf("They are in the channel, and not among the users: %s.\n\n%s", lookup.UserList.Describe(unlisted, c.view), c.howToList()))
		return
	}
	if len(c.add) > 0 && !c.meta.RequireMember("subscribe anybody", diags) {
		return
	}
	if len(c.add) > 0 && !c.reads(self) {
		diags.AddAttributeError(path.Root("channel"), fmt.Sprintf("%s has no access to the private channel %q", self.Address(), c.channel.Name),
			"Nobody can add people to a private channel without access to it, and administrators have none by their role. "+
				"Somebody in the channel has to subscribe the account the provider uses, or to name it in can_add_subscribers_group or can_subscribe_group.")
		return
	}
	others := func(id int64) bool { return id != self.ID }
	if slices.ContainsFunc(c.add, others) && !c.mayAdd(self) {
		c.meta.Refuse(path.Root("users"), fmt.Sprintf("add people to channel %q", c.channel.Name),
			fmt.Sprintf("Administrators and owners of the organization may, and whom one of these names: the organization's can_add_subscribers_group (%s), the channel's can_add_subscribers_group (%s) and can_administer_channel_group (%s).",
				permission.Describe(c.view.Realm().Permissions["can_add_subscribers_group"], c.view), c.describe("can_add_subscribers_group"), c.describe("can_administer_channel_group")), diags)
	}
	removesOthers := slices.ContainsFunc(c.remove, func(id int64) bool { return others(id) && !c.ownsBot(self, id) })
	if removesOthers && !c.mayRemove(self) {
		c.meta.Refuse(path.Root("users"), fmt.Sprintf("take people out of channel %q", c.channel.Name),
			fmt.Sprintf("It would take out %s. Administrators and owners of the organization may do that, and whom one of these names: the channel's can_remove_subscribers_group (%s) and can_administer_channel_group (%s).",
				lookup.UserList.Describe(c.remove, c.view), c.describe("can_remove_subscribers_group"), c.describe("can_administer_channel_group")), diags)
	}
	if c.meta.LockoutProtection && slices.Contains(c.remove, self.ID) && c.isPrivate() && !c.opens(self) {
		diags.AddAttributeError(path.Root("users"), "This would lock the provider out",
			fmt.Sprintf("It takes %s out of the private channel %q. The account could never add anybody to it again nor change its privacy, whatever its role. Nothing was changed.\n\n"+
				"Name the account among the users, or in can_add_subscribers_group or can_subscribe_group of the channel. Refer to that channel here, so that it is changed first:\n\n  channel = zulip_channel.NAME.id", self.Address(), c.channel.Name)+
				base.LockoutAdvice)
	}
}

// howToList says how the next plan lists who is taken out.
func (c *change) howToList() string {
	return fmt.Sprintf("A new zulip_channel_subscribers takes nobody out of a channel that is there. Name them among the users, or import the channel, so that the plan lists everybody who leaves:\n\n"+
		"  import {\n    to = zulip_channel_subscribers.NAME\n    id = \"%d\"\n  }", c.channel.ID)
}

// isPrivate reports whether the channel is private, as far as is known.
func (c *change) isPrivate() bool { return !c.rights.PrivacyUnknown && c.rights.Privacy.IsPrivate() }

// reads reports whether an account has access to what is in the channel.
func (c *change) reads(self *zulip.User) bool {
	return !c.isPrivate() || c.in[self.ID] || c.opens(self)
}

// opens reports whether the channel lets an account in that is not in it.
func (c *change) opens(self *zulip.User) bool {
	return c.admits("can_add_subscribers_group", self, false) || c.admits("can_subscribe_group", self, false)
}

func (c *change) mayAdd(self *zulip.User) bool {
	organization, ok := c.view.Realm().Permissions["can_add_subscribers_group"]
	return self.Role <= zulip.RoleAdministrator || !ok || permission.Admits(organization, self, c.view) ||
		c.admits("can_add_subscribers_group", self, false) || c.admits("can_administer_channel_group", self, false)
}

func (c *change) mayRemove(self *zulip.User) bool {
	if self.Role == zulip.RoleGuest {
		return false
	}
	return self.Role <= zulip.RoleAdministrator || c.admits("can_remove_subscribers_group", self, true) ||
		c.admits("can_administer_channel_group", self, false)
}

// ownsBot reports whether somebody is a bot of the account: it may take those out of any channel.
func (c *change) ownsBot(self *zulip.User, id int64) bool {
	user, ok := c.view.User(id)
	return ok && user.IsBot && user.BotOwnerID != nil && *user.BotOwnerID == self.ID
}

// admits reports whether a permission of the channel admits an account; unknown is the answer of a server that does not
// have the permission.
func (c *change) admits(setting string, self *zulip.User, unknown bool) bool {
	value, ok := c.rights.Permissions[setting]
	if !ok {
		return unknown
	}
	return c.rights.Unknown[setting] || permission.Admits(value, self, c.view)
}

func (c *change) describe(setting string) string {
	return permission.Describe(c.rights.Permissions[setting], c.view)
}
