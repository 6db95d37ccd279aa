package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// printTable prints all figures.
func printTable(w io.Writer, r *results) {
	_, _ = fmt.Fprintf(w, "%s, %s, %d CPUs (%s), commit %s; an organization of %d people and %d groups.\n",
		r.CLI, r.Go, r.CPUs, r.CPU, r.Commit, r.People, r.Groups)
	_, _ = fmt.Fprintf(w, "The plugin is ready after %d ms and holds %d MB then.\n\n", r.Ready.Milliseconds(), r.Idle>>20)
	printRows(w, stepRows(r))
	_, _ = fmt.Fprintln(w)
	printRows(w, pluginRows(r))
	printWritten(w, r.Figures)
	printEndpoints(w, r.Figures)
}

// dash stands where nothing was measured.
const dash = "–"

// stepRows are what each step cost, under a line of headings.
func stepRows(r *results) [][]string {
	rows := [][]string{{"channels", "step", "state", "requests", "each", "answers", "refused", "waited", "time", "floor 1", "÷", "floor 2", "÷", "at once", "memory"}}
	for _, f := range r.Figures {
		rows = append(rows, []string{
			strconv.Itoa(f.Channels), f.words(), string(f.State), strconv.Itoa(f.Traffic.Requests), fmt.Sprintf("%.2f", f.each()),
			kilobytes(f.Traffic.Bytes), strconv.Itoa(f.Traffic.Refused), f.waited(), wall(f.Runs),
			wall(f.Floors[0]), ratio(f.over(0)), wall(f.Floors[1]), ratio(f.over(1)), wall(f.Floors[2]), megabytes(peak(f.Runs)),
		})
	}
	return rows
}

// pluginRows are what the plugin says about itself while it plans.
func pluginRows(r *results) [][]string {
	rows := [][]string{{"channels", "the plugin in a plan", "processor", "allocated", "allocations", "goroutines at its end", "its own"}}
	for _, f := range r.Figures {
		if p := f.Plugin; p != nil && f.Step == stepPlan {
			rows = append(rows, []string{
				strconv.Itoa(f.Channels), "", seconds(p.CPU), megabytes(p.Allocated), strconv.FormatInt(p.Allocations, 10),
				strconv.Itoa(p.Goroutines), strconv.Itoa(p.LeftBehind),
			})
		}
	}
	return rows
}

// words name the step, with what is special about it.
func (f *figure) words() string {
	if f.Limited && f.Step == stepCreate {
		return f.Step + ", under limits"
	}
	return f.Step
}

// waited is how long the plugin waited for limits: as it says, or worked out where there were none.
func (f *figure) waited() string {
	switch {
	case f.Limited && f.Plugin != nil:
		return seconds(f.Plugin.Waited)
	case f.Step == stepEach:
		return duration(underLimits(f.Traffic.Requests)) + " (computed)"
	}
	return dash
}

// wall is the median of the times, and how far they are apart.
func wall(runs []cost) string {
	if len(runs) == 0 {
		return dash
	}
	middle, spread := median(runs)
	if len(runs) == 1 {
		return seconds(middle)
	}
	return fmt.Sprintf("%s ±%s", seconds(middle), seconds(spread/2))
}

func ratio(r float64) string {
	if r == 0 {
		return dash
	}
	return fmt.Sprintf("%.2f", r)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// duration is for what is longer than seconds tell well.
func duration(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%d h %d min", d/time.Hour, d%time.Hour/time.Minute)
}

func megabytes(bytes int64) string { return fmt.Sprintf("%d MB", bytes>>20) }

func kilobytes(bytes int64) string { return fmt.Sprintf("%d kB", bytes>>10) }

func printRows(w io.Writer, rows [][]string) {
	aligned := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		_, _ = fmt.Fprintln(aligned, strings.Join(row, "\t"))
	}
	_ = aligned.Flush()
}

// printWritten says how large the files are that commands wrote.
func printWritten(w io.Writer, figures []*figure) {
	for _, f := range figures {
		for _, kind := range slices.Sorted(maps.Keys(f.Written)) {
			_, _ = fmt.Fprintf(w, "%5d %s, state: %s: %s in %s\n", f.Channels, f.words(), f.State, f.written(kind), kind)
		}
	}
}

// printEndpoints says which requests they were.
func printEndpoints(w io.Writer, figures []*figure) {
	_, _ = fmt.Fprintln(w, "\nRequests by endpoint:")
	for _, f := range figures {
		_, _ = fmt.Fprintf(w, "%5d %s, state: %s:", f.Channels, f.words(), f.State)
		for _, endpoint := range slices.Sorted(maps.Keys(f.Traffic.ByEndpoint)) {
			_, _ = fmt.Fprintf(w, " %s %d;", endpoint, f.Traffic.ByEndpoint[endpoint])
		}
		_, _ = fmt.Fprintln(w)
	}
}
