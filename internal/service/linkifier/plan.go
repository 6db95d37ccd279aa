package linkifier

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// ValidateConfig refuses what is wrong in any organization, as far as it is known.
func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	switch {
	case framework.IsSet(config.Pattern) && framework.IsSet(config.URLTemplate):
		_, err := zulip.ParseLinkifier(config.Pattern.ValueString(), config.URLTemplate.ValueString())
		addWrong(err, &resp.Diagnostics)
	case framework.IsSet(config.Pattern):
		_, err := zulip.ParseLinkifierPattern(config.Pattern.ValueString())
		addWrong(err, &resp.Diagnostics)
	case framework.IsSet(config.URLTemplate):
		_, err := zulip.ParseURLTemplate(config.URLTemplate.ValueString())
		addWrong(err, &resp.Diagnostics)
	}
	for i, text := range textsOf(config.AlternativeURLTemplates) {
		if _, err := zulip.ParseURLTemplate(text); err != nil {
			resp.Diagnostics.AddAttributeError(path.Root("alternative_url_templates").AtListIndex(i), "Not a URL template", "The server would refuse it: it is empty, or not a URL template of RFC 6570.")
		}
	}
	if config.ReverseTemplate.ValueString() != "" && framework.IsSet(config.ExampleInput) && config.ExampleInput.ValueString() == "" {
		resp.Diagnostics.AddAttributeError(path.Root("example_input"), "An example is missing", "The server wants an example_input with every reverse_template.")
	}
}

// addWrong reports a mistake at the attribute it is in.
func addWrong(err error, diags *diag.Diagnostics) {
	var wrong *zulip.LinkifierError
	if errors.As(err, &wrong) {
		diags.AddAttributeError(path.Root(wrong.Field), "Not a linkifier", "The server would refuse this: "+wrong.Error()+".")
	}
}

// ModifyPlan finds patterns that are taken, refuses what the server or the account may not do, and keeps words that mean
// the same.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if !r.CanPlan(&resp.Diagnostics) {
		return
	}
	if req.Plan.Raw.IsNull() {
		r.RequireAdministrator("delete linkifiers", &resp.Diagnostics)
		r.planEnd(ctx, req, &resp.Diagnostics)
		return
	}
	var plan, config model
	var state *model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if !req.State.Raw.IsNull() {
		state = &model{}
		resp.Diagnostics.Append(req.State.Get(ctx, state)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	r.CheckLevels(ctx, "zulip_linkifier", req.Config, &resp.Diagnostics)
	var own []int64
	if state == nil {
		r.RequireAdministrator("add linkifiers", &resp.Diagnostics)
		own = framework.Replaced(ctx, req.Private, &resp.Diagnostics)
	} else {
		plan.keepWords(state, &config)
		if !plan.isAs(state) {
			r.RequireAdministrator("change linkifiers", &resp.Diagnostics)
		}
		own = []int64{state.ID.ValueInt64()}
		resp.Diagnostics.Append(framework.KeepReplaced(ctx, resp.Private, own[0])...)
	}
	view, err := r.Meta.Store.ReadUntil(ctx, list, func(view *snapshot.Snapshot) bool {
		held, taken := view.Linkifiers().ByName(stored(plan.Pattern))
		return !taken || slices.Contains(own, held.ID) || r.Meta.Run.IsManaged(kind, held.ID)
	})
	if err != nil {
		resp.Diagnostics.AddError("Could not read the linkifiers", framework.Explain(err))
		return
	}
	r.checkPattern(&plan, state, own, view, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

// checkPattern refuses a pattern that another linkifier has, of this configuration or of the organization. own is the ID
// that the linkifier has, or had.
func (r *Resource) checkPattern(plan, state *model, own []int64, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	if !framework.IsSet(plan.Pattern) {
		return
	}
	at, pattern := path.Root("pattern"), stored(plan.Pattern)
	if !r.Meta.Run.Reserve(kind, pattern, own...) {
		diags.AddAttributeError(at, "Two linkifiers with one pattern",
			fmt.Sprintf("Another zulip_linkifier of this configuration has the pattern %q too. The server takes a pattern only once.", pattern))
		return
	}
	if state == nil && len(own) == 0 {
		r.Meta.Run.WillCreate(kind, pattern)
	}
	held, taken := view.Linkifiers().ByName(pattern)
	switch {
	case !taken || len(own) > 0 && held.ID == own[0]:
	default:
		existing := r.existing(plan, held)
		existing.AsPlanned = existing.AsPlanned && state == nil
		existing.MayBeReplaced, existing.IsRename = existing.AsPlanned, state != nil
		r.CheckExisting(existing, diags)
	}
}

// existing is the linkifier that has the planned pattern.
func (r *Resource) existing(plan *model, held *zulip.Linkifier) framework.Existing {
	return framework.Existing{
		Kind: kind, Noun: "linkifier", Name: stored(plan.Pattern), ID: held.ID, Import: fmt.Sprint(held.ID), At: path.Root("pattern"),
		Summary:   "The pattern is taken",
		Detail:    fmt.Sprintf("Linkifier %d of the organization has the pattern %q and makes links to %s. The server takes a pattern only once.", held.ID, held.Pattern, held.URLTemplate),
		AsPlanned: plan.isHeld(held, r.FeatureLevel()), Ours: true, // the server does not tell who made it, or when
	}
}

// refuse reports why the linkifier was not added; a taken pattern with what has it.
func (r *Resource) refuse(ctx context.Context, plan *model, cause error, diags *diag.Diagnostics) {
	if zulip.IsPatternTaken(cause) {
		is := func(view *snapshot.Snapshot) bool { _, ok := view.Linkifiers().ByName(stored(plan.Pattern)); return ok }
		if view, err := r.Meta.Store.FreshUntil(ctx, list, is); err == nil {
			if held, ok := view.Linkifiers().ByName(stored(plan.Pattern)); ok {
				r.existing(plan, held).Refuse(r.Meta, diags)
				return
			}
		}
	}
	diags.AddAttributeError(path.Root("pattern"), fmt.Sprintf("Could not add the linkifier for %q", stored(plan.Pattern)), explain(cause))
}

// planEnd registers that the linkifier goes.
func (r *Resource) planEnd(ctx context.Context, req resource.ModifyPlanRequest, diags *diag.Diagnostics) {
	var state model
	diags.Append(req.State.Get(ctx, &state)...)
	if !diags.HasError() {
		r.PlanEnd(framework.Existing{Kind: kind, Noun: "linkifier", Name: stored(state.Pattern), ID: state.ID.ValueInt64(), Import: fmt.Sprint(state.ID.ValueInt64())}, diags)
	}
}
