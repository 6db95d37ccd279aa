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

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/existing"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// NewDomainResource returns zulip_domain.
func NewDomainResource() resource.Resource {
	return core.New(&core.Definition[domainModel, zulip.Domain]{
		Name: "domain", Title: "domain", Plural: "domains",
		ListText: core.ListText{Description: "Lists the email domains of the organization."},
		Schema:   domainSchema,
		Role:     zulip.RoleOwner, ForceNew: []string{"domain"},
		Source: core.Source{Part: store.Domains, Needs: []store.Part{store.Organization}, NeedsFresh: true, Lags: true, StoresAsSent: true},
		Index:  (*snapshot.Snapshot).Domains,
		Key:    func(domain *zulip.Domain) int64 { return core.TextID(domain.Domain) },
		Unique: core.Unique[domainModel, zulip.Domain]{
			Attribute: "domain",
			Of:        (*domainModel).name,
			Where:     "the organization's settings list all, under Organization permissions", Unquoted: true,
			IsTaken: zulip.IsDomainTaken,
			Existing: func(e *existing.Object, domain *zulip.Domain, _ *core.Call) {
				e.Detail = fmt.Sprintf("It has allow_subdomains = %t.", domain.AllowSubdomains)
			},
		},
		ReadInto: readDomainInto, KeepPrior: domainKeepPrior, CheckPlan: checkDomainPlan,
		Create: createDomain, Update: updateDomain, Delete: deleteDomain, ReadsToDelete: true, DeleteVerb: "remove",
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
		Version:             base.SchemaVersion,
		MarkdownDescription: "Manages an email domain to which the organization can [restrict accounts](https://zulip.com/help/restrict-account-creation).",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				Computed: true, MarkdownDescription: "Domain in lower case.",
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"domain": schema.StringAttribute{
				Required: true, MarkdownDescription: "Domain such as `example.com`, at most 80 characters. Case is ignored. Changing this forces a new domain.",
				Validators: []validator.String{validators.Checked("domain", zulip.CheckDomain)},
			},
			"allow_subdomains": schema.BoolAttribute{
				Optional: true, Computed: true, MarkdownDescription: "If true, emails of subdomains count too. Initially `false`.",
			},
		},
	}
}

func readDomainInto(m *domainModel, domain *zulip.Domain, _ *core.Call) {
	m.ID, m.AllowSubdomains = types.StringValue(domain.Domain), types.BoolValue(domain.AllowSubdomains)
	if m.name() != domain.Domain {
		m.Domain = types.StringValue(domain.Domain)
	}
}

// domainKeepPrior plans no change if only the case of the domain differs.
func domainKeepPrior(plan, prior *domainModel) {
	if !plan.Domain.IsUnknown() && plan.name() == prior.name() {
		plan.Domain = prior.Domain
	}
}

const domainKind = "zulip_domain"

// checkDomainPlan warns if a plan removes the last domain.
func checkDomainPlan(ctx context.Context, p *core.Plan[domainModel]) {
	if !p.IsDestroy() && !p.IsReplaced {
		return
	}
	view, err := p.Meta.Store.Read(ctx, store.Domains, store.Organization)
	if err != nil {
		p.Diags.AddError("Cannot read the domains", base.Explain(err))
		return
	}
	name := p.State.ID.ValueString()
	if _, exists := view.Domains().ByName(name); !exists || hasOtherDomain(view, name, &p.Meta.Run, runstate.Destroyed) {
		return
	}
	detail := fmt.Sprintf("%q is the organization's last domain. ", name)
	if isRestrictedToDomains(view) {
		detail += "emails_restricted_to_domains is true. The apply stops here unless another resource sets that to false or adds a domain first. "
	}
	detail += "Without domains, the server turns the restriction off, and any email can join."
	if p.IsReplaced {
		detail += "\n\nTo add the new domain first, add this to the resource:\n\n" + createDomainFirst
	}
	p.Diags.AddAttributeWarning(path.Root("domain"), "This is the organization's last domain", detail)
}

// createDomainFirst adds the new domain of a replacement before the old one is removed.
const createDomainFirst = "  lifecycle {\n    create_before_destroy = true\n  }"

// hasOtherDomain reports whether the organization has a domain other than the named one. Domains with a fact, which this run
// removes, don't count.
func hasOtherDomain(view *snapshot.Snapshot, name string, run *runstate.State, removed runstate.Fact) bool {
	return slices.ContainsFunc(view.Domains().List(), func(domain *zulip.Domain) bool {
		return domain.Domain != name && !run.Knows(removed, runstate.ID(domainKind, core.TextID(domain.Domain)))
	})
}

// isRestrictedToDomains reports whether only emails of the organization's domains can join.
func isRestrictedToDomains(view *snapshot.Snapshot) bool {
	return string(view.Realm().Settings["emails_restricted_to_domains"]) == "true"
}

func createDomain(ctx context.Context, c *core.Call, plan *domainModel) (int64, error) {
	if plan.AllowSubdomains.IsUnknown() {
		plan.AllowSubdomains = types.BoolValue(false)
	}
	plan.ID = types.StringValue(plan.name())
	return core.TextID(plan.name()), c.Meta.Client.AddDomain(ctx, plan.wire())
}

func updateDomain(ctx context.Context, c *core.Call, planned, _ *domainModel) error {
	return c.Meta.Client.UpdateDomain(ctx, planned.wire())
}

// deleteDomain removes the domain, but not the last one of a restricted organization, because the server would open the
// organization (server-behavior §L11). Another resource of the same apply may add a domain or end the restriction, so
// until then the domain counts as in use: see [core.InUseError].
func deleteDomain(ctx context.Context, c *core.Call, state *domainModel) error {
	name := state.ID.ValueString()
	// Since the reading, this run may have removed other domains, one at a time.
	if isRestrictedToDomains(c.Snapshot) && !hasOtherDomain(c.Snapshot, name, &c.Meta.Run, runstate.Gone) {
		return &core.InUseError{Err: base.Refused(path.Empty(), "Removing the last domain would open the organization",
			fmt.Sprintf("%q is the organization's last domain, and emails_restricted_to_domains is true. Without domains, the server turns the restriction off, and any email can join. Nothing was changed.\n\n"+
				"If another domain replaces it, add the new domain first: either with\n\n%s\n\nin the resource whose domain changes, or in an apply of its own. To remove all domains, set emails_restricted_to_domains = false and apply first.", name, createDomainFirst))}
	}
	defer c.Meta.Store.Invalidate(store.Organization)
	err := c.Meta.Client.DeleteDomain(ctx, name)
	if err == nil || zulip.MayHaveHappened(err) {
		c.Meta.Run.Note(runstate.Gone, runstate.ID(domainKind, core.TextID(name)))
	}
	return err
}

func domainHint(err error) string {
	if zulip.IsNoDomain(err) {
		return "It was removed after the plan was made. Plan again to add it again."
	}
	return ""
}
