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

// These are attributes, as tests write them.
type values = acctest.Values

const domainKind = "zulip_domain"

// domains returns the server's domains, and whether each includes subdomains.
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

func TestProtocolDomainDriftAndGone(t *testing.T) {
	o, run := acctest.StartRun(t, domainKind)
	wanted := values{"domain": "example.com", "allow_subdomains": true}
	run.MustApply(wanted)
	acctest.NoError(t, o.Client.UpdateDomain(context.Background(), zulip.Domain{Domain: "example.com"}))
	if plan := run.MustPlan(wanted); !slices.Equal(plan.Changes(), []string{"allow_subdomains"}) {
		t.Errorf("planned: %v", plan.Changes())
	}
	run.MustApply(wanted)
	acctest.NoError(t, o.Client.DeleteDomain(context.Background(), "example.com"))
	run.MustApply(wanted)
	expectDomain(t, o, map[string]bool{"example.com": true})

	change, gone := run.MustPlan(values{"domain": "example.com", "allow_subdomains": false}), run.MustPlan(nil)
	acctest.NoError(t, o.Client.DeleteDomain(context.Background(), "example.com"))
	run.Fork().Apply(change).ExpectError(t, "", `Cannot read domain "example.com"`, "no longer sees", "Plan again")
	run.Apply(gone).ExpectNoError(t)
}

// An existing domain is never adopted.
func TestProtocolDomainTaken(t *testing.T) {
	o, run := acctest.StartRun(t, domainKind)
	acctest.NoError(t, o.Client.AddDomain(context.Background(), zulip.Domain{Domain: "example.com", AllowSubdomains: true}))
	run.ExpectRefused(values{"domain": "example.com", "allow_subdomains": false}, "domain", "allow_subdomains = true", `id = "example.com"`)
	run.Apply(run.MustPlan(values{"domain": "example.com"})).ExpectError(t, "domain", "already", `id = "example.com"`)
	expectDomain(t, o, map[string]bool{"example.com": true})
	p := run.Process()
	p.MustPlan(domainKind, nil, values{"domain": "example.net"})
	// Two resources for one domain would undo each other with each apply.
	_, diags := p.Plan(domainKind, nil, values{"domain": "Example.net"})
	diags.ExpectError(t, "domain", `Duplicate domain name "example.net"`, "Another zulip_domain")
}

// lists has the resources that the server keeps in lists: an example, the path that adds it, and its name in errors.
var lists = []struct {
	kind          string
	config        values
	path          string
	title, titles string
}{
	{domainKind, values{"domain": "example.com"}, "/realm/domains", "domain", "domains"},
	{codePlaygroundKind, codePlaygroundConfig("Sandbox", "Python", codePlaygroundAddress), "/realm/playgrounds", "code playground", "code playgrounds"},
}

// A request that never reached the server is an error that says so.
func TestProtocolListObject_RequestLost_Error(t *testing.T) {
	for _, list := range lists {
		o, run := acctest.StartRun(t, list.kind)
		run.Block["max_retries"] = 0
		plan := run.MustPlan(list.config)
		heal := o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: list.path, Action: sandbox.FaultStatus})
		run.Apply(plan).ExpectError(t, "", "Cannot create "+list.title, "so you can apply again")
		o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/register", Action: sandbox.FaultStatus, Count: 1})
		run.Apply(plan).ExpectError(t, "", "Cannot read the "+list.titles)
		heal()
		run.MustApply(list.config)
	}
}

// The plan warns before the restriction to the organization's domains ends with the last of them. This includes the
// last of several that one run removes, and one that another domain replaces.
func TestProtocolDomainLastOfSeveral(t *testing.T) {
	o, run := acctest.StartRun(t, domainKind)
	run.MustApply(values{"domain": "example.com"})
	_, diags := run.Plan(values{"domain": "example.org"})
	diags.ExpectWarning(t, "domain", "last domain", "any email can", "create_before_destroy = true")
	if _, diags = run.Plan(values{"domain": "example.com", "allow_subdomains": true}); len(diags) > 0 {
		t.Errorf("it stays, and the plan says %v", diags)
	}
	acctest.NoError(t, o.Client.AddDomain(context.Background(), zulip.Domain{Domain: "example.org"}))
	other := o.NewRun(t, domainKind)
	other.Import("example.org", nil).ExpectNoError(t)
	p := run.Process()
	if _, diags = p.Plan(domainKind, run.State, nil); len(diags) > 0 {
		t.Errorf("there is another domain, and the plan says %v", diags)
	}
	_, diags = p.Plan(domainKind, other.State, nil)
	diags.ExpectWarning(t, "domain", "last domain", "any email can")
}

func TestProtocolDomainBadInput(t *testing.T) {
	_, run := acctest.StartRun(t, domainKind)
	for domain, words := range map[string]string{
		"nodot": "no dot", "": "empty", "-a.com": "hyphens", "a..com": "Between dots", strings.Repeat("a", 80) + ".com": "more than 80",
	} {
		run.ExpectRefused(values{"domain": domain}, "domain", "Invalid domain", words)
	}
	run.MustPlan(values{"domain": acctest.Unknown, "allow_subdomains": acctest.Unknown})
}

func TestProtocolDomainPermissions(t *testing.T) {
	o, run := acctest.StartRun(t, domainKind)
	run.MustApply(values{"domain": "example.com"})
	admin := o.As(t, "admin").NewRun(t, domainKind)
	admin.State = run.State
	if plan := admin.MustPlan(values{"domain": "example.com"}); !plan.Empty() {
		t.Errorf("nothing changes, and the plan has %v", plan.Changes())
	}
	for _, wanted := range []values{{"domain": "example.com", "allow_subdomains": true}, nil} {
		admin.ExpectRefused(wanted, "", "cannot manage domains", "administrator")
	}
}

const codePlaygroundKind = "zulip_code_playground"

func codePlaygroundConfig(name, language, template string) values {
	return values{"name": name, "pygments_language": language, "url_template": template}
}

const codePlaygroundAddress = "https://py.example.com/{code}"

// add adds a playground outside Terraform.
func add(t *testing.T, o *acctest.Organization, playground zulip.Playground) int64 {
	t.Helper()
	id, err := o.Client.AddPlayground(context.Background(), playground)
	acctest.NoError(t, err)
	return id
}

func TestProtocolPlaygroundImport(t *testing.T) {
	o, run := acctest.StartRun(t, codePlaygroundKind)
	run.MustApply(codePlaygroundConfig("Sandbox", "C/C++", codePlaygroundAddress))
	before := run.State
	run.ExpectImports(before.Values["id"], "Sandbox", "C/C++/Sandbox", before.Identity)
	o.NewRun(t, codePlaygroundKind).Import("999999", nil).ExpectError(t, "", "Cannot import this code playground", `"C/C++/Sandbox"`)
	o.NewRun(t, codePlaygroundKind).Import("C++/Sandbox", nil).ExpectError(t, "", "Cannot import this code playground", `did you mean "C/C++/Sandbox"?`)
	o.NewRun(t, codePlaygroundKind).Import("Sandbocks", nil).ExpectError(t, "", "Cannot import this code playground", `did you mean "Sandbox"?`)
	add(t, o, zulip.Playground{Name: "Sandbox", Language: "Go", URLTemplate: codePlaygroundAddress})
	o.NewRun(t, codePlaygroundKind).Import("Sandbox", nil).ExpectError(t, "", "2 playgrounds are called", "LANGUAGE/NAME", `"Go/Sandbox"`)
}

// An existing playground with the language and name is never adopted.
func TestProtocolPlaygroundTaken(t *testing.T) {
	o, run := acctest.StartRun(t, codePlaygroundKind)
	id := add(t, o, zulip.Playground{Name: "Sandbox", Language: "Python", URLTemplate: codePlaygroundAddress})
	for _, other := range []string{codePlaygroundAddress, codePlaygroundAddress + "#"} {
		run.Apply(run.MustPlan(codePlaygroundConfig("Sandbox", "Python", other))).ExpectError(t, "name", fmt.Sprintf("It has the ID %d", id), "import {", codePlaygroundAddress)
	}
	p := run.Process()
	p.MustPlan(codePlaygroundKind, nil, codePlaygroundConfig("New", "Python", codePlaygroundAddress))
	_, diags := p.Plan(codePlaygroundKind, nil, codePlaygroundConfig("New", "Python", codePlaygroundAddress))
	diags.ExpectError(t, "name", `Duplicate code playground language and name "Python/New"`)
}

// Reading any number of playgrounds is one request.
func TestProtocolPlaygrounds_ReadTogether_OneRequest(t *testing.T) {
	o, run := acctest.StartRun(t, codePlaygroundKind)
	run.MustApply(codePlaygroundConfig("Sandbox", "Python", codePlaygroundAddress))
	run.ExpectReadTogether(t, o, 2) // the snapshot, and the end of its queue
}

func TestProtocolPlaygroundBadInput(t *testing.T) {
	_, run := acctest.StartRun(t, codePlaygroundKind)
	run.ExpectRefusals(acctest.Refusals{
		{codePlaygroundConfig(" ", "Python", codePlaygroundAddress), "name", []string{"Invalid name", "refuses an empty text"}},
		{codePlaygroundConfig("Sandbox ", "Python", codePlaygroundAddress), "name", []string{"white space"}},
		{codePlaygroundConfig("Sandbox", "a;b", codePlaygroundAddress), "pygments_language", []string{"English letters"}},
		{codePlaygroundConfig("Sandbox", strings.Repeat("x", 41), codePlaygroundAddress), "pygments_language", []string{"more than 40 characters"}},
		{codePlaygroundConfig("Sandbox", "Python", "https://py.example.com/"), "url_template", []string{"where the code goes"}},
		{codePlaygroundConfig("Sandbox", "Python", codePlaygroundAddress+"{x}"), "url_template", []string{"code, x"}},
		{codePlaygroundConfig("Sandbox", "Python", "{"), "url_template", []string{"RFC 6570"}},
	})
	run.MustPlan(values{"name": acctest.Unknown, "pygments_language": acctest.Unknown, "url_template": acctest.Unknown})
}

func TestProtocolPlaygroundPermissions(t *testing.T) {
	o, run := acctest.StartRun(t, codePlaygroundKind)
	run.MustApply(codePlaygroundConfig("Sandbox", "Python", codePlaygroundAddress))
	moderator := o.As(t, "moderator").NewRun(t, codePlaygroundKind)
	moderator.State = run.State
	if plan := moderator.MustPlan(codePlaygroundConfig("Sandbox", "Python", codePlaygroundAddress)); !plan.Empty() {
		t.Errorf("nothing changes, and the plan has %v", plan.Changes())
	}
	for _, wanted := range []values{codePlaygroundConfig("Other", "Python", codePlaygroundAddress), nil} {
		moderator.ExpectRefused(wanted, "", "cannot manage code playgrounds", "moderator")
	}
	o.As(t, "bot").NewRun(t, codePlaygroundKind).MustApply(codePlaygroundConfig("Sandbox", "Go", codePlaygroundAddress)) // an administrator
}
