package main

import (
	"os"
	"strings"
	"testing"
	"time"
)

// What README and guide say was measured: nobody types figures.
func TestDocsBenchTablesAreTheResults(t *testing.T) {
	r, err := readResults("testdata/results.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"../../../README.md", "../../../templates/guides/large-organizations.md.tmpl"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, err := withTables(string(text), r)
		if err != nil {
			t.Errorf("%s: %v", file, err)
		} else if want != string(text) {
			t.Errorf("%s: its tables are not those of testdata/results.json; \"make bench-tables\" makes them", file)
		}
	}
}

func TestGoalsTableMarksWhatIsNotMet(t *testing.T) {
	r := planned(5, 1)
	r.Figures[0].Floors[0] = []cost{{Wall: 2 * time.Second}}
	r.Figures[0].Floors[2] = []cost{{Wall: 2500 * time.Millisecond}}
	table := goalsTable(r)
	for _, want := range []string{
		"| requests of a plan without changes | at most 4 | **5** |",
		"| its time ÷ floor 1 | at most 1.1 | 1.00 |",
		"| … the time of a plugin that answers at once, looking at nothing ÷ floor 1 | – | 1.25 |",
		"| its time ÷ floor 2 | at most 0.6 | – |",
		"| its wait for the server's default limits | none | none |",
	} {
		if !strings.Contains(table, want) {
			t.Errorf("%s is missing in\n%s", want, table)
		}
	}
}

func TestTablesHaveTheCommands(t *testing.T) {
	r := planned(4, 1)
	if table := goalsTable(r); strings.Contains(table, "`audit`") {
		t.Errorf("commands that were not measured are in\n%s", table)
	}
	runs := func(seconds, megabytes int64) []cost {
		return []cost{{Wall: time.Duration(seconds) * time.Second, Peak: megabytes << 20}}
	}
	r.Figures = append(r.Figures,
		&figure{Channels: commandChannels, Step: stepExport, State: noState, Runs: runs(8, 400), Traffic: traffic{Requests: 12}},
		&figure{Channels: commandChannels, Step: stepAudit, State: noState, Runs: runs(11, 400), Written: map[string]int64{"json": 36 << 20, "html": 7 << 19}},
	)
	for _, want := range []string{
		"| `export` | 12 | 8.0 s | at most 10 s | **400 MB** | at most 300 MB | – | – |",
		"| `audit` | 0 | **11.0 s** | at most 10 s | 400 MB | – | 36.0 MB | 3.5 MB |",
	} {
		if table := goalsTable(r); !strings.Contains(table, want) {
			t.Errorf("%s is missing in\n%s", want, table)
		}
	}
	for _, want := range []string{"| 2,000 | export | none | 12 | 8.0 s | – | – | 400 MB | – |", "| 2,000 | audit | none |"} {
		if table := stepsTable(r); !strings.Contains(table, want) {
			t.Errorf("%s is missing in\n%s", want, table)
		}
	}
}

func TestWithTablesWantsAPlace(t *testing.T) {
	for _, text := range []string{"no place", "<!-- bench goals: begin -->\nno end"} {
		if _, err := withTables(text, &results{}); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
