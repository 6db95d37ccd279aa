package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

// results are what is written as JSON.
type results struct {
	Commit string `json:"commit"`
	Go     string `json:"go"`
	CLI    string `json:"cli"`
	CPU    string `json:"cpu"`
	CPUs   int    `json:"cpus"`
	People int    `json:"people"`
	Groups int    `json:"groups"`
	// Ready is how long the plugin's process takes until it can be talked to, Idle what it holds then, in bytes.
	Ready   time.Duration `json:"ready_ns"`
	Idle    int64         `json:"idle_bytes"`
	Figures []*figure     `json:"figures"`
}

// The steps that are measured.
const (
	stepCreate  = "create"
	stepPlan    = "plan"
	stepEach    = "plan, one request each" // as providers usually read
	stepExport  = "export"                 // of everything that is there, by the command, with subscribers
	stepAudit   = "audit"                  // in every form, by the command
	stepUpdate  = "update"
	stepDestroy = "destroy"
)

// A figure is what one command cost, beside the floors.
type figure struct {
	Channels int    `json:"channels"`
	Step     string `json:"step"`
	// State is where the CLI keeps its state.
	State statePlace `json:"state"`
	// Limited tells that the server had the limits that it has by default.
	Limited bool   `json:"limited"`
	Runs    []cost `json:"runs"`
	// Floors are what the same command costs with the CLI's own resource, with a provider that does nothing, and, for a plan,
	// with a plugin that answers at once. Empty where they were not measured.
	Floors [3][]cost `json:"floors"`
	// Written are the sizes of the files that a command wrote, in bytes, by what they are: json, html.
	Written map[string]int64 `json:"written_bytes,omitempty"`
	// Traffic is that of the run with the most.
	Traffic traffic `json:"traffic"`
	// Plugin is what the plugin says about itself, in a run of its own that the others do not count.
	Plugin *report `json:"plugin,omitempty"`
}

// A cost is what one command took.
type cost struct {
	Wall time.Duration `json:"wall_ns"`
	// Peak is the most memory the plugin's process held, in bytes; zero where there was none.
	Peak int64 `json:"peak_bytes"`
}

// newResults says what is measured, and with what.
func newResults(o options) *results {
	return &results{
		Commit: output("git", "rev-parse", "--short", "HEAD"), Go: runtime.Version(), CLI: output(o.tf, "version"),
		CPU: processor(), CPUs: runtime.NumCPU(), People: o.people, Groups: o.groups,
	}
}

// add adds a figure, or its runs to those of the same one.
func (r *results) add(f *figure) {
	same, ok := r.find(f.Channels, f.Step, f.State, f.Limited)
	if !ok {
		r.Figures = append(r.Figures, f)
		return
	}
	same.Runs = append(same.Runs, f.Runs...)
	for i := range same.Floors {
		same.Floors[i] = append(same.Floors[i], f.Floors[i]...)
	}
	if f.Traffic.Requests > same.Traffic.Requests {
		same.Traffic = f.Traffic
	}
	same.Plugin = cmp.Or(f.Plugin, same.Plugin)
	if f.Written != nil {
		same.Written = f.Written
	}
}

func (r *results) find(channels int, step string, kept statePlace, limited bool) (*figure, bool) {
	i := slices.IndexFunc(r.Figures, func(f *figure) bool {
		return f.Channels == channels && f.Step == step && f.State == kept && f.Limited == limited
	})
	if i < 0 {
		return nil, false
	}
	return r.Figures[i], true
}

func readResults(path string) (*results, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := &results{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

func (r *results) write(path string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o600)
}

// median and spread of several runs; zero of none.
func median(runs []cost) (wall, spread time.Duration) {
	if len(runs) == 0 {
		return 0, 0
	}
	walls := sortedWalls(runs)
	return walls[len(walls)/2], walls[len(walls)-1] - walls[0]
}

func sortedWalls(runs []cost) []time.Duration {
	var walls []time.Duration
	for _, run := range runs {
		walls = append(walls, run.Wall)
	}
	slices.Sort(walls)
	return walls
}

// peak is the most memory of several runs.
func peak(runs []cost) int64 {
	var most int64
	for _, run := range runs {
		most = max(most, run.Peak)
	}
	return most
}

// over is how many times the floor the figure takes; zero if the floor was not measured.
func (f *figure) over(floor int) float64 { return times(f.Runs, f.Floors[floor]) }

// least is how many times floor 1 a plan takes with a plugin that answers at once; zero if that was not measured.
func (f *figure) least() float64 { return times(f.Floors[2], f.Floors[0]) }

// times is how many times as long as others some runs take; zero without either.
func times(runs, others []cost) float64 {
	wall, _ := median(runs)
	other, _ := median(others)
	if other == 0 {
		return 0
	}
	return wall.Seconds() / other.Seconds()
}

// each is how many requests there are for a channel.
func (f *figure) each() float64 { return float64(f.Traffic.Requests) / float64(f.Channels) }

// output is the first line of what a command prints; empty if it fails.
func output(name string, arguments ...string) string {
	out, err := exec.Command(name, arguments...).Output()
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return line
}

// processor is what the system calls the processor; empty where it does not say.
func processor() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(info)) {
		if name, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
