package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestVerdictKnowsNoise(t *testing.T) {
	runs := func(seconds ...int) (costs []cost) {
		for _, s := range seconds {
			costs = append(costs, cost{Wall: time.Duration(s) * time.Second})
		}
		return costs
	}
	for _, test := range []struct {
		was, now []cost
		want     string
	}{
		{runs(9, 10, 11), runs(14, 12, 13), "slower"},
		{runs(9, 10, 11), runs(6, 8, 7), "faster"},
		{runs(9, 10, 11), runs(11, 12, 13), "within the noise"},
		{runs(9, 10, 11), runs(20, 21), "too few runs"},
	} {
		if got := verdict(test.was, test.now); got != test.want {
			t.Errorf("%v and %v: %q, want %q", test.was, test.now, got, test.want)
		}
	}
}

func TestCompareFilesPutsCountsFirst(t *testing.T) {
	before, after := planned(4, 1000), planned(5, 1010)
	dir := t.TempDir()
	paths := []string{filepath.Join(dir, "before.json"), filepath.Join(dir, "after.json")}
	for i, r := range []*results{before, after} {
		if err := r.write(paths[i]); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := compareFiles(&out, paths[0], paths[1]); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(out.String()) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	text := strings.Join(lines, "\n")
	requests := strings.Index(text, "100 plan file requests 4 5 1.25 more")
	allocations := strings.Index(text, "100 plan file allocations 1000 1010 1.01 about the same")
	slower := strings.Index(text, "100 plan file 1.0 s ±0.0 s 2.0 s ±0.0 s 2.00 slower")
	if requests < 0 || allocations < requests || slower < allocations {
		t.Errorf("not there, or not in this order (%d, %d, %d):\n%s", requests, allocations, slower, text)
	}
	if err := compareFiles(&out, paths[0], filepath.Join(dir, "none.json")); err == nil {
		t.Error("a file that is not there is compared")
	}
}

// planned are results with one figure: a plan that takes as many seconds as requests over three.
func planned(requests int, allocations int64) *results {
	took := cost{Wall: time.Duration(requests-3) * time.Second, Peak: 1 << 20}
	return &results{Figures: []*figure{{
		Channels: 100, Step: stepPlan, State: inFile, Limited: true, Runs: []cost{took, took, took},
		Traffic: traffic{Requests: requests, Bytes: 1}, Plugin: &report{Allocations: allocations},
	}}}
}
