package provider_test

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// releases has a folder for each release with what somebody has who used it: a configuration, its state, and the
// organization, as the file that the sandbox keeps it in.
const releases = "testdata/releases"

// recordRelease is the environment variable that names the folder whose main.tf is applied, and whose other files are written.
// They are written once, by the release itself, and stay as they are.
const recordRelease = "ZULIP_RECORD_RELEASE"

// TestAccSandboxReleases: with this build, configuration and state of every release plan no change, and send none.
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
			// What is computed is written as this build has it, and plans empty as well.
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
	if err := o.Sandbox.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(release, "terraform.tfstate"), []byte(w.Read(t, "terraform.tfstate")), 0o600); err != nil {
		t.Fatal(err)
	}
	zip(t, kept, filepath.Join(release, "organization.db.gz"))
}

func zip(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	compressed := gzip.NewWriter(file)
	if _, err := compressed.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := compressed.Close(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

func unzip(t *testing.T, from, to string) {
	t.Helper()
	file, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	compressed, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(compressed)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
