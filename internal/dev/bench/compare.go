package main

import (
	"fmt"
	"io"
	"strconv"
)

// compareFiles prints how the figures of two files differ.
func compareFiles(w io.Writer, before, after string) error {
	old, err := readResults(before)
	if err != nil {
		return err
	}
	now, err := readResults(after)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "Before: commit %s, %s, %d CPUs (%s).\nAfter:  commit %s, %s, %d CPUs (%s).\n\n",
		old.Commit, old.CLI, old.CPUs, old.CPU, now.Commit, now.CLI, now.CPUs, now.CPU)
	if err != nil {
		return err
	}
	var exact, timed [][]string
	for _, f := range now.Figures {
		if was, ok := old.find(f.Channels, f.Step, f.State, f.Limited); ok {
			exact = append(exact, exactRows(was, f)...)
			timed = append(timed, timedRow(was, f))
		}
	}
	if len(timed) == 0 {
		return fmt.Errorf("%s and %s have no figure in common", before, after)
	}
	_, _ = fmt.Fprintln(w, "Counts, which do not depend on what else the machine does:")
	printRows(w, append([][]string{{"channels", "step", "state", "figure", "before", "after", "÷", ""}}, exact...))
	_, _ = fmt.Fprintln(w, "\nTime. Outside of the noise is what is slower or faster in every run:")
	printRows(w, append([][]string{
		{"channels", "step", "state", "before", "after", "÷", "", "before ÷ floor 1", "after ÷ floor 1", "memory before", "after"},
	}, timed...))
	return nil
}

// exactRows compare what is the same each time, or nearly so.
func exactRows(was, now *figure) [][]string {
	// Those who write at the same time share what they read afterwards, and who that is varies a little.
	sharing := chance
	if now.Step == stepPlan || now.Step == stepEach {
		sharing = 0
	}
	rows := [][]string{
		exactRow(now, "requests", int64(was.Traffic.Requests), int64(now.Traffic.Requests), sharing),
		exactRow(now, "bytes answered", was.Traffic.Bytes, now.Traffic.Bytes, sharing),
	}
	if was.Plugin != nil && now.Plugin != nil {
		rows = append(rows,
			exactRow(now, "bytes allocated", was.Plugin.Allocated, now.Plugin.Allocated, chance),
			exactRow(now, "allocations", was.Plugin.Allocations, now.Plugin.Allocations, chance))
	}
	return rows
}

// chance is the share of what it does that a plugin does or not as its goroutines happen to meet.
const chance = 0.02

func exactRow(f *figure, name string, was, now int64, tolerance float64) []string {
	verdict := "the same"
	share := 1.0
	if was != now {
		share = float64(now) / float64(max(was, 1))
		switch {
		case share > 1+tolerance:
			verdict = "more"
		case share < 1-tolerance:
			verdict = "less"
		default:
			verdict = "about the same"
		}
	}
	return []string{
		strconv.Itoa(f.Channels), f.words(), string(f.State), name, strconv.FormatInt(was, 10), strconv.FormatInt(now, 10),
		fmt.Sprintf("%.2f", share), verdict,
	}
}

func timedRow(was, now *figure) []string {
	before, _ := median(was.Runs)
	after, _ := median(now.Runs)
	return []string{
		strconv.Itoa(now.Channels), now.words(), string(now.State), wall(was.Runs), wall(now.Runs),
		fmt.Sprintf("%.2f", after.Seconds()/max(before.Seconds(), 0.001)), verdict(was.Runs, now.Runs),
		ratio(was.over(0)), ratio(now.over(0)), megabytes(peak(was.Runs)), megabytes(peak(now.Runs)),
	}
}

// enough is how many runs of each side it takes to call a difference more than noise.
const enough = 3

// verdict says whether the times differ by more than noise.
func verdict(was, now []cost) string {
	if min(len(was), len(now)) < enough {
		return "too few runs"
	}
	before, after := sortedWalls(was), sortedWalls(now)
	switch {
	case after[0] > before[len(before)-1]:
		return "slower"
	case after[len(after)-1] < before[0]:
		return "faster"
	}
	return "within the noise"
}
