package organization_test

import (
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// restrict lets only emails of the organization's domains join.
func restrict(t *testing.T, o *acctest.Organization) {
	t.Helper()
	organizationByHand(t, o, map[string]string{"emails_restricted_to_domains": "true"})
}

func expectRestricted(t *testing.T, o *acctest.Organization, want string) {
	t.Helper()
	if got := string(organizationHeld(t, o).Settings["emails_restricted_to_domains"]); got != want {
		t.Errorf("emails_restricted_to_domains is %s, want %s", got, want)
	}
}

// replaceDomain plans the replacement of the domain in the state: the destroy of the old one, and the creation of the
// new one.
func replaceDomain(t *testing.T, p *acctest.Process, run *acctest.Run, to string) (destroy, create *acctest.PlannedChange) {
	t.Helper()
	planned, diags := p.Plan(domainKind, run.State, values{"domain": to})
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "domain", "last domain", "any email can", "  lifecycle {\n    create_before_destroy = true\n  }")
	create, diags = p.Plan(domainKind, planned.Replaced(), values{"domain": to})
	diags.ExpectNoError(t)
	return p.DestroyOf(create, run.State), create
}

// A replacement does not remove the last domain before the new one exists.
func TestProtocolDomain_LastReplaced_CreateFirstRequired(t *testing.T) {
	o, run := acctest.StartRun(t, domainKind)
	run.MustApply(values{"domain": "example.com"})
	restrict(t, o)
	p := run.Process()
	destroy, _ := replaceDomain(t, p, run, "example.org")
	sent := o.Sent()
	state, diags := p.Apply(destroy)
	diags.ExpectError(t, "", "Removing the last domain would open the organization", `"example.com"`, "Nothing was changed.", "create_before_destroy = true")
	sent.Expect(t)
	expectDomain(t, o, map[string]bool{"example.com": false})
	expectRestricted(t, o, "true")
	if state == nil {
		t.Fatal("the state lost the domain")
	}
	run.State = state

	// create_before_destroy, in the same process or another one
	p = run.Process()
	destroy, create := replaceDomain(t, p, run, "example.org")
	made := p.MustApply(create)
	p.MustApply(destroy)
	expectDomain(t, o, map[string]bool{"example.org": false})
	expectRestricted(t, o, "true")

	// The domain is removed after the restriction has ended.
	run.State = made
	_, diags = run.Plan(nil)
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "domain", "last domain", "emails_restricted_to_domains is true", "any email can")
	organizationByHand(t, o, map[string]string{"emails_restricted_to_domains": "false"})
	run.State = made
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	expectDomain(t, o, map[string]bool{})
}

// Without the restriction, the last domain is replaced in any order.
func TestProtocolDomain_LastReplacedUnrestricted_Removed(t *testing.T) {
	o, run := acctest.StartRun(t, domainKind)
	run.MustApply(values{"domain": "example.com"})
	p := run.Process()
	destroy, create := replaceDomain(t, p, run, "example.org")
	p.MustApply(destroy)
	p.MustApply(create)
	expectDomain(t, o, map[string]bool{"example.org": false})
}

// A domain that became the last one after the plan stays.
func TestProtocolDomain_LastSincePlan_Refused(t *testing.T) {
	o, run := acctest.StartRun(t, domainKind)
	run.MustApply(values{"domain": "example.com"})
	acctest.NoError(t, o.Client.AddDomain(t.Context(), zulip.Domain{Domain: "example.net"}))
	restrict(t, o)
	plan := run.MustPlan(nil)
	acctest.NoError(t, o.Client.DeleteDomain(t.Context(), "example.net"))
	sent := o.Sent()
	_, diags := run.Process().Apply(plan) // Terraform does not plan a destroy again
	diags.ExpectError(t, "", "Removing the last domain would open the organization", "emails_restricted_to_domains = false")
	sent.Expect(t)
	expectRestricted(t, o, "true")
}

// One run removes all domains but the last one while the restriction is on, in any order.
func TestProtocolDomain_AllDestroyed_LastRefused(t *testing.T) {
	for _, isReversed := range []bool{false, true} {
		o, run := acctest.StartRun(t, domainKind)
		run.MustApply(values{"domain": "example.com"})
		other := o.NewRun(t, domainKind)
		other.MustApply(values{"domain": "example.org"})
		restrict(t, o)
		planning := run.Process()
		first, last := planning.MustPlan(domainKind, run.State, nil), planning.MustPlan(domainKind, other.State, nil)
		stays := map[string]bool{"example.org": false}
		if isReversed {
			first, last, stays = last, first, map[string]bool{"example.com": false}
		}
		p := run.Process()
		p.MustApply(first)
		_, diags := p.Apply(last)
		diags.ExpectError(t, "", "Removing the last domain would open the organization", "set emails_restricted_to_domains = false")
		expectDomain(t, o, stays)
		expectRestricted(t, o, "true")
	}
}

// The removal of the last domain waits for a domain that the same run adds.
func TestProtocolDomain_OtherAdded_RemovedAfterwards(t *testing.T) {
	o, run := acctest.StartRun(t, domainKind)
	run.MustApply(values{"domain": "example.com"})
	restrict(t, o)
	end := run.MustPlan(nil)
	p := run.Process()
	begin := p.MustPlan(domainKind, nil, values{"domain": "example.org"})
	ended := make(chan acctest.Diagnostics)
	go func() {
		_, diags := p.Apply(end)
		ended <- diags
	}()
	p.MustApply(begin)
	(<-ended).ExpectNoError(t)
	expectDomain(t, o, map[string]bool{"example.org": false})
	expectRestricted(t, o, "true")
}

// The removal of the last domain waits for another resource of the same run that ends the restriction.
func TestProtocolDomain_RestrictionEnded_RemovedAfterwards(t *testing.T) {
	o, run := acctest.StartRun(t, domainKind)
	run.MustApply(values{"domain": "example.com"})
	organization := o.NewRun(t, organizationTypeName)
	organization.MustApply(values{"emails_restricted_to_domains": true})
	p := run.Process()
	end, open := p.MustPlan(domainKind, run.State, nil), p.MustPlan(organizationTypeName, organization.State, values{"emails_restricted_to_domains": false})
	ended := make(chan acctest.Diagnostics)
	go func() {
		_, diags := p.Apply(end)
		ended <- diags
	}()
	p.MustApply(open)
	(<-ended).ExpectNoError(t)
	expectDomain(t, o, map[string]bool{})
}
