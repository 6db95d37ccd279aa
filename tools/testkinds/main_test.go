package main

import (
	"strings"
	"testing"
)

func TestTally(t *testing.T) {
	tests := map[string]struct {
		events string
		want   string // the closing line
		ok     bool
		note   string
	}{
		"a leaf of each verdict": {
			events: run1("p", "TestA", "pass") + run1("p", "TestAccB", "skip") + run1("p", "TestFaultC", "fail") + verdict("p", "", "fail"),
			want:   "1 passed, 1 failed, 1 skipped",
			note:   "skipped: p TestAccB",
		},
		"subtests stand for their test": {
			events: start("p", "TestA") + run1("p", "TestA/x", "pass") + run1("p", "TestA/y", "pass") + verdict("p", "TestA", "pass"),
			want:   "2 passed, 0 failed, 0 skipped",
			ok:     true,
		},
		"a failed subtest is one failure": {
			events: start("p", "TestA") + start("p", "TestA/x") + run1("p", "TestA/x/1", "fail") + verdict("p", "TestA/x", "fail") + verdict("p", "TestA", "fail") + verdict("p", "", "fail"),
			want:   "0 passed, 1 failed, 0 skipped",
			note:   "failed: p TestA/x/1",
		},
		"a test that fails after its subtests passed": {
			events: start("p", "TestA") + run1("p", "TestA/x", "pass") + verdict("p", "TestA", "fail") + verdict("p", "", "fail"),
			want:   "1 passed, 1 failed, 0 skipped",
			note:   "failed: p TestA\n",
		},
		"a test that never ended": {
			events: start("p", "TestA") + verdict("p", "", "fail"),
			want:   "0 passed, 1 failed, 0 skipped",
			note:   "failed: p TestA",
		},
		"a package that does not build": {
			events: "# p\nx.go:1: syntax error\n" + run1("q", "TestA", "pass") + verdict("p", "", "fail"),
			want:   "1 passed, 1 failed, 0 skipped",
			note:   "failed: package p",
		},
		"nothing ran": {want: "0 passed, 0 failed, 0 skipped"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var tally Tally
			if err := tally.Read(strings.NewReader(test.events)); err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			tally.Print(&out)
			if !strings.HasSuffix(out.String(), "\n"+test.want+"\n") || !strings.Contains(out.String(), test.note) {
				t.Errorf("want closing line %q and note %q, got:\n%s", test.want, test.note, out.String())
			}
			if tally.OK() != test.ok {
				t.Errorf("OK() = %v, want %v", tally.OK(), test.ok)
			}
		})
	}
}

func TestKindOf(t *testing.T) {
	for name, want := range map[string]string{
		"TestAccChannel":             "acceptance",
		"TestAcc_channel/update":     "acceptance",
		"TestAccessMatrix":           "unit",
		"TestConformance":            "conformance",
		"TestProtocolChannel/import": "protocol",
		"TestFaultLostAnswer":        "fault",
		"TestExampleDemo":            "examples",
		"TestDocsUpToDate":           "docs",
		"TestBrowserNarrow":          "browser",
		"FuzzZuliprc/seed#0":         "unit",
		"TestParse":                  "unit",
	} {
		if got := kindOf(name); got != want {
			t.Errorf("kindOf(%q) = %q, want %q", name, got, want)
		}
	}
}

func start(pkg, name string) string { return verdict(pkg, name, "run") }

func run1(pkg, name, action string) string { return start(pkg, name) + verdict(pkg, name, action) }

func verdict(pkg, name, action string) string {
	return `{"Action":"` + action + `","Package":"` + pkg + `","Test":"` + name + `"}` + "\n"
}

// -printed prints a test's output unchanged: JSON encodes some characters differently, and a search would miss them.
func TestPrinted(t *testing.T) {
	var printed strings.Builder
	events := `{"Action":"output","Test":"TestA","Output":"key \u003cp\u0026ss\\\"\u003e\n"}` + "\nnot JSON\n" + verdict("p", "TestA", "pass")
	if err := copyPrinted(&printed, strings.NewReader(events)); err != nil {
		t.Fatal(err)
	}
	if want := `key <p&ss\">` + "\n"; printed.String() != want {
		t.Errorf("%q, want %q", printed.String(), want)
	}
}
