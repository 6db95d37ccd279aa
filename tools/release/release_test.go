package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp/packet"
)

const testVersion = "1.2.3"

// A fixture is a release of this platform in a folder of its own, which a test damages.
type fixture struct {
	*release
	t   *testing.T
	key *keyPair
}

// newFixture makes a release without a fault, with a plugin built with these flags of the linker.
func newFixture(t *testing.T, ldflags string) *fixture {
	t.Helper()
	dir, source := t.TempDir(), t.TempDir()
	f := &fixture{t: t, key: testKey("project"), release: &release{
		dir: dir, version: testVersion, source: source, key: filepath.Join(source, "release-key.asc"), platforms: []platform{thisPlatform()},
	}}
	f.writeFile(f.release.key, f.key.public)
	f.writeFile(filepath.Join(source, "docs", "index.md"), "# A page\n")
	f.write(f.manifest(), `{"version": 1, "metadata": {"protocol_versions": ["6.0"]}}`)
	f.pack(testPlugin(t, ldflags), f.binary(thisPlatform()))
	f.describe()
	f.sign()
	return f
}

func (f *fixture) check(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) writeFile(file, content string) {
	f.t.Helper()
	f.check(os.MkdirAll(filepath.Dir(file), 0o755))
	f.check(os.WriteFile(file, []byte(content), 0o644))
}

// write replaces a file of the release.
func (f *fixture) write(name, content string) {
	f.t.Helper()
	f.writeFile(f.path(name), content)
}

func (f *fixture) read(name string) string {
	f.t.Helper()
	content, err := os.ReadFile(f.path(name))
	f.check(err)
	return string(content)
}

// theArchive is the archive of this platform.
func (f *fixture) theArchive() string { return f.archive(thisPlatform()) }

// pack makes the archive of this platform of a plugin, under a name.
func (f *fixture) pack(plugin, name string) {
	f.t.Helper()
	renamed := filepath.Join(f.t.TempDir(), name)
	content, err := os.ReadFile(plugin)
	f.check(err)
	f.check(os.WriteFile(renamed, content, 0o755))
	f.check(zipFile(f.path(f.theArchive()), renamed, time.Unix(0, 0)))
}

// describe makes the SBOM of the archive.
func (f *fixture) describe() {
	f.t.Helper()
	archive := f.path(f.theArchive())
	f.check(writeSBOM(archive, archive+sbomSuffix, f.version, time.Unix(0, 0)))
}

// sign makes the sums of these files, by default those of a release, and signs them.
func (f *fixture) sign(names ...string) {
	f.t.Helper()
	if names == nil {
		names = f.summed()
	}
	var files []string
	for _, name := range names {
		files = append(files, f.path(name))
	}
	f.check(writeSums(f.path(f.sums()), files...))
	f.signSums()
}

// signSums signs the sums as they are.
func (f *fixture) signSums() {
	f.t.Helper()
	f.check(sign(f.path(f.sums()), f.path(f.signature()), f.key.private, ""))
}

// fails reports unless some problem of the release says all of this.
func (f *fixture) fails(words ...string) {
	f.t.Helper()
	problems := f.verify()
	for _, p := range problems {
		if containsAll(p.String(), words) {
			return
		}
	}
	f.t.Errorf("no problem says %q; there are %d:\n%v", words, len(problems), problems)
}

// failsOnlyBy reports unless there is exactly one problem, and it says all of this.
func (f *fixture) failsOnlyBy(words ...string) {
	f.t.Helper()
	if problems := f.verify(); len(problems) != 1 {
		f.t.Errorf("there are %d problems, not 1:\n%v", len(problems), problems)
	}
	f.fails(words...)
}

func containsAll(text string, words []string) bool {
	for _, word := range words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// Keys take a second each to make, so that tests share them.
var testKeys sync.Map

// testKey returns the RSA key of a name; "curve" is an elliptic curve, and "short" too short.
func testKey(name string) *keyPair {
	config := &packet.Config{Algorithm: packet.PubKeyAlgoRSA, RSABits: rsaBits}
	switch name {
	case "curve":
		config = &packet.Config{Algorithm: packet.PubKeyAlgoEdDSA}
	case "short":
		config.RSABits = 2048
	}
	made, _ := testKeys.LoadOrStore(name, sync.OnceValue(func() *keyPair {
		key, err := newKey(config)
		if err != nil {
			panic(err)
		}
		return key
	}))
	return made.(func() *keyPair)()
}

// testPlugins has a plugin for each flags of the linker, built once.
var testPlugins sync.Map

// testPlugin returns testdata/plugin, built with these flags of the linker beside the version.
func testPlugin(t *testing.T, ldflags string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "plugin")
	if content, ok := testPlugins.Load(ldflags); ok {
		if err := os.WriteFile(file, content.([]byte), 0o755); err != nil {
			t.Fatal(err)
		}
		return file
	}
	command := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", file, "-ldflags", "-s -w -X main.version="+testVersion+" "+ldflags, "./testdata/plugin")
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	testPlugins.Store(ldflags, content)
	return file
}
