package export

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// checkWritable refuses a path that is no folder, or in which nothing can be written. Of a folder that does not exist yet, the
// nearest one above counts.
func checkWritable(path string) error {
	if path == "" {
		return errors.New("the folder has no name")
	}
	at := filepath.Clean(path)
	info, err := os.Stat(at)
	for errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		if filepath.Dir(at) == at {
			break
		}
		at = filepath.Dir(at)
		info, err = os.Stat(at)
	}
	switch {
	case err != nil:
		return fmt.Errorf("cannot use the folder: %w", err)
	case !info.IsDir():
		return fmt.Errorf("%s is a file. Name a folder, or one that does not exist yet", at)
	}
	root, err := os.OpenRoot(at)
	if err != nil {
		return fmt.Errorf("cannot use the folder: %w", err)
	}
	defer root.Close() //nolint:errcheck // nothing is written
	probe := temporaryName()
	if err := root.Mkdir(probe, 0o700); err != nil {
		return fmt.Errorf("cannot write into the folder: %w", err)
	}
	return root.Remove(probe)
}

// readManifest reads what an earlier export has written; nil if there was none. The folder may come from somebody else: what no
// export calls anything is no name, neither of a resource nor of a file.
func (f *folder) readManifest() (*manifest, error) {
	text, err := f.read(manifestName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the names of an earlier export: %w", err)
	}
	earlier := &manifest{names: newNames()}
	if err = json.Unmarshal(text, earlier); err == nil {
		err = earlier.check()
	}
	if err != nil {
		return nil, fmt.Errorf("%s is not what an export has written: %w. Move it away, or export into another folder", filepath.Join(f.path, manifestName), err)
	}
	return earlier, nil
}

// writtenName is what an export calls the files that it writes.
var writtenName = regexp.MustCompile(`^(?:EXPORT\.md|[a-z][a-z0-9_-]*\.tf|` + imageFolder + `/` + imageName + `\.(?:` + strings.Join(imageEndings, "|") + `)|` + pictureFolder + `/(?:icon|logo|night_logo)\.png)$`)

// check refuses names that are none.
func (m *manifest) check() error {
	for _, name := range slices.Sorted(maps.Keys(m.Written)) {
		if !writtenName.MatchString(name) {
			return fmt.Errorf("no export writes a file %q", name)
		}
	}
	return m.names.check()
}

// givenName is what an export calls files. A resource may also have letters that are not Latin.
var givenName = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)

// check refuses names that are none.
func (n *names) check() error {
	for _, name := range n.Files {
		if !givenName.MatchString(name) {
			return fmt.Errorf("%q is no name", name)
		}
	}
	for _, all := range n.Resources {
		for _, name := range all {
			if !hclsyntax.ValidIdentifier(name) {
				return fmt.Errorf("%q is no name", name)
			}
		}
	}
	if n.Resources == nil {
		n.Resources = map[string]map[string]string{}
	}
	if n.Files == nil {
		n.Files = map[string]string{}
	}
	return nil
}

// selected is what an export was asked for, as far as it decides which resources there are.
type selected struct {
	Only        Selection `json:"only,omitempty"`
	Exclude     Selection `json:"exclude,omitempty"`
	Subscribers bool      `json:"subscribers,omitempty"`
	AllPeople   bool      `json:"all_people,omitempty"`
	PeopleAs    PeopleAs  `json:"people_as,omitempty"`
	New         bool      `json:"new,omitempty"`
}

func selectedBy(options Options) selected {
	return selected{
		Only: options.Only, Exclude: options.Exclude, Subscribers: options.Subscribers, AllPeople: options.AllPeople, PeopleAs: options.PeopleAs, New: len(options.States) > 0,
	}
}

// checkKeeps refuses an export that selects less than the one before: what it leaves out would be removed from a configuration
// that may have been applied, and then the next plan destroys it.
func (f *folder) checkKeeps(earlier *manifest, managed managed) error {
	now, was := f.selected, earlier.Selected
	isNew := func(text string) bool { return !slices.Contains(was.Exclude, text) }
	var reason string
	switch {
	case now.New && !was.New, now.New && earlier.hasAny(managed):
		reason = "it has what the state has, which --new leaves out"
	case len(now.Only) > 0 && !slices.Equal(slices.Sorted(slices.Values(now.Only)), slices.Sorted(slices.Values(was.Only))):
		reason = "--only selects something else than before"
	case slices.ContainsFunc(now.Exclude, isNew):
		reason = "--exclude leaves out more than before"
	case was.Subscribers && !now.Subscribers:
		reason = "--subscribers was set before"
	case was.AllPeople && !now.AllPeople:
		reason = "--people was all before"
	case was.PeopleAs.orDefault() != now.PeopleAs.orDefault():
		reason = fmt.Sprintf("--people-as was %s before", was.PeopleAs.orDefault())
	default:
		return nil
	}
	return fmt.Errorf("cannot export less into %s than before: %s. What is left out would disappear from the configuration, and the next plan would destroy it. "+
		"Export into another folder, or with the flags of before", f.path, reason)
}

// hasAny reports whether an object was given a name that a state has.
func (n *names) hasAny(managed managed) bool {
	for kind, all := range n.Resources {
		for id := range all {
			if managed[kind][id] {
				return true
			}
		}
	}
	return false
}
