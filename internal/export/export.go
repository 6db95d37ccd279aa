// Package export writes an organization as Terraform configuration, with import blocks. The files are readable, and
// their plan changes nothing.
//
// It is a client of the provider itself. The provider's list resources return the objects, and an import returns the
// state of an object. The provider's generated configuration has the attributes that can be configured. This package
// omits defaults, names the resources, replaces IDs and names by references, and writes the files. The plan is
// therefore empty for the same reason as that of an import.
//
// [Run] reads objects kind by kind (read.go, kinds.go), names the resources and adds references (names.go), and renders
// files (render.go, summary.go). It leaves out the values of a new object, proposes rules, and writes all files
// together (files.go). [Check] runs Terraform to plan them (check.go).
package export

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Provider is the provider's side of the plugin protocol.
type Provider interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
}

// Source is the organization, and a provider that is configured for it.
type Source struct {
	Provider Provider
	Store    *store.Store
	Client   *zulip.Client
}

// Options select what is exported.
type Options struct {
	// Folder is the folder of the files. It is created if it does not exist.
	Folder string
	// All also writes attributes with the value of a new object.
	All bool
	// Subscribers writes the subscribers of each private channel.
	Subscribers bool
	// AllPeople writes the role of everyone. Without it members are left out.
	AllPeople bool
	// PeopleAs is how people are written; "" is [PeopleAsAddress].
	PeopleAs PeopleAs
	// Rules proposes rules that the organization satisfies, for a file of rules, unless the folder has one. They
	// cover the whole organization, whatever is selected. Optional.
	Rules func(context.Context, *store.Store) (*Rules, error)
	// Only and Exclude select by resource and name: see [Selection].
	Only, Exclude Selection
	// States are the output of `terraform show -json` of states, by name. Their objects are left out. Optional.
	States map[string][]byte
	// Progress is called with the kind that is being read. Optional.
	Progress func(string)
	// Warn is called with the limits of the account's access, before anything is written. Optional.
	Warn func(string)
}

// Result describes the written files.
type Result struct {
	// Files are the names of the files in the folder.
	Files []string
	// Counts are the numbers of resources by type.
	Counts map[string]int
	// New are the addresses that were written, for an export of unmanaged objects.
	New []string
	// Unset are the attributes that the states leave unset and that differ from those of a new object, with their values.
	Unset []string
	// Changed are the attributes whose values differ from those in the states, with both values.
	Changed []string
	// Notes describe the objects that were left out, and the reasons.
	Notes []string
}

// Run exports the organization. Nothing is written unless everything could be read and rendered.
func Run(ctx context.Context, from Source, options Options) (*Result, error) {
	if err := checkAccount(from.Store.Self()); err != nil {
		return nil, err
	}
	managed, lists, err := readStates(options.States)
	if err != nil {
		return nil, err
	}
	folder, err := openFolder(options, managed)
	if err != nil {
		return nil, err
	}
	defer folder.close()
	e := &export{Source: from, Options: options, names: folder.names, managed: managed, roleLists: lists, images: map[string]bool{}, matching: map[string]bool{}, people: map[int64]*person{}}
	if err := e.read(ctx); err != nil {
		return nil, err
	}
	e.leaveOutUnnamedAccounts()
	if err := e.compareStates(ctx); err != nil {
		return nil, err
	}
	if managed != nil && len(e.objects) == 0 && len(folder.written) == 0 {
		return e.result(nil), nil // nothing is new
	}
	e.name()
	e.refer()
	if e.Rules != nil {
		if err := e.proposeRules(ctx, folder); err != nil {
			return nil, err
		}
	}
	files, err := e.render(ctx)
	if err != nil {
		return nil, err
	}
	if managed == nil && !folder.has(ignoreName) {
		files[ignoreName] = []byte(ignoreFile)
	}
	if err := folder.write(files, e.names); err != nil {
		return nil, err
	}
	return e.result(files), nil
}

// export is one export under way.
type export struct {
	Source
	Options
	// snapshot is the organization, which is read once, and realm its settings.
	snapshot *snapshot.Snapshot
	realm    *zulip.Realm
	schemas  map[string]*tfprotov6.Schema
	lists    map[string]*tfprotov6.Schema
	managed  managed
	// roleLists are the role lists in the states.
	roleLists []*roleList
	// listed are the users whose roles such a list decides, by the list.
	listed  map[*roleList][]string
	objects []*object
	names   *names
	notes   []string
	// unset and changed: see [Result].
	unset, changed []string
	// invitations are those that are pending, and links.
	invitations []*zulip.Invitation
	// matching are the filters that have matched something.
	matching map[string]bool
	// isMatching is true if every object is kept as read: see [Match].
	isMatching bool
	// people are the people that exported objects name, by user ID, if they are not resources.
	people map[int64]*person
	// rules are the proposed rules; nil to write none.
	rules *Rules
	// openChannels counts the channels whose subscribers are not written, because people join them on their own.
	openChannels int
	// images are the files for images of custom emoji.
	images map[string]bool
	// byAttribute finds an object by a value with which others name it: type, attribute, value.
	byAttribute map[string]map[string]map[string]*object
}

func (e *export) note(format string, args ...any) {
	e.notes = append(e.notes, fmt.Sprintf(format, args...))
}

func (e *export) progress(format string, args ...any) {
	if e.Progress != nil {
		e.Progress(fmt.Sprintf(format, args...))
	}
}

func (e *export) result(files map[string][]byte) *Result {
	result := &Result{Counts: map[string]int{}, Notes: e.notes, Unset: slices.Sorted(slices.Values(e.unset)), Changed: slices.Sorted(slices.Values(e.changed))}
	for name := range files {
		result.Files = append(result.Files, name)
	}
	slices.Sort(result.Files)
	for _, object := range e.objects {
		result.Counts[object.kind.resource]++
		if e.managed != nil {
			result.New = append(result.New, object.address())
		}
	}
	return result
}

// managed are the objects that a state has: by type, then by ID.
type managed map[string]map[string]stateResource

// has reports whether a state has an object.
func (m managed) has(resource, id string) bool {
	_, ok := m[resource][id]
	return ok
}

// add adds a resource of a state.
func (m managed) add(resource stateResource) {
	put := func(of string, id json.RawMessage) {
		if m[of] == nil {
			m[of] = map[string]stateResource{}
		}
		m[of][unquote(id)] = resource
	}
	identity := "id" // of resources that are not exported
	if kind, ok := kindOf(resource.Type); ok {
		identity = kind.identityAttribute()
	}
	put(resource.Type, resource.Values[identity])
	if resource.Type == "zulip_user" { // which manages the role too
		put("zulip_user_role", resource.Values["id"])
	}
}

// readStates reads the resources of states. It returns nil without a state.
func readStates(texts map[string][]byte) (managed, []*roleList, error) {
	if len(texts) == 0 {
		return nil, nil, nil
	}
	managed := managed{}
	var lists []*roleList
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		var state struct {
			Values struct {
				Root module `json:"root_module"`
			} `json:"values"`
			FormatVersion string `json:"format_version"`
		}
		if err := json.Unmarshal(texts[name], &state); err != nil {
			return nil, nil, fmt.Errorf("the state %s isn't the output of terraform show -json: %w", name, err)
		}
		if state.FormatVersion == "" {
			return nil, nil, fmt.Errorf("the state %s isn't the output of terraform show -json: it has no format_version", name)
		}
		for _, resource := range state.Values.Root.managed() {
			managed.add(resource)
			if resource.Type == "zulip_role_members" {
				lists = append(lists, roleListOf(resource, name))
			}
		}
	}
	return managed, lists, nil
}

type module struct {
	Resources []stateResource `json:"resources"`
	Children  []module        `json:"child_modules"`
}

type stateResource struct {
	Address string                     `json:"address"`
	Type    string                     `json:"type"`
	Mode    string                     `json:"mode"`
	Version int64                      `json:"schema_version"`
	Values  map[string]json.RawMessage `json:"values"`
}

// sets reports whether a state has a value of an attribute.
func (r stateResource) sets(attribute string) bool {
	value, ok := r.Values[attribute]
	return ok && string(value) != "null"
}

// managed returns the resources of the provider in a module and its child modules, without data sources.
func (m module) managed() (resources []stateResource) {
	for _, resource := range m.Resources {
		if resource.Mode == "managed" && strings.HasPrefix(resource.Type, "zulip_") {
			resources = append(resources, resource)
		}
	}
	for _, child := range m.Children {
		resources = append(resources, child.managed()...)
	}
	return resources
}

func unquote(text json.RawMessage) string {
	var plain string
	if json.Unmarshal(text, &plain) == nil {
		return plain
	}
	return string(text)
}

// inFolder returns the name of a folder for the end of a sentence, so that no period follows ".".
func inFolder(folder string) string {
	if filepath.Base(folder) == "." || filepath.Base(folder) == ".." {
		return fmt.Sprintf("the folder %q.", folder)
	}
	return folder + "."
}

// Print writes a summary of the export for users.
func (r *Result) Print(w io.Writer, folder string) {
	if len(r.Changed) > 0 {
		_, _ = fmt.Fprintln(w, "These values changed outside Terraform since the given states were written:")
		for _, attribute := range r.Changed {
			_, _ = fmt.Fprintln(w, "  "+attribute)
		}
	}
	if len(r.Unset) > 0 {
		_, _ = fmt.Fprintln(w, "These attributes are unset in the given states, so Terraform doesn't manage them. Their values differ from those of a new object:")
		for _, attribute := range r.Unset {
			_, _ = fmt.Fprintln(w, "  "+attribute)
		}
	}
	total := 0
	for _, count := range r.Counts {
		total += count
	}
	if len(r.Files) == 0 {
		_, _ = fmt.Fprintln(w, "Nothing is new: the given states contain everything that is selected. Nothing was written.")
		return
	}
	_, _ = fmt.Fprintf(w, "Wrote %s into %s in %s\n", counted(total, "resource"), counted(len(r.Files), "file"), inFolder(folder))
	for _, address := range r.New {
		_, _ = fmt.Fprintln(w, "  "+address)
	}
	_, _ = fmt.Fprintf(w, "EXPORT.md there shows what was left out and how to continue.\n")
}

// Check plans the files of a folder with a CLI, in a copy of the folder, and with this program as the provider. It
// fails unless the plan imports everything and changes nothing. cli is terraform or tofu, or its path; "" is the first
// one on the PATH.
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
	return c.verify(text)
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
	return "", fmt.Errorf("cannot check: no %s was found. Name one with --cli", strings.Join(candidates, " and no "))
}

// checker plans a copy of a folder.
type checker struct {
	program, folder string
	out             io.Writer
}

// useThisProgram makes the CLI start this program instead of an installed provider.
func (c *checker) useThisProgram() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	plugin := filepath.Join(c.folder, "terraform-provider-zulip"+filepath.Ext(self))
	if os.Symlink(self, plugin) != nil { // on Windows, not everyone can create one
		if err := os.Link(self, plugin); err != nil {
			return fmt.Errorf("cannot make the CLI start this program: %w", err)
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

// withoutSettings returns an environment without settings for other work with the CLI: its arguments, workspace and
// folder.
func withoutSettings(environment []string) []string {
	return slices.DeleteFunc(environment, func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return strings.HasPrefix(name, "TF_CLI_ARGS") || name == "TF_WORKSPACE" || name == "TF_DATA_DIR"
	})
}

// plannedChange is the change of one resource in a plan.
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

// verify reports the changes of the plan that are not imports.
func (c *checker) verify(text []byte) error {
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

// describe describes the change.
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
