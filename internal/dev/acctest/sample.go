package acctest

import "testing"

// sampleEvery is the interval of the cases that Sample takes.
const sampleEvery = 8

// Sample returns the cases of a test with a long list of cases: all of them, or with -short one in eight. The race detector
// runs with -short, because races do not depend on the values.
func Sample[T any](cases []T) []T {
	if !testing.Short() {
		return cases
	}
	var some []T
	for i := 0; i < len(cases); i += sampleEvery {
		some = append(some, cases[i])
	}
	return some
}
