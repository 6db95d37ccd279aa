package profilefield

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// NewOrderResource returns zulip_custom_profile_field_order.
func NewOrderResource() resource.Resource {
	return &framework.OrderResource{Order: framework.Order{
		TypeName: "custom_profile_field_order", ID: "custom_profile_fields", Attribute: "field_ids",
		Thing: "custom profile field", Things: "custom profile fields",
		Description: "The order in which profiles show the custom profile fields.",
		Seen: func(ctx context.Context, d *store.Store) ([]framework.Ordered, error) {
			return ordered(d.Read(ctx, store.ProfileFields))
		},
		Fresh: func(ctx context.Context, d *store.Store, shows func([]framework.Ordered) bool) ([]framework.Ordered, error) {
			return ordered(d.FreshUntil(ctx, list, func(view *snapshot.Snapshot) bool {
				all, _ := ordered(view, nil)
				return shows(all)
			}))
		},
		List: list,
		Write: func(ctx context.Context, client *zulip.Client, ids []int64) error {
			return client.OrderProfileFields(ctx, ids)
		},
		IsIncomplete: zulip.IsNotEveryProfileField,
	}}
}

func ordered(view *snapshot.Snapshot, err error) ([]framework.Ordered, error) {
	if err != nil {
		return nil, err
	}
	var all []framework.Ordered
	for _, field := range view.ProfileFields().List() {
		all = append(all, framework.Ordered{ID: field.ID})
	}
	return all, nil
}
