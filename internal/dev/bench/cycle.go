package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// A cycle is one course, being measured.
type cycle struct {
	*bench
	course
	name string

	world                       *world
	ours, cliFloor, protocolFlr *subject
}

// run measures the steps one after the other; each figure goes to add as soon as it is there.
func (c *cycle) run(ctx context.Context, add func(*figure)) (err error) {
	if err := c.prepare(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.world.stop()) }()
	for _, step := range c.steps {
		fmt.Fprintf(os.Stderr, "bench: %d channels, state: %s: %s\n", c.channels, c.state, step)
		f, err := c.step(ctx, step)
		if err != nil {
			return fmt.Errorf("%d channels: %s: %w", c.channels, step, err)
		}
		add(f)
	}
	return nil
}

// prepare makes an organization and the configurations.
func (c *cycle) prepare(ctx context.Context) error {
	folder := filepath.Join(c.work, c.name)
	c.world = &world{plugin: c.cli.plugin[0], dir: filepath.Join(folder, "organization"), people: c.options.people, groups: c.options.groups}
	if err := os.MkdirAll(c.world.dir, 0o750); err != nil {
		return err
	}
	if err := c.world.writeAccounts(); err != nil {
		return err
	}
	if err := c.world.start(); err != nil {
		return err
	}
	if err := errors.Join(c.world.ready(), c.world.fill()); err != nil {
		return errors.Join(err, c.world.stop())
	}
	if c.filled {
		if err := c.world.fillChannels(c.channels); err != nil {
			return errors.Join(err, c.world.stop())
		}
	}
	c.ours, c.cliFloor, c.protocolFlr = subjects(folder)
	if c.state == isRemote {
		for _, s := range c.subjects() {
			if err := s.useRemoteState(ctx, c.cli, c.states.url+"/"+c.name+"/"+filepath.Base(s.dir)); err != nil {
				return errors.Join(err, c.world.stop())
			}
		}
	}
	return c.write("first")
}

func (c *cycle) subjects() []*subject { return []*subject{c.cliFloor, c.protocolFlr, c.ours} }

func (c *cycle) write(word string) error {
	for _, s := range c.subjects() {
		if err := s.write(c.channels, word, c.world); err != nil {
			return err
		}
	}
	return nil
}

var (
	apply   = []string{"apply", "-auto-approve", "-input=false", "-no-color"}
	plan    = []string{"plan", "-detailed-exitcode", "-input=false", "-no-color"}
	destroy = []string{"destroy", "-auto-approve", "-input=false", "-no-color"}
)

// step measures one step. The plan is made under the limits that a server has by default: it must not have to wait. With
// other steps they are one of the things measured, or they are off.
func (c *cycle) step(ctx context.Context, step string) (*figure, error) {
	f := &figure{Channels: c.channels, Step: step, State: c.state, Limited: c.limited}
	switch step {
	case stepPlan:
		f.Limited = true
	case stepEach:
		f.Limited = c.limited || underLimits(c.channels+10) == 0
	}
	if err := c.world.restart(f.Limited); err != nil {
		return f, err
	}
	switch step {
	case stepCreate:
		if c.limited {
			return f, c.watched(ctx, f, apply)
		}
		return f, c.compared(ctx, f, 1, apply)
	case stepPlan:
		if err := c.compared(ctx, f, c.plans, plan); err != nil {
			return f, err
		}
		return f, c.report(ctx, f)
	case stepEach:
		return f, c.watched(ctx, f, plan, "ZULIP_BENCH_READ_EACH=1")
	case stepExport:
		return f, c.commanded(ctx, f, []string{"export", filepath.Join(c.world.dir, "exported"), "--subscribers"}, nil)
	case stepAudit:
		written := map[string]string{"json": filepath.Join(c.world.dir, "audit.json"), "html": filepath.Join(c.world.dir, "audit.html")}
		return f, c.commanded(ctx, f, []string{"audit", "--json", written["json"], "--html", written["html"], "--markdown", os.DevNull}, written)
	case stepUpdate:
		if err := c.write("second"); err != nil {
			return f, err
		}
		return f, c.compared(ctx, f, 1, apply)
	}
	return f, c.compared(ctx, f, 1, destroy)
}

// compared runs a command for the provider and the floors in turns, so that whatever else the machine does weighs on all of
// them alike.
func (c *cycle) compared(ctx context.Context, f *figure, runs int, command []string) error {
	floors := c.floors(f.Step)
	for range runs {
		for i, floor := range floors {
			spent, err := c.cli.run(ctx, floor.subject, floor.env, command...)
			if err != nil {
				return err
			}
			f.Floors[i] = append(f.Floors[i], spent)
		}
		if err := c.counted(ctx, c.cli, f, command); err != nil {
			return err
		}
	}
	return nil
}

// A floor is a subject that costs less than the provider can.
type floor struct {
	*subject
	env []string
}

// floors are those that a step is measured beside, in the order of the figure's.
func (c *cycle) floors(step string) []floor {
	switch {
	case slices.Contains(c.alone, step):
		return nil
	case step == stepPlan:
		// Its libraries log nothing, as those of the provider don't where nobody asked for a log.
		atOnce := []string{"ZULIP_BENCH_AT_ONCE=1", "TF_LOG_SDK=off", "TF_LOG_SDK_FRAMEWORK=off", "TF_LOG_SDK_PROTO=off"}
		return []floor{{c.cliFloor, nil}, {c.protocolFlr, nil}, {c.protocolFlr, atOnce}}
	}
	return []floor{{c.cliFloor, nil}, {c.protocolFlr, nil}}
}

// counted runs a command for the provider, and counts what the server was asked.
func (c *cycle) counted(ctx context.Context, with cli, f *figure, command []string, env ...string) error {
	if _, err := c.world.since(); err != nil { // what came before is not this command's
		return err
	}
	spent, err := with.run(ctx, c.ours, append(c.world.env, env...), command...)
	if err != nil {
		return err
	}
	asked, err := c.world.since()
	if err != nil {
		return err
	}
	f.Runs = append(f.Runs, spent)
	if asked.Requests > f.Traffic.Requests {
		f.Traffic = asked // the worst of the runs
	}
	return nil
}

// commanded runs a command of the plugin's binary: as often as a plan in an organization that is there for it. written are
// the files whose sizes are kept.
func (c *cycle) commanded(ctx context.Context, f *figure, command []string, written map[string]string) error {
	runs := 1
	if c.filled {
		runs = c.plans
	}
	for range runs {
		if err := c.counted(ctx, c.cli.program(), f, command); err != nil {
			return err
		}
	}
	for kind, path := range written {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		if f.Written == nil {
			f.Written = map[string]int64{}
		}
		f.Written[kind] = info.Size()
	}
	return nil
}

// watched runs a command once with the plugin that watches itself.
func (c *cycle) watched(ctx context.Context, f *figure, command []string, env ...string) error {
	folder, err := os.MkdirTemp(c.work, "report")
	if err != nil {
		return err
	}
	env = append(env, "ZULIP_BENCH_REPORT="+folder)
	if err := c.counted(ctx, c.cli.with(c.instrumented), f, command, env...); err != nil {
		return err
	}
	f.Plugin, _, err = readReports(folder)
	return err
}

// report makes a plan once more with the plugin that watches itself, for what the plugin says, and with profiles if they
// are wanted. Its time and its requests are not counted.
func (c *cycle) report(ctx context.Context, f *figure) error {
	folder, err := os.MkdirTemp(c.work, "report")
	if err != nil {
		return err
	}
	env := append([]string{"ZULIP_BENCH_REPORT=" + folder}, c.world.env...)
	if c.options.profiles != "" {
		env = append(env, "ZULIP_BENCH_PROFILE=1")
	}
	if _, err := c.cli.with(c.instrumented).run(ctx, c.ours, env, plan...); err != nil {
		return err
	}
	sum, busiest, err := readReports(folder)
	if err != nil {
		return err
	}
	f.Plugin = sum
	if c.options.profiles == "" {
		return nil
	}
	return keepProfiles(busiest, c.options.profiles, fmt.Sprintf("plan-%d", c.channels))
}
