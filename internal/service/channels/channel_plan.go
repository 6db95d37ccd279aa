package channels

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accesswarning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// channelPlanning is the plan of one channel while it is checked.
type channelPlanning struct{ *tablePlan }

// derive fills in what follows from what is planned.
func derive(p *tablePlan) {
	if p.State == nil {
		return
	}
	if base.IsSet(p.Plan.Name) {
		p.Plan.URL = types.StringValue(zulip.ChannelURL(p.On.Site, p.State.ID.ValueInt64(), p.Plan.Name.ValueString()))
	} else {
		p.Plan.URL = types.StringUnknown()
	}
	deriveFolder(p)
	// A private channel cannot be a default one: the server takes one that becomes private off the list.
	if zulip.Privacy(p.Plan.Privacy.ValueString()).IsPrivate() && p.Config.IsDefault.IsNull() && !p.State.IsDefault.IsNull() {
		p.Plan.IsDefault = types.BoolValue(false)
	}
}

// check refuses what the server would refuse, with the reason and the way out, and says who gains and loses access.
func check(ctx context.Context, plan *tablePlan) {
	derive(plan)
	plan.Compare()
	p := channelPlanning{plan}
	if p.State == nil && p.Adopted == nil && p.Meta.Run.AnyWillBeDestroyed(kind) && p.Meta.Run.WillBeCreated(kind, strings.ToLower(p.Plan.Name.ValueString())) {
		warnOfLeftMessages(fmt.Sprintf("Channel %q will be created, and this plan archives another one", p.Plan.Name.ValueString()), p.Diags)
	}
	p.checkFolder()
	p.Permissions().Check(p.Diags)
	p.checkProtectedHistory()
	p.checkSubscribers()
	p.checkCaller()
	if p.Meta.LockoutProtection {
		p.checkLockout()
	}
	if !p.Diags.HasError() {
		p.reviewAccess(ctx)
	}
}

// checkDestroyed warns of the messages of a channel that is archived.
func checkDestroyed(_ context.Context, p *core.Plan[channelModel]) {
	if p.IsDestroy() && p.Prior.OnDestroy.ValueString() != channelOnDestroyKeep && p.Meta.Run.AnyWillBeCreated(kind) {
		warnOfLeftMessages(fmt.Sprintf("Channel %q will be archived, and this plan creates another one", p.Prior.Name.ValueString()), p.Diags)
	}
}

// warnOfLeftMessages warns, at whichever of the two is planned last, of a plan that archives one channel and creates another: another
// key of for_each does that, and who changes one may only have meant to rename the channel.
func warnOfLeftMessages(does string, diags *diag.Diagnostics) {
	// Only the detail has the name, so that the CLI can make one warning of many.
	diags.AddWarning("A channel is archived while another one is created",
		does+". The messages stay in the archived channel; the new one begins without them.\n\n"+
			"To rename a channel whose key of for_each or address changes with its name, add a moved block, and nothing is archived:\n\n"+
			"  moved {\n    from = OLD_ADDRESS\n    to   = NEW_ADDRESS\n  }")
}

// checkProtectedHistory refuses a restriction on new topics where newcomers do not see the history: they could not
// know which topics exist (server-behavior §C13).
func (p channelPlanning) checkProtectedHistory() {
	const setting = "can_create_topic_group"
	if p.privacy() != zulip.PrivacyPrivateProtectedHistory || p.isForEveryone(setting) {
		return
	}
	p.Diags.AddAttributeError(path.Root(setting), "Not possible with protected history",
		"In a channel with privacy = \"private_protected_history\" everyone may start topics. Set can_create_topic_group = [\"role:everyone\"], or privacy = \"private_shared_history\".")
}

// privacy is the privacy that the channel will have; "" if that is not known.
func (p channelPlanning) privacy() zulip.Privacy {
	if p.Plan.Privacy.IsNull() {
		return zulip.Privacy(p.Prior.Values.Privacy.ValueString())
	}
	return zulip.Privacy(p.Plan.Privacy.ValueString())
}

// isForEveryone reports whether everyone will have a permission, as far as is known.
func (p channelPlanning) isForEveryone(setting string) bool {
	planned := *attributes.Sets(&p.Plan.channelFacts)(setting)
	if planned.IsNull() {
		everyone, ok := p.On.View.UserGroupByName("role:everyone")
		value, isRead := p.Prior.Permissions[setting]
		return !ok || !isRead || permission.Equal(value, zulip.NamedGroup(everyone.ID), permission.NobodyID(p.On.View))
	}
	principals, known := attribute.PrincipalsOf(planned)
	return !known || len(principals) == 1 && principals[0] == permission.Principal{Kind: permission.KindRole, Name: "everyone"}
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
		user, later, err := lookup.UserInPlan(p.On.View, text.ValueString())
		switch {
		case later:
		case err != nil:
			lookup.AddError(p.Diags, path.Root("initial_subscribers"), err, "")
		case !user.IsActive:
			p.Diags.AddAttributeError(path.Root("initial_subscribers"), "Cannot subscribe a deactivated user",
				fmt.Sprintf("%s is deactivated. Remove the address, or reactivate the account.", text.ValueString()))
		}
	}
}

// checkCaller refuses what the provider's account may not do, and says who may
// (server-behavior §R15, §C17, §C18).
func (p channelPlanning) checkCaller() {
	self := p.Meta.Store.Self()
	if !p.Meta.RequireMember("manage channels", p.Diags) {
		return
	}
	isAdministrator := self.Role <= zulip.RoleAdministrator
	if p.State == nil {
		p.checkMayCreate()
	} else if !isAdministrator && len(p.Changes) > 0 && !p.administers(self) {
		p.Meta.Refuse(path.Empty(), fmt.Sprintf("change channel %q", p.State.Name.ValueString()),
			"Administrators and owners of the organization may, and whom the channel's can_administer_channel_group names: "+
				permission.Describe(p.Prior.Permissions["can_administer_channel_group"], p.On.View)+".", p.Diags)
	}
	attributes.CheckRights(&p.Base, slices.DeleteFunc(slices.Clone(p.Changes), p.isNobodyAtFirst), p.On.View, p.Diags)
}

// isNobodyAtFirst reports whether a change gives a permission of a new channel to nobody, which is the default where setting
// it takes a right.
func (p channelPlanning) isNobodyAtFirst(change step) bool {
	if p.State != nil || !change.Permission {
		return false
	}
	found := p.Permissions().Classify(change.Attribute)
	return found.Outcome == attribute.Written && permission.Equal(found.Value, zulip.GroupSettingValue{}, permission.NobodyID(p.On.View))
}

// checkMayCreate refuses a channel of a kind that the account may not create.
func (p channelPlanning) checkMayCreate() {
	right := "can_create_public_channel_group"
	switch privacy := zulip.Privacy(p.Plan.Privacy.ValueString()); {
	case p.Plan.Privacy.IsUnknown() && !p.Config.Privacy.IsNull():
		return // not known yet
	case privacy.IsPrivate():
		right = "can_create_private_channel_group"
	case privacy == zulip.PrivacyWebPublic:
		right = "can_create_web_public_channel_group"
	}
	p.Meta.RequireRight(p.On.View, path.Root("privacy"), "create this kind of channel", p.Diags, right)
}

// administers reports whether the account may change the channel without being an administrator of the organization.
func (p channelPlanning) administers(self *zulip.User) bool {
	value, ok := p.Prior.Permissions["can_administer_channel_group"]
	return !ok || permission.Admits(value, self, p.On.View)
}

// changed reports whether the plan writes the attribute.
func (p channelPlanning) changed(attribute string) bool {
	return slices.ContainsFunc(p.Changes, func(s step) bool { return s.Attribute == attribute })
}

// checkLockout refuses a plan after which the account could no longer manage the channel.
func (p channelPlanning) checkLockout() {
	self := p.Meta.Store.Self()
	// An account that does not manage the channel now cannot lose that. Its change is refused in checkCaller.
	manages := p.State == nil || p.administers(self)
	if self.Role > zulip.RoleAdministrator && manages && !p.admits("can_administer_channel_group", self) {
		p.Diags.AddAttributeError(path.Root("can_administer_channel_group"), "This would lock the provider out",
			fmt.Sprintf("%s is not an administrator of the organization and manages this channel only because can_administer_channel_group names it. Name it there, or use an administrator's key.", self.Address())+base.LockoutAdvice)
	}
	if p.State == nil && zulip.Privacy(p.Plan.Privacy.ValueString()).IsPrivate() && base.IsSet(p.Plan.InitialSubscribers) &&
		!p.subscribesSelf(self) && !p.opensTo("can_add_subscribers_group", self) && !p.opensTo("can_subscribe_group", self) {
		p.Diags.AddAttributeError(path.Root("initial_subscribers"), "This would lock the provider out",
			fmt.Sprintf("%s is not among the initial subscribers of this private channel, nor in can_add_subscribers_group or can_subscribe_group. It could never add anybody to the channel or change its privacy, whatever its role.", self.Address())+base.LockoutAdvice)
	}
}

// admits reports whether a permission will admit the account. What is not known yet counts as admitting it.
func (p channelPlanning) admits(setting string, self *zulip.User) bool {
	return attributes.Sets(&p.Plan.channelFacts).Admits(setting, self, p.On.View)
}

// opensTo reports whether a permission of a new channel is set to admit the account; by default these admit nobody.
func (p channelPlanning) opensTo(setting string, self *zulip.User) bool {
	at := attributes.Permissions[setting].At
	return !at(&p.Config.channelFacts).IsNull() && !at(&p.Plan.channelFacts).IsNull() && p.admits(setting, self)
}

func (p channelPlanning) subscribesSelf(self *zulip.User) bool {
	for _, element := range p.Plan.InitialSubscribers.Elements() {
		text, ok := element.(types.String)
		if !ok || !base.IsSet(text) {
			return true
		}
		if user, err := lookup.User(p.On.View, text.ValueString()); err != nil || user.ID == self.ID {
			return true
		}
	}
	return false
}

// reviewAccess refuses permissions and a privacy with which nobody could go on using a channel that exists, and says who
// gains and who loses which right.
func (p channelPlanning) reviewAccess(ctx context.Context) {
	if p.State == nil || !p.Meta.LockoutProtection && !p.Meta.AccessWarnings || !p.decidesOtherwise() {
		return
	}
	change := p.accessChange()
	accesswarning.FillSubscribers(ctx, p.Meta, p.State.ID.ValueInt64(), &change)
	if p.Meta.LockoutProtection && refuseNobodyLeft(change, p.cause, p.Diags) {
		return
	}
	accesswarning.OfChannel(ctx, p.Meta, p.Diags, p.State.ID.ValueInt64(), change)
}

// protect refuses, just before a request and on what was just read, what [refuseNobodyLeft] refuses in a plan.
func protect(ctx context.Context, b *base.Base, now *attribute.Reading[*zulip.Channel], p pending, diags *diag.Diagnostics) {
	if !b.Meta.LockoutProtection {
		return
	}
	update := p.Update()
	state := func(channel *zulip.Channel) permission.ChannelRights {
		return permission.ChannelRights{Access: now.View.Access(), Channel: permission.Channel{
			Privacy: channel.Privacy(), TopicsPolicy: channel.TopicsPolicy, Permissions: channel.Permissions,
		}}
	}
	change := permission.ChannelChange{Name: now.Thing.Name, Before: state(now.Thing), After: state(after(now.Thing, update))}
	if permission.NeedsSubscribers(change.Before, change.After) {
		b.Meta.Store.Invalidate(store.Subscribers)
	}
	accesswarning.FillSubscribers(ctx, b.Meta, now.Thing.ID, &change)
	changes := func(attribute string) bool { _, ok := update.Permissions[attribute]; return ok }
	refuseNobodyLeft(change, func(otherwise string, rights ...permission.Right) path.Path {
		return causeOf(changes, otherwise, rights)
	}, diags)
}

// after is a channel with an update, as far as it decides who can do what.
func after(now *zulip.Channel, update zulip.ChannelUpdate) *zulip.Channel {
	later := *now
	for _, flag := range []struct{ to, from *bool }{
		{&later.InviteOnly, update.IsPrivate}, {&later.IsWebPublic, update.IsWebPublic}, {&later.HistoryPublicToSubscribers, update.HistoryPublicToSubscribers},
	} {
		if flag.from != nil {
			*flag.to = *flag.from
		}
	}
	if update.TopicsPolicy != nil {
		later.TopicsPolicy = *update.TopicsPolicy
	}
	later.Permissions = maps.Clone(later.Permissions)
	for setting, change := range update.Permissions {
		later.Permissions[setting] = change.New
	}
	return &later
}

// refuseNobodyLeft reports whether it has refused a change, because somebody can do now what nobody could after it, or because
// that cannot be told without the members. That nobody administers a channel cannot come about: administrators of the
// organization do, and it is never without an owner.
func refuseNobodyLeft(change permission.ChannelChange, cause func(otherwise string, rights ...permission.Right) path.Path, diags *diag.Diagnostics) (refused bool) {
	if !change.After.Channel.SubscribersKnown && permission.NeedsSubscribers(change.Before, change.After) {
		diags.AddAttributeError(cause("privacy", permission.CanAddSubscribers, permission.CanSubscribe, permission.CanSendMessage), fmt.Sprintf("Cannot read who is in channel %q", change.Name),
			"Whether anybody could still post in it or join it depends on who is in it. Nothing was sent. Try again, or use the key of an account that sees the channel's members."+base.LockoutAdvice)
		return true
	}
	left := map[permission.Right]bool{}
	for _, effect := range permission.Compare(change.Before, change.After) {
		left[effect.Right] = effect.NobodyLeft
	}
	joins, certain := change.After.Access.Can(permission.CanSubscribe, change.After.Channel)
	switch {
	case left[permission.CanAddSubscribers] && certain && joins.IsEmpty():
		diags.AddAttributeError(cause("privacy", permission.CanAddSubscribers, permission.CanSubscribe), fmt.Sprintf("Nobody could join channel %q any more", change.Name),
			"The channel would be private, no account that has access to it could add others, and nobody could join it. Not even an owner of the organization could change that, "+
				"or make the channel public again. Subscribe somebody to the channel first, or let can_add_subscribers_group or can_subscribe_group name somebody."+base.LockoutAdvice)
	case left[permission.CanSendMessage]:
		diags.AddAttributeError(cause("privacy", permission.CanSendMessage), fmt.Sprintf("Nobody could post in channel %q any more", change.Name),
			"No account that has access to the channel would have the right to post. Let can_send_message_group name somebody who has, or archive the channel."+base.LockoutAdvice)
	default:
		return false
	}
	return true
}

// cause is the attribute of a plan to point at: see [causeOf].
func (p channelPlanning) cause(otherwise string, rights ...permission.Right) path.Path {
	return causeOf(p.changed, otherwise, rights)
}

// causeOf is the permission of one of the rights, if it changes, else another attribute.
func causeOf(changes func(attribute string) bool, otherwise string, rights []permission.Right) path.Path {
	for _, right := range rights {
		if changes(string(right)) {
			return path.Root(string(right))
		}
	}
	return path.Root(otherwise)
}

// decidesOtherwise reports whether anything that decides who may do what changes, or is not known yet.
func (p channelPlanning) decidesOtherwise() bool {
	planned := p.planned()
	return planned.PrivacyUnknown || planned.TopicsPolicyUnknown || len(planned.Unknown) > 0 || slices.ContainsFunc(p.Changes, func(s step) bool {
		return s.Permission || s.Attribute == "privacy" || s.Attribute == "topics_policy"
	})
}

// accessChange is the channel as it was and as it is planned, in the organization as it is.
func (p channelPlanning) accessChange() permission.ChannelChange {
	access := p.On.View.Access()
	return permission.ChannelChange{
		Name:   p.State.Name.ValueString(),
		Before: permission.ChannelRights{Access: access, Channel: p.before()},
		After:  permission.ChannelRights{Access: access, Channel: p.planned()},
	}
}

// before is what decides who may do what in a channel that exists, as the plan is computed from it.
func (p channelPlanning) before() permission.Channel {
	return permission.Channel{
		Privacy: zulip.Privacy(p.Prior.Values.Privacy.ValueString()), TopicsPolicy: p.Prior.Values.TopicsPolicy.ValueString(), Permissions: p.Prior.Permissions,
	}
}

// planned is what will decide who may do what in a channel that exists.
func (p channelPlanning) planned() permission.Channel {
	channel := p.before()
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
