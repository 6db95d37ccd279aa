package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// cli runs one command of Terraform or OpenTofu in a subject's folder.
type cli struct {
	path   string
	config string // the CLI configuration that makes it start the plugins that were built
	plugin []string
}

// with returns the CLI with another CLI configuration.
func (c cli) with(config string) cli {
	c.config = config
	return c
}

// program returns the plugin's binary, for the commands that it has for people.
func (c cli) program() cli {
	c.path = c.plugin[0]
	return c
}

func (c cli) run(ctx context.Context, s *subject, env []string, arguments ...string) (cost, error) {
	command := exec.CommandContext(ctx, c.path, arguments...)
	command.Dir = s.dir
	command.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+c.config, "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1", "TF_LOG=", "TF_CLI_ARGS=", "TF_DATA_DIR=")
	command.Env = append(command.Env, env...)
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output

	started := time.Now()
	if err := command.Start(); err != nil {
		return cost{}, err
	}
	watch := watchMemory(c.plugin)
	err := command.Wait()
	spent := cost{Wall: time.Since(started), Peak: watch.end()}
	if err != nil {
		text := output.String()
		return spent, fmt.Errorf("%s %s: %w\n%s", s.name, strings.Join(arguments, " "), err, text[max(0, len(text)-4000):])
	}
	return spent, nil
}

// memoryWatch follows the processes of some binaries.
type memoryWatch struct {
	stop chan struct{}
	done sync.WaitGroup
	peak int64
}

// watchMemory looks every few milliseconds: the system keeps each process's highest value, so that only what it takes in
// its very last moments is missed.
func watchMemory(binaries []string) *memoryWatch {
	w := &memoryWatch{stop: make(chan struct{})}
	w.done.Go(func() {
		ticker := time.NewTicker(20 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-w.stop:
				return
			case <-ticker.C:
				w.peak = max(w.peak, highest(binaries))
			}
		}
	})
	return w
}

func (w *memoryWatch) end() int64 {
	close(w.stop)
	w.done.Wait()
	return w.peak
}

// highest is the most that one of the processes has held so far, in bytes.
func highest(binaries []string) int64 {
	processes, _ := filepath.Glob("/proc/[0-9]*")
	var most int64
	for _, process := range processes {
		binary, err := os.Readlink(process + "/exe")
		if err != nil || !slices.Contains(binaries, binary) || isSandbox(process) {
			continue // it may have ended since
		}
		most = max(most, field(process+"/status", "VmHWM:"))
	}
	return most
}

// isSandbox reports whether a process of the plugin's binary serves the organization.
func isSandbox(process string) bool {
	line, err := os.ReadFile(process + "/cmdline")
	return err == nil && bytes.Contains(line, []byte("\x00sandbox\x00"))
}

// field reads a size from a process's status, in bytes; zero if it is not there.
func field(path, name string) int64 {
	status, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			kilobytes, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kilobytes << 10
		}
	}
	return 0
}

// idleRuns is how often the plugin is started to see how fast it is.
const idleRuns = 5

// idle starts the plugin some times, and returns how long it takes until it can be talked to, and the most it holds then.
func idle(plugin string) (ready time.Duration, held int64, err error) {
	var runs []cost
	for range idleRuns {
		ready, held, err := idleOnce(plugin)
		if err != nil {
			return 0, 0, err
		}
		runs = append(runs, cost{ready, held})
	}
	ready, _ = median(runs)
	return ready, peak(runs), nil
}

// idleOnce starts the plugin as a CLI does.
func idleOnce(plugin string) (ready time.Duration, held int64, err error) {
	command := exec.Command(plugin)
	command.Env = append(os.Environ(), "TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
		"PLUGIN_PROTOCOL_VERSIONS=6")
	stdout, err := command.StdoutPipe()
	if err != nil {
		return 0, 0, err
	}
	started := time.Now()
	if err := command.Start(); err != nil {
		return 0, 0, err
	}
	first := make([]byte, 1)
	_, err = stdout.Read(first) // the line that says where it listens
	ready = time.Since(started)
	held = field(fmt.Sprintf("/proc/%d/status", command.Process.Pid), "VmRSS:")
	_ = command.Process.Kill() // it waits for a CLI that never comes
	_ = command.Wait()
	return ready, held, err
}
