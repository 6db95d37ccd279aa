package provider_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// TestProtocolConfiguration_WrongValue_Words shows the messages.
func TestProtocolConfiguration_WrongValue_Words(t *testing.T) {
	p := acctest.StartSandbox(t, sandbox.Config{}).NewRun(t, "zulip_channel").Process()
	for _, test := range []struct {
		resource, attribute string
		value               any
		words               string
	}{
		{"zulip_channel", "can_send_message_group", []any{nil, "role:owners"}, "Invalid value for can_send_message_group\n" +
			"can_send_message_group must not contain null. Remove the element, for example with [for x in LIST : x if x != null]."},
		{"zulip_user_group", "members", []any{"kenji.sato@example.com", nil}, "Invalid value for members[1]\n" +
			"members must not contain null. Remove the element, for example with [for x in LIST : x if x != null]."},
		{"zulip_bot", "config_data", values{"token": nil}, "Invalid value for config_data[\"token\"]\n" +
			"config_data must not contain null. Remove the element, for example with {for k, v in MAP : k => v if v != null}."},
		{"zulip_reaction", "message_id", 1.5, "Invalid value for message_id\n" +
			"message_id must be a whole number between -2147483648 and 2147483647. It is 1.5."},
		{"zulip_reaction", "message_id", new(big.Float).SetInt64(1 << 62), "It is 4611686018427387904."},
		{"zulip_reaction", "message_id", -1, "Invalid value for message_id\nmessage_id must be at least 1. It is -1. The nearest allowed value is 1."},
		{"zulip_channel", "description", "a\x00b", "Invalid value for description\ndescription has a null byte (\\u0000) at position 2."},
		{"zulip_linkifier_order", "linkifier_ids", []any{2.5}, "Invalid value for linkifier_ids[0]\n"},
	} {
		diags := p.Validate(test.resource, values{test.attribute: test.value})
		if text := diags.String(); !strings.Contains(text, "error ("+test.attribute+"): ") || !strings.Contains(text, test.words) {
			t.Errorf("%s = %v: %v", test.attribute, test.value, diags)
		}
	}
	// A plan, a reading and an invocation check again, because values may be known then.
	_, planned := p.Plan("zulip_channel", nil, values{"can_send_message_group": []any{nil}})
	planned.ExpectError(t, "can_send_message_group", "must not contain null")
	_, read := p.ReadData("zulip_users", values{"emails": []any{nil}})
	read.ExpectError(t, "emails", "must not contain null")
	_, invoked := p.InvokeAction(t.Context(), "zulip_message_flags", values{"flag": "starred", "op": "add", "messages": []any{nil}}, nil)
	invoked.ExpectError(t, "messages", "must not contain null")
}

// TestProtocolConfiguration_WhiteSpaceInText_Refused validates texts that the server refuses or changes. The email of an
// invitation that ended in a no-break space was invited with every apply.
func TestProtocolConfiguration_WhiteSpaceInText_Refused(t *testing.T) {
	p := acctest.StartProcess(t.Context(), t)
	for _, test := range []struct{ resource, attribute, text string }{
		{"zulip_invitation", "email", "ada@example.com\u00a0"},
		{"zulip_user", "email", "ada@example.com\u00a0"},
		{"zulip_user", "full_name", "Ada\tLovelace"},
		{"zulip_bot", "full_name", "Deploy\x01"},
		{"zulip_bot", "short_name", "deploy\u00a0"},
		{"zulip_bot", "payload_url", "https://example.com/ho\tok"},
		{"zulip_custom_profile_field", "url_pattern", "https://example.com/%(username)s "},
		{"zulip_organization", "jitsi_server_url", "https://meet.example.com/\x01"},
	} {
		diags := p.Validate(test.resource, values{test.attribute: test.text})
		if !strings.Contains(diags.String(), "error ("+test.attribute+"): Invalid ") {
			t.Errorf("%s.%s = %q: %v", test.resource, test.attribute, test.text, diags)
		}
	}
}
