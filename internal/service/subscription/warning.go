package subscription

import (
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/zulip-iac/terraform-provider-zulip/internal/accesswarning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/base"
)

// warn says who is subscribed and unsubscribed because of groups: the plan shows their IDs alone. Of those whom `users` names
// it shows the addresses.
func (p *planning) warn(meta *base.Meta, state *shared, add, remove []int64, diags *diag.Diagnostics) {
	if diags.HasError() {
		return
	}
	var leaving []int64
	if p.held {
		leaving = setOf(remove).and(numbersIn(state.GroupUsers))
	}
	accesswarning.OfSubscribers(meta, diags, p.channel.Name, p.view.User, setOf(add).minus(p.listed.active), leaving)
}
