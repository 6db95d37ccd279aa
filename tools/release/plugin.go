package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// verifyPlugin starts the plugin of this platform, and compares the version it prints with that of the release, and the
// protocol it serves with the manifest.
func (r *release) verifyPlugin(plugin *pluginFile, hasManifest bool) []problem {
	archive := r.archive(thisPlatform())
	bad := func(cause, next string) problem { return problem{archive, cause, next} }
	dir, err := os.MkdirTemp("", "release")
	if err != nil {
		return []problem{bad(err.Error(), "Make room for temporary files")}
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, r.binary(thisPlatform()))
	if err := os.WriteFile(file, plugin.content, 0o700); err != nil {
		return []problem{bad(err.Error(), "Make room for temporary files")}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	var problems []problem
	out, err := exec.CommandContext(ctx, file, "--version").Output()
	printed := strings.TrimSpace(string(out))
	if want := project + " version " + r.version; err != nil || printed != want {
		cause := fmt.Sprintf("its plugin prints %q as its version", printed)
		if err != nil {
			cause = "its plugin cannot print its version: " + err.Error()
		}
		problems = append(problems, bad(cause, fmt.Sprintf("It must print %q: see builds.ldflags in %s", want, configurationFile)))
	}
	served, err := servedProtocol(ctx, file, dir)
	if err != nil {
		return append(problems, bad("its plugin cannot be started as the CLI does: "+err.Error(), "Run it with TF_LOG=TRACE and see what it says"))
	}
	if hasManifest {
		problems = append(problems, r.verifyManifest(served)...)
	}
	return problems
}

// The cookie by which a plugin knows that a CLI starts it. It is the same for every provider: the documentation of
// go-plugin's HandshakeConfig says what it is for.
const magicCookie = "TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2"

// servedProtocol starts a plugin as a CLI does that speaks protocols 5 and 6, and returns the one it chooses: the second
// part of the line it prints.
func servedProtocol(ctx context.Context, file, dir string) (string, error) {
	command := exec.CommandContext(ctx, file)
	command.Env = append(os.Environ(), magicCookie, "PLUGIN_PROTOCOL_VERSIONS=5,6", "PLUGIN_UNIX_SOCKET_DIR="+dir)
	out, err := command.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := command.Start(); err != nil {
		return "", err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	_ = command.Process.Kill() // it may have ended
	_ = command.Wait()         // killed
	if err != nil {
		return "", fmt.Errorf("it ended without a greeting: %w", err)
	}
	parts := strings.Split(line, "|")
	if len(parts) < 2 {
		return "", fmt.Errorf("it greets with %q", line)
	}
	return parts[1], nil
}

// verifyManifest compares the protocols in the manifest with the one that the plugin serves.
func (r *release) verifyManifest(served string) []problem {
	var manifest struct {
		Version  int `json:"version"`
		Metadata struct {
			ProtocolVersions []string `json:"protocol_versions"`
		} `json:"metadata"`
	}
	bad := func(cause, next string) []problem { return []problem{{r.manifest(), cause, next}} }
	content, err := os.ReadFile(r.path(r.manifest()))
	if err == nil {
		err = json.Unmarshal(content, &manifest)
	}
	if err != nil {
		return bad(err.Error(), "Write it as terraform-registry-manifest.json is")
	}
	if manifest.Version != 1 {
		return bad(fmt.Sprintf("its version is %d", manifest.Version), "Make it 1, the only version of the format")
	}
	if want := []string{served + ".0"}; !slices.Equal(manifest.Metadata.ProtocolVersions, want) {
		return bad(fmt.Sprintf("its protocol_versions are %q, and the plugin serves %s", manifest.Metadata.ProtocolVersions, served), fmt.Sprintf("Make them %q in terraform-registry-manifest.json: a CLI chooses versions by them", want))
	}
	return nil
}
