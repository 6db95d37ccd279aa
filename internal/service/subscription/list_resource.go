package subscription

import (
	"github.com/hashicorp/terraform-plugin-framework/list"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// NewSubscribersListResource returns the list resource zulip_channel_subscribers: the channels, each of which has
// subscribers.
func NewSubscribersListResource() list.ListResource {
	return core.NewList(core.List[zulip.Channel]{
		Name: "channel_subscribers", Plural: "channels", Identity: "channel_id",
		ListText: core.ListText{Description: "Lists the channels that are not archived, each as the `zulip_channel_subscribers` that has all its subscribers. Use `zulip_channel` for the channels themselves."},
		Objects: core.FromSnapshot(func(s *snapshot.Snapshot) []*zulip.Channel { return s.Channels().List() }, func(_ *snapshot.Snapshot, channel *zulip.Channel) bool {
			return !channel.IsArchived
		}, store.Channels),
		Key:   func(channel *zulip.Channel) any { return channel.ID },
		Label: func(channel *zulip.Channel, _ *snapshot.Snapshot) string { return channel.Name },
	})
}
