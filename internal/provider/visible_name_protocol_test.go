package provider_test

import (
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// TestProtocolInvisibleCharactersInNames warns of a character that nobody sees in everything whose name people read.
func TestProtocolInvisibleCharactersInNames(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	for _, test := range []struct {
		resource, attribute string
		config              acctest.Values
	}{
		{"zulip_channel", "name", acctest.Values{}},
		{"zulip_channel_folder", "name", acctest.Values{}},
		{"zulip_user_group", "name", acctest.Values{}},
		{"zulip_default_channel_group", "name", acctest.Values{"channel_ids": []any{o.MustChannel(t, "general").ID}}},
		{"zulip_user", "full_name", acctest.Values{"email": "x@example.com"}},
		{"zulip_bot", "full_name", acctest.Values{"short_name": "x"}},
		{"zulip_custom_profile_field", "name", acctest.Values{"field_type": "short_text"}},
	} {
		for name, words := range map[string]string{
			"ops\u202egnp": `is "ops<U+202E>gnp": character 4 is U+202E (right-to-left override)`,
			"x\u200by":     `is "x<U+200B>y": character 2 is U+200B (zero width space)`,
		} {
			test.config[test.attribute] = name
			diags := o.NewRun(t, test.resource).Process().Validate(test.resource, test.config)
			diags.ExpectNoError(t)
			diags.ExpectWarning(t, test.attribute, "Invisible characters in "+test.attribute, words)
		}
	}
	plan, diags := o.NewRun(t, "zulip_channel").Plan(acctest.Values{"name": "gen\u200beral"})
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "name", "character 4 is U+200B (zero width space)")
	if plan.Empty() {
		t.Error("nothing is planned")
	}
}
