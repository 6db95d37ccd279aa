package main

import (
	"bytes"
	"debug/buildinfo"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdx"
)

const (
	noAssertion = "NOASSERTION"
	license     = "MPL-2.0" // of the provider: LICENSE
	pluginID    = "Package-plugin"
)

func runSBOM(args []string) error {
	flags := flag.NewFlagSet("sbom", flag.ContinueOnError)
	version := flags.String("version", "", "version of the release, without v")
	created := flags.Int64("created", 0, "time of the commit, in seconds since 1970")
	if err := parse(flags, args, "ARCHIVE", "DOCUMENT"); err != nil {
		return err
	}
	return writeSBOM(flags.Arg(0), flags.Arg(1), *version, time.Unix(*created, 0))
}

// writeSBOM writes what the plugin in an archive is made of, as the compiler noted it in the binary, in SPDX 2.3. The same
// archive and time give the same bytes.
func writeSBOM(archive, document, version string, created time.Time) error {
	fail := func(err error) error { return fmt.Errorf("Cannot write the SBOM of %s: %w", archive, err) }
	sum, err := sha256Of(archive)
	if err != nil {
		return fail(err)
	}
	plugin, err := onlyFile(archive)
	if err != nil {
		return fail(err)
	}
	var out bytes.Buffer
	if err := json.Write(describe(filepath.Base(archive), sum, version, plugin.info, created), &out, json.Indent("  ")); err != nil {
		return fail(err)
	}
	if err := os.WriteFile(document, out.Bytes(), 0o644); err != nil {
		return fail(err)
	}
	return nil
}

// describe makes the document for an archive, its SHA-256 sum, and what the compiler noted in the plugin.
func describe(archive, sum, version string, info *buildinfo.BuildInfo, created time.Time) *spdx.Document {
	root := modulePackage(pluginID, info.Main.Path, "v"+version)
	root.PackageName, root.PackageVersion, root.PackageFileName = project, version, archive
	root.PackageLicenseDeclared = license
	root.PackageChecksums = []spdx.Checksum{{Algorithm: spdx.SHA256, Value: sum}}
	document := &spdx.Document{
		SPDXVersion: spdx.Version, DataLicense: spdx.DataLicense, SPDXIdentifier: "DOCUMENT", DocumentName: archive,
		DocumentNamespace: "https://spdx.org/spdxdocs/" + archive + "-" + sum,
		CreationInfo: &spdx.CreationInfo{
			Creators: []spdx.Creator{{CreatorType: "Tool", Creator: project + "-tools-release"}},
			Created:  created.UTC().Format(time.RFC3339),
		},
		Packages:      []*spdx.Package{root},
		Relationships: []*spdx.Relationship{relation("DOCUMENT", pluginID, "DESCRIBES")},
	}
	for i, module := range modules(info) {
		id := spdx.ElementID(fmt.Sprintf("Package-module-%d", i+1))
		document.Packages = append(document.Packages, modulePackage(id, module.Path, module.Version))
		document.Relationships = append(document.Relationships, relation(pluginID, id, "DEPENDS_ON"))
	}
	return document
}

// modules lists what the plugin is built from beside its own module: the standard library, and each dependency as it was
// replaced.
func modules(info *buildinfo.BuildInfo) []debug.Module {
	all := []debug.Module{{Path: "stdlib", Version: strings.TrimPrefix(info.GoVersion, "go")}}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		all = append(all, debug.Module{Path: module.Path, Version: module.Version})
	}
	return all
}

func modulePackage(id spdx.ElementID, path, version string) *spdx.Package {
	return &spdx.Package{
		PackageSPDXIdentifier: id, PackageName: path, PackageVersion: version,
		PackageDownloadLocation: noAssertion, PackageLicenseConcluded: noAssertion, PackageLicenseDeclared: noAssertion,
		PackageCopyrightText: noAssertion, IsFilesAnalyzedTagPresent: true,
		// https://github.com/package-url/purl-spec: what scanners look vulnerabilities up by.
		PackageExternalReferences: []*spdx.PackageExternalReference{{
			Category: "PACKAGE-MANAGER", RefType: "purl", Locator: "pkg:golang/" + path + "@" + version,
		}},
	}
}

func relation(from, to spdx.ElementID, kind string) *spdx.Relationship {
	return &spdx.Relationship{
		RefA: spdx.DocElementID{ElementRefID: from}, RefB: spdx.DocElementID{ElementRefID: to}, Relationship: kind,
	}
}

// verifySBOM checks that the SBOM of an archive is about this archive, and lists every module in its plugin.
func (r *release) verifySBOM(p platform, plugin *pluginFile) []problem {
	name := r.archive(p) + sbomSuffix
	bad := func(cause string) []problem {
		return []problem{{name, cause, "Write it again for the archive that is published: see sboms in " + configurationFile}}
	}
	content, err := os.ReadFile(r.path(name))
	if err != nil {
		return bad(err.Error())
	}
	document, err := json.Read(bytes.NewReader(content))
	if err != nil {
		return bad("it is not SPDX JSON: " + err.Error())
	}
	sum, err := sha256Of(r.path(r.archive(p)))
	if err != nil {
		return bad(err.Error())
	}
	listed, described := map[string]bool{}, false
	for _, pkg := range document.Packages {
		listed[pkg.PackageName+" "+pkg.PackageVersion] = true
		for _, checksum := range pkg.PackageChecksums {
			described = described || pkg.PackageVersion == r.version && checksum.Algorithm == spdx.SHA256 && checksum.Value == sum
		}
	}
	if !described {
		return bad("it describes no package of version " + r.version + " with the sum of " + r.archive(p))
	}
	for _, module := range modules(plugin.info) {
		if !listed[module.Path+" "+module.Version] {
			return bad("the module " + module.Path + " " + module.Version + " of the plugin is missing in it")
		}
	}
	return nil
}
