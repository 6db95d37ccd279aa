package review

import (
	"maps"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
)

// addChannel adds a channel to the organization before and after.
func (b *builder) addChannel(reviewed *reviewedChannel) {
	is, why := reviewed.Channel, b.unknownReason(reviewed)
	if reviewed.current != nil {
		was := &access.Channel{ID: is.ID, Name: reviewed.current.Name}
		b.source(b.before).Describe(was, reviewed.before, nil, why)
		b.was.Channels = append(b.was.Channels, was)
	}
	b.source(b.after).Describe(is, reviewed.after, reviewed.planned, why)
	b.is.Channels = append(b.is.Channels, is)
}

// addBeside notes who can do what in a channel in which nothing changes.
func (b *builder) addBeside(reviewed *reviewedChannel) {
	was, is := &access.Channel{ID: reviewed.current.ID, Name: reviewed.current.Name}, &access.Channel{ID: reviewed.current.ID, Name: reviewed.current.Name}
	b.source(b.before).Describe(was, reviewed.before, nil, "")
	b.source(b.after).Describe(is, reviewed.after, nil, "")
	b.besideWas, b.besideIs = append(b.besideWas, was), append(b.besideIs, is)
}

// source works out rights; what the plan does not change has the names of before.
func (b *builder) source(people *permission.Access) access.Source {
	return access.Source{People: people, Names: b.org.Snapshot}
}

// readSubscribers reads who is in a channel of which the snapshot does not say it, if that makes a difference.
func (b *builder) readSubscribers(reviewed *reviewedChannel) error {
	if reviewed.before.SubscribersKnown || reviewed.current.IsArchived {
		return nil
	}
	was, is := permission.ChannelRights{Access: b.before, Channel: reviewed.before}, permission.ChannelRights{Access: b.after, Channel: reviewed.after}
	if reviewed.in == nil && reviewed.out == nil && !permission.NeedsSubscribers(was, is) {
		return nil
	}
	found, err := b.options.Store.Subscribers(b.ctx, reviewed.current.ID)
	if err != nil || found == nil {
		return err
	}
	reviewed.before.Subscribers, reviewed.before.SubscribersKnown = found, true
	reviewed.after.Subscribers, reviewed.after.SubscribersKnown = found, true
	return nil
}

// unknownReason says what it depends on who gains and who loses.
func (b *builder) unknownReason(reviewed *reviewedChannel) string {
	switch {
	case reviewed.unknownReason != "":
		return reviewed.unknownReason
	case reviewed.after.PrivacyUnknown:
		return "the plan does not know yet what kind of channel it will be"
	case reviewed.after.TopicsPolicyUnknown:
		return "the plan does not know yet whether messages of the channel will have topics"
	case len(reviewed.after.Unknown) > 0:
		names := slices.Sorted(maps.Keys(reviewed.after.Unknown))
		return "the plan does not know yet whom " + strings.Join(names, " and ") + " will name"
	case reviewed.current != nil && !reviewed.before.SubscribersKnown:
		return "who is in the channel cannot be asked"
	}
	return "it is not known yet who will be in a group, or whom a permission of the organization will name"
}
