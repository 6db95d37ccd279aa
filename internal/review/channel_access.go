package review

import (
	"maps"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/review/report"
)

// compareChannel says who gains and who loses in a channel that is there.
func (b *builder) compareChannel(reviewed *reviewedChannel) error {
	was, is := permission.State{Access: b.before, Channel: reviewed.before}, permission.State{Access: b.after}
	if err := b.readSubscribers(reviewed); err != nil {
		return err
	}
	reviewed.applySubscribers()
	was.Channel, is.Channel = reviewed.before, reviewed.after
	effects := map[permission.Right]permission.Effect{}
	for _, effect := range permission.Compare(was, is) {
		effect.Lose = effect.Lose.Minus(b.deactivated())
		if effect.Unknown || effect.NobodyLeft || !effect.Gain.IsEmpty() || !effect.Lose.IsEmpty() {
			effects[effect.Right] = effect
		}
	}
	if reviewed.before.SubscribersKnown && reviewed.after.SubscribersKnown {
		in, later := b.before.People(reviewed.before.Subscribers), b.before.People(reviewed.after.Subscribers)
		reviewed.result.Joins, reviewed.result.Leaves = b.people.Of(later.Minus(in)), b.people.Of(in.Minus(later))
	}
	for _, right := range permission.RightsAndHistory {
		effect, differs := effects[right]
		planned, changes := reviewed.rights[string(right)]
		reading := right == permission.CanRead && (reviewed.result.Privacy.Differs() || internetEffect(was, is) != "")
		if !differs && !changes && !reading {
			continue
		}
		result := b.right(reviewed, right, effect, planned, changes)
		if right == permission.CanRead {
			result.Internet = internetEffect(was, is)
		}
		reviewed.result.Rights = append(reviewed.result.Rights, result)
	}
	return nil
}

// readSubscribers reads who is in a channel of which the snapshot does not say it, if that makes a difference.
func (b *builder) readSubscribers(reviewed *reviewedChannel) error {
	if reviewed.before.SubscribersKnown || reviewed.channel.IsArchived {
		return nil
	}
	was, is := permission.State{Access: b.before, Channel: reviewed.before}, permission.State{Access: b.after, Channel: reviewed.after}
	if reviewed.in == nil && reviewed.out == nil && !permission.NeedsSubscribers(was, is) {
		return nil
	}
	found, err := b.options.Store.Subscribers(b.ctx, reviewed.channel.ID)
	if err != nil || found == nil {
		return err
	}
	reviewed.before.Subscribers, reviewed.before.SubscribersKnown = found, true
	reviewed.after.Subscribers, reviewed.after.SubscribersKnown = found, true
	return nil
}

// right says what happens to a right in a channel that is there.
func (b *builder) right(reviewed *reviewedChannel, right permission.Right, effect permission.Effect, planned plannedPermission, changes bool) *report.Right {
	result := &report.Right{
		Name: string(right), Text: right.InWords(), Change: planned.change, NobodyLeft: effect.NobodyLeft,
		Gain: b.people.Of(effect.Gain), Lose: b.people.Of(effect.Lose), Unknown: effect.Unknown,
	}
	switch {
	case right == permission.CanRead || right == permission.CanReadHistory:
		result.Change = reviewed.result.Privacy
	case !changes:
		value := report.Value{Texts: permission.Texts(reviewed.before.Permissions[string(right)], b.org.Snapshot)}
		result.Change = report.Change{Before: value, After: value}
	}
	if result.Unknown {
		result.Why = b.unknownReason(reviewed, planned)
	}
	result.LocksOut = right == permission.CanAdministerChannel && slices.ContainsFunc(result.Lose.Accounts, func(a *report.Account) bool { return a.IsSelf })
	return result
}

// unknownReason says what it depends on who gains and who loses.
func (b *builder) unknownReason(reviewed *reviewedChannel, planned plannedPermission) string {
	switch {
	case planned.why != "":
		return planned.why
	case reviewed.unknownReason != "":
		return reviewed.unknownReason
	case reviewed.after.PrivacyUnknown:
		return "the plan does not know yet what kind of channel it will be"
	case reviewed.after.TopicsPolicyUnknown:
		return "the plan does not know yet whether messages of the channel will have topics"
	case len(reviewed.after.Unknown) > 0:
		names := slices.Sorted(maps.Keys(reviewed.after.Unknown))
		return "the plan does not know yet whom " + strings.Join(names, " and ") + " will name"
	case !reviewed.before.SubscribersKnown:
		return "who is in the channel cannot be asked"
	}
	return "it is not known yet who will be in a group, or whom a permission of the organization will name"
}

// internetEffect says whether anyone outside the organization comes to read a channel, or does no more.
func internetEffect(before, after permission.State) string {
	switch permission.CompareInternet(before, after) {
	case permission.InternetGains:
		return report.InternetGains
	case permission.InternetLoses:
		return report.InternetLoses
	}
	return ""
}

// describeNewChannel says who can do what in a new channel: who reads it, and what the plan sets.
func (b *builder) describeNewChannel(reviewed *reviewedChannel) {
	reviewed.applySubscribers()
	for _, right := range permission.Rights {
		planned, set := reviewed.rights[string(right)]
		if !set && right != permission.CanRead {
			continue
		}
		who, certain := b.after.Can(right, reviewed.after)
		result := &report.Right{
			Name: string(right), Text: right.InWords(), Change: planned.change, Gain: b.people.Of(who), Lose: b.people.Nobody(), Unknown: !certain,
		}
		if right == permission.CanRead {
			result.Change = reviewed.result.Privacy
			result.Internet = internetEffect(permission.State{Access: b.before}, permission.State{Access: b.after, Channel: reviewed.after})
		}
		if result.Unknown {
			result.Gain, result.Why = b.people.Nobody(), b.unknownReason(reviewed, planned)
		}
		reviewed.result.Rights = append(reviewed.result.Rights, result)
	}
	reviewed.result.Joins = b.people.Of(b.after.People(reviewed.after.Subscribers))
}
