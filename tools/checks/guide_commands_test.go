package checks

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// programs is a folder with the builds and installations of tests.
var programs string

func TestMain(m *testing.M) {
	var err error
	if programs, err = os.MkdirTemp("", "checks"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := m.Run()
	_ = os.RemoveAll(programs)
	os.Exit(status)
}

// once creates a file or folder of a name on the first call, and returns its path.
func once(t *testing.T, name string, create func(path string) error) string {
	t.Helper()
	stored, _ := creators.LoadOrStore(name, &creator{})
	one := stored.(*creator)
	path := filepath.Join(programs, name)
	one.Do(func() { one.err = create(path) })
	if one.err != nil {
		t.Fatalf("%s: %v", name, one.err)
	}
	return path
}

// creators are the functions of once, by name.
var creators sync.Map

type creator struct {
	sync.Once
	err error
}

// program puts a program into a folder of a test. It is built by "go build" with arguments.
func program(t *testing.T, folder, name string, args ...string) string {
	t.Helper()
	built := once(t, strings.NewReplacer("/", "-", " ", "-").Replace(name+strings.Join(args, "")), func(path string) error {
		build := exec.Command("go", append([]string{"build"}, append(args[:len(args)-1:len(args)-1], "-o", path, args[len(args)-1])...)...)
		out, err := build.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
		return nil
	})
	path := filepath.Join(folder, name)
	if err := os.Symlink(built, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// command puts the provider's command into a folder.
func command(t *testing.T, folder string) string {
	t.Helper()
	return program(t, folder, "terraform-provider-zulip", "-C", absolute(t, "../.."), ".")
}

// install installs the provider as version 1.0.0 in the home of an environment.
func install(t *testing.T, environment []string) {
	t.Helper()
	home := once(t, "home", func(path string) error {
		script := exec.Command(absolute(t, "../scripts/install"), "1.0.0")
		script.Env = append(guideEnvironment(t), "HOME="+path) // not that of the first test, in which git may be a stub
		out, err := script.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
		return nil
	})
	if err := os.Symlink(filepath.Join(home, ".terraform.d"), filepath.Join(variableOf(environment, "HOME"), ".terraform.d")); err != nil {
		t.Fatal(err)
	}
}

func TestDocsStagingGuide(t *testing.T) {
	t.Parallel()
	said := runGuide(t, "staging", "127.0.0.1:9971", "127.0.0.1:9972", "127.0.0.1:9973")
	if strings.Count(said, "No changes.") != 2 {
		t.Errorf("the plan of both organizations or that of the copy is not empty:\n%s", said)
	}
}

func TestDocsLargeOrganizationsGuide(t *testing.T) {
	t.Parallel()
	said := runGuide(t, "large-organizations", "127.0.0.1:9970")
	for _, want := range []string{" imported, 0 added, 0 changed, 0 destroyed.", "No changes."} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in what the commands print:\n%s", want, said)
		}
	}
}

// Getting started requires only an installed provider and curl, and its outdated plan is refused.
func TestDocsGettingStartedGuide(t *testing.T) {
	t.Parallel()
	guide := read(t, "../../templates/guides/getting-started.md.tmpl")
	example := read(t, "../../examples/demo/main.tf")
	const start, outdated = "./terraform-provider-zulip sandbox\n", "terraform apply reviewed.tfplan\n"
	commands := replaceOnce(t, strings.Join(commandBlocks(guide), ""), start, sandboxInBackground)
	commands = replaceOnce(t, commands, outdated, "! "+outdated)
	work, environment := t.TempDir(), guideEnvironment(t)
	install(t, environment)
	write(t, filepath.Join(work, "main.tf"), example)
	said := inShell(t, work, environment, "set -euo pipefail\ntrap 'kill $(jobs -p)' EXIT\n"+commands)
	for _, want := range []string{"3 added", "No changes.", `- "role:everyone"`, "Nothing was overwritten."} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in what the commands print:\n%s", want, said)
		}
	}
}

// sandboxInBackground starts the sandbox and continues with its credentials, as two terminals do.
const sandboxInBackground = "./terraform-provider-zulip sandbox --listen 127.0.0.1:0 >env &\nuntil [ -s env ]; do sleep 0.1; done\n. ./env\n"

// runGuide runs the commands of a guide unchanged, one after the other, confirms every question, and returns the output. It
// replaces only the folder of the sources and the addresses.
func runGuide(t *testing.T, name string, addresses ...string) string {
	t.Helper()
	// Background processes end with the shell.
	commands := "set -euo pipefail\ntrap 'kill $(jobs -p)' EXIT\n" + strings.Join(commandsOfGuide(t, name), "")
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	commands = replaceOnce(t, commands, "sources=~/terraform-provider-zulip", "sources='"+root+"'")
	for _, address := range addresses {
		commands = replaceOnce(t, commands, address, freeAddress(t))
	}
	return inShell(t, t.TempDir(), guideEnvironment(t), commands)
}

// commandsOfGuide returns the blocks of shell commands of a guide, and fails the test if it has none.
func commandsOfGuide(t *testing.T, name string) []string {
	t.Helper()
	blocks := commandBlocks(read(t, "../../templates/guides/"+name+".md.tmpl"))
	if len(blocks) == 0 {
		t.Fatalf("the guide %s has no commands", name)
	}
	return blocks
}

// commandBlocks returns the blocks of shell commands of a page.
func commandBlocks(page string) (blocks []string) {
	for _, block := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```$").FindAllStringSubmatch(page, -1) {
		blocks = append(blocks, block[1])
	}
	return blocks
}

// guideEnvironment is an environment with a home of its own, so that "make install" changes no other home. It contains the
// CLI under the name in the guides. Users have unzip, but not every test machine does.
func guideEnvironment(t *testing.T) []string {
	t.Helper()
	home, bin := t.TempDir(), t.TempDir()
	cli := strings.TrimSpace(run(t, "../scripts/cli"))
	if err := os.Symlink(cli, filepath.Join(bin, "terraform")); err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("unzip"); err != nil {
		program(t, bin, "unzip", "./testdata/unzip")
	}
	return append(os.Environ(),
		"HOME="+home, "XDG_DATA_HOME=", "TF="+cli, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"),
		// The caches of Go in the real home are used.
		"GOCACHE="+goEnv(t, "GOCACHE"), "GOMODCACHE="+goEnv(t, "GOMODCACHE"), "GOPATH="+goEnv(t, "GOPATH"),
		"TF_CLI_CONFIG_FILE="+os.DevNull, "TF_CLI_ARGS=-no-color", "TF_CLI_ARGS_apply=-auto-approve", "CHECKPOINT_DISABLE=1",
	)
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	return strings.TrimSpace(run(t, "go", "env", name))
}

// freeAddress returns an unused address.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

func replaceOnce(t *testing.T, text, old, replacement string) string {
	t.Helper()
	if strings.Count(text, old) != 1 {
		t.Fatalf("the commands have %q %d times", old, strings.Count(text, old))
	}
	return strings.Replace(text, old, replacement, 1)
}

// Runs the commands of the guide on audits one by one. A command with --fail-on may find something.
func TestDocsAuditGuide(t *testing.T) {
	t.Parallel()
	shell := newGuideShell(t)
	accepted := regexp.MustCompile("(?ms)^```terraform\n(accept .*?)^```$").FindStringSubmatch(read(t, "../../templates/guides/audit.md.tmpl"))
	if accepted == nil {
		t.Fatal("the guide has no file that accepts findings")
	}
	write(t, filepath.Join(shell.dir, "accepted.hcl"), accepted[1])
	printed := shell.run(t, "audit", map[string]string{
		"ada@example.com": "lena.fischer@example.com", "payroll": "leads", "board": "incidents",
	})
	for _, want := range []string{"### Access audit", "Lena Fischer", "leads", "### Access changes", "runs Terraform"} {
		if !strings.Contains(printed, want) {
			t.Errorf("%q is not in what the commands print:\n%s", want, printed)
		}
	}
	if _, err := os.Stat(filepath.Join(shell.dir, "today.json")); err != nil {
		t.Error(err)
	}
}

// Runs the commands of the guide on reviews, for the example of the demo with one permission changed outside Terraform.
func TestDocsReviewGuide(t *testing.T) {
	t.Parallel()
	shell := newGuideShell(t)
	example := read(t, "../../examples/demo/main.tf")
	write(t, filepath.Join(shell.dir, "main.tf"), example)
	shell.command(t, "make -C '"+shell.root+"' install && terraform init", 0)
	printed := shell.run(t, "review", nil)
	if !strings.Contains(printed, "### Access review") {
		t.Errorf("no review in what the commands print:\n%s", printed)
	}
}

// A guideShell runs the commands of a guide next to a sandbox. The environment has the sandbox's account.
type guideShell struct {
	root, dir   string
	credentials string // a file with those of all accounts
	environment []string
}

func newGuideShell(t *testing.T) *guideShell {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	binary := command(t, bin)
	environment := guideEnvironment(t)
	for i, variable := range environment {
		if path, ok := strings.CutPrefix(variable, "PATH="); ok {
			environment[i] = "PATH=" + bin + string(os.PathListSeparator) + path
		}
	}

	credentials := filepath.Join(t.TempDir(), "credentials.json")
	sandbox := exec.CommandContext(t.Context(), binary, "sandbox", "--listen", "127.0.0.1:0", "--credentials", credentials)
	printed, err := sandbox.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := sandbox.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = sandbox.Process.Kill()
		_ = sandbox.Wait()
	})
	lines := bufio.NewScanner(printed)
	for range 3 {
		if !lines.Scan() {
			t.Fatal("the sandbox did not print its environment")
		}
		environment = append(environment, strings.TrimPrefix(lines.Text(), "export "))
	}
	return &guideShell{root: root, dir: t.TempDir(), credentials: credentials, environment: environment}
}

// run runs each line of a guide's commands with some words replaced, and returns the output. A command exits with 0, or
// with 2 if it has --fail-on.
func (s *guideShell) run(t *testing.T, guide string, replace map[string]string) string {
	t.Helper()
	printed := ""
	for _, block := range commandsOfGuide(t, guide) {
		for line := range strings.Lines(block) {
			for old, replacement := range replace {
				line = strings.ReplaceAll(line, old, replacement)
			}
			allowed := []int{0}
			if strings.Contains(line, "--fail-on") {
				allowed = append(allowed, 2)
			}
			printed += s.command(t, line, allowed...)
		}
	}
	return printed
}

func (s *guideShell) command(t *testing.T, line string, allowed ...int) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "bash", "-c", line)
	command.Dir, command.Env = s.dir, s.environment
	out, err := command.CombinedOutput()
	if status := command.ProcessState.ExitCode(); !slices.Contains(allowed, status) {
		t.Fatalf("%sends with %d: %v\n%s", line, status, err, out)
	}
	return string(out)
}
