package channels

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accesswarning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accounts"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// channelPlanning is the plan of one channel while it is checked.
type channelPlanning struct{ *channelPlan }

// deriveChannel sets the attributes that follow from planned ones.
func deriveChannel(p *channelPlan) {
	if p.State == nil {
		return
	}
	if base.IsSet(p.Plan.Name) {
		p.Plan.URL = types.StringValue(zulip.ChannelURL(p.Env.Site, p.State.ID.ValueInt64(), p.Plan.Name.ValueString()))
	} else {
		p.Plan.URL = types.StringUnknown()
	}
	deriveFolder(p)
	// A private channel cannot be a default one: the server removes a channel that becomes private from the list.
	if zulip.Privacy(p.Plan.Privacy.ValueString()).IsPrivate() && p.Config.IsDefault.IsNull() && !p.State.IsDefault.IsNull() {
		p.Plan.IsDefault = types.BoolValue(false)
	}
}

// checkChannelPlan refuses changes that the server would refuse, with the reason and the fix, and warns about people who gain or
// lose access.
func checkChannelPlan(ctx context.Context, plan *channelPlan) {
	deriveChannel(plan)
	plan.Compare()
	p := channelPlanning{plan}
	if p.State == nil && p.Adopted == nil && len(p.Meta.Run.All(runstate.Destroyed, channelKind)) > 0 && p.Meta.Run.Knows(runstate.Created, runstate.Name(channelKind, p.Plan.Name.ValueString())) {
		warnOfLeftMessages(fmt.Sprintf("Channel %q will be created, and this plan archives another one", p.Plan.Name.ValueString()), p.Diags)
	}
	p.checkFolder()
	p.Permissions().Check(p.Diags)
	p.checkProtectedHistory()
	p.checkDefault()
	p.checkSubscribers()
	change := p.change()
	if change.exists() {
		p.Meta.Run.PlanPermissions(change.id, change.After.Channel)
	}
	change.isPlanned = true
	base.CheckInPlan(p.Diags, func(found *diag.Diagnostics) { change.check(ctx, found) })
	if !p.Diags.HasError() {
		p.checkNew()
		p.warnOfUnknown(ctx, change)
	}
	if !p.Diags.HasError() && p.State != nil && p.isAccessChanging() {
		accesswarning.OfChannel(ctx, p.Meta, p.Diags, change.id, change.ChannelChange)
	}
}

// checkChannelDestroyed refuses an archiving that the server would refuse, and warns of the messages that it leaves behind.
func checkChannelDestroyed(ctx context.Context, p *core.Plan[channelModel]) {
	if !p.IsDestroy() || p.State.OnDestroy.ValueString() == channelOnDestroyKeep {
		return
	}
	if !p.Meta.SeesAll() { // an administrator may archive every channel
		checkChannelArchive(ctx, p)
	}
	if len(p.Meta.Run.All(runstate.Created, channelKind)) > 0 {
		warnOfLeftMessages(fmt.Sprintf("Channel %q will be archived, and this plan creates another one", p.State.Name.ValueString()), p.Diags)
	}
}

// checkChannelArchive refuses to archive a channel that the account does not administer.
func checkChannelArchive(ctx context.Context, p *core.Plan[channelModel]) {
	view, err := p.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		p.Diags.AddError("Cannot read the organization", base.Explain(err))
		return
	}
	if channel, ok := view.Channels().ByID(p.State.ID.ValueInt64()); ok && !channel.IsArchived {
		base.CheckInPlan(p.Diags, func(found *diag.Diagnostics) { requireAdministrator(p.Base, view, "archive", channel.ID, found) })
	}
}

// requireAdministrator refuses to archive, unarchive or change a channel that the account does not administer.
func requireAdministrator(b *base.Base, view *snapshot.Snapshot, verb string, id int64, diags *diag.Diagnostics) {
	if channel, ok := view.Channels().ByID(id); ok {
		change := channelChangeOf(b, view, channel, zulip.ChannelUpdate{}, nil)
		change.id = id
		change.requireAdministrator(verb, diags)
	}
}

// warnOfLeftMessages warns about a plan that archives one channel and creates another. The resource planned last has
// the warning. Another key of for_each has this effect, although a rename may be intended.
func warnOfLeftMessages(does string, diags *diag.Diagnostics) {
	// Only the detail has the name, so that the CLI can make one warning of many.
	diags.AddWarning("A channel is archived while another one is created",
		does+". The messages stay in the archived channel. The new channel starts without them.\n\n"+
			"To rename a channel whose for_each key or resource address changes with its name, add a moved block, and nothing is archived:\n\n"+
			"  moved {\n    from = OLD_ADDRESS\n    to   = NEW_ADDRESS\n  }")
}

// checkDefault refuses a private default channel, also if the configuration has only one of the two, and warns about new people
// in a default channel that has a list.
func (p channelPlanning) checkDefault() {
	if p.State != nil && p.Plan.IsDefault.ValueBool() && accounts.JoinDefault(p.Meta, p.State.ID.ValueInt64(), p.State.Name.ValueString()) {
		summary, detail := accounts.NewInDefaultChannel(p.State.Name.ValueString())
		p.Diags.AddAttributeWarning(path.Root("is_default"), summary, detail)
	}
	switch {
	case !p.privacy().IsPrivate():
	case p.Config.Privacy.IsNull() && p.Config.IsDefault.ValueBool():
		refusePrivateDefault(p.Diags)
	case p.State != nil && p.Plan.IsDefault.IsNull() && p.Prior.Values.IsDefault.ValueBool():
		p.Diags.AddAttributeError(path.Root("privacy"), privateDefault,
			"The channel is a default channel, to which the server subscribes new users. Set is_default = false, so that this plan also ends that.")
	}
}

// checkProtectedHistory refuses a restriction on new topics where newcomers do not see the history: they could not
// know which topics exist (server-behavior §C13).
func (p channelPlanning) checkProtectedHistory() {
	const setting = "can_create_topic_group"
	if p.privacy() != zulip.PrivacyPrivateProtectedHistory || p.isForEveryone(setting) {
		return
	}
	p.Diags.AddAttributeError(path.Root(setting), "can_create_topic_group requires shared history",
		"In a channel with privacy = \"private_protected_history\" everyone can start topics. Set can_create_topic_group = [\"role:everyone\"], or privacy = \"private_shared_history\".")
}

// privacy is the privacy that the channel will have; "" if that is not known.
func (p channelPlanning) privacy() zulip.Privacy {
	if p.Plan.Privacy.IsNull() {
		return zulip.Privacy(p.Prior.Values.Privacy.ValueString())
	}
	return zulip.Privacy(p.Plan.Privacy.ValueString())
}

// isForEveryone reports whether everyone is known to have a permission after the plan.
func (p channelPlanning) isForEveryone(setting string) bool {
	planned := *channelTable.Sets(&p.Plan.channelFields)(setting)
	if planned.IsNull() {
		everyone, ok := p.Env.View.UserGroupByName("role:everyone")
		value, isRead := p.Prior.Permissions[setting]
		return !ok || !isRead || permission.Equal(value, zulip.NamedGroup(everyone.ID), permission.NobodyID(p.Env.View))
	}
	principals, known := attribute.PrincipalsOf(planned)
	return !known || len(principals) == 1 && principals[0] == permission.Principal{Kind: permission.KindRole, Name: "everyone"}
}

// warnOfUnknown warns about permissions of an existing channel that may keep the account out, because the plan does not know yet
// whom they name.
func (p channelPlanning) warnOfUnknown(ctx context.Context, change *channelChange) {
	if !p.Meta.LockoutProtection || !change.exists() || len(change.After.Channel.Unknown) == 0 {
		return
	}
	least := *change
	least.After.Channel.Permissions, least.After.Channel.Unknown = maps.Clone(change.After.Channel.Permissions), nil
	for _, setting := range slices.Sorted(maps.Keys(change.After.Channel.Unknown)) {
		least.steps = append(slices.Clone(least.steps), channelStep{Attribute: setting, Permission: true})
		least.After.Channel.Permissions[setting] = attribute.KnownPart(*channelTable.Sets(&p.Plan.channelFields)(setting), p.Env.View)
	}
	if least.isClosed(least.After.Channel) {
		accesswarning.ReadSubscribers(ctx, p.Meta, least.id, &least.ChannelChange)
	}
	base.WarnOfUnknown(base.NamesAccount, p.Diags, func(found *diag.Diagnostics) {
		if !least.refuseOwnAdministration(found) {
			least.refuseOwnReading(found)
		}
	})
}

// checkNew registers a new channel in which the account is not known to be able to post, and a private one that it is not known
// to be able to use without a subscription. It warns of the latter if the account is not subscribed.
func (p channelPlanning) checkNew() {
	if p.State != nil || p.Adopted != nil || !base.IsSet(p.Plan.Name) {
		return
	}
	self, channel := p.Meta.Store.Self(), runstate.Object{Kind: channelKind, Name: p.Plan.Name.ValueString()}
	posts := p.isKnownToAdmit(string(permission.CanSendMessage), self)
	if !posts && self.BotOwnerID != nil { // a bot posts where its owner can
		owner, ok := p.Env.View.User(*self.BotOwnerID)
		posts = ok && p.isKnownToAdmit(string(permission.CanSendMessage), owner)
	}
	if !posts {
		p.Meta.Run.Note(runstate.Silent, channel)
	}
	if !p.Meta.LockoutProtection || !p.privacy().IsPrivate() || p.isKnownToAdmit(canAddSubscribers, self) || p.isKnownToAdmit(canSubscribe, self) {
		return
	}
	p.Meta.Run.Note(runstate.Sealed, channel)
	if in, known := p.subscribers(); known && !slices.Contains(in, self.ID) {
		warnOfSealed(&p.Base, "initial_subscribers", strconv.Quote(channel.Name), p.Diags)
	}
}

// isKnownToAdmit reports whether a planned permission of a new channel includes a user, whatever is not known of it. An unset
// permission has its default.
func (p channelPlanning) isKnownToAdmit(setting string, user *zulip.User) bool {
	planned := *channelTable.Sets(&p.Plan.channelFields)(setting)
	if planned.IsNull() {
		return setting == string(permission.CanSendMessage)
	}
	return permission.Admits(attribute.KnownPart(planned, p.Env.View), user, p.Env.View)
}

// warnOfSealed warns that a new private channel may be one of those that keep the account out: a list of subscribers does not
// name the account.
func warnOfSealed(b *base.Base, list, channels string, diags *diag.Diagnostics) {
	self := b.Meta.Store.Self().Address()
	diags.AddAttributeWarning(path.Root(list), "A new private channel may keep the provider's account out",
		fmt.Sprintf("The apply will fail if the channel is a new private one of this plan (%s), and neither its can_add_subscribers_group nor its can_subscribe_group includes %s. "+
			"%s does not list this account. It could never again add anyone to the channel or change its privacy, whatever its role.\n\n"+
			"List the account in %[3]s, or name it in one of these permissions:\n\n  %[4]s = [\"user:%[2]s\"]", channels, self, list, canAddSubscribers)+base.LockoutAdvice)
}

// checkSubscribers refuses initial subscribers that do not exist or are deactivated.
func (p channelPlanning) checkSubscribers() {
	if p.State != nil || !base.IsSet(p.Plan.InitialSubscribers) {
		return
	}
	for _, element := range p.Plan.InitialSubscribers.Elements() {
		text, ok := element.(types.String)
		if !ok || !base.IsSet(text) {
			continue
		}
		user, later, err := lookup.UserInConfig(p.Env.View, text.ValueString(), path.Root("initial_subscribers"), p.Diags)
		switch {
		case later:
		case err != nil:
			lookup.AddError(p.Diags, path.Root("initial_subscribers"), err, "")
		case !user.IsActive:
			p.Diags.AddAttributeError(path.Root("initial_subscribers"), "Cannot subscribe a deactivated user",
				fmt.Sprintf("%q is deactivated. Remove the email, or reactivate the user.", text.ValueString()))
		default:
			accounts.Need(p.Meta, fmt.Sprintf("a subscription to the new channel %q", p.Plan.Name.ValueString()), user, path.Root("initial_subscribers"), p.Diags)
		}
	}
}

// isAccessChanging reports whether a value that decides access to the channel changes, or is unknown.
func (p channelPlanning) isAccessChanging() bool {
	planned := p.planned()
	return planned.PrivacyUnknown || planned.TopicsPolicyUnknown || len(planned.Unknown) > 0 || slices.ContainsFunc(p.Changes, func(s channelStep) bool {
		return s.Permission || s.Attribute == "privacy" || s.Attribute == "topics_policy"
	})
}

// change is the planned change, in the organization as it is.
func (p channelPlanning) change() *channelChange {
	access, now := p.Env.View.Access(), p.Adopted
	c := &channelChange{Base: &p.Base, view: p.Env.View, steps: p.Changes}
	c.Name = p.Plan.Name.ValueString()
	c.Before, c.After = permission.ChannelState{Access: access, Channel: p.before()}, permission.ChannelState{Access: access, Channel: p.planned()}
	switch {
	case p.State != nil:
		c.id, c.Name = p.State.ID.ValueInt64(), p.State.Name.ValueString()
	case now != nil:
		c.id, c.Name = now.ID, now.Name
	default:
		c.After.Channel.Subscribers, c.After.Channel.SubscribersKnown = p.subscribers()
	}
	return c
}

// subscribers returns the account, if subscribed, and the planned initial subscribers who exist. known is false if more
// may be named.
func (p channelPlanning) subscribers() (ids []int64, known bool) {
	if p.Plan.InitialSubscribers.IsNull() {
		return []int64{p.Meta.Store.Self().ID}, true
	}
	known = !p.Plan.InitialSubscribers.IsUnknown()
	for _, element := range p.Plan.InitialSubscribers.Elements() {
		text, ok := element.(types.String)
		if !ok || !base.IsSet(text) {
			known = false
			continue
		}
		if user, later, err := lookup.UserInPlan(p.Env.View, text.ValueString()); err == nil && !later {
			ids = append(ids, user.ID)
		}
	}
	return ids, known
}

// before returns the channel before the plan, as far as it decides permissions.
func (p channelPlanning) before() permission.Channel {
	channel := permission.Channel{
		Privacy: zulip.Privacy(p.Prior.Values.Privacy.ValueString()), TopicsPolicy: p.Prior.Values.TopicsPolicy.ValueString(), Permissions: p.Prior.Permissions,
		IsArchived: p.Adopted != nil,
	}
	if p.State == nil && p.Adopted == nil {
		channel.Permissions = ownPermissions(p.Meta.Store.Self().ID)
	}
	return channel
}

// planned returns the channel after the plan, as far as it decides permissions.
func (p channelPlanning) planned() permission.Channel {
	channel := p.before()
	channel.IsArchived = false
	if p.Plan.Privacy.IsUnknown() {
		channel.PrivacyUnknown = true
	} else if base.IsSet(p.Plan.Privacy) {
		channel.Privacy = zulip.Privacy(p.Plan.Privacy.ValueString())
	}
	if p.Plan.TopicsPolicy.IsUnknown() && !p.Config.TopicsPolicy.IsNull() {
		channel.TopicsPolicyUnknown = true
	} else if base.IsSet(p.Plan.TopicsPolicy) {
		channel.TopicsPolicy = p.Plan.TopicsPolicy.ValueString()
	}
	plan := p.Permissions()
	channel.Permissions, channel.Unknown = maps.Clone(channel.Permissions), map[string]bool{}
	for _, setting := range permission.ChannelSettings {
		switch found := plan.Classify(setting.Name); found.Outcome {
		case attribute.Unknown, attribute.Unusable, attribute.Planned:
			channel.Unknown[setting.Name] = true
		case attribute.Written:
			channel.Permissions[setting.Name] = found.Value
		}
	}
	return channel
}
