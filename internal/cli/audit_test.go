package cli

import (
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// ownerOnly is the mode of a file that only its owner can read. On Windows the folder decides, and every writable file
// has 0666.
var ownerOnly = map[bool]os.FileMode{true: 0o666, false: 0o600}[runtime.GOOS == "windows"]

// auditRun runs the command, and returns its standard output and error.
func auditRun(t *testing.T, args ...string) (printed string, err error) {
	t.Helper()
	stdout, stderr, err := runCommand(t, newAudit("test"), args...)
	return stdout + stderr, err
}

// The examples that people copy must work.
func TestDocsAudit_Flags_Accepted(t *testing.T) {
	content := read(t, "../../templates/guides/audit.md.tmpl")
	guide := content
	workflow := read(t, "../../examples/ci/zulip-nightly-audit.yml")
	calls := regexp.MustCompile(`(?m)(?:terraform-provider-zulip|"\$audit") audit(.*)$`).FindAllStringSubmatch(guide+workflow, -1)
	if len(calls) < 6 {
		t.Fatalf("the guide and the workflow call the audit %d times", len(calls))
	}
	for _, call := range calls {
		line, _, _ := strings.Cut(call[1], " >")
		fresh := newAudit("test")
		if err := fresh.ParseFlags(strings.Fields(line)); err != nil {
			t.Errorf("audit %s: %v", line, err)
			continue
		}
		words, _ := fresh.Flags().GetStringSlice("fail-on")
		if _, err := audit.ParseConditions(words, strings.Contains(line, "--against")); err != nil {
			t.Error(err)
		}
	}
	named := map[string]bool{}
	command := newAudit("test")
	for _, flag := range regexp.MustCompile("`--([a-z-]+)").FindAllStringSubmatch(guide, -1) {
		if named[flag[1]] = true; command.Flags().Lookup(flag[1]) == nil {
			t.Errorf("the command has no --%s", flag[1])
		}
	}
	for _, flag := range []string{"person", "channel", "guests", "bots", "markdown", "json", "html", "against", "accepted", "state", "fail-on", "require-complete"} {
		if !named[flag] {
			t.Errorf("the guide does not say what --%s is", flag)
		}
	}
	for _, known := range audit.Kinds {
		if row := "| `" + string(known.Kind) + "` | " + known.Meaning + " |"; !strings.Contains(guide, row) {
			t.Errorf("the guide does not say: %s", row)
		}
	}
}

// The guide lists every attribute that only owners can set.
func TestDocsAccounts_OwnerAttributes(t *testing.T) {
	guide := read(t, "../../templates/guides/accounts.md.tmpl")
	_, section, _ := strings.Cut(guide, "## Attributes that only owners can set")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, page := range []string{"organization", "channel"} {
		docs := read(t, "../../docs/resources/"+page+".md")
		all := regexp.MustCompile("(?m)^- `([a-z_]+)` .*Only owners (?:can|may) set it").FindAllStringSubmatch(docs, -1)
		if len(all) == 0 {
			t.Errorf("the page of %s has no attribute that only owners may set", page)
		}
		for _, one := range all {
			if !strings.Contains(section, "`"+one[1]+"`") {
				t.Errorf("the guide does not say that only owners may set %s", one[1])
			}
		}
	}
}

func TestAudit_OutputFlags_Written(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	dir := t.TempDir()
	path := filepath.Join(dir, "a.json")
	stdout, err := auditRun(t, "--json", path)
	if err != nil || !strings.HasPrefix(stdout, "### Access audit") {
		t.Fatalf("%v\n%s", err, stdout)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != ownerOnly {
		t.Errorf("the file names people, and its mode is %v, %v", info.Mode(), err)
	}
	stdout, err = auditRun(t, "--json", "-", "--markdown", filepath.Join(dir, "a.md"))
	var read audit.Audit
	if problem := json.Unmarshal([]byte(stdout), &read); err != nil || problem != nil || read.FormatVersion != audit.FormatVersion {
		t.Errorf("--json -: %v, %v\n%.500s", err, problem, stdout)
	}
	if content, err := os.ReadFile(filepath.Join(dir, "a.md")); err != nil || !strings.HasPrefix(string(content), "### Access audit") {
		t.Errorf("--markdown: %v\n%.500s", err, content)
	}
	o.Call(t, "PATCH", fmt.Sprintf("/streams/%d", o.MustChannel(t, "announcements").ID), map[string]string{
		"can_send_message_group": fmt.Sprintf(`{"new":%d}`, o.SystemGroup(t, "role:administrators")),
	})
	stdout, err = auditRun(t, "--against", path, "--json", path)
	if err != nil || !strings.HasPrefix(stdout, "### Access changes") || !strings.Contains(stdout, "`Amara Okafor`") {
		t.Errorf("--against: %v\n%s", err, stdout)
	}
	if stdout, err = auditRun(t, "--against", path); err != nil || !strings.Contains(stdout, "No one gains or loses access.") {
		t.Errorf("the file has not become that of today: %v\n%s", err, stdout)
	}
}

// The page is written for the same audits as the Markdown, and for changes.
func TestAudit_HTMLFlag_PageWritten(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	dir := t.TempDir()
	path, file := filepath.Join(dir, "a.json"), filepath.Join(dir, "a.html")
	for _, test := range []struct {
		args  []string
		holds []string
	}{
		{[]string{"--json", path}, []string{"Access audit", "announcements", "Amara Okafor", "give the bot the role"}},
		{[]string{"--person", "paul.dubois@example.com"}, []string{"only paul.dubois@example.com", "through"}},
		{[]string{"--channel", "leads"}, []string{"only channel &#34;leads&#34;"}},
		{[]string{"--guests", "--bots"}, []string{"only guests, bots", "Paul Dubois"}},
		{[]string{"--against", path}, []string{"Access changes", "No one gains or loses access."}},
	} {
		stdout, err := auditRun(t, append(test.args, "--html", file)...)
		if err != nil || !strings.HasPrefix(stdout, "### Access") {
			t.Errorf("%v: %v, and as Markdown %.200s", test.args, err, stdout)
		}
		content, err := os.ReadFile(file)
		for _, want := range test.holds {
			if err != nil || !strings.Contains(string(content), want) {
				t.Errorf("%v: %v, the page does not hold %q", test.args, err, want)
			}
		}
		if strings.Contains(string(content), audit.IncompleteText) {
			t.Errorf("%v: the page of an administrator's audit is not complete", test.args)
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the page names people, and its mode is %v, %v", info.Mode(), err)
	}
	if stdout, err := auditRun(t, "--html", "-"); err != nil || !strings.HasPrefix(stdout, "<!DOCTYPE html>") || strings.Contains(stdout, "### Access") {
		t.Errorf("--html -: %v, %.200s", err, stdout)
	}
	o.As(t, "member")
	if stdout, err := auditRun(t, "--html", "-"); err != nil || !strings.Contains(stdout, html.EscapeString(audit.IncompleteText)) {
		t.Errorf("the page of a member's audit does not say that it is not complete: %v", err)
	}
}

// With an earlier audit, the conditions of an access review apply only to changes since.
func TestAudit_AgainstFailOn_ExitStatus(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	before := filepath.Join(t.TempDir(), "before.json")
	if _, err := auditRun(t, "--json", before); err != nil {
		t.Fatal(err)
	}
	post := func(role string) {
		o.Call(t, "PATCH", fmt.Sprintf("/streams/%d", o.MustChannel(t, "announcements").ID), map[string]string{
			"can_send_message_group": fmt.Sprintf(`{"new":%d}`, o.SystemGroup(t, role)),
		})
	}
	post("role:administrators")
	for words, want := range map[string]string{"narrowing": "the audit found: narrowing", "widening,external": "", "widening, narrowing, high": "the audit found: bot-administrator, narrowing"} {
		if _, err := auditRun(t, "--against", before, "--fail-on", words); problem(err) != want {
			t.Errorf("--fail-on %s: %q, want %q", words, problem(err), want)
		}
	}
	if got := Run("test", nil, []string{"audit", "--against", before, "--fail-on", "narrowing", "--markdown", os.DevNull}); got != 2 {
		t.Errorf("the status is %d", got)
	}
}

func TestAudit_FailOn_ExitStatus(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	for words, want := range map[string]string{
		"internet": "", "high, internet": "the audit found: bot-administrator", "hgih": "unknown condition", "widening": "name an earlier audit with --against",
	} {
		_, err := auditRun(t, "--fail-on", words)
		if got := problem(err); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("--fail-on %s: %q", words, got)
		}
	}
	for _, status := range []struct {
		args []string
		want int
	}{
		{[]string{"audit"}, 0}, {[]string{"audit", "--require-complete"}, 0}, {[]string{"audit", "--fail-on", "high"}, 2}, {[]string{"audit", "--person", "nobody"}, 1},
	} {
		if got := Run("test", nil, append(status.args, "--markdown", os.DevNull)); got != status.want {
			t.Errorf("%v ends with status %d", status.args, got)
		}
	}
	o.As(t, "member")
	for _, status := range []struct {
		args []string
		want int
	}{
		{[]string{"audit"}, 0}, {[]string{"audit", "--require-complete"}, 3},
	} {
		if got := Run("test", nil, append(status.args, "--markdown", os.DevNull)); got != status.want {
			t.Errorf("%v of a member ends with status %d", status.args, got)
		}
	}
}

// No condition applies to accepted findings, even in a comparison with an earlier audit. Unused acceptances have a
// warning.
func TestAudit_AcceptedFindings_NotFailing(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	dir := t.TempDir()
	before, file, page := filepath.Join(dir, "before.json"), filepath.Join(dir, "accepted.hcl"), filepath.Join(dir, "a.html")
	write := func(object, until string) {
		t.Helper()
		text := fmt.Sprintf("accept \"bot-administrator\" {\n  object = %q\n  reason = \"runs Terraform\"\n  until  = %q\n}\n", object, until)
		write(t, file, text)
	}
	if _, err := auditRun(t, "--json", before); err != nil {
		t.Fatal(err)
	}
	const bot = "bot terraform-bot@zulip.example.com"
	for _, test := range []struct {
		object, until, fails, says, change string
	}{
		{bot, "2999-12-31", "", "Accepted until 2999-12-31: runs Terraform.", "as before"},
		{bot, "2001-01-01", "the audit found: bot-administrator", "Not accepted since 2001-01-01.", "as before"},
		{"bot other-bot@zulip.example.com", "2999-12-31", "the audit found: bot-administrator", "there is no longer a finding bot-administrator about bot other-bot@zulip.example.com.", ""},
	} {
		write(test.object, test.until)
		for _, args := range [][]string{{"--html", page}, {"--against", before}} {
			stdout, err := auditRun(t, append(args, "--accepted", file, "--fail-on", "high")...)
			if problem(err) != test.fails || !strings.Contains(strings.ReplaceAll(stdout, "`", ""), test.says) {
				t.Errorf("%v, %s until %s: %q, want %q, and\n%.3000s", args, test.object, test.until, problem(err), test.fails, stdout)
			}
			if args[0] == "--against" && !strings.Contains(stdout, test.change) {
				t.Errorf("%s: the changes are\n%s", test.object, stdout)
			}
		}
		if content, err := os.ReadFile(page); err != nil || !strings.Contains(string(content), test.says) {
			t.Errorf("the page does not say %s: %v", test.says, err)
		}
	}
}

// The state is read from a file or standard input.
func TestAudit_State_Read(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	file := filepath.Join(t.TempDir(), "state.json")
	bot, ok := o.Sandbox.Credentials("bot")
	if !ok {
		t.Fatal("there is no bot")
	}
	content := fmt.Sprintf(`{"format_version":"1.0","values":{"root_module":{"child_modules":[{"resources":[{"address":"module.bots.zulip_bot.terraform[0]","mode":"managed","type":"zulip_bot","name":"terraform","provider_name":"registry.terraform.io/zulip-iac/zulip","values":{"id":%d}}]}]}}}`, bot.ID)
	write(t, file, content)
	const want = "Managed by `module.bots.zulip_bot.terraform[0]`."
	if stdout, err := auditRun(t, "--state", file); err != nil || !strings.Contains(stdout, want) {
		t.Errorf("%v\n%.2000s", err, stdout)
	}
	command := newAudit("test")
	command.SetIn(strings.NewReader(content))
	if stdout, _, err := runCommand(t, command, "--state", "-"); err != nil || !strings.Contains(stdout, want) {
		t.Errorf("from standard input: %v\n%.2000s", err, stdout)
	}
}

func TestAudit_BadInput_Refused(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	other := filepath.Join(t.TempDir(), "a.json")
	write(t, other, `{"format_version":"0.9"}`)
	misspelled := filepath.Join(t.TempDir(), "accepted.hcl")
	write(t, misspelled, "\naccept \"bot-administratr\" {\n}\n")
	for _, bad := range []struct {
		args []string
		says string
	}{
		{[]string{"--accepted", misspelled}, `accepted.hcl:2: there is no kind of finding "bot-administratr"; did you mean "bot-administrator" or`},
		{[]string{"--accepted", filepath.Join(t.TempDir(), "none.hcl")}, "no such file"},
		{[]string{"--state", misspelled}, "it isn't the JSON of a state or plan"},
		{[]string{"--state", filepath.Join(t.TempDir(), "none.json")}, "no such file"},
		{[]string{"--against", other}, "make the earlier audit again"},
		{[]string{"--against", filepath.Join(t.TempDir(), "none.json")}, "no such file"},
		{[]string{"--person", "amara.okafr@example.com"}, "did you mean amara.okafor@example.com?"},
		{[]string{"--channel", "generl"}, `did you mean "general"?`},
		{[]string{"more"}, "unknown command"},
	} {
		if _, err := auditRun(t, bad.args...); !strings.Contains(problem(err), bad.says) {
			t.Errorf("%v: %v", bad.args, err)
		}
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("ZULIP_SITE", "")
	if _, err := auditRun(t); !strings.Contains(problem(err), "Not set: site") || strings.Contains(problem(err), "--offline") {
		t.Errorf("without credentials: %v", err)
	}
}

// commandsThatConnect run each command that sends requests to an organization.
var commandsThatConnect = map[string]func(*testing.T) error{
	"audit":  func(t *testing.T) error { _, err := auditRun(t); return err },
	"review": func(t *testing.T) error { _, _, err := reviewRun(t, "membership"); return err },
	"export": func(t *testing.T) error { _, _, err := exportRun(t, filepath.Join(t.TempDir(), "new")); return err },
}

// A wrong key has the same message in every command: whose key it is, where it is from, and the fix.
func TestCommands_WrongKey_SameError(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	t.Setenv("ZULIP_API_KEY", "01234567890123456789012345678901")
	email, site := os.Getenv("ZULIP_EMAIL"), os.Getenv("ZULIP_SITE")
	want := "The server rejects the account's credentials. " + email + " (from ZULIP_EMAIL) with the key from ZULIP_API_KEY, at " + site + ` (from ZULIP_SITE). The server refused the account's key. Was the account deactivated, or its key regenerated? Check email and api_key, ZULIP_EMAIL and ZULIP_API_KEY, or the zuliprc file.` +
		"\n\nThe server answered GET /users/me with 401: \"Invalid API key\" (UNAUTHORIZED)."
	for name, run := range commandsThatConnect {
		if err := run(t); err == nil || err.Error() != want {
			t.Errorf("%s: the error is\n%v\nwant\n%s", name, err, want)
		}
	}
}

// The same is true of the URL of a server without an organization.
func TestCommands_NoOrganization_SameError(t *testing.T) {
	for name, run := range commandsThatConnect {
		o := acctest.StartSandbox(t, sandbox.Config{})
		fault, err := sandbox.ParseFault("GET /server_settings status=400")
		acctest.NoError(t, err)
		o.Sandbox.Fail(fault)
		if err := run(t); err == nil || !strings.HasPrefix(err.Error(), "There is no organization at this site URL. "+os.Getenv("ZULIP_SITE")+" (from ZULIP_SITE) is a Zulip server. ") {
			t.Errorf("%s: the error is\n%v", name, err)
		}
	}
}
