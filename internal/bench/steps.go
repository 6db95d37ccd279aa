package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// A measurement is all steps at one size.
type measurement struct {
	cli  cli
	o    options
	n    int
	work string

	world                       *world
	ours, cliFloor, protocolFlr *subject
}

func (m *measurement) run(ctx context.Context) (figures []figure, err error) {
	if err := m.prepare(); err != nil {
		return nil, err
	}
	defer func() {
		if stopErr := m.world.stop(); err == nil {
			err = stopErr
		}
	}()
	add := func(f figure, err error) error {
		if err == nil {
			figures = append(figures, f)
			printFigure(os.Stdout, f)
		}
		return err
	}
	apply := []string{"apply", "-auto-approve", "-input=false", "-no-color"}
	if err := add(m.step(ctx, "create", 1, apply)); err != nil {
		return figures, err
	}
	// The plan is made under the limits that a server has by default: it must not have to wait.
	if err := m.world.stop(); err != nil {
		return figures, err
	}
	if err := m.world.start("--rate-limit"); err != nil {
		return figures, err
	}
	plan := []string{"plan", "-detailed-exitcode", "-input=false", "-no-color"}
	if err := add(m.step(ctx, "plan", m.o.runs, plan)); err != nil {
		return figures, err
	}
	if err := m.world.stop(); err != nil {
		return figures, err
	}
	if err := m.world.start(); err != nil {
		return figures, err
	}
	if err := m.write("second"); err != nil {
		return figures, err
	}
	if err := add(m.step(ctx, "update", 1, apply)); err != nil {
		return figures, err
	}
	return figures, add(m.step(ctx, "destroy", 1, []string{"destroy", "-auto-approve", "-input=false", "-no-color"}))
}

// prepare makes an organization and the configurations.
func (m *measurement) prepare() error {
	m.world = &world{plugin: m.cli.plugin[0], dir: filepath.Join(m.work, "organization"), people: m.o.people, groups: m.o.groups}
	if err := os.MkdirAll(m.world.dir, 0o750); err != nil {
		return err
	}
	if err := m.world.writeAccounts(); err != nil {
		return err
	}
	if err := m.world.start(); err != nil {
		return err
	}
	if err := m.world.ready(); err != nil {
		return err
	}
	if err := m.world.fill(); err != nil {
		return err
	}
	m.ours, m.cliFloor, m.protocolFlr = subjects(m.work)
	return m.write("first")
}

func (m *measurement) write(word string) error {
	for _, s := range []*subject{m.ours, m.cliFloor, m.protocolFlr} {
		if err := s.write(m.n, word, m.world); err != nil {
			return err
		}
	}
	return nil
}

// step runs one command for the provider and the floors in turns, so that whatever else the machine does weighs on all of
// them alike.
func (m *measurement) step(ctx context.Context, name string, runs int, arguments []string) (figure, error) {
	f := figure{Channels: m.n, Step: name}
	costs := map[*subject][]cost{}
	if _, err := m.world.since(); err != nil { // what came before is not this step's
		return f, err
	}
	for run := range runs {
		for _, s := range []*subject{m.cliFloor, m.protocolFlr, m.ours} {
			spent, err := m.cli.run(ctx, s, m.world.env, arguments...)
			if err != nil {
				return f, err
			}
			costs[s] = append(costs[s], spent)
			if s != m.ours {
				continue
			}
			traffic, err := m.world.since()
			if err != nil {
				return f, err
			}
			if run == 0 || traffic.Requests > f.Traffic.Requests {
				f.Traffic = traffic // the worst of the runs
			}
		}
	}
	var spread time.Duration
	f.Cost, spread = median(costs[m.ours])
	f.Spread = int64(spread)
	f.Floors[0], _ = median(costs[m.cliFloor])
	f.Floors[1], _ = median(costs[m.protocolFlr])
	if f.Cost.Wall == 0 {
		return f, fmt.Errorf("%s took no time", name)
	}
	return f, nil
}
