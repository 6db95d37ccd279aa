package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// stream matches the paths of open files of the process and of devices, which no other user can have created.
var stream = regexp.MustCompile(`^/(?:dev/(?:stdout|stderr|null|tty|fd/[0-9]+)|proc/self/fd/[0-9]+)$`)

// replaceFile writes a file that only its owner can read, because it names people or contains keys. It writes a
// temporary file and renames it, so that readers of the earlier file, or of a second name of it, see no change.
//
// A symbolic link is an error: another user might have chosen its target, and replacing it might undo the user's own choice.
func replaceFile(path string, write func(io.Writer) error) error {
	if stream.MatchString(filepath.Clean(path)) {
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(file), file.Close())
	}
	switch info, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%s is a symbolic link: name its target, or remove it", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a file. Name a file, or - for standard output", path)
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".zulip-*") // with mode 0600
	if err != nil {
		return err
	}
	if err = errors.Join(write(file), file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}
