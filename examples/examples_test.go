// Package examples tests the examples on the pages. Each example is applied on a sandbox with a real CLI, has an empty
// plan afterwards, and can be destroyed.
package examples

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	// The plugin that is built uses this import. With it, Go runs the tests again after a change of the provider.
	_ "github.com/zulip-iac/terraform-provider-zulip/internal/provider"
)

// cliConfig makes the CLI start the plugin that TestMain built.
var cliConfig string

func TestMain(m *testing.M) {
	os.Exit(buildAndRun(m))
}

// buildAndRun returns the exit status. Without TF_ACC there is no CLI to run the plugin, and each test says so.
func buildAndRun(m *testing.M) int {
	if os.Getenv("TF_ACC") == "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "examples")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()

	plugin := filepath.Join(dir, "terraform-provider-zulip")
	if runtime.GOOS == "windows" {
		plugin += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", plugin, "..").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the plugin: %v\n%s", err, out)
		return 1
	}
	cliConfig = filepath.Join(dir, "cli.tfrc")
	config := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"zulip-iac/zulip\" = %q\n  }\n}\n", dir)
	if err := os.WriteFile(cliConfig, []byte(config), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

func TestExample(t *testing.T) {
	acctest.CLI(t)
	examples, err := filepath.Glob("*/*/*.tf")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range examples {
		if strings.HasPrefix(filepath.Base(file), "import-by-") {
			continue // goes with a resource.tf: TestExampleImport
		}
		if strings.HasPrefix(filepath.ToSlash(file), "actions/") {
			continue // for Terraform 1.14 and later; the actions are tested through the plugin protocol
		}
		name := filepath.ToSlash(filepath.Dir(file))
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// One of the sandbox's trade platforms is not connected, and the check of this example fails.
			try(t, newWorkspace(t, file), name == "data-sources/zulip_trading_platform_ping")
		})
	}
}

func TestExampleDemo(t *testing.T) {
	t.Parallel()
	try(t, newWorkspace(t, "demo/main.tf"), false)
}

func TestExampleTrading(t *testing.T) {
	t.Parallel()
	try(t, newWorkspace(t, "trading/main.tf"), false)
}

// recordedAfterImport are the examples whose plan after an import records values in the state, without a request. They
// are orders with only the first objects, the channels of invitations, and the files of pictures, which no server
// shows.
var recordedAfterImport = []string{"resources/zulip_channel_folder_order", "resources/zulip_invitation", "resources/zulip_organization_image"}

func TestExampleImport(t *testing.T) {
	acctest.CLI(t)
	imports, err := filepath.Glob("resources/*/import-by-*.tf")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range imports {
		t.Run(filepath.ToSlash(filepath.Dir(file)), func(t *testing.T) {
			t.Parallel()
			resource := filepath.Join(filepath.Dir(file), "resource.tf")
			workspace := newWorkspace(t, resource)
			workspace.run(t, "apply", "-auto-approve")
			for _, address := range imported(t, file) {
				workspace.run(t, "state", "rm", address)
			}
			workspace.copy(t, file)
			plan := workspace.run(t, "plan")
			changes := 0
			if slices.Contains(recordedAfterImport, filepath.ToSlash(filepath.Dir(file))) {
				changes = 1
			}
			want := fmt.Sprintf("%d to import, 0 to add, %d to change, 0 to destroy", len(imported(t, file)), changes)
			if !strings.Contains(plan, want) {
				t.Errorf("the plan is not %q:\n%s", want, plan)
			}
		})
	}
}

// try applies the configuration of the workspace, and expects that its checks pass, or that one fails, and an empty
// plan. Then it destroys the resources.
func try(t *testing.T, w *workspace, isCheckFailing bool) {
	t.Helper()
	if out := w.run(t, "apply", "-auto-approve"); strings.Contains(out, "Check block assertion failed") != isCheckFailing {
		t.Errorf("a check of the example fails, which is to be %t:\n%s", isCheckFailing, out)
	}
	w.run(t, "plan", "-detailed-exitcode") // 2 if there are changes
	w.run(t, "destroy", "-auto-approve")
}

// imported returns the addresses that the import blocks of a file name.
func imported(t *testing.T, file string) []string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var addresses []string
	for line := range strings.Lines(string(content)) {
		if address, found := strings.CutPrefix(strings.TrimSpace(line), "to = "); found {
			addresses = append(addresses, address)
		}
	}
	return addresses
}
