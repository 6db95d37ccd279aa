package channels

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/effects"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accesswarning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/people"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// A resource of one of the two kinds registers this key for a channel, so that both are not used for the same channel.
const (
	exclusiveKind = "zulip_channel_subscribers"
	additiveKind  = "zulip_channel_subscription"
)

// shared is the model of zulip_channel_subscribers, and part of that of zulip_channel_subscription.
type shared struct {
	Channel   types.String `tfsdk:"channel"`
	ChannelID types.Int64  `tfsdk:"channel_id"`
	Users     types.List   `tfsdk:"users"`
	UserIDs   types.List   `tfsdk:"user_ids"`
	Tell      types.Bool   `tfsdk:"send_new_subscription_messages"`
}

// users returns the users; none without a model.
func (m *shared) users() people.Value {
	if m == nil {
		return people.Value{}
	}
	return people.Value{Texts: &m.Users, IDs: &m.UserIDs}
}

// subscribed are the users of both resources.
var subscribed = people.Users("The server neither subscribes nor unsubscribes deactivated users")

// relation has the functions that both resources share.
type relation struct{ *base.Base }

// subscriptionPlan is the input of a plan.
type subscriptionPlan struct {
	people.Members

	view *snapshot.Snapshot
	// channel is nil while it is not known.
	channel *zulip.Channel
	// isHeld is true if the state is about the same channel.
	isHeld bool
}

// locate finds the channel and the people of a plan. It plans the channel's ID, and the state's texts where they name
// the same. state is nil without a state.
func (b relation) locate(ctx context.Context, plan, state *shared, replace func(attribute string), diags *diag.Diagnostics) (*subscriptionPlan, error) {
	view, err := b.Meta.Store.ReadNaming(ctx, lookup.Names(plan.Users.Elements()), store.Channels)
	if err != nil {
		return nil, base.Failed("Cannot read the organization", err)
	}
	p := &subscriptionPlan{view: view}
	isOpen := plan.Channel.IsUnknown() || lookup.IsPlannedChannel(view, plan.Channel.ValueString())
	if plan.ChannelID = types.Int64Unknown(); !isOpen {
		if p.channel, err = findChannel(view, plan.Channel); err != nil {
			subscribed.Plan(plan.users(), people.Value{}, view, diags)
			return nil, err
		}
		plan.ChannelID = types.Int64Value(p.channel.ID)
		lookup.NameChannelInPlan(view, plan.Channel.ValueString(), path.Root("channel"), diags)
	}
	if p.isHeld = state != nil && state.ChannelID.Equal(plan.ChannelID); !p.isHeld {
		if state != nil {
			replace("channel") // it will be another channel
		}
		state = nil
	}
	if state != nil {
		plan.Channel = state.Channel
		if subscribed.Waits(plan.users(), state.users(), fmt.Sprintf("The subscribers of channel %q wait", p.channel.Name), view, diags) {
			*plan = *state
		}
	}
	p.Members = subscribed.Plan(plan.users(), state.users(), view, diags)
	isChange := !p.IsSame || !plan.Tell.Equal(state.Tell)
	subscribed.PlanIDs(plan.users(), state.users(), isChange, view)
	return p, nil
}

// find finds, during apply, the channel and the users of a plan. A channel that the plan found is found by its ID, because
// the same apply can rename it.
func (b relation) find(ctx context.Context, plan *shared, diags *diag.Diagnostics) (channel *zulip.Channel, wanted lookup.ResolvedList, err error) {
	view, err := b.Meta.Store.ReadNaming(ctx, lookup.Names(plan.Users.Elements()), store.Channels)
	if err != nil {
		return nil, wanted, base.Failed("Cannot read the organization", err)
	}
	wanted = subscribed.Find(plan.users(), view, diags)
	text := plan.Channel
	if base.IsSet(plan.ChannelID) {
		text = types.StringValue(strconv.FormatInt(plan.ChannelID.ValueInt64(), 10))
	}
	if channel, err = findChannel(view, text); diags.HasError() {
		channel = nil
	}
	return channel, wanted, err
}

// findChannel finds the channel of a resource.
func findChannel(view *snapshot.Snapshot, text types.String) (*zulip.Channel, error) {
	channel, err := lookup.Channel(view, text.ValueString())
	switch {
	case err != nil:
		return nil, lookup.NoSuchChannel(path.Root("channel"), err)
	case channel.IsArchived:
		return nil, base.Refused(path.Root("channel"), "The channel is archived",
			fmt.Sprintf("No one can subscribe to %q. A zulip_channel with its name and adopt_archived = true unarchives it. Reference that resource here, so that Terraform unarchives it first.", channel.Name))
	}
	return channel, nil
}

// subscribers returns the subscribers of a channel, as read once in this run. It returns an error if the account
// cannot see them.
func (b relation) subscribers(ctx context.Context, channel *zulip.Channel) (in []int64, err error) {
	in, err = b.Meta.Store.Subscribers(ctx, channel.ID)
	switch {
	case err != nil:
		return nil, base.Failed(fmt.Sprintf("Cannot read the subscribers of channel %q", channel.Name), err)
	case in == nil:
		return nil, base.Refused(path.Root("channel"), fmt.Sprintf("Cannot read the subscribers of channel %q", channel.Name), cannotSee)
	}
	return in, nil
}

// refresh reads a channel and its subscribers, once in this run, and writes the channel into the state. If the
// channel is archived or deleted, it removes the resource from the state. In that case, and after an error (see
// [base.Meta.MayRemove]), it returns nil.
func (b relation) refresh(ctx context.Context, state *shared, remove func(), diags *diag.Diagnostics) (*channelReading, error) {
	id := state.ChannelID.ValueInt64()
	// The subscribers come first, because the channels may be read with them.
	in, err := b.Meta.Store.Subscribers(ctx, id)
	if err != nil {
		return nil, base.Failed("Cannot read the subscribers", err)
	}
	names := make([]string, len(in))
	for i, id := range in {
		names[i] = strconv.FormatInt(id, 10)
	}
	view, err := b.Meta.Store.ReadNaming(ctx, names, store.Channels)
	if err != nil {
		return nil, base.Failed("Cannot read the organization", err)
	}
	channel, ok := view.Channels().ByID(id)
	switch {
	case !ok && !b.Meta.MayRemove(b.Meta.SeesAll(), fmt.Sprintf("channel %d", id), base.SeenByAdministrators, diags):
		return nil, nil
	case !ok, channel.IsArchived: // from feature level 480 on, servers list the subscribers of archived channels
		tflog.Info(ctx, "The channel is archived or gone: removing its subscribers from the state", map[string]any{"channel": id})
		remove()
		return nil, nil
	case in == nil:
		return nil, base.Refused(path.Empty(), fmt.Sprintf("Cannot read the subscribers of channel %q", channel.Name), cannotSee)
	}
	state.Channel = types.StringValue(lookup.KeepChannel(state.Channel.ValueString(), id, view))
	return &channelReading{view, channel, in}, nil
}

const cannotSee = "The server does not show the subscribers to the provider's account."

const bothKinds = "zulip_channel_subscribers manages all subscribers of a channel, and zulip_channel_subscription adds some. For the same channel, the first would unsubscribe the users that the second adds. Keep only one of the two resource types."

// register registers the users that a resource lists for a channel, and those that it unsubscribes. If another resource
// does the opposite, it refuses the plan, because Terraform's order of the two is not known.
func (b relation) register(channel *zulip.Channel, view *snapshot.Snapshot, listed, leaving []int64, diags *diag.Diagnostics) {
	both := people.Contested(&b.Meta.Run, runstate.SubscribersOf(channel.ID), listed, leaving)
	if len(both) == 0 {
		return
	}
	diags.AddAttributeError(path.Root("users"), fmt.Sprintf("Conflicting subscriptions to channel %q", channel.Name),
		fmt.Sprintf("A zulip_channel_subscription that is destroyed, or no longer lists them, would unsubscribe %s, but another resource lists them for the same channel. After the apply they might not be subscribed.\n\n", lookup.UserList.Describe(both, view))+
			"To move them to the other resource, remove the first resource from the state without destroying it. If you still need it, import it again: an imported subscription unsubscribes no one.\n\n"+
			"  removed {\n    from = zulip_channel_subscription.NAME\n    lifecycle {\n      destroy = false\n    }\n  }\n\nIf you only renamed the resource, add a moved block instead.")
}

// isListed reports whether a resource of this run lists a user for a channel.
func (b relation) isListed(channel, user int64) bool {
	return b.Meta.Run.Knows(runstate.Managed, runstate.ID(runstate.SubscribersOf(channel), user))
}

// isActive reports whether the server lists and accepts a user.
func isActive(view *snapshot.Snapshot, id int64) bool {
	user, ok := view.User(id)
	return ok && user.IsActive
}

// active returns the users that the server lists and accepts.
func active(view *snapshot.Snapshot, ids []int64) []int64 {
	return slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return !isActive(view, id) })
}

// subscriberChange has the users that a plan subscribes and unsubscribes. It is checked in the plan, and again in the apply, on
// a reading just before the request.
type subscriberChange struct {
	meta    *base.Meta
	view    *snapshot.Snapshot
	channel *zulip.Channel
	// permissions decide who can do what in the channel when the change is made: in a plan, as the run plans the channel.
	facts permission.Channel
	// in are the channel's subscribers.
	in          []int64
	add, remove []int64
	// listed are the users that the plan lists to be unsubscribed. The apply unsubscribes no others.
	listed []int64
}

// users returns the users that the change subscribes, or those that it unsubscribes.
func (c *subscriberChange) users(removes bool) []int64 {
	if removes {
		return c.remove
	}
	return c.add
}

// plan checks the change in a plan, and warns about people who gain or lose access because of it.
func (c *subscriberChange) plan(ctx context.Context, diags *diag.Diagnostics) {
	if isSafe := base.CheckInPlan(diags, c.refuse); !isSafe || len(c.add)+len(c.remove) == 0 {
		return
	}
	if self := c.meta.Store.Self(); c.meta.LockoutProtection && slices.Contains(c.remove, self.ID) {
		base.WarnSelf(self, path.Root("users"), fmt.Sprintf("is unsubscribed from channel %q", c.channel.Name), diags)
	}
	before, access := c.facts, c.view.Access()
	before.Subscribers, before.SubscribersKnown = c.in, true
	after := before
	after.Subscribers = append(sets.Without(c.in, c.remove), c.add...)
	accesswarning.OfSubscribers(ctx, c.meta, diags, c.channel.ID, permission.ChannelChange{
		Name: c.channel.Name, Before: permission.ChannelState{Access: access, Channel: before}, After: permission.ChannelState{Access: access, Channel: after},
	})
}

// check refuses a change that the server would refuse, that would lock the account out, or that unsubscribes users
// whom no plan has listed. It reports whether nothing was refused, and names the missing permission (server-behavior §S3,
// §S5).
func (c *subscriberChange) check(diags *diag.Diagnostics) bool {
	var found diag.Diagnostics
	c.refuse(&found)
	diags.Append(found...)
	return !found.HasError()
}

func (c *subscriberChange) refuse(diags *diag.Diagnostics) {
	self := c.meta.Store.Self()
	created, _ := c.meta.Run.Effects.Last(effects.Subscribed, c.channel.ID)
	if unlisted := sets.Without(sets.Without(c.remove, c.listed), created.People); len(unlisted) > 0 {
		diags.AddAttributeError(path.Root("users"), fmt.Sprintf("Unplanned unsubscriptions from channel %q: %d", c.channel.Name, len(unlisted)),
			fmt.Sprintf("These people are subscribed but not listed in users: %s.\n\n%s", lookup.UserList.Describe(unlisted, c.view), c.howToList()))
		return
	}
	if len(c.add) > 0 && !c.meta.RequireMember("subscribe users", diags) {
		return
	}
	if len(c.add) > 0 && !c.may(permission.CanUse, c.in) {
		c.meta.Lack(path.Root("channel"), fmt.Sprintf("add people to the private channel %q", c.channel.Name),
			"Adding people to a private channel requires access to it, and administrators have no access by their role. "+
				"A subscriber must subscribe the provider's account, or name it in can_add_subscribers_group or can_subscribe_group.", diags)
		return
	}
	others := func(id int64) bool { return id != self.ID }
	if slices.ContainsFunc(c.add, others) && !c.may(permission.CanAddSubscribers, c.in) {
		c.meta.Lack(path.Root("users"), fmt.Sprintf("add people to channel %q", c.channel.Name),
			fmt.Sprintf("This requires an administrator or owner of the organization, or a user whom one of these permissions names: the organization's can_add_subscribers_group (%s), the channel's can_add_subscribers_group (%s) and can_administer_channel_group (%s).",
				permission.Describe(c.view.Realm().Permissions["can_add_subscribers_group"], c.view), c.describe("can_add_subscribers_group"), c.describe("can_administer_channel_group")), diags)
	}
	removesOthers := slices.ContainsFunc(c.remove, func(id int64) bool { return others(id) && !c.ownsBot(self, id) })
	if removesOthers && c.meta.RequireMember("unsubscribe users", diags) && !c.may(permission.CanRemoveSubscribers, c.in) {
		c.meta.Lack(path.Root("users"), fmt.Sprintf("unsubscribe people from channel %q", c.channel.Name),
			fmt.Sprintf("It would unsubscribe %s. This requires an administrator or owner of the organization, or a user whom one of these permissions names: the channel's can_remove_subscribers_group (%s) and can_administer_channel_group (%s).",
				lookup.UserList.Describe(c.remove, c.view), c.describe("can_remove_subscribers_group"), c.describe("can_administer_channel_group")), diags)
	}
	if c.meta.LockoutProtection && slices.Contains(c.remove, self.ID) && !c.may(permission.CanUse, sets.Without(c.in, c.remove)) {
		diags.AddAttributeError(path.Root("users"), base.LockoutSummary(fmt.Sprintf("channel %q", c.channel.Name)),
			fmt.Sprintf("It unsubscribes %s from the private channel %q. The account could never again add anyone to the channel or change its privacy, whatever its role. Nothing was changed.\n\n"+
				"List the account in users, or in can_add_subscribers_group or can_subscribe_group of the channel. Reference that channel here, so that Terraform changes it first:\n\n  channel = zulip_channel.NAME.id", self.Address(), c.channel.Name)+
				base.LockoutAdvice)
	}
}

// howToList describes how the next plan lists the users that are unsubscribed.
func (c *subscriberChange) howToList() string {
	return fmt.Sprintf("A new zulip_channel_subscribers unsubscribes no one from an existing channel. List them in users, or import the resource, so that the plan shows everyone it unsubscribes:\n\n"+
		"  import {\n    to = zulip_channel_subscribers.NAME\n    id = \"%d\"\n  }", c.channel.ID)
}

// may reports whether the account has, or may have, an ability in the channel with these subscribers.
func (c *subscriberChange) may(ability permission.ChannelPermission, in []int64) bool {
	channel := c.facts
	channel.Subscribers, channel.SubscribersKnown = in, true
	return c.view.Access().May(c.meta.Store.Self().ID, ability, channel)
}

// ownsBot reports whether a user is a bot of the account, which may unsubscribe its bots from any channel.
func (c *subscriberChange) ownsBot(self *zulip.User, id int64) bool {
	user, ok := c.view.User(id)
	return ok && user.IsBot && user.BotOwnerID != nil && *user.BotOwnerID == self.ID
}

func (c *subscriberChange) describe(setting string) string {
	return permission.Describe(c.facts.Permissions[setting], c.view)
}
