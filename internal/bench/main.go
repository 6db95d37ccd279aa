// Bench measures what plans and applies cost: how many requests, how long, how much memory, for organizations of several
// sizes, beside what the CLI and the plugin protocol cost by themselves. It prints a table and writes the figures as JSON.
package main

import (
	"context"
	"encoding/json"
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
)

// options are what is measured.
type options struct {
	sizes  []int
	runs   int
	people int
	groups int
	tf     string
	json   string
}

func main() {
	sizes := flag.String("n", "100,1000,5000", "how many channels, one `number` after the other")
	o := options{}
	flag.IntVar(&o.runs, "runs", 3, "how often each plan is made")
	flag.IntVar(&o.people, "people", 5000, "how many people the organization has")
	flag.IntVar(&o.groups, "groups", 200, "how many groups it has")
	flag.StringVar(&o.tf, "tf", "terraform", "the CLI")
	flag.StringVar(&o.json, "json", "", "`file` for the figures")
	flag.Parse()
	for word := range strings.SplitSeq(*sizes, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 {
			fmt.Fprintf(os.Stderr, "bench: %q is not a number of channels\n", word)
			os.Exit(2)
		}
		o.sizes = append(o.sizes, n)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// A figure is what one command cost, beside the floors.
type figure struct {
	Channels int    `json:"channels"`
	Step     string `json:"step"`
	Cost     cost   `json:"cost"`
	Spread   int64  `json:"spread_ns"`
	// Floors are what the same command costs with the CLI's own resource, and with a provider that does nothing.
	Floors  [2]cost `json:"floors"`
	Traffic traffic `json:"traffic"`
}

// results are what is written as JSON.
type results struct {
	Commit  string        `json:"commit"`
	Go      string        `json:"go"`
	CPUs    int           `json:"cpus"`
	CLI     string        `json:"cli"`
	Ready   time.Duration `json:"ready_ns"`
	Idle    int64         `json:"idle_bytes"`
	Figures []figure      `json:"figures"`
}

func run(ctx context.Context, o options) error {
	work, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	c, err := build(ctx, o, work)
	if err != nil {
		return err
	}
	r := results{Go: runtime.Version(), CPUs: runtime.NumCPU(), Commit: output("git", "rev-parse", "--short", "HEAD"), CLI: output(o.tf, "version")}
	if r.Ready, r.Idle, err = idle(c.plugin[0]); err != nil {
		return err
	}
	fmt.Printf("%s, %s, %d CPUs, commit %s. The plugin is ready after %d ms and holds %d MB then.\n\n",
		r.CLI, r.Go, r.CPUs, r.Commit, r.Ready.Milliseconds(), r.Idle>>20)
	printHeader(os.Stdout)
	for _, n := range o.sizes {
		m := measurement{cli: c, o: o, n: n, work: filepath.Join(work, strconv.Itoa(n))}
		figures, err := m.run(ctx)
		r.Figures = append(r.Figures, figures...)
		if err != nil {
			return err
		}
	}
	printEndpoints(os.Stdout, r.Figures)
	if o.json == "" {
		return nil
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(o.json, append(data, '\n'), 0o600)
}

// build builds the plugin and the provider that does nothing, and the CLI configuration that makes the CLI start them.
func build(ctx context.Context, o options, work string) (cli, error) {
	root := output("go", "list", "-m", "-f", "{{.Dir}}")
	c := cli{path: o.tf, config: filepath.Join(work, "cli.tfrc")}
	overrides := ""
	for _, built := range []struct{ name, from string }{{"zulip", "."}, {"idle", "./internal/bench/idle"}} {
		dir := filepath.Join(work, "plugin-"+built.name)
		binary := filepath.Join(dir, "terraform-provider-"+built.name)
		command := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", binary, built.from)
		command.Dir = root
		if out, err := command.CombinedOutput(); err != nil {
			return c, fmt.Errorf("building %s: %w\n%s", built.name, err, out)
		}
		c.plugin = append(c.plugin, binary)
		overrides += fmt.Sprintf("    \"zulip-iac/%s\" = %q\n", built.name, dir)
	}
	config := "provider_installation {\n  dev_overrides {\n" + overrides + "  }\n}\n"
	return c, os.WriteFile(c.config, []byte(config), 0o600)
}

// output is the first line of what a command prints; empty if it fails.
func output(name string, arguments ...string) string {
	out, err := exec.Command(name, arguments...).Output()
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return line
}
