package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ProtonMail/go-crypto/openpgp"
)

// packSource makes a folder with the configuration and the manifest of this project, and a plugin of a few lines.
func packSource(t *testing.T) string {
	t.Helper()
	source := t.TempDir()
	manifest, err := os.ReadFile(filepath.Join("..", "..", "terraform-registry-manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	plugin, err := os.ReadFile(filepath.Join("testdata", "plugin", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	// Without its dependency, which this module does not have.
	code := strings.NewReplacer("\n\t\"gopkg.in/yaml.v3\"\n", "", "_, _ = yaml.Marshal(version)", "").Replace(string(plugin))
	for name, content := range map[string]string{
		configurationFile:                  theConfiguration(t),
		"terraform-registry-manifest.json": string(manifest),
		"main.go":                          code,
		"go.mod":                           "module example.com/terraform-provider-zulip\n\ngo 1.26.0\n",
		"docs/index.md":                    "# A page\n",
		"release-key.asc":                  testKey("project").public,
	} {
		file := filepath.Join(source, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return source
}

func newPacking(t *testing.T) *packing {
	return &packing{source: packSource(t), dir: t.TempDir(), version: testVersion, platform: thisPlatform(), private: testKey("project").private}
}

func (p *packing) verify() []problem {
	r := release{dir: p.dir, version: p.version, source: p.source, key: filepath.Join(p.source, "release-key.asc"), platforms: []platform{p.platform}}
	return r.verify()
}

func TestPackMakesAReleaseWithoutFault(t *testing.T) {
	p := newPacking(t)
	if err := p.pack(); err != nil {
		t.Fatal(err)
	}
	if problems := p.verify(); len(problems) > 0 {
		t.Errorf("%v", problems)
	}
}

// TestPackFollowsTheConfiguration changes the configuration: what is packed must be wrong in the same way.
func TestPackFollowsTheConfiguration(t *testing.T) {
	p := newPacking(t)
	file := filepath.Join(p.source, configurationFile)
	wrong := strings.Replace(theConfiguration(t), "main.version={{ .Version }}", "main.version=9.9.9", 1)
	if err := os.WriteFile(file, []byte(wrong), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := p.pack(); err != nil {
		t.Fatal(err)
	}
	problems := p.verify()
	if len(problems) != 1 || !strings.Contains(problems[0].String(), "version 9.9.9") {
		t.Errorf("%v", problems)
	}
}

func TestSignRefuses(t *testing.T) {
	sums := filepath.Join(t.TempDir(), "SHA256SUMS")
	if err := os.WriteFile(sums, []byte("sums"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ private, says string }{
		"no key":          {"", "GPG_PRIVATE_KEY is empty"},
		"no armored key":  {"key", "GPG_PRIVATE_KEY has no armored key"},
		"a public key":    {testKey("project").public, "or no private one"},
		"an elliptic key": {testKey("curve").private, "is not an RSA key"},
		"a short key":     {testKey("short").private, "has 2048 bits"},
		"no passphrase":   {withPassphrase(t, testKey("project"), "secret"), "PASSPHRASE does not open the key"},
	} {
		t.Run(name, func(t *testing.T) {
			err := sign(sums, sums+".sig", test.private, "")
			if err == nil || !strings.Contains(err.Error(), test.says) || !strings.HasPrefix(err.Error(), "Cannot sign ") {
				t.Errorf("%v", err)
			}
			if _, err := os.Stat(sums + ".sig"); err == nil {
				t.Error("there is a signature")
			}
		})
	}
}

func TestSignWithAPassphrase(t *testing.T) {
	f := newFixture(t, "")
	f.check(sign(f.path(f.sums()), f.path(f.signature()), withPassphrase(t, f.key, "secret"), "secret"))
	if problems := f.verify(); len(problems) > 0 {
		t.Errorf("%v", problems)
	}
}

// withPassphrase returns a private key as gpg exports one that has a passphrase.
func withPassphrase(t *testing.T, key *keyPair, passphrase string) string {
	t.Helper()
	entity, err := signer(key.private, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := entity.EncryptPrivateKeys([]byte(passphrase), nil); err != nil {
		t.Fatal(err)
	}
	text, err := armored(openpgp.PrivateKeyType, func(w io.Writer) error { return entity.SerializePrivateWithoutSigning(w, nil) })
	if err != nil {
		t.Fatal(err)
	}
	return text
}
