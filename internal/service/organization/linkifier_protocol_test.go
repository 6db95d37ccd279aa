package organization_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

func linkifierConfig(pattern, template string) values {
	return values{"pattern": pattern, "url_template": template}
}

var issues = linkifierConfig("#(?P<id>[0-9]+)", "https://example.com/issues/{id}")

// linkifiers returns the server's linkifiers, in order.
func linkifiers(t *testing.T, o *acctest.Organization) []*zulip.Linkifier {
	t.Helper()
	list, err := o.Client.Linkifiers(context.Background())
	acctest.NoError(t, err)
	return list
}

// expectLinkifier fails the test unless the server has these linkifiers, each as its pattern, an arrow, and its
// template.
func expectLinkifier(t *testing.T, o *acctest.Organization, want ...string) {
	t.Helper()
	got := []string{}
	for _, l := range linkifiers(t, o) {
		got = append(got, l.Pattern+" → "+l.URLTemplate)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the server holds\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// linkifierByHand adds a linkifier outside Terraform and returns its ID.
func linkifierByHand(t *testing.T, o *acctest.Organization, pattern string) int64 {
	t.Helper()
	id, err := o.Client.CreateLinkifier(context.Background(), zulip.LinkifierChange{Pattern: pattern, URLTemplate: "https://example.com/" + pattern})
	acctest.NoError(t, err)
	return id
}

// The server removes white space at both ends. That is no difference, and nothing is sent.
func TestProtocolLinkifierWhiteSpace(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_linkifier")
	run.MustApply(linkifierConfig(" a(?P<id>x)\n", "https://example.com/{id}\n"))
	expectLinkifier(t, o, "a(?P<id>x) → https://example.com/{id}")
	run.ExpectUnchanged(linkifierConfig("a(?P<id>x)", "https://example.com/{id}"))
}

func TestProtocolLinkifierImport(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_linkifier")
	run.MustApply(issues)
	before := run.State.Values
	run.ExpectImports(before["id"], values{"id": before["id"]}, "#(?P<id>[0-9]+)", "pattern:#(?P<id>[0-9]+)")
	o.NewRun(t, "zulip_linkifier").Import("999999", nil).ExpectError(t, "", "no linkifier with the ID 999999", "pattern:999999")
	o.NewRun(t, "zulip_linkifier").Import("nothing", nil).ExpectError(t, "", `no linkifier with the pattern "nothing"; the patterns are: "#(?P<id>[0-9]+)"`)
	o.NewRun(t, "zulip_linkifier").Import("#(?P<id>[0-9])", nil).ExpectError(t, "", `did you mean "#(?P<id>[0-9]+)"?`)
	digits := linkifierByHand(t, o, "2024")
	fresh := o.NewRun(t, "zulip_linkifier")
	fresh.Import("pattern:2024", nil).ExpectNoError(t)
	if fresh.State.Values["id"] != digits {
		t.Errorf("found %v", fresh.State.Values)
	}
}

// Attributes of newer servers are only sent if they are configured and change.
func TestProtocolLinkifierReverse(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 478})
	run := o.NewRun(t, "zulip_linkifier")
	full := func(example, reverse string, alternatives ...any) values {
		return values{
			"pattern": issues["pattern"], "url_template": issues["url_template"],
			"example_input": example, "reverse_template": reverse, "alternative_url_templates": alternatives,
		}
	}
	sent := o.Sent()
	run.MustApply(full("#7", "#{id}", "https://example.com/i/{id}"))
	sent.Expect(t, "POST alternative_url_templates example_input pattern reverse_template url_template")
	sent = o.Sent()
	run.MustApply(full("#8", "#{id}", "https://example.com/i/{id}"))
	run.MustApply(full("#8", "", "https://example.com/i/{id}"))
	run.MustApply(full("", "", []any{}...))
	sent.Expect(t, "PATCH example_input pattern url_template", "PATCH pattern reverse_template url_template",
		"PATCH alternative_url_templates example_input pattern url_template")
	held := linkifiers(t, o)[0]
	if held.ExampleInput != nil || held.ReverseTemplate != nil || len(held.AlternativeURLTemplates) != 0 {
		t.Errorf("the server holds %+v", held)
	}

	run.MustApply(full("#7", "#{id}", "https://example.com/i/{id}"))
	if plan := run.MustPlan(issues); !plan.Empty() {
		t.Errorf("what is not configured any more is not managed, and planned are %v", plan.Changes())
	}
	sent = o.Sent()
	run.MustApply(linkifierConfig("#(?P<id>[0-9]+)", "https://example.com/i/{id}"))
	sent.Expect(t, "PATCH pattern url_template")
	if held := linkifiers(t, o)[0]; held.ExampleInput == nil || *held.ExampleInput != "#7" || len(held.AlternativeURLTemplates) != 1 {
		t.Errorf("the server holds %+v", held)
	}
	fresh := o.NewRun(t, "zulip_linkifier")
	fresh.Import(fmt.Sprint(run.State.Values["id"]), nil).ExpectNoError(t)
	if fmt.Sprint(fresh.State.Values) != fmt.Sprint(run.State.Values) {
		t.Errorf("imported: %v\nwant: %v", fresh.State.Values, run.State.Values)
	}
}

func TestProtocolLinkifierBadInput(t *testing.T) {
	run := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 442}).NewRun(t, "zulip_linkifier")
	with := func(name string, value any) values {
		return values{"pattern": issues["pattern"], "url_template": issues["url_template"], name: value}
	}
	run.ExpectRefusals(acctest.Refusals{
		{linkifierConfig(" ", "https://example.com/"), "pattern", []string{"pattern is empty"}},
		{linkifierConfig("(a", "https://example.com/"), "pattern", []string{"RE2", "missing closing )"}},
		{linkifierConfig("(?=x)a", "https://example.com/"), "pattern", []string{"RE2"}},
		{values{"pattern": "(a", "url_template": acctest.Unknown}, "pattern", []string{"RE2"}},
		{linkifierConfig("a", ""), "url_template", []string{"url_template is empty"}},
		{linkifierConfig("a", "https://example.com/{"), "url_template", []string{"RFC 6570"}},
		{values{"pattern": acctest.Unknown, "url_template": "{"}, "url_template", []string{"RFC 6570"}},
		{linkifierConfig("(?P<id>a)", "https://example.com/"), "url_template", []string{`the group "id"`}},
		{linkifierConfig("a", "https://example.com/{id}"), "pattern", []string{`the variable "id"`}},
		{with("example_input", "#7"), "example_input", []string{"too old", "471", "442"}},
		{with("reverse_template", "#{id}"), "reverse_template", []string{"471"}},
		{with("alternative_url_templates", []any{}), "alternative_url_templates", []string{"478"}},
		{with("alternative_url_templates", []any{"{"}), "alternative_url_templates", []string{"RFC 6570"}},
		{values{"pattern": issues["pattern"], "url_template": issues["url_template"], "example_input": "", "reverse_template": "#{id}"}, "example_input", []string{"example"}},
	})
	if _, diags := run.Plan(values{"pattern": acctest.Unknown, "url_template": acctest.Unknown}); len(diags.Errors()) > 0 {
		t.Errorf("what is not known yet is refused: %v", diags)
	}
}

// A pattern is taken by a linkifier of the organization, or by another resource of the plan.
func TestProtocolLinkifierPatternTaken(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_linkifier")
	id := linkifierByHand(t, o, "taken")
	run.ExpectRefused(linkifierConfig("taken", "https://example.com/else"), "pattern", "taken", fmt.Sprintf(`id = "%d"`, id), "https://example.com/taken")
	run.ExpectRefused(linkifierConfig(" taken ", "https://example.com/else"), "pattern", fmt.Sprintf(`id = "%d"`, id))
	run.MustApply(issues)
	plan, diags := run.Plan(linkifierConfig("taken", "https://example.com/else")) // another resource of the same run may release it
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "pattern", fmt.Sprintf("import that object with the ID %d", id), "depends_on")
	run.Apply(plan).ExpectError(t, "pattern", "Cannot change linkifier", `Linkifier "taken"`, "has the pattern now")

	p := run.Process()
	p.MustPlan("zulip_linkifier", nil, linkifierConfig("new", "https://example.com/"))
	_, diags = p.Plan("zulip_linkifier", nil, linkifierConfig("new", "https://example.com/else"))
	diags.ExpectError(t, "pattern", `Duplicate linkifier pattern "new"`, "Another zulip_linkifier")
	_, diags = p.Plan("zulip_linkifier", run.State, linkifierConfig("new", "https://example.com/else"))
	diags.ExpectError(t, "pattern", `Duplicate linkifier pattern "new"`)
	if _, diags = p.Plan("zulip_linkifier", run.State, issues); len(diags.Errors()) > 0 {
		t.Errorf("its own pattern is refused: %v", diags)
	}
}

// The plan refuses accounts without the permission, which can still read.
func TestProtocolLinkifierPermissions(t *testing.T) {
	person := func(name string, role zulip.Role, isBot bool) sandbox.Account {
		return sandbox.Account{Email: name + "@example.com", FullName: name, Role: int(role), IsBot: isBot}
	}
	o := acctest.StartSandbox(t, sandbox.Config{Accounts: map[string]sandbox.Account{
		"owner": person("owner", zulip.RoleOwner, false), "moderator": person("moderator", zulip.RoleModerator, false),
		"bot": person("plain-bot", zulip.RoleMember, true), "adminbot": person("admin-bot", zulip.RoleAdministrator, true),
	}})
	run := o.As(t, "adminbot").NewRun(t, "zulip_linkifier")
	run.MustApply(issues)
	for account, word := range map[string]string{"moderator": "is a moderator", "bot": "is a bot with the role member"} {
		run := o.As(t, account).NewRun(t, "zulip_linkifier")
		run.ExpectRefused(linkifierConfig("new", "https://example.com/"), "", "cannot manage linkifiers", "administrators", word)
		run.Import("#(?P<id>[0-9]+)", nil).ExpectNoError(t)
		run.ExpectUnchanged(issues)
		run.ExpectRefused(linkifierConfig("new", "https://example.com/"), "", "cannot manage linkifiers")
		run.ExpectRefused(nil, "", "cannot manage linkifiers")
	}
}

// Many linkifiers are read in one snapshot. Those created at the same time are read together afterwards.
func TestProtocolLinkifiers_CreatedTogether_ReadsShared(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_linkifier")
	const many = 8
	p, plans := run.Process(), []*acctest.PlannedChange{}
	for i := range many {
		plan := p.MustPlan("zulip_linkifier", nil, linkifierConfig(fmt.Sprint("L", i), "https://example.com/"))
		plans = append(plans, plan)
	}
	sent, all := o.Sent(), make([]*acctest.Instance, many)
	done := make(chan acctest.Diagnostics)
	for i, plan := range plans {
		go func() {
			state, diags := p.Apply(plan)
			all[i] = state
			done <- diags
		}()
	}
	for range plans {
		(<-done).ExpectNoError(t)
	}
	if reads := len(sent.Requests()) - len(sent.Writes()); reads > many/2 {
		t.Errorf("%d reads for %d linkifiers", reads, many)
	}
	if len(linkifiers(t, o)) != many {
		t.Errorf("%d linkifiers", len(linkifiers(t, o)))
	}
	p, sent = run.Process(), o.Sent()
	for _, state := range all {
		if _, diags := p.Read("zulip_linkifier", state); len(diags.Errors()) > 0 {
			t.Fatal(diags)
		}
	}
	if reads := len(sent.Requests()); reads != 2 { // a snapshot and the end of its queue
		t.Errorf("%d requests to read %d linkifiers", reads, many)
	}
}
