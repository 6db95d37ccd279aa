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
		for _, step := range []string{stepCreate, stepPlan, stepEach, stepExport, stepUpdate, stepDestroy} {
			if !slices.Contains(full[n], step) {
				t.Errorf("%d channels: %s is not measured", n, step)
			}
		}
	}
	short := all(options{sizes: []int{5000}, short: true, runs: 3})
	if len(short) != 2 || len(short[100]) != 6 || len(short[1000]) != 4 {
		t.Errorf("the short form measures %v", short)
	}
	if limited := all(options{sizes: []int{100}, runs: 1, limits: true}); len(limited[500]) != 2 {
		t.Errorf("with limits, %v is measured", limited)
	}
}
