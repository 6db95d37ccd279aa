package acctest

import (
	"runtime"
	"testing"
)

// How many times as often, and as much, four times as many may allocate: what grows with the square takes sixteen times as much, and
// a buffer that doubles up to eight times.
const (
	mostTimes = 5
	mostBytes = 8
)

// ExpectLinear fails a test if something allocates with the square of a number. prepare makes so many of what it is done with, and
// returns what is measured when it is called for the second time.
func ExpectLinear(t testing.TB, number int, prepare func(number int) (do func())) {
	t.Helper()
	times, bytes := allocated(prepare(number))
	timesOfMore, bytesOfMore := allocated(prepare(4 * number))
	t.Logf("%d: %d allocations, %d kB; %d: %d allocations, %d kB", number, times, bytes/1000, 4*number, timesOfMore, bytesOfMore/1000)
	if timesOfMore > mostTimes*times {
		t.Errorf("%d of them take %d allocations, %d of them %d", number, times, 4*number, timesOfMore)
	}
	if bytesOfMore > mostBytes*bytes {
		t.Errorf("%d of them take %d bytes, %d of them %d", number, bytes, 4*number, bytesOfMore)
	}
}

func allocated(do func()) (times, bytes uint64) {
	do() // what is made once for a process is there then
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc
}
