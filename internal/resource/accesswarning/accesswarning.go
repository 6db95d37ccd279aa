// Package accesswarning adds warnings to a plan about changes of access: in one channel ([OfChannel], [OfSubscribers]), in
// all channels ([OfChange], [OfDeactivation], [OfReactivation]) or in the organization ([OfOrganization]). A warning names
// objects and no effects, because another resource of the plan may give or take the same access. The effects are those of
// the review. This package knows no resource.
package accesswarning

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// danger is what a change of access can lead to, the most serious first.
type danger int

const (
	lockout danger = iota
	nobodyLeft
	internet
	guests
	private
	general // something else, or an unknown effect
	none
)

// texts are the summaries of the warnings, and what their details say before the [advice]. A summary with objects stands alone in Terraform's output. Terraform
// combines warnings with the same summary and counts them.
var texts = [none]struct{ summary, detail string }{
	lockout:    {"The provider's account can lose access in %s", "This change can take from the account a permission to read or to administer that it has now."},
	nobodyLeft: {"A permission can be left with no one in %s", "This change can take the permission from the last people who have it."},
	internet:   {"Anyone on the internet can gain access in %s", "This change can let people read messages without an account."},
	guests:     {"Guests can gain access in %s", "This change can give guests a permission that they do not have now."},
	private:    {"More people can gain access to private %s", "This change can let people into the channel who cannot read it now."},
	general:    {"This plan can change who can do what", ""},
}

// advice ends each warning.
const advice = "Run \"terraform-provider-zulip review\" to see who gains and who loses what with the whole plan."

// warning is what the change of one resource can lead to: the most serious danger, and the objects that it concerns.
type warning struct {
	danger             danger
	channels, settings []string
}

// add adds a danger for an object. Objects of a less serious danger are not kept.
func (w *warning) add(danger danger, objects func(*warning) *[]string, name string) {
	if danger < w.danger {
		*w = warning{danger: danger}
	}
	if danger == w.danger {
		list := objects(w)
		*list = append(*list, name)
	}
}

func inChannels(w *warning) *[]string { return &w.channels }
func bySettings(w *warning) *[]string { return &w.settings }

// report adds the warning to a plan, unless there is no danger.
func (w *warning) report(diags *diag.Diagnostics) {
	if w.danger == none {
		return
	}
	text := texts[w.danger]
	if w.danger != general {
		text.summary = fmt.Sprintf(text.summary, w.objects())
	}
	diags.AddWarning(text.summary, strings.TrimPrefix(text.detail+"\n"+advice, "\n"))
}

// objects names the objects, at most three of each kind.
func (w *warning) objects() string {
	var parts []string
	if len(w.channels) > 0 {
		noun := "channel "
		if len(w.channels) > 1 {
			noun = "channels "
		}
		parts = append(parts, noun+base.AtMostThree(w.channels))
	}
	if len(w.settings) > 0 {
		parts = append(parts, "the organization ("+base.AtMostThree(w.settings)+")")
	}
	return strings.Join(parts, " and ")
}

// dangerOf returns the danger of an effect on a permission. after is the organization after the change.
func dangerOf(meta *base.Meta, effect permission.Effect, after *permission.Access) danger {
	switch isNeeded := effect.Permission == permission.CanAdministerChannel || effect.Permission == permission.CanRead; {
	case isNeeded && effect.Lose.Has(meta.Store.Self().ID):
		return lockout
	case effect.NobodyLeft && effect.Permission != permission.CanSubscribe: // private channels exist for that
		return nobodyLeft
	case !effect.Gain.And(after.Guests()).IsEmpty():
		return guests
	case effect.Differs():
		return general
	}
	return none
}

// ofChannel adds the danger of a change in one channel. It compares again only if the subscribers make a difference and
// were not known. isPlanned is true if the plan changes the channel itself.
func (w *warning) ofChannel(ctx context.Context, meta *base.Meta, id int64, change permission.ChannelChange, isPlanned bool) {
	effects := permission.Compare(change.Before, change.After)
	if slices.ContainsFunc(effects, func(effect permission.Effect) bool { return effect.Unknown }) && FillSubscribers(ctx, meta, id, &change) {
		effects = permission.Compare(change.Before, change.After)
	}
	worst := none
	switch permission.CompareInternet(change.Before, change.After) {
	case permission.InternetGains:
		worst = internet
	case permission.InternetLoses, permission.InternetUnknown:
		worst = general
	}
	isPrivate := isPlanned && (change.Before.Channel.Privacy.IsPrivate() || change.After.Channel.Privacy.IsPrivate())
	for _, effect := range effects {
		worst = min(worst, dangerOf(meta, effect, change.After.Access))
		if isPrivate && isEntering(effect.Permission) && (effect.Unknown || !effect.Gain.IsEmpty()) {
			worst = min(worst, private)
		}
	}
	w.add(worst, inChannels, suggest.Quote(change.Name))
}

// isEntering reports whether a permission lets people into a channel.
func isEntering(name permission.ChannelPermission) bool {
	return name == permission.CanRead || name == permission.CanReadHistory || name == permission.CanSubscribe
}

// OfChannel warns in a plan about a change of a channel's permissions or privacy. It adds nothing if no one gains or loses
// access, or if the provider block turns such warnings off. It reads the subscribers only if they make a difference.
func OfChannel(ctx context.Context, meta *base.Meta, diags *diag.Diagnostics, id int64, change permission.ChannelChange) {
	ofOne(ctx, meta, diags, id, change, true)
}

// OfSubscribers is [OfChannel] for a change of the subscribers.
func OfSubscribers(ctx context.Context, meta *base.Meta, diags *diag.Diagnostics, id int64, change permission.ChannelChange) {
	ofOne(ctx, meta, diags, id, change, false)
}

func ofOne(ctx context.Context, meta *base.Meta, diags *diag.Diagnostics, id int64, change permission.ChannelChange, isPlanned bool) {
	if meta.AccessWarnings {
		found := warning{danger: none}
		found.ofChannel(ctx, meta, id, change, isPlanned)
		found.report(diags)
	}
}

// OfChange warns in a plan about people who gain or lose access in any channel by a change of groups or roles. It
// considers all channels that the account sees and that are not archived, managed or not. There is one warning. OfChange
// adds nothing if there are no effects, or if the provider block turns such warnings off.
//
// Call it once in ModifyPlan, after all checks, with only the differences from the current organization. For a group,
// give all planned direct members and subgroups, and set [permission.Membership.Unknown] if there will be further
// unknown ones. Omit a role that is not known yet, and report that separately.
func OfChange(ctx context.Context, meta *base.Meta, diags *diag.Diagnostics, change permission.Change) {
	if meta.AccessWarnings {
		found := warning{danger: none}
		found.ofChannels(ctx, meta, change)
		found.report(diags)
	}
}

// ofChannels adds the dangers of a change in all channels.
func (w *warning) ofChannels(ctx context.Context, meta *base.Meta, change permission.Change) {
	view, err := meta.Store.Read(ctx, store.Channels)
	if err != nil {
		tflog.Warn(ctx, "The channels are not known, so the warning cannot name any", map[string]any{"error": err.Error()})
		w.danger = min(w.danger, general)
		return
	}
	if change.Now.IsZero() {
		change.Now = time.Now()
	}
	before := view.Access()
	after := before.With(change)
	for _, channel := range view.Channels().List() {
		if facts := permission.ChannelOf(channel); !channel.IsArchived {
			w.ofChannel(ctx, meta, channel.ID, permission.ChannelChange{
				Name: channel.Name, Before: permission.ChannelState{Access: before, Channel: facts}, After: permission.ChannelState{Access: after, Channel: facts},
			}, false)
		}
	}
}

// OfDeactivation warns in a plan about an account that loses all access, and about what no one can do afterwards. Call it
// once in ModifyPlan, after all checks.
func OfDeactivation(ctx context.Context, meta *base.Meta, diags *diag.Diagnostics, user *zulip.User) {
	if meta.AccessWarnings && user.IsActive {
		found := warning{danger: general}
		found.ofChannels(ctx, meta, permission.Change{Deactivated: []int64{user.ID}})
		found.report(diags)
	}
}

// OfReactivation warns in a plan about the access that a reactivated account has by its role. Call it once in
// ModifyPlan.
func OfReactivation(ctx context.Context, meta *base.Meta, diags *diag.Diagnostics, user *zulip.User, role zulip.Role) {
	OfChange(ctx, meta, diags, permission.Change{Reactivated: []int64{user.ID}, Roles: map[int64]zulip.Role{user.ID: role}})
}

// OfOrganization warns in a plan about people who gain or lose permissions of the organization, by a change of these
// or of settings that decide who has a role, and about the channels in which the settings change access. It adds nothing if
// no one does, or if the provider block turns such warnings off. Call it once in ModifyPlan, after all checks.
//
// It uses Config, Plan, Prior and View of the plan. Prior is the current organization, also for a resource that does
// not exist yet. settings are the changes of other settings; nil if there are none.
func OfOrganization(ctx context.Context, meta *base.Meta, diags *diag.Diagnostics, plan attribute.PermissionPlan, settings *permission.Change) {
	if !meta.AccessWarnings {
		return
	}
	found := warning{danger: none}
	before := plan.View.Access()
	after := before
	if settings != nil {
		after = before.With(*settings)
		found.ofChannels(ctx, meta, *settings)
	}
	for _, setting := range plan.Table.Settings {
		if was, there := plan.Prior[setting.Name]; there {
			held := before.HeldBy(permission.Organizations, setting, was)
			later := after.HeldBy(permission.Organizations, setting, was)
			if !plan.Config(setting.Name).IsNull() {
				switch planned := plan.Classify(setting.Name); planned.Outcome {
				case attribute.Unset, attribute.Unchanged, attribute.Equivalent:
				case attribute.Unknown, attribute.Planned:
					later = permission.HeldByUnknown()
				default:
					later = after.HeldBy(permission.Organizations, setting, planned.Value)
				}
			}
			found.add(dangerOf(meta, held.To(later), after), bySettings, setting.Name)
		}
	}
	found.report(diags)
}

// FillSubscribers reads the subscribers of a channel before and after a change if they make a difference to its
// effects, and reports whether it did. Subscribers that cannot be read stay unknown.
func FillSubscribers(ctx context.Context, meta *base.Meta, id int64, change *permission.ChannelChange) bool {
	isKnown := change.Before.Channel.SubscribersKnown && change.After.Channel.SubscribersKnown
	needs := !isKnown && permission.NeedsSubscribers(change.Before, change.After)
	if needs {
		ReadSubscribers(ctx, meta, id, change)
	}
	return needs
}

// ReadSubscribers reads the subscribers of a channel before and after a change. Subscribers that cannot be read stay
// unknown.
func ReadSubscribers(ctx context.Context, meta *base.Meta, id int64, change *permission.ChannelChange) {
	found, err := meta.Store.Subscribers(ctx, id)
	if err == nil && found == nil {
		err = fmt.Errorf("the provider's account does not see channel %d, or it is archived", id)
	}
	if err != nil {
		tflog.Warn(ctx, "The subscribers of a channel are not known, so the warning has only what is certain without them",
			map[string]any{"channel": change.Name, "error": err.Error()})
		return
	}
	for _, state := range []*permission.ChannelState{&change.Before, &change.After} {
		state.Channel.Subscribers, state.Channel.SubscribersKnown = found, true
	}
}
