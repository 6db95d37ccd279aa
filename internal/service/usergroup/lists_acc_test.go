package usergroup_test

import (
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// Members who are known only in the apply wait for the next one, and with them all that the resource would change: so the CLI,
// which plans once more in the apply, finds the same.
func TestAccSandboxMembersThatAreNotKnownWait(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	config := func(member, description string) string {
		return strings.NewReplacer("MEMBER", member, "DESCRIPTION", description).Replace(`
resource "terraform_data" "who" {
  input = jsonencode(["MEMBER", "amara.okafor@example.com"])
}

resource "zulip_user_group" "ops" {
  name        = "ops"
  description = "DESCRIPTION"
  members     = jsondecode(terraform_data.who.output)
}

resource "zulip_user_group_membership" "leads" {
  group     = "leads"
  members   = jsondecode(terraform_data.who.output)
  subgroups = ["role:DESCRIPTION"]
}
`)
	}
	w.Configure(t, config(lena, "members"))
	w.Must(t, "apply", "-auto-approve")
	holds(t, o, "ops", []string{lena, amara}, nil)
	holds(t, o, "leads", []string{ines, lena, amara}, []string{"sre", "role:members"})

	w.Configure(t, config(kenji, "moderators"))
	printed := w.Must(t, "apply", "-auto-approve")
	for _, text := range []string{`The members of user group "ops" wait for the next apply`, `The members of user group "leads" wait for the next apply`} {
		if !strings.Contains(printed, text) {
			t.Errorf("%q is not in:\n%s", text, printed)
		}
	}
	holds(t, o, "ops", []string{lena, amara}, nil)
	holds(t, o, "leads", []string{ines, lena, amara}, []string{"sre", "role:members"})
	if got := group(t, o, "ops").Description; got != "members" {
		t.Errorf("the description is %q", got)
	}
	w.Must(t, "apply", "-auto-approve")
	holds(t, o, "ops", []string{kenji, amara}, nil)
	holds(t, o, "leads", []string{ines, kenji, amara}, []string{"sre", "role:moderators"})
	w.Must(t, "plan", "-detailed-exitcode")
}

// Somebody who leaves the code leaves the groups in the same apply, named by a reference or by the address.
func TestAccSandboxAPersonLeavesTheCodeAndGroups(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	groups := func(member string, needs string) string {
		return strings.NewReplacer("MEMBER", member, "NEEDS", needs).Replace(`
resource "zulip_user_group" "ops" {
  name    = "ops"
  members = [MEMBER"lena.fischer@example.com"]
  NEEDS
}

resource "zulip_user_group_membership" "leads" {
  group   = "leads"
  members = [MEMBER"lena.fischer@example.com"]
  NEEDS
}
`)
	}
	const nadia = `
resource "zulip_user" "nadia" {
  email     = "nadia@example.com"
  full_name = "Nadia"
  adopt_deactivated = true
}
`
	for _, member := range []string{"zulip_user.nadia.email, ", `"nadia@example.com", `} {
		w.Configure(t, nadia+groups(member, "depends_on = [zulip_user.nadia]"))
		w.Must(t, "apply", "-auto-approve")
		w.Configure(t, groups("", ""))
		w.Must(t, "apply", "-auto-approve")
		holds(t, o, "ops", []string{lena}, nil)
		w.Must(t, "plan", "-detailed-exitcode")
	}
}

// Members take over from a membership that Terraform forgets.
func TestAccSandboxMembersTakeOver(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	w.Configure(t, `
resource "zulip_user_group" "ops" {
  name = "ops"
}

resource "zulip_user_group_membership" "ops" {
  group   = zulip_user_group.ops.name
  members = ["lena.fischer@example.com", "kenji.sato@example.com"]
}
`)
	w.Must(t, "apply", "-auto-approve")
	const exclusive = `
resource "zulip_user_group" "ops" {
  name    = "ops"
  members = ["lena.fischer@example.com", "kenji.sato@example.com"]
}
`
	w.Configure(t, exclusive)
	if printed, ok := w.Run(t, "plan"); ok || !strings.Contains(printed, "is not certain") {
		t.Errorf("planned:\n%s", printed)
	}
	w.Configure(t, exclusive+`
removed {
  from = zulip_user_group_membership.ops
  lifecycle {
    destroy = false
  }
}
`)
	sent := o.Sent()
	w.Must(t, "apply", "-auto-approve")
	sent.Expect(t)
	holds(t, o, "ops", []string{lena, kenji}, nil)
}

// A group and the channel that follows it name people as permissions do, one of whom the same apply creates.
func TestAccSandboxListsOfPrincipals(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	config := `
resource "zulip_user" "ada" {
  email     = "ada@example.com"
  full_name = "Ada"
}
resource "zulip_user_group" "ops" {
  name      = "ops"
  members   = ["user:${zulip_user.ada.email}", "user:lena.fischer@example.com"]
  subgroups = ["group:${zulip_user_group.crew.name}", "role:moderators"]
}
resource "zulip_user_group" "crew" {
  name = "crew"
}
resource "zulip_user_group_membership" "leads" {
  group   = "leads"
  members = ["user_id:${zulip_user.ada.id}"]
}
resource "zulip_channel_subscription" "incidents" {
  channel = "incidents"
  users   = setunion(zulip_user_group.ops.members, ["user:ines.moreau@example.com"])
}
`
	w.Configure(t, config)
	w.Must(t, "apply", "-auto-approve")
	w.Must(t, "plan", "-detailed-exitcode")
	holds(t, o, "ops", []string{"ada@example.com", lena}, []string{"crew", "role:moderators"})
	w.Configure(t, strings.NewReplacer(`"user:lena.fischer@example.com"`, `"lena.fischer@example.com"`, `"group:${zulip_user_group.crew.name}"`, `"crew"`).Replace(config))
	w.Must(t, "plan", "-detailed-exitcode")
	w.Configure(t, strings.Replace(config, `["user:ines`, `["group:sre", "user:ines`, 1))
	if printed, ok := w.Run(t, "plan"); ok || !strings.Contains(printed, "users = zulip_user_group.NAME.members") {
		t.Errorf("printed:\n%s", printed)
	}
}
