package organization_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

const domainKind = "zulip_domain"

// domains are what the server holds: whether subdomains count, by domain.
func domains(t *testing.T, o *acctest.Organization) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, domain := range o.Snapshot(t, zulip.FetchDomains).Domains {
		found[domain.Domain] = domain.AllowSubdomains
	}
	return found
}

func expectDomain(t *testing.T, o *acctest.Organization, want map[string]bool) {
	t.Helper()
	if got := domains(t, o); !maps.Equal(got, want) {
		t.Errorf("the server holds %v, want %v", got, want)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestProtocolDomainLives(t *testing.T) {
	o, run := acctest.StartRun(t, domainKind)
	sent := o.Sent()
	run.MustApply(values{"domain": "Example.com"})
	sent.Expect(t, "POST allow_subdomains domain")
	expectDomain(t, o, map[string]bool{"example.com": false})
	if run.State.Values["id"] != "example.com" || run.State.Values["domain"] != "Example.com" {
		t.Errorf("the state holds %v", run.State.Values)
	}

	sent = o.Sent()
	run.MustApply(values{"domain": "EXAMPLE.com", "allow_subdomains": true})
	sent.Expect(t, "PATCH allow_subdomains")
	sent = o.Sent()
	run.MustApply(values{"domain": "example.com"}) // not managed any more, and in other words
	sent.Expect(t)
	expectDomain(t, o, map[string]bool{"example.com": true})

	if plan := run.MustPlan(values{"domain": "example.org"}); fmt.Sprint(plan.Replace) != "[domain]" {
		t.Errorf("to be replaced because of %v", plan.Replace)
	}
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	expectDomain(t, o, map[string]bool{})
}

func TestProtocolDomainDriftAndGone(t *testing.T) {
	o, run := acctest.StartRun(t, domainKind)
	wanted := values{"domain": "example.com", "allow_subdomains": true}
	run.MustApply(wanted)
	must(t, o.Client.UpdateDomain(context.Background(), zulip.Domain{Domain: "example.com"}))
	if plan := run.MustPlan(wanted); !slices.Equal(plan.Changes(), []string{"allow_subdomains"}) {
		t.Errorf("planned: %v", plan.Changes())
	}
	run.MustApply(wanted)
	must(t, o.Client.DeleteDomain(context.Background(), "example.com"))
	run.MustApply(wanted)
	expectDomain(t, o, map[string]bool{"example.com": true})

	change, gone := run.MustPlan(values{"domain": "example.com", "allow_subdomains": false}), run.MustPlan(nil)
	must(t, o.Client.DeleteDomain(context.Background(), "example.com"))
	run.Fork().Apply(change).ExpectError(t, "", `Cannot read domain "example.com"`, "any more", "Plan again")
	run.Apply(gone).ExpectNoError(t)
}

func TestProtocolDomainImport(t *testing.T) {
	o, run := acctest.StartRun(t, domainKind)
	o.NewRun(t, domainKind).Import("example.com", nil).ExpectError(t, "", "Cannot import this domain", "there are no domains.")
	run.MustApply(values{"domain": "example.com", "allow_subdomains": true})
	run.ExpectImports("example.com", "Example.COM", run.State.Identity)
	o.NewRun(t, domainKind).Import("example.org", nil).ExpectError(t, "", "Cannot import this domain", "did you mean example.com?")
	o.NewRun(t, domainKind).Import("zulip.org", nil).ExpectError(t, "", "Cannot import this domain", "the domains are: example.com.")
}

// A lost answer is no error, whether the call is repeated or the domain looked for.
func TestProtocolDomainLostAnswer(t *testing.T) {
	for _, retries := range []int{0, 2} {
		o, run := acctest.StartRun(t, domainKind)
		run.Block["max_retries"] = retries
		plan := run.MustPlan(values{"domain": "example.com"})
		o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/realm/domains", After: true, Action: sandbox.FaultDrop, Count: 1})
		diags := run.Apply(plan)
		diags.ExpectNoError(t)
		if warnings := diags.Warnings(); len(warnings) > 0 {
			t.Errorf("warned: %v", warnings)
		}
		expectDomain(t, o, map[string]bool{"example.com": false})
	}
}

func TestProtocolDomainLost(t *testing.T) {
	o, run := acctest.StartRun(t, domainKind)
	run.Block["max_retries"] = 0
	plan := run.MustPlan(values{"domain": "example.com"})
	heal := o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/realm/domains", Action: sandbox.FaultStatus})
	run.Apply(plan).ExpectError(t, "", "Cannot create domain", "applying again is safe")
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/register", Action: sandbox.FaultStatus, Count: 1})
	run.Apply(plan).ExpectError(t, "", "Cannot read the domains")
	heal()
	run.MustApply(values{"domain": "example.com"})
}

// What is there already is never taken into the state.
func TestProtocolDomainTaken(t *testing.T) {
	o, run := acctest.StartRun(t, domainKind)
	must(t, o.Client.AddDomain(context.Background(), zulip.Domain{Domain: "example.com", AllowSubdomains: true}))
	run.ExpectRefused(values{"domain": "example.com", "allow_subdomains": false}, "domain", "allow_subdomains = true", `id = "example.com"`)
	run.Apply(run.MustPlan(values{"domain": "example.com"})).ExpectError(t, "domain", "already", `id = "example.com"`)
	expectDomain(t, o, map[string]bool{"example.com": true})
	p := run.Process()
	p.MustPlan(domainKind, nil, values{"domain": "example.net"})
	_, diags := p.Plan(domainKind, nil, values{"domain": "Example.net"})
	diags.ExpectError(t, "domain", `Duplicate domain name "example.net"`)
}

// The plan warns before the restriction to the organization's domains ends with the last of them.
// The last domain is also the last of several that go in one run, and one that another takes the place of.
func TestProtocolDomainLastOfSeveral(t *testing.T) {
	o, run := acctest.StartRun(t, domainKind)
	run.MustApply(values{"domain": "example.com"})
	_, diags := run.Plan(values{"domain": "example.org"})
	diags.ExpectWarning(t, "domain", "last domain", "any address may", "create_before_destroy = true")
	if _, diags = run.Plan(values{"domain": "example.com", "allow_subdomains": true}); len(diags) > 0 {
		t.Errorf("it stays, and the plan says %v", diags)
	}
	must(t, o.Client.AddDomain(context.Background(), zulip.Domain{Domain: "example.org"}))
	other := o.NewRun(t, domainKind)
	other.Import("example.org", nil).ExpectNoError(t)
	p := run.Process()
	if _, diags = p.Plan(domainKind, run.State, nil); len(diags) > 0 {
		t.Errorf("there is another domain, and the plan says %v", diags)
	}
	_, diags = p.Plan(domainKind, other.State, nil)
	diags.ExpectWarning(t, "domain", "last domain", "any address may")
}

func TestProtocolDomainLast(t *testing.T) {
	o, run := acctest.StartRun(t, domainKind)
	run.MustApply(values{"domain": "example.com"})
	_, diags := run.Plan(nil)
	diags.ExpectWarning(t, "domain", "last domain", "any address may")
	must(t, o.Client.AddDomain(context.Background(), zulip.Domain{Domain: "example.org"}))
	if _, diags = run.Plan(nil); len(diags) > 0 {
		t.Errorf("there is another domain, and the plan says %v", diags)
	}
}

func TestProtocolDomainBadInput(t *testing.T) {
	_, run := acctest.StartRun(t, domainKind)
	for domain, words := range map[string]string{
		"nodot": "no dot", "": "empty", "-a.com": "hyphens", "a..com": "Between dots", strings.Repeat("a", 80) + ".com": "more than 80",
	} {
		run.ExpectRefused(values{"domain": domain}, "domain", "Not a domain", words)
	}
	run.MustPlan(values{"domain": acctest.Unknown, "allow_subdomains": acctest.Unknown})
}

func TestProtocolDomainRights(t *testing.T) {
	o, run := acctest.StartRun(t, domainKind)
	run.MustApply(values{"domain": "example.com"})
	admin := o.As(t, "admin").NewRun(t, domainKind)
	admin.State = run.State
	if plan := admin.MustPlan(values{"domain": "example.com"}); !plan.Empty() {
		t.Errorf("nothing changes, and the plan has %v", plan.Changes())
	}
	for _, wanted := range []values{{"domain": "example.com", "allow_subdomains": true}, nil} {
		admin.ExpectRefused(wanted, "", "may not manage domains", "administrator")
	}
	old := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 142})
	old.NewRun(t, domainKind).ExpectRefused(values{"domain": "example.com"}, "", "feature level 143; the server has 142")
}

// Two resources for one domain would undo each other with each apply.
func TestProtocolDomainTwoResources(t *testing.T) {
	_, run := acctest.StartRun(t, domainKind)
	p := run.Process()
	p.MustPlan(domainKind, nil, values{"domain": "example.org", "allow_subdomains": true})
	_, diags := p.Plan(domainKind, nil, values{"domain": "Example.org", "allow_subdomains": false})
	diags.ExpectError(t, "domain", `Duplicate domain name "example.org"`, "Another zulip_domain")
}
