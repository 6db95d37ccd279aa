// Bench measures the costs of plans and applies of many channels through a CLI. It compares them with as many
// terraform_data, which are built into the CLI and cost the least possible. It prints a Markdown table for BENCHMARKS.md.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

func main() {
	tf := flag.String("tf", "terraform", "the CLI")
	n := flag.Int("n", 1000, "how many `channels`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := measure(ctx, *tf, *n); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1) //nolint:gocritic // there is no process left to stop
	}
}

// measure prints a row for each step, of the channels and of the lower bound.
func measure(ctx context.Context, tf string, n int) error {
	work, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	plugin := filepath.Join(work, "terraform-provider-zulip")
	if out, err := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", plugin, ".").CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	cliConfig := filepath.Join(work, "cli.tfrc")
	override := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    %q = %q\n  }\n  direct {}\n}\n", "zulip-iac/zulip", work)
	if err := os.WriteFile(cliConfig, []byte(override), 0o600); err != nil {
		return err
	}
	server, err := sandbox.New(sandbox.Config{})
	if err != nil {
		return err
	}
	if err := server.Start("127.0.0.1:0"); err != nil {
		return err
	}
	defer func() { _ = server.Close() }()
	owner, _ := server.Credentials("owner")
	environment := append(os.Environ(), "TF_CLI_CONFIG_FILE="+cliConfig, "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1", "TF_LOG=", "TF_CLI_ARGS=",
		"ZULIP_SITE="+server.URL(), "ZULIP_EMAIL="+owner.Email, "ZULIP_API_KEY="+owner.APIKey)

	floor, err := newSubject(work, "floor", floorOf(n))
	if err != nil {
		return err
	}
	channels, err := newSubject(work, "channels", channelsOf(n, "What ships"))
	if err != nil {
		return err
	}
	for _, s := range []*subject{floor, channels} {
		s.tf, s.environment, s.plugin, s.server = tf, environment, plugin, server
	}
	if err := floor.run(ctx, "init", 0, "init", "-input=false"); err != nil {
		return err
	}

	fmt.Printf("| %d resources | Floor | Channels | Requests | Plugin memory |\n|---|---|---|---|---|\n", n)
	const fifty = 50 * time.Millisecond
	for _, step := range []struct {
		name    string
		latency time.Duration
		command []string
		change  string // another description of all channels
	}{
		{"create", 0, []string{"apply", "-auto-approve", "-input=false"}, ""},
		{"plan without changes", 0, []string{"plan", "-input=false"}, ""},
		{"plan without changes, 50 ms a request", fifty, []string{"plan", "-input=false"}, ""},
		{"update all", 0, []string{"apply", "-auto-approve", "-input=false"}, "What shipped"},
		{"destroy", 0, []string{"apply", "-destroy", "-auto-approve", "-input=false"}, ""},
	} {
		if step.change != "" {
			if err := channels.write(channelsOf(n, step.change)); err != nil {
				return err
			}
			if err := floor.write(strings.ReplaceAll(floorOf(n), "What ships", step.change)); err != nil {
				return err
			}
		}
		for _, s := range []*subject{floor, channels} {
			if err := s.run(ctx, step.name, step.latency, step.command...); err != nil {
				return err
			}
		}
		fmt.Printf("| %s | %.1f s | %.1f s | %d | %d MB |\n", step.name, floor.wall.Seconds(), channels.wall.Seconds(), channels.requests, channels.peak>>20)
	}
	version, _ := exec.CommandContext(ctx, tf, "version").Output()
	first, _, _ := strings.Cut(string(version), "\n")
	fmt.Printf("\nState: %.1f MB of channels, %.1f MB of the floor. %d processors, %s.\n",
		float64(channels.state)/1e6, float64(floor.state)/1e6, runtime.NumCPU(), first)
	return nil
}

func floorOf(n int) string {
	return fmt.Sprintf("resource \"terraform_data\" \"x\" {\n  count = %d\n  input = { name = \"channel ${count.index}\", description = \"What ships\" }\n}\n", n)
}

func channelsOf(n int, description string) string {
	return fmt.Sprintf(`terraform {
  required_providers {
    zulip = { source = "zulip-iac/zulip" }
  }
}

resource "zulip_channel" "x" {
  count                  = %d
  name                   = "channel ${count.index}"
  description            = %q
  can_send_message_group = ["role:moderators"]
}
`, n, description)
}

// subject is a configuration in a folder of its own, with the costs of the last command in it.
type subject struct {
	dir, tf, plugin string
	environment     []string
	server          *sandbox.Server

	wall     time.Duration
	requests int
	peak     int64 // the maximum memory of a plugin process, in bytes
	state    int64 // the largest state file so far, in bytes
}

func newSubject(work, name, config string) (*subject, error) {
	s := &subject{dir: filepath.Join(work, name)}
	if err := os.Mkdir(s.dir, 0o700); err != nil {
		return nil, err
	}
	if err := s.write(config); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *subject) write(config string) error {
	return os.WriteFile(filepath.Join(s.dir, "main.tf"), []byte(config), 0o600)
}

// run runs a command of the CLI with this latency of each request.
func (s *subject) run(ctx context.Context, step string, latency time.Duration, arguments ...string) error {
	if latency > 0 {
		defer s.server.Fail(sandbox.Fault{Method: "*", Path: "**", Action: sandbox.FaultStall, Delay: latency})()
	}
	before := len(s.server.Journal().Requests(sandbox.Filter{}))
	command := exec.CommandContext(ctx, s.tf, arguments...)
	command.Dir, command.Env = s.dir, s.environment
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	s.peak = 0
	started := time.Now()
	if err := command.Start(); err != nil {
		return err
	}
	ended := make(chan error)
	go func() { ended <- command.Wait() }()
	for ticker := time.NewTicker(20 * time.Millisecond); ; {
		select {
		case err := <-ended:
			ticker.Stop()
			if err != nil {
				text := output.String()
				return fmt.Errorf("%s in %s: %w\n%s", step, filepath.Base(s.dir), err, text[max(0, len(text)-4000):])
			}
			s.wall = time.Since(started)
			s.requests = len(s.server.Journal().Requests(sandbox.Filter{})) - before
			if state, err := os.Stat(filepath.Join(s.dir, "terraform.tfstate")); err == nil {
				s.state = max(s.state, state.Size())
			}
			return nil
		case <-ticker.C:
			s.peak = max(s.peak, memoryOf(s.plugin))
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
