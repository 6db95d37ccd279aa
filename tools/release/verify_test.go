package main

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
)

func TestReleaseWithoutFault(t *testing.T) {
	if problems := newFixture(t, "").verify(); len(problems) > 0 {
		t.Errorf("%v", problems)
	}
}

func TestReleaseWithAWrongArchiveName(t *testing.T) {
	f := newFixture(t, "")
	wrong := strings.Replace(f.theArchive(), "_1.2.3_", "_v1.2.3_", 1)
	f.check(os.Rename(f.path(f.theArchive()), f.path(wrong)))
	f.sign(f.manifest(), wrong)
	f.fails(wrong, "no file of version 1.2.3 has this name")
	f.fails(f.theArchive(), "is missing")
	f.fails(f.sums(), wrong+" is listed")
}

func TestReleaseWithAWrongNameInTheArchive(t *testing.T) {
	f := newFixture(t, "")
	f.pack(testPlugin(t, ""), "terraform-provider-zulip_1.2.3")
	f.describe()
	f.sign()
	f.failsOnlyBy(f.theArchive(), `it contains ["terraform-provider-zulip_1.2.3"]`, `must contain "terraform-provider-zulip_v1.2.3`)
}

func TestReleaseWithASecondFileInTheArchive(t *testing.T) {
	f := newFixture(t, "")
	var out bytes.Buffer
	writer := zip.NewWriter(&out)
	for _, name := range []string{f.binary(thisPlatform()), "README.md"} {
		_, err := writer.Create(name)
		f.check(err)
	}
	f.check(writer.Close())
	f.write(f.theArchive(), out.String())
	f.sign()
	f.failsOnlyBy(f.theArchive(), "README.md", "alone")
}

func TestReleaseWithATruncatedArchive(t *testing.T) {
	f := newFixture(t, "")
	whole := f.read(f.theArchive())
	f.write(f.theArchive(), whole[:len(whole)/2])
	f.sign()
	f.failsOnlyBy(f.theArchive(), "not a whole zip archive")
}

func TestReleaseWithAnotherPlatformInTheArchive(t *testing.T) {
	f := newFixture(t, "")
	other := platform{"plan9", "386"}
	f.platforms = append(f.platforms, other)
	for _, suffix := range []string{"", sbomSuffix} {
		f.write(f.archive(other)+suffix, f.read(f.theArchive()+suffix))
	}
	f.sign()
	f.failsOnlyBy(f.archive(other), "built for "+thisPlatform().String())
}

func TestReleaseWithAPluginThatMayNotBeExecuted(t *testing.T) {
	f := newFixture(t, "")
	content, err := os.ReadFile(testPlugin(t, ""))
	f.check(err)
	var out bytes.Buffer
	writer := zip.NewWriter(&out)
	entry, err := writer.Create(f.binary(thisPlatform()))
	f.check(err)
	_, err = entry.Write(content)
	f.check(err)
	f.check(writer.Close())
	f.write(f.theArchive(), out.String())
	f.describe()
	f.sign()
	f.failsOnlyBy(f.theArchive(), "may not be executed")
}

func TestReleaseWithoutAPlatform(t *testing.T) {
	f := newFixture(t, "")
	f.platforms = append(f.platforms, platform{"plan9", "386"})
	f.fails("terraform-provider-zulip_1.2.3_plan9_386.zip", "is missing")
}

func TestReleaseWithoutTheManifestInTheSums(t *testing.T) {
	f := newFixture(t, "")
	f.sign(f.theArchive())
	f.failsOnlyBy(f.sums(), f.manifest()+" is not listed", "checksum")
}

func TestReleaseWithAnSBOMInTheSums(t *testing.T) {
	f := newFixture(t, "")
	f.sign(f.theArchive(), f.manifest(), f.theArchive()+sbomSuffix)
	f.failsOnlyBy(f.sums(), sbomSuffix+" is listed, and is neither an archive nor the manifest", "checksum.ids")
}

func TestReleaseWithAWrongSum(t *testing.T) {
	f := newFixture(t, "")
	sum, _ := sha256Of(f.path(f.theArchive()))
	f.write(f.sums(), strings.Replace(f.read(f.sums()), sum, strings.Repeat("0", 64), 1))
	f.signSums()
	f.failsOnlyBy(f.theArchive(), "its sum is "+sum, strings.Repeat("0", 64))
}

func TestReleaseWithALineThatIsNoSum(t *testing.T) {
	f := newFixture(t, "")
	f.write(f.sums(), f.read(f.sums())+"sums of a release\n")
	f.signSums()
	f.failsOnlyBy(f.sums(), `the line "sums of a release" is not a sum`)
}

func TestReleaseWithAFileListedTwice(t *testing.T) {
	f := newFixture(t, "")
	f.sign(f.theArchive(), f.manifest(), f.manifest())
	f.failsOnlyBy(f.sums(), f.manifest()+" is listed twice")
}

func TestReleaseWithAnArmoredSignature(t *testing.T) {
	f := newFixture(t, "")
	var out bytes.Buffer
	writer, err := armor.Encode(&out, openpgp.SignatureType, nil)
	f.check(err)
	_, err = writer.Write([]byte(f.read(f.signature())))
	f.check(err)
	f.check(writer.Close())
	f.write(f.signature(), out.String())
	f.failsOnlyBy(f.signature(), "it is armored")
}

func TestReleaseSignedByAnotherKey(t *testing.T) {
	f := newFixture(t, "")
	f.key = testKey("another")
	f.signSums()
	f.failsOnlyBy(f.signature(), "which is not in "+f.release.key)
}

// TestReleaseSignedByARefusedKey has the signature and the public key of a key that sign would refuse.
func TestReleaseSignedByARefusedKey(t *testing.T) {
	for name, says := range map[string]string{"curve": "is not an RSA key", "short": "has 2048 bits"} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, "")
			f.writeFile(f.release.key, testKey(name).public)
			entity, err := signer(testKey(name).private, "")
			f.check(err)
			var out bytes.Buffer
			f.check(openpgp.DetachSign(&out, entity, strings.NewReader(f.read(f.sums())), nil))
			f.write(f.signature(), out.String())
			f.failsOnlyBy(f.signature(), says)
		})
	}
}

func TestReleaseWithSumsChangedAfterTheSignature(t *testing.T) {
	f := newFixture(t, "")
	signature := f.read(f.signature())
	f.sign(f.theArchive(), f.manifest())
	f.write(f.signature(), signature)
	f.failsOnlyBy(f.signature(), "not a valid signature over "+f.sums())
}

func TestReleaseWithoutAPublicKey(t *testing.T) {
	f := newFixture(t, "")
	f.check(os.Remove(f.release.key))
	f.failsOnlyBy(f.release.key, "no public key", "Commit the armored public key")
}

func TestReleaseWithOtherProtocolsInTheManifest(t *testing.T) {
	for _, versions := range []string{`["5.0"]`, `["5.0", "6.0"]`, `["6"]`, `[]`} {
		t.Run(versions, func(t *testing.T) {
			f := newFixture(t, "")
			f.write(f.manifest(), `{"version": 1, "metadata": {"protocol_versions": `+versions+`}}`)
			f.sign()
			f.failsOnlyBy(f.manifest(), "protocol_versions", "the plugin serves 6", `["6.0"]`)
		})
	}
}

func TestReleaseOfAPluginThatServesAnotherProtocol(t *testing.T) {
	newFixture(t, "-X main.protocol=5").failsOnlyBy("manifest", "the plugin serves 5")
}

func TestReleaseOfAPluginThatPrintsAnotherVersion(t *testing.T) {
	newFixture(t, "-X main.version=1.2.4").failsOnlyBy("zip", `prints "terraform-provider-zulip version 1.2.4"`, "1.2.3", "builds.ldflags")
}

func TestReleaseWithTooLargeAPage(t *testing.T) {
	f := newFixture(t, "")
	f.writeFile(filepath.Join(f.source, "docs", "resources", "channel.md"), strings.Repeat("a", 500_000))
	f.failsOnlyBy(filepath.Join("resources", "channel.md"), "it has 500000 bytes")
}

func TestReleaseWithTooManyPages(t *testing.T) {
	f := newFixture(t, "")
	for i := range pageCount {
		f.writeFile(filepath.Join(f.source, "docs", "resources", strconv.Itoa(i)+".md"), "")
	}
	f.failsOnlyBy("docs", "2001 pages")
}

func TestReleaseWithoutAnSBOM(t *testing.T) {
	f := newFixture(t, "")
	f.check(os.Remove(f.path(f.theArchive() + sbomSuffix)))
	f.failsOnlyBy(f.theArchive()+sbomSuffix, "is missing")
}

func TestReleaseWithTheSBOMOfAnotherArchive(t *testing.T) {
	f := newFixture(t, "")
	sbom := f.read(f.theArchive() + sbomSuffix)
	f.pack(testPlugin(t, "-X main.unused=1 -buildid=another"), f.binary(thisPlatform()))
	f.sign()
	if f.describe(); sbom == f.read(f.theArchive()+sbomSuffix) {
		t.Fatal("the two archives are the same")
	}
	f.write(f.theArchive()+sbomSuffix, sbom)
	f.failsOnlyBy(f.theArchive()+sbomSuffix, "with the sum of "+f.theArchive())
}

func TestReleaseWithAnSBOMThatLacksAModule(t *testing.T) {
	f := newFixture(t, "")
	name := f.theArchive() + sbomSuffix
	f.write(name, strings.ReplaceAll(f.read(name), "gopkg.in/yaml.v3", "example.com/other"))
	f.failsOnlyBy(name, "gopkg.in/yaml.v3", "is missing in it")
}

func TestReleaseWithAnUnknownFile(t *testing.T) {
	f := newFixture(t, "")
	f.write("metadata.json", "{}")
	f.failsOnlyBy("metadata.json", "no file of version 1.2.3 has this name")
}

func TestProblemHasObjectCauseAndNextStep(t *testing.T) {
	got := problem{"dist", "it is empty", "Build it"}.String()
	if want := "Cannot release dist: it is empty. Build it."; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}

func TestSBOMIsTheSameForTheSameArchive(t *testing.T) {
	f := newFixture(t, "")
	first := f.read(f.theArchive() + sbomSuffix)
	f.describe()
	if first != f.read(f.theArchive()+sbomSuffix) {
		t.Error("writing it twice gives two texts")
	}
}
