package review

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
)

// initialSubscribers records who is in a new channel: by default nobody, in a private one the account the provider uses.
func (b *builder) initialSubscribers(reviewed *reviewedChannel, c *plan.Change) {
	texts, unknown, ok := c.After().List("initial_subscribers")
	if !ok && (reviewed.after.PrivacyUnknown || reviewed.after.Privacy.IsPrivate()) {
		texts = []string{fmt.Sprint(b.options.Store.Self().ID)}
	}
	ids, missing := b.org.findUsers(texts)
	reviewed.in, reviewed.isExclusive = ids, true
	b.addMissing(c, missing)
	if unknown || len(missing) > 0 {
		reviewed.unknownReason = "it is not known yet who will be in the channel"
	}
}

// subscribers records who is put into a channel and taken out.
func (b *builder) subscribers(c *plan.Change) {
	was, is := c.Before(), c.After()
	reviewed, ok := b.subscribersChannel(c)
	_, there := is.Number("channel_id")
	switch {
	case !ok && !c.HasAfter():
		return
	case !ok && there:
		b.addUnseen(c)
		return
	case !ok:
		b.addUnknown(fmt.Sprintf("Whom %s puts into which channel is not known yet.", c.Address))
		return
	}
	if c.Type == "zulip_channel_subscription" {
		added, _, _ := was.List("added_user_ids")
		out, _ := b.org.findUsers(added)
		reviewed.out = append(reviewed.out, out...)
	}
	if !c.HasAfter() {
		return // zulip_channel_subscribers leaves everybody where they are
	}
	users, unknown, _ := is.List("users")
	ids, missing := b.org.findUsers(users)
	b.addMissing(c, missing)
	reviewed.in = append(reviewed.in, ids...)
	reviewed.isExclusive = reviewed.isExclusive && c.Type == "zulip_channel_subscription" || c.Type == "zulip_channel_subscribers"
	if unknown || len(missing) > 0 {
		reviewed.unknownReason = fmt.Sprintf("it is not known yet whom %s puts into the channel", c.Address)
	}
}

// subscribersChannel finds the channel that a change of subscribers is about.
func (b *builder) subscribersChannel(c *plan.Change) (*reviewedChannel, bool) {
	m := c.After()
	if !c.HasAfter() {
		m = c.Before()
	}
	if id, ok := m.Number("channel_id"); ok {
		channel, ok := b.org.Channels().ByID(id)
		if !ok {
			return nil, false
		}
		return b.reviewPlannedChannel(channel, c), true
	}
	address, name := c.RefersTo("channel"), ""
	if text, ok := m.Text("channel"); ok {
		name = strings.TrimPrefix(text, "name:")
	}
	for _, reviewed := range b.created {
		if name != "" && strings.EqualFold(reviewed.Name, name) || address != "" && slices.Contains(reviewed.Addresses, address) {
			reviewed.Addresses = append(reviewed.Addresses, c.Address)
			return reviewed, true
		}
	}
	return nil, false
}

// applySubscribers works out who will be in a channel.
func (r *reviewedChannel) applySubscribers() {
	if r.in == nil && r.out == nil && r.unknownReason == "" && !r.isExclusive {
		return
	}
	subscribers := r.after.Subscribers
	if r.isExclusive {
		subscribers = nil
	}
	r.after.Subscribers = merged(subscribers, r.in, r.out)
	r.after.SubscribersKnown = r.unknownReason == "" && (r.after.SubscribersKnown || r.isExclusive)
}
