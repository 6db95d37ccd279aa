package function_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// linkifier is a linkifier in the form of a configuration.
func linkifier(pattern, template any) acctest.Values {
	return acctest.Values{"pattern": pattern, "url_template": template}
}

// TestProtocolFunctions calls each function of a provider that is not configured.
func TestProtocolFunctions(t *testing.T) {
	const channel = "https://chat.example.com/#narrow/channel/12-on-call"
	p := acctest.StartProcess(t.Context(), t)
	for _, test := range []struct {
		function  string
		arguments []any
		want      any
	}{
		{"channel_link", []any{"https://chat.example.com/", 12, "on call"}, channel},
		{"topic_link", []any{channel, "a/b"}, channel + "/topic/a.2Fb"},
		{"topic_link", []any{channel, ""}, channel + "/topic/"},
		{"message_link", []any{channel + "/topic/", 7}, channel + "/topic//near/7"},
		{"linkify", []any{"see #12"}, "see #12"},
		{"linkify", []any{"see #12, T-3", linkifier(`#(?P<id>\d+)`, "https://x/{id}"), linkifier(`T-(?P<n>\d+)`, "https://y{?n}")},
			"see [#12](https://x/12), [T-3](https://y?n=3)"},
		{"linkify", []any{"see #12", linkifier(`#(?P<id>\d+)`, acctest.Unknown)}, acctest.Unknown},
		{"role_code", []any{"owner"}, int64(100)},
		{"role_code", []any{"administrator"}, int64(200)},
		{"role_code", []any{"moderator"}, int64(300)},
		{"role_code", []any{"member"}, int64(400)},
		{"role_code", []any{"guest"}, int64(600)},
	} {
		if got, problem := p.Call(test.function, test.arguments...); problem != "" || got != test.want {
			t.Errorf("%s(%v) = %v, %s; want %v", test.function, test.arguments, got, problem, test.want)
		}
	}
}

func TestProtocolFunctions_InvalidArguments_Error(t *testing.T) {
	const channel = "https://chat.example.com/#narrow/channel/12-on-call"
	p := acctest.StartProcess(t.Context(), t)
	for _, test := range []struct {
		function  string
		arguments []any
		words     string
	}{
		{"channel_link", []any{"chat.example.com", 12, "x"}, `"chat.example.com" is not the URL of an organization`},
		{"channel_link", []any{"https://chat.example.com", 0, "x"}, "0 is not the ID of a channel"},
		{"topic_link", []any{channel + "/topic/x", "y"}, "is not the URL of a channel"},
		{"message_link", []any{channel, 7}, "is not the URL of a topic"},
		{"message_link", []any{channel + "/topic/x", -7}, "-7 is not the ID of a message"},
		{"linkify", []any{"x", linkifier("(x", "y")}, "The server would refuse this linkifier: pattern is not a regular expression"},
		{"linkify", []any{"x", linkifier("x", nil)}, "url_template is empty"},
		{"role_code", []any{"boss"}, `"boss" is not a role: write owner`},
		{"role_code", []any{"Owner"}, `"Owner" is not a role`},
	} {
		if got, problem := p.Call(test.function, test.arguments...); got != nil || !strings.Contains(problem, test.words) {
			t.Errorf("%s(%v) = %v, %q; want %q", test.function, test.arguments, got, problem, test.words)
		}
	}
}

// TestAccFunctions calls the functions from configurations. The linkifiers are objects with more attributes than the
// function needs, like resources.
func TestAccFunctions(t *testing.T) {
	acctest.CLI(t)
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
