package export

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// Check has a CLI plan the files of a folder in a copy of it, with this program as the provider, and fails unless the plan
// imports everything and changes nothing. cli is terraform or tofu, or its path; "" is the first one on the PATH.
func Check(ctx context.Context, folder, cli string, out io.Writer) error {
	program, err := FindCLI(cli)
	if err != nil {
		return err
	}
	c := &checker{program: program, out: out}
	if c.folder, err = os.MkdirTemp("", "zulip-export-"); err != nil {
		return err
	}
	defer os.RemoveAll(c.folder) //nolint:errcheck // a temporary folder
	if err := os.CopyFS(filepath.Join(c.folder, "configuration"), os.DirFS(folder)); err != nil {
		return fmt.Errorf("cannot copy the files to check them: %w", err)
	}
	if err := c.useThisProgram(); err != nil {
		return err
	}
	if _, err := c.run(ctx, "plan", "-input=false", "-no-color", "-out=check.tfplan"); err != nil {
		return err
	}
	text, err := c.run(ctx, "show", "-json", "check.tfplan")
	if err != nil {
		return err
	}
	return c.judge(text)
}

// FindCLI returns the path of the program that Check plans with: terraform or tofu, or a path; "" is the first one on the PATH.
func FindCLI(cli string) (string, error) {
	candidates := []string{cli}
	if cli == "" {
		candidates = []string{"terraform", "tofu"}
	}
	for _, candidate := range candidates {
		if found, err := exec.LookPath(candidate); err == nil {
			return found, nil
		}
	}
	return "", fmt.Errorf("cannot check: no %s was found. --cli says where one is", strings.Join(candidates, " and no "))
}

// checker plans a copy of a folder.
type checker struct {
	program, folder string
	out             io.Writer
}

// useThisProgram has the CLI start this program instead of a provider that is installed.
func (c *checker) useThisProgram() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	plugin := filepath.Join(c.folder, "terraform-provider-zulip"+filepath.Ext(self))
	if os.Symlink(self, plugin) != nil { // not everybody may make one on Windows
		if err := os.Link(self, plugin); err != nil {
			return fmt.Errorf("cannot have the CLI start this program: %w", err)
		}
	}
	settings := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"zulip-iac/zulip\" = %q\n  }\n  direct {}\n}\n", c.folder)
	return os.WriteFile(filepath.Join(c.folder, "cli.tfrc"), []byte(settings), 0o600)
}

func (c *checker) run(ctx context.Context, args ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, c.program, args...) //nolint:gosec // the CLI that the user names
	command.Dir = filepath.Join(c.folder, "configuration")
	command.Env = append(withoutSettings(os.Environ()), "TF_CLI_CONFIG_FILE="+filepath.Join(c.folder, "cli.tfrc"), "TF_IN_AUTOMATION=1")
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("the check failed: %s %s: %w\n%s", filepath.Base(c.program), args[0], err, strings.TrimSpace(stderr.String()))
	}
	return stdout.Bytes(), nil
}

// withoutSettings returns an environment without what it says of other work with the CLI: its arguments, workspace and folder.
func withoutSettings(environment []string) []string {
	return slices.DeleteFunc(environment, func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return strings.HasPrefix(name, "TF_CLI_ARGS") || name == "TF_WORKSPACE" || name == "TF_DATA_DIR"
	})
}

// plannedChange is what a plan says of one resource.
type plannedChange struct {
	Address string `json:"address"`
	Change  struct {
		Actions   []string             `json:"actions"`
		Before    map[string]any       `json:"before"`
		After     map[string]any       `json:"after"`
		Unknown   map[string]any       `json:"after_unknown"`
		Importing *struct{ ID string } `json:"importing"`
	} `json:"change"`
}

// judge reports what the plan does beside importing.
func (c *checker) judge(text []byte) error {
	var plan struct {
		Changes []plannedChange `json:"resource_changes"`
	}
	if err := json.Unmarshal(text, &plan); err != nil {
		return fmt.Errorf("the check failed: the plan cannot be read: %w", err)
	}
	imported := 0
	var problems []error
	for _, one := range plan.Changes {
		if one.Change.Importing != nil {
			imported++
		}
		if !slices.Equal(one.Change.Actions, []string{"no-op"}) {
			problems = append(problems, errors.New(one.describe()))
		}
	}
	if len(problems) > 0 {
		return fmt.Errorf("the plan does more than import:\n%w", errors.Join(problems...))
	}
	_, _ = fmt.Fprintf(c.out, "Checked: %d to import, 0 to add, 0 to change, 0 to destroy.\n", imported)
	return nil
}

// describe says what would change.
func (p plannedChange) describe() string {
	var attributes []string
	for name, after := range p.Change.After {
		if p.Change.Before != nil && !reflect.DeepEqual(after, p.Change.Before[name]) {
			attributes = append(attributes, fmt.Sprintf("%s (%v on the server, %v in the configuration)", name, p.Change.Before[name], after))
		}
	}
	for name := range p.Change.Unknown {
		attributes = append(attributes, name+" (known after apply)")
	}
	slices.Sort(attributes)
	return "  " + p.Address + ": " + strings.TrimSuffix(strings.Join(p.Change.Actions, " and ")+": "+strings.Join(attributes, ", "), ": ")
}
