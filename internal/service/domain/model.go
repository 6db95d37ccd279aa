package domain

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/featurelevel"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// model is the resource.
type model struct {
	ID              types.String `tfsdk:"id"`
	Domain          types.String `tfsdk:"domain"`
	AllowSubdomains types.Bool   `tfsdk:"allow_subdomains"`
}

// wire is the model in the words of the wire.
func (m *model) wire() zulip.Domain {
	return zulip.Domain{Domain: zulip.StoredDomain(m.Domain.ValueString()), AllowSubdomains: m.AllowSubdomains.ValueBool()}
}

// read takes what the server holds. The domain stays as it is written if it means the same.
func (m *model) read(found *zulip.Domain) {
	m.ID, m.AllowSubdomains = types.StringValue(found.Domain), types.BoolValue(found.AllowSubdomains)
	if zulip.StoredDomain(m.Domain.ValueString()) != found.Domain {
		m.Domain = types.StringValue(found.Domain)
	}
}

func resourceSchema() schema.Schema {
	return schema.Schema{
		Version: framework.SchemaVersion,
		MarkdownDescription: `A domain of the organization. If the organization lets only addresses of its domains join (` + "`emails_restricted_to_domains`" + `), these are the domains. Only owners manage them. ` + featurelevel.Needs("zulip_domain", "") + `

When the last domain is removed while only addresses of the organization's domains may join, the server ends that restriction, for else nobody could: the plan warns of it.

` + framework.NeverAdopted,
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				Computed: true, MarkdownDescription: "The domain as the server writes it, in lower case.",
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"domain": schema.StringAttribute{
				Required: true, MarkdownDescription: "The domain, as in `example.com`, at most 80 characters. Case makes no difference. Another domain is another resource.",
				Validators: []validator.String{domainValidator{}},
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplaceIf(isOther,
					"Another domain is another resource.", "Another domain is another resource.")},
			},
			"allow_subdomains": schema.BoolAttribute{
				Optional: true, Computed: true, MarkdownDescription: "Whether addresses of its subdomains count too. A new domain starts with `false`. Unset: not managed.",
				PlanModifiers: []planmodifier.Bool{boolplanmodifier.UseStateForUnknown()},
			},
		},
	}
}

// isOther replaces the resource unless the domain is only written in another case.
func isOther(_ context.Context, req planmodifier.StringRequest, resp *stringplanmodifier.RequiresReplaceIfFuncResponse) {
	resp.RequiresReplace = req.PlanValue.IsUnknown() || zulip.StoredDomain(req.PlanValue.ValueString()) != zulip.StoredDomain(req.StateValue.ValueString())
}

// ModifyPlan refuses what the account may not do, and warns of what else the removal of a domain does.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var plan, state model
	if !req.Plan.Raw.IsNull() {
		resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
		r.CheckLevels(ctx, "zulip_domain", req.Config, &resp.Diagnostics)
		r.checkAlone(ctx, req.Config, &resp.Diagnostics)
	}
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		if !req.Plan.Raw.IsNull() && plan.wire() == state.wire() && !plan.Domain.IsUnknown() && !plan.AllowSubdomains.IsUnknown() {
			resp.Diagnostics.Append(resp.Plan.Set(ctx, &state)...) // the same in other words
			return
		}
	}
	if resp.Diagnostics.HasError() || !r.CanPlan(&resp.Diagnostics) {
		return
	}
	r.checkCaller(&resp.Diagnostics)
	if !req.State.Raw.IsNull() && !req.Plan.Raw.IsNull() {
		resp.Diagnostics.Append(framework.KeepReplaced(ctx, resp.Private, number(state.ID.ValueString()))...)
	}
	switch isReplaced := zulip.StoredDomain(plan.Domain.ValueString()) != state.ID.ValueString(); {
	case req.State.Raw.IsNull():
		own := framework.Replaced(ctx, req.Private, &resp.Diagnostics)
		r.checkTaken(ctx, &plan, len(own) > 0, &resp.Diagnostics)
	case req.Plan.Raw.IsNull():
		ends := state.wire()
		r.PlanEnd(existing(&state, &ends), &resp.Diagnostics)
		r.warnOfLast(ctx, state.ID.ValueString(), "", &resp.Diagnostics)
	case isReplaced:
		r.warnOfLast(ctx, state.ID.ValueString(), beforeItsPlaceIsTaken, &resp.Diagnostics)
	}
}

// checkAlone refuses two resources that say different things of one domain.
func (r *Resource) checkAlone(ctx context.Context, raw tfsdk.Config, diags *diag.Diagnostics) {
	var config model
	diags.Append(raw.Get(ctx, &config)...)
	subdomains := config.AllowSubdomains
	if r.Meta == nil || r.Meta.Store == nil || config.Domain.IsUnknown() || subdomains.IsNull() || subdomains.IsUnknown() {
		return
	}
	if name := config.wire().Domain; !r.Meta.Run.Declare(kind, number(name), subdomains.String()) {
		diags.AddAttributeError(path.Root("allow_subdomains"), "Two resources for "+name,
			"Another zulip_domain of this configuration says otherwise of the same domain, and each apply would undo one of them. Keep one.")
	}
}

// checkTaken refuses a domain that the organization has already.
func (r *Resource) checkTaken(ctx context.Context, plan *model, isReplaced bool, diags *diag.Diagnostics) {
	if !framework.IsSet(plan.Domain) {
		return
	}
	name := plan.wire().Domain
	if !r.Meta.Run.Reserve(kind, name) {
		diags.AddAttributeError(path.Root("domain"), "Two resources for "+name, "Another zulip_domain of this configuration is the same domain. Take one of the two out.")
		return
	}
	if isReplaced {
		return // it is this very domain, to be made anew
	}
	r.Meta.Run.WillCreate(kind, name)
	view, err := r.Meta.Store.ReadUntil(ctx, list, func(view *snapshot.Snapshot) bool {
		_, taken := view.Domains().ByName(name)
		return !taken || r.Meta.Run.IsManaged(kind, number(name))
	})
	if err != nil {
		diags.AddError("Could not read the domains", framework.Explain(err))
		return
	}
	if found, taken := view.Domains().ByName(name); taken {
		r.CheckExisting(existing(plan, found), diags)
	}
}

// existing is the domain that the organization has.
func existing(plan *model, found *zulip.Domain) framework.Existing {
	asPlanned := plan.AllowSubdomains.IsUnknown() || plan.AllowSubdomains.ValueBool() == found.AllowSubdomains
	return framework.Existing{
		Kind: kind, Noun: "domain", Name: found.Domain, ID: number(found.Domain), Import: found.Domain, At: path.Root("domain"),
		Summary:   fmt.Sprintf("The organization has the domain %s already", found.Domain),
		Detail:    fmt.Sprintf("It is there with allow_subdomains = %t.", found.AllowSubdomains),
		AsPlanned: asPlanned, MayBeReplaced: asPlanned, Ours: true, // the server does not tell who added it, or when
	}
}

// checkCaller refuses what the account may not do.
func (r *Resource) checkCaller(diags *diag.Diagnostics) {
	r.Meta.RequireRole(zulip.RoleOwner, path.Empty(), "manage the organization's domains", diags)
}

// beforeItsPlaceIsTaken is what a domain that is replaced by another needs.
const beforeItsPlaceIsTaken = "\n\nTerraform removes it before it adds the one that takes its place, unless this resource has lifecycle { create_before_destroy = true }: with that, the restriction stays."

// warnOfLast says what happens with the last domain, and with the last of several that go in one run.
func (r *Resource) warnOfLast(ctx context.Context, domain, next string, diags *diag.Diagnostics) {
	view, err := r.Meta.Store.Read(ctx, store.Domains)
	if err != nil {
		diags.AddError("Could not read the domains", framework.Explain(err))
		return
	}
	const ends = kind + " ends"
	r.Meta.Run.Manage(ends, number(domain))
	stays := slices.ContainsFunc(view.Domains().List(), func(one *zulip.Domain) bool { return !r.Meta.Run.IsManaged(ends, number(one.Domain)) })
	if _, there := view.Domains().ByName(domain); there && !stays {
		diags.AddAttributeWarning(path.Root("domain"), "This is the organization's last domain",
			fmt.Sprintf("If only addresses of the organization's domains may join (emails_restricted_to_domains), the server ends that restriction when %s is removed: then any address may.", domain)+next)
	}
}

// domainValidator accepts a domain.
type domainValidator struct{}

// Description says what is accepted.
func (domainValidator) Description(context.Context) string { return "a domain like example.com" }

// MarkdownDescription says what is accepted.
func (v domainValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString refuses the rest.
func (domainValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if err := zulip.CheckDomain(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Not a domain", framework.Sentence(err))
	}
}
