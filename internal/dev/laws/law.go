// Package laws tests promises about everything that the provider offers. A test by example has a value that someone thought
// of. A law has no values of its own: its subjects come from the provider's schema, and their values from the samples.
package laws

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// A Law is a promise.
type Law struct {
	// Name is the first word of the law's lines in the list of known violations.
	Name string
	// Sentence is the promise.
	Sentence string
	// Every is the number of cases of which a sample has one. 0: all cases are tried.
	Every int
}

// knownFile has the known violations, one on a line: the law, the subject, the case, and what happened.
var knownFile, _ = filepath.Abs("testdata/laws/known.txt")

// atOnce is the number of subjects that are tried concurrently. Most of the time they wait for the sandbox.
const atOnce = 8

// A Case is a trial of a law on one subject.
type Case struct {
	*testing.T
	law     Law
	subject string
	name    string // of the part that is being tried
	tried   int
	found   map[string]string // details by line

	stage Stage
	sent  *acctest.Sent // to the stage
}

// Stage returns the stage of the subject: the latest, or a new one if something was sent to it.
func (c *Case) Stage(start func() Stage) Stage {
	if c.sent == nil || len(c.sent.Writes()) > 0 {
		c.stage = start()
		c.sent = c.stage.Sent()
	}
	return c.stage
}

// Try tries a part of the law on the subject, unless the sample lacks it.
func (c *Case) Try(name string, do func()) {
	if c.law.has(c.subject, name) {
		c.name, c.tried = name, c.tried+1
		do()
	}
}

func (l Law) has(subject, name string) bool { return acctest.Sampled(l.Every, l.Name, subject, name) }

// Broken reports a violation. what has neither numbers nor messages, so that the line is the same in each run.
func (c *Case) Broken(what string, details ...any) {
	c.found[line(c.law.Name, c.subject, c.name, what)] = fmt.Sprint(details...)
}

// NotTried reports that the law can't be tried here. Such a line must be in the list too.
func (c *Case) NotTried(reason string) { c.Broken("not tried: " + reason) }

func line(parts ...string) string { return strings.Join(parts, " | ") }

// Hold tries a law on each subject, and compares the violations with the known ones. A violation that is not known fails
// the test, and so does a known one that no longer occurs.
func Hold[S any](t *testing.T, l Law, subjects []S, try func(c *Case, subject S)) {
	t.Helper()
	known := l.known(t)
	var mu sync.Mutex
	ran, tried, found := map[string]bool{}, 0, map[string]string{}
	var group sync.WaitGroup
	work := make(chan S)
	for range atOnce {
		group.Go(func() {
			for subject := range work {
				t.Run(fmt.Sprint(subject), func(t *testing.T) {
					c := &Case{T: t, law: l, subject: fmt.Sprint(subject), found: map[string]string{}}
					try(c, subject)
					mu.Lock()
					defer mu.Unlock()
					ran[c.subject], tried = true, tried+c.tried
					maps.Copy(found, c.found)
				})
			}
		})
	}
	isSubject := map[string]bool{}
	for _, subject := range subjects {
		isSubject[fmt.Sprint(subject)] = true
		work <- subject
	}
	close(work)
	group.Wait()
	for _, one := range slices.Sorted(maps.Keys(found)) {
		if !known[one] {
			t.Errorf("%s\n%s", one, found[one])
		}
	}
	for _, one := range slices.Sorted(maps.Keys(known)) {
		parts := strings.Split(one, " | ")
		_, occurs := found[one]
		if wasTried := len(parts) == 4 && ran[parts[1]] && l.has(parts[1], parts[2]); !occurs && (wasTried || !isSubject[parts[1]]) {
			t.Errorf("%s\nno longer occurs: remove the line from %s", one, knownFile)
		}
	}
	if len(subjects) == 0 {
		t.Error("the law is about nothing")
	}
	if t.Failed() {
		t.Logf("%s; %s", l.Sentence, acctest.SampleSeed())
	}
	acctest.Report(func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "Law %s: %d subjects, %d cases, %d known violations; %s\n", l.Name, len(ran), tried, len(found), acctest.SampleSeed())
	})
}

// known returns the known violations of the law.
func (l Law) known(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(knownFile)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for one := range strings.Lines(string(text)) {
		if one = strings.TrimSuffix(one, "\n"); strings.HasPrefix(one, l.Name+" | ") {
			known[one] = true
		}
	}
	return known
}
