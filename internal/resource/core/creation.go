package core

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Creation makes a thing, of which the server may make a second one when it is asked a second time. So what is there
// before is noted, and when an answer is lost it is looked for: what looks the same, was not there, and belongs to no
// resource that this run knows, is what this run has made.
type Creation struct {
	// Kind is the type of the resource; Thing tells what it makes from what others make: whoever makes the same waits.
	Kind, Thing string
	// Look returns the ID of a thing that looks the same and for which free reports true; zero if there is none. It is
	// called once before anything is sent, with a free that notes what there is.
	Look func(ctx context.Context, free func(id int64) bool) (int64, error)
	Make func(ctx context.Context) (int64, error)
	// Differ says that the account may lack the right to make one of the kind, and have it for another: a refusal of one
	// is none of all.
	Differ bool
}

// Run returns the ID of what was made. The error is for [base.Explain].
func (c Creation) Run(ctx context.Context, meta *base.Meta) (id int64, err error) {
	done, err := meta.Run.Lock(ctx, c.Kind+" "+c.Thing)
	if err != nil {
		return 0, err
	}
	defer done()
	if err := EarlierRefusal(meta, c.Kind); err != nil && !c.Differ {
		return 0, err
	}
	before := map[int64]bool{}
	if _, err := c.Look(ctx, func(id int64) bool { before[id] = true; return false }); err != nil && !refused(err) {
		return 0, fmt.Errorf("nothing was sent, for it could not be looked what is there already: %w", err)
	}
	look := func() (int64, error) {
		return c.Look(ctx, func(id int64) bool { return !before[id] && !meta.Run.IsManaged(c.Kind, id) })
	}
	pause := zulip.FirstPause
	for attempt := 0; ; attempt++ {
		if id, err = c.Make(ctx); err == nil {
			break
		}
		if !zulip.MayHaveHappened(err) {
			if attempt > 0 { // perhaps for an attempt of before, which was carried out late
				if made, lookErr := look(); lookErr == nil && made != 0 {
					id = made
					break
				}
			}
			if zulip.IsLackOfRight(err) && !c.Differ {
				meta.Run.Refuse(c.Kind)
			}
			return 0, err
		}
		tflog.Info(ctx, "It is not known whether this was carried out: looking for it",
			map[string]any{"kind": c.Kind, "error": err.Error(), "wait": pause.String()})
		if zulip.Sleep(ctx, pause) != nil {
			return 0, &unknownOutcomeError{err, context.Cause(ctx)}
		}
		pause *= 2
		var lookErr error
		if id, lookErr = look(); id != 0 {
			break
		}
		if lookErr != nil || attempt >= meta.Client.MaxRetries() || zulip.IsInterrupted(ctx) {
			return 0, &unknownOutcomeError{err, lookErr}
		}
	}
	meta.Run.Manage(c.Kind, id)
	return id, nil
}

// NotCreatedError says why nothing was created. It hides its cause, the failure of a reading, from who asks whether a request may
// have been carried out.
type NotCreatedError struct{ Cause error }

// Error says that nothing was created, and why.
func (e *NotCreatedError) Error() string { return "nothing was created: " + e.Cause.Error() }

// Explanation is that for people.
func (e *NotCreatedError) Explanation() string {
	return base.Explain(e.Cause) + "\n\nNothing was created."
}

// unknownOutcomeError is the failure of something that may have been carried out.
type unknownOutcomeError struct {
	cause error
	look  error // why it could not be looked for; nil: it was, and is not there
}

// Error is the text of the cause.
func (e *unknownOutcomeError) Error() string { return e.cause.Error() }

// Unwrap returns the cause.
func (e *unknownOutcomeError) Unwrap() error { return e.cause }

// Explanation explains the cause and says what to expect of the next apply.
func (e *unknownOutcomeError) Explanation() string {
	return base.Explain(e.cause) + "\n\n" + e.after()
}

func (e *unknownOutcomeError) after() string {
	if e.look == nil {
		return "It was looked for afterwards and is not there, so that applying again is safe. If the server carries it out later, the next plan says so of what has a name of its own, and how to import it."
	}
	return fmt.Sprintf("Whether it is there nevertheless could not be found out: %s Look before you apply again: what has a name of its own is refused then, with the way to import it; of anything else a second one is made.", base.Explain(e.look))
}

// refused reports whether the server answered, and the answer is no: then it would not help to ask again.
func refused(err error) bool {
	var refusal *zulip.Error
	return errors.As(err, &refusal) && refusal.Status < 500 && !zulip.IsUnauthorized(err)
}
