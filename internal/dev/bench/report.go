package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A report is what the instrumented plugin's processes of one command say about themselves.
type report struct {
	// Waited is how long requests waited for the server's limits.
	Waited time.Duration `json:"waited_ns"`
	// CPU is the processor's time.
	CPU         time.Duration `json:"cpu_ns"`
	Allocated   int64         `json:"allocated_bytes"`
	Allocations int64         `json:"allocations"`
	// Goroutines are those at the end of a process, LeftBehind those of them that the provider has started itself.
	Goroutines int `json:"goroutines"`
	LeftBehind int `json:"left_behind"`
}

// readReports adds up the reports of a folder, and returns the one that had the most to do, as a path without its ending.
func readReports(folder string) (sum *report, busiest string, err error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, "", err
	}
	if len(paths) == 0 {
		return nil, "", errors.New("the plugin wrote no report")
	}
	sum = &report{}
	var most time.Duration
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, "", err
		}
		var one report
		if err := json.Unmarshal(data, &one); err != nil {
			return nil, "", fmt.Errorf("%s: %w", path, err)
		}
		sum.Waited += one.Waited
		sum.CPU += one.CPU
		sum.Allocated += one.Allocated
		sum.Allocations += one.Allocations
		sum.Goroutines = max(sum.Goroutines, one.Goroutines)
		sum.LeftBehind += one.LeftBehind
		if one.CPU > most {
			most, busiest = one.CPU, strings.TrimSuffix(path, ".json")
		}
	}
	return sum, busiest, nil
}

// keepProfiles copies the profiles of a process to a folder.
func keepProfiles(process, folder, name string) error {
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return err
	}
	for _, kind := range []string{".cpu.pprof", ".heap.pprof"} {
		data, err := os.ReadFile(process + kind)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, name+kind), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}
