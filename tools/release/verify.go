package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

const (
	project    = "terraform-provider-zulip"
	sbomSuffix = ".spdx.json"
)

// A release is a folder with the files of one version, and what they are compared with.
type release struct {
	dir       string     // has the files of the release and no other
	version   string     // without v
	source    string     // folder of the provider's source, for the pages in docs/
	key       string     // file of the public key that the sums must be signed with
	platforms []platform // that the release must have an archive for
}

func (r *release) sums() string      { return project + "_" + r.version + "_SHA256SUMS" }
func (r *release) signature() string { return r.sums() + ".sig" }
func (r *release) manifest() string  { return project + "_" + r.version + "_manifest.json" }

func (r *release) archive(p platform) string {
	return project + "_" + r.version + "_" + p.String() + ".zip"
}

// binary is the name of the plugin in an archive. The CLI starts the file whose name begins with that of the provider.
func (r *release) binary(p platform) string {
	name := project + "_v" + r.version
	if p.os == "windows" {
		name += ".exe"
	}
	return name
}

// summed lists the files whose sums are published.
func (r *release) summed() []string {
	names := []string{r.manifest()}
	for _, p := range r.platforms {
		names = append(names, r.archive(p))
	}
	return names
}

// names lists all files of the release.
func (r *release) names() []string {
	names := append(r.summed(), r.sums(), r.signature())
	for _, p := range r.platforms {
		names = append(names, r.archive(p)+sbomSuffix)
	}
	return names
}

func (r *release) path(name string) string { return filepath.Join(r.dir, name) }

// verify returns every reason not to publish the release. A file that is missing is reported once: what else it fails by
// that is left out.
func (r *release) verify() []problem {
	problems, present := r.verifyNames()
	for _, p := range r.platforms {
		if !present[r.archive(p)] {
			continue
		}
		plugin, found := r.openArchive(p)
		problems = append(problems, found...)
		if plugin == nil {
			continue
		}
		if present[r.archive(p)+sbomSuffix] {
			problems = append(problems, r.verifySBOM(p, plugin)...)
		}
		if p == thisPlatform() {
			problems = append(problems, r.verifyPlugin(plugin, present[r.manifest()])...)
		}
	}
	if !slices.Contains(r.platforms, thisPlatform()) {
		problems = append(problems, problem{r.dir, "it has no archive for " + thisPlatform().String() + ", so that the plugin cannot be started here", "Verify the release on a platform that it is built for"})
	}
	if present[r.sums()] {
		problems = append(problems, r.verifySums(present)...)
	}
	if present[r.sums()] && present[r.signature()] {
		problems = append(problems, r.verifySignature()...)
	}
	return append(problems, verifyPages(filepath.Join(r.source, "docs"))...)
}

// verifyNames compares the files in the folder with those of a release, and returns which of a release's files are there.
func (r *release) verifyNames() ([]problem, map[string]bool) {
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		return []problem{{r.dir, err.Error(), "Name the folder that has the files of the release"}}, nil
	}
	var problems []problem
	names, present := r.names(), map[string]bool{}
	for _, entry := range entries {
		if slices.Contains(names, entry.Name()) && entry.Type().IsRegular() {
			present[entry.Name()] = true
			continue
		}
		problems = append(problems, problem{entry.Name(), "no file of version " + r.version + " has this name",
			"Remove it or name it as the release wants it: an archive is named " + project + "_" + r.version + "_OS_ARCH.zip"})
	}
	for _, name := range names {
		if !present[name] {
			problems = append(problems, problem{name, "it is missing in " + r.dir, "See in the output of the build why it was not made, or in the release whether its upload failed"})
		}
	}
	return problems, present
}

// Limits of a registry for the pages of a provider: a page is at most 500 KB
// (https://developer.hashicorp.com/terraform/registry/providers/docs), and there are at most 2,000, as
// "tfplugindocs validate" checks them too.
const (
	pageBytes = 500_000
	pageCount = 2_000
)

// verifyPages checks the pages in docs/ against the limits of a registry.
func verifyPages(docs string) []problem {
	var problems []problem
	count := 0
	err := filepath.WalkDir(docs, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		count++
		info, err := entry.Info()
		if err == nil && info.Size() >= pageBytes {
			problems = append(problems, problem{path, fmt.Sprintf("it has %d bytes, and a registry cuts a page off at %d", info.Size(), pageBytes), "Shorten its template or the descriptions in it, and run make docs"})
		}
		return err
	})
	if err != nil {
		return append(problems, problem{docs, err.Error(), "Run make docs, and name the folder of the source with -source"})
	}
	if count == 0 || count > pageCount {
		problems = append(problems, problem{docs, fmt.Sprintf("it has %d pages, and a registry takes 1 to %d", count, pageCount), "Run make docs, and see which pages are one too many"})
	}
	return problems
}
