package export

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// manifestName is the record of an export: the names it has given, and the files it wrote.
const manifestName = "export.json"

// manifest is the content of that file.
type manifest struct {
	About string `json:"about"`
	*names
	// Selected is the selection of the export.
	Selected selected `json:"selected"`
	// Written are the SHA-256 of the files by name, to detect later changes.
	Written map[string]string `json:"written"`
}

// folder is the target of an export. Every file in it is read, written and removed through root. No name or symbolic
// link leads out of root, because an attacker may have written the names of an earlier export and the links.
type folder struct {
	path     string
	root     *os.Root // nil as long as the folder does not exist
	names    *names
	written  map[string]string
	selected selected
}

// openFolder checks the folder before anything is read, so that mistakes are reported early. managed are the objects
// of the given states. The caller closes the folder.
func openFolder(options Options, managed managed) (*folder, error) {
	f := &folder{path: options.Folder, names: newNames(), written: map[string]string{}, selected: selectedBy(options)}
	if err := checkWritable(f.path); err != nil {
		return nil, err
	}
	if err := f.open(); err != nil {
		return nil, err
	}
	if err := f.checkEarlier(managed); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// open opens the folder if it exists.
func (f *folder) open() error {
	root, err := os.OpenRoot(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot use the folder: %w", err)
	}
	f.root = root
	return nil
}

func (f *folder) close() {
	if f.root != nil {
		_ = f.root.Close() // everything was written
	}
}

// checkEarlier reads the record of an earlier export.
func (f *folder) checkEarlier(managed managed) error {
	if f.root == nil {
		return nil
	}
	earlier, err := f.readManifest()
	if err != nil {
		return err
	}
	if earlier != nil {
		if err := f.checkKeeps(earlier, managed); err != nil {
			return err
		}
		f.names, f.written = earlier.names, earlier.Written
	}
	return f.checkForeign()
}

// configurationEndings are the extensions of files from which Terraform loads configuration.
var configurationEndings = []string{".tf", ".tf.json", ".tofu", ".tofu.json"}

func isConfiguration(name string) bool {
	return slices.ContainsFunc(configurationEndings, func(ending string) bool { return strings.HasSuffix(name, ending) })
}

// checkForeign refuses a folder with configuration that no export has written, because it may have the same resources.
func (f *folder) checkForeign() error {
	if f.selected.New {
		return nil
	}
	entries, err := fs.ReadDir(f.root.FS(), ".")
	if err != nil {
		return fmt.Errorf("cannot use the folder: %w", err)
	}
	var foreign []string
	for _, entry := range entries {
		if name := entry.Name(); isConfiguration(name) && f.written[name] == "" {
			foreign = append(foreign, name)
		}
	}
	if len(foreign) > 0 {
		return fmt.Errorf("%s has configuration that no export wrote: %s. Export into another folder, or export only new objects with --new",
			f.path, strings.Join(foreign, ", "))
	}
	return nil
}

// read returns the content of a file; [fs.ErrNotExist] if there is none.
func (f *folder) read(name string) ([]byte, error) {
	info, err := f.root.Stat(name)
	if err != nil {
		return nil, f.explain(name, err)
	}
	if !info.Mode().IsRegular() { // reading a pipe would wait forever
		return nil, fmt.Errorf("%s in %s is not a file. Nothing was changed. Move it away, or export into another folder", name, f.path)
	}
	content, err := f.root.ReadFile(name)
	return content, f.explain(name, err)
}

// explain names the symbolic link that leads out of the folder, if a file cannot be used because of one.
func (f *folder) explain(name string, err error) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for at := name; at != "."; at = path.Dir(at) {
		if info, problem := f.root.Lstat(at); problem == nil && info.Mode()&fs.ModeSymlink != 0 {
			return fmt.Errorf("cannot use %s in %s, because %s is a symbolic link: %w. Nothing was changed. Remove the link, or export into another folder", name, f.path, at, err)
		}
	}
	return fmt.Errorf("cannot use %s in %s: %w", name, f.path, err)
}

// ignoreName is the name of the file that keeps Terraform's own files out of a repository, and ignoreFile its content. An
// export writes it once.
const (
	ignoreName = ".gitignore"
	ignoreFile = "# A state and a saved plan contain names, emails and messages.\n.terraform/\n*.tfstate\n*.tfstate.*\n*.tfplan\nplan.json\nstate.json\n"
)

// has reports whether the folder has a file.
func (f *folder) has(name string) bool {
	if f.root == nil {
		return false
	}
	_, err := f.root.Lstat(name)
	return err == nil
}

// write replaces the files of the last export. It refuses to overwrite files that were changed since, or that no
// export has written. It writes temporary files first, so that a full disk leaves the folder unchanged. Only their
// owner can read them, because they name people and the subscribers of private channels.
func (f *folder) write(files map[string][]byte, given *names) error {
	if f.root == nil {
		if err := os.MkdirAll(f.path, 0o700); err != nil {
			return fmt.Errorf("cannot create the folder: %w", err)
		}
		if err := f.open(); err != nil {
			return err
		}
	}
	if err := f.checkChanged(files); err != nil {
		return err
	}
	temporary := temporaryName()
	if err := f.root.Mkdir(temporary, 0o700); err != nil {
		return fmt.Errorf("cannot write into the folder: %w", err)
	}
	defer f.root.RemoveAll(temporary) //nolint:errcheck // nothing of it counts
	kept := manifest{
		About: "The files and resource names of an export. Keep this file, so that the next export uses the same names.",
		names: given, Selected: f.selected,
		Written: map[string]string{},
	}
	for name, content := range files {
		if name != rulesName && name != ignoreName { // users edit them, so no later export compares, replaces or removes them
			kept.Written[name] = digest(content)
		}
	}
	text, err := json.MarshalIndent(kept, "", "  ")
	if err != nil {
		return err
	}
	files[manifestName] = append(text, '\n')
	defer delete(files, manifestName)
	for name, content := range files {
		at := path.Join(temporary, name)
		if err := errors.Join(f.root.MkdirAll(path.Dir(at), 0o700), f.root.WriteFile(at, content, 0o600)); err != nil {
			return fmt.Errorf("cannot write %s; nothing was changed: %w", name, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := errors.Join(f.root.MkdirAll(path.Dir(name), 0o700), f.root.Rename(path.Join(temporary, name), name)); err != nil {
			return fmt.Errorf("cannot create %s: %w", name, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.written)) {
		if _, still := files[name]; still {
			continue
		}
		if err := f.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot remove %s, which is no longer exported: %w", name, err)
		}
	}
	return nil
}

// temporaryName returns an unpredictable name.
func temporaryName() string { return ".export-" + rand.Text() }

// checkChanged refuses to overwrite or remove files that were written or changed by someone.
func (f *folder) checkChanged(files map[string][]byte) error {
	names := slices.Collect(maps.Keys(f.written))
	names = append(names, slices.Collect(maps.Keys(files))...)
	var changed, foreign []string
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		content, err := f.read(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		switch was, known := f.written[name]; {
		case digest(content) == digest(files[name]):
		case !known:
			foreign = append(foreign, name)
		case was != digest(content):
			changed = append(changed, name)
		}
	}
	if len(foreign) > 0 {
		return fmt.Errorf("%s has files that no export wrote: %s. Nothing was changed. Move them away, or export into another folder", f.path, strings.Join(foreign, ", "))
	}
	if len(changed) > 0 {
		return fmt.Errorf("files in %s were changed after they were exported: %s. Nothing was changed. Export into another folder and compare, or move them away", f.path, strings.Join(changed, ", "))
	}
	return nil
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// checkWritable refuses a path that is not a folder or not writable. For a folder that does not exist yet, it checks
// the nearest existing parent.
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

// readManifest reads the record of an earlier export, and returns nil if there is none. An attacker may have written
// it, so it accepts only names of resources and files that an export gives.
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
		return nil, fmt.Errorf("%s wasn't written by an export: %w. Move it away, or export into another folder", filepath.Join(f.path, manifestName), err)
	}
	return earlier, nil
}

// writtenName matches the names of files that an export writes.
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

// givenName matches the names that an export gives to files. A resource may also have letters that are not Latin.
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

// selected is the part of an export's selection that decides which resources are written.
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

// checkKeeps refuses an export that selects less than the one before. Otherwise it would remove resources from a
// configuration that may have been applied, and the next plan would destroy them.
func (f *folder) checkKeeps(earlier *manifest, managed managed) error {
	now, was := f.selected, earlier.Selected
	isNew := func(text string) bool { return !slices.Contains(was.Exclude, text) }
	var reason string
	switch {
	case now.New && !was.New, now.New && earlier.hasAny(managed):
		reason = "it has the objects of the state, which --new leaves out"
	case len(now.Only) > 0 && !slices.Equal(slices.Sorted(slices.Values(now.Only)), slices.Sorted(slices.Values(was.Only))):
		reason = "--only selects other objects than before"
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
	return fmt.Errorf("cannot export less into %s than before: %s. The next plan would destroy everything that is left out. "+
		"Export into another folder, or use the same flags as before", f.path, reason)
}

// hasAny reports whether an object was given a name that a state has.
func (n *names) hasAny(managed managed) bool {
	for kind, all := range n.Resources {
		for id := range all {
			if managed.has(kind, id) {
				return true
			}
		}
	}
	return false
}
