// Package export writes an organization as Terraform configuration: the files that a careful colleague would have written,
// with import blocks, whose plan changes nothing.
//
// It is a client of the provider itself. What there is, the provider's list resources say; what an object looks like, an
// import of it says; what of that can be configured, the provider's generated configuration says. This package chooses what
// to leave out, names the resources, puts references where there were IDs and names, and writes the files. So the plan of
// what it writes is empty for the same reason as the plan of an import is.
//
// The path of an export: [Run] reads objects kind by kind (read.go, kinds.go), leaves out what any new object has
// (defaults.go), names what is left (names.go), refers from one to another (references.go), renders files (render.go,
// summary.go), proposes rules (rules.go) and puts them in place all together (files.go). [Check] has a CLI plan them (check.go).
package export

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Provider is the provider as the CLI talks to it.
type Provider interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
}

// Source is the organization, and the provider that is configured for it.
type Source struct {
	Provider Provider
	Store    *store.Store
	Client   *zulip.Client
}

// Options say what is exported.
type Options struct {
	// Folder is where the files are written. It is created if it does not exist.
	Folder string
	// All writes every attribute, also those that have the value that anything new has.
	All bool
	// Subscribers writes who is in each private channel.
	Subscribers bool
	// AllPeople writes the role of everybody; else members are left out.
	AllPeople bool
	// PeopleAs is how people are written; "" is [PeopleAsAddress].
	PeopleAs PeopleAs
	// Rules proposes rules that hold, for a file of them, unless the folder has one. They are of the whole organization, whatever is
	// selected. Optional.
	Rules func(context.Context, *store.Store) (*Rules, error)
	// Only and Exclude select by resource and name: see [Selection].
	Only, Exclude Selection
	// States are the output of `terraform show -json` of states, by name, whose objects are left out. Optional.
	States map[string][]byte
	// Progress is called with what is being read. Optional.
	Progress func(string)
	// Warn is called with what the account does not see, before anything is written. Optional.
	Warn func(string)
}

// Result says what was written.
type Result struct {
	// Files are the names of the files in the folder.
	Files []string
	// Counts are how many resources there are of each type.
	Counts map[string]int
	// New are the addresses that were written, for an export of what no state has.
	New []string
	// Notes are what was left out, and why.
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
	if err := folder.write(files, e.names); err != nil {
		return nil, err
	}
	return e.result(files), nil
}

// export is one export while it is made.
type export struct {
	Source
	Options
	// snapshot is the organization as it was read once, realm its settings.
	snapshot *snapshot.Snapshot
	realm    *zulip.Realm
	schemas  map[string]*tfprotov6.Schema
	lists    map[string]*tfprotov6.Schema
	managed  managed
	// roleLists are the lists of who has a role that states have.
	roleLists []*roleList
	// listed are whose roles such a list decides, by the list.
	listed  map[*roleList][]string
	objects []*object
	names   *names
	notes   []string
	// invitations are those that are pending, and links.
	invitations []*zulip.Invitation
	// matching are the filters that have matched something.
	matching map[string]bool
	// isMatching keeps every object that is read as it is: see [Match].
	isMatching bool
	// people are those whom what is exported names, by user ID, where they are no resources.
	people map[int64]*person
	// rules are proposed; nil: none are written.
	rules *Rules
	// openChannels counts the channels whose subscribers are not written, because people join them by themselves.
	openChannels int
	// images are the files that images of custom emoji are written to.
	images map[string]bool
	// byAttribute finds an object by what others name it by: type, attribute, value.
	byAttribute map[string]map[string]map[string]*object
	// referred are the objects to which others refer.
	referred map[*object]bool
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
	result := &Result{Counts: map[string]int{}, Notes: e.notes}
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
type managed map[string]map[string]bool

// readStates reads which objects states have, and the lists of who has a role; nil without a state.
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
			return nil, nil, fmt.Errorf("the state %s is not the output of terraform show -json: %w", name, err)
		}
		if state.FormatVersion == "" {
			return nil, nil, fmt.Errorf("the state %s is not the output of terraform show -json: it has no format_version", name)
		}
		state.Values.Root.addTo(managed)
		lists = append(lists, state.Values.Root.roleLists(name)...)
	}
	return managed, lists, nil
}

type module struct {
	Resources []struct {
		Address string                     `json:"address"`
		Type    string                     `json:"type"`
		Mode    string                     `json:"mode"`
		Values  map[string]json.RawMessage `json:"values"`
	} `json:"resources"`
	Children []module `json:"child_modules"`
}

func (m module) addTo(managed managed) {
	for _, resource := range m.Resources {
		kind, ok := kindOf(resource.Type)
		if !ok || resource.Mode != "managed" {
			continue
		}
		if managed[resource.Type] == nil {
			managed[resource.Type] = map[string]bool{}
		}
		managed[resource.Type][unquote(resource.Values[kind.identityAttribute()])] = true
		if resource.Type == "zulip_user" { // which manages the role too
			if managed["zulip_user_role"] == nil {
				managed["zulip_user_role"] = map[string]bool{}
			}
			managed["zulip_user_role"][unquote(resource.Values["id"])] = true
		}
	}
	for _, child := range m.Children {
		child.addTo(managed)
	}
}

func unquote(text json.RawMessage) string {
	var plain string
	if json.Unmarshal(text, &plain) == nil {
		return plain
	}
	return string(text)
}

// Print writes what was exported, for people.
func (r *Result) Print(w io.Writer, folder string) {
	total := 0
	for _, count := range r.Counts {
		total += count
	}
	if len(r.Files) == 0 {
		_, _ = fmt.Fprintln(w, "Nothing is new: what was given as state has everything that is selected. Nothing was written.")
		return
	}
	_, _ = fmt.Fprintf(w, "Wrote %s into %s in %s.\n", counted(total, "resource"), counted(len(r.Files), "file"), folder)
	for _, address := range r.New {
		_, _ = fmt.Fprintln(w, "  "+address)
	}
	_, _ = fmt.Fprintf(w, "EXPORT.md there says what was left out, and how to go on.\n")
}
