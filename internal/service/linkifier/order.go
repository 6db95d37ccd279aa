package linkifier

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/zulip-iac/terraform-provider-zulip/internal/directory"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// NewOrderResource returns zulip_linkifier_order.
func NewOrderResource() resource.Resource {
	return &framework.OrderResource{Order: framework.Order{
		TypeName: "linkifier_order", ID: "linkifiers", Attribute: "ordered_linkifier_ids",
		Thing: "linkifier", Things: "linkifiers", FeatureLevel: levelOrder,
		Description: `The order in which the linkifiers are tried: what one has made a link of is closed to those after it. An organization has one order, so have one such resource. Only administrators may set it. Needs feature level 202.

The order is sent only if it is another. Destroying the resource leaves the order as it is. After an import the resource names all linkifiers; a shorter list is then a change that sends nothing if the order is right.`,
		AttributeDescription: "The IDs of the linkifiers that come first, each once. The others keep their order behind them.",
		Seen: func(ctx context.Context, d *directory.Directory) ([]int64, error) {
			return ids(d.Linkifiers(ctx))
		},
		Fresh: func(ctx context.Context, d *directory.Directory) ([]int64, error) {
			return ids(d.FreshLinkifiers(ctx))
		},
		Write: func(ctx context.Context, client *zulip.Client, ids []int64) error {
			return client.OrderLinkifiers(ctx, ids)
		},
		IsIncomplete: zulip.IsNotEveryLinkifier,
	}}
}

func ids(view *directory.View, err error) ([]int64, error) {
	if err != nil {
		return nil, err
	}
	ids := []int64{}
	for _, linkifier := range view.Linkifiers() {
		ids = append(ids, linkifier.ID)
	}
	return ids, nil
}
