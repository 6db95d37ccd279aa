package export_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/export"
	"github.com/zulip-iac/terraform-provider-zulip/internal/provider"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// match runs export --for with a plan of some changes and a configuration.
func match(t *testing.T, folder, changes, configuration string) (*export.Matched, error) {
	t.Helper()
	session, err := provider.Open(context.Background(), "test")
	if err != nil {
		t.Fatal(err)
	}
	meta := session.Meta()
	text := fmt.Sprintf(`{"format_version": "1.2", "resource_changes": [%s], "configuration": {"root_module": {"resources": [%s]}}}`, changes, configuration)
	return export.Match(context.Background(), export.Source{Provider: session, Store: meta.Store, Client: meta.Client}, []byte(text), folder)
}

func created(kind, name, after string) string {
	return fmt.Sprintf(`{"address": %q, "mode": "managed", "type": %q, "name": %q, "change": {"actions": ["create"], "after": %s}}`, kind+"."+name, kind, name, after)
}

// What is no match for certain is listed with the reason.
func TestProtocolExportForAPlanSaysWhatIsLeft(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	for _, language := range []string{"Python", "Rust"} {
		o.Call(t, "POST", "/realm/playgrounds", map[string]string{"name": "try", "pygments_language": language, "url_template": "https://example.com/{code}"})
	}
	general := o.MustChannel(t, "general").ID
	for what, trial := range map[string]struct{ changes, want string }{
		"an unknown name":   {created("zulip_channel", "a", `{"description": "x"}`), "zulip_channel.a: the plan does not know its name yet"},
		"no name":           {created("zulip_channel", "a", `{"name": null}`), "zulip_channel.a: the plan does not know its name yet"},
		"the name null":     {created("zulip_channel", "a", `{"name": "null"}`), "zulip_channel.a: the organization has no channel with the name null"},
		"another pattern":   {created("zulip_linkifier", "a", `{"pattern": "none"}`), "zulip_linkifier.a: the organization has no linkifier with the pattern none"},
		"another language":  {created("zulip_code_playground", "a", `{"name": "try", "pygments_language": "Go"}`), "has no code playground with the name try pygments_language Go"},
		"a type of no name": {created("zulip_message", "a", `{"content": "x"}`), "zulip_message.a: an object of this type is not found by a name"},
		"managed already": {created("zulip_channel", "a", `{"name": "general"}`) + fmt.Sprintf(`, {"address": "zulip_channel.b", "mode": "managed", "type": "zulip_channel", "name": "b",
			"change": {"actions": ["no-op"], "before": {"id": %d}, "after": {"id": %d}}}`, general, general), "zulip_channel.a: it is managed already, by zulip_channel.b"},
	} {
		folder := t.TempDir()
		matched, err := match(t, folder, trial.changes, "")
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if len(matched.Left) != 1 || !strings.Contains(matched.Left[0], trial.want) || matched.Imports != 0 {
			t.Errorf("%s: %d imports, left %q", what, matched.Imports, matched.Left)
		}
		if files := filesOf(t, folder); len(files) > 0 {
			t.Errorf("%s: wrote %v", what, files)
		}
	}
}

// Pictures of the organization are found by their kind and imported with the planned file, invitations by their address.
func TestProtocolExportForAPlanOfPicturesAndInvitations(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	if err := o.Client.UploadRealmImage(t.Context(), "logo", "a.png", "image/png", pngOf(t, 3)); err != nil {
		t.Fatal(err)
	}
	o.Call(t, "POST", "/invites", map[string]string{"invitee_emails": "one@example.net", "stream_ids": "[]"})
	folder := t.TempDir()
	matched, err := match(t, folder, strings.Join([]string{
		created("zulip_organization_image", "logo", `{"kind": "logo", "file": "./mine.png"}`),
		created("zulip_organization_image", "icon", `{"kind": "icon", "file": "./mine.png"}`),
		created("zulip_invitation", "one", `{"email": "One@example.net"}`),
	}, ", "), "")
	if err != nil {
		t.Fatal(err)
	}
	imports := filesOf(t, folder)["imports.tf"]
	if matched.Imports != 2 || !strings.Contains(imports, `"logo=./mine.png"`) || !strings.Contains(imports, `"one@example.net"`) {
		t.Errorf("%d imports:\n%s", matched.Imports, imports)
	}
	if left := strings.Join(matched.Left, "\n"); len(matched.Left) != 1 || !strings.Contains(left, "has no organization image with the kind icon") {
		t.Errorf("left: %s", left)
	}
}

func TestProtocolExportForAPlanRefuses(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	general := created("zulip_channel", "a", `{"name": "general"}`)
	two := general + ", " + created("zulip_channel", "b", `{"name": "leads"}`)
	configuration := `{"address": "zulip_channel.a", "provider_config_key": "zulip.one"}, {"address": "zulip_channel.b", "provider_config_key": "zulip.two"}`
	if _, err := match(t, t.TempDir(), two, configuration); err == nil || !strings.Contains(err.Error(), "with 2 configurations of the provider") {
		t.Errorf("two organizations: %v", err)
	}
	folder := t.TempDir()
	mine := filepath.Join(folder, "imports.tf")
	if err := os.WriteFile(mine, []byte("# mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := match(t, folder, general, ""); err == nil || !strings.Contains(err.Error(), "imports.tf is there already, and not of export --for") {
		t.Errorf("a file of somebody else: %v", err)
	}
	if files := filesOf(t, folder); len(files) != 1 || files["imports.tf"] != "# mine\n" {
		t.Errorf("the folder has %v", files)
	}
	if _, err := match(t, filepath.Join(folder, "none"), general, ""); err == nil {
		t.Error("a folder that is not there is accepted")
	}
}
