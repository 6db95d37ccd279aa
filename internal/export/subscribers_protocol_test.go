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

// Who is in a channel is written where somebody lets people in, that is in private channels. A list of those of a public or a
// default channel would have the next apply unsubscribe whoever has joined since.
func TestProtocolExportOfSubscribersIsOfPrivateChannels(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	o.Call(t, "PATCH", "/realm", map[string]string{"enable_spectator_access": "true"})
	for _, params := range []map[string]string{
		{"name": "open"},
		{"name": "newcomers", "is_default_stream": "true"},
		{"name": "the-web", "is_web_public": "true"},
		{"name": "payroll", "invite_only": "true"},
		{"name": "board", "invite_only": "true", "history_public_to_subscribers": "false"},
	} {
		params["subscribers"] = "[]"
		o.Call(t, "POST", "/channels/create", params)
	}
	folder := t.TempDir()
	if _, err := exportInto(folder, export.Options{Subscribers: true}); err != nil {
		t.Fatal(err)
	}
	lists := map[string]bool{}
	for address := range readConfiguration(t, folder).resources {
		if name, ok := strings.CutPrefix(address, "zulip_channel_subscribers."); ok {
			lists[name] = true
		}
	}
	for _, name := range []string{"open", "newcomers", "the_web", "general"} {
		if lists[name] {
			t.Errorf("who is in %s is written, where people join by themselves", name)
		}
	}
	for _, name := range []string{"payroll", "board"} {
		if !lists[name] {
			t.Errorf("who is in %s is not written: only %q", name, slices.Sorted(maps.Keys(lists)))
		}
	}
	if summary := readSummary(t, folder); !strings.Contains(summary, "people join and leave these by themselves, and the next apply would undo it") {
		t.Errorf("EXPORT.md does not say that public channels are left out:\n%s", summary)
	}
}
