package channels

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accesswarning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/change"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// The permissions that give access to the messages of a private channel to accounts that are not subscribed (server-behavior §C16).
const (
	canAddSubscribers = string(permission.CanAddSubscribers)
	canSubscribe      = string(permission.CanSubscribe)
	canAdminister     = string(permission.CanAdministerChannel)
)

// channelChange is a change or the creation of a channel. It is checked in a plan, on the planned channel, and again
// just before the request, on the channel as just read.
type channelChange struct {
	*base.Base
	view *snapshot.Snapshot
	// id is zero for a new channel.
	id int64
	permission.ChannelChange
	// steps are the changes that the apply sends.
	steps []channelStep
	// isRemoval is true if a group that ends is removed from permissions. The channel's own change may come later in the
	// apply, and administrators can always let people post again.
	isRemoval bool
	// isPlanned is true in a plan, which only warns of what someone else can still make possible.
	isPlanned bool
}

// exists reports whether the channel exists before the change.
func (c *channelChange) exists() bool { return c.id != 0 }

// check refuses changes that the account can't make (server-behavior §R15, §C17, §C18), or that would lock the account
// or everyone out.
func (c *channelChange) check(ctx context.Context, diags *diag.Diagnostics) {
	isChanged := len(c.steps) > 0 || c.Before.Channel.IsArchived != c.After.Channel.IsArchived
	if !c.Meta.RequireMember("manage channels", diags) || isChanged && !c.requireAdministrator("change", diags) {
		return
	}
	if c.dependsOnSubscription() {
		accesswarning.ReadSubscribers(ctx, c.Meta, c.id, &c.ChannelChange)
	}
	c.checkPrivacy(diags)
	channelTable.CheckPermissions(c.Base, slices.DeleteFunc(slices.Clone(c.steps), c.isNobodyAtFirst), c.view, diags)
	c.checkContentAccess(diags)
	if c.Meta.LockoutProtection && !diags.HasError() {
		c.checkLockout(ctx, diags)
	}
}

// requireAdministrator refuses to change or archive a channel that the account does not administer.
func (c *channelChange) requireAdministrator(verb string, diags *diag.Diagnostics) bool {
	may := !c.exists() || c.administers(c.Before.Channel)
	if !may {
		c.Meta.Lack(path.Empty(), fmt.Sprintf("%s channel %q", verb, c.Name),
			"This requires an administrator or owner of the organization, or a user whom the channel's can_administer_channel_group names: "+c.describe(c.Before.Channel, canAdminister)+".", diags)
	}
	return may
}

// checkPrivacy refuses a privacy that the account can't give to a channel, new or not.
func (c *channelChange) checkPrivacy(diags *diag.Diagnostics) {
	doing := "create a channel with this privacy"
	if c.exists() {
		doing = fmt.Sprintf("set privacy = %q", c.After.Channel.Privacy)
	}
	for _, permission := range c.privacyPermissions() {
		if !c.Meta.RequirePermission(c.view, path.Root("privacy"), doing, diags, permission) {
			return
		}
	}
}

// privacyPermissions are the permissions of the organization that the privacy requires (server-behavior §C22). A change of
// the history alone requires none. Neither does the change from web-public to public.
func (c *channelChange) privacyPermissions() (permissions []string) {
	from, to := c.Before.Channel.Privacy, c.After.Channel.Privacy
	if c.After.Channel.PrivacyUnknown {
		return nil
	}
	if !c.exists() || from.IsPrivate() != to.IsPrivate() {
		permissions = []string{"can_create_public_channel_group"}
		if to.IsPrivate() {
			permissions = []string{"can_create_private_channel_group"}
		}
	}
	if to == zulip.PrivacyWebPublic && (!c.exists() || from != to) {
		permissions = append(permissions, "can_create_web_public_channel_group")
	}
	return permissions
}

// isNobodyAtFirst reports whether a step sets a permission of a new channel to role:nobody, which is the default
// where setting it requires a permission.
func (c *channelChange) isNobodyAtFirst(change channelStep) bool {
	return !c.exists() && change.Permission && !c.After.Channel.Unknown[change.Attribute] &&
		permission.Equal(c.After.Channel.Permissions[change.Attribute], zulip.GroupSettingValue{}, permission.NobodyID(c.view))
}

// checkContentAccess refuses what requires access to the messages of a private channel (server-behavior §C17).
func (c *channelChange) checkContentAccess(diags *diag.Diagnostics) {
	if !c.exists() || c.reads(c.Before.Channel) {
		return
	}
	var refused []string
	for _, change := range c.steps {
		isHistory := change.Attribute == "privacy" && c.After.Channel.Privacy.IsPrivate()
		if requiresContentAccess(change.Attribute) && !isHistory {
			refused = append(refused, change.Attribute)
		}
	}
	if len(refused) == 0 {
		return
	}
	way := "The channel has no subscribers, so no account can do that."
	if in := c.Before.Channel.Subscribers; len(in) > 0 {
		way = fmt.Sprintf("Ask a subscriber to subscribe %s in the web app, then plan again. Subscribers: %s.", c.self().Address(), lookup.UserList.Describe(in, c.view))
	}
	if slices.Contains(refused, "privacy") {
		way += fmt.Sprintf(" To keep the channel as it is, set privacy = %q.", c.Before.Channel.Privacy)
	}
	summary, add := fmt.Sprintf("%s cannot read private channel %q", c.self().Address(), c.Name), diags.AddAttributeError
	if c.isPlanned {
		summary, add = summary+", so the apply will fail", diags.AddAttributeWarning
	}
	add(path.Root(refused[0]), summary,
		fmt.Sprintf("Only subscribers of a private channel, and users who can subscribe to it, can change its %s, whatever their role. The account is not subscribed, and neither can_add_subscribers_group (%s) nor can_subscribe_group (%s) includes it.%s\n\n%s",
			strings.Join(refused, ", "), c.describe(c.Before.Channel, canAddSubscribers), c.describe(c.Before.Channel, canSubscribe), c.done(), way))
}

// requiresContentAccess reports whether an attribute of a private channel can be changed only by accounts with access
// to its messages.
func requiresContentAccess(attribute string) bool {
	return attribute == "privacy" || attribute == canAddSubscribers || attribute == canSubscribe
}

// checkLockout refuses a change after which the account could no longer manage the channel, or no one could use it.
func (c *channelChange) checkLockout(ctx context.Context, diags *diag.Diagnostics) {
	if c.exists() {
		accesswarning.FillSubscribers(ctx, c.Meta, c.id, &c.ChannelChange)
	}
	switch later := c.After.Channel; {
	case c.refuseOwnAdministration(diags):
	case c.exists() && !c.Before.Channel.IsArchived && c.refuseNobodyLeft(diags): // no one can use an archived channel
	case !c.isClosed(c.Before.Channel) && c.isClosed(later) && !later.SubscribersKnown && c.exists():
		c.refuseUnknownSubscribers(diags)
	default:
		c.refuseOwnReading(diags)
	}
}

// refuseOwnAdministration refuses a change after which the account could no longer manage the channel, and reports whether it did.
func (c *channelChange) refuseOwnAdministration(diags *diag.Diagnostics) (refused bool) {
	if !c.administers(c.Before.Channel) || c.administers(c.After.Channel) {
		return false
	}
	diags.AddAttributeError(path.Root(canAdminister), base.LockoutSummary(fmt.Sprintf("channel %q", c.Name)),
		fmt.Sprintf("%s is not an administrator of the organization. It can manage channel %q only because can_administer_channel_group includes it. With can_administer_channel_group = %s it no longer could.%s\n\n",
			c.self().Address(), c.Name, c.describe(c.After.Channel, canAdminister), c.done())+c.admitting(canAdminister)+base.LockoutAdvice)
	return true
}

// refuseOwnReading refuses a change after which the account would no longer have access to the messages of a private channel.
func (c *channelChange) refuseOwnReading(diags *diag.Diagnostics) {
	later := c.After.Channel
	if !c.reads(c.Before.Channel) || c.reads(later) {
		return
	}
	among, at := "subscribers", c.cause(permission.CanAddSubscribers, permission.CanSubscribe)
	if !c.exists() {
		among, at = "initial subscribers", path.Root("initial_subscribers")
	}
	diags.AddAttributeError(at, base.LockoutSummary(fmt.Sprintf("channel %q", c.Name)),
		fmt.Sprintf("%s is not among the %s of private channel %q, and neither can_add_subscribers_group (%s) nor can_subscribe_group (%s) includes it. It could no longer subscribe users to the channel or change its privacy, whatever its role.%s\n\n",
			c.self().Address(), among, c.Name, c.describe(later, canAddSubscribers), c.describe(later, canSubscribe), c.done())+c.admitting(canAddSubscribers)+base.LockoutAdvice)
}

// done says in an apply what a refusal means; "" in a plan.
func (c *channelChange) done() string {
	if c.isPlanned {
		return ""
	}
	return " Nothing was changed."
}

// admitting returns the text of a permission after the change, with the account added.
func (c *channelChange) admitting(setting string) string {
	texts := slices.DeleteFunc(permission.Texts(c.After.Channel.Permissions[setting], c.view), func(text string) bool { return text == "role:nobody" })
	texts = append(texts, "user:"+c.self().Address())
	for i, text := range texts {
		texts[i] = strconv.Quote(text)
	}
	return fmt.Sprintf("Include the account, or use the key of an account that is included:\n\n  %s = [%s]", setting, strings.Join(texts, ", "))
}

// refuseNobodyLeft refuses a change that takes a permission from the last people who have it, and reports whether it did. It
// also refuses if unknown members decide that. It need not check the permission to administer: administrators of the
// organization have it, and an organization always has an owner.
func (c *channelChange) refuseNobodyLeft(diags *diag.Diagnostics) (refused bool) {
	if !c.After.Channel.SubscribersKnown && permission.NeedsSubscribers(c.Before, c.After) {
		c.refuseUnknownSubscribers(diags)
		return true
	}
	left := map[permission.ChannelPermission]bool{}
	for _, effect := range permission.Compare(c.Before, c.After) {
		left[effect.Permission] = effect.NobodyLeft
	}
	joins, certain := c.After.Access.Can(permission.CanSubscribe, c.After.Channel)
	switch {
	case left[permission.CanAddSubscribers] && certain && joins.IsEmpty():
		diags.AddAttributeError(c.cause(permission.CanAddSubscribers, permission.CanSubscribe), fmt.Sprintf("No one could join channel %q", c.Name),
			"The channel would be private. No account with access to it could add others, and no one could join it. Even an owner of the organization could not change that "+
				"or make the channel public again. First subscribe someone to the channel, or name someone in can_add_subscribers_group or can_subscribe_group."+base.LockoutAdvice)
	case left[permission.CanSendMessage] && !c.isRemoval:
		diags.AddAttributeError(c.cause(permission.CanSendMessage), fmt.Sprintf("No one could post in channel %q", c.Name),
			"No account with access to the channel would have permission to post. Name someone with access in can_send_message_group, or archive the channel."+base.LockoutAdvice)
	default:
		return false
	}
	return true
}

// refuseUnknownSubscribers refuses a change whose effect depends on the subscribers, which cannot be read.
func (c *channelChange) refuseUnknownSubscribers(diags *diag.Diagnostics) {
	diags.AddAttributeError(c.cause(permission.CanAddSubscribers, permission.CanSubscribe, permission.CanSendMessage), fmt.Sprintf("Cannot read the subscribers of channel %q", c.Name),
		"The provider must know the subscribers to check whether anyone could still post or join. Nothing was changed. Try again, or use the key of an account that sees the subscribers."+base.LockoutAdvice)
}

// cause returns the attribute that changes the permissions: the permission of one of them, or otherwise the privacy.
func (c *channelChange) cause(permissions ...permission.ChannelPermission) path.Path {
	for _, permission := range permissions {
		if slices.ContainsFunc(c.steps, func(change channelStep) bool { return change.Attribute == string(permission) }) {
			return path.Root(string(permission))
		}
	}
	return path.Root("privacy")
}

func (c *channelChange) self() *zulip.User { return c.Meta.Store.Self() }

// administers reports whether the account may change a channel.
func (c *channelChange) administers(channel permission.Channel) bool {
	_, has := channel.Permissions[canAdminister]
	return c.self().Role <= zulip.RoleAdministrator || !has || c.admits(channel, canAdminister)
}

// admits reports whether a permission of a channel includes the account, or may include it.
func (c *channelChange) admits(channel permission.Channel, setting string) bool {
	return channel.Unknown[setting] || permission.Admits(channel.Permissions[setting], c.self(), c.view)
}

// isClosed reports whether the account can read the channel only while subscribed.
func (c *channelChange) isClosed(channel permission.Channel) bool {
	return !channel.PrivacyUnknown && channel.Privacy.IsPrivate() && !c.admits(channel, canAddSubscribers) && !c.admits(channel, canSubscribe)
}

// reads reports whether the account has access to the messages of a channel, or may have it.
func (c *channelChange) reads(channel permission.Channel) bool {
	return !c.isClosed(channel) || !channel.SubscribersKnown || slices.Contains(channel.Subscribers, c.self().ID)
}

// dependsOnSubscription reports whether it matters for the checks if the account is subscribed.
func (c *channelChange) dependsOnSubscription() bool {
	return c.exists() && (c.isClosed(c.Before.Channel) || c.Meta.LockoutProtection && c.isClosed(c.After.Channel)) &&
		slices.ContainsFunc(c.steps, func(change channelStep) bool { return requiresContentAccess(change.Attribute) })
}

// describe describes the people in a permission of a channel.
func (c *channelChange) describe(channel permission.Channel, setting string) string {
	if channel.Unknown[setting] {
		return "known after apply"
	}
	return permission.Describe(channel.Permissions[setting], c.view)
}

// protectChannel checks a change of an existing channel just before a request, on the channel as just read.
func protectChannel(ctx context.Context, b *base.Base, now *change.Reading[*zulip.Channel], p channelPending, diags *diag.Diagnostics) {
	protectFrom(ctx, channelChangeOf(b, now.View, now.Thing, p.Update(), p.Steps()), now, diags)
}

// protectRemoval is protectChannel for the removal of a group that ends.
func protectRemoval(ctx context.Context, b *base.Base, now *change.Reading[*zulip.Channel], p channelPending, diags *diag.Diagnostics) {
	c := channelChangeOf(b, now.View, now.Thing, p.Update(), p.Steps())
	c.isRemoval = true
	protectFrom(ctx, c, now, diags)
}

func protectFrom(ctx context.Context, c *channelChange, now *change.Reading[*zulip.Channel], diags *diag.Diagnostics) {
	c.id = now.Thing.ID
	if c.Meta.LockoutProtection && permission.NeedsSubscribers(c.Before, c.After) || c.dependsOnSubscription() {
		c.Meta.Store.Invalidate(store.Subscribers)
	}
	c.check(ctx, diags)
}

// channelChangeOf is the change of a channel by an update.
func channelChangeOf(b *base.Base, view *snapshot.Snapshot, now *zulip.Channel, update zulip.ChannelUpdate, steps []channelStep) *channelChange {
	stateOf := func(channel *zulip.Channel) permission.ChannelState {
		return permission.ChannelState{Access: view.Access(), Channel: permission.ChannelOf(channel)}
	}
	return &channelChange{Base: b, view: view, steps: steps, ChannelChange: permission.ChannelChange{Name: now.Name, Before: stateOf(now), After: stateOf(channelAfter(now, update))}}
}

// ownPermissions are the permissions of a new channel that decide what its creator can do (server-behavior §P9).
func ownPermissions(creator int64) map[string]zulip.GroupSettingValue {
	return map[string]zulip.GroupSettingValue{canAdminister: {DirectMembers: []int64{creator}}}
}

// channelAfter returns a channel with an update, as far as it decides who can do what.
func channelAfter(now *zulip.Channel, update zulip.ChannelUpdate) *zulip.Channel {
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
