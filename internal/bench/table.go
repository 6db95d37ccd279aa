package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"time"
)

const columns = "| %8s | %-7s | %8s | %7s | %6s | %14s | %8s | %8s | %8s | %8s | %7s |\n"

func printHeader(w io.Writer) {
	_, _ = fmt.Fprintf(w, columns, "channels", "step", "requests", "each", "waited", "time", "floor 1", "÷", "floor 2", "÷", "memory")
	_, _ = fmt.Fprintf(w, columns, "--:", "---", "--:", "--:", "--:", "--:", "--:", "--:", "--:", "--:", "--:")
}

// printFigure prints one line of the table.
func printFigure(w io.Writer, f figure) {
	_, _ = fmt.Fprintf(w, columns, fmt.Sprint(f.Channels), f.Step, fmt.Sprint(f.Traffic.Requests),
		fmt.Sprintf("%.2f", float64(f.Traffic.Requests)/float64(f.Channels)), fmt.Sprint(f.Traffic.Refused),
		fmt.Sprintf("%s ±%s", seconds(f.Cost.Wall), seconds(time.Duration(f.Spread/2))),
		seconds(f.Floors[0].Wall), ratio(f.Cost, f.Floors[0]), seconds(f.Floors[1].Wall), ratio(f.Cost, f.Floors[1]),
		fmt.Sprintf("%d MB", f.Cost.Peak>>20))
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

func ratio(a, b cost) string { return fmt.Sprintf("%.2f", a.Wall.Seconds()/b.Wall.Seconds()) }

// printEndpoints says which requests they were.
func printEndpoints(w io.Writer, figures []figure) {
	_, _ = fmt.Fprintln(w, "\nRequests by endpoint:")
	for _, f := range figures {
		_, _ = fmt.Fprintf(w, "%5d %s:", f.Channels, f.Step)
		for _, endpoint := range slices.Sorted(maps.Keys(f.Traffic.ByEndpoint)) {
			_, _ = fmt.Fprintf(w, " %s %d;", endpoint, f.Traffic.ByEndpoint[endpoint])
		}
		_, _ = fmt.Fprintln(w)
	}
}
