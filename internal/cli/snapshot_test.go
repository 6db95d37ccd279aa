package cli

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

func TestExportRecordsAnOrganization(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	file := filepath.Join(t.TempDir(), "organization.json")
	before := len(o.Sandbox.Journal().Requests(sandbox.Filter{}))
	stdout, stderr, err := exportRun(t, "--snapshot", file)
	if err != nil || stderr != "" {
		t.Fatal(err, stderr)
	}
	if want := "Recorded 7 accounts, 10 user groups, 4 channels, 1 channel folder, 0 invitations in " + file + ". The server has shown everything that the file holds.\n"; stdout != want {
		t.Errorf("printed %q", stdout)
	}
	if asked := o.Sandbox.Journal().Requests(sandbox.Filter{})[before:]; len(asked) > 6 { // two of them to find out who asks whom
		t.Errorf("%d requests: %v", len(asked), asked)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != ownerOnly {
		t.Errorf("the file is readable by others: %v", info.Mode())
	}
	recorded := read(t, file)
	for _, account := range o.Sandbox.AllCredentials() {
		if strings.Contains(recorded, account.APIKey) {
			t.Errorf("the key of %s is in the file", account.Email)
		}
	}
	if _, _, err := exportRun(t, "--snapshot", file); err == nil || !strings.Contains(err.Error(), file+" exists, and export overwrites nothing") {
		t.Errorf("a file that exists: %v", err)
	}
	if stdout, stderr, err = exportRun(t, "--snapshot", "-"); err != nil || stdout != recorded || !strings.HasPrefix(stderr, "Recorded 7 accounts") {
		t.Errorf("standard output: %v, %q", err, stderr)
	}

	// The command that serves it takes it, as the provider does.
	run := startSandbox(t, "--listen", "127.0.0.1:0", "--organization", file)
	if status := run.get(t, run.email, run.key); status != http.StatusOK || run.email != "ines.moreau@example.com" {
		t.Errorf("as %s: status %d", run.email, status)
	}
}

func TestExportRecordsNoPeople(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	file := filepath.Join(t.TempDir(), "organization.json")
	stdout, _, err := exportRun(t, "--snapshot", file, "--anonymise")
	if err != nil || !strings.Contains(stdout, "people and bots without their names") {
		t.Fatal(err, stdout)
	}
	recorded := read(t, file)
	for _, person := range o.Sandbox.Organization().People() {
		if person.IsBot {
			continue
		}
		if strings.Contains(recorded, person.Email) || strings.Contains(recorded, person.FullName) {
			t.Errorf("%s is in the file", person.FullName)
		}
	}
	for _, want := range []string{`"Person 43"`, `"person43@example.com"`, `"Bot 49"`, `"bot49@example.com"`, `"sre"`, `"incidents"`} {
		if !strings.Contains(recorded, want) {
			t.Errorf("%s is not in the file", want)
		}
	}
	server, err := sandbox.New(sandbox.Config{Organization: []byte(recorded)})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	if owner, ok := server.Credentials("person43@example.com"); !ok || owner.Role != 100 {
		t.Errorf("the owner is %+v", owner)
	}
}

func TestExportOfASnapshotRefuses(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	file := filepath.Join(t.TempDir(), "organization.json")
	for want, args := range map[string][]string{
		"--anonymise needs --snapshot": {"folder", "--anonymise"},
		"writes that file alone":       {"folder", "--snapshot", file},
		"[all snapshot] were all set":  {"--snapshot", file, "--all"},
		"no such file or directory":    {"--snapshot", filepath.Join(file, "x", "y")},
	} {
		if _, _, err := exportRun(t, args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", args, err)
		}
		if _, err := os.Stat(file); err == nil {
			t.Errorf("%v: a file was written", args)
		}
	}
	lena, _ := o.Sandbox.Credentials("member")
	t.Setenv("ZULIP_EMAIL", lena.Email)
	t.Setenv("ZULIP_API_KEY", lena.APIKey)
	if _, _, err := exportRun(t, "--snapshot", file); err == nil || !strings.Contains(err.Error(), "lena.fischer@example.com is a member, who is not shown the whole") {
		t.Errorf("a member: %v", err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
