package directory

import (
	"context"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Playgrounds returns the snapshot with the code playgrounds in it.
func (d *Directory) Playgrounds(ctx context.Context) (*View, error) {
	return d.need(ctx, []string{zulip.FetchPlaygrounds})
}

// Domains returns the snapshot with the organization's domains in it.
func (d *Directory) Domains(ctx context.Context) (*View, error) {
	return d.need(ctx, []string{zulip.FetchDomains})
}

// Playgrounds returns the code playgrounds of the organization.
func (v *View) Playgrounds() []*zulip.Playground { return v.facts.playgrounds }

// Domains returns the domains of the organization.
func (v *View) Domains() []*zulip.Domain { return v.facts.domains }

// DomainNames returns the domains of the organization as texts.
func (v *View) DomainNames() []string {
	return namesOf(v.facts.domains, func(domain *zulip.Domain) string { return domain.Domain })
}

// Domain returns a domain as the server holds it, whatever its case.
func (v *View) Domain(name string) (*zulip.Domain, bool) {
	i := slices.IndexFunc(v.facts.domains, func(d *zulip.Domain) bool { return d.Domain == zulip.StoredDomain(name) })
	if i < 0 {
		return nil, false
	}
	return v.facts.domains[i], true
}
