package profilefield

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// known are the services whose fields the server names itself (server-behavior §L6).
var known = []string{"github", "twitter"}

// ValidateConfig refuses what is wrong in any organization, as far as it is known.
func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || config.FieldType.IsUnknown() {
		return
	}
	word := config.FieldType.ValueString()
	belongs := func(name string, value attr.Value, of string, does bool) {
		switch {
		case value.IsNull() && does:
			resp.Diagnostics.AddAttributeError(path.Root(name), name+" is missing", fmt.Sprintf("A field of the %s needs it.", of))
		case framework.IsSet(value) && !does:
			resp.Diagnostics.AddAttributeError(path.Root(name), "No place for "+name, fmt.Sprintf("Only a field of the %s has it. Take it out, or change that.", of))
		}
	}
	kind := zulip.ParseProfileFieldType(word)
	belongs("options", config.Options, "type select", kind == zulip.ProfileFieldSelect)
	belongs("subtype", config.Subtype, "type external_account", kind == zulip.ProfileFieldExternal)
	if !config.Subtype.IsUnknown() {
		belongs("url_pattern", config.URLPattern, "subtype custom", config.Subtype.ValueString() == custom)
		config.validateName(&resp.Diagnostics)
	}
	if framework.IsSet(config.URLPattern) && strings.Count(config.URLPattern.ValueString(), "%(username)s") != 1 {
		resp.Diagnostics.AddAttributeError(path.Root("url_pattern"), "Not a pattern of URLs", "It holds %(username)s once, where the name of the account goes.")
	}
	if kind == zulip.ProfileFieldUser && config.DisplayInProfileSummary.ValueBool() {
		resp.Diagnostics.AddAttributeError(path.Root("display_in_profile_summary"), "Not for this type", "The server shows no field of the type user in the summary.")
	}
	config.validateOptions(&resp.Diagnostics)
}

// validateName wants a name where the server does not give one.
func (m *model) validateName(diags *diag.Diagnostics) {
	subtype := m.Subtype.ValueString()
	external := m.FieldType.ValueString() == zulip.ProfileFieldExternal.String()
	if !external || !slices.Contains(known, subtype) {
		if m.Name.IsNull() && (!external || subtype == custom) {
			diags.AddAttributeError(path.Root("name"), "name is missing", "A field needs a name; only fields for accounts of a service that the server knows have the server's.")
		}
		return
	}
	for name, value := range map[string]attr.Value{"name": m.Name, "hint": m.Hint} {
		if framework.IsSet(value) {
			diags.AddAttributeError(path.Root(name), "No place for "+name, fmt.Sprintf("The server knows %s and gives the field its own name, without a hint. Take it out, or choose the subtype custom.", subtype))
		}
	}
}

// validateOptions wants keys and texts that differ, as far as they are known.
func (m *model) validateOptions(diags *diag.Diagnostics) {
	keys, texts := map[string]bool{}, map[string]bool{}
	for i, option := range optionsOf(m.Options) {
		at := path.Root("options").AtListIndex(i)
		if option.Key != "" && keys[option.Key] {
			diags.AddAttributeError(at.AtName("key"), "Two options with one key", fmt.Sprintf("Another option has the key %q too.", option.Key))
		}
		if option.Text != "" && texts[option.Text] {
			diags.AddAttributeError(at.AtName("text"), "Two options with one text", fmt.Sprintf("Another option reads %q too; the server refuses that.", option.Text))
		}
		keys[option.Key], texts[option.Text] = true, true
	}
}

// ModifyPlan finds names that are taken, refuses what the server or the account may not do, and says what people lose.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if !r.CanPlan(&resp.Diagnostics) {
		return
	}
	var plan, config model
	var state *model
	if !req.State.Raw.IsNull() {
		state = &model{}
		resp.Diagnostics.Append(req.State.Get(ctx, state)...)
	}
	if req.Plan.Raw.IsNull() {
		r.RequireAdministrator("delete custom profile fields", &resp.Diagnostics)
		r.warnLoss(ctx, state, func(string) bool { return true }, "The field is deleted, and what they wrote with it.", &resp.Diagnostics)
		r.PlanEnd(framework.Existing{Kind: kind, Noun: "custom profile field", Name: state.label(), ID: state.ID.ValueInt64(), Import: fmt.Sprint(state.ID.ValueInt64())}, &resp.Diagnostics)
		return
	}
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	r.CheckLevels(ctx, "zulip_custom_profile_field", req.Config, &resp.Diagnostics)
	r.checkSummary(&config, &resp.Diagnostics)
	var own []int64
	if state == nil {
		r.RequireAdministrator("add custom profile fields", &resp.Diagnostics)
		own = framework.Replaced(ctx, req.Private, &resp.Diagnostics)
	} else {
		own = []int64{state.ID.ValueInt64()}
		resp.Diagnostics.Append(framework.KeepReplaced(ctx, resp.Private, own[0])...)
		r.planChange(ctx, &plan, state, &config, &resp.Diagnostics)
	}
	view, err := r.Meta.Store.ReadUntil(ctx, list, func(view *snapshot.Snapshot) bool {
		held, taken := plan.namesake(view)
		return !taken || slices.Contains(own, held.ID) || r.Meta.Run.IsManaged(kind, held.ID)
	})
	if err != nil {
		resp.Diagnostics.AddError("Could not read the custom profile fields", framework.Explain(err))
		return
	}
	r.checkName(&plan, own, view, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

// planChange keeps what is not managed, and says what people lose by the change.
func (r *Resource) planChange(ctx context.Context, plan, state, config *model, diags *diag.Diagnostics) {
	if !plan.FieldType.Equal(state.FieldType) || !plan.Subtype.Equal(state.Subtype) {
		r.RequireAdministrator("replace custom profile fields", diags)
		r.warnLoss(ctx, state, func(string) bool { return true }, "The field becomes another one, and what they wrote is deleted.", diags)
		return
	}
	plan.keepUnmanaged(state, config)
	if !plan.isAs(state) {
		r.RequireAdministrator("change custom profile fields", diags)
	}
	if plan.Options.IsUnknown() || !framework.IsSet(state.Options) {
		return
	}
	gone := map[string]bool{}
	for _, option := range optionsOf(state.Options) {
		gone[option.Key] = true
	}
	for _, option := range optionsOf(plan.Options) {
		if option.Key == "" {
			return // not known yet
		}
		delete(gone, option.Key)
	}
	if len(gone) > 0 {
		r.warnLoss(ctx, state, func(value string) bool { return gone[value] }, "The option they chose goes, and their answer with it. To give an option another text, leave its key.", diags)
	}
}

// warnLoss says how many people lose what they have written in the field.
func (r *Resource) warnLoss(ctx context.Context, state *model, loses func(value string) bool, why string, diags *diag.Diagnostics) {
	view, err := r.Meta.Store.Read(ctx, store.Users)
	if err != nil {
		diags.AddError("Could not read the people", framework.Explain(err))
		return
	}
	field, count := strconv.FormatInt(state.ID.ValueInt64(), 10), 0
	for _, user := range view.Users() {
		if answer, ok := user.ProfileData[field]; ok && loses(answer.Value) {
			count++
		}
	}
	if count > 0 {
		diags.AddWarning(fmt.Sprintf("%s what they wrote in %q", people(count), state.Name.ValueString()), why)
	}
}

func people(count int) string {
	if count == 1 {
		return "1 person loses"
	}
	return fmt.Sprintf("%d people lose", count)
}

// checkSummary refuses to show a long text where the server is too old for it.
func (r *Resource) checkSummary(config *model, diags *diag.Diagnostics) {
	if config.DisplayInProfileSummary.ValueBool() && zulip.ParseProfileFieldType(config.FieldType.ValueString()) == zulip.ProfileFieldLongText {
		r.RequireLevel("display_in_profile_summary", levelLongSummary, diags)
	}
}

// checkName refuses a name that another field has, of this configuration or of the organization. own is the ID that the
// field has, or had.
func (r *Resource) checkName(plan *model, own []int64, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	if plan.label() == "" {
		return // not known yet
	}
	at := path.Root("name")
	if !framework.IsSet(plan.Name) {
		at = path.Root("subtype")
	}
	if !r.Meta.Run.Reserve(kind, plan.label(), own...) {
		diags.AddAttributeError(at, "Two custom profile fields with one name",
			fmt.Sprintf("Another zulip_custom_profile_field of this configuration is called %q too. The server takes a name only once.", plan.label()))
		return
	}
	if len(own) == 0 {
		r.Meta.Run.WillCreate(kind, plan.label())
	}
	held, taken := plan.namesake(view)
	switch {
	case !taken || len(own) > 0 && held.ID == own[0]:
	default:
		existing := r.existing(plan, held)
		existing.MayBeReplaced, existing.IsRename = len(own) == 0, len(own) > 0
		existing.AsPlanned = existing.AsPlanned && len(own) == 0
		r.CheckExisting(existing, diags)
	}
}

// existing is the field that has the planned name. One of another type may be the one that this replaces.
func (r *Resource) existing(plan *model, held *zulip.ProfileField) framework.Existing {
	at := path.Root("name")
	if !framework.IsSet(plan.Name) {
		at = path.Root("subtype")
	}
	return framework.Existing{
		Kind: kind, Noun: "custom profile field", Name: plan.label(), ID: held.ID, Import: fmt.Sprint(held.ID), At: at,
		Summary:   "The name is taken",
		Detail:    fmt.Sprintf("Field %d of the organization is called %q too, and is of the type %s. The server takes a name only once.", held.ID, held.Name, held.Type),
		AsPlanned: plan.isHeld(held, r.FeatureLevel()), Ours: true, // the server does not tell who made it, or when
	}
}

// refuse reports why the field was not added; a taken name with what has it.
func (r *Resource) refuse(ctx context.Context, plan *model, cause error, diags *diag.Diagnostics) {
	if zulip.IsProfileFieldNameTaken(cause) {
		is := func(view *snapshot.Snapshot) bool { _, ok := plan.namesake(view); return ok }
		if view, err := r.Meta.Store.FreshUntil(ctx, list, is); err == nil {
			if held, ok := plan.namesake(view); ok {
				r.existing(plan, held).Refuse(r.Meta, diags)
				return
			}
		}
	}
	diags.AddError(fmt.Sprintf("Could not add the custom profile field %q", plan.label()), explain(cause, 0))
}
