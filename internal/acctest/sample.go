package acctest

import "testing"

// sampled is one out of how many Sample takes.
const sampled = 8

// Sample returns the cases of a test that tries every one of a long list: all of them, or one in eight where the run is
// to be short, as under the race detector, which looks at how goroutines meet and not at values.
func Sample[T any](cases []T) []T {
	if !testing.Short() {
		return cases
	}
	var some []T
	for i := 0; i < len(cases); i += sampled {
		some = append(some, cases[i])
	}
	return some
}
