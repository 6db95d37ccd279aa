package profilefield

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/order"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// NewOrderResource returns zulip_custom_profile_field_order.
func NewOrderResource() resource.Resource {
	return &order.Resource{Definition: order.Definition{
		TypeName: "custom_profile_field_order", ID: "custom_profile_fields", Attribute: "field_ids",
		Thing: "custom profile field", Things: "custom profile fields",
		Description: "The order in which profiles show the custom profile fields.",
		Seen: func(ctx context.Context, d *store.Store) ([]order.Item, error) {
			return ordered(d.Read(ctx, store.ProfileFields))
		},
		Fresh: func(ctx context.Context, d *store.Store, shows func([]order.Item) bool) ([]order.Item, error) {
			return ordered(d.FreshUntil(ctx, list, func(view *snapshot.Snapshot) bool {
				all, _ := ordered(view, nil)
				return shows(all)
			}))
		},
		List: list,
		Write: func(ctx context.Context, client *zulip.Client, ids []int64) error {
			return client.OrderProfileFields(ctx, ids)
		},
	}}
}

func ordered(view *snapshot.Snapshot, err error) ([]order.Item, error) {
	if err != nil {
		return nil, err
	}
	var all []order.Item
	for _, field := range view.ProfileFields().List() {
		all = append(all, order.Item{ID: field.ID})
	}
	return all, nil
}
