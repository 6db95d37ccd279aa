package main

import (
	"fmt"
	"path/filepath"
	"slices"
)

// Names of the files of a release of version 1.2.3 for linux_amd64, to compare with what the templates give.
const (
	sampleVersion  = "1.2.3"
	sampleArchive  = project + "_1.2.3_linux_amd64"
	sampleBinary   = project + "_v1.2.3"
	sampleSums     = project + "_1.2.3_SHA256SUMS"
	sampleManifest = project + "_1.2.3_manifest.json"
)

// An expectation is something that the configuration must say.
type expectation struct {
	met         bool
	field       string // of the configuration
	cause, next string
}

// check compares the configuration with what a registry wants. Source is the folder that .goreleaser.yml is in.
func (c *configuration) check(source string) []problem {
	var problems []problem
	for _, part := range [][]expectation{c.expectNames(), c.expectBuild(), c.expectArchive(source), c.expectSums(), c.expectRelease()} {
		for _, e := range part {
			if !e.met {
				problems = append(problems, problem{"with " + e.field + " of " + configurationFile, e.cause, e.next})
			}
		}
	}
	return problems
}

func (c *configuration) expectNames() []expectation {
	fields := c.fields(sampleVersion, "0", platform{"linux", "amd64"})
	named := func(field, text, want string) expectation {
		got, err := render(text, fields)
		if err != nil {
			return expectation{false, field, err.Error(), "Use fields that GoReleaser has there"}
		}
		return expectation{got == want, field, fmt.Sprintf("version 1.2.3 for linux_amd64 is named %q", got), fmt.Sprintf("Make it %q: a registry finds files by their names", want)}
	}
	return []expectation{
		named("project_name", c.ProjectName, project),
		named("builds.binary", c.Builds[0].Binary, sampleBinary),
		named("archives.name_template", c.Archives[0].NameTemplate, sampleArchive),
		named("checksum.name_template", c.Checksum.NameTemplate, sampleSums),
		named("checksum.extra_files", manifestName(c.Checksum.ExtraFiles), sampleManifest),
		named("release.extra_files", manifestName(c.Release.ExtraFiles), sampleManifest),
	}
}

// manifestName is the name template of the manifest among extra files, or "".
func manifestName(files []extraFile) string {
	for _, file := range files {
		if file.Glob == "terraform-registry-manifest.json" {
			return file.NameTemplate
		}
	}
	return ""
}

func (c *configuration) expectBuild() []expectation {
	build := c.Builds[0]
	return []expectation{
		{c.Version == 2, "version", fmt.Sprintf("it is %d", c.Version), "Make it 2: the pinned GoReleaser reads no other"},
		{slices.Contains(build.Env, "CGO_ENABLED=0"), "builds.env", "CGO_ENABLED=0 is missing", "Add it: a plugin linked to a C library does not start on every system"},
		{hasFlag(build.Flags, "-trimpath"), "builds.flags", "-trimpath is missing", "Add it: without it the bytes depend on the folder of the build"},
		{setsVersion(build.LDFlags), "builds.ldflags", "main.version is not set to the version", `Add "-X main.version={{ .Version }}"`},
		{build.ModTimestamp == "{{ .CommitTimestamp }}", "builds.mod_timestamp", "it is not the time of the commit", `Make it "{{ .CommitTimestamp }}": otherwise each build gives other bytes`},
		{slices.Contains(c.platforms(), platform{"linux", "amd64"}), "builds", "linux_amd64 is not among the platforms", "Add it: most runs in automation need it"},
	}
}

func (c *configuration) expectArchive(source string) []expectation {
	archive := c.Archives[0]
	expectations := []expectation{
		{slices.Equal(archive.Formats, []string{"zip"}), "archives.formats", fmt.Sprintf("they are %q", archive.Formats), "Make zip the only one: a registry takes no other"},
		{len(archive.Files) > 0, "archives.files", "it is empty, and GoReleaser then adds LICENSE and README.md", `Make it ["none*"], which no file is named like`},
	}
	for _, pattern := range archive.Files {
		found, err := filepath.Glob(filepath.Join(source, pattern))
		expectations = append(expectations, expectation{err == nil && len(found) == 0, "archives.files", fmt.Sprintf("%q adds %q to each archive", pattern, found), "Remove it: an archive has the plugin alone"})
	}
	return expectations
}

func (c *configuration) expectSums() []expectation {
	archive, sbom, sign := c.Archives[0].ID, c.SBOMs[0], c.Signs[0]
	return []expectation{
		{c.Checksum.Algorithm == "sha256", "checksum.algorithm", fmt.Sprintf("it is %q", c.Checksum.Algorithm), "Make it sha256"},
		{archive != "" && slices.Equal(c.Checksum.IDs, []string{archive}), "checksum.ids", fmt.Sprintf("they are %q, so that the sums do not list the archives alone", c.Checksum.IDs), fmt.Sprintf("Make %q, the ID of the archives, the only one: a registry refuses sums of other files", archive)},
		{sbom.ID != "" && sbom.ID != archive, "sboms.id", fmt.Sprintf("it is %q, so that checksum.ids cannot tell SBOMs from archives", sbom.ID), "Give SBOMs an ID of their own"},
		{sbom.Artifacts == "archive", "sboms.artifacts", fmt.Sprintf("it is %q", sbom.Artifacts), "Make it archive: each archive has an SBOM"},
		{slices.Equal(sbom.Documents, []string{"{{ .ArtifactName }}" + sbomSuffix}), "sboms.documents", fmt.Sprintf("they are %q", sbom.Documents), fmt.Sprintf("Make it [\"{{ .ArtifactName }}%s\"]", sbomSuffix)},
		{sbom.Cmd == "../tools/scripts/release" && slices.Index(sbom.Args, "sbom") == 0, "sboms", "the SBOM is not written by tools/scripts/release sbom", "Run that: the SBOMs that this check knows are its own"},
		{sign.Artifacts == "checksum", "signs.artifacts", fmt.Sprintf("it is %q", sign.Artifacts), "Make it checksum: a registry wants the sums signed"},
		{sign.Signature == "${artifact}.sig", "signs.signature", fmt.Sprintf("it is %q", sign.Signature), `Make it "${artifact}.sig"`},
		{sign.Cmd == "tools/scripts/release" && slices.Equal(sign.Args, []string{"sign", "${artifact}", "${signature}"}), "signs", "the sums are not signed by tools/scripts/release sign", "Run that: its signatures are detached, and not armored"},
	}
}

func (c *configuration) expectRelease() []expectation {
	return []expectation{
		{c.Release.Draft, "release.draft", "it is false", "Make it true: a release is verified before it is published"},
	}
}

// setsVersion tells whether the flags of the linker set the version that the plugin prints.
func setsVersion(flags []string) bool {
	fields := map[string]string{"Version": sampleVersion}
	for _, flag := range flags {
		if text, err := render(flag, fields); err == nil && hasFlag([]string{text}, "main.version="+sampleVersion) {
			return true
		}
	}
	return false
}
