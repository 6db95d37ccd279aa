package channel

import (
	"context"
	"fmt"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// subject is a channel as what is changed.
func (r *Resource) subject(id int64) framework.Subject[*zulip.Channel, zulip.ChannelUpdate] {
	return framework.Subject[*zulip.Channel, zulip.ChannelUpdate]{
		Unread: fmt.Sprintf("channel %d", id),
		Name:   func(c *zulip.Channel) string { return fmt.Sprintf("channel %q", c.Name) },
		Read:   func(ctx context.Context) (*reading, error) { return r.fresh(ctx, id) },
		Send: func(ctx context.Context, pending pending) (ignored []string, err error) {
			for _, update := range requests(pending) {
				answer, err := r.Meta.Client.UpdateChannel(ctx, id, update)
				if err != nil {
					return nil, err
				}
				ignored = append(ignored, answer.IgnoredParameters...)
			}
			return ignored, nil
		},
	}
}

// requests divides what is pending into what one request may carry. Permissions go first, so that nothing else has
// changed when one of them is refused (server-behavior §C10). The exception: while history is protected, the right to
// create topics is fixed, so the change that shares history has to come before.
func requests(pending pending) []zulip.ChannelUpdate {
	permissions, others := pending.Permissions(), pending.Others()
	ordered := []zulip.ChannelUpdate{permissions, others}
	_, topics := permissions.Permissions["can_create_topic_group"]
	if topics && pending.Now.Privacy() == zulip.PrivacyPrivateProtectedHistory {
		slices.Reverse(ordered)
	}
	return slices.DeleteFunc(ordered, func(u zulip.ChannelUpdate) bool { return u.Empty() })
}

// fresh reads a channel as it is now, together with everybody else who wants to.
func (r *Resource) fresh(ctx context.Context, id int64) (*reading, error) {
	if _, err := r.Meta.Store.Read(ctx, store.Organization); err != nil {
		return nil, err
	}
	view, err := r.Meta.Store.Fresh(ctx, store.Channels)
	if err != nil {
		return nil, err
	}
	channel, ok := view.Channels().ByID(id)
	if !ok {
		return nil, fmt.Errorf("the account the provider uses does not see a channel with the ID %d any more", id)
	}
	if channel.IsArchived {
		return nil, fmt.Errorf("channel %q was archived meanwhile", channel.Name)
	}
	return &reading{Thing: channel, View: view}, nil
}
