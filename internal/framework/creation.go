package framework

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Creation makes one of the things that have no name: the server makes a second one when it is asked a second time. So
// it is looked for, before it is asked for and whenever an answer was lost. What looks the same, is recent, and belongs
// to no resource that this run knows is the one that an earlier attempt made, in this run or in one that was broken off.
type Creation struct {
	// Kind is the type of the resource; Thing tells what it makes from what others make: whoever makes the same waits.
	Kind, Thing string
	// Look returns the ID of a thing that looks the same and for which free reports true; zero if there is none.
	Look func(ctx context.Context, free func(id int64) bool) (int64, error)
	Make func(ctx context.Context) (int64, error)
	// Again makes another one even if there is one already: only what this run itself has made counts as made.
	Again bool
}

// Recent is how long ago something can have been made for a broken-off run to have made it.
const Recent = 10 * time.Minute

// Run returns the ID of what was made, or found. found says that an earlier attempt had made it. The error is for
// Explain.
func (c Creation) Run(ctx context.Context, meta *Meta) (id int64, found bool, err error) {
	done, err := meta.Directory.Alone(ctx, c.Kind+" "+c.Thing)
	if err != nil {
		return 0, false, err
	}
	defer done()
	if err := RefusedBefore(meta, c.Kind); err != nil {
		return 0, false, err
	}
	seen := map[int64]bool{}
	look := func() (int64, error) {
		return c.Look(ctx, func(id int64) bool { return !seen[id] && !meta.Directory.IsClaimed(c.Kind, id) })
	}
	if c.Again {
		id, err = c.Look(ctx, func(id int64) bool { seen[id] = true; return false })
	} else {
		id, err = look()
	}
	switch {
	case err != nil && !refused(err):
		return 0, false, fmt.Errorf("nothing was sent, for it could not be looked whether it is there already: %w", err)
	case id != 0:
		meta.Directory.Claim(c.Kind, id)
		meta.Directory.TakeOver(c.Kind, id)
		return id, true, nil
	}
	pause := FirstPause
	for attempt := 0; ; attempt++ {
		if id, err = c.Make(ctx); err == nil {
			break
		}
		if !zulip.MayHaveHappened(err) {
			if zulip.IsLackOfRight(err) {
				meta.Directory.Refused(c.Kind)
			}
			return 0, false, err
		}
		tflog.Info(ctx, "It is not known whether this was carried out: looking for it",
			map[string]any{"kind": c.Kind, "error": err.Error(), "wait": pause.String()})
		if !Wait(ctx, pause) {
			return 0, false, &unknownOutcomeError{err, ctx.Err(), c.Again}
		}
		pause *= 2
		var lookErr error
		if id, lookErr = look(); id != 0 {
			break
		}
		if lookErr != nil || attempt >= meta.Client.MaxRetries() {
			return 0, false, &unknownOutcomeError{err, lookErr, c.Again}
		}
	}
	meta.Directory.Claim(c.Kind, id)
	return id, false, nil
}

// unknownOutcomeError is the failure of something that may have been carried out.
type unknownOutcomeError struct {
	cause error
	look  error // why it could not be looked for; nil: it was, and is not there
	again bool  // the next apply makes another one, even if it is there
}

// Error is the text of the cause.
func (e *unknownOutcomeError) Error() string { return e.cause.Error() }

// Unwrap returns the cause.
func (e *unknownOutcomeError) Unwrap() error { return e.cause }

// after says what to expect of the next apply.
func (e *unknownOutcomeError) after() string {
	if e.look == nil {
		return "It was looked for afterwards and is not there, so that applying again is safe."
	}
	if e.again {
		return fmt.Sprintf("Whether it is there nevertheless could not be found out: %s Look before you apply again: what is there by then is not recognised, and another one is made.", Explain(e.look))
	}
	return fmt.Sprintf("Whether it is there nevertheless could not be found out: %s Apply again within %d minutes: if it is there by then it is recognised and taken over, not made a second time.",
		Explain(e.look), int(Recent.Minutes()))
}

// refused reports whether the server answered, and the answer is no: then it would not help to ask again.
func refused(err error) bool {
	var refusal *zulip.Error
	return errors.As(err, &refusal) && refusal.Status < 500 && !zulip.IsUnauthorized(err)
}
