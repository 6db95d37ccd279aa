package profilefield_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

func TestProtocolProfileFieldBadInput(t *testing.T) {
	run := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 442}).NewRun(t, "zulip_custom_profile_field")
	account := func(more values) values {
		config := values{"field_type": "external_account"}
		for name, value := range more {
			config[name] = value
		}
		return config
	}
	for _, c := range []struct {
		config    values
		attribute string
		words     []string
	}{
		{values{"field_type": "colour", "name": "x"}, "field_type", []string{"short_text"}},
		{values{"field_type": "date"}, "name", []string{"needs a name"}},
		{team(values{"name": " "}), "name", []string{"blank"}},
		{team(values{"name": strings.Repeat("n", 41)}), "name", []string{"40"}},
		{team(values{"hint": strings.Repeat("n", 81)}), "hint", []string{"80"}},
		{team(values{"options": []any{values{"key": "a", "text": "A"}}}), "options", []string{"type select"}},
		{team(values{"subtype": "github"}), "subtype", []string{"type external_account"}},
		{values{"field_type": "select", "name": "x"}, "options", []string{"needs it"}},
		{shift(), "options", []string{"at least 1"}},
		{shift("a", "A", "a", "B"), "options", []string{"one key"}},
		{shift("a", "A", "b", "A"), "options", []string{"one text"}},
		{shift("", "A"), "options", []string{"blank"}},
		{account(values{"name": "x"}), "subtype", []string{"needs it"}},
		{account(values{"subtype": "custom", "name": "x"}), "url_pattern", []string{"needs it"}},
		{account(values{"subtype": "custom", "url_pattern": "https://example.com/%(username)s"}), "name", []string{"needs a name"}},
		{account(values{"subtype": "custom", "name": "x", "url_pattern": "https://example.com/"}), "url_pattern", []string{"%(username)s"}},
		{account(values{"subtype": "github", "name": "x"}), "name", []string{"its own name"}},
		{account(values{"subtype": "github", "hint": "x"}), "hint", []string{"its own name"}},
		{account(values{"subtype": "github", "url_pattern": "x/%(username)s"}), "url_pattern", []string{"subtype custom"}},
		{values{"field_type": "user", "name": "x", "display_in_profile_summary": true}, "display_in_profile_summary", []string{"type user"}},
		{values{"field_type": "long_text", "name": "x", "display_in_profile_summary": true}, "display_in_profile_summary", []string{"476"}},
		{team(values{"use_for_user_matching": true}), "use_for_user_matching", []string{"455", "442"}},
	} {
		_, diags := run.Plan(c.config)
		diags.ExpectError(t, c.attribute, c.words...)
	}
	for _, config := range []values{
		{"field_type": acctest.Unknown, "name": acctest.Unknown, "options": acctest.Unknown},
		{"field_type": "select", "name": "x", "options": []any{values{"key": acctest.Unknown, "text": "A"}, values{"key": acctest.Unknown, "text": acctest.Unknown}}},
		{"field_type": "external_account", "subtype": acctest.Unknown, "url_pattern": acctest.Unknown},
	} {
		if _, diags := run.Plan(config); len(diags.Errors()) > 0 {
			t.Errorf("%v, not known yet, is refused: %v", config, diags)
		}
	}
}

// An element of the list is unknown as a whole while a conditional expression decides which it is.
func TestProtocolProfileFieldUnknownOption(t *testing.T) {
	o, run := managed(t)
	config := shift("d", "Day")
	config["options"] = append(config["options"].([]any), acctest.Unknown)
	run.Process().Validate("zulip_custom_profile_field", config).ExpectNoError(t)
	run.MustPlan(config)
	run.MustApply(shift("d", "Day", "n", "Night"))

	for name, option := range map[string]any{"text": values{"key": "d"}, "key": values{"text": "Day"}} {
		config["options"] = []any{acctest.Unknown, option}
		_, diags := o.NewRun(t, "zulip_custom_profile_field").Plan(config)
		diags.ExpectError(t, "options", "Missing required attribute", "options[1]."+name)
	}
}

func TestProtocolProfileFieldNameTaken(t *testing.T) {
	o, run := managed(t)
	id := byHand(t, o, "Taken")
	plan, diags := run.Plan(values{"field_type": "date", "name": "Taken"})
	diags.ExpectNoError(t)
	run.Apply(plan).ExpectError(t, "name", "A custom profile field with the name", fmt.Sprintf(`id = "%d"`, id))
	p := run.Process()
	_, diags = p.Plan("zulip_custom_profile_field", nil, team(nil))
	diags.ExpectNoError(t)
	_, diags = p.Plan("zulip_custom_profile_field", nil, team(values{"hint": "other"}))
	diags.ExpectError(t, "name", `Duplicate custom profile field name "Team"`)
}
