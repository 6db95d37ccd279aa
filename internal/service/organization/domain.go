package organization

import (
	"context"
	"fmt"
	"slices"

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

// NewDomainResource returns zulip_domain.
func NewDomainResource() resource.Resource {
	return core.New(&core.Definition[domainModel, zulip.Domain, domainModel]{
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
	})
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

When the last domain is removed while only addresses of the organization's domains may join, the server ends that restriction, for else nobody could: the plan warns of it.

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

// checkDomainPlan warns of what else happens when the last domain is removed.
func checkDomainPlan(ctx context.Context, p *core.Plan[domainModel]) {
	switch {
	case p.IsDestroy():
		warnOfLast(ctx, p, "")
	case p.IsReplaced:
		warnOfLast(ctx, p, "\n\nTerraform removes it before it adds the one that takes its place, unless this resource has lifecycle { create_before_destroy = true }: with that, the restriction stays.")
	}
}

func warnOfLast(ctx context.Context, p *core.Plan[domainModel], whenReplaced string) {
	const removed = "removed zulip_domain"
	view, err := p.Meta.Store.Read(ctx, store.Domains)
	if err != nil {
		p.Diags.AddError("Cannot read the domains", base.Explain(err))
		return
	}
	name := p.Prior.ID.ValueString()
	p.Meta.Run.Manage(removed, core.TextID(name)) // the last of several is the one that is planned last
	stays := slices.ContainsFunc(view.Domains().List(), func(domain *zulip.Domain) bool {
		return !p.Meta.Run.IsManaged(removed, core.TextID(domain.Domain))
	})
	if _, exists := view.Domains().ByName(name); exists && !stays {
		p.Diags.AddAttributeWarning(path.Root("domain"), "This is the organization's last domain",
			fmt.Sprintf("If only addresses of the organization's domains may join (emails_restricted_to_domains), the server ends that restriction when %s is removed: then any address may.", name)+whenReplaced)
	}
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
	defer c.Meta.Store.Invalidate(store.Organization)
	return c.Meta.Client.DeleteDomain(ctx, state.ID.ValueString())
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
