package cli

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// exportRun runs the command.
func exportRun(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	return runCommand(t, newExport("test"), args...)
}

func TestExport_Organization_Written(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	folder := filepath.Join(t.TempDir(), "new", "organization")
	stdout, stderr, err := exportRun(t, folder)
	if err != nil || stderr != "" {
		t.Fatal(err, stderr)
	}
	if !strings.HasPrefix(stdout, "Wrote ") || !strings.Contains(stdout, " in "+folder+".\nEXPORT.md there shows") {
		t.Errorf("printed:\n%s", stdout)
	}
	if _, err := os.Stat(filepath.Join(folder, "channels.tf")); err != nil {
		t.Error(err)
	}
}

func TestExport_RulesFlag_Proposed(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	folder := filepath.Join(t.TempDir(), "organization")
	if _, stderr, err := exportRun(t, folder, "--rules"); err != nil || stderr != "" {
		t.Fatal(err, stderr)
	}
	if found, err := readRules(filepath.Join(folder, rulesFile)); err != nil || len(found.Rules) < 5 || len(found.Limits) != 1 {
		t.Errorf("%v, %+v", err, found)
	}
	if _, _, err := exportRun(t, folder, "--rules", "--new", "state.json"); err == nil || !strings.Contains(err.Error(), "rules") {
		t.Errorf("of what is new: %v", err)
	}
}

// Mistakes on the command line are reported before anything is read, and nothing is written.
func TestExport_BadArguments_Refused(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	noState := filepath.Join(t.TempDir(), "state.json")
	write(t, noState, `{"version": 4}`)
	folder := filepath.Join(t.TempDir(), "new")
	before := len(o.Sandbox.Journal().Requests(sandbox.Filter{Path: "/register"}))
	for want, args := range map[string][]string{
		`no resource called "chanel" is exported`:                                                                           {folder, "--only", "chanel"},
		`no resource called "chanel" is exported; did you mean channel?`:                                                    {folder, "--exclude", "chanel:x"},
		`no resource called "" is exported`:                                                                                 {folder, "--only", ""},
		`--people "everybody": it must be special, all or none`:                                                             {folder, "--people", "everybody"},
		`--fail-on-new needs --new`:                                                                                         {folder, "--fail-on-new"},
		`--people-as "names": unknown form; the forms are address, variable, zulip_user`:                                    {folder, "--people-as", "names"},
		noState + ` isn't the output of terraform show -json: it has no format_version`:                                     {folder, "--new", noState},
		`the state export_test.go isn't the output of terraform show -json: invalid character`:                              {folder, "--new", "export_test.go"},
		`--new: open nowhere.json: no such file or directory`:                                                               {folder, "--new", "nowhere.json"},
		`cannot check: no nothing-like-this was found. Name one with --cli`:                                                 {folder, "--check", "--cli", "nothing-like-this"},
		`export needs one folder to write into, as in: terraform-provider-zulip export organization. There are 0 arguments`: {},
		`export_test.go is a file. Name a folder, or one that does not exist yet`:                                           {"export_test.go"},
	} {
		if _, _, err := exportRun(t, args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: the error is %v", args, err)
		}
	}
	if after := len(o.Sandbox.Journal().Requests(sandbox.Filter{Path: "/register"})); after > before {
		t.Error("the organization was read")
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("the folder was made")
	}
}

// Several states count as one. Unmanaged objects have their own exit status.
func TestExport_NewObjects_ExitStatus(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	folder := t.TempDir()
	one, two := filepath.Join(folder, "one.json"), filepath.Join(folder, "two.json")
	for file, name := range map[string]string{one: "general", two: "leads"} {
		state := fmt.Sprintf(`{"format_version": "1.0", "values": {"root_module": {"resources": [{"type": "zulip_channel", "mode": "managed", "values": {"id": %d}}]}}}`, o.MustChannel(t, name).ID)
		write(t, file, state)
	}
	for what, trial := range map[string]struct {
		args []string
		want int
	}{
		"two of four channels": {[]string{"--new", one + "," + two, "--only", "channel"}, 2},
		"both, repeated":       {[]string{"--new", one, "--new", two, "--only", "channel:general", "--only", "channel:leads"}, 0},
		"one of both":          {[]string{"--new", one, "--only", "channel:general", "--only", "channel:leads"}, 2},
		"a mistake":            {[]string{"--new", "nowhere.json"}, 1},
	} {
		args := append([]string{"export", filepath.Join(t.TempDir(), "new"), "--fail-on-new"}, trial.args...)
		if got := Run("test", nil, args); got != trial.want {
			t.Errorf("%s: the exit status is %d, want %d", what, got, trial.want)
		}
	}
}

// A managed account has a managed role.
func TestExport_UserManaged_RoleManaged(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	state := filepath.Join(t.TempDir(), "state.json")
	text := fmt.Sprintf(`{"format_version": "1.0", "values": {"root_module": {"resources": [{"type": "zulip_user", "mode": "managed", "values": {"id": %d}}]}}}`, o.Sandbox.AllCredentials()["guest"].ID)
	write(t, state, text)
	stdout, _, err := exportRun(t, filepath.Join(t.TempDir(), "new"), "--new", state, "--only", "user_role")
	if err != nil || strings.Contains(stdout, "paul_dubois") || !strings.Contains(stdout, "amara_okafor") {
		t.Errorf("%v, printed:\n%s", err, stdout)
	}
}

func TestExport_CredentialsMissing_Error(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	site, folder := os.Getenv("ZULIP_SITE"), filepath.Join(t.TempDir(), "new")
	for want, environment := range map[string]map[string]string{
		"ZULIP_API_KEY": {"ZULIP_API_KEY": ""},
		"key":           {"ZULIP_API_KEY": "01234567890123456789012345678901"},
	} {
		t.Run(want, func(t *testing.T) {
			t.Setenv("ZULIP_SITE", site)
			t.Setenv("HOME", t.TempDir()) // where no zuliprc exists
			for name, value := range environment {
				t.Setenv(name, value)
			}
			_, _, err := exportRun(t, folder)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the error is %v", err)
			}
			if _, err := os.Stat(folder); err == nil {
				t.Error("the folder was made")
			}
		})
	}
}

func TestExport_Warnings_OnStandardError(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{}).As(t, "member")
	_, stderr, err := exportRun(t, t.TempDir())
	if err != nil || !strings.HasPrefix(stderr, "Warning: lena.fischer@example.com is not an administrator") {
		t.Errorf("%v, warned of %q", err, stderr)
	}
}

// Without a terminal, one line says that the rate limit delays the export. A terminal shows it all the time.
func TestExport_RateLimited_Reported(t *testing.T) {
	waited := time.Duration(0)
	var out bytes.Buffer
	show := &progress{out: &out, begin: time.Now(), waited: func() time.Duration { return waited }}
	show.say("a")
	if out.Len() > 0 {
		t.Errorf("said %q", &out)
	}
	waited = time.Minute
	show.say("b")
	show.say("c")
	if got, want := out.String(), "The server limits the requests of this account: the export continues at this rate.\n"; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
	out.Reset()
	show.isTerminal, show.begin = true, time.Now().Add(-time.Minute)
	show.say("d")
	show.print("Warning: e")
	if got, want := out.String(), "\r\033[KReading d (waited 1m0s for the server's rate limit)\r\033[KWarning: e\n"; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
}

func TestExportSnapshot_Organization_Recorded(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	file := filepath.Join(t.TempDir(), "organization.json")
	before := len(o.Sandbox.Journal().Requests(sandbox.Filter{}))
	stdout, stderr, err := exportRun(t, "--snapshot", file)
	if err != nil || stderr != "" {
		t.Fatal(err, stderr)
	}
	if want := "Recorded 7 accounts, 10 user groups, 4 channels, 1 channel folder, 0 invitations in " + file + ". The server showed everything.\n"; stdout != want {
		t.Errorf("printed %q", stdout)
	}
	if asked := o.Sandbox.Journal().Requests(sandbox.Filter{})[before:]; len(asked) > 6 { // two of them for the settings and the account
		t.Errorf("%d requests: %v", len(asked), asked)
	}
	info, err := os.Stat(file)
	acctest.NoError(t, err)
	if info.Mode().Perm() != ownerOnly {
		t.Errorf("the file is readable by others: %v", info.Mode())
	}
	recorded := read(t, file)
	for _, account := range o.Sandbox.AllCredentials() {
		if strings.Contains(recorded, account.APIKey) {
			t.Errorf("the key of %s is in the file", account.Email)
		}
	}
	if _, _, err := exportRun(t, "--snapshot", file); err == nil || !strings.Contains(err.Error(), file+" exists, and export doesn't overwrite it") {
		t.Errorf("a file that exists: %v", err)
	}
	if stdout, stderr, err = exportRun(t, "--snapshot", "-"); err != nil || stdout != recorded || !strings.HasPrefix(stderr, "Recorded 7 accounts") {
		t.Errorf("standard output: %v, %q", err, stderr)
	}

	// The sandbox command and the provider accept the file.
	run := startSandbox(t, "--listen", "127.0.0.1:0", "--organization", file)
	if status := run.get(t, run.email, run.key); status != http.StatusOK || run.email != "ines.moreau@example.com" {
		t.Errorf("as %s: status %d", run.email, status)
	}
}

func TestExportSnapshot_Anonymised_NoNames(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	file := filepath.Join(t.TempDir(), "organization.json")
	stdout, _, err := exportRun(t, "--snapshot", file, "--anonymise")
	if err != nil || !strings.Contains(stdout, "with invented names for people and bots") {
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
	acctest.NoError(t, err)
	defer server.Close()
	if owner, ok := server.Credentials("person43@example.com"); !ok || owner.Role != 100 {
		t.Errorf("the owner is %+v", owner)
	}
}

func TestExportSnapshot_BadArguments_Refused(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	file := filepath.Join(t.TempDir(), "organization.json")
	for want, args := range map[string][]string{
		"--anonymise needs --snapshot":   {"folder", "--anonymise"},
		"--people-only needs --snapshot": {"folder", "--people-only"},
		"writes one file and no folder":  {"folder", "--snapshot", file},
		"[all snapshot] were all set":    {"--snapshot", file, "--all"},
		"no such file or directory":      {"--snapshot", filepath.Join(file, "x", "y")},
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

func write(t *testing.T, path, text string) {
	t.Helper()
	acctest.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	acctest.NoError(t, err)
	return string(content)
}

// A sandbox starts from the people of an organization, and has none of its channels.
func TestSnapshot_PeopleOnly_SandboxStarts(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	o.Call(t, "DELETE", fmt.Sprint("/users/", o.Sandbox.AllCredentials()["member"].ID), nil)
	file := filepath.Join(t.TempDir(), "people.json")
	if _, _, err := exportRun(t, "--snapshot", file, "--people-only"); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(file)
	acctest.NoError(t, err)
	var config sandbox.Config
	acctest.NoError(t, config.ReadOrganization(content))
	copied := acctest.StartSandbox(t, config)
	for _, person := range copied.Sandbox.Organization().People() {
		if person.IsBot || person.Active == (person.Email == "lena.fischer@example.com") {
			t.Errorf("%s: a bot %t, active %t", person.Email, person.IsBot, person.Active)
		}
	}
	if people, channels := len(copied.Sandbox.Organization().People()), len(copied.Sandbox.Organization().Channels()); people != 6 || channels > 3 {
		t.Errorf("%d people and %d channels", people, channels)
	}
}
