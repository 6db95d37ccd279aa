package validators_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
)

// validate returns the message of a rule for a value of the attribute "a", and "" if the value is allowed.
func validate(t *testing.T, rule validators.Rule, value attr.Value) string {
	t.Helper()
	var resp validator.StringResponse
	at := path.Root("a")
	switch value := value.(type) {
	case types.String:
		rule.ValidateString(context.Background(), validator.StringRequest{Path: at, ConfigValue: value}, &resp)
	case types.Int64:
		var numbers validator.Int64Response
		rule.ValidateInt64(context.Background(), validator.Int64Request{Path: at, ConfigValue: value}, &numbers)
		resp.Diagnostics = numbers.Diagnostics
	case types.List:
		var lists validator.ListResponse
		rule.ValidateList(context.Background(), validator.ListRequest{Path: at, ConfigValue: value}, &lists)
		resp.Diagnostics = lists.Diagnostics
	default:
		t.Fatalf("a value of type %T", value)
	}
	if len(resp.Diagnostics) == 0 {
		return ""
	}
	if summary := resp.Diagnostics[0].Summary(); len(resp.Diagnostics) != 1 || summary != "Invalid value for a" {
		t.Errorf("reported: %v", resp.Diagnostics)
	}
	return resp.Diagnostics[0].Detail()
}

// The message names the attribute, the allowed values, the actual value, and the nearest allowed one.
func TestRules(t *testing.T) {
	text, number := types.StringValue, types.Int64Value
	list := func(texts ...string) types.List {
		values := []attr.Value{}
		for _, one := range texts {
			values = append(values, text(one))
		}
		return types.ListValueMust(types.StringType, values)
	}
	count := validators.Count("days", "unlimited", "realm_default")
	const countAllowed = `a must be a number of days from 1 to 999999999, "unlimited" or "realm_default". `
	seconds := validators.Count("seconds", "unlimited")
	const secondsAllowed = `a must be a number of seconds from 1 to 999999999 or "unlimited". `
	for _, c := range []struct {
		rule  validators.Rule
		value attr.Value
		want  string
	}{
		{count, text("30"), ""},
		{count, text("realm_default"), ""},
		{count, types.StringNull(), ""},
		{count, types.StringUnknown(), ""},
		{count, text("0"), countAllowed + `It is "0". For no limit, write "unlimited".`},
		{count, text("-1"), countAllowed + `It is "-1". For no limit, write "unlimited".`},
		{count, text("030"), countAllowed + `It is "030". Write "30".`},
		{count, text("30 days"), countAllowed + `It is "30 days". Write "30".`},
		{count, text("999999999w"), countAllowed + `It is "999999999w".`}, // in days it has ten digits
		{count, text("9999999999"), countAllowed + `It is "9999999999". For no limit, write "unlimited".`},
		{count, text("1.5"), countAllowed + `It is "1.5". For no limit, write "unlimited".`},
		{count, text("2 weeks"), countAllowed + `It is "2 weeks". Write "14".`},
		{count, text("48h"), countAllowed + `It is "48h". Write "2".`},
		{count, text("36h"), countAllowed + `It is "36h".`},
		{count, text("1 year"), countAllowed + `It is "1 year".`},
		{seconds, text("1h"), secondsAllowed + `It is "1h". Write "3600".`},
		{seconds, text("10 Minutes"), secondsAllowed + `It is "10 Minutes". Write "600".`},
		{seconds, text("7d"), secondsAllowed + `It is "7d". Write "604800".`},
		{count, text("unlimted"), countAllowed + `It is "unlimted". Did you mean "unlimited"?`},
		{count, text("for ever"), countAllowed + `It is "for ever".`},
		{validators.Matches(regexp.MustCompile(`\S`), "must not be blank"), text(" "), `a must not be blank. It is " ".`},
		{validators.OneOf("archive", "keep"), text("keep"), ""},
		{validators.OneOf("archive", "keep"), text("Archiv"), `a must be one of "archive", "keep". It is "Archiv". Did you mean "archive"?`},
		{validators.OneOf("public", "private_shared_history", "private_protected_history"), text("private"), `a must be one of "public", "private_shared_history", "private_protected_history". ` +
			`It is "private". Did you mean "private_protected_history" or "private_shared_history"?`},
		{validators.OneOf("owner", "administrator", "member"), text("Admins"), `a must be one of "owner", "administrator", "member". It is "Admins". Did you mean "administrator"?`},
		{validators.OneOf("archive", "keep"), text("destroy"), `a must be one of "archive", "keep". It is "destroy".`},
		{validators.Length(1, 3), text("ääää"), "a must have between 1 and 3 characters. It has 4."},
		{validators.Length(1, 0), text(""), "a must have at least 1 character. It is empty."},
		{validators.Length(0, 3), text("äää"), ""},
		{validators.Between(0, 20), number(21), "a must be between 0 and 20. It is 21. The nearest allowed value is 20."},
		{validators.URL("https://example.com", "default"), text("default"), ""},
		{validators.URL("https://example.com"), text("https://example.com/%(username)s"), ""},
		{validators.URL("https://example.com", "default"), text("https://example.com/a\tb"), `a must be a URL like https://example.com or "default", without white space. It is "https://example.com/a\tb".`},
		{validators.URL("https://example.com"), text("https://example.com\u00a0"), `a must be a URL like https://example.com, without white space. It is "https://example.com\u00a0".`},
		{validators.AtLeast(1), number(-1), "a must be at least 1. It is -1. The nearest allowed value is 1."},
		{validators.OneOfNumbers(100, 150, 200), number(130), "a must be one of 100, 150, 200. It is 130. The nearest allowed value is 150."},
		{validators.IDOr("the ID of a channel", -1), number(-1), ""},
		{validators.IDOr("the ID of a channel", -1), number(0), "a must be the ID of a channel, or -1 for none. It is 0. For none, write -1."},
		{validators.Size(1, 0), list(), "a must have at least 1 element. It is empty."},
		{validators.Size(1, 2), list("x", "y", "z"), "a must have between 1 and 2 elements. It has 3."},
		{validators.Unique(), list("x", "y", "x"), `a must contain each element only once. "x" is listed twice.`},
	} {
		if got := validate(t, c.rule, c.value); got != c.want {
			t.Errorf("%v: %s\nwant: %s", c.value, got, c.want)
		}
	}
}

// A nested attribute is named in the form of a configuration.
func TestRule_NestedAttribute_PathShown(t *testing.T) {
	for _, c := range []struct {
		at   path.Path
		want string
	}{
		{path.Root("options").AtListIndex(1).AtName("key"), "options[1].key"},
		{path.Root("members").AtSetValue(types.StringValue("")), "members"},
		{path.Root("profile_data").AtMapKey("Mentors"), `profile_data["Mentors"]`},
	} {
		var resp validator.StringResponse
		validators.Length(1, 0).ValidateString(context.Background(), validator.StringRequest{Path: c.at, ConfigValue: types.StringValue("")}, &resp)
		if len(resp.Diagnostics) != 1 || !strings.HasPrefix(resp.Diagnostics[0].Detail(), c.want+" must have") {
			t.Errorf("want a message about %s, reported: %v", c.want, resp.Diagnostics)
		}
	}
}

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
		"a\ufffeb":       `character 2 is U+FFFE (noncharacter)`,
	} {
		diags := checkName(validators.VisibleName{}, name)
		if len(diags) != 1 || diags.HasError() || diags[0].Summary() != "Invisible characters in name" || !strings.Contains(diags[0].Detail(), want) {
			t.Errorf("%+q: want a warning with %q, reported: %v", name, want, diags)
		}
	}
}

// Invisible characters that a language or an emoji needs are allowed.
func TestVisibleName_ScriptsAndEmoji_Accepted(t *testing.T) {
	for _, name := range []string{
		"general", "Überblick", "naïve – “quoted”", "e\u0301", "a\u00a0b", "日本語　話", "قناة الطوارئ (عاجل)",
		"می\u200cخواهم", "क्\u200dष", "dev 👩\u200d💻", "pride 🏳\ufe0f\u200d🌈", "❤\ufe0f", "family 👨🏽\u200d👩🏽\u200d👧", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
	} {
		if diags := checkName(validators.VisibleName{}, name); len(diags) > 0 {
			t.Errorf("%+q: %v", name, diags)
		}
	}
}

func TestVisibleName_ControlCharacters_Refused(t *testing.T) {
	v := validators.VisibleName{RefuseControls: true}
	if diags := checkName(v, "a\tb"); len(diags) != 1 || !diags.HasError() ||
		diags[0].Detail() != `name must not contain control characters. It is "a<U+0009>b": character 2 is U+0009 (tab).` {
		t.Errorf("reported: %v", diags)
	}
	if diags := checkName(v, "a\u200bb"); len(diags) != 1 || diags.HasError() {
		t.Errorf("reported: %v", diags)
	}
}

func TestVisibleName_Ends_Refused(t *testing.T) {
	for name, want := range map[string]string{
		"\u00a0": `name must not be blank. It is "\u00a0".`, "a\x1f": `name must not begin or end with white space, which the server would remove. It is "a\x1f".`,
	} {
		if diags := checkName(validators.VisibleName{RefuseEnds: true}, name); len(diags) != 1 || !diags.HasError() || diags[0].Detail() != want {
			t.Errorf("%+q: %v", name, diags)
		}
	}
}
