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
		TypeName: "custom_profile_field_order", ID: "custom_profile_fields", Attribute: "order",
		Thing: "custom profile field", Things: "custom profile fields",
		Description: `The order in which profiles show the custom profile fields. An organization has one order, so have one such resource. Only administrators may set it.

The order is sent only if it is another. Destroying the resource leaves the order as it is. After an import the resource names all fields; a shorter list is then a change that sends nothing if the order is right.`,
		AttributeDescription: "The IDs of the fields that come first, each once. The others keep their order behind them.",
		Seen: func(ctx context.Context, d *directory.Directory) ([]int64, error) {
			return ids(d.ProfileFields(ctx))
		},
		Fresh: func(ctx context.Context, d *directory.Directory) ([]int64, error) {
			return ids(d.FreshProfileFields(ctx))
		},
		Write: func(ctx context.Context, client *zulip.Client, ids []int64) error {
			return client.OrderProfileFields(ctx, ids)
		},
		IsIncomplete: zulip.IsNotEveryProfileField,
	}}
}

func ids(view *directory.View, err error) ([]int64, error) {
	if err != nil {
		return nil, err
	}
	ids := []int64{}
	for _, field := range view.ProfileFields() {
		ids = append(ids, field.ID)
	}
	return ids, nil
}
