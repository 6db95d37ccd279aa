package export

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// manifestName is the file that an export keeps beside what it writes: the names it has given, and what it wrote.
const manifestName = "export.json"

// manifest is the content of that file.
type manifest struct {
	About string `json:"about"`
	*names
	// Selected is what the export was asked for.
	Selected selected `json:"selected"`
	// Written are the SHA-256 of the files by name, to tell what was changed since.
	Written map[string]string `json:"written"`
}

// folder is where an export is written.
type folder struct {
	path     string
	names    *names
	written  map[string]string
	selected selected
}

// openFolder looks at the folder before anything is read, so that mistakes are said at once. managed is what the given state
// has.
func openFolder(options Options, managed managed) (*folder, error) {
	f := &folder{path: options.Folder, names: newNames(), written: map[string]string{}, selected: selectedBy(options)}
	if err := checkWritable(f.path); err != nil {
		return nil, err
	}
	earlier, err := readManifest(filepath.Join(f.path, manifestName))
	if err != nil {
		return nil, err
	}
	if earlier != nil {
		if err := f.checkKeeps(earlier, managed); err != nil {
			return nil, err
		}
		f.names, f.written = earlier.names, earlier.Written
	}
	if err := f.checkForeign(); err != nil {
		return nil, err
	}
	return f, nil
}

// checkForeign refuses a folder with configuration that no export has written: it may have the same resources.
func (f *folder) checkForeign() error {
	entries, err := os.ReadDir(f.path)
	if errors.Is(err, fs.ErrNotExist) || f.selected.New {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot use the folder: %w", err)
	}
	var foreign []string
	for _, entry := range entries {
		if name := entry.Name(); filepath.Ext(name) == ".tf" && f.written[name] == "" {
			foreign = append(foreign, name)
		}
	}
	if len(foreign) > 0 {
		return fmt.Errorf("%s has configuration that no export has written: %s. Export into another folder, or with --new only what its state does not have",
			f.path, strings.Join(foreign, ", "))
	}
	return nil
}

// write puts the files in place of those of the last export. It refuses to overwrite what was changed since, and what no
// export has written. All files are written beside first, so that a full disk leaves the folder as it was.
func (f *folder) write(files map[string][]byte, given *names) error {
	if err := f.checkChanged(files); err != nil {
		return err
	}
	if err := makeFolder(f.path); err != nil {
		return fmt.Errorf("cannot make the folder: %w", err)
	}
	beside, err := os.MkdirTemp(f.path, ".export-")
	if err != nil {
		return fmt.Errorf("cannot write into the folder: %w", err)
	}
	defer os.RemoveAll(beside) //nolint:errcheck // nothing of it counts
	kept := manifest{
		About: "What an export wrote, and the names it has given: keep it beside, so that the next export gives the same ones.",
		names: given, Selected: f.selected,
		Written: map[string]string{},
	}
	for name, content := range files {
		kept.Written[name] = digest(content)
	}
	text, err := json.MarshalIndent(kept, "", "  ")
	if err != nil {
		return err
	}
	files[manifestName] = append(text, '\n')
	defer delete(files, manifestName)
	for name, content := range files {
		at := filepath.Join(beside, name)
		if err := errors.Join(makeFolder(filepath.Dir(at)), os.WriteFile(at, content, 0o644)); err != nil { //nolint:gosec // nothing in it is secret
			return fmt.Errorf("cannot write %s; nothing was changed: %w", name, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		at := filepath.Join(f.path, name)
		if err := errors.Join(makeFolder(filepath.Dir(at)), os.Rename(filepath.Join(beside, name), at)); err != nil {
			return fmt.Errorf("cannot put %s in place: %w", name, err)
		}
	}
	for name := range f.written {
		if _, still := files[name]; !still {
			_ = os.Remove(filepath.Join(f.path, name)) // it may be gone already
		}
	}
	return nil
}

// checkChanged refuses to overwrite or remove what somebody has written or changed.
func (f *folder) checkChanged(files map[string][]byte) error {
	names := slices.Collect(maps.Keys(f.written))
	names = append(names, slices.Collect(maps.Keys(files))...)
	var changed, foreign []string
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		content, err := os.ReadFile(filepath.Join(f.path, name))
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
		return fmt.Errorf("%s has files that no export has written: %s. Nothing was changed. Move them away, or export into another folder", f.path, strings.Join(foreign, ", "))
	}
	if len(changed) > 0 {
		return fmt.Errorf("files in %s were changed since they were exported: %s. Nothing was changed. Export into another folder and compare, or move them away", f.path, strings.Join(changed, ", "))
	}
	return nil
}

// makeFolder makes a folder that others may read, as configuration usually is.
func makeFolder(path string) error {
	return os.MkdirAll(path, 0o755) //nolint:gosec // nothing in it is secret
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
