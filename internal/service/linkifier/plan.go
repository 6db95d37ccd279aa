package linkifier

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/zulip-iac/terraform-provider-zulip/internal/directory"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
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
	view, err := r.Meta.Directory.ListShowing(ctx, list, func(view *directory.View) bool {
		held, taken := view.LinkifierByPattern(stored(plan.Pattern))
		return !taken || slices.Contains(own, held.ID) || r.Meta.Directory.IsClaimed(kind, held.ID)
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
func (r *Resource) checkPattern(plan, state *model, own []int64, view *directory.View, diags *diag.Diagnostics) {
	if !framework.IsSet(plan.Pattern) {
		return
	}
	at, pattern := path.Root("pattern"), stored(plan.Pattern)
	if !r.Meta.Directory.PlanName(kind, pattern, own...) {
		diags.AddAttributeError(at, "Two linkifiers with one pattern",
			fmt.Sprintf("Another zulip_linkifier of this configuration has the pattern %q too. The server takes a pattern only once.", pattern))
		return
	}
	held, taken := view.LinkifierByPattern(pattern)
	switch {
	case !taken || len(own) > 0 && held.ID == own[0]:
	case r.Meta.Directory.IsClaimed(kind, held.ID):
		// A resource of this run has it and gives it up, or it is this very one, to be made anew.
	case state == nil && plan.isHeld(held, r.FeatureLevel()):
		diags.AddAttributeWarning(at, "The linkifier is there already, and is taken into the state",
			fmt.Sprintf("Linkifier %d is exactly what is planned here: an apply must have been interrupted before it was written down, or somebody has made the same. Nothing is changed in the organization.", held.ID))
	default:
		diags.AddAttributeError(at, "The pattern is taken",
			fmt.Sprintf("Linkifier %d of the organization has the pattern %q and makes links to %s. The server takes a pattern only once.\n\n"+
				"To manage that one: terraform import ADDRESS %d. If it was managed under another address: write a moved block.", held.ID, pattern, held.URLTemplate, held.ID))
	}
}
