package validators_test

import (
	"context"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
)

func checkName(v validators.VisibleName, name string) diag.Diagnostics {
	var resp validator.StringResponse
	v.ValidateString(context.Background(), validator.StringRequest{Path: path.Root("name"), ConfigValue: types.StringValue(name)}, &resp)
	return resp.Diagnostics
}

func TestVisibleName(t *testing.T) {
	for name, want := range map[string]string{
		"ops\u202egnp":   `name is "ops<U+202E>gnp": character 4 is U+202E (right-to-left override).`,
		"gen\u200beral":  `character 4 is U+200B (zero width space)`,
		"ä\ufeff":        `character 2 is U+FEFF (zero width no-break space)`,
		"a\u200db":       `character 2 is U+200D (zero width joiner)`,
		"a\u00adb\u2060": `character 2 is U+00AD (soft hyphen), character 4 is U+2060 (word joiner)`,
		"a\ab":           `character 2 is U+0007 (control character)`,
		"a\u206ab":       `character 2 is U+206A (format character)`,
		"\u3164":         `character 1 is U+3164 (Hangul filler)`,
		"a\u2028b":       `character 2 is U+2028 (line separator)`,
	} {
		diags := checkName(validators.VisibleName{}, name)
		if len(diags) != 1 || diags.HasError() || diags[0].Summary() != "Invisible characters in name" || !strings.Contains(diags[0].Detail(), want) {
			t.Errorf("%+q: want a warning with %q, reported: %v", name, want, diags)
		}
	}
}

// What a language or an emoji is written with is no mistake.
func TestVisibleNameLetsScriptsAndEmojiBe(t *testing.T) {
	for _, name := range []string{
		"general", "Überblick", "naïve – “quoted”", "e\u0301", "a\u00a0b", "日本語　話", "قناة الطوارئ (عاجل)",
		"می\u200cخواهم", "क्\u200dष", "dev 👩\u200d💻", "pride 🏳\ufe0f\u200d🌈", "❤\ufe0f", "family 👨🏽\u200d👩🏽\u200d👧", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
	} {
		if diags := checkName(validators.VisibleName{}, name); len(diags) > 0 {
			t.Errorf("%+q: %v", name, diags)
		}
	}
}

func TestVisibleNameRefusesControls(t *testing.T) {
	v := validators.VisibleName{RefuseControls: true}
	if diags := checkName(v, "a\tb"); len(diags) != 1 || !diags.HasError() ||
		diags[0].Detail() != `name must not hold control characters. It is "a<U+0009>b": character 2 is U+0009 (tab).` {
		t.Errorf("reported: %v", diags)
	}
	if diags := checkName(v, "a\u200bb"); len(diags) != 1 || diags.HasError() {
		t.Errorf("reported: %v", diags)
	}
}
