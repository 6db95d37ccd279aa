// Package laws tests promises about everything that the provider offers. A test by example has a value that someone thought
// of. A law has no values of its own: its subjects come from the provider's schema, and their values from the samples.
package laws

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// A Law is a promise.
type Law struct {
	// Name is the first word of each violation.
	Name string
	// Sentence is the promise.
	Sentence string
	// Every is the number of cases of which a sample has one. 0: all cases are tried.
	Every int
}

// atOnce is the number of subjects that are tried concurrently. Most of the time they wait for the sandbox.
const atOnce = 8

// A Case is a trial of a law on one subject.
type Case struct {
	*testing.T
	law     Law
	subject string
	name    string // of the part that is being tried
	tried   int

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

// Broken reports a violation: the law, the subject, the case and what happened.
func (c *Case) Broken(what string, details ...any) {
	c.Helper()
	c.Errorf("%s | %s | %s | %s\n%s", c.law.Name, c.subject, c.name, what, fmt.Sprint(details...))
}

// NotTried reports that the law can't be tried here.
func (c *Case) NotTried(reason string) { c.Broken("not tried: " + reason) }

// Hold tries a law on each subject, or with -short on a part of the subjects.
func Hold[S any](t *testing.T, l Law, subjects []S, try func(c *Case, subject S)) {
	t.Helper()
	subjects = acctest.Sample(subjects)
	var tried atomic.Int64
	var group sync.WaitGroup
	work := make(chan S)
	for range atOnce {
		group.Go(func() {
			for subject := range work {
				t.Run(fmt.Sprint(subject), func(t *testing.T) {
					c := &Case{T: t, law: l, subject: fmt.Sprint(subject)}
					try(c, subject)
					tried.Add(int64(c.tried))
				})
			}
		})
	}
	for _, subject := range subjects {
		work <- subject
	}
	close(work)
	group.Wait()
	if len(subjects) == 0 {
		t.Error("the law is about nothing")
	}
	if t.Failed() {
		t.Logf("%s; %s", l.Sentence, acctest.SampleSeed())
	}
	acctest.Report(func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "Law %s: %d subjects, %d cases; %s\n", l.Name, len(subjects), tried.Load(), acctest.SampleSeed())
	})
}
