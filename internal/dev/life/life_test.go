package life

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/png"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// The number of histories, and of the rounds of each.
const (
	histories     = 40
	shortCount    = 4
	nightly       = 5000 // with ZULIP_TEST_ALL=1
	roundsOfEach  = 6
	concurrently  = 8
	timeOfShrinks = time.Minute
)

// Random histories keep every promise. The usual ones are always the same; ZULIP_TEST_ALL=1 draws others, and ZULIP_TEST_SEED repeats a
// run that was printed.
func TestProtocolLife(t *testing.T) {
	count, seed := histories, "1"
	switch {
	case testing.Short():
		count = shortCount
	case os.Getenv("ZULIP_TEST_ALL") == "1":
		count, seed = nightly, strconv.Itoa(rand.IntN(1_000_000))
	}
	first, err := strconv.ParseUint(cmp.Or(os.Getenv("ZULIP_TEST_SEED"), seed), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	file := picture(t)
	var mu sync.Mutex
	found := map[string]uint64{}
	sum := Outcome{}
	play := func(seed uint64) {
		outcome, err := Play(New(seed, roundsOfEach), seed, file)
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			t.Error(err)
		}
		sum.Rounds, sum.Refused = sum.Rounds+outcome.Rounds, sum.Refused+outcome.Refused
		sum.Changes, sum.Effects = sum.Changes+outcome.Changes, sum.Effects+outcome.Effects
		for _, violation := range outcome.Violations {
			found[Kind(violation)] = seed
		}
	}
	next := make(chan uint64)
	var all sync.WaitGroup
	for range concurrently {
		all.Go(func() {
			for seed := range next {
				play(seed)
			}
		})
	}
	started := time.Now()
	for i := range count {
		next <- first*1000 + uint64(i)
	}
	close(next)
	all.Wait()
	acctest.Report(func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "life: %d histories with ZULIP_TEST_SEED=%d, %d rounds in %s, %d refused plans, %d changes compared with plans, %d effects with reviews\n",
			count, first, sum.Rounds, time.Since(started).Round(time.Second), sum.Refused, sum.Changes, sum.Effects)
	})
	if sum.Changes == 0 || sum.Effects == 0 {
		t.Error("the histories change nothing that is compared")
	}
	for _, kind := range slices.Sorted(maps.Keys(found)) {
		seed := found[kind]
		turns, shows := Shrink(New(seed, roundsOfEach), seed, file, kind, timeOfShrinks)
		if len(shows.Violations) == 0 {
			shows, _ = Play(turns, seed, file)
		}
		t.Errorf("ZULIP_TEST_SEED=%d, history %d, %s\n%s", first, seed, kind, shows.Text)
	}
}

// picture writes a small picture, and returns its path.
func picture(t *testing.T) string {
	t.Helper()
	var encoded bytes.Buffer
	if err := png.Encode(&encoded, image.NewGray(image.Rect(0, 0, 10, 10))); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "picture.png")
	if err := os.WriteFile(path, encoded.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
