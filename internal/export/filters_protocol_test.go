package export_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/export"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// A filter that matches nothing is warned of, and EXPORT.md says it.
func TestProtocolExportSaysWhichFilterMatchesNothing(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	var warnings []string
	folder := t.TempDir()
	_, err := exportInto(folder, export.Options{
		Only: export.Selection{"channel:gen*", "channel:nothing-*", "user_group"}, Exclude: export.Selection{"user_group:sre", "bot:none", "channel_folder"},
		Warn: func(text string) { warnings = append(warnings, text) },
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(warnings)
	if want := []string{"--exclude bot:none matches nothing.", "--only channel:nothing-* matches nothing."}; !slices.Equal(warnings, want) {
		t.Errorf("warned %q, want %q", warnings, want)
	}
	if summary := readSummary(t, folder); !strings.Contains(summary, "`--only channel:nothing-*`: nothing matches it.") {
		t.Errorf("EXPORT.md does not say it:\n%s", summary)
	}
}

// A channel refers to its folder where that is exported, and names it where it is not.
func TestProtocolExportOfFolders(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	for want, options := range map[string]export.Options{
		"folder_id              = zulip_channel_folder.operations.id": {Only: export.Selection{"channel:incidents"}},
		"folder                 = \"Operations\"":                     {Only: export.Selection{"channel:incidents"}, Exclude: export.Selection{"channel_folder"}},
	} {
		folder := t.TempDir()
		if _, err := exportInto(folder, options); err != nil {
			t.Fatal(err)
		}
		text := strings.Join(slices.Collect(maps.Values(filesOf(t, folder))), "\n")
		if flat := strings.Join(strings.Fields(text), " "); !strings.Contains(flat, strings.Join(strings.Fields(want), " ")) || strings.Count(flat, " folder_id = ")+strings.Count(flat, " folder = ") != 1 {
			t.Errorf("the export says\n%s\nwant %s", text, want)
		}
		if problems := planFolder(t, folder); len(problems) > 0 {
			t.Errorf("%s: %v", want, problems)
		}
	}
}

// Channels that are selected bring their folders along, and who is in them; not those of others.
func TestProtocolExportOfChannelsTakesAlong(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	o.Call(t, "POST", "/channel_folders/create", map[string]string{"name": "Other", "description": ""})
	o.Call(t, "POST", "/channels/create", map[string]string{"name": "payroll", "subscribers": "[]", "invite_only": "true"})
	for what, trial := range map[string]struct {
		options export.Options
		want    []string
	}{
		"with subscribers": {export.Options{Only: export.Selection{"channel:incidents", "channel:leads"}, Subscribers: true},
			[]string{"zulip_channel.incidents", "zulip_channel.leads", "zulip_channel_folder.operations", "zulip_channel_subscribers.leads"}},
		"without folders": {export.Options{Only: export.Selection{"channel:incidents"}, Exclude: export.Selection{"channel_folder"}}, []string{"zulip_channel.incidents"}},
		"all folders": {export.Options{Only: export.Selection{"channel:leads", "channel_folder"}},
			[]string{"zulip_channel.leads", "zulip_channel_folder.operations", "zulip_channel_folder.other"}},
	} {
		folder := t.TempDir()
		if _, err := exportInto(folder, trial.options); err != nil {
			t.Fatal(err)
		}
		if got := slices.Sorted(maps.Keys(readConfiguration(t, folder).resources)); !slices.Equal(got, trial.want) {
			t.Errorf("%s: %q, want %q", what, got, trial.want)
		}
	}
}
