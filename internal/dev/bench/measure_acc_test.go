package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestAccBench measures a few channels through a real CLI, with the state in a file.
func TestAccBench(t *testing.T) {
	dir := t.TempDir()
	o := options{
		sizes: []int{few}, runs: 1, people: 30, groups: 3, tf: os.Getenv("TF_ACC_TERRAFORM_PATH"),
		json: filepath.Join(dir, "bench.json"), profiles: filepath.Join(dir, "profiles"),
	}
	var table bytes.Buffer
	if err := o.do(t.Context(), &table); err != nil {
		t.Fatal(err)
	}
	r, err := readResults(o.json)
	if err != nil {
		t.Fatal(err)
	}
	steps := map[string]*figure{}
	for _, f := range r.Figures {
		steps[f.Step] = f
	}
	for step, endpoint := range map[string]string{
		stepCreate: "POST /channels/create", stepUpdate: "PATCH /streams/{id}", stepDestroy: "DELETE /streams/{id}",
		stepEach: "GET /streams/{id}",
	} {
		if f := steps[step]; f == nil || f.Traffic.ByEndpoint[endpoint] != few {
			t.Errorf("%s: %+v, want %d of %s", step, f, few, endpoint)
		}
	}
	// An account with a role above member is asked for by itself: the server's list may hide what it is.
	const privileged = "GET /users/{id}"
	if f := steps[stepExport]; f == nil || peak(f.Runs) == 0 || f.Traffic.Requests == 0 || f.Traffic.Requests-f.Traffic.ByEndpoint[privileged] > 12 || f.Traffic.ByEndpoint[privileged] > 5 {
		t.Errorf("the export: %+v", f)
	}
	if f := steps[stepAudit]; f == nil || peak(f.Runs) == 0 || f.Traffic.Requests == 0 || f.Traffic.Requests > 8 || f.Written["json"] == 0 || f.Written["html"] == 0 {
		t.Errorf("the audit: %+v", f)
	}
	plan := steps[stepPlan]
	switch {
	case plan == nil || plan.Plugin == nil:
		t.Fatalf("the plan was not measured, or not watched:\n%s", table.String())
	case plan.Traffic.Requests > 4 || plan.Traffic.Bytes == 0 || plan.Traffic.Refused > 0 || plan.Plugin.Waited > 0:
		t.Errorf("a plan asks %+v, and waits %s", plan.Traffic, plan.Plugin.Waited)
	case plan.Plugin.LeftBehind > 0:
		t.Errorf("the plugin leaves %d goroutines behind", plan.Plugin.LeftBehind)
	case peak(plan.Runs) == 0 || plan.over(0) == 0 || plan.over(1) == 0:
		t.Errorf("no memory or no floors were measured: %+v", plan)
	}
	for _, name := range []string{"plan-4.cpu.pprof", "plan-4.heap.pprof"} {
		if profile, err := os.Stat(filepath.Join(o.profiles, name)); err != nil || profile.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// few is how many channels the test measures.
const few = 4

// TestAccBenchRemoteState makes some channels with a remote state, as many are made.
func TestAccBenchRemoteState(t *testing.T) {
	o := options{runs: 1, people: 30, groups: 3, tf: os.Getenv("TF_ACC_TERRAFORM_PATH")}
	b, err := build(t.Context(), o, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, switched := range []string{"ZULIP_BENCH_READ_EACH", "ZULIP_BENCH_REPORT", "ZULIP_BENCH_PROFILE"} {
		for i, has := range []bool{false, true} {
			binary, err := os.ReadFile(b.cli.plugin[i])
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(binary, []byte(switched)) != has {
				t.Errorf("the instrumented plugin must know %s, the one for users must not: that of number %d is wrong", switched, i)
			}
		}
	}
	if b.states, err = serveStates(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.states.close)
	r := &results{}
	c := cycle{bench: b, name: "remote", course: course{channels: few, state: isRemote, steps: []string{stepCreate, stepPlan, stepDestroy}, plans: 1}}
	if err := c.run(t.Context(), r.add); err != nil {
		t.Fatal(err)
	}
	if len(r.Figures) != 3 || r.Figures[1].Traffic.Requests > 4 {
		t.Errorf("measured %+v", r.Figures)
	}
	if len(b.states.states) != 3 {
		t.Errorf("%d states are remote, want those of the provider and two floors", len(b.states.states))
	}
}

// TestAccBenchCommands measures the commands in an organization whose channels no CLI has made.
func TestAccBenchCommands(t *testing.T) {
	o := options{runs: 1, people: 30, groups: 3, tf: os.Getenv("TF_ACC_TERRAFORM_PATH")}
	b, err := build(t.Context(), o, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &results{}
	c := cycle{bench: b, name: "commands", course: course{channels: few, state: noState, steps: []string{stepExport, stepAudit}, plans: 2, filled: true}}
	if err := c.run(t.Context(), r.add); err != nil {
		t.Fatal(err)
	}
	if len(r.Figures) != 2 || len(r.Figures[0].Runs) != 2 || len(r.Figures[1].Runs) != 2 {
		t.Fatalf("measured %+v, want both commands twice", r.Figures)
	}
	audited, err := os.ReadFile(filepath.Join(c.world.dir, "audit.json"))
	if err != nil {
		t.Fatal(err)
	}
	var audit struct {
		Channels []struct {
			Name string
		}
	}
	if err := json.Unmarshal(audited, &audit); err != nil || len(audit.Channels) != few || audit.Channels[0].Name != "bench-0" {
		t.Errorf("%v: the audit has the channels %+v", err, audit.Channels)
	}
}

// TestAccBenchCountsWaits has the plugin refused once, and waits to be counted.
func TestAccBenchCountsWaits(t *testing.T) {
	o := options{runs: 1, people: 30, groups: 3, tf: os.Getenv("TF_ACC_TERRAFORM_PATH")}
	b, err := build(t.Context(), o, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := cycle{bench: b, name: "waits", course: course{channels: few, state: inFile}}
	if err := c.prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := c.world.stop(); err != nil {
		t.Fatal(err)
	}
	if err := c.world.start("--fail", "POST /register status=429 1 retry-after=1"); err != nil {
		t.Fatal(err)
	}
	f := &figure{Channels: few, Step: stepCreate, Limited: true}
	if err := c.watched(t.Context(), f, apply); err != nil {
		t.Error(err)
	} else if f.Traffic.Refused != 1 || f.Plugin.Waited < time.Second || f.Plugin.Waited > 10*time.Second {
		t.Errorf("refused %d times, waited %s; want once, and a second", f.Traffic.Refused, f.Plugin.Waited)
	}
	if err := c.world.stop(); err != nil {
		t.Error(err)
	}
}
