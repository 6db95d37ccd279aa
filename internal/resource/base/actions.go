package base

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
)

// Action is the base of actions.
type Action struct{ Base }

// Configure takes what the provider hands over.
func (a *Action) Configure(_ context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	a.configure(req.ProviderData, &resp.Diagnostics)
}

// Ephemeral is the base of ephemeral resources.
type Ephemeral struct{ Base }

// Configure takes what the provider hands over.
func (e *Ephemeral) Configure(_ context.Context, req ephemeral.ConfigureRequest, resp *ephemeral.ConfigureResponse) {
	e.configure(req.ProviderData, &resp.Diagnostics)
}
