package provider_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// releases has a folder for each release with the files of a user of that release: a configuration, its state, and
// the organization, as the file of the sandbox.
const releases = "testdata/releases"

// recordRelease is the environment variable that names the folder whose main.tf is applied, and whose other files are written.
// They are written once, by the release itself, and stay as they are.
const recordRelease = "ZULIP_RECORD_RELEASE"

// With this build, the configuration and state of every release plan no change, and send none.
func TestAccSandboxReleases(t *testing.T) {
	folders, err := os.ReadDir(releases)
	if err != nil || len(folders) == 0 {
		t.Fatalf("no release to test with: %v", err)
	}
	for _, folder := range folders {
		t.Run(folder.Name(), func(t *testing.T) {
			release := filepath.Join(releases, folder.Name())
			if os.Getenv(recordRelease) == folder.Name() {
				record(t, release)
			}
			kept := filepath.Join(t.TempDir(), "organization.db")
			unzip(t, filepath.Join(release, "organization.db.gz"), kept)
			o := acctest.StartSandbox(t, sandbox.Config{StatePath: kept, FeatureLevel: levelOfReleases})
			w := acctest.NewWorkspace(t)
			w.Copy(t, release)
			if len(w.Addresses(t)) < 30 {
				t.Fatalf("the state has only %q", w.Addresses(t))
			}

			sent := o.Sent()
			w.Must(t, "plan", "-detailed-exitcode")
			sent.Expect(t)
			// Computed attributes are written as this build has them, and the plan is empty as well.
			w.Must(t, "apply", "-refresh-only", "-auto-approve")
			w.Must(t, "plan", "-detailed-exitcode")
			sent.Expect(t)
		})
	}
}

// levelOfReleases is the feature level of the organizations: the newest when the first release was made.
const levelOfReleases = 512

// record applies the configuration of a release and writes its state and its organization.
func record(t *testing.T, release string) {
	t.Helper()
	kept := filepath.Join(t.TempDir(), "organization.db")
	o := acctest.StartSandbox(t, sandbox.Config{StatePath: kept, FeatureLevel: levelOfReleases})
	w := acctest.NewWorkspace(t)
	w.Copy(t, release)
	w.Must(t, "apply", "-auto-approve")
	w.Must(t, "plan", "-detailed-exitcode")

	var types []string
	for _, address := range w.Addresses(t) {
		resource, _, _ := strings.Cut(address, ".")
		types = append(types, resource)
	}
	for _, resource := range acctest.StartProcess(t.Context(), t).Resources() {
		if !slices.Contains(types, resource) {
			t.Errorf("the configuration has no %s", resource)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
	requireNoError(t, o.Sandbox.Close())
	requireNoError(t, os.WriteFile(filepath.Join(release, "terraform.tfstate"), []byte(w.Read(t, "terraform.tfstate")), 0o600))
	zip(t, kept, filepath.Join(release, "organization.db.gz"))
}

func zip(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	requireNoError(t, err)
	file, err := os.Create(to)
	requireNoError(t, err)
	compressed := gzip.NewWriter(file)
	if _, err := compressed.Write(content); err != nil {
		t.Fatal(err)
	}
	requireNoError(t, compressed.Close())
	requireNoError(t, file.Close())
}

func unzip(t *testing.T, from, to string) {
	t.Helper()
	file, err := os.Open(from)
	requireNoError(t, err)
	defer func() { _ = file.Close() }()
	compressed, err := gzip.NewReader(file)
	requireNoError(t, err)
	content, err := io.ReadAll(compressed)
	requireNoError(t, err)
	requireNoError(t, os.WriteFile(to, content, 0o600))
}

// written returns a configuration with one of every resource.
type written struct {
	all []life
	// lifecycle is put into every block, forEach too unless it is empty.
	lifecycle string
	forEach   map[string]string // by resource: the one key
	moved     map[string]string // by resource: where it was before
}

// text writes the configuration.
func (w written) text(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	for _, l := range w.all {
		fmt.Fprintf(&text, "resource %q \"x\" {\n", l.of)
		if key := w.forEach[l.of]; key != "" {
			fmt.Fprintf(&text, "  for_each = toset([%q])\n", key)
		}
		for _, attribute := range slices.Sorted(maps.Keys(l.create)) {
			value, err := json.Marshal(l.create[attribute]) // an expression of the language, too
			requireNoError(t, err)
			fmt.Fprintf(&text, "  %s = %s\n", attribute, value)
		}
		fmt.Fprintf(&text, "  %s\n}\n", w.lifecycle)
		if from := w.moved[l.of]; from != "" {
			fmt.Fprintf(&text, "moved {\n  from = %s\n  to = %s\n}\n", from, w.address(l))
		}
	}
	return text.String()
}

// address is that of the one resource of a kind.
func (w written) address(l life) string {
	if key := w.forEach[l.of]; key != "" {
		return fmt.Sprintf("%s.x[%q]", l.of, key)
	}
	return l.of + ".x"
}

// each returns the result of a function for every resource.
func (w written) each(say func(life) string) []string {
	all := make([]string, len(w.all))
	for i, l := range w.all {
		all[i] = say(l)
	}
	return all
}

// keys gives the resources for which is returns true one key, and the others another.
func (w written) keys(is func(life) bool, key, other string) map[string]string {
	keys := map[string]string{}
	for _, l := range w.all {
		if keys[l.of] = other; is(l) {
			keys[l.of] = key
		}
	}
	return keys
}

// TestAccReplaced replaces every resource in four ways: with -replace, taint, -replace with create_before_destroy,
// and another key of for_each. One run of Terraform plans each, and another applies it. After each the plan is empty:
// nothing is lost, created twice, or left as a deposed object. The last two are refused for objects with unique
// names, and the refusal shows the fix.
func TestAccReplaced(t *testing.T) {
	trial := acctest.NewTrial(t, "", "", sandbox.Config{})
	w := written{all: lives(t, trial.Organization)}
	for i, l := range w.all {
		w.all[i].create = l.at(trial.Sandbox.FeatureLevel(), l.create)
		delete(w.all[i].create, "can_add_custom_emoji_group") // the account is to add one
	}
	// Only one picture of each kind exists, like one object of each name.
	named := append(slices.Clone(named), "zulip_organization_image")
	slices.Sort(named)
	isNamed := func(l life) bool { return slices.Contains(named, l.of) }
	unchanged := func(after string) {
		t.Helper()
		if printed, ok := trial.Run(t, "plan", "-detailed-exitcode"); !ok {
			t.Fatalf("after %s the plan is not empty:\n%s", after, printed)
		}
	}
	replace := func(how string, arguments ...string) (printed string, ok bool) {
		t.Helper()
		trial.Must(t, append([]string{"plan", "-out=" + how}, arguments...)...)
		return trial.Run(t, "apply", how)
	}
	trial.Configure(t, w.text(t))
	trial.Must(t, "apply", "-auto-approve")
	unchanged("the first apply")
	all := w.each(func(l life) string { return "-replace=" + w.address(l) })

	if printed, ok := replace("replace", all...); !ok {
		t.Fatalf("-replace failed:\n%s", printed)
	}
	unchanged("-replace")

	trial.Taint(t)
	if printed, ok := replace("taint"); !ok {
		t.Fatalf("taint failed:\n%s", printed)
	}
	unchanged("taint")

	w.lifecycle = "lifecycle { create_before_destroy = true }"
	trial.Configure(t, w.text(t))
	printed, ok := replace("before", all...)
	if ok {
		t.Fatal("create_before_destroy: two of one name were made")
	}
	if got := kindsIn(printed, `Error: .*? with (\w+)\.x,`); !slices.Equal(got, named) {
		t.Errorf("create_before_destroy: refused were %v, want %v", got, named)
	}
	unchanged("create_before_destroy")

	w.lifecycle = ""
	from := w
	w.forEach = w.keys(isNamed, "a", "a")
	w.moved = map[string]string{}
	for _, l := range w.all {
		w.moved[l.of] = from.address(l)
	}
	trial.Configure(t, w.text(t))
	trial.Must(t, "apply", "-auto-approve")
	unchanged("moved blocks")

	w.moved = nil
	w.forEach = w.keys(isNamed, "b", "a")
	trial.Configure(t, w.text(t))
	if printed, ok = trial.Run(t, "plan"); ok {
		t.Fatal("changed a key of for_each was planned for what has a name of its own")
	}
	addressed := slices.DeleteFunc(slices.Clone(named), func(of string) bool { return of == "zulip_reaction" }) // its plan reads no message
	if got := kindsIn(printed, `will be destroyed and re-created with (\w+)\.x\[`); !slices.Equal(got, addressed) {
		t.Errorf("changed a key of for_each: refused were %v, want %v", got, addressed)
	}
	w.forEach = w.keys(isNamed, "a", "b")
	trial.Configure(t, w.text(t))
	if printed, ok := replace("key"); !ok {
		t.Fatalf("changed a key of for_each failed:\n%s", printed)
	}
	unchanged("changed a key of for_each")
}

// kindsIn returns the types of resources that a pattern finds in the output of Terraform.
func kindsIn(printed, pattern string) []string {
	found := map[string]bool{}
	for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(printed, -1) {
		found[match[1]] = true
	}
	return slices.Sorted(maps.Keys(found))
}
