package adapter

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"
	actionschema "github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
)

// DataSource defines a data source by its function.
type DataSource[Model any] struct {
	// Name is the type without the provider's prefix.
	Name   string
	Schema func() schema.Schema
	// Ready reports whether the provider has the settings that the data source needs. The default is an account.
	Ready func(*base.Base, *diag.Diagnostics) bool
	// Read completes a model of the configuration, which becomes the state.
	Read func(ctx context.Context, c *Call[Model], m *Model) error
}

// New returns the data source for the plugin framework.
func (d DataSource[Model]) New() datasource.DataSource {
	if d.Ready == nil {
		d.Ready = (*base.Base).Ready
	}
	return &frameworkDataSource[Model]{def: d}
}

type frameworkDataSource[Model any] struct {
	base.DataSource
	def DataSource[Model]
}

func (d *frameworkDataSource[Model]) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "zulip_" + d.def.Name
}

func (d *frameworkDataSource[Model]) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = d.def.Schema()
}

func (d *frameworkDataSource[Model]) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	c := &Call[Model]{Base: &d.Base, Diags: &resp.Diagnostics, ctx: ctx, into: &resp.State}
	m := read[Model](ctx, c.Diags, req.Config.Raw, req.Config)
	if c.Diags.HasError() || !d.def.Ready(&d.Base, c.Diags) {
		return
	}
	if err := d.def.Read(ctx, c, m); err != nil {
		c.report(err)
		return
	}
	c.Save(m)
}

// Action defines an action by its functions.
type Action[Model any] struct {
	// Name is the type without the provider's prefix.
	Name   string
	Schema func() actionschema.Schema
	// Validate refuses a configuration that is wrong in every organization. It is called again before Invoke, when all
	// values are known. Optional.
	Validate func(config *Model, diags *diag.Diagnostics)
	// Plan refuses, during plan, a call that the server would refuse. Optional.
	Plan   func(context.Context, *Call[Model]) error
	Invoke func(context.Context, *Call[Model]) error
}

// New returns the action for the plugin framework.
func (d Action[Model]) New() action.Action { return &frameworkAction[Model]{def: d} }

type frameworkAction[Model any] struct {
	base.Action
	def Action[Model]
}

var (
	_ action.ActionWithConfigure      = (*frameworkAction[struct{}])(nil)
	_ action.ActionWithModifyPlan     = (*frameworkAction[struct{}])(nil)
	_ action.ActionWithValidateConfig = (*frameworkAction[struct{}])(nil)
)

func (a *frameworkAction[Model]) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = "zulip_" + a.def.Name
}

func (a *frameworkAction[Model]) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = a.def.Schema()
}

func (a *frameworkAction[Model]) ValidateConfig(ctx context.Context, req action.ValidateConfigRequest, resp *action.ValidateConfigResponse) {
	if a.def.Validate == nil {
		return
	}
	if config := read[Model](ctx, &resp.Diagnostics, req.Config.Raw, req.Config); !resp.Diagnostics.HasError() {
		a.def.Validate(config, &resp.Diagnostics)
	}
}

func (a *frameworkAction[Model]) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	c := &Call[Model]{Base: &a.Base, Diags: &resp.Diagnostics, ctx: ctx, config: req.Config, kind: "zulip_" + a.def.Name}
	if c.CheckLevels(); c.Diags.HasError() || a.def.Plan == nil || !a.CanPlan(c.Diags) {
		return
	}
	if c.Config = read[Model](ctx, c.Diags, req.Config.Raw, req.Config); !c.Diags.HasError() {
		c.report(a.def.Plan(ctx, c))
	}
}

func (a *frameworkAction[Model]) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	c := &Call[Model]{
		Base: &a.Base, Diags: &resp.Diagnostics, ctx: ctx, config: req.Config, kind: "zulip_" + a.def.Name,
		say: func(text string) { resp.SendProgress(action.InvokeProgressEvent{Message: text}) },
	}
	c.Config = read[Model](ctx, c.Diags, req.Config.Raw, req.Config)
	if a.def.Validate != nil && !c.Diags.HasError() {
		a.def.Validate(c.Config, c.Diags)
	}
	if !c.Diags.HasError() && a.Ready(c.Diags) {
		c.report(a.def.Invoke(ctx, c))
	}
}
