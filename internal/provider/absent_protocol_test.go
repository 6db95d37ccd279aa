package provider_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

const newcomer = "zoe.quill@example.net"

// Whoever has not joined yet can stand in a list: a warning names the address, and the plan after somebody has joined takes it up.
func TestProtocolListsTakeUpWhoHasNotJoinedYet(t *testing.T) {
	for resource, config := range map[string]acctest.Values{
		"zulip_user_group":            {"name": "writers", "members": []any{"lena.fischer@example.com", newcomer}},
		"zulip_user_group_membership": {"group": "sre", "members": []any{"kenji.sato@example.com", newcomer}},
		"zulip_channel_subscribers":   {"channel": "leads", "users": []any{"ines.moreau@example.com", "tomas.berg@example.com", "amara.okafor@example.com", newcomer}},
		"zulip_channel_subscription":  {"channel": "leads", "users": []any{"lena.fischer@example.com", newcomer}},
		"zulip_role_members":          {"role": "moderator", "users": []any{"amara.okafor@example.com", newcomer}},
	} {
		t.Run(resource, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			run := o.NewRun(t, resource)
			plan, diags := run.Plan(config)
			diags.Errors().ExpectNoError(t)
			if !strings.Contains(diags.Warnings().String(), `"zoe.quill@example.net" is not in the organization`) {
				t.Fatalf("the plan says %v", diags)
			}
			run.Apply(plan).ExpectNoError(t)
			run.Refresh().ExpectNoError(t)
			if again := run.MustPlan(config); !again.Empty() {
				t.Errorf("a second plan has %v", again.Changes())
			}
			o.Call(t, "POST", "/users", map[string]string{"email": newcomer, "full_name": "Zoe Quill", "password": "correct horse battery staple"})
			run.Refresh().ExpectNoError(t)
			if again := run.MustPlan(config); again.Empty() {
				t.Error("nobody takes up who has joined")
			} else {
				run.Apply(again).ExpectNoError(t)
			}
			if again := run.MustPlan(config); !again.Empty() {
				t.Errorf("the last plan has %v", again.Changes())
			}
		})
	}
}

// An address that nobody has may be the old one of somebody who is in the list: nobody leaves because of it.
func TestProtocolNobodyLeavesForAnUnknownAddress(t *testing.T) {
	for resource, config := range map[string]func(string) acctest.Values{
		"zulip_user_group": func(who string) acctest.Values {
			return acctest.Values{"name": "writers", "members": []any{"lena.fischer@example.com", who}}
		},
		"zulip_user_group_membership": func(who string) acctest.Values {
			return acctest.Values{"group": "leads", "members": []any{"lena.fischer@example.com", who}}
		},
		"zulip_channel_subscribers": func(who string) acctest.Values {
			return acctest.Values{"channel": "leads", "users": []any{"ines.moreau@example.com", "tomas.berg@example.com", "amara.okafor@example.com", who}}
		},
		"zulip_channel_subscription": func(who string) acctest.Values {
			return acctest.Values{"channel": "leads", "users": []any{who}}
		},
		"zulip_role_members": func(who string) acctest.Values {
			return acctest.Values{"role": "moderator", "users": []any{"amara.okafor@example.com", who}}
		},
	} {
		t.Run(resource, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			run := o.NewRun(t, resource)
			run.MustApply(config("kenji.sato@example.com"))
			_, diags := run.Plan(config(newcomer))
			if found := diags.Errors().String(); !strings.Contains(found, `"zoe.quill@example.net" is not in the organization`) || !strings.Contains(found, "kenji.sato@example.com") {
				t.Errorf("the plan says %v", diags)
			}
		})
	}
}

// An address with an invitation that is pending is no old address of somebody: others may leave by the same plan.
func TestProtocolOthersLeaveBesideWhoIsInvited(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := o.NewRun(t, "zulip_user_group")
	run.MustApply(values{"name": "writers", "members": []any{someone, "kenji.sato@example.com"}})
	config := values{"name": "writers", "members": []any{someone, newcomer}}
	_, diags := run.Plan(config)
	diags.ExpectError(t, "members", "kenji.sato@example.com, who may be who is meant")
	o.Call(t, "POST", "/invites", map[string]string{"invitee_emails": newcomer, "stream_ids": "[]"})
	p := run.Process()
	change, diags := p.Plan("zulip_user_group", run.State, config) // as the CLI does in an apply too
	diags.Errors().ExpectNoError(t)
	diags.ExpectWarning(t, "members", newcomer+`" is not in the organization`)
	run.ApplyIn(p, change).ExpectNoError(t)
	if members := fmt.Sprint(run.State.Values["members"]); strings.Contains(members, "kenji") {
		t.Error(members)
	}
}

// Every plan names who is listed and deactivated, as in permissions.
func TestProtocolDeactivatedInListsAreNamed(t *testing.T) {
	const kenji = "kenji.sato@example.com"
	for resource, config := range map[string]values{
		"zulip_user_group":            {"name": "writers", "members": []any{someone, kenji}},
		"zulip_user_group_membership": {"group": "leads", "members": []any{kenji}},
		"zulip_channel_subscribers":   {"channel": "leads", "users": []any{self, "tomas.berg@example.com", "amara.okafor@example.com", kenji}},
		"zulip_channel_subscription":  {"channel": "leads", "users": []any{kenji}},
		"zulip_role_members":          {"role": "moderator", "users": []any{"amara.okafor@example.com", kenji}},
	} {
		t.Run(resource, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			run := o.NewRun(t, resource)
			run.MustApply(config)
			credentials, _ := o.Sandbox.Credentials("member2")
			o.Call(t, "DELETE", fmt.Sprintf("/users/%d", credentials.ID), nil)
			run.Refresh().ExpectNoError(t)
			plan, diags := run.Plan(config)
			if !plan.Empty() {
				t.Errorf("the plan has %v", plan.Changes())
			}
			if text := diags.String(); !strings.Contains(text, "Deactivated users and groups are ignored") || !strings.Contains(text, kenji) {
				t.Errorf("the plan says %s", text)
			}
		})
	}
}
