package provider_test

import (
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// TestProtocolNullElements refuses a null in a list or set where it stands, in words for who wrote it.
func TestProtocolNullElements(t *testing.T) {
	p := acctest.StartSandbox(t, sandbox.Config{}).NewRun(t, "zulip_message").Process()
	for _, test := range []struct {
		resource, attribute string
		config              acctest.Values
	}{
		{"zulip_message", "recipients", acctest.Values{"content": "x"}},
		{"zulip_draft", "recipients", acctest.Values{"content": "x"}},
		{"zulip_invitation", "channel_ids", acctest.Values{"email": "x@example.com"}},
		{"zulip_invite_link", "channel_ids", acctest.Values{}},
		{"zulip_invite_link", "group_ids", acctest.Values{}},
		{"zulip_linkifier", "alternative_url_templates", acctest.Values{"pattern": "x", "url_template": "https://example.com"}},
		{"zulip_linkifier_order", "linkifier_ids", acctest.Values{}},
	} {
		test.config[test.attribute] = []any{nil}
		p.Validate(test.resource, test.config).ExpectError(t, test.attribute, "must not hold null")
	}
	_, diags := p.ReadData("zulip_users", acctest.Values{"emails": []any{nil}})
	diags.ExpectError(t, "emails", "must not hold null")
}
