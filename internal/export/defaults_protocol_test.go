package export_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/export"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// What is created without saying anything about it is exported with its name, and with that whose changes people look for: the
// privacy of a channel, and retention. Who created it may manage it, which is not written. On an older server too.
func TestProtocolExportLeavesOutWhatIsNew(t *testing.T) {
	for _, level := range []int{442, featurelevel.Newest} {
		o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: level})
		o.Call(t, "POST", "/channels/create", map[string]string{"name": "plain", "subscribers": "[]"})
		o.Call(t, "POST", "/user_groups/create", map[string]string{"name": "plain", "description": "", "members": "[]"})
		o.Call(t, "POST", "/channel_folders/create", map[string]string{"name": "plain", "description": ""})
		o.Call(t, "POST", "/bots", map[string]string{"full_name": "Plain", "short_name": "plain"})
		o.Call(t, "POST", "/realm/profile_fields", map[string]string{"name": "plain", "field_type": "1"})
		o.Call(t, "POST", "/realm/filters", map[string]string{"pattern": "plain", "url_template": "https://example.com"})
		folder := t.TempDir()
		if _, err := exportInto(folder, export.Options{}); err != nil {
			t.Fatal(err)
		}
		for of, want := range map[string]string{
			"zulip_channel":               "message_retention_days name privacy",
			"zulip_user_group":            "name",
			"zulip_channel_folder":        "name",
			"zulip_bot":                   "bot_type full_name owner short_name",
			"zulip_custom_profile_field":  "field_type name",
			"zulip_linkifier":             "pattern url_template",
			"zulip_default_user_settings": "", // not written at all
			"zulip_organization":          "description message_retention_days name",
		} {
			if got := attributesOf(t, folder, of); got != want {
				t.Errorf("at level %d a new %s is exported with %q, want %q", level, of, got, want)
			}
		}
	}
}

// attributesOf returns the names of the attributes of the resource called plain, or of the only one, in the files of a folder;
// sorted, and empty if there is none.
func attributesOf(t *testing.T, folder, of string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.tf"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		parsed, problems := hclparse.NewParser().ParseHCL(content, file)
		if problems.HasErrors() {
			t.Fatal(problems)
		}
		body, _ := parsed.Body.(*hclsyntax.Body)
		for _, block := range body.Blocks {
			if block.Type == "resource" && block.Labels[0] == of && slices.Contains([]string{"plain", "this"}, block.Labels[1]) {
				return strings.Join(slices.Sorted(maps.Keys(block.Body.Attributes)), " ")
			}
		}
	}
	return ""
}
