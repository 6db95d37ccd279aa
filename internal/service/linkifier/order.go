package linkifier

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/order"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// NewOrderResource returns zulip_linkifier_order.
func NewOrderResource() resource.Resource {
	return &order.Resource{Definition: order.Definition{
		TypeName: "linkifier_order", ID: "linkifiers", Attribute: "linkifier_ids",
		Thing: "linkifier", Things: "linkifiers",
		Description: "The order in which the linkifiers are tried: what one has made a link of is closed to those after it.",
		Seen: func(ctx context.Context, d *store.Store) ([]order.Item, error) {
			return ordered(d.Read(ctx, store.Linkifiers))
		},
		Fresh: func(ctx context.Context, d *store.Store, shows func([]order.Item) bool) ([]order.Item, error) {
			return ordered(d.FreshUntil(ctx, list, func(view *snapshot.Snapshot) bool {
				all, _ := ordered(view, nil)
				return shows(all)
			}))
		},
		List: list,
		Write: func(ctx context.Context, client *zulip.Client, ids []int64) error {
			return client.OrderLinkifiers(ctx, ids)
		},
	}}
}

func ordered(view *snapshot.Snapshot, err error) ([]order.Item, error) {
	if err != nil {
		return nil, err
	}
	var all []order.Item
	for _, linkifier := range view.Linkifiers().List() {
		all = append(all, order.Item{ID: linkifier.ID})
	}
	return all, nil
}
