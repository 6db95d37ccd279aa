// Package change changes objects without overwriting what others have changed since the plan. [Subject.Change] reads the
// object, stops if a current value is neither prior nor planned, sends the pending steps, and reads the object again, to
// send a change again after a lost answer or a dropped setting. A [FreeWait] paces requests that the server refuses
// because a name is taken or an object is in use. This package knows neither resources nor attributes.
package change

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/effects"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Step is the change of one attribute of a T from the prior to the planned value, and how it is written into an update
// U. Values are readable texts that are equal if the values mean the same.
type Step[T, U any] struct {
	Attribute string
	// Permission is true if the attribute is a permission.
	Permission     bool
	Prior, Planned string
	// Current returns the value of an object.
	Current func(T) string
	// Put writes the change into an update of the given current object. compare is true if the update has old values.
	Put func(update *U, now T, compare bool)
	// After returns the step with the effects of this run on its prior and its planned value. now is the object as just
	// read. Optional.
	After func(known *effects.Log, now T) Step[T, U]
	// People returns the people and bots who are in some, but not in all of the prior, current and planned values. Optional.
	People func(now T) []int64
}

// Reading is an object as just read, with its snapshot.
type Reading[T any] struct {
	Thing T
	View  *snapshot.Snapshot
}

// Subject is an object that is changed by compare-and-set: one channel, one user group, or the organization.
type Subject[T, U any] struct {
	// Of is the type of the resource, as in zulip_channel, for messages about untested parts on a newer server.
	// Optional.
	Of string
	// NameBefore is its name in messages before it was read (`channel 17`), and Name its name afterwards (`channel
	// "general"`).
	NameBefore string
	Name       func(T) string
	// Read reads the object from the server, not from a cache. If the server's lists lag behind its writes, Read
	// repeats until shows returns true or the list is reliable.
	Read func(ctx context.Context, shows func(T) bool) (*Reading[T], error)
	// Part is the list that Send changes if the server caches it: see [store.Store.BeginWrite]. Optional.
	Part store.Part
	// StoresAsSent is true if the server stores values as sent, so that an accepted write needs no reading after it.
	StoresAsSent bool
	// MayStayUnread is true if a failed reading after an accepted write is a warning, because the caller then stores the
	// planned values in the state. An error would leave a new resource without a state.
	MayStayUnread bool
	// Protect refuses a planned change that must not happen, such as one that locks the account out. It gets the object
	// as just read, right before the pending steps are sent. Optional.
	Protect func(ctx context.Context, b *base.Base, now *Reading[T], p Pending[T, U], diags *diag.Diagnostics)
	// Send sends the requests for the pending changes, and returns the parameters that the server does not know. It
	// stops at the first error. The object is then read again, and the missing changes are sent again.
	Send func(context.Context, Pending[T, U]) (ignored []string, err error)
	// Resend sends again the pending values that an object already has, for a server that compares a change with an
	// outdated copy: a write updates the copy. It is called once, when the server refuses an old value that it has
	// just shown, or has not stored what it accepted. Optional.
	Resend func(context.Context, Pending[T, U]) error
	// OnConflict is the advice after a conflict. Optional: the default is to plan again.
	OnConflict string
	// IsBlocked reports whether an error of Send may be temporary, because another resource of the same apply frees the
	// name or object that blocks the request. The object is then read and compared again, and the request repeated,
	// until [FreeWait] ends. Optional.
	IsBlocked func(error) bool
	// Explain explains an error of Send, and At returns its attribute. Optional.
	Explain func(error) string
	At      func(error) path.Path
}

// Pending are the changes that are not yet sent to an object.
type Pending[T, U any] struct {
	// Now is the object as just read.
	Now     T
	steps   []Step[T, U]
	compare bool
}

// Attributes returns the names of the pending attributes.
func (p Pending[T, U]) Attributes() []string {
	names := make([]string, len(p.steps))
	for i, step := range p.steps {
		names[i] = step.Attribute
	}
	return names
}

// Steps returns the pending steps.
func (p Pending[T, U]) Steps() []Step[T, U] { return p.steps }

// Update returns one update with all pending changes, for a server that executes all of a request or nothing.
func (p Pending[T, U]) Update() U { return p.where(func(Step[T, U]) bool { return true }) }

// Permissions returns the update with the pending permissions.
func (p Pending[T, U]) Permissions() U {
	return p.where(func(step Step[T, U]) bool { return step.Permission })
}

// Others returns the update with the pending attributes that are not permissions.
func (p Pending[T, U]) Others() U {
	return p.where(func(step Step[T, U]) bool { return !step.Permission })
}

func (p Pending[T, U]) where(in func(Step[T, U]) bool) (update U) {
	for _, step := range p.steps {
		if in(step) {
			step.Put(&update, p.Now, p.compare)
		}
	}
	return update
}

// Into writes all pending changes into an update that already has the current values.
func (p Pending[T, U]) Into(update *U) {
	for _, step := range p.steps {
		step.Put(update, p.Now, p.compare)
	}
}

// mostMismatches is the maximum number of refusals of an old value that the server has just shown.
const mostMismatches = 4

// progress is the progress of a change.
type progress struct {
	sent          int // writes that the server accepted
	mismatches    int // writes that it refused because of outdated values
	oldRefused    int // those refused because of an old value
	lost          int // writes with an unknown outcome
	resent        bool
	hasReadPeople bool // after a conflict

	pause   time.Duration
	ignored []string // parameters that the server does not know
	err     error    // of the last write
}

// isExhausted reports whether another try would be like the last.
func (p *progress) isExhausted(retries int) bool {
	return len(p.ignored) > 0 || p.sent == 2 || p.mismatches == mostMismatches || p.lost > retries
}

// compare returns the steps that an object does not show yet, and the conflicts among them. A value that follows from
// the prior one by known effects is no conflict.
func compare[T, U any](all []Step[T, U], known *effects.Log, thing T) (left, conflicts []Step[T, U]) {
	for _, original := range all {
		step := original
		if step.After != nil {
			step = step.After(known, thing)
		}
		switch current := step.Current(thing); {
		case current == step.Planned:
		case current == step.Prior, original.Current(thing) == original.Prior:
			left = append(left, step)
		default:
			left, conflicts = append(left, step), append(conflicts, step)
		}
	}
	return left, conflicts
}

// explaining returns the effects that may explain the differences of steps.
func explaining[T, U any](ctx context.Context, b *base.Base, steps []Step[T, U], thing T) *effects.Log {
	var ids []int64
	for _, step := range steps {
		if step.People != nil {
			ids = append(ids, step.People(thing)...)
		}
	}
	known, err := b.Meta.Effects(ctx, ids)
	if err != nil {
		tflog.Info(ctx, "Cannot find out whether someone was deactivated", map[string]any{"error": err.Error()})
	}
	return known
}

// summary returns the current and planned values of steps, which determine what is sent.
func summary[T, U any](steps []Step[T, U], thing T) (values []string) {
	for _, step := range steps {
		values = append(values, step.Attribute, step.Current(thing), step.Planned)
	}
	return values
}

// Change makes the steps on an object and returns the resulting one, or nil if it was not read after the last write.
// Unless now is up to date, the object is read before each write and compared with its prior values. After the last
// write it is read again, and missing changes are sent again.
//
// So the provider repairs a lost answer or a dropped setting, and never overwrites a value that was changed in
// between.
func (s Subject[T, U]) Change(ctx context.Context, b *base.Base, all []Step[T, U], now *Reading[T], diags *diag.Diagnostics) *Reading[T] {
	p, retries, blocked := progress{pause: zulip.FirstPause}, b.Meta.Client.NewRetries(), NewFreeWait()
	known := &b.Meta.Run.Effects
	for {
		if now == nil {
			var err error
			shows := func(thing T) bool {
				left, conflicts := compare(all, known, thing)
				return len(conflicts) == 0 && (p.sent == 0 || len(left) == 0)
			}
			if now, err = s.Read(ctx, shows); err != nil {
				if s.MayStayUnread && p.sent > 0 && p.err == nil {
					diags.AddWarning("Cannot read "+s.NameBefore+" after the change", s.explain(err)+"\n\nThe server accepted the change. The state has the planned values, and the next plan compares them with the server's.")
					return nil
				}
				diags.AddError("Cannot read "+s.NameBefore, s.explain(err))
				return nil
			}
		}
		thing := now.Thing
		left, conflicts := compare(all, known, thing)
		if len(conflicts) > 0 && !p.hasReadPeople {
			p.hasReadPeople, known = true, explaining(ctx, b, conflicts, thing)
			left, conflicts = compare(all, known, thing)
		}
		switch {
		case len(left) == 0:
			return now
		case len(conflicts) > 0:
			s.refuse(thing, conflicts, all, &p, b, diags)
			return now
		case p.isExhausted(b.Meta.Client.MaxRetries()):
			s.reportUnknownOutcome(thing, left, &p, b, diags)
			return now
		}
		if s.Protect != nil {
			var found diag.Diagnostics
			s.Protect(ctx, b, now, Pending[T, U]{Now: thing, steps: left}, &found)
			if diags.Append(found...); found.HasError() {
				return now
			}
		}
		if s.Resend != nil && !p.resent && (p.oldRefused > 0 || p.sent > 0) {
			p.resent, now = true, nil
			if done, err := b.Meta.Store.BeginWrite(ctx, s.Part); err == nil {
				p.err = s.Resend(zulip.SendOnce(ctx), Pending[T, U]{Now: thing, steps: left})
				done()
			}
			continue // the change, which is sent next, would have the same error
		}
		// The server may refuse an old value that was just read, if it hides deactivated people in it (server-behavior
		// §P3). Two such refusals of an unchanged value count as this case.
		var done func()
		if done, p.err = b.Meta.Store.BeginWrite(ctx, s.Part); p.err == nil {
			p.ignored, p.err = s.Send(zulip.SendOnce(ctx), Pending[T, U]{Now: thing, steps: left, compare: p.oldRefused < 2})
			done()
		}
		switch {
		case p.err == nil && s.StoresAsSent:
			return nil
		case p.err == nil:
			p.sent++
		case zulip.IsExpectationMismatch(p.err):
			p.mismatches++
			p.oldRefused++
		case zulip.IsMembershipMismatch(p.err), zulip.IsIncompleteOrder(p.err):
			p.mismatches++
		case zulip.MayHaveHappened(p.err):
			tflog.Info(ctx, "It is not known whether the change was made: reading it again",
				map[string]any{"changed": s.Name(thing), "error": p.err.Error(), "wait": p.pause.String()})
			if zulip.Sleep(ctx, p.pause) != nil {
				diags.AddError(fmt.Sprintf("The change of %s was interrupted", s.Name(thing)), s.explain(p.err))
				return nil
			}
			p.lost++
			p.pause *= 2
		case s.IsBlocked != nil && s.IsBlocked(p.err) && blocked.Next(ctx): // read and compared again
		default:
			// A request that was refused by the rate limit is not simply repeated after the wait, because the object
			// may have changed by then.
			if err := retries.Wait(ctx, p.err); err != nil {
				if zulip.IsUnknownUser(err) {
					known = explaining(ctx, b, left, thing)
				}
				later, unread := s.Read(ctx, func(T) bool { return true })
				if unread != nil {
					later = nil
				} else if next, _ := compare(all, known, later.Thing); len(next) == 0 || zulip.IsUnknownUser(err) && !slices.Equal(summary(next, later.Thing), summary(left, thing)) {
					// The server refused a change that has since happened, or a user who is deactivated: the value is sent
					// without them.
					now = later
					continue
				}
				return s.refusedByServer(thing, all, later, err, diags)
			}
		}
		now = nil
	}
}

// refuse reports a conflict, without a write. After a write that the server accepted, the server itself may have stored
// another value.
func (s Subject[T, U]) refuse(now T, conflicts, all []Step[T, U], p *progress, b *base.Base, diags *diag.Diagnostics) {
	var text strings.Builder
	for _, step := range conflicts {
		fmt.Fprintf(&text, "%s\n  when the plan was made:     %s\n  now:                        %s\n  the configuration asks for: %s\n\n", step.Attribute, step.Prior, step.Current(now), step.Planned)
	}
	text.WriteString("Nothing was overwritten. " + applied(all, now) + cmp.Or(s.OnConflict, "Plan again and review the new difference."))
	detail := text.String()
	if p.sent+p.lost > 0 {
		detail = b.WithUntried(s.Of, detail)
	}
	diags.AddError(base.ChangedAfterPlan(s.Name(now)), detail)
}

// refusedByServer reports a refusal, and the changes applied before it. now was read after it, and is nil if that
// failed.
func (s Subject[T, U]) refusedByServer(before T, all []Step[T, U], now *Reading[T], cause error, diags *diag.Diagnostics) *Reading[T] {
	var reported *base.Error
	if errors.As(cause, &reported) {
		diags.Append(reported.Diagnostics...)
		return now
	}
	detail, at := s.explain(cause), path.Empty()
	if now != nil {
		detail += "\n\n" + applied(all, now.Thing)
	}
	if s.At != nil {
		at = s.At(cause)
	}
	base.AddErrorAt(diags, at, "Cannot change "+s.Name(before), detail)
	return now
}

func (s Subject[T, U]) explain(err error) string {
	if s.Explain != nil {
		return s.Explain(err)
	}
	return base.Explain(err)
}

// reportUnknownOutcome reports a change that the server silently does not make.
func (s Subject[T, U]) reportUnknownOutcome(now T, pending []Step[T, U], p *progress, b *base.Base, diags *diag.Diagnostics) {
	var text strings.Builder
	for _, step := range pending {
		fmt.Fprintf(&text, "%s is still %s after the provider set it to %s.\n", step.Attribute, step.Prior, step.Planned)
	}
	if len(p.ignored) > 0 {
		fmt.Fprintf(&text, "The server ignores %s: %s\n", strings.Join(p.ignored, ", "), b.WhyIgnored())
	}
	if p.err != nil {
		text.WriteString("The last attempt failed: " + s.explain(p.err) + "\n")
	}
	diags.AddError(base.Capitalize(s.Name(now))+" did not accept the change", b.WithUntried(s.Of, text.String()))
}

// applied returns a text about the steps that the object already shows.
func applied[T, U any](all []Step[T, U], now T) string {
	var done []string
	for _, step := range all {
		if step.Current(now) == step.Planned {
			done = append(done, step.Attribute)
		}
	}
	if len(done) == 0 {
		return "No other attribute of it was changed. "
	}
	return "Already as planned: " + strings.Join(done, ", ") + ". "
}
