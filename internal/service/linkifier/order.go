package linkifier

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// NewOrderResource returns zulip_linkifier_order.
func NewOrderResource() resource.Resource {
	return &framework.OrderResource{Order: framework.Order{
		TypeName: "linkifier_order", ID: "linkifiers", Attribute: "linkifier_ids",
		Thing: "linkifier", Things: "linkifiers",
		Description: "The order in which the linkifiers are tried: what one has made a link of is closed to those after it.",
		Seen: func(ctx context.Context, d *store.Store) ([]framework.Ordered, error) {
			return ordered(d.Read(ctx, store.Linkifiers))
		},
		Fresh: func(ctx context.Context, d *store.Store, shows func([]framework.Ordered) bool) ([]framework.Ordered, error) {
			return ordered(d.FreshUntil(ctx, list, func(view *snapshot.Snapshot) bool {
				all, _ := ordered(view, nil)
				return shows(all)
			}))
		},
		List: list,
		Write: func(ctx context.Context, client *zulip.Client, ids []int64) error {
			return client.OrderLinkifiers(ctx, ids)
		},
		IsIncomplete: zulip.IsNotEveryLinkifier,
	}}
}

func ordered(view *snapshot.Snapshot, err error) ([]framework.Ordered, error) {
	if err != nil {
		return nil, err
	}
	var all []framework.Ordered
	for _, linkifier := range view.Linkifiers().List() {
		all = append(all, framework.Ordered{ID: linkifier.ID})
	}
	return all, nil
}
