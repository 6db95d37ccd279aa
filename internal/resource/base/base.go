// Package base has what resources, data sources, actions and ephemeral resources embed: [Resource], [DataSource], [Action]
// and [Ephemeral]. Each has a [Base], which is the connection to the organization once the provider is configured: [Meta]
// has the clients, the store that reads the organization, and the run state.
//
// Base and Meta also check what every plan has to check: whether the provider is configured, the server's feature level,
// and what the provider's account may do. The state and identity upgraders are the ones of all resources.
//
// # Errors
//
// Errors are put into words for the person who runs Terraform. [Explain] turns an error of a request into
// the detail of a diagnostic: the server's words, what they mean, and the next step. [Sentence] writes any other error as a
// sentence.
//
// An error that knows more than its cause has a method Explanation() string, which [Explain] then returns.
package base

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/trading"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Meta is what the configured provider gives to every construct.
type Meta struct {
	Client *zulip.Client
	// Store is nil when the provider has no account: NoAccount says why.
	Store *store.Store
	// Run is what this run knows of its own doings.
	Run    runstate.State
	Server *zulip.ServerSettings
	// LockoutProtection refuses plans that would take from the managing account what it needs to manage.
	LockoutProtection bool
	// RecoverInterrupted takes into the state what an apply has left that was broken off: see [core.Existing].
	RecoverInterrupted bool
	// WarnOfExisting has a plan warn of what exists already instead of refusing it, so that it can be matched with what exists
	// (export --for). The apply refuses it all the same.
	WarnOfExisting bool
	// AccessWarnings makes plans say who gains and who loses which right.
	AccessWarnings bool
	// NoAccount says what is missing for calls that need an account; nil when nothing is.
	NoAccount error
	// Trading is nil when no trading cloud is configured: NoTrading says why.
	Trading *trading.Client
	// NoTrading says what is missing for calls to the trading cloud; nil when nothing is.
	NoTrading error

	warnedOfRateLimit sync.Once
	unseen            atomic.Bool
}

// Base is embedded by every resource and data source. Meta is nil until the provider is configured, which it is not
// while a plan does not know the provider's own settings yet.
type Base struct{ Meta *Meta }

// FeatureLevel is the server's; zero when it is not known, and then nothing is refused because of it.
func (b *Base) FeatureLevel() int {
	if b.Meta == nil || b.Meta.Server == nil {
		return 0
	}
	return b.Meta.Server.ZulipFeatureLevel
}

// Ready reports whether the construct can call the organization, and says why not. Call it first in everything that
// needs an account.
func (b *Base) Ready(diags *diag.Diagnostics) bool {
	switch {
	case b.Meta == nil:
		diags.AddError("The provider is not configured",
			"The settings of the provider block are not known yet. Apply what they depend on first, with -target, or set them in the environment.")
	case b.Meta.NoAccount != nil:
		diags.AddError("No account to work with", b.Meta.NoAccount.Error())
	default:
		b.Meta.warnOfRateLimit(diags)
		return true
	}
	return false
}

// TradingReady is Ready for the trading cloud. Call it first in everything that asks it.
func (b *Base) TradingReady(diags *diag.Diagnostics) bool {
	switch {
	case b.Meta == nil:
		b.Ready(diags)
	case b.Meta.NoTrading != nil:
		diags.AddError("No trading cloud to ask", Sentence(b.Meta.NoTrading))
	default:
		return true
	}
	return false
}

// CanPlan reports whether checks against the organization are possible at plan, and says so if they never will be. Before
// the settings of the provider block are known they are put off. Call it first in ModifyPlan.
func (b *Base) CanPlan(diags *diag.Diagnostics) bool { return b.Meta != nil && b.Ready(diags) }

func (b *Base) configure(data any, diags *diag.Diagnostics) {
	if data == nil {
		return // before the provider is configured, as when validating
	}
	meta, ok := data.(*Meta)
	if !ok {
		diags.AddError("The provider handed over something unexpected", fmt.Sprintf("A %T. This is a mistake in the provider.", data))
		return
	}
	b.Meta = meta
}

// Resource is the base of resources.
type Resource struct{ Base }

// Configure takes what the provider hands over.
func (r *Resource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.configure(req.ProviderData, &resp.Diagnostics)
}

// DataSource is the base of data sources.
type DataSource struct{ Base }

// Configure takes what the provider hands over.
func (d *DataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.configure(req.ProviderData, &resp.Diagnostics)
}

// LockoutAdvice ends the messages of lock-out protection.
const LockoutAdvice = "\n\nIf that is meant, set lockout_protection = false in the provider block."
