package store

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// own is what belongs to the account itself, the invitations it sees, and the messages it asks for. None of it is in the snapshot: each kind is
// read when a resource first asks, once for all of them.
type own struct {
	drafts        kept[[]*zulip.Draft]
	scheduled     kept[[]*zulip.ScheduledMessage]
	invitations   kept[[]*zulip.Invitation]
	subscriptions kept[map[int64]*zulip.Subscription]
	messages      batcher[int64, messages]
	newDrafts     batcher[zulip.Draft, []int64]
}

// messages are those that were read, by ID, and why others could not be.
type messages struct {
	found  map[int64]*zulip.Message
	failed map[int64]error
}

func (o *own) init(s *Store) {
	o.drafts.read = s.client.Drafts
	o.scheduled.read = s.client.ScheduledMessages
	o.invitations.read = s.client.Invitations
	o.subscriptions.read = s.readSubscriptions
	o.messages.ask = s.readMessages
	o.newDrafts.ask = func(ctx context.Context, drafts []zulip.Draft, _ func()) ([]int64, error) {
		return s.client.CreateDrafts(ctx, drafts)
	}
}

// Drafts returns the account's drafts.
func (s *Store) Drafts(ctx context.Context) ([]*zulip.Draft, error) { return s.own.drafts.get(ctx) }

// CreateDraft stores a draft. Drafts that are stored at the same time travel in one request; if the server refuses one
// of them it stores none, and each is then asked for by itself.
func (s *Store) CreateDraft(ctx context.Context, draft zulip.Draft) (int64, error) {
	defer s.own.drafts.forget()
	var ids []int64
	var place int
	err := zulip.Write(ctx, func(ctx context.Context) (err error) {
		ids, place, err = s.own.newDrafts.do(ctx, draft)
		return err
	})
	if err == nil {
		return ids[place], nil
	}
	if zulip.MayHaveHappened(err) {
		return 0, err
	}
	ids, err = s.client.CreateDrafts(ctx, []zulip.Draft{draft})
	if err != nil {
		return 0, err
	}
	return ids[0], nil
}

// ScheduledMessages returns what the account has scheduled and is not delivered.
func (s *Store) ScheduledMessages(ctx context.Context) ([]*zulip.ScheduledMessage, error) {
	return s.own.scheduled.get(ctx)
}

// Invitations returns the invitations that can still be used, as far as the account sees them.
func (s *Store) Invitations(ctx context.Context) ([]*zulip.Invitation, error) {
	return s.own.invitations.get(ctx)
}

// Subscription returns the account's own settings of a channel; nil if it is not in the channel.
func (s *Store) Subscription(ctx context.Context, channel int64) (*zulip.Subscription, error) {
	all, err := s.own.subscriptions.get(ctx)
	return all[channel], err
}

func (s *Store) readSubscriptions(ctx context.Context) (map[int64]*zulip.Subscription, error) {
	list, err := s.client.Subscriptions(ctx)
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
func (s *Store) Message(ctx context.Context, id int64) (*zulip.Message, error) {
	read, _, err := s.own.messages.do(ctx, id)
	if err == nil {
		err = read.failed[id]
	}
	return read.found[id], err
}

// readMessages reads messages. What the one request does not find may be in a channel that the account is not in: it is
// asked for by itself.
func (s *Store) readMessages(ctx context.Context, ids []int64, _ func()) (messages, error) {
	read := messages{map[int64]*zulip.Message{}, map[int64]error{}}
	if len(ids) > 1 {
		list, err := s.client.Messages(ctx, ids, s.level)
		if err != nil {
			return messages{}, fmt.Errorf("reading the messages: %w", err)
		}
		for _, message := range list {
			read.found[message.ID] = message
		}
	}
	for _, id := range ids {
		if _, ok := read.found[id]; ok {
			continue
		}
		message, err := s.client.Message(ctx, id)
		if err != nil && !zulip.IsNoMessage(err) {
			read.failed[id] = err
			continue
		}
		read.found[id] = message
	}
	return read, nil
}

// EmojiNames returns the codes of the standard emoji by name, which are read once; nil where the server does not say
// where they are, or they are not there.
func (s *Store) EmojiNames(ctx context.Context) (map[string]string, error) { return s.emoji.get(ctx) }

func (s *Store) readEmojiNames(ctx context.Context) (map[string]string, error) {
	current, err := s.need(ctx, []Part{Organization})
	if err != nil || current.Realm().EmojiDataURL == "" {
		return nil, err
	}
	names, err := s.client.EmojiNames(ctx, current.Realm().EmojiDataURL)
	if err != nil {
		tflog.Info(ctx, "Cannot read the names of the emoji: the server checks them when they are used", map[string]any{"error": err.Error()})
	}
	return names, nil
}
