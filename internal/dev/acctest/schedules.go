package acctest

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
)

// A sample has fewSchedules of each scenario, or fewOfMany if there are many scenarios. mostSchedules bounds the search for one
// that differs.
const (
	fewSchedules  = 8
	fewOfMany     = 3
	manyScenarios = 20
	mostSchedules = 100
)

// shortPart is the part of a sample that a test takes with -short: one in so many. The race detector runs with -short, because
// races do not depend on values, and need crossing requests rather than every order.
const shortPart = 8

// scheduleSeed chooses the sample. ZULIP_TEST_SEED repeats one that was printed.
var scheduleSeed = sync.OnceValue(func() uint64 {
	text := cmp.Or(os.Getenv("ZULIP_TEST_SEED"), strconv.FormatUint(rand.Uint64N(1_000_000), 10)) //nolint:gosec // random values in tests need no secrecy
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		panic("ZULIP_TEST_SEED: " + err.Error())
	}
	return seed
})

// enumeratesAll reports whether tests enumerate instead of sampling.
func enumeratesAll() bool { return os.Getenv("ZULIP_TEST_ALL") == "1" }

// Number returns the number of cases that a test tries: all with ZULIP_TEST_ALL=1, and otherwise a sample.
func Number(all, sample int) int {
	switch {
	case testing.Short():
		return max(1, sample/shortPart)
	case enumeratesAll():
		return all
	}
	return sample
}

// Sample returns the cases of a test with a long list of cases: all of them, or with -short a part that the seed chooses.
func Sample[T any](cases []T) (some []T) {
	if !testing.Short() || len(cases) == 0 {
		return cases
	}
	first := scheduleSeed() % uint64(min(len(cases), shortPart))
	for i := int(first); i < len(cases); i += shortPart {
		some = append(some, cases[i])
	}
	return some
}

// Sampled reports whether the sample of this run has a case, if it has one case in every few. The words name the case.
func Sampled(every int, words ...string) bool {
	if every < 2 || enumeratesAll() {
		return true
	}
	hash := fnv.New64a()
	_, _ = fmt.Fprint(hash, words)
	return rand.New(rand.NewPCG(scheduleSeed(), hash.Sum64())).IntN(every) == 0 //nolint:gosec // random values in tests need no secrecy
}

// SampleSeed says how to repeat the sample of this run.
func SampleSeed() string {
	if enumeratesAll() {
		return "nothing is sampled"
	}
	return fmt.Sprintf("sampled with ZULIP_TEST_SEED=%d", scheduleSeed())
}

// A Schedule is one variant of a scenario: a path through the tree of all choices.
type Schedule struct {
	choices, options []int
	step             int
	random           *rand.Rand // nil if all schedules are enumerated, and for the first schedule
}

// Choose returns the next choice, from 0 to n-1. The first schedule of a scenario takes the first of all choices.
func (s *Schedule) Choose(n int) int {
	if s.step == len(s.choices) {
		choice := 0
		if s.random != nil {
			choice = s.random.IntN(n)
		}
		s.choices, s.options = append(s.choices, choice), append(s.options, n)
	}
	choice := s.choices[s.step]
	s.step++
	return choice
}

// next advances to the next path of the tree, and reports whether one exists.
func (s *Schedule) next() bool {
	s.step = 0
	for len(s.choices) > 0 {
		last := len(s.choices) - 1
		if s.choices[last]++; s.choices[last] < s.options[last] {
			return true
		}
		s.choices, s.options = s.choices[:last], s.options[:last]
	}
	return false
}

// Schedules tries every scenario on many schedules, as subtests: a sample chosen by a printed seed, or all of them with
// ZULIP_TEST_ALL=1. A scenario that has fewer than fewest schedules fails the test, because it has lost its choices.
func Schedules[S any](t *testing.T, what string, fewest int, scenarios map[string]S, try func(t *testing.T, scenario S, s *Schedule)) {
	t.Helper()
	var tried, kept atomic.Int32
	attempt := func(t *testing.T, scenario S, s *Schedule) {
		t.Helper()
		if t.Run(fmt.Sprint(tried.Add(1)), func(t *testing.T) { try(t, scenario, s) }) {
			kept.Add(1)
		}
	}
	few := Number(fewSchedules, fewSchedules)
	if len(scenarios) >= manyScenarios {
		few = min(few, fewOfMany)
	}
	t.Run("schedules", func(t *testing.T) {
		for name, scenario := range scenarios {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				if enumeratesAll() {
					count := 0
					for s, more := new(Schedule), true; more; more = s.next() {
						attempt(t, scenario, s)
						count++
					}
					if count < fewest {
						t.Errorf("%d schedules are too few", count)
					}
					return
				}
				trySample(t, few, fewest, func(s *Schedule) { attempt(t, scenario, s) })
			})
		}
	})
	sampled := ""
	if !enumeratesAll() {
		sampled = " " + SampleSeed()
	}
	Report(func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "%s: %d schedules%s, %d kept the promise\n", what, tried.Load(), sampled, kept.Load())
	})
	if t.Failed() {
		t.Log(what + sampled)
	}
}

// trySample tries a few schedules. Schedules are equal only if no choice is left.
func trySample(t *testing.T, few, fewest int, attempt func(*Schedule)) {
	t.Helper()
	random := rand.New(rand.NewPCG(scheduleSeed(), uint64(len(t.Name())))) //nolint:gosec // random values in tests need no secrecy
	var paths [][]int
	hasChoices := func() bool { return fewest <= few || len(paths) > 1 }
	for i := 0; i < few || i < mostSchedules && !hasChoices(); i++ { // a sample can be the same schedule by chance
		s := new(Schedule)
		if i > 0 {
			s.random = random
		}
		attempt(s)
		if !slices.ContainsFunc(paths, func(path []int) bool { return slices.Equal(path, s.choices) }) {
			paths = append(paths, s.choices)
		}
	}
	if !hasChoices() {
		t.Errorf("%d schedules are all the same", mostSchedules)
	}
}
