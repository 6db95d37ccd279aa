package provider_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// ruled is an organization of two owners and some members, and a file of rules.
type ruled struct {
	*acctest.Organization

	t    *testing.T
	file string
}

func newRuled(t *testing.T, text string) *ruled {
	t.Helper()
	accounts := map[string]sandbox.Account{
		"owner": {Email: "olga@example.com", FullName: "Olga", Role: 100, CanCreateUsers: true},
		"otto":  {Email: "otto@example.com", FullName: "Otto", Role: 100},
		"oda":   {Email: "oda@example.com", FullName: "Oda", Role: 100},
	}
	for _, name := range []string{"ada", "ben", "cid", "dan"} {
		accounts[name] = sandbox.Account{Email: name + "@example.com", FullName: name, Role: 400}
	}
	o := acctest.NewSandbox(t, sandbox.Config{Accounts: accounts})
	r := &ruled{Organization: o.WithAccount(t, "owner"), t: t, file: filepath.Join(t.TempDir(), "rules.zulip.hcl")}
	if err := os.WriteFile(r.file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return r
}

// run manages a resource with the rules.
func (r *ruled) run(resource string) *acctest.Run {
	return acctest.NewRun(r.t.Context(), r.t, resource, r.Block(values{"rules": r.file}))
}

func (r *ruled) id(account string) int {
	credentials, _ := r.Sandbox.Credentials(account)
	return credentials.ID
}

// A rule about how many there must be holds in an apply, whoever changes what in the meantime, and two changes that keep it each
// do not break it together.
func TestProtocolRulesKeepOwners(t *testing.T) {
	r := newRuled(t, "rule \"two owners\" {\n  role     = \"owner\"\n  at_least = 2\n}\n")
	otto, oda := r.run("zulip_user_role"), r.run("zulip_user_role")
	otto.MustApply(values{"user": "otto@example.com", "role": "owner"})
	oda.MustApply(values{"user": "oda@example.com", "role": "owner"})
	p := otto.Process()
	demotions := []*acctest.PlannedChange{
		otto.MustPlan(values{"user": "otto@example.com", "role": "member"}), oda.MustPlan(values{"user": "oda@example.com", "role": "member"}),
	}
	var (
		both   sync.WaitGroup
		mu     sync.Mutex
		errors []string
	)
	for _, plan := range demotions {
		again, diags := p.Plan("zulip_user_role", plan.Prior, plan.Config)
		diags.ExpectNoError(t)
		both.Go(func() {
			_, diags := p.Apply(again)
			mu.Lock()
			defer mu.Unlock()
			for _, one := range diags.Errors() {
				errors = append(errors, one.Summary+": "+one.Detail)
			}
		})
	}
	both.Wait()
	if len(errors) != 1 || !strings.Contains(errors[0], `The apply would break the rule "two owners"`) || !strings.Contains(errors[0], "1 person is owner, and at least 2 must be: Olga (olga@example.com).") {
		t.Errorf("%q", errors)
	}
	owners := 0
	for _, account := range r.Sandbox.AllCredentials() {
		if account.Role == 100 {
			owners++
		}
	}
	if owners != 2 {
		t.Errorf("%d owners are left", owners)
	}
	r.run("zulip_user_role").MustApply(values{"user": "ada@example.com", "role": "moderator"}) // what breaks no rule
}

// One apply takes no more people out than a limit says, by whatever resources.
func TestProtocolRulesLimitRemovals(t *testing.T) {
	r := newRuled(t, "limit \"removals\" {\n  people = 2\n}\n")
	r.Call(t, "POST", "/user_groups/create", map[string]string{"name": "sre", "description": "", "members": fmt.Sprintf("[%d,%d]", r.id("ada"), r.id("ben"))})
	r.Call(t, "POST", "/channels/create", map[string]string{"name": "hall", "subscribers": fmt.Sprintf("[%d,%d]", r.id("ben"), r.id("cid"))})
	group, channel, user := r.run("zulip_user_group"), r.run("zulip_channel_subscribers"), r.run("zulip_user")
	group.Import("sre", nil).ExpectNoError(t)
	channel.Import("hall", nil).ExpectNoError(t)
	user.Import("dan@example.com", nil).ExpectNoError(t)
	p := group.Process()
	group.ApplyIn(p, group.MustPlan(values{"name": "sre", "members": []any{}})).ExpectNoError(t) // Ada and Ben
	sent := r.Sent()
	channel.ApplyIn(p, channel.MustPlan(values{"channel": "hall", "users": []any{"ben@example.com"}})).ExpectError(t, "", `The apply would break the rule "removals"`, "3 people are taken out", "the limit is 2")
	user.ApplyIn(p, user.MustPlan(nil)).ExpectError(t, "", `The apply would break the rule "removals"`)
	sent.Expect(t)
	ada := r.run("zulip_user")
	ada.Import("ada@example.com", nil).ExpectNoError(t)
	ada.ApplyIn(p, ada.MustPlan(nil)).ExpectNoError(t)                                                              // she is out already
	channel.Apply(channel.MustPlan(values{"channel": "hall", "users": []any{"otto@example.com"}})).ExpectNoError(t) // another apply
}

// Somebody is left who can do what a rule asks for: by a permission, by a group, by who is in a channel.
func TestProtocolRulesKeepRights(t *testing.T) {
	r := newRuled(t, `
rule "the hall is looked after" {
  channels = "hall"
  right    = "subscribed"
  at_least = 2
}
rule "somebody manages sre" {
  groups   = "sre"
  right    = "member"
  at_least = 2
}
rule "many may post" {
  channels = "hall"
  right    = "send_message"
  at_least = 3
}
rule "groups are made" {
  right    = "create_groups"
  at_least = 4
}
`)
	r.Call(t, "POST", "/user_groups/create", map[string]string{"name": "sre", "description": "", "members": fmt.Sprintf("[%d,%d]", r.id("ada"), r.id("ben"))})
	r.Call(t, "POST", "/channels/create", map[string]string{"name": "hall", "subscribers": fmt.Sprintf("[%d,%d]", r.id("ben"), r.id("cid"))})
	for _, one := range []struct {
		resource, id string
		now, breaks  values
		rule         string
	}{
		{"zulip_channel_subscribers", "hall", values{"channel": "hall", "users": []any{"ben@example.com", "cid@example.com"}}, values{"channel": "hall", "users": []any{"ben@example.com"}}, "the hall is looked after"},
		{"zulip_user_group", "sre", values{"name": "sre", "members": []any{"ada@example.com", "ben@example.com"}}, values{"name": "sre", "members": []any{"ada@example.com"}}, "somebody manages sre"},
		{"zulip_user_group", "sre", values{"name": "sre"}, nil, "somebody manages sre"},
		{"zulip_channel", "hall", values{"name": "hall"}, values{"name": "hall", "can_send_message_group": []any{"user:ada@example.com"}}, "many may post"},
		{"zulip_channel", "hall", values{"name": "hall"}, nil, "the hall is looked after"},
		{"zulip_organization", "organization", values{}, values{"can_create_groups": []any{"user:ada@example.com"}}, "groups are made"},
	} {
		run := r.run(one.resource)
		run.Import(one.id, nil).ExpectNoError(t)
		run.MustApply(one.now)
		sent := r.Sent()
		diags := run.Apply(run.MustPlan(one.breaks))
		var found []string
		for _, problem := range diags.Errors() {
			found = append(found, problem.Summary)
		}
		if !strings.Contains(strings.Join(found, "\n"), fmt.Sprintf("The apply would break the rule %q", one.rule)) {
			t.Errorf("%s to %v: %q", one.resource, one.breaks, found)
		}
		sent.Expect(t)
		if run.State == nil {
			t.Errorf("%s is not in the state any more", one.resource)
		}
	}
}

// A file of rules that cannot be read stops every run.
func TestProtocolRulesThatCannotBeRead(t *testing.T) {
	r := newRuled(t, "rule \"two owners\" {\n  rol = \"owner\"\n}\n")
	acctest.StartProcess(t.Context(), t).Configure(r.Block(values{"rules": r.file})).ExpectError(t, "rules", "Cannot read the rules", `rules.zulip.hcl:2: rule has no attribute "rol"`)
	acctest.StartProcess(t.Context(), t).Configure(r.Block(values{"rules": r.file + ".x"})).ExpectError(t, "rules", "Cannot read the rules", "no such file")
}

// Two lists that take different people out of one group do not break a rule together, though each has read the group before the
// other was carried out; and a role that could not be given counts for nothing.
func TestProtocolRulesCountWhatIsUnderWay(t *testing.T) {
	r := newRuled(t, "rule \"sre\" {\n  groups   = \"sre\"\n  right    = \"member\"\n  at_least = 2\n}\nrule \"owners\" {\n  role     = \"owner\"\n  at_least = 3\n}\n")
	r.Call(t, "POST", "/user_groups/create", map[string]string{"name": "sre", "description": "", "members": fmt.Sprintf("[%d]", r.id("dan"))})
	p, configs := r.run("zulip_user_group_membership").Process(), [][]any{{"ada@example.com"}, {"ben@example.com"}}
	var ended []*acctest.PlannedChange
	for _, members := range configs {
		run := r.run("zulip_user_group_membership")
		run.MustApply(values{"group": "sre", "members": members})
		again, diags := p.Plan("zulip_user_group_membership", run.State, nil)
		diags.ExpectNoError(t)
		ended = append(ended, again)
	}
	gate := r.Sandbox.Gate("POST", "/user_groups/*/members")
	var (
		both     sync.WaitGroup
		mu       sync.Mutex
		problems []string
	)
	for _, plan := range ended {
		both.Go(func() {
			_, diags := p.Apply(plan)
			mu.Lock()
			defer mu.Unlock()
			for _, one := range diags.Errors() {
				problems = append(problems, one.Summary)
			}
			gate.Open() // the other one is decided by now, or waits for this one
		})
	}
	<-gate.Arrived // one is permitted, and not carried out
	select {
	case <-gate.Arrived:
		t.Error("both were permitted")
	case <-time.After(300 * time.Millisecond):
	}
	gate.Open()
	both.Wait()
	if len(problems) != 1 || problems[0] != "The apply would break the rule \"sre\"" {
		t.Errorf("%q", problems)
	}

	promoted, demoted := r.run("zulip_user_role"), r.run("zulip_user_role")
	demoted.MustApply(values{"user": "otto@example.com", "role": "owner"})
	up, down := promoted.MustPlan(values{"user": "ada@example.com", "role": "owner"}), demoted.MustPlan(values{"user": "otto@example.com", "role": "member"})
	remove := r.Sandbox.Fail(sandbox.Fault{Method: "PATCH", Path: "/users/*", Action: sandbox.FaultStatus, Status: 400, Count: 1})
	p = promoted.Process()
	if diags := promoted.ApplyIn(p, up); len(diags.Errors()) == 0 {
		t.Fatal("the role was given")
	}
	remove()
	demoted.ApplyIn(p, down).ExpectError(t, "", `The apply would break the rule "owners"`)
}

// A rule is judged on what the organization is, not on what this run has made of it before: somebody may have changed it since.
func TestProtocolRulesSeeChangesOfOthers(t *testing.T) {
	r := newRuled(t, "rule \"many may post\" {\n  channels = \"hall\"\n  right    = \"send_message\"\n  at_least = 3\n}\n")
	hall := r.Call(t, "POST", "/channels/create", map[string]string{"name": "hall", "subscribers": fmt.Sprintf("[%d,%d]", r.id("ben"), r.id("cid"))})["id"].(float64)
	channel, user := r.run("zulip_channel"), r.run("zulip_user")
	channel.Import("hall", nil).ExpectNoError(t)
	user.Import("ada@example.com", nil).ExpectNoError(t)
	p := channel.Process()
	posters := []any{"user:ada@example.com", "user:ben@example.com", "user:cid@example.com"}
	channel.ApplyIn(p, channel.MustPlan(values{"name": "hall", "can_send_message_group": posters})).ExpectNoError(t)
	plan := user.MustPlan(nil)
	sent := r.Sent()
	user.ApplyIn(p, plan).ExpectError(t, "", `The apply would break the rule "many may post"`)
	sent.Expect(t)
	r.Call(t, "PATCH", fmt.Sprintf("/streams/%d", int(hall)), map[string]string{"can_send_message_group": fmt.Sprintf(`{"new":%d}`, r.SystemGroup(t, "role:everyone"))})
	user.ApplyIn(p, plan).ExpectNoError(t)
}
