//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"
	"syscall"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// instrument returns what writes, when the plugin ends, a report into the folder that ZULIP_BENCH_REPORT names. With
// ZULIP_BENCH_PROFILE profiles of the processor and of the memory are written beside it. A CLI starts several processes for
// one command: each has files of its own.
func instrument(client *zulip.Client) func() {
	folder := os.Getenv("ZULIP_BENCH_REPORT")
	if folder == "" {
		return func() {}
	}
	base := filepath.Join(folder, fmt.Sprint(os.Getpid()))
	stop := func() error { return nil }
	if os.Getenv("ZULIP_BENCH_PROFILE") != "" {
		stop = profile(base)
	}
	return func() {
		if err := stop(); err != nil {
			fail(err)
		}
		if err := writeReport(base+".json", client); err != nil {
			fail(err)
		}
	}
}

// profile begins a profile of the processor; what it returns ends it, and writes the one of the memory.
func profile(base string) func() error {
	cpu, err := os.Create(base + ".cpu.pprof")
	if err != nil {
		fail(err)
	}
	if err := pprof.StartCPUProfile(cpu); err != nil {
		fail(err)
	}
	return func() error {
		pprof.StopCPUProfile()
		if err := cpu.Close(); err != nil {
			return err
		}
		// Without a collection first: what the last one of the run has found in use, not what is left at its end.
		heap, err := os.Create(base + ".heap.pprof")
		if err != nil {
			return err
		}
		if err := pprof.WriteHeapProfile(heap); err != nil {
			return err
		}
		return heap.Close()
	}
}

// writeReport writes what the process has cost so far.
func writeReport(path string, client *zulip.Client) error {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return err
	}
	report, err := json.Marshal(map[string]any{
		"waited_ns":       client.Waited(),
		"cpu_ns":          time.Duration(used.Utime.Nano() + used.Stime.Nano()),
		"allocated_bytes": memory.TotalAlloc,
		"allocations":     memory.Mallocs,
		"goroutines":      runtime.NumGoroutine(),
		"left_behind":     leftBehind(),
	})
	if err != nil {
		return err
	}
	return os.WriteFile(path, report, 0o600)
}

// leftBehind counts the goroutines that the provider has started and that have not ended: those of the plugin's libraries
// and of kept connections are not its own.
func leftBehind() int {
	stacks := make([]byte, 16<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	count := 0
	for stack := range strings.SplitSeq(string(stacks), "\n\n") {
		if strings.Contains(stack, "/terraform-provider-zulip/internal/") && !strings.HasPrefix(stack, "goroutine 1 ") {
			count++
		}
	}
	return count
}
