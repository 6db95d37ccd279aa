package profilefield

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/zulip-iac/terraform-provider-zulip/internal/directory"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// NewOrderResource returns zulip_custom_profile_field_order.
func NewOrderResource() resource.Resource {
	return &framework.OrderResource{Order: framework.Order{
		TypeName: "custom_profile_field_order", ID: "custom_profile_fields", Attribute: "field_ids",
		Thing: "custom profile field", Things: "custom profile fields",
		Description: "The order in which profiles show the custom profile fields.",
		Seen: func(ctx context.Context, d *directory.Directory) ([]framework.Ordered, error) {
			return ordered(d.ProfileFields(ctx))
		},
		Fresh: func(ctx context.Context, d *directory.Directory, shows func([]framework.Ordered) bool) ([]framework.Ordered, error) {
			return ordered(d.FreshListShowing(ctx, list, func(view *directory.View) bool {
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

func ordered(view *directory.View, err error) ([]framework.Ordered, error) {
	if err != nil {
		return nil, err
	}
	var all []framework.Ordered
	for _, field := range view.ProfileFields() {
		all = append(all, framework.Ordered{ID: field.ID})
	}
	return all, nil
}
