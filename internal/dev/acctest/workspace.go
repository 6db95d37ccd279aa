package acctest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// Workspace is a folder in which the real CLI runs the plugin in a process of its own. It is for tests that kill the plugin
// or check the CLI's output.
type Workspace struct {
	dir       string
	cliConfig string
	env       []string
}

// The plugin is built once for all tests of a package, in pluginDir; "" until the first test needs it.
var (
	plugin    = sync.OnceValues(buildPlugin)
	pluginDir string
)

// RemovePlugin deletes the plugin that NewWorkspace built. A TestMain calls it after the tests.
func RemovePlugin() {
	if pluginDir != "" {
		_ = os.RemoveAll(pluginDir) // a leftover temporary file does no harm
	}
}

// Plugin returns the path of the plugin's binary, which also has the commands for people.
func Plugin(t *testing.T) string {
	t.Helper()
	built, err := plugin()
	if err != nil {
		t.Fatal(err)
	}
	return binaryIn(built)
}

func binaryIn(dir string) string {
	file := filepath.Join(dir, "terraform-provider-zulip")
	if runtime.GOOS == "windows" {
		file += ".exe"
	}
	return file
}

// buildPlugin returns the folder of the plugin.
func buildPlugin() (string, error) {
	dir, err := os.MkdirTemp("", "plugin")
	if err != nil {
		return "", err
	}
	pluginDir = dir
	file := binaryIn(dir)
	build := exec.Command("go", "build", "-o", file, "github.com/zulip-iac/terraform-provider-zulip") //nolint:gosec // file is ours
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the plugin: %w\n%s", err, out)
	}
	return dir, nil
}

// CLI returns the path of the CLI that the tests use, and fails the test if there is none.
func CLI(t *testing.T) string {
	t.Helper()
	cli := os.Getenv("TF_ACC_TERRAFORM_PATH")
	if cli == "" || os.Getenv("TF_ACC") == "" {
		t.Fatalf("this test needs terraform or tofu, which \"tools/scripts/test -run %s\" finds or builds; \"make unit\" runs the tests that need neither", t.Name())
	}
	return cli
}

// NewWorkspace returns an empty workspace. Its environment is the test's plus what Setenv adds.
func NewWorkspace(t *testing.T) *Workspace {
	t.Helper()
	CLI(t) // before the build
	built, err := plugin()
	if err != nil {
		t.Fatal(err)
	}
	w := &Workspace{dir: t.TempDir()}
	w.cliConfig = filepath.Join(w.dir, "cli.tfrc")
	w.write(t, "cli.tfrc", fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"zulip-iac/zulip\" = %[1]q\n    \"provider.test/zulip-iac/zulip\" = %[1]q\n  }\n}\n", built))
	w.write(t, "terraform.tf", "terraform {\n  required_providers {\n    zulip = { source = \"zulip-iac/zulip\" }\n  }\n}\n")
	return w
}

// Dir is the folder of the workspace.
func (w *Workspace) Dir() string { return w.dir }

// Configure writes the configuration.
func (w *Workspace) Configure(t *testing.T, config string) {
	t.Helper()
	w.write(t, "main.tf", config)
}

// Copy copies a folder into the workspace. Its files replace those of the same names.
func (w *Workspace) Copy(t *testing.T, folder string) {
	t.Helper()
	if err := os.Remove(filepath.Join(w.dir, "terraform.tf")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if err := os.CopyFS(w.dir, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
}

// Remove removes a file.
func (w *Workspace) Remove(t *testing.T, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(w.dir, name)); err != nil {
		t.Fatal(err)
	}
}

// Setenv sets an environment variable for later runs.
func (w *Workspace) Setenv(name, value string) { w.env = append(w.env, name+"="+value) }

// act sets the environment for the account of an organization.
func (w *Workspace) act(o *Organization) {
	for name, value := range o.credentials.environment() {
		w.Setenv(name, value)
	}
}

// Taint marks all resources in the state as tainted, like a failed create does.
func (w *Workspace) Taint(t *testing.T) {
	t.Helper()
	var state struct {
		Version   int              `json:"version"`
		Terraform string           `json:"terraform_version"`
		Serial    int              `json:"serial"`
		Lineage   string           `json:"lineage"`
		Outputs   map[string]any   `json:"outputs"`
		Resources []map[string]any `json:"resources"`
	}
	if err := json.Unmarshal([]byte(w.Read(t, "terraform.tfstate")), &state); err != nil {
		t.Fatal(err)
	}
	for _, resource := range state.Resources {
		instances, _ := resource["instances"].([]any)
		for _, instance := range instances {
			if object, ok := instance.(map[string]any); ok {
				object["status"] = "tainted"
			}
		}
	}
	text, err := json.Marshal(state)
	if err != nil {
		t.Fatal(err)
	}
	w.write(t, "terraform.tfstate", string(text))
}

// Forget deletes the state.
func (w *Workspace) Forget(t *testing.T) {
	t.Helper()
	if err := os.Remove(filepath.Join(w.dir, "terraform.tfstate")); err != nil {
		t.Fatal(err)
	}
}

// Addresses lists the resources in the state, none if there is no state.
func (w *Workspace) Addresses(t *testing.T) (addresses []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, "terraform.tfstate"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	var state struct {
		Resources []struct{ Type, Name string }
	}
	if err := json.Unmarshal(text, &state); err != nil {
		t.Fatal(err)
	}
	for _, resource := range state.Resources {
		addresses = append(addresses, resource.Type+"."+resource.Name)
	}
	return addresses
}

// Read returns a file that the CLI has written.
func (w *Workspace) Read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// Run runs the CLI. printed is its output without line breaks; ok is true if it succeeded.
func (w *Workspace) Run(t *testing.T, args ...string) (printed string, ok bool) {
	t.Helper()
	return w.Start(t, args...).Wait(t)
}

// Apply applies the configuration without asking.
func (w *Workspace) Apply(t *testing.T, args ...string) (printed string, ok bool) {
	t.Helper()
	return w.Run(t, append([]string{"apply", "-auto-approve"}, args...)...)
}

// Must runs the CLI and fails the test unless it succeeds.
func (w *Workspace) Must(t *testing.T, args ...string) string {
	t.Helper()
	printed, ok := w.Run(t, args...)
	if !ok {
		t.Fatalf("%q failed:\n%s", args, printed)
	}
	return printed
}

// Start starts the CLI without waiting for it.
func (w *Workspace) Start(t *testing.T, args ...string) *Running {
	t.Helper()
	return w.start(t, nil, args...)
}

func (w *Workspace) start(t *testing.T, attributes *syscall.SysProcAttr, args ...string) *Running {
	t.Helper()
	r := &Running{command: w.command(t, args...)}
	r.command.SysProcAttr = attributes
	r.command.Stdout, r.command.Stderr = &r.out, &r.out
	if err := r.command.Start(); err != nil {
		t.Fatal(err)
	}
	return r
}

// Show returns a saved plan as JSON, without the CLI's logs.
func (w *Workspace) Show(t *testing.T, plan string) string {
	t.Helper()
	command := w.command(t, "show", "-json", plan)
	var logged bytes.Buffer
	command.Stderr = &logged
	text, err := command.Output()
	if err != nil {
		t.Fatalf("the plan cannot be shown: %v\n%s", err, &logged)
	}
	return string(text)
}

// command returns a run of the CLI that is not started yet.
func (w *Workspace) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	command := exec.CommandContext(context.Background(), CLI(t), args...) //nolint:gosec // the CLI that the user of the tests has chosen
	command.Dir = w.dir
	command.Env = append(append(os.Environ(), "TF_CLI_CONFIG_FILE="+w.cliConfig, "TF_CLI_ARGS=-no-color", "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1"), w.env...)
	return command
}

// Running is a CLI that was started.
type Running struct {
	command *exec.Cmd
	out     bytes.Buffer
}

// KillPlugin kills the plugin process of the CLI with SIGKILL.
func (r *Running) KillPlugin(t *testing.T) {
	t.Helper()
	list, err := exec.Command("ps", "-A", "-o", "pid=,ppid=").Output()
	if err != nil {
		t.Fatal(err)
	}
	killed := false
	for line := range strings.Lines(string(list)) {
		var pid, parent int
		if _, err := fmt.Sscan(line, &pid, &parent); err != nil || parent != r.command.Process.Pid {
			continue
		}
		process, err := os.FindProcess(pid)
		if err != nil {
			t.Fatal(err)
		}
		if err := process.Kill(); err != nil {
			t.Fatal(err)
		}
		killed = true
	}
	if !killed {
		t.Fatal("the CLI runs no plugin")
	}
}

// Wait waits until it ends.
func (r *Running) Wait(t *testing.T) (printed string, ok bool) {
	t.Helper()
	err := r.command.Wait()
	var status *exec.ExitError
	if err != nil && !errors.As(err, &status) {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(r.out.String()), " "), err == nil
}

// Write writes a file.
func (w *Workspace) Write(t *testing.T, name, content string) {
	t.Helper()
	w.write(t, name, content)
}

func (w *Workspace) write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
