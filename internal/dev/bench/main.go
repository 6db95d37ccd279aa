// Bench measures the costs of plans and applies of many objects through a CLI. It measures this provider, the providers
// in its arguments, and terraform_data, which is built into the CLI and needs no plugin. It prints a Markdown table for
// BENCHMARKS.md.
package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

func main() {
	peers := binaries{}
	tf := flag.String("tf", "terraform", "the CLI")
	n := flag.Int("n", 1000, "how many `objects` of each provider")
	flag.Var(peers, "peer", "another provider to measure, as `NAME=BINARY`; NAME is null, tailscale or github; repeatable")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := measure(ctx, *tf, *n, peers); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1) //nolint:gocritic // there is no process left to stop
	}
}

// binaries maps the name of a provider to the path of its binary.
type binaries map[string]string

// String returns the default of the flag -peer.
func (b binaries) String() string { return "" }

// Set adds an argument of the flag -peer.
func (b binaries) Set(argument string) error {
	name, binary, _ := strings.Cut(argument, "=")
	switch {
	case name != "null" && name != "tailscale" && name != "github":
		return fmt.Errorf("unknown provider %q: use null, tailscale or github", name)
	case binary == "":
		return fmt.Errorf("no binary: use %s=BINARY", name)
	case b[name] != "":
		return fmt.Errorf("%s has a binary already: %s", name, b[name])
	}
	b[name] = binary
	return nil
}

// measure prints a row for each subject whose provider is built in or has a binary.
func measure(ctx context.Context, tf string, n int, plugins binaries) error {
	work, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	plugins["zulip"] = filepath.Join(work, "zulip")
	if out, err := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", plugins["zulip"], ".").CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	organization, err := sandbox.New(sandbox.Config{})
	if err != nil {
		return err
	}
	defer func() { _ = organization.Close() }()
	output, err := exec.CommandContext(ctx, tf, "version").Output()
	if err != nil {
		return fmt.Errorf("%s version: %w", tf, err)
	}
	versions, _, _ := strings.Cut(string(output), "\n")

	fmt.Printf("| %d objects | Create | Plan | Plan, 50 ms a request | Update | Destroy | Requests of a plan | State | Plugin memory |\n"+
		"|---|---|---|---|---|---|---|---|---|\n", n)
	for _, s := range subjects(organization) {
		if s.source != "" && plugins[s.provider] == "" {
			continue
		}
		if err := s.install(filepath.Join(work, s.resource), plugins[s.provider]); err != nil {
			return err
		}
		if err := s.measure(ctx, tf, n); err != nil {
			return err
		}
		if info, err := buildinfo.ReadFile(s.plugin); err == nil && s.provider != "zulip" && strings.HasPrefix(info.Main.Version, "v") {
			versions += fmt.Sprintf(", %s %s", s.provider, info.Main.Version)
		}
	}
	fmt.Printf("\n%d processors, %s.\n", runtime.NumCPU(), versions)
	return nil
}

// install prepares a folder for commands of the CLI, with a binary of the provider unless it is built in.
func (s *subject) install(dir, binary string) (err error) {
	s.dir = dir
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	override := ""
	if binary != "" {
		if s.plugin, err = filepath.Abs(binary); err != nil {
			return err
		}
		if s.plugin, err = filepath.EvalSymlinks(s.plugin); err != nil {
			return err
		}
		if err := os.Symlink(s.plugin, filepath.Join(dir, "terraform-provider-"+s.provider)); err != nil {
			return err
		}
		override = fmt.Sprintf("%q = %q", s.source, dir)
	}
	// The CLI can't ask a registry, because this configuration allows no other way to install a provider.
	installation := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    %s\n  }\n}\n", override)
	if err := os.WriteFile(filepath.Join(dir, "cli.tfrc"), []byte(installation), 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "main.tf"), []byte(s.configuration()), 0o600)
}

// measure runs the commands of all columns, and prints the row.
func (s *subject) measure(ctx context.Context, tf string, n int) error {
	server := httptest.NewServer(&s.api)
	defer server.Close()
	environment := append(os.Environ(), "TF_CLI_CONFIG_FILE="+filepath.Join(s.dir, "cli.tfrc"), "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1",
		"TF_LOG=", "TF_CLI_ARGS=", "TF_VAR_n="+strconv.Itoa(n))
	for _, variable := range s.connection {
		environment = append(environment, strings.ReplaceAll(variable, "{url}", server.URL))
	}
	var requests, state, memory int64
	fmt.Printf("| `%s` |", s.resource)
	for _, step := range []struct {
		latency time.Duration
		says    string // a pattern in the output of a successful command
		command []string
	}{
		{0, fmt.Sprintf(`\b%d added`, n), []string{"apply", "-auto-approve"}},
		{0, "No changes", []string{"plan"}},
		{50 * time.Millisecond, "No changes", []string{"plan"}},
		{0, fmt.Sprintf(`\b%d (changed|destroyed)`, n), []string{"apply", "-auto-approve", "-var=changed=true"}},
		{0, fmt.Sprintf(`\b%d destroyed`, n), []string{"apply", "-auto-approve", "-destroy"}},
	} {
		s.api.latency.Store(int64(step.latency))
		s.api.requests.Store(0)
		command := exec.CommandContext(ctx, tf, step.command...)
		command.Dir, command.Env = s.dir, environment
		started := time.Now()
		output, peak, err := s.run(command)
		if err == nil && !regexp.MustCompile(step.says).MatchString(output) {
			err = fmt.Errorf("the output doesn't match %q", step.says)
		}
		if err != nil {
			return fmt.Errorf("%v of %s: %w\n%s", step.command, s.resource, err, output[max(0, len(output)-4000):])
		}
		fmt.Printf(" %.1f s |", time.Since(started).Seconds())
		if step.command[0] == "plan" {
			requests = s.api.requests.Load()
		}
		if file, err := os.Stat(filepath.Join(s.dir, "terraform.tfstate")); err == nil {
			state = max(state, file.Size())
		}
		memory = max(memory, peak)
	}
	fmt.Printf(" %d | %.1f MB | %d MB |\n", requests, float64(state)/1e6, memory>>20)
	return nil
}

// run runs a command and returns its output and the maximum memory of a plugin process, in bytes.
func (s *subject) run(command *exec.Cmd) (output string, peak int64, err error) {
	var buffer bytes.Buffer
	command.Stdout, command.Stderr = &buffer, &buffer
	if err := command.Start(); err != nil {
		return "", 0, err
	}
	ended := make(chan error)
	go func() { ended <- command.Wait() }()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case err := <-ended:
			return buffer.String(), peak, err
		case <-ticker.C:
			peak = max(peak, memoryOf(s.plugin))
		}
	}
}

// memoryOf returns the maximum memory of running processes of a binary, in bytes; 0 on systems without /proc.
func memoryOf(binary string) (most int64) {
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, process := range processes {
		if path, err := os.Readlink(process + "/exe"); err != nil || path != binary {
			continue // it may have ended since
		}
		status, _ := os.ReadFile(process + "/status")
		_, rest, _ := strings.Cut(string(status), "VmHWM:")
		rest, _, _ = strings.Cut(rest, " kB")
		kilobytes, _ := strconv.ParseInt(strings.TrimSpace(rest), 10, 64)
		most = max(most, kilobytes<<10)
	}
	return most
}
