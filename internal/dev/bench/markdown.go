package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The tables of the documentation, by the name that their place in a file has.
var tables = map[string]func(*results) string{"goals": goalsTable, "steps": stepsTable}

// The marks around a table's place.
const (
	beginMark = "<!-- bench %s: begin -->\n"
	endMark   = "<!-- bench %s: end -->"
)

// renewTables writes the tables of some figures into the files that have a place for them; without files it prints them.
func renewTables(w io.Writer, figures string, files []string) error {
	r, err := readResults(figures)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		_, err := fmt.Fprintln(w, goalsTable(r)+"\n"+stepsTable(r))
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		renewed, err := withTables(string(text), r)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := os.WriteFile(file, []byte(renewed), 0o600); err != nil { // the file is there: its rights stay
			return err
		}
	}
	return nil
}

// withTables returns a text with the tables of some figures between its marks.
func withTables(text string, r *results) (string, error) {
	found := false
	for name, table := range tables {
		begin, end := fmt.Sprintf(beginMark, name), fmt.Sprintf(endMark, name)
		before, rest, ok := strings.Cut(text, begin)
		if !ok {
			continue
		}
		_, after, ok := strings.Cut(rest, end)
		if !ok {
			return "", fmt.Errorf("the table %q has no end", name)
		}
		found = true
		text = before + begin + table(r) + end + after
	}
	if !found {
		return "", fmt.Errorf("there is no place for a table: %q", strings.TrimSpace(fmt.Sprintf(beginMark, "goals")))
	}
	return text, nil
}

// A goal is a figure that is to be met, for each number of channels.
type goal struct {
	name  string
	limit string
	// of is the figure in words; met is whether it is as it is to be, nil where there is no such goal. The words are empty
	// where nothing was measured.
	of func(r *results, channels int) (words string, met *bool)
}

// goals are those of a plan without changes and of creating. What creating costs the CLI depends on where it keeps its state:
// the goal is for a file, which is what a CLI has by itself.
var goals = []goal{
	{"requests of a plan without changes", "at most 4", figureGoal(stepPlan, func(f *figure) (string, *bool) {
		return strconv.Itoa(f.Traffic.Requests), met(f.Traffic.Requests <= 4)
	})},
	{"its time", "", figureGoal(stepPlan, func(f *figure) (string, *bool) { return wall(f.Runs), nil })},
	{"its time ÷ floor 1", "at most 1.1", figureGoal(stepPlan, overGoal(0, 1.1))},
	{"… the time of a plugin that answers at once, looking at nothing ÷ floor 1", "", figureGoal(stepPlan, func(f *figure) (string, *bool) {
		return ratio(f.least()), nil
	})},
	{"its time ÷ floor 2", "at most 0.6", figureGoal(stepPlan, overGoal(1, 0.6))},
	{"its wait for the server's default limits", "none", figureGoal(stepPlan, func(f *figure) (string, *bool) {
		if f.Plugin == nil {
			return "", nil
		}
		if f.Plugin.Waited == 0 && f.Traffic.Refused == 0 {
			return "none", met(true)
		}
		return f.waited(), met(false)
	})},
	{"goroutines of the provider left at its end", "none", figureGoal(stepPlan, func(f *figure) (string, *bool) {
		if f.Plugin == nil {
			return "", nil
		}
		return strconv.Itoa(f.Plugin.LeftBehind), met(f.Plugin.LeftBehind == 0)
	})},
	{"the same plan with one request per channel: requests", "", figureGoal(stepEach, func(f *figure) (string, *bool) {
		return strconv.Itoa(f.Traffic.Requests), nil
	})},
	{"… its time without limits", "", figureGoal(stepEach, func(f *figure) (string, *bool) { return wall(f.Runs), nil })},
	{"… its wait for the server's default limits, computed", "", figureGoal(stepEach, func(f *figure) (string, *bool) {
		return duration(underLimits(f.Traffic.Requests)), nil
	})},
	{"requests per channel created", "at most 1.1", figureGoal(stepCreate, func(f *figure) (string, *bool) {
		return fmt.Sprintf("%.2f", f.each()), met(f.each() <= 1.1)
	})},
	{"time of creating ÷ floor 1, state in a file", "at most 1.2", figureGoal(stepCreate, overGoal(0, 1.2), inFile)},
	{"time of creating ÷ floor 1, state remote", "", figureGoal(stepCreate, func(f *figure) (string, *bool) {
		return ratio(f.over(0)), nil
	}, isRemote)},
	{"most memory of the plugin", "at most 150 MB", func(r *results, channels int) (string, *bool) {
		var most int64
		for _, f := range r.Figures {
			if f.Channels == channels && f.Step != stepEach && f.Step != stepExport && f.Step != stepAudit {
				most = max(most, peak(f.Runs))
			}
		}
		return megabytes(most), met(most <= 150<<20)
	}},
}

func met(yes bool) *bool { return &yes }

// figureGoal looks at the figure of a step: with the first of the states that it was measured with, a file before a remote
// one if none are given.
func figureGoal(step string, of func(*figure) (string, *bool), states ...statePlace) func(*results, int) (string, *bool) {
	if len(states) == 0 {
		states = []statePlace{inFile, isRemote}
	}
	return func(r *results, channels int) (string, *bool) {
		for _, kept := range states {
			for _, f := range r.Figures {
				// Creating under limits is another matter.
				if f.Channels == channels && f.Step == step && f.State == kept && (step != stepCreate || !f.Limited) {
					return of(f)
				}
			}
		}
		return "", nil
	}
}

func overGoal(floor int, most float64) func(*figure) (string, *bool) {
	return func(f *figure) (string, *bool) {
		over := f.over(floor)
		if over == 0 {
			return "", nil
		}
		return ratio(over), met(over <= most)
	}
}

// goalsTable is what was reached beside what was to be reached, for each number of channels.
func goalsTable(r *results) string {
	var sizes []int
	for _, f := range r.Figures {
		if f.Step == stepPlan && !slices.Contains(sizes, f.Channels) {
			sizes = append(sizes, f.Channels)
		}
	}
	headings := []string{"Figure", "Goal"}
	for _, n := range sizes {
		headings = append(headings, thousands(n)+" channels")
	}
	rows := [][]string{headings}
	for _, goal := range goals {
		row := []string{goal.name, cmp.Or(goal.limit, dash)}
		for _, n := range sizes {
			words, reached := goal.of(r, n)
			row = append(row, boldIf(reached != nil && !*reached, cmp.Or(words, dash)))
		}
		rows = append(rows, row)
	}
	return fmt.Sprintf(`%s
Medians of the runs; bold is a goal that is not met. Floor 1 is the same command for as many resources of a kind that the CLI
has built in; floor 2 the same for a provider with the same attributes that does nothing. A plugin that answers at once gives
back what it is sent: a plan with any plugin takes at least that. An organization of %s people and %d
groups, on the sandbox in a process of its own, the plan under a server's default limits. %d processors (%s), %s, commit %s.
The plugin is ready after %d ms (goal: 100) and holds %d MB then (goal: 40).
%s`, markdownTable(rows), thousands(r.People), r.Groups, r.CPUs, r.CPU, r.CLI, r.Commit, r.Ready.Milliseconds(), r.Idle>>20, commandsTable(r))
}

// commandGoals are the most time and memory that the commands may take for [commandChannels] channels; zero: as much as it
// takes.
var commandGoals = []struct {
	step   string
	time   time.Duration
	memory int64
}{{stepExport, 10 * time.Second, 300 << 20}, {stepAudit, 10 * time.Second, 0}}

// commandsTable is what the commands of the plugin's binary cost in an organization that is there for them, beside their
// goals; empty where they were not measured.
func commandsTable(r *results) string {
	rows := [][]string{{"Command", "Requests", "Time", "Goal", "Memory", "Goal", "JSON", "Page"}}
	for _, goal := range commandGoals {
		f, ok := r.find(commandChannels, goal.step, noState, false)
		if !ok {
			continue
		}
		middle, _ := median(f.Runs)
		took, memory := boldIf(middle > goal.time, wall(f.Runs)), peak(f.Runs)
		atMost := dash
		if goal.memory > 0 {
			atMost = "at most " + megabytes(goal.memory)
		}
		rows = append(rows, []string{
			"`" + goal.step + "`", strconv.Itoa(f.Traffic.Requests), took, "at most " + duration(goal.time),
			boldIf(goal.memory > 0 && memory > goal.memory, megabytes(memory)), atMost, f.written("json"), f.written("html"),
		})
	}
	if len(rows) == 1 {
		return ""
	}
	return fmt.Sprintf("\nThe commands for people, with %s channels, each of which has subscribers and permissions of its own:\n\n%s", thousands(commandChannels), markdownTable(rows))
}

// boldIf writes a figure that does not meet its goal.
func boldIf(isMissed bool, words string) string {
	if isMissed {
		return "**" + words + "**"
	}
	return words
}

// written is the size of a file that a command wrote.
func (f *figure) written(kind string) string {
	if f.Written[kind] == 0 {
		return dash
	}
	return fmt.Sprintf("%.1f MB", float64(f.Written[kind])/(1<<20))
}

// stepsTable is what each step costs.
func stepsTable(r *results) string {
	rows := [][]string{{"Channels", "Step", "State", "Requests", "Time", "Floor 1", "Floor 2", "Memory", "Wait for limits"}}
	for _, f := range r.Figures {
		rows = append(rows, []string{
			thousands(f.Channels), f.words(), string(f.State), strconv.Itoa(f.Traffic.Requests), wall(f.Runs),
			wall(f.Floors[0]), wall(f.Floors[1]), megabytes(peak(f.Runs)), f.waited(),
		})
	}
	return markdownTable(rows)
}

// markdownTable lays rows out, the first of which are headings.
func markdownTable(rows [][]string) string {
	var table strings.Builder
	for i, row := range rows {
		table.WriteString("| " + strings.Join(row, " | ") + " |\n")
		if i == 0 {
			table.WriteString("|" + strings.Repeat("---|", len(row)) + "\n")
		}
	}
	return table.String()
}

// thousands writes a number as people do: 5,000.
func thousands(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
