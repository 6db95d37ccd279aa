package examples

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// A workspace is a folder with a configuration, and the settings to run Terraform there.
type workspace struct {
	dir string
	env []string
}

// newFolder returns an empty workspace, in which the CLI acts with the environment of the test.
func newFolder(t *testing.T) *workspace {
	t.Helper()
	acctest.CLI(t)
	return &workspace{dir: t.TempDir(), env: append(os.Environ(), "TF_CLI_CONFIG_FILE="+cliConfig, "CHECKPOINT_DISABLE=1", "TF_CLI_ARGS=-no-color")}
}

// newWorkspace copies an example, with a provider block if it has none, and starts an organization and a trading cloud
// for it.
func newWorkspace(t *testing.T, file string) *workspace {
	t.Helper()
	server, err := sandbox.New(sandbox.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	if err := server.Start("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	owner, ok := server.Credentials("owner")
	if !ok {
		t.Fatal("the sandbox has no owner")
	}

	cloud := sandbox.NewTradingCloud(sandbox.TradingConfig{})
	t.Cleanup(func() { _ = cloud.Close() })
	if err := cloud.Start("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	trading := cloud.Credentials()

	w := newFolder(t)
	w.env = append(w.env,
		"ZULIP_SITE="+server.URL(),
		"ZULIP_EMAIL="+owner.Email,
		"ZULIP_API_KEY="+owner.APIKey,
		"TRADING_CLOUD_API_URL="+trading.APIURL,
		"TRADING_CLOUD_AUTH_URL="+trading.AuthURL,
		"TRADING_CLOUD_CLIENT_ID="+trading.ClientID,
		"TRADING_CLOUD_CLIENT_SECRET="+trading.ClientSecret,
	)
	content := w.copy(t, file)
	for _, picture := range matching(t, file, "*.png") {
		w.copy(t, picture)
	}
	if !strings.Contains(content, "required_providers") {
		w.copy(t, "provider/provider.tf")
	}
	return w
}

// matching returns the files that match a pattern in the folder of an example.
func matching(t *testing.T, file, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(filepath.Dir(file), pattern))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func (w *workspace) copy(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.dir, filepath.Base(file)), content, 0o600); err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// copyFolder copies the files of an example into a folder of the workspace.
func (w *workspace) copyFolder(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(filepath.Join(w.dir, to), os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// run runs Terraform in the workspace, fails the test unless it succeeds, and returns the output.
func (w *workspace) run(t *testing.T, args ...string) string {
	t.Helper()
	out, err := w.start(t, args)
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, out)
	}
	return out
}

// fail runs Terraform in the workspace, fails the test if it succeeds, and returns the output.
func (w *workspace) fail(t *testing.T, args ...string) string {
	t.Helper()
	out, err := w.start(t, args)
	if err == nil {
		t.Fatalf("%q succeeds:\n%s", args, out)
	}
	return out
}

func (w *workspace) start(t *testing.T, args []string) (string, error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), acctest.CLI(t), args...)
	command.Dir, command.Env = w.dir, w.env
	out, err := command.CombinedOutput()
	return string(out), err
}

// state returns the resources that the state holds: the attributes, by address.
func (w *workspace) state(t *testing.T) map[string]map[string]any {
	t.Helper()
	var shown struct {
		Values struct {
			Root struct {
				Resources []struct {
					Address, Mode string
					Values        map[string]any
				}
			} `json:"root_module"`
		}
	}
	w.show(t, &shown)
	held := map[string]map[string]any{}
	for _, r := range shown.Values.Root.Resources {
		if r.Mode == "managed" {
			held[r.Address] = r.Values
		}
	}
	return held
}

// planned returns the changes of a plan, each as "ADDRESS ACTION".
func (w *workspace) planned(t *testing.T, file string) []string {
	t.Helper()
	var shown struct {
		Changes []struct {
			Address, Mode string
			Change        struct{ Actions []string }
		} `json:"resource_changes"`
	}
	w.show(t, &shown, file)
	var planned []string
	for _, r := range shown.Changes {
		if actions := strings.Join(r.Change.Actions, "+"); r.Mode == "managed" && actions != "no-op" {
			planned = append(planned, r.Address+" "+actions)
		}
	}
	return planned
}

func (w *workspace) show(t *testing.T, into any, args ...string) {
	t.Helper()
	if err := json.Unmarshal([]byte(w.run(t, append([]string{"show", "-json"}, args...)...)), into); err != nil {
		t.Fatal(err)
	}
}

// replace changes a file of the workspace.
func (w *workspace) replace(t *testing.T, file, old, replacement string) {
	t.Helper()
	root, err := os.OpenRoot(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	content, err := root.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(content), old) {
		t.Fatalf("%s has no %q", file, old)
	}
	if err := root.WriteFile(file, []byte(strings.ReplaceAll(string(content), old, replacement)), 0o600); err != nil {
		t.Fatal(err)
	}
}
