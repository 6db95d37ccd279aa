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

// stream is what leads to a file that the process has open already, or to a device: no one else can have made it.
var stream = regexp.MustCompile(`^/(?:dev/(?:stdout|stderr|null|tty|fd/[0-9]+)|proc/self/fd/[0-9]+)$`)

// replaceFile writes a file that its owner alone can read, whatever was there before: what the commands write names people, or
// holds keys. It is written beside and then renamed, so that no one reads half of it, and no one who has the earlier file open
// or under a second name reads any.
//
// A symbolic link is an error: where it leads may be someone else's choice, and to replace it would be to undo what may be
// the user's own.
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
