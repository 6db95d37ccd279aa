package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// theConfiguration is .goreleaser.yml of this project.
func theConfiguration(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", configurationFile))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func load(t *testing.T, content string) *configuration {
	t.Helper()
	var config configuration
	if err := yaml.Unmarshal([]byte(content), &config); err != nil {
		t.Fatal(err)
	}
	return &config
}

func TestConfigurationWithoutFault(t *testing.T) {
	config, err := loadConfiguration("../..")
	if err != nil {
		t.Fatal(err)
	}
	if problems := config.check("../.."); len(problems) > 0 {
		t.Errorf("%v", problems)
	}
	if got := len(config.platforms()); got != 13 {
		t.Errorf("there are %d platforms, not 13: %v", got, config.platforms())
	}
}

// TestConfigurationWithAFault changes one place of the configuration at a time.
func TestConfigurationWithAFault(t *testing.T) {
	for field, change := range map[string][2]string{
		"version":                {"version: 2", "version: 1"},
		"project_name":           {"project_name: terraform-provider-zulip", "project_name: zulip"},
		"builds.binary":          {"_v{{ .Version }}\"\n    env", "_{{ .Version }}\"\n    env"},
		"builds.env":             {"CGO_ENABLED=0", "CGO_ENABLED=1"},
		"builds.flags":           {"[-trimpath]", "[]"},
		"builds.ldflags":         {"main.version=", "main.other="},
		"builds.mod_timestamp":   {"{{ .CommitTimestamp }}\"\n    goos", "\"\n    goos"},
		"builds":                 {"goos: [linux, ", "goos: ["},
		"archives.formats":       {"formats: [zip]", "formats: [tar.gz]"},
		"archives.name_template": {"_{{ .Version }}_{{ .Os }}", "_v{{ .Version }}_{{ .Os }}"},
		"archives.files":         {"[none*]", "[LICENSE]"},
		"checksum.name_template": {"_SHA256SUMS", "_checksums.txt"},
		"checksum.algorithm":     {"sha256\n", "sha512\n"},
		"checksum.ids":           {"ids: [archive]", "ids: [archive, sbom]"},
		"checksum.extra_files":   {"glob: terraform-registry-manifest.json", "glob: manifest.json"},
		"sboms.id":               {"id: sbom", "id: archive"},
		"sboms.artifacts":        {"artifacts: archive", "artifacts: binary"},
		"sboms.documents":        {".spdx.json", ".json"},
		"sboms":                  {"[sbom, ", "["},
		"signs.artifacts":        {"artifacts: checksum", "artifacts: all"},
		"signs.signature":        {"${artifact}.sig", "${artifact}.asc"},
		"signs":                  {"cmd: tools/scripts/release\n", "cmd: gpg\n"},
		"release.draft":          {"draft: true", "draft: false"},
		"release.extra_files":    {"  extra_files: *manifest\n", ""},
	} {
		t.Run(field, func(t *testing.T) {
			right := theConfiguration(t)
			wrong := strings.Replace(right, change[0], change[1], 1)
			if wrong == right {
				t.Fatalf("%s has no %q to change", configurationFile, change[0])
			}
			problems := load(t, wrong).check("../..")
			isAbout := func(p problem) bool { return p.object == "with "+field+" of "+configurationFile }
			if !slices.ContainsFunc(problems, isAbout) {
				t.Errorf("no problem is with %s: %v", field, problems)
			}
		})
	}
}

func TestConfigurationWithTwoBuilds(t *testing.T) {
	dir := t.TempDir()
	wrong := strings.Replace(theConfiguration(t), "builds:\n", "builds:\n  - binary: other\n", 1)
	if err := os.WriteFile(filepath.Join(dir, configurationFile), []byte(wrong), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := loadConfiguration(dir); err == nil || !strings.Contains(err.Error(), "2 builds") {
		t.Errorf("%v", err)
	}
}

func TestNarrowLeavesOnePlatform(t *testing.T) {
	right := theConfiguration(t)
	narrowed, err := narrow([]byte(right), platform{"linux", "arm64"})
	if err != nil {
		t.Fatal(err)
	}
	config := load(t, string(narrowed))
	if got := config.platforms(); !slices.Equal(got, []platform{{"linux", "arm64"}}) {
		t.Errorf("platforms are %v", got)
	}
	before := load(t, right).check("../..")
	if after := config.check("../.."); len(before) != 0 || len(after) != 1 || !strings.Contains(after[0].String(), "linux_amd64") {
		t.Errorf("more than the platforms has changed: %v", after)
	}
}
