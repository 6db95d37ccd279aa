package main

import (
	"archive/zip"
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

func runPack(args []string) error {
	p := packing{platform: thisPlatform(), private: os.Getenv("GPG_PRIVATE_KEY"), passphrase: os.Getenv("PASSPHRASE")}
	flags := flag.NewFlagSet("pack", flag.ContinueOnError)
	flags.StringVar(&p.version, "version", "", "version of the release, without v")
	flags.Int64Var(&p.created, "created", 0, "time of the commit, in seconds since 1970")
	if err := parse(flags, args, "SOURCE", "DIR"); err != nil {
		return err
	}
	p.source, p.dir = flags.Arg(0), flags.Arg(1)
	return p.pack()
}

// A packing builds the release of one platform: what GoReleaser does with the same configuration, and in seconds.
type packing struct {
	source, dir         string // of the provider; of the release
	version             string // without v
	created             int64  // time of the commit, in seconds since 1970
	private, passphrase string // of the key
	platform            platform

	config *configuration
	fields map[string]string // of templates
}

func (p *packing) pack() error {
	var err error
	if p.config, err = loadConfiguration(p.source); err != nil {
		return err
	}
	p.fields = p.config.fields(p.version, strconv.FormatInt(p.created, 10), p.platform)
	archive, err := p.packArchive()
	if err != nil {
		return err
	}
	p.fields["ArtifactName"] = filepath.Base(archive)
	document, err := p.named(p.config.SBOMs[0].Documents[0])
	if err != nil {
		return err
	}
	if err := writeSBOM(archive, document, p.version, time.Unix(p.created, 0)); err != nil {
		return err
	}
	manifest, err := p.copyManifest()
	if err != nil {
		return err
	}
	sums, err := p.named(p.config.Checksum.NameTemplate)
	if err != nil {
		return err
	}
	if err := writeSums(sums, archive, manifest); err != nil {
		return err
	}
	return sign(sums, sums+".sig", p.private, p.passphrase)
}

// named returns the path of the file in the release whose name the template gives.
func (p *packing) named(template string) (string, error) {
	name, err := render(template, p.fields)
	return filepath.Join(p.dir, name), err
}

// packArchive builds the plugin with the flags of the configuration, and packs it.
func (p *packing) packArchive() (string, error) {
	work, err := os.MkdirTemp("", "release")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	build := p.config.Builds[0]
	var ldflags []string
	for _, template := range build.LDFlags {
		flags, err := render(template, p.fields)
		if err != nil {
			return "", err
		}
		ldflags = append(ldflags, flags)
	}
	name, err := render(build.Binary, p.fields)
	if err != nil {
		return "", err
	}
	if p.platform.os == "windows" {
		name += ".exe"
	}
	binary := filepath.Join(work, name)
	// What is not committed may be tried too, so the commit is not noted.
	args := append([]string{"build", "-C", p.source, "-buildvcs=false", "-o", binary, "-ldflags", strings.Join(ldflags, " ")}, build.Flags...)
	command := exec.Command("go", append(args, ".")...)
	command.Env = append(os.Environ(), build.Env...)
	command.Stderr = os.Stderr
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("Cannot build the plugin: %w", err)
	}
	archive, err := p.named(p.config.Archives[0].NameTemplate + ".zip")
	if err != nil {
		return "", err
	}
	return archive, zipFile(archive, binary, time.Unix(p.created, 0))
}

// zipFile packs one file that may be executed.
func zipFile(archive, file string, modified time.Time) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	writer := zip.NewWriter(&out)
	header := &zip.FileHeader{Name: filepath.Base(file), Method: zip.Deflate, Modified: modified.UTC()}
	header.SetMode(0o755)
	entry, err := writer.CreateHeader(header)
	if err != nil {
		return err
	}
	if _, err := entry.Write(content); err != nil {
		return err
	}
	if err := writer.Close(); err != nil {
		return err
	}
	return os.WriteFile(archive, out.Bytes(), 0o644)
}

// copyManifest copies the manifest under the name that the release gives it.
func (p *packing) copyManifest() (string, error) {
	extra := p.config.Checksum.ExtraFiles
	at := slices.IndexFunc(extra, func(file extraFile) bool { return file.NameTemplate != "" })
	if at < 0 {
		return "", fmt.Errorf("Cannot find the manifest: checksum.extra_files of %s does not name it", configurationFile)
	}
	content, err := os.ReadFile(filepath.Join(p.source, extra[at].Glob))
	if err != nil {
		return "", fmt.Errorf("Cannot read the manifest: %w", err)
	}
	name, err := p.named(extra[at].NameTemplate)
	if err != nil {
		return "", err
	}
	return name, os.WriteFile(name, content, 0o644)
}

// writeSums writes the SHA-256 sums of files as sha256sum does.
func writeSums(sums string, files ...string) error {
	var lines []string
	for _, file := range files {
		sum, err := sha256Of(file)
		if err != nil {
			return err
		}
		lines = append(lines, sum+"  "+filepath.Base(file)+"\n")
	}
	return os.WriteFile(sums, []byte(strings.Join(lines, "")), 0o644)
}
