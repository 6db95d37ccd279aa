// Testkinds counts the tests of each kind that ran. It reads the output of `go test -json` from the files named as
// arguments, and prints a table and a summary. It fails if a test failed, was skipped, or never ended. With -printed it
// prints the output of the tests instead.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"unicode"
)

// Kinds in the order of the table. A test belongs to the first kind with a prefix of its name; other tests are unit tests.
var kinds = []struct{ name, prefix string }{
	{"unit", ""},
	{"conformance", "TestConformance"},
	{"protocol", "TestProtocol"},
	{"acceptance", "TestAcc"},
	{"fault", "TestFault"},
	{"examples", "TestExample"},
	{"browser", "TestBrowser"},
	{"docs", "TestDocs"},
}

func main() {
	printed := flag.Bool("printed", false, "print what the tests printed")
	flag.Parse()
	var tally Tally
	read := tally.Read
	if *printed {
		read = func(r io.Reader) error { return copyPrinted(os.Stdout, r) }
	}
	for _, name := range flag.Args() {
		file, err := os.Open(name)
		if err == nil {
			err = read(file)
			_ = file.Close() // a file that was only read loses no data
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "testkinds: %s: %v\n", name, err)
			os.Exit(2)
		}
	}
	if *printed {
		return
	}
	tally.Print(os.Stdout)
	if !tally.OK() {
		os.Exit(1)
	}
}

// An event is one line of `go test -json` (see `go doc test2json`).
type event struct {
	Action, Package, Test, Output string
}

// A test is named by its package and its name, which for a subtest begins with its parent's: "TestA/sub".
type test struct{ pkg, name string }

func (t test) parent() test {
	return test{t.pkg, t.name[:max(strings.LastIndex(t.name, "/"), 0)]}
}

// A run is the content of one `go test -json`.
type run struct {
	order          []test          // in the order of their start
	results        map[test]string // "pass", "fail", "skip"; "" for one that never ended: a panic, a timeout
	failedPackages []string        // packages that failed
}

func newRun() *run { return &run{results: map[test]string{}} }

func (r *run) add(e event) {
	id := test{e.Package, e.Test}
	switch e.Action {
	case "run":
		r.order = append(r.order, id)
		r.results[id] = ""
	case "pass", "skip", "fail":
		if e.Test != "" {
			r.results[id] = e.Action
		} else if e.Action == "fail" {
			r.failedPackages = append(r.failedPackages, e.Package)
		}
	}
}

func eachEvent(r io.Reader, do func(event)) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 64<<20) // one event holds one line of output, and a trace log has long ones
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) == nil { // lines without JSON are output of the compiler
			do(e)
		}
	}
	return lines.Err()
}

// copyPrinted writes the output of the tests of one run unchanged.
func copyPrinted(w io.Writer, r io.Reader) error {
	var failed error
	err := eachEvent(r, func(e event) {
		if _, err := io.WriteString(w, e.Output); err != nil {
			failed = err
		}
	})
	return errors.Join(err, failed)
}

// counts are the numbers of results of one kind.
type counts struct{ passed, failed, skipped int }

// A Tally collects the results of test runs.
type Tally struct {
	byKind   map[string]*counts
	packages int      // failures that belong to no test: a package that does not build, an exit in TestMain
	notes    []string // one line for each test that did not pass
}

// Read adds the events of one run. It counts subtests instead of the test they belong to, unless that test failed or was
// skipped and none of its subtests did.
func (t *Tally) Read(r io.Reader) error {
	run := newRun()
	if err := eachEvent(r, run.add); err != nil {
		return err
	}

	parents, explained := map[test]bool{}, map[test]bool{}
	for _, id := range run.order {
		for parent := id.parent(); parent.name != ""; parent = parent.parent() {
			parents[parent] = true
			explained[parent] = explained[parent] || run.results[id] != "pass"
		}
	}
	reported := map[string]bool{} // packages with a test that failed
	for _, id := range run.order {
		verdict := run.results[id]
		if verdict != "pass" && verdict != "skip" {
			reported[id.pkg] = true
		}
		if parents[id] && (verdict == "pass" || explained[id]) {
			continue
		}
		t.count(id, verdict)
	}
	for _, pkg := range run.failedPackages {
		if !reported[pkg] {
			t.packages++
			t.notes = append(t.notes, "failed: package "+pkg)
		}
	}
	return nil
}

func (t *Tally) count(id test, verdict string) {
	if t.byKind == nil {
		t.byKind = map[string]*counts{}
	}
	kind := kindOf(id.name)
	if t.byKind[kind] == nil {
		t.byKind[kind] = &counts{}
	}
	switch verdict {
	case "pass":
		t.byKind[kind].passed++
	case "skip":
		t.byKind[kind].skipped++
		t.notes = append(t.notes, "skipped: "+id.pkg+" "+id.name)
	default:
		t.byKind[kind].failed++
		t.notes = append(t.notes, "failed: "+id.pkg+" "+id.name)
	}
}

// Print writes the tests that did not pass, the table and the closing line.
func (t *Tally) Print(w io.Writer) {
	for _, note := range t.notes {
		_, _ = fmt.Fprintln(w, note)
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "\nkind\tpassed\tfailed\tskipped")
	for _, kind := range kinds {
		if c := t.byKind[kind.name]; c != nil {
			_, _ = fmt.Fprintf(table, "%s\t%d\t%d\t%d\n", kind.name, c.passed, c.failed, c.skipped)
		}
	}
	_ = table.Flush()
	sum := t.sum()
	_, _ = fmt.Fprintf(w, "\n%d passed, %d failed, %d skipped\n", sum.passed, sum.failed, sum.skipped)
}

// OK reports whether tests ran and all of them passed.
func (t *Tally) OK() bool {
	sum := t.sum()
	return sum.passed > 0 && sum.failed == 0 && sum.skipped == 0
}

func (t *Tally) sum() counts {
	sum := counts{failed: t.packages}
	for _, c := range t.byKind {
		sum.passed += c.passed
		sum.failed += c.failed
		sum.skipped += c.skipped
	}
	return sum
}

// kindOf returns the kind of a test. The prefix must end a word: TestAccChannel is an acceptance test, TestAccess is not.
func kindOf(name string) string {
	for _, kind := range kinds[1:] {
		rest, ok := strings.CutPrefix(name, kind.prefix)
		if ok && (rest == "" || !unicode.IsLower(rune(rest[0]))) {
			return kind.name
		}
	}
	return kinds[0].name
}
