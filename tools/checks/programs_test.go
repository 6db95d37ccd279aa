package checks

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// programs is a folder with what tests build and install, once for all of them.
var programs string

func TestMain(m *testing.M) {
	var err error
	if programs, err = os.MkdirTemp("", "checks"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := m.Run()
	_ = os.RemoveAll(programs)
	os.Exit(status)
}

// once makes a file or folder of a name when it is first asked for, and returns its path.
func once(t *testing.T, name string, makeIt func(path string) error) string {
	t.Helper()
	made, _ := makers.LoadOrStore(name, &maker{})
	one := made.(*maker)
	path := filepath.Join(programs, name)
	one.Do(func() { one.err = makeIt(path) })
	if one.err != nil {
		t.Fatalf("%s: %v", name, one.err)
	}
	return path
}

// makers have what once makes, by name.
var makers sync.Map

type maker struct {
	sync.Once
	err error
}

// program puts a program into a folder of a test. It is built by "go build" with arguments.
func program(t *testing.T, folder, name string, args ...string) string {
	t.Helper()
	built := once(t, strings.NewReplacer("/", "-", " ", "-").Replace(name+strings.Join(args, "")), func(path string) error {
		build := exec.Command("go", append([]string{"build"}, append(args[:len(args)-1:len(args)-1], "-o", path, args[len(args)-1])...)...)
		out, err := build.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
		return nil
	})
	path := filepath.Join(folder, name)
	if err := os.Symlink(built, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// command puts the provider's command into a folder.
func command(t *testing.T, folder string) string {
	t.Helper()
	return program(t, folder, "terraform-provider-zulip", "-C", absolute(t, "../.."), ".")
}

// install installs the provider as version 1.0.0 in the home of an environment.
func install(t *testing.T, environment []string) {
	t.Helper()
	home := once(t, "home", func(path string) error {
		script := exec.Command(absolute(t, "../scripts/install"), "1.0.0")
		script.Env = append(environment[:len(environment):len(environment)], "HOME="+path)
		out, err := script.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
		return nil
	})
	if err := os.Symlink(filepath.Join(home, ".terraform.d"), filepath.Join(variableOf(environment, "HOME"), ".terraform.d")); err != nil {
		t.Fatal(err)
	}
}
