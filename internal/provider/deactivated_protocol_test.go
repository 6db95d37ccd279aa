package provider_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

const (
	lenaPrincipal  = "user:lena.fischer@example.com"
	kenjiPrincipal = "user:kenji.sato@example.com"
)

// permitted is one resource with permissions, and a permission of it.
type permitted struct {
	resource, setting string
	config            values // the rest of its configuration
	changed           values // a change of another attribute
}

// permittedResources are all resources with permissions.
var permittedResources = []permitted{
	{"zulip_channel", "can_send_message_group", values{"name": "deactivated"}, values{"description": "changed"}},
	{"zulip_user_group", "can_mention_group", values{"name": "deactivated"}, values{"description": "changed"}},
	{"zulip_organization", "can_create_groups", values{}, values{"description": "changed"}},
}

// overPermitted runs a test with every resource that has permissions, each in a sandbox of its own.
func overPermitted(t *testing.T, test func(*testing.T, *deactivation)) {
	t.Helper()
	for _, p := range permittedResources {
		t.Run(p.resource, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			d := &deactivation{t: t, permitted: p, o: o, run: o.NewRun(t, p.resource)}
			d.run.Block["lockout_protection"] = false
			test(t, d)
		})
	}
}

// deactivation is a test of one resource that names a deactivated user or group.
type deactivation struct {
	permitted
	t   *testing.T
	o   *acctest.Organization
	run *acctest.Run
}

// with is the configuration with the permission, and with more attributes.
func (d *deactivation) with(more values, principals ...string) values {
	slices.Sort(principals)
	set := []any{}
	for _, principal := range principals {
		set = append(set, principal)
	}
	config := values{d.setting: set}
	for _, part := range []values{d.config, more} {
		for name, value := range part {
			config[name] = value
		}
	}
	return config
}

func (d *deactivation) account(name string) int {
	d.t.Helper()
	credentials, ok := d.o.Sandbox.Credentials(name)
	if !ok {
		d.t.Fatalf("User the sandbox does not exist %q", name)
	}
	return credentials.ID
}

// setActive deactivates or reactivates an account outside Terraform.
func (d *deactivation) setActive(name string, active bool) {
	d.t.Helper()
	method, path := http.MethodDelete, fmt.Sprintf("/users/%d", d.account(name))
	if active {
		method, path = http.MethodPost, path+"/reactivate"
	}
	d.o.Call(d.t, method, path, nil)
}

// expectSent fails the test unless this value of the permission was sent, as JSON; empty for none.
func (d *deactivation) expectSent(sent *acctest.Sent, want string) {
	d.t.Helper()
	got := ""
	for _, request := range sent.Writes() {
		if value, ok := request.Params[d.setting]; ok {
			var change struct {
				New json.RawMessage `json:"new"`
			}
			if err := json.Unmarshal([]byte(value), &change); err == nil && change.New != nil {
				value = string(change.New)
			}
			got += value
		}
	}
	if got != want {
		d.t.Errorf("sent of %s: %s, want %s", d.setting, got, want)
	}
}

// expectHeld fails the test unless the sandbox shows these people and groups in the permission.
func (d *deactivation) expectHeld(people, groups []int) {
	d.t.Helper()
	var holders []any
	switch d.resource {
	case "zulip_channel":
		holders, _ = d.o.Call(d.t, http.MethodGet, "/streams", map[string]string{"include_all": "true"})["streams"].([]any)
	case "zulip_user_group":
		holders, _ = d.o.Call(d.t, http.MethodGet, "/user_groups", nil)["user_groups"].([]any)
	default:
		realm := d.o.Call(d.t, http.MethodPost, "/register", map[string]string{"fetch_event_types": `["realm"]`})
		holders = []any{map[string]any{"name": "deactivated", d.setting: realm["realm_"+d.setting]}}
	}
	at := slices.IndexFunc(holders, func(one any) bool { return one.(map[string]any)["name"] == "deactivated" })
	if at < 0 {
		d.t.Fatalf("%s is not there", d.resource)
	}
	got := fmt.Sprint(holders[at].(map[string]any)[d.setting])
	want := fmt.Sprint(map[string]any{"direct_members": people, "direct_subgroups": groups})
	if people == nil && len(groups) == 1 {
		want = fmt.Sprint(groups[0])
	}
	if got != want {
		d.t.Errorf("the sandbox holds %s of %s, want %s", got, d.setting, want)
	}
}

func (d *deactivation) expectWarned(diags acctest.Diagnostics, principal string) {
	d.t.Helper()
	diags.ExpectNoError(d.t)
	diags.ExpectWarning(d.t, d.setting, "have no effect in a permission", d.setting, fmt.Sprintf("%q", principal))
}

func (d *deactivation) role(name string) int { return int(d.o.SystemGroup(d.t, "role:"+name)) }

func (d *deactivation) plan(config values) *acctest.PlannedChange {
	d.t.Helper()
	plan, diags := d.run.Plan(config)
	diags.ExpectNoError(d.t)
	return plan
}

// A user who is deactivated after the permission was written stays in it, hidden, and is visible again after a
// reactivation.
func TestProtocolDeactivated_AfterWrite_NoDrift(t *testing.T) {
	overPermitted(t, func(t *testing.T, d *deactivation) {
		config := d.with(nil, "role:moderators", lenaPrincipal)
		d.run.MustApply(config)
		d.setActive("member", false)
		sent := d.o.Sent()
		plan, diags := d.run.Plan(config)
		d.expectWarned(diags, lenaPrincipal)
		if !plan.Empty() {
			t.Errorf("planned: %v", plan.Changes())
		}
		d.run.MustApply(d.with(d.changed, "role:moderators", lenaPrincipal))
		d.expectSent(sent, "")
		d.setActive("member", true)
		d.expectHeld([]int{d.account("member")}, []int{d.role("moderators")})
		if !d.plan(d.with(d.changed, "role:moderators", lenaPrincipal)).Empty() {
			t.Error("the account is active again, and something is planned")
		}
	})
}

// A user who was deactivated after the plan does not block an apply that changes another attribute.
func TestProtocolDeactivatedBetweenPlanAndApply(t *testing.T) {
	overPermitted(t, func(t *testing.T, d *deactivation) {
		d.run.MustApply(d.with(nil, "role:moderators", lenaPrincipal))
		description := d.plan(d.with(d.changed, "role:moderators", lenaPrincipal))
		d.setActive("member", false)
		sent := d.o.Sent()
		d.run.Apply(description).ExpectNoError(t)
		d.expectSent(sent, "")
		d.setActive("member", true)

		permission := d.plan(d.with(d.changed, kenjiPrincipal, "role:moderators", lenaPrincipal))
		d.setActive("member2", false)
		sent = d.o.Sent()
		d.run.Apply(permission).ExpectNoError(t)
		d.expectSent(sent, "")

		permission = d.plan(d.with(d.changed, kenjiPrincipal, "role:members", lenaPrincipal))
		d.setActive("member", false)
		sent = d.o.Sent()
		d.run.Apply(permission).ExpectNoError(t)
		d.expectSent(sent, fmt.Sprint(d.role("members")))
		d.expectHeld(nil, []int{d.role("members")})
	})
}

// A person whom the apply itself deactivates, after it has read the people, is no conflict.
func TestProtocolPermission_DeactivatedDuringApply_NoConflict(t *testing.T) {
	overPermitted(t, func(t *testing.T, d *deactivation) {
		d.run.MustApply(d.with(nil, "role:moderators", lenaPrincipal))
		config := d.with(nil, "role:moderators", kenjiPrincipal)
		plan := d.plan(config)
		p := d.run.Process()
		again, diags := p.Plan(d.resource, plan.Prior, plan.Config)
		diags.ExpectNoError(t)
		d.setActive("member", false) // like another resource of the same apply
		sent := d.o.Sent()
		state, diags := p.Apply(again)
		diags.ExpectNoError(t)
		d.run.State = state
		d.expectSent(sent, fmt.Sprintf(`{"direct_members":[%d],"direct_subgroups":[%d]}`, d.account("member2"), d.role("moderators")))
		if !d.plan(config).Empty() {
			t.Error("something is planned after the apply")
		}
		d.expectHeld([]int{d.account("member2")}, []int{d.role("moderators")})
	})
}

// A person who was removed from the permission outside Terraform, and is active, is a conflict.
func TestProtocolPermission_RemovedDuringApply_Refused(t *testing.T) {
	overPermitted(t, func(t *testing.T, d *deactivation) {
		d.run.MustApply(d.with(nil, "role:moderators", lenaPrincipal))
		plan := d.plan(d.with(nil, "role:moderators", kenjiPrincipal))
		p := d.run.Process()
		again, diags := p.Plan(d.resource, plan.Prior, plan.Config)
		diags.ExpectNoError(t)
		other := d.o.NewRun(t, d.resource)
		other.Block["lockout_protection"] = false
		other.State = d.run.State
		other.MustApply(d.with(nil, "role:moderators"))
		sent := d.o.Sent()
		_, diags = p.Apply(again)
		diags.ExpectError(t, "", "was changed", "Nothing was overwritten")
		d.expectSent(sent, "")
	})
}

// An added or removed deactivated person is shown in the plan, but not sent. Once active, the next plan adds or removes
// them.
func TestProtocolDeactivatedMoreOrLess(t *testing.T) {
	overPermitted(t, func(t *testing.T, d *deactivation) {
		d.run.MustApply(d.with(nil, "role:moderators"))
		d.setActive("member", false)
		more := d.with(nil, "role:moderators", lenaPrincipal)
		sent := d.o.Sent()
		plan, diags := d.run.Plan(more)
		d.expectWarned(diags, lenaPrincipal)
		if !slices.Equal(plan.Changes(), []string{d.setting}) {
			t.Errorf("planned: %v", plan.Changes())
		}
		d.run.MustApply(more)
		d.expectSent(sent, "")
		d.setActive("member", true)
		if changes := d.plan(more).Changes(); !slices.Equal(changes, []string{d.setting}) {
			t.Errorf("the account is active, and planned is %v", changes)
		}
		d.run.MustApply(more)
		d.expectHeld([]int{d.account("member")}, []int{d.role("moderators")})

		d.setActive("member", false)
		d.run.MustApply(d.with(nil, "role:moderators"))
		d.setActive("member", true)
		d.run.MustApply(d.with(nil, "role:moderators"))
		d.expectHeld(nil, []int{d.role("moderators")})
	})
}

// The request leaves out deactivated users, also on creation and if no other user is named.
func TestProtocolDeactivated_InPermission_LeftOut(t *testing.T) {
	overPermitted(t, func(t *testing.T, d *deactivation) {
		const goneGroup = "group:gone"
		gone := d.o.Call(t, http.MethodPost, "/user_groups/create", map[string]string{"name": "gone", "description": "", "members": "[]"})["group_id"]
		d.o.Call(t, http.MethodPost, fmt.Sprintf("/user_groups/%v/deactivate", gone), nil)
		d.setActive("member", false)
		created := d.with(nil, goneGroup, "role:moderators", lenaPrincipal)
		sent := d.o.Sent()
		plan, diags := d.run.Plan(created)
		d.expectWarned(diags, lenaPrincipal)
		d.expectWarned(diags, goneGroup)
		d.run.Apply(plan).ExpectNoError(t)
		d.expectSent(sent, fmt.Sprint(d.role("moderators")))
		d.expectHeld(nil, []int{d.role("moderators")})
		if !d.plan(created).Empty() {
			t.Error("something is left to do")
		}

		sent = d.o.Sent()
		d.run.MustApply(d.with(nil, goneGroup, "role:moderators", lenaPrincipal, kenjiPrincipal))
		d.expectSent(sent, fmt.Sprintf(`{"direct_members":[%d],"direct_subgroups":[%d]}`, d.account("member2"), d.role("moderators")))

		sent = d.o.Sent()
		d.run.MustApply(d.with(nil, goneGroup, lenaPrincipal))
		d.expectSent(sent, fmt.Sprint(d.role("nobody")))
	})
}

// An email that is known after apply is resolved during apply, by the same rules, and the next plan is empty.
func TestProtocolDeactivatedUnknownAtPlan(t *testing.T) {
	overPermitted(t, func(t *testing.T, d *deactivation) {
		d.run.MustApply(d.with(nil, "role:moderators"))
		d.setActive("member", false)
		config := d.with(nil)
		config[d.setting] = []any{"role:moderators", acctest.Unknown}
		plan := d.plan(config)
		plan.Config[d.setting] = []any{"role:moderators", lenaPrincipal}
		sent := d.o.Sent()
		d.run.Apply(plan).ExpectNoError(t)
		d.expectSent(sent, "")
		again, diags := d.run.Plan(d.with(nil, "role:moderators", lenaPrincipal))
		d.expectWarned(diags, lenaPrincipal)
		if !again.Empty() {
			t.Errorf("planned: %v", again.Changes())
		}
		for _, diag := range diags {
			if strings.Contains(diag.String(), "Who can do what") {
				t.Error("nothing changes, and is reported:", diag)
			}
		}
	})
}

// A user whom the same run reactivates counts as active.
func TestProtocolDeactivated_ReactivatedInRun_Active(t *testing.T) {
	overPermitted(t, func(t *testing.T, d *deactivation) {
		d.setActive("member", false)
		p := d.run.Process()
		account := values{"email": "lena.fischer@example.com", "full_name": "Lena Fischer", "adopt_deactivated": true}
		_, diags := p.Plan("zulip_user", nil, account)
		diags.ExpectNoError(t)
		config := d.with(nil, "role:moderators", lenaPrincipal)
		_, diags = p.Plan(d.resource, nil, config)
		diags.ExpectNoError(t)
		for _, warning := range diags.Warnings() {
			if strings.Contains(warning.String(), "no effect in a permission") {
				t.Error("this run reactivates the account:", warning)
			}
		}

		p = d.run.Process()
		reactivation, diags := p.Plan("zulip_user", nil, account)
		diags.ExpectNoError(t)
		_, diags = p.Apply(reactivation)
		diags.ExpectNoError(t)
		sent := d.o.Sent()
		plan, diags := p.Plan(d.resource, nil, config)
		diags.ExpectNoError(t)
		d.run.State, diags = p.Apply(plan)
		diags.ExpectNoError(t)
		d.expectSent(sent, fmt.Sprintf(`{"direct_members":[%d],"direct_subgroups":[%d]}`, d.account("member"), d.role("moderators")))
		d.expectHeld([]int{d.account("member")}, []int{d.role("moderators")})
	})
}
