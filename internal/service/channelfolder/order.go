package channelfolder

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/order"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// NewOrderResource returns zulip_channel_folder_order.
func NewOrderResource() resource.Resource {
	return &order.Resource{Definition: order.Definition{
		TypeName: "channel_folder_order", ID: "channel_folders", Attribute: "folder_ids",
		Thing: "channel folder", Things: "channel folders",
		Description: "The order in which the web app shows the channel folders. Archived folders do not count.",
		Seen: func(ctx context.Context, d *store.Store) ([]order.Item, error) {
			return ordered(d.Read(ctx, store.Folders))
		},
		Fresh: func(ctx context.Context, d *store.Store, _ func([]order.Item) bool) ([]order.Item, error) {
			return ordered(d.Fresh(ctx, store.Folders))
		},
		// The server wants all of them, archived ones included (server-behavior §F5).
		Write: func(ctx context.Context, client *zulip.Client, ids []int64) error {
			return client.OrderChannelFolders(ctx, ids)
		},
	}}
}

func ordered(view *snapshot.Snapshot, err error) ([]order.Item, error) {
	if err != nil {
		return nil, err
	}
	var all []order.Item
	for _, folder := range view.Folders().List() {
		one := order.Item{ID: folder.ID}
		if folder.IsArchived {
			one.Aside = fmt.Sprintf("Channel folder %d, %q, is archived. A zulip_channel_folder with its name and adopt_archived = true unarchives it.", folder.ID, folder.Name)
		}
		all = append(all, one)
	}
	return all, nil
}
