package cli

import (
	"bytes"
	"fmt"
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
	command := newExport("test")
	var out, problems bytes.Buffer
	command.SetOut(&out)
	command.SetErr(&problems)
	command.SilenceErrors, command.SilenceUsage = true, true
	command.SetArgs(args)
	err = command.ExecuteContext(t.Context())
	return out.String(), problems.String(), err
}

func TestExportWritesAnOrganization(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	folder := filepath.Join(t.TempDir(), "new", "organization")
	stdout, stderr, err := exportRun(t, folder)
	if err != nil || stderr != "" {
		t.Fatal(err, stderr)
	}
	if !strings.HasPrefix(stdout, "Wrote ") || !strings.Contains(stdout, " in "+folder+".\nEXPORT.md there says") {
		t.Errorf("printed:\n%s", stdout)
	}
	if _, err := os.Stat(filepath.Join(folder, "channels.tf")); err != nil {
		t.Error(err)
	}
}

func TestExportProposesRules(t *testing.T) {
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

// Mistakes on the command line are said before anything is read, and nothing is written.
func TestExportRefuses(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	noState := filepath.Join(t.TempDir(), "state.json")
	if err := os.WriteFile(noState, []byte(`{"version": 4}`), 0o600); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "new")
	before := len(o.Sandbox.Journal().Requests(sandbox.Filter{Path: "/register"}))
	for want, args := range map[string][]string{
		`no resource called "chanel" is exported`:                                                                           {folder, "--only", "chanel"},
		`no resource called "chanel" is exported; did you mean channel?`:                                                    {folder, "--exclude", "chanel:x"},
		`no resource called "" is exported`:                                                                                 {folder, "--only", ""},
		`--people "everybody": it is special, all or none`:                                                                  {folder, "--people", "everybody"},
		`--fail-on-new needs --new`:                                                                                         {folder, "--fail-on-new"},
		`--people-as "names": it is address, variable, zulip_user`:                                                          {folder, "--people-as", "names"},
		noState + ` is not the output of terraform show -json: it has no format_version`:                                    {folder, "--new", noState},
		`the state export_test.go is not the output of terraform show -json: invalid character`:                             {folder, "--new", "export_test.go"},
		`--new: open nowhere.json: no such file or directory`:                                                               {folder, "--new", "nowhere.json"},
		`cannot check: no nothing-like-this was found. --cli says where one is`:                                             {folder, "--check", "--cli", "nothing-like-this"},
		`export takes the folder to write into, as in: terraform-provider-zulip export organization. There are 0 arguments`: {},
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

// Several states count as one, and what none of them has is an exit status of its own.
func TestExportFailsOnWhatIsNew(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	folder := t.TempDir()
	one, two := filepath.Join(folder, "one.json"), filepath.Join(folder, "two.json")
	for file, name := range map[string]string{one: "general", two: "leads"} {
		state := fmt.Sprintf(`{"format_version": "1.0", "values": {"root_module": {"resources": [{"type": "zulip_channel", "mode": "managed", "values": {"id": %d}}]}}}`, o.MustChannel(t, name).ID)
		if err := os.WriteFile(file, []byte(state), 0o600); err != nil {
			t.Fatal(err)
		}
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

// Whose account is managed has a role that is managed.
func TestExportTakesAnAccountForItsRole(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	state := filepath.Join(t.TempDir(), "state.json")
	text := fmt.Sprintf(`{"format_version": "1.0", "values": {"root_module": {"resources": [{"type": "zulip_user", "mode": "managed", "values": {"id": %d}}]}}}`, o.Sandbox.AllCredentials()["guest"].ID)
	if err := os.WriteFile(state, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, _, err := exportRun(t, filepath.Join(t.TempDir(), "new"), "--new", state, "--only", "user_role")
	if err != nil || strings.Contains(stdout, "paul_dubois") || !strings.Contains(stdout, "amara_okafor") {
		t.Errorf("%v, printed:\n%s", err, stdout)
	}
}

func TestExportWithoutAnAccount(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	site, folder := os.Getenv("ZULIP_SITE"), filepath.Join(t.TempDir(), "new")
	for want, environment := range map[string]map[string]string{
		"ZULIP_API_KEY": {"ZULIP_API_KEY": ""},
		"key":           {"ZULIP_API_KEY": "01234567890123456789012345678901"},
	} {
		t.Run(want, func(t *testing.T) {
			t.Setenv("ZULIP_SITE", site)
			t.Setenv("HOME", t.TempDir()) // where no zuliprc is
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

func TestExportWarnsOnStandardError(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{}).As(t, "member")
	_, stderr, err := exportRun(t, t.TempDir())
	if err != nil || !strings.HasPrefix(stderr, "Warning: lena.fischer@example.com is no administrator") {
		t.Errorf("%v, warned of %q", err, stderr)
	}
}

// Where there is no terminal, one line says that the rate limit holds the export back; a terminal shows it all the time.
func TestExportTellsOfTheRateLimit(t *testing.T) {
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
	if got, want := out.String(), "The server takes a limited number of requests from this account: the export goes on as this allows.\n"; got != want {
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
