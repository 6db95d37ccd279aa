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
		TypeName: "linkifier_order", ID: "linkifiers", Attribute: "linkifier_ids",
		Thing: "linkifier", Things: "linkifiers",
		Description: "The order in which the linkifiers are tried: what one has made a link of is closed to those after it.",
		Seen: func(ctx context.Context, d *directory.Directory) ([]framework.Ordered, error) {
			return ordered(d.Linkifiers(ctx))
		},
		Fresh: func(ctx context.Context, d *directory.Directory, shows func([]framework.Ordered) bool) ([]framework.Ordered, error) {
			return ordered(d.FreshListShowing(ctx, list, func(view *directory.View) bool {
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

func ordered(view *directory.View, err error) ([]framework.Ordered, error) {
	if err != nil {
		return nil, err
	}
	var all []framework.Ordered
	for _, linkifier := range view.Linkifiers() {
		all = append(all, framework.Ordered{ID: linkifier.ID})
	}
	return all, nil
}
