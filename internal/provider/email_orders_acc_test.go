package provider_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// oneEmail is a user, a list and a permission. Each can depend on others, which decides the order of Terraform.
const oneEmail = `
locals {
  email = %[1]q
}

resource "zulip_user" "kenji" {
  email     = local.email
  full_name = "Kenji Sato"
  depends_on = [%[2]s]
}

resource "zulip_user_group" "list" {
  name    = "list"
  members = [%[5]s]
  depends_on = [%[3]s]
}

resource "zulip_channel" "permission" {
  name                   = "permission"
  can_send_message_group = [%[6]s]
  depends_on = [%[4]s]
}
`

// One local for an email, in a user, a list and a permission: in every order, a plan or apply that changes it works, or says
// what to write instead. With that, it works.
func TestAccSandboxEmail_OneLocal_AnyOrder(t *testing.T) {
	const user, list, channel = "zulip_user.kenji", "zulip_user_group.list", "zulip_channel.permission"
	orders := map[string]map[string]string{
		"none": {}, "user first": {list: user, channel: user}, "user last": {user: list + ", " + channel},
		"list first": {user: list, channel: list}, "list last": {list: user + ", " + channel},
		"channel first": {user: channel, list: channel}, "user between": {user: list, channel: user}, "user between, backwards": {user: channel, list: user},
	}
	for _, name := range acctest.Sample(slices.Sorted(maps.Keys(orders))) {
		t.Run(name, func(t *testing.T) {
			acctest.StartSandbox(t, sandbox.Config{})
			w := acctest.NewWorkspace(t)
			w.Setenv("TF_LOG", "")
			configure := func(email string, after map[string]string, member, sender string) {
				w.Configure(t, fmt.Sprintf(oneEmail, email, after[user], after[list], after[channel], member, sender))
			}
			const byText = `"user:${local.email}"`
			configure("kenji.sato@example.com", orders[name], "local.email", byText)
			w.Must(t, "import", user, "kenji.sato@example.com")
			w.Must(t, "apply", "-auto-approve")
			configure("ken@example.org", orders[name], "local.email", byText)
			if printed, ok := w.Run(t, "apply", "-auto-approve"); !ok && !strings.Contains(strings.Join(strings.Fields(printed), " "), "zulip_user.NAME") {
				t.Errorf("the refusal doesn't say what to write:\n%s", printed)
			}
			configure("ken@example.org", nil, "zulip_user.kenji.email", `"user_id:${zulip_user.kenji.id}"`)
			w.Must(t, "apply", "-auto-approve")
			w.Must(t, "plan", "-detailed-exitcode")
		})
	}
}
