package access_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// TestAccUserAccess: a configuration reads what an account can do in a channel that the same apply creates, and a
// postcondition fails that wants the channel to be closed to it.
func TestAccUserAccess(t *testing.T) {
	o := acctest.Start(t)
	name, self := o.Prefix+"ops", o.Self.Address()
	config := func(principal, postcondition string) string {
		return fmt.Sprintf(`
resource "zulip_channel" "c" {
  name                   = %[1]q
  can_send_message_group = [%[3]q]
}
data "zulip_user_access" "self" {
  user         = %[2]q
  channel_name = "%[4]s*"
  depends_on   = [zulip_channel.c]
%[5]s
}
output "posts" {
  value = contains(data.zulip_user_access.self.channels[zulip_channel.c.name].rights, "can_send_message_group")
}
`, name, self, principal, o.Prefix, postcondition)
	}
	const data = "data.zulip_user_access.self"
	inChannel := tfjsonpath.New("channels").AtMapKey(name)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		Steps: []resource.TestStep{
			{
				Config: config("user:"+self, ""),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownOutputValue("posts", knownvalue.Bool(true)),
					statecheck.ExpectKnownValue(data, tfjsonpath.New("user_id"), knownvalue.Int64Exact(o.Self.ID)),
					statecheck.ExpectKnownValue(data, tfjsonpath.New("email"), knownvalue.StringExact(self)),
					statecheck.ExpectKnownValue(data, tfjsonpath.New("role"), knownvalue.StringExact("owner")),
					statecheck.ExpectKnownValue(data, tfjsonpath.New("groups").AtMapKey("role:owners"), knownvalue.StringExact("role:owners")),
					statecheck.ExpectKnownValue(data, tfjsonpath.New("organization_rights"), knownvalue.SetPartial([]knownvalue.Check{knownvalue.StringExact("can_manage_all_groups")})),
					statecheck.ExpectKnownValue(data, inChannel.AtMapKey("through").AtMapKey("can_send_message_group"), knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact("user:" + self)})),
					statecheck.ExpectKnownValue(data, inChannel.AtMapKey("unknown_rights"), knownvalue.SetExact(nil)),
				},
			},
			{
				Config: config("role:everyone", `
  lifecycle {
    postcondition {
      condition     = alltrue([for channel in self.channels : !contains(channel.rights, "can_send_message_group")])
      error_message = "It can post."
    }
  }`),
				ExpectError: acctest.Message("It can post."),
			},
		},
	})
}
