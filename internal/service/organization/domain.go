package organization

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// domainResource is zulip_domain.
type domainResource struct {
	*core.Resource[domainModel, zulip.Domain, domainModel]
}

// NewDomainResource returns zulip_domain.
func NewDomainResource() resource.Resource {
	return &domainResource{core.New(&core.Definition[domainModel, zulip.Domain, domainModel]{
		Name: "domain", Title: "domain", Plural: "domains",
		ListText: core.ListText{Description: "Lists the domains from which people may join while `emails_restricted_to_domains` of `zulip_organization` is `true`."},
		Schema:   domainSchema,
		Role:     zulip.RoleOwner, ForceNew: []string{"domain"},
		Source: core.Source{Part: store.Domains, Lags: true, StoresAsSent: true},
		Index:  (*snapshot.Snapshot).Domains,
		Key:    func(domain *zulip.Domain) int64 { return core.TextID(domain.Domain) },
		Unique: core.Unique[domainModel, zulip.Domain]{
			Attribute: "domain",
			Of:        (*domainModel).name,
			Where:     "the organization's settings list all, under Organization permissions", Unquoted: true,
			IsTaken: zulip.IsDomainTaken,
			Existing: func(e *core.Existing, domain *zulip.Domain, _ *core.Context) {
				e.Detail = fmt.Sprintf("It has allow_subdomains = %t.", domain.AllowSubdomains)
			},
		},
		ReadInto: readDomainInto, KeepPrior: domainKeepPrior, CheckPlan: checkDomainPlan,
		Create: createDomain, Update: updateDomain, Delete: deleteDomain, DeleteVerb: "remove",
		Hint: domainHint,
	})}
}

type domainModel struct {
	ID              types.String `tfsdk:"id"`
	Domain          types.String `tfsdk:"domain"`
	AllowSubdomains types.Bool   `tfsdk:"allow_subdomains"`
}

// name is the domain as the server stores it.
func (m *domainModel) name() string { return zulip.StoredDomain(m.Domain.ValueString()) }

func (m *domainModel) wire() zulip.Domain {
	return zulip.Domain{Domain: m.name(), AllowSubdomains: m.AllowSubdomains.ValueBool()}
}

func domainSchema() schema.Schema {
	return schema.Schema{
		Version: base.SchemaVersion,
		MarkdownDescription: `A domain of the organization. If the organization lets only addresses of its domains join (` + "`emails_restricted_to_domains`" + `), these are the domains. Only owners manage them.

The server switches ` + "`emails_restricted_to_domains`" + ` off when the last domain is removed: then any address may join. So a replacement of the last domain is refused while the restriction is on, unless the new domain is added first: set ` + "`lifecycle { create_before_destroy = true }`" + `. A plan is refused if it removes the last domain without a replacement and ` + "`zulip_organization`" + ` keeps ` + "`emails_restricted_to_domains = true`" + `. Destroying everything is possible, and the plan warns about it.

` + core.NeverAdopted,
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				Computed: true, MarkdownDescription: "The domain as the server writes it, in lower case.",
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"domain": schema.StringAttribute{
				Required: true, MarkdownDescription: "The domain, as in `example.com`, at most 80 characters. Case is ignored. Changing this forces a new domain.",
				Validators: []validator.String{domainValidator{}},
			},
			"allow_subdomains": schema.BoolAttribute{
				Optional: true, Computed: true, MarkdownDescription: "Whether addresses of its subdomains count too. Defaults to `false` on creation. Not managed if it is not set.",
			},
		},
	}
}

func readDomainInto(m *domainModel, domain *zulip.Domain, _ *core.Context) {
	m.ID, m.AllowSubdomains = types.StringValue(domain.Domain), types.BoolValue(domain.AllowSubdomains)
	if m.name() != domain.Domain {
		m.Domain = types.StringValue(domain.Domain)
	}
}

// domainKeepPrior plans no change where the domain is only written in another case.
func domainKeepPrior(plan, prior *domainModel) {
	if !plan.Domain.IsUnknown() && plan.name() == prior.name() {
		plan.Domain = prior.Domain
	}
}

// Facts of the run about domains, as kinds of the run state.
const (
	// plannedRemoval is a domain that the run plans to remove, removed one that it has removed.
	plannedRemoval = "planned removal of zulip_domain"
	removed        = "removed zulip_domain"
	// replaced is a domain whose removal is half of a replacement, notLast one that was not the last domain when it was planned.
	replaced = "replaced zulip_domain"
	notLast  = "zulip_domain that was not the last"
	// lastRemoved is the last domain, which the run plans to remove. keptRestriction says that the run keeps the restriction.
	lastRemoved     = "last zulip_domain"
	keptRestriction = "zulip_organization.emails_restricted_to_domains"
)

// removalKey is where the private state of a plan says whether a removal is that of a replaced domain or of one that is not the
// last. An apply knows nothing else of its plan.
const removalKey = "removal"

// ModifyPlan plans the domain, and keeps for the apply what the plan saw of its removal.
func (r *domainResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	r.Resource.ModifyPlan(ctx, req, resp)
	if req.State.Raw.IsNull() || resp.Diagnostics.HasError() || r.Meta == nil {
		return
	}
	var state domainModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	var about []byte
	switch isLast := r.Meta.Run.WillBeDestroyed(lastRemoved, core.TextID(state.ID.ValueString())); {
	case len(resp.RequiresReplace) > 0:
		about = []byte(strconv.Quote(replaced))
	case req.Plan.Raw.IsNull() && !isLast:
		about = []byte(strconv.Quote(notLast))
	}
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, removalKey, about)...)
}

// Create adds the domain. What was planned of the removal of another one is not about it.
func (r *domainResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	r.Resource.Create(ctx, req, resp)
	if resp.Private != nil {
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, removalKey, nil)...)
	}
}

// Delete removes the domain, unless that would open an organization that the plan did not open.
func (r *domainResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state domainModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	about, found := req.Private.GetKey(ctx, removalKey)
	if resp.Diagnostics.Append(found...); resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	if kind, err := strconv.Unquote(string(about)); err == nil {
		r.Meta.Run.Manage(kind, core.TextID(state.ID.ValueString()))
	}
	r.Resource.Delete(ctx, req, resp)
}

// checkDomainPlan says what else happens when the last domain is removed.
func checkDomainPlan(ctx context.Context, p *core.Plan[domainModel]) {
	if !p.IsDestroy() && !p.IsReplaced {
		return
	}
	view, err := p.Meta.Store.Read(ctx, store.Domains, store.Organization)
	if err != nil {
		p.Diags.AddError("Cannot read the domains", base.Explain(err))
		return
	}
	name := p.Prior.ID.ValueString()
	p.Meta.Run.Manage(plannedRemoval, core.TextID(name)) // the last of several is the one that is planned last
	_, exists := view.Domains().ByName(name)
	if !exists || hasOtherDomain(view, func(id int64) bool { return p.Meta.Run.IsManaged(plannedRemoval, id) }) {
		return
	}
	detail := fmt.Sprintf("If emails_restricted_to_domains is true by then, the server switches it off when %q is removed: then any address may join.", name)
	if isRestricted(view) {
		detail = fmt.Sprintf("emails_restricted_to_domains is true. The server switches it off when %q is removed: then any address may join.", name)
	}
	if p.IsReplaced {
		detail += "\n\nThe apply does not do that, and stops, unless the new domain is added first. Add this to the resource:\n\n" + createFirst
	} else {
		p.Meta.Run.WillDestroy(lastRemoved, core.TextID(name))
		if p.Meta.Run.IsManaged(keptRestriction, 1) {
			refuseLast(path.Root("domain"), p.Diags)
		}
	}
	p.Diags.AddAttributeWarning(path.Root("domain"), "This is the organization's last domain", detail)
}

// createFirst adds the new domain of a replacement before the old one is removed.
const createFirst = "  lifecycle {\n    create_before_destroy = true\n  }"

// keepRestriction registers that the run keeps the organization restricted to its domains, and refuses a plan that removes the last
// domain: whichever of the two is planned last says so.
func keepRestriction(meta *base.Meta, diags *diag.Diagnostics) {
	meta.Run.Manage(keptRestriction, 1)
	if meta.Run.AnyWillBeDestroyed(lastRemoved) {
		refuseLast(path.Root(restrictionAttribute), diags)
	}
}

// refuseLast refuses a plan that removes the last domain and keeps the restriction to domains.
func refuseLast(at path.Path, diags *diag.Diagnostics) {
	diags.AddAttributeError(at, "The last domain goes, and the restriction stays",
		"This plan removes the organization's last domain, and zulip_organization keeps emails_restricted_to_domains = true. The server switches the restriction off with the last domain: then any address may join.\n\n"+
			"To exchange the domain, change domain of the zulip_domain that has it, with\n\n"+createFirst+"\n\nor apply twice: first add the new zulip_domain, then remove the old one. To let any address join, set emails_restricted_to_domains = false.")
}

// hasOtherDomain reports whether the organization has a domain for which isOut does not report true.
func hasOtherDomain(view *snapshot.Snapshot, isOut func(id int64) bool) bool {
	return slices.ContainsFunc(view.Domains().List(), func(domain *zulip.Domain) bool { return !isOut(core.TextID(domain.Domain)) })
}

// isRestricted reports whether only addresses of the organization's domains may join.
func isRestricted(view *snapshot.Snapshot) bool {
	return string(view.Realm().Settings[restrictionAttribute]) == "true"
}

func createDomain(ctx context.Context, c *core.Context, plan *domainModel) (int64, error) {
	if plan.AllowSubdomains.IsUnknown() {
		plan.AllowSubdomains = types.BoolValue(false)
	}
	plan.ID = types.StringValue(plan.name())
	return core.TextID(plan.name()), c.Meta.Client.AddDomain(ctx, plan.wire())
}

func updateDomain(ctx context.Context, c *core.Context, planned, _ *domainModel) error {
	return c.Meta.Client.UpdateDomain(ctx, planned.wire())
}

// deleteDomain removes the domain. With the last one the organization's restriction to its domains ends (server-behavior §L11).
func deleteDomain(ctx context.Context, c *core.Context, state *domainModel) error {
	if err := checkLast(ctx, c, state.ID.ValueString()); err != nil {
		return err
	}
	defer c.Meta.Store.Invalidate(store.Organization)
	err := c.Meta.Client.DeleteDomain(ctx, state.ID.ValueString())
	if err == nil {
		c.Meta.Run.WillDestroy(removed, core.TextID(state.ID.ValueString()))
	}
	return err
}

// checkLast returns an error if the removal of a domain would open the organization, and the plan did not say so: because a new
// domain replaces it, another one was there then, or this run adds one. Until then the domain is in use: see [core.InUseError].
func checkLast(ctx context.Context, c *core.Context, name string) error {
	run, id := &c.Meta.Run, core.TextID(name)
	hasOther := func(view *snapshot.Snapshot) bool {
		return hasOtherDomain(view, func(other int64) bool { return other == id || run.WillBeDestroyed(removed, other) })
	}
	isHarmless := func(view *snapshot.Snapshot) bool { return !isRestricted(view) || hasOther(view) }
	view, err := c.Meta.Store.FreshUntil(ctx, store.Domains, isHarmless, store.Organization)
	if err != nil {
		return fmt.Errorf("nothing was sent, because it is not known whether this is the last domain: %w", err)
	}
	isSeen := !run.IsManaged(replaced, id) && !run.AnyWillBeCreated("zulip_domain") && (!run.IsManaged(notLast, id) || run.AnyWillBeDestroyed(removed))
	if isSeen || isHarmless(view) {
		return nil
	}
	advice := "Add another domain first, or set emails_restricted_to_domains = false, and plan again."
	if run.IsManaged(replaced, id) {
		advice = "Terraform removes the old domain before it adds the new one. To add the new one first, add this to the resource, and apply again:\n\n" + createFirst
	}
	var diags diag.Diagnostics
	diags.AddError("Removing the last domain would open the organization",
		fmt.Sprintf("%q is the organization's last domain, and emails_restricted_to_domains is true. The server switches the restriction off with the last domain: then any address may join. Nothing was changed.\n\n%s", name, advice))
	return &core.InUseError{Err: &base.Error{Diagnostics: diags}}
}

func domainHint(err error) string {
	if zulip.IsNoDomain(err) {
		return "It was removed since the plan was made. Plan again to have it added anew."
	}
	return ""
}

// domainValidator accepts a domain.
type domainValidator struct{}

func (domainValidator) Description(context.Context) string { return "a domain like example.com" }

func (v domainValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString refuses the rest.
func (domainValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if err := zulip.CheckDomain(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Not a domain", base.Sentence(err))
	}
}
