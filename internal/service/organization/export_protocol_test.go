package organization_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"
	"github.com/hashicorp/terraform-plugin-log/tfsdklogtest"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

const exportTypeName = "zulip_export"

func started(t *testing.T) (*acctest.Organization, *acctest.Process) {
	t.Helper()
	o := acctest.StartSandbox(t, sandbox.Config{})
	return o, o.NewRun(t, "zulip_message").Process()
}

// invoke plans and invokes the action.
func invoke(t *testing.T, p *acctest.Process, config values) (progress string, diags acctest.Diagnostics) {
	t.Helper()
	p.PlanAction(exportTypeName, config).ExpectNoError(t)
	messages, diags := p.InvokeAction(context.Background(), exportTypeName, config, nil)
	return strings.Join(messages, "\n"), diags
}

func exports(t *testing.T, o *acctest.Organization) []*zulip.Export {
	t.Helper()
	all, err := o.Client.Exports(t.Context())
	acctest.NoError(t, err)
	return all
}

// linkIn reads the file for the link, which is the only one in its folder.
func linkIn(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	acctest.NoError(t, err)
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file has the mode %v, %v", info.Mode(), err)
	}
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 1 {
		t.Errorf("the folder holds %v, %v", left, err)
	}
	return string(content)
}

// The link opens the exported data. Only the file has it, and no message or log at any level.
func TestProtocolExport(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	var log bytes.Buffer
	ctx := tfsdklogtest.RootLogger(tflogtest.RootLogger(context.Background(), &log), &log)
	p := acctest.NewRun(ctx, t, "zulip_message", o.Block(nil)).Process()
	file := filepath.Join(t.TempDir(), "link")
	acctest.NoError(t, os.WriteFile(file, []byte("an older link, which anybody may read"), 0o644))
	sent := o.Sent()
	config := values{"link_file": file}
	p.PlanAction(exportTypeName, config).ExpectNoError(t)
	messages, diags := p.InvokeAction(ctx, exportTypeName, config, nil)
	diags.ExpectNoError(t)
	sent.Expect(t, "POST export_type")
	progress := strings.Join(messages, "\n")
	all := exports(t, o)
	if len(all) != 1 || all[0].Type != zulip.ExportPublic || all[0].URL == nil {
		t.Fatalf("the server holds %+v", all)
	}
	link := linkIn(t, file)
	if link != *all[0].URL+"\n" {
		t.Errorf("the file holds %q", link)
	}
	res, err := http.Get(strings.TrimSpace(link))
	acctest.NoError(t, err)
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("the link opens %s", res.Status)
	}
	for _, words := range []string{"Export 2201 has started", "Waiting for export 2201", "Export 2201 has finished. Its link is in " + file} {
		if !strings.Contains(progress, words) {
			t.Errorf("progress lacks %q:\n%s", words, progress)
		}
	}
	secret := strings.Split(strings.TrimSpace(link), "/")[6]
	if !strings.Contains(log.String(), `"path":"/export/realm"`) || strings.Contains(log.String(), secret) || strings.Contains(progress, secret) {
		t.Errorf("nothing was logged, or %q was told:\n%s", secret, progress)
	}
}

// Without a file the link stays on the server. A standard export names the people who take part.
func TestProtocolExportStandard(t *testing.T) {
	o, p := started(t)
	lena := o.As(t, "member")
	lena.Call(t, http.MethodPatch, "/settings", map[string]string{"allow_private_data_export": "true"})
	progress, diags := invoke(t, p, values{"export_type": "standard"})
	diags.ExpectNoError(t)
	if all := exports(t, o); len(all) != 1 || all[0].Type != zulip.ExportStandard {
		t.Errorf("the server holds %+v", all)
	}
	consents, err := o.Client.ExportConsents(t.Context())
	acctest.NoError(t, err)
	for _, words := range []string{fmt.Sprintf("1 of %d people let their private data be exported", len(consents)), "Its link is in Organization settings"} {
		if !strings.Contains(progress, words) {
			t.Errorf("progress lacks %q:\n%s", words, progress)
		}
	}
}

func TestProtocolExport_Failure_Error(t *testing.T) {
	o, p := started(t)
	file := filepath.Join(t.TempDir(), "link")
	o.Sandbox.SetUpExports(700*time.Millisecond, true)
	_, diags := invoke(t, p, values{"link_file": file})
	diags.ExpectError(t, "", "Export 2201 failed", "check its log")

	o.Sandbox.SetUpExports(time.Hour, false)
	_, diags = invoke(t, p, values{"link_file": file, "timeout": "1s"})
	diags.ExpectError(t, "", "Export 2202 did not finish", "after 1s", "continues the export")

	ctx, cancel := context.WithCancel(t.Context())
	_, diags = p.InvokeAction(ctx, exportTypeName, values{"link_file": file}, func(message string) {
		if strings.HasPrefix(message, "Waiting") {
			cancel()
		}
	})
	diags.ExpectError(t, "", "Export 2203 did not finish", "interrupted", "continues the export")
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a file: %v", err)
	}
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) > 0 {
		t.Errorf("the folder holds %v, %v", left, err)
	}
}

func TestProtocolExport_DeletedDuringWait_Error(t *testing.T) {
	o, p := started(t)
	o.Sandbox.SetUpExports(0, false)
	done := false
	_, diags := p.InvokeAction(t.Context(), exportTypeName, values{}, func(message string) {
		if !done && strings.HasSuffix(message, "has started") {
			done = true
			o.Call(t, http.MethodDelete, "/export/realm/2201", nil)
		}
	})
	diags.ExpectError(t, "", "Export 2201 did not finish", "Someone deleted the export")
}

// A file that cannot be written, or a refused export, fails without a wait and without using up an export.
func TestProtocolExportRefused(t *testing.T) {
	o, p := started(t)
	sent := o.Sent()
	_, diags := invoke(t, p, values{"link_file": filepath.Join(t.TempDir(), "nowhere", "link")})
	diags.ExpectError(t, "link_file", "Cannot write the file", "nowhere", "Nothing was sent")
	sent.Expect(t)
	for attribute, value := range map[string]string{"export_type": "all", "timeout": "-1m", "link_file": ""} {
		p.PlanAction(exportTypeName, values{attribute: value}).ExpectError(t, attribute)
	}
	for _, account := range []string{"moderator", "member"} {
		other := o.As(t, account)
		q := other.NewRun(t, "zulip_message").Process()
		q.PlanAction(exportTypeName, values{}).ExpectError(t, "", "cannot export the organization's data")
		_, diags := q.InvokeAction(t.Context(), exportTypeName, values{}, nil)
		diags.ExpectError(t, "", "cannot export the organization's data")
	}
	sent.Expect(t)

	o.Sandbox.SetUpExports(0, false)
	for range 5 {
		if _, err := o.Client.StartExport(t.Context(), zulip.ExportPublic); err != nil {
			t.Fatal(err)
		}
	}
	_, diags = invoke(t, p, values{})
	diags.ExpectError(t, "", "Cannot export the data of the organization", "Exceeded rate limit.", "five exports of an organization in seven days")
}

// A lost answer starts no second export.
func TestProtocolExportLostAnswer(t *testing.T) {
	o, p := started(t)
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/export/realm", After: true, Action: sandbox.FaultDrop, Count: 1})
	progress, diags := invoke(t, p, values{})
	diags.ExpectNoError(t)
	if all := exports(t, o); len(all) != 1 || !strings.Contains(progress, "Export 2201 has finished") {
		t.Errorf("the server holds %d exports:\n%s", len(all), progress)
	}
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/export/realm", Action: sandbox.FaultDrop, Count: 1})
	_, diags = invoke(t, p, values{})
	diags.ExpectError(t, "", "Cannot export the data of the organization")
	if all := exports(t, o); len(all) != 1 {
		t.Errorf("the server holds %d exports", len(all))
	}
}

// A bot with an administrator's role can export, too.
func TestProtocolExportByBot(t *testing.T) {
	o, _ := started(t)
	bot := o.As(t, "bot")
	_, diags := invoke(t, bot.NewRun(t, "zulip_message").Process(), values{})
	diags.ExpectNoError(t)
	if all := exports(t, o); len(all) != 1 || all[0].ActingUserID != bot.Self.ID {
		t.Errorf("the server holds %+v", all)
	}
}

// The server's settings are read without an account, and no other request is sent.
func TestProtocolServerSettings_WithoutAccount_Read(t *testing.T) {
	o := acctest.Start(t)
	answer := o.Call(t, http.MethodGet, "/server_settings", nil)
	t.Setenv("ZULIP_EMAIL", "")
	t.Setenv("ZULIP_API_KEY", "")
	t.Setenv("HOME", t.TempDir()) // no ~/.zuliprc
	p := acctest.StartProcess(t.Context(), t)
	p.Configure(values{}).ExpectNoError(t)
	found := p.MustReadData("zulip_server_settings", values{})
	for _, name := range []string{
		"zulip_feature_level", "zulip_version", "zulip_merge_base", "realm_url", "realm_name", "realm_icon", "realm_description", "push_notifications_enabled",
		"is_incompatible", "email_auth_enabled", "require_email_format_usernames", "realm_web_public_access_enabled", "authentication_methods",
	} {
		if fmt.Sprint(found[name]) != fmt.Sprint(answer[name]) {
			t.Errorf("%s is %v, and the server says %v", name, found[name], answer[name])
		}
	}
	shown, _ := found["external_authentication_methods"].([]any)
	external, _ := answer["external_authentication_methods"].([]any)
	if len(shown) != len(external) {
		t.Errorf("%d external methods, and the server says %d", len(shown), len(external))
	}
	_, diags := p.ReadData("zulip_users", values{})
	diags.ExpectError(t, "", "Not set: email, api_key")
}
