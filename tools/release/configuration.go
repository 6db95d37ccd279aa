package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/template"

	"gopkg.in/yaml.v3"
)

const configurationFile = ".goreleaser.yml"

// A configuration is what this program reads of .goreleaser.yml. GoReleaser's documentation describes the fields:
// https://goreleaser.com/customization/
type configuration struct {
	Version     int           `yaml:"version"`
	ProjectName string        `yaml:"project_name"`
	Builds      []buildPart   `yaml:"builds"`
	Archives    []archivePart `yaml:"archives"`
	SBOMs       []sbomPart    `yaml:"sboms"`
	Checksum    checksumPart  `yaml:"checksum"`
	Signs       []signPart    `yaml:"signs"`
	Release     releasePart   `yaml:"release"`
}

type buildPart struct {
	Binary       string            `yaml:"binary"`
	Env          []string          `yaml:"env"`
	Flags        []string          `yaml:"flags"`
	LDFlags      []string          `yaml:"ldflags"`
	ModTimestamp string            `yaml:"mod_timestamp"`
	GOOS         []string          `yaml:"goos"`
	GOARCH       []string          `yaml:"goarch"`
	Ignore       []ignoredPlatform `yaml:"ignore"`
}

type ignoredPlatform struct {
	GOOS   string `yaml:"goos"`
	GOARCH string `yaml:"goarch"`
}

type archivePart struct {
	ID           string   `yaml:"id"`
	Formats      []string `yaml:"formats"`
	NameTemplate string   `yaml:"name_template"`
	Files        []string `yaml:"files"`
}

type sbomPart struct {
	ID        string   `yaml:"id"`
	Artifacts string   `yaml:"artifacts"`
	Documents []string `yaml:"documents"`
	Cmd       string   `yaml:"cmd"`
	Args      []string `yaml:"args"`
}

type checksumPart struct {
	NameTemplate string      `yaml:"name_template"`
	Algorithm    string      `yaml:"algorithm"`
	IDs          []string    `yaml:"ids"`
	ExtraFiles   []extraFile `yaml:"extra_files"`
}

type extraFile struct {
	Glob         string `yaml:"glob"`
	NameTemplate string `yaml:"name_template"`
}

type signPart struct {
	Artifacts string   `yaml:"artifacts"`
	Signature string   `yaml:"signature"`
	Cmd       string   `yaml:"cmd"`
	Args      []string `yaml:"args"`
}

type releasePart struct {
	Draft      bool        `yaml:"draft"`
	ExtraFiles []extraFile `yaml:"extra_files"`
}

// loadConfiguration reads .goreleaser.yml in the folder of the provider's source. It fails if the file cannot be read, or
// lacks a part that everything else needs.
func loadConfiguration(source string) (*configuration, error) {
	file := filepath.Join(source, configurationFile)
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("Cannot read the release configuration: %w", err)
	}
	var config configuration
	if err := yaml.Unmarshal(content, &config); err != nil {
		return nil, fmt.Errorf("Cannot read %s: %w", file, err)
	}
	if len(config.Builds) != 1 || len(config.Archives) != 1 || len(config.SBOMs) != 1 || len(config.Signs) != 1 {
		return nil, fmt.Errorf("Cannot use %s: it has %d builds, %d archives, %d sboms and %d signs. Give it one of each.",
			file, len(config.Builds), len(config.Archives), len(config.SBOMs), len(config.Signs))
	}
	return &config, nil
}

// A platform is what an archive is built for.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "_" + p.arch }

func thisPlatform() platform { return platform{runtime.GOOS, runtime.GOARCH} }

// platforms lists what the build makes an archive for.
func (c *configuration) platforms() []platform {
	build := c.Builds[0]
	var all []platform
	for _, goos := range build.GOOS {
		for _, goarch := range build.GOARCH {
			if !slices.Contains(build.Ignore, ignoredPlatform{goos, goarch}) {
				all = append(all, platform{goos, goarch})
			}
		}
	}
	return all
}

// render fills a template of the configuration in. It fails for a field that is not among those given.
func render(text string, fields map[string]string) (string, error) {
	parsed, err := template.New("").Option("missingkey=error").Parse(text)
	if err != nil {
		return "", fmt.Errorf("Cannot read the template %q of %s: %w", text, configurationFile, err)
	}
	var out bytes.Buffer
	if err := parsed.Execute(&out, fields); err != nil {
		return "", fmt.Errorf("Cannot fill in the template %q of %s: %w", text, configurationFile, err)
	}
	return out.String(), nil
}

// fields are the values that templates may use. The platform is left out where it is zero, because sums and manifest are
// the same for all.
func (c *configuration) fields(version, commitTimestamp string, p platform) map[string]string {
	fields := map[string]string{"ProjectName": c.ProjectName, "Version": version, "CommitTimestamp": commitTimestamp}
	if p != (platform{}) {
		fields["Os"], fields["Arch"] = p.os, p.arch
	}
	return fields
}

// runNarrow prints the configuration for this platform alone, because GoReleaser's command "release" has no flag for it.
func runNarrow(args []string) error {
	flags := flag.NewFlagSet("narrow", flag.ContinueOnError)
	if err := parse(flags, args, "SOURCE"); err != nil {
		return err
	}
	content, err := os.ReadFile(filepath.Join(flags.Arg(0), configurationFile))
	if err != nil {
		return fmt.Errorf("Cannot read the release configuration: %w", err)
	}
	narrowed, err := narrow(content, thisPlatform())
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(narrowed)
	return err
}

// narrow returns the configuration with one platform in place of those it has.
func narrow(content []byte, p platform) ([]byte, error) {
	var config map[string]any
	if err := yaml.Unmarshal(content, &config); err != nil {
		return nil, fmt.Errorf("Cannot read %s: %w", configurationFile, err)
	}
	builds, _ := config["builds"].([]any)
	if len(builds) == 0 {
		return nil, errors.New("Cannot narrow " + configurationFile + ": it has no builds")
	}
	for _, build := range builds {
		fields, ok := build.(map[string]any)
		if !ok {
			return nil, errors.New("Cannot narrow " + configurationFile + ": a build is not a map")
		}
		fields["goos"], fields["goarch"] = []string{p.os}, []string{p.arch}
		delete(fields, "ignore")
	}
	return yaml.Marshal(config)
}

// hasFlag tells whether one of the texts contains the flag as a word.
func hasFlag(texts []string, flag string) bool {
	return slices.Contains(strings.Fields(strings.Join(texts, " ")), flag)
}
