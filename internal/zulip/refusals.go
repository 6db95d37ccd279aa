package zulip

import (
	"net/http"
	"slices"
	"time"
)

// A refusal says how long to wait, and not for which rule. The wait is until the
// oldest request in that rule's window is out of it; the quota knows when its own
// requests were counted, and so which window that is.

// refused notes that the server let a request wait; it has not counted it.
func (q *quota) refused(now time.Time, wait time.Duration, headers http.Header, underWay int) {
	switch r := q.explain(now, wait, underWay); {
	case r != nil:
		q.by, r.met = r.rule, now
	case wait > time.Minute+sameInstant:
		q.by = rule{limit: headerLimit(headers), window: q.longest.window}
	default:
		q.by = rule{}
		q.atOnce = max(1, q.atOnce/2)
	}
	// Other processes of the account wait for the same moment.
	if until := now.Add(wait + jitter(refusalJitter)); until.After(q.notBefore) {
		q.notBefore = until
	}
}

// explain returns the rule that a refusal came from, as far as it can be told. In
// steady traffic a short wait can be that of any window: what is expected of the
// minute comes first.
func (q *quota) explain(now time.Time, wait time.Duration, underWay int) *found {
	counted := q.countedSince(now.Add(-time.Minute))
	expected := q.minute.limit > 0 && counted+underWay+q.unknown(now, time.Minute)+q.minute.margin() >= q.minute.limit
	switch {
	case expected && q.learnMinute(now, wait, underWay):
		return &q.minute
	case q.learnShort(now, wait, underWay):
		return &q.short
	case !expected && q.learnMinute(now, wait, underWay):
		return &q.minute
	}
	return nil
}

// learnMinute takes from a refusal what it says of the minute's rule, and reports
// whether it came from that. If so, the wait is until the oldest of the
// minute's requests is a minute old.
func (q *quota) learnMinute(now time.Time, wait time.Duration, underWay int) bool {
	oldest := now.Add(wait - time.Minute)
	counted := q.countedSince(now.Add(-time.Minute))
	first := len(q.counts) - counted
	switch {
	case wait > time.Minute+sameInstant:
		return false
	case q.minute.limit > counted+underWay && q.minute.limit <= counted+underWay+q.unknown(now, time.Minute) && !oldest.After(q.since):
		// Those before us filled the minute. Nobody knows when in it; at the
		// latest when we began.
		q.counts = slices.Insert(q.counts, first, slices.Repeat([]time.Time{q.since}, q.minute.limit-counted)...)
		q.since = now.Add(-time.Minute)
		return true
	case counted > 0 && q.counts[first].Sub(oldest).Abs() <= sameInstant:
		justMet := q.minute.isTrusted(now) // by others that were under way
		switch {
		case q.minute.limit > counted+underWay && q.others > 0:
			return false // not all that others did is known
		case q.minute.limit == 0 || q.minute.limit > counted+underWay || q.minute.limit < counted && justMet:
			q.minute.limit = counted
		}
		return true
	}
	return false
}

// learnShort takes from a refusal what it may say of a rule with a short window,
// and reports whether that is likely. The wait is until the oldest of the requests
// in the window leaves it. More than one window may explain that, by chance or
// because requests come in bursts: the shortest one does.
func (q *quota) learnShort(now time.Time, wait time.Duration, underWay int) bool {
	if q.others > 0 {
		return false // not all that others did is known
	}
	for window := wait.Truncate(time.Second) + time.Second; window <= longestShort; window += time.Second {
		counted := q.countedSince(now.Add(-window))
		if counted == 0 || q.counts[len(q.counts)-counted].Add(window).Sub(now.Add(wait)).Abs() > shortInstant {
			continue
		}
		if q.short.window != window || q.short.limit > counted+underWay {
			q.short.rule = rule{counted, window}
		}
		q.short.met = now
		return q.isLikely(q.short.rule)
	}
	return false
}

// unknown is how many requests may have been made in the last window before we
// began.
func (q *quota) unknown(now time.Time, window time.Duration) int {
	if now.Sub(q.since) >= window {
		return 0
	}
	return max(0, q.before)
}

// isLikely reports whether a rule of a short window is one. Operators set those to
// spread what the minute's rule allows; what allows less in the long run was
// mistaken for a rule.
func (q *quota) isLikely(short rule) bool {
	return time.Duration(short.limit)*q.minute.window >= time.Duration(q.minute.limit)*short.window
}
