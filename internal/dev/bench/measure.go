package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
)

const (
	// fewChannels are so few that everything can be measured several times.
	fewChannels = 100
	// manyChannels are so many that the CLI would write its state file for an hour.
	manyChannels = 1000
	// limitedChannels are created under a server's default limits, in some minutes.
	limitedChannels = 500
	// commandChannels are those of the organization that the commands have goals for.
	commandChannels = 2000
)

// measure measures everything, prints the table, and writes the figures.
func measure(ctx context.Context, w io.Writer, o options) (err error) {
	work, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	b, err := build(ctx, o, work)
	if err != nil {
		return err
	}
	if b.states, err = serveStates(ctx); err != nil {
		return err
	}
	defer b.states.close()
	r := newResults(o)
	if r.Ready, r.Idle, err = idle(b.cli.plugin[0]); err != nil {
		return err
	}
	for i, course := range courses(o) {
		c := cycle{bench: b, course: course, name: strconv.Itoa(i)}
		if err = c.run(ctx, r.add); err != nil {
			break // what was measured until then is still of use
		}
	}
	printTable(w, r)
	if o.json != "" {
		err = errors.Join(err, r.write(o.json))
	}
	return err
}

// A course is one way through some of the steps, in an organization of its own.
type course struct {
	channels int
	state    statePlace
	steps    []string
	plans    int // how often each plan is made
	// limited tells that the server has its default limits throughout.
	limited bool
	// filled tells that the channels are there from the start, with subscribers and permissions of their own, and no CLI makes
	// them: in some seconds, for the commands alone.
	filled bool
	// alone are steps without the floors, whose floors would take longer than they tell.
	alone []string
}

// courses are what the options come to. What takes long is measured once.
func courses(o options) []course {
	var all []course
	sizes := o.sizes
	if o.short {
		sizes = []int{fewChannels, manyChannels}
	}
	everything := []string{stepCreate, stepPlan, stepEach, stepExport, stepAudit, stepUpdate, stepDestroy}
	for _, n := range sizes {
		switch {
		case n <= fewChannels && o.short:
			all = append(all, course{channels: n, state: inFile, steps: everything, plans: o.runs})
		case n <= fewChannels:
			all = append(all, course{channels: n, state: inFile, steps: everything, plans: 1})
			again := course{channels: n, state: inFile, steps: slices.DeleteFunc(slices.Clone(everything), isEach), plans: 1}
			all = append(all, slices.Repeat([]course{again}, o.runs-1)...)
		case o.short:
			all = append(all, course{channels: n, state: isRemote, steps: []string{stepCreate, stepPlan, stepEach, stepExport, stepAudit}, plans: o.runs})
		case n <= manyChannels:
			all = append(all, course{channels: n, state: inFile, steps: []string{stepCreate, stepPlan, stepEach, stepExport, stepAudit}, plans: o.runs})
			all = append(all, course{channels: n, state: isRemote, steps: []string{stepCreate, stepUpdate, stepDestroy}})
		default:
			all = append(all, course{channels: n, state: isRemote, steps: everything, plans: o.runs, alone: []string{stepUpdate, stepDestroy}})
		}
	}
	if slices.Max(sizes) >= manyChannels {
		all = append(all, course{channels: commandChannels, state: noState, steps: []string{stepExport, stepAudit}, plans: o.runs, filled: true})
	}
	if o.limits {
		all = append(all, course{channels: limitedChannels, state: isRemote, steps: []string{stepCreate, stepEach}, plans: 1, limited: true})
	}
	return all
}

func isEach(step string) bool { return step == stepEach }

// bench is what every course needs.
type bench struct {
	options options
	cli     cli
	// instrumented is the CLI configuration of the plugin with instruments.
	instrumented string
	states       *stateServer
	work         string
}

// build builds the plugin, as users get it and with instruments, and the provider that does nothing; and writes the CLI
// configurations that make the CLI start them.
func build(ctx context.Context, o options, work string) (*bench, error) {
	b := &bench{options: o, work: work, cli: cli{path: o.tf}}
	plugin, err := b.compile(ctx, "zulip", ".")
	if err != nil {
		return nil, err
	}
	watched, err := b.compile(ctx, "zulip", "./internal/dev/bench/instrumented")
	if err != nil {
		return nil, err
	}
	idle, err := b.compile(ctx, "idle", "./internal/dev/bench/idle")
	if err != nil {
		return nil, err
	}
	b.cli.plugin = []string{plugin, watched, idle}
	if b.cli.config, err = b.configure("cli.tfrc", plugin, idle); err != nil {
		return nil, err
	}
	b.instrumented, err = b.configure("instrumented.tfrc", watched, idle)
	return b, err
}

// compile builds a plugin in a folder of its own, where the CLI finds it.
func (b *bench) compile(ctx context.Context, name, from string) (string, error) {
	dir, err := os.MkdirTemp(b.work, "plugin-"+name)
	if err != nil {
		return "", err
	}
	binary := filepath.Join(dir, "terraform-provider-"+name)
	command := exec.CommandContext(ctx, "go", "build", "-o", binary, from)
	command.Dir = output("go", "list", "-m", "-f", "{{.Dir}}")
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", name, err, out)
	}
	return binary, nil
}

func (b *bench) configure(name, zulip, idle string) (string, error) {
	path := filepath.Join(b.work, name)
	config := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"zulip-iac/zulip\" = %q\n    \"zulip-iac/idle\" = %q\n  }\n}\n",
		filepath.Dir(zulip), filepath.Dir(idle))
	return path, os.WriteFile(path, []byte(config), 0o600)
}
