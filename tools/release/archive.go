package main

import (
	"archive/zip"
	"bytes"
	"debug/buildinfo"
	"fmt"
	"io"
)

// A pluginFile is the binary in an archive.
type pluginFile struct {
	content []byte
	info    *buildinfo.BuildInfo
}

// openArchive checks the archive of a platform, and returns the plugin in it. The plugin is nil where the archive cannot
// be read so far.
func (r *release) openArchive(p platform) (*pluginFile, []problem) {
	name := r.archive(p)
	bad := func(cause, next string) []problem { return []problem{{name, cause, next}} }
	files, err := zip.OpenReader(r.path(name))
	if err != nil {
		return nil, bad("it is not a whole zip archive: "+err.Error(), "Build the release again, and upload it again")
	}
	defer files.Close() // only read from

	if len(files.File) != 1 || files.File[0].Name != r.binary(p) {
		var names []string
		for _, file := range files.File {
			names = append(names, file.Name)
		}
		return nil, bad(fmt.Sprintf("it contains %q", names), fmt.Sprintf("It must contain %q alone: see builds.binary and archives.files in %s", r.binary(p), configurationFile))
	}
	plugin, err := readPlugin(files.File[0])
	if err != nil {
		return nil, bad(fmt.Sprintf("%s in it cannot be read: %v", r.binary(p), err), "Build the release again, and upload it again")
	}
	return plugin, r.verifyBuild(p, files.File[0], plugin.info)
}

// onlyFile reads the plugin of an archive that has one file, whatever its name.
func onlyFile(archive string) (*pluginFile, error) {
	files, err := zip.OpenReader(archive)
	if err != nil {
		return nil, err
	}
	defer files.Close() // only read from
	if len(files.File) != 1 {
		return nil, fmt.Errorf("it has %d files, and must have the plugin alone", len(files.File))
	}
	return readPlugin(files.File[0])
}

func readPlugin(file *zip.File) (*pluginFile, error) {
	reader, err := file.Open()
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(reader)
	if err != nil {
		return nil, err
	}
	info, err := buildinfo.Read(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	return &pluginFile{content, info}, reader.Close()
}

// verifyBuild compares how the plugin was built with the name of its archive.
func (r *release) verifyBuild(p platform, file *zip.File, info *buildinfo.BuildInfo) []problem {
	var problems []problem
	expect := func(met bool, cause, next string) {
		if !met {
			problems = append(problems, problem{r.archive(p), r.binary(p) + " in it " + cause, next})
		}
	}
	settings := map[string]string{}
	for _, setting := range info.Settings {
		settings[setting.Key] = setting.Value
	}
	built := platform{settings["GOOS"], settings["GOARCH"]}
	expect(built == p, "is built for "+built.String(), "Build each platform into the archive of its name")
	expect(settings["CGO_ENABLED"] == "0", "is linked to a C library", "Build with CGO_ENABLED=0")
	expect(settings["-trimpath"] == "true", "has paths of the machine that built it", "Build with -trimpath")
	expect(settings["vcs.modified"] != "true", "is built from files that are not committed", "Build from a clean clone of the tag")
	expect(file.Mode()&0o111 == 0o111, "may not be executed", "Pack it with mode 0755")
	return problems
}
