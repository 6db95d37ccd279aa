package function_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// TestAccFunctions calls the functions as configurations do. The linkifiers are objects with more attributes than the
// function wants, as resources are.
func TestAccFunctions(t *testing.T) {
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		Steps: []resource.TestStep{
			{
				Config: `
locals {
  linkifiers = [
    { id = 1, pattern = "#(?P<id>[0-9]+)", url_template = "https://example.com/{id}" },
    { id = 2, pattern = "(?P<key>OPS-[0-9]+)", url_template = "https://ops.example.com/{key}" },
  ]
  channel = provider::zulip::channel_link("https://chat.example.com", 12, "on call")
}
output "topic" { value = provider::zulip::topic_link(local.channel, "50% (a/b)") }
output "message" { value = provider::zulip::message_link(provider::zulip::topic_link(local.channel, ""), 7) }
output "text" { value = provider::zulip::linkify("#1 is OPS-2", local.linkifiers...) }
output "role" { value = provider::zulip::role_code("guest") }
`,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownOutputValue("topic", knownvalue.StringExact("https://chat.example.com/#narrow/channel/12-on-call/topic/50.25.20.28a.2Fb.29")),
					statecheck.ExpectKnownOutputValue("message", knownvalue.StringExact("https://chat.example.com/#narrow/channel/12-on-call/topic//near/7")),
					statecheck.ExpectKnownOutputValue("text", knownvalue.StringExact("[#1](https://example.com/1) is [OPS-2](https://ops.example.com/OPS-2)")),
					statecheck.ExpectKnownOutputValue("role", knownvalue.Int64Exact(600)),
				},
			},
			{
				Config:      `output "text" { value = provider::zulip::linkify("x", { pattern = "(", url_template = "y" }) }`,
				ExpectError: acctest.Message("The server would refuse this linkifier"),
			},
		},
	})
}
