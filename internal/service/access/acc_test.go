package access_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// TestAccChannelAccess: a configuration holds what has to be so, of a channel found by ID and by name.
func TestAccChannelAccess(t *testing.T) {
	o := acctest.Start(t)
	name, self := o.Prefix+"ops", o.Self.Address()
	config := func(principals string) string {
		return fmt.Sprintf(`
resource "zulip_channel" "c" {
  name                   = %q
  privacy                = "private_shared_history"
  can_send_message_group = [%s]
}
data "zulip_channel_access" "by_id" {
  channel = zulip_channel.c.id
}
data "zulip_channel_access" "by_name" {
  channel = zulip_channel.c.name
}
output "posts" {
  value = contains(data.zulip_channel_access.by_id.can_send_message_group.users, %q)
}
output "administers" {
  value = contains(data.zulip_channel_access.by_id.can_administer_channel_group.users, %q)
}
`, name, principals, self, self)
	}
	strict := fmt.Sprintf(`
data "zulip_channel_access" "strict" {
  channel = zulip_channel.c.id

  lifecycle {
    postcondition {
      condition     = !contains(self.can_send_message_group.users, %q)
      error_message = "It can post."
    }
  }
}
`, self)
	const byID, byName = "data.zulip_channel_access.by_id", "data.zulip_channel_access.by_name"
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		Steps: []resource.TestStep{
			{
				Config: config(fmt.Sprintf("%q", "user:"+self)),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownOutputValue("posts", knownvalue.Bool(true)),
					statecheck.ExpectKnownOutputValue("administers", knownvalue.Bool(true)),
					statecheck.CompareValuePairs(byID, tfjsonpath.New("can_read"), byName, tfjsonpath.New("can_read"), compare.ValuesSame()),
					statecheck.ExpectKnownValue(byID, tfjsonpath.New("can_read").AtMapKey("user_ids"), knownvalue.ListExact([]knownvalue.Check{knownvalue.Int64Exact(o.Self.ID)})),
				},
			},
			{
				Config:      config(`"role:everyone"`) + strict,
				ExpectError: acctest.Message("It can post."),
			},
		},
	})
}
