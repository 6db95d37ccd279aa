package directory

import (
	"context"
	"fmt"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// own is what belongs to the account itself, the invitations it sees, and the messages it asks for. None of it is in the snapshot: each kind is
// read when a resource first asks, once for all of them.
type own struct {
	drafts        kept[[]*zulip.Draft]
	scheduled     kept[[]*zulip.ScheduledMessage]
	invitations   kept[[]*zulip.Invitation]
	subscriptions kept[map[int64]*zulip.Subscription]
	messages      gather[int64, *zulip.Message]
	newDrafts     gather[zulip.Draft, int64]
}

func (o *own) init(d *Directory) {
	o.drafts.read = d.client.Drafts
	o.scheduled.read = d.client.ScheduledMessages
	o.invitations.read = d.client.Invitations
	o.subscriptions.read = d.readSubscriptions
	o.messages = gather[int64, *zulip.Message]{ask: d.readMessages}
	o.newDrafts = gather[zulip.Draft, int64]{ask: d.client.CreateDrafts}
}

// Drafts returns the account's drafts.
func (d *Directory) Drafts(ctx context.Context) ([]*zulip.Draft, error) { return d.own.drafts.get(ctx) }

// CreateDraft stores a draft. Drafts that are stored at the same time travel in one request; if the server refuses one
// of them it stores none, and each is then asked for by itself.
func (d *Directory) CreateDraft(ctx context.Context, draft zulip.Draft) (int64, error) {
	defer d.own.drafts.forget()
	id, err := d.own.newDrafts.do(ctx, draft)
	if err == nil || zulip.MayHaveHappened(err) {
		return id, err
	}
	ids, err := d.client.CreateDrafts(ctx, []zulip.Draft{draft})
	if err != nil {
		return 0, err
	}
	return ids[0], nil
}

// ForgetDrafts makes the next to ask read the drafts again.
func (d *Directory) ForgetDrafts() { d.own.drafts.forget() }

// ScheduledMessages returns what the account has scheduled and is not delivered.
func (d *Directory) ScheduledMessages(ctx context.Context) ([]*zulip.ScheduledMessage, error) {
	return d.own.scheduled.get(ctx)
}

// ForgetScheduledMessages makes the next to ask read the scheduled messages again.
func (d *Directory) ForgetScheduledMessages() { d.own.scheduled.forget() }

// Invitations returns the invitations that can still be used, as far as the account sees them.
func (d *Directory) Invitations(ctx context.Context) ([]*zulip.Invitation, error) {
	return d.own.invitations.get(ctx)
}

// ForgetInvitations makes the next to ask read the invitations again.
func (d *Directory) ForgetInvitations() { d.own.invitations.forget() }

// Subscription returns the account's own settings of a channel; nil if it is not in the channel.
func (d *Directory) Subscription(ctx context.Context, channel int64) (*zulip.Subscription, error) {
	all, err := d.own.subscriptions.get(ctx)
	return all[channel], err
}

// ForgetSubscriptions makes the next to ask read the account's subscriptions again.
func (d *Directory) ForgetSubscriptions() { d.own.subscriptions.forget() }

func (d *Directory) readSubscriptions(ctx context.Context) (map[int64]*zulip.Subscription, error) {
	list, err := d.client.Subscriptions(ctx)
	if err != nil {
		return nil, err
	}
	all := make(map[int64]*zulip.Subscription, len(list))
	for _, subscription := range list {
		all[subscription.ChannelID] = subscription
	}
	return all, nil
}

// Message reads a message as it is now; nil if it is gone, or the account may not read it. Those that are asked for at
// the same time are read in one request.
func (d *Directory) Message(ctx context.Context, id int64) (*zulip.Message, error) {
	return d.own.messages.do(ctx, id)
}

// readMessages reads messages in their order. What the one request does not find may be in a channel that the account
// is not in: it is asked for by itself.
func (d *Directory) readMessages(ctx context.Context, ids []int64) ([]*zulip.Message, error) {
	found := map[int64]*zulip.Message{}
	if len(ids) > 1 {
		list, err := d.client.Messages(ctx, ids, d.level)
		if err != nil {
			return nil, fmt.Errorf("reading the messages: %w", err)
		}
		for _, message := range list {
			found[message.ID] = message
		}
	}
	messages := make([]*zulip.Message, len(ids))
	for i, id := range ids {
		message, ok := found[id]
		if !ok {
			var err error
			if message, err = d.client.Message(ctx, id); err != nil && !zulip.IsNoMessage(err) {
				return nil, err
			}
			found[id] = message
		}
		messages[i] = message
	}
	return messages, nil
}
