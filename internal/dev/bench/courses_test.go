package main

import (
	"slices"
	"testing"
)

// The sizes and steps that are measured, whatever the form; what the forms leave out.
func TestCoursesCoverEverySize(t *testing.T) {
	all := func(o options) map[int][]string {
		steps := map[int][]string{}
		for _, c := range courses(o) {
			steps[c.channels] = append(steps[c.channels], c.steps...)
		}
		return steps
	}
	full := all(options{sizes: []int{100, 1000, 5000}, runs: 3})
	for _, n := range []int{100, 1000, 5000} {
		for _, step := range []string{stepCreate, stepPlan, stepEach, stepExport, stepAudit, stepUpdate, stepDestroy} {
			if !slices.Contains(full[n], step) {
				t.Errorf("%d channels: %s is not measured", n, step)
			}
		}
	}
	if got := full[commandChannels]; !slices.Equal(got, []string{stepExport, stepAudit}) {
		t.Errorf("of %d channels %v is measured, want the commands", commandChannels, got)
	}
	short := all(options{sizes: []int{5000}, short: true, runs: 3})
	if len(short) != 3 || len(short[100]) != 7 || len(short[1000]) != 5 || len(short[commandChannels]) != 2 {
		t.Errorf("the short form measures %v", short)
	}
	if limited := all(options{sizes: []int{100}, runs: 1, limits: true}); len(limited[500]) != 2 {
		t.Errorf("with limits, %v is measured", limited)
	}
}
