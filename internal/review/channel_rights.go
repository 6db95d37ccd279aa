package review

import (
	"maps"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
)

// compareRoom says who gains and who loses in a channel that is there.
func (b *builder) compareRoom(room *room) error {
	was, is := permission.State{Access: b.before, Channel: room.before}, permission.State{Access: b.after}
	if err := b.ask(room); err != nil {
		return err
	}
	room.settle()
	was.Channel, is.Channel = room.before, room.after
	effects := map[permission.Right]permission.Effect{}
	for _, effect := range permission.Compare(was, is) {
		effect.Lose = effect.Lose.Minus(b.gone())
		if effect.Unknown || effect.NobodyLeft || !effect.Gain.IsEmpty() || !effect.Lose.IsEmpty() {
			effects[effect.Right] = effect
		}
	}
	if room.before.SubscribersKnown && room.after.SubscribersKnown {
		in, later := b.before.People(room.before.Subscribers), b.before.People(room.after.Subscribers)
		room.says.Joins, room.says.Leaves = b.crowd.of(later.Minus(in)), b.crowd.of(in.Minus(later))
	}
	for _, right := range permission.Rights {
		effect, differs := effects[right]
		planned, changes := room.rights[string(right)]
		reading := right == permission.CanRead && (room.says.Privacy.Differs() || internet(was, is) != "")
		if !differs && !changes && !reading {
			continue
		}
		says := b.right(room, right, effect, planned, changes)
		if right == permission.CanRead {
			says.Internet = internet(was, is)
		}
		room.says.Rights = append(room.says.Rights, says)
	}
	return nil
}

// ask reads who is in a channel of which the snapshot does not say it, if that makes a difference.
func (b *builder) ask(room *room) error {
	if room.before.SubscribersKnown || room.channel.IsArchived {
		return nil
	}
	was, is := permission.State{Access: b.before, Channel: room.before}, permission.State{Access: b.after, Channel: room.after}
	if room.in == nil && room.out == nil && !permission.NeedsSubscribers(was, is) {
		return nil
	}
	found, err := b.options.Store.Subscribers(b.ctx, room.channel.ID)
	if err != nil || found == nil {
		return err
	}
	room.before.Subscribers, room.before.SubscribersKnown = found, true
	room.after.Subscribers, room.after.SubscribersKnown = found, true
	return nil
}

// right says what happens to a right in a channel that is there.
func (b *builder) right(room *room, right permission.Right, effect permission.Effect, planned planned, changes bool) *Right {
	says := &Right{
		Name: string(right), Text: right.InWords(), Change: planned.change, NobodyLeft: effect.NobodyLeft,
		Gain: b.crowd.of(effect.Gain), Lose: b.crowd.of(effect.Lose), Unknown: effect.Unknown,
	}
	switch {
	case right == permission.CanRead:
		says.Change = room.says.Privacy
	case !changes:
		value := Value{Words: words(room.before.Permissions[string(right)], b.names.Snapshot)}
		says.Change = Change{value, value}
	}
	if says.Unknown {
		says.Why = b.why(room, planned)
	}
	says.locksOut = right == permission.CanAdministerChannel && slices.ContainsFunc(says.Lose.Accounts, func(a *Account) bool { return a.IsSelf })
	return says
}

// why says what it depends on who gains and who loses.
func (b *builder) why(room *room, planned planned) string {
	switch {
	case planned.why != "":
		return planned.why
	case room.vague != "":
		return room.vague
	case room.after.PrivacyUnknown:
		return "the plan does not know yet what kind of channel it will be"
	case room.after.TopicsPolicyUnknown:
		return "the plan does not know yet whether messages of the channel will have topics"
	case len(room.after.Unknown) > 0:
		names := slices.Sorted(maps.Keys(room.after.Unknown))
		return "the plan does not know yet whom " + strings.Join(names, " and ") + " will name"
	case !room.before.SubscribersKnown:
		return "who is in the channel cannot be asked"
	}
	return "it is not known yet who will be in a group, or whom a permission of the organization will name"
}

// internet says whether anyone outside the organization comes to read a channel, or does no more.
func internet(before, after permission.State) string {
	switch permission.CompareInternet(before, after) {
	case permission.InternetGains:
		return InternetGains
	case permission.InternetLoses:
		return InternetLoses
	}
	return ""
}

// newRoom says who can do what in a new channel: who reads it, and what the plan sets.
func (b *builder) newRoom(room *room) {
	room.settle()
	for _, right := range permission.Rights {
		planned, set := room.rights[string(right)]
		if !set && right != permission.CanRead {
			continue
		}
		who, certain := b.after.Can(right, room.after)
		says := &Right{
			Name: string(right), Text: right.InWords(), Change: planned.change, Gain: b.crowd.of(who), Lose: b.crowd.nobody(), Unknown: !certain,
		}
		if right == permission.CanRead {
			says.Change = room.says.Privacy
			says.Internet = internet(permission.State{Access: b.before}, permission.State{Access: b.after, Channel: room.after})
		}
		if says.Unknown {
			says.Gain, says.Why = b.crowd.nobody(), b.why(room, planned)
		}
		room.says.Rights = append(room.says.Rights, says)
	}
	room.says.Joins = b.crowd.of(b.after.People(room.after.Subscribers))
}
