package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// outputs run each command with a file for each of its forms.
var outputs = map[string]func(t *testing.T, path string) error{
	"audit --markdown": func(t *testing.T, path string) error { _, err := auditRun(t, "--markdown", path); return err },
	"audit --json":     func(t *testing.T, path string) error { _, err := auditRun(t, "--json", path); return err },
	"audit --html":     func(t *testing.T, path string) error { _, err := auditRun(t, "--html", path); return err },
	"review --markdown": func(t *testing.T, path string) error {
		_, _, err := reviewRun(t, "membership", "--markdown", path)
		return err
	},
	"review --json": func(t *testing.T, path string) error {
		_, _, err := reviewRun(t, "membership", "--json", path)
		return err
	},
	"review --html": func(t *testing.T, path string) error {
		_, _, err := reviewRun(t, "membership", "--html", path)
		return err
	},
	"sandbox --credentials": credentialsRun,
}

// credentialsRun writes the credentials of a sandbox.
func credentialsRun(t *testing.T, path string) error {
	t.Helper()
	server, err := sandbox.New(sandbox.Config{})
	acctest.NoError(t, err)
	defer func() { _ = server.Close() }()
	return writeCredentials(path, server)
}

// Only the owner can read the written files, even if an existing file was readable by others or had a second name. No
// other file is left in the folder.
func TestFiles_Written_OwnerOnly(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	for command, run := range outputs {
		folder := t.TempDir()
		path, second := filepath.Join(folder, "file"), filepath.Join(folder, "second")
		acctest.NoError(t, os.WriteFile(path, []byte("before"), 0o644))
		acctest.NoError(t, os.Link(path, second))
		if err := run(t, path); err != nil {
			t.Errorf("%s: %v", command, err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != ownerOnly || info.Size() < 100 {
			t.Errorf("%s: the mode of the file is %v, %v", command, info.Mode(), err)
		}
		if content, err := os.ReadFile(second); err != nil || string(content) != "before" {
			t.Errorf("%s: under its second name the file holds %.20q, %v", command, content, err)
		}
		if names := namesIn(t, folder); !slices.Equal(names, []string{"file", "second"}) {
			t.Errorf("%s: in the folder there are %q", command, names)
		}
	}
}

// Another user may have created a symbolic link, so neither its target nor the link is written.
func TestFiles_SymbolicLink_Refused(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	for command, run := range outputs {
		folder := t.TempDir()
		target, path := filepath.Join(folder, "target"), filepath.Join(folder, "file")
		for _, there := range []bool{false, true} {
			if there {
				write(t, target, "before")
			} else if err := os.Symlink("target", path); err != nil {
				t.Fatal(err)
			}
			if err := run(t, path); err == nil || !strings.Contains(err.Error(), path+" is a symbolic link") {
				t.Errorf("%s: the error is %v", command, err)
			}
			if to, err := os.Readlink(path); err != nil || to != "target" {
				t.Errorf("%s: the link leads to %q, %v", command, to, err)
			}
			if content, err := os.ReadFile(target); there && string(content) != "before" || !there && err == nil {
				t.Errorf("%s: where the link leads there is %.20q, %v", command, content, err)
			}
		}
	}
}

// A failed write leaves the file unchanged.
func TestReplaceFile_Failure_Unchanged(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "file")
	write(t, path, "before")
	full := errors.New("full")
	err := replaceFile(path, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half")
		return full
	})
	if content, _ := os.ReadFile(path); !errors.Is(err, full) || string(content) != "before" {
		t.Errorf("%v, and the file holds %q", err, content)
	}
	if names := namesIn(t, folder); !slices.Equal(names, []string{"file"}) {
		t.Errorf("in the folder there are %q", names)
	}
	if err := replaceFile(folder, func(io.Writer) error { return nil }); err == nil || !strings.Contains(err.Error(), folder+" is not a file") {
		t.Errorf("of a folder the error is %v", err)
	}
}

// A shell passes a pipe as a file: review --json >(jq .).
func TestReplaceFile_Pipe_Written(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // the shell has none
	}
	out, in, err := os.Pipe()
	acctest.NoError(t, err)
	if err := replaceFile("/dev/fd/"+strconv.Itoa(int(in.Fd())), func(w io.Writer) error {
		_, err := io.WriteString(w, "text")
		return err
	}); err != nil {
		t.Error(err)
	}
	_ = in.Close()
	if got, err := io.ReadAll(out); err != nil || string(got) != "text" {
		t.Errorf("the pipe has %q, %v", got, err)
	}
}

func namesIn(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	acctest.NoError(t, err)
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}
