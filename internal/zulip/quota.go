package zulip

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"golang.org/x/time/rate"
)

// A server limits each account by several rules, by default 200 requests a
// minute and 2,000 an hour (server-behavior §R17). What it refuses it has not
// done, and it says when to come again: until then everybody waits, and after
// that fewer leave at once, and more again with each that is taken. What is
// refused for a few seconds comes from a rule of an operator's own, or from
// others who use the account: then requests leave one after the other, as fast
// as they were taken of late, and a little faster again with each.

const (
	// presumedPerMinute is what a server allows that was not told otherwise.
	presumedPerMinute = 200
	// oneMore is how much of another request may be under way after each that
	// was taken.
	oneMore = 1.0 / 16
	// shortRefusal is the longest wait after which requests are spread.
	shortRefusal = 15 * time.Second
	// ofLate is how far back it is looked how fast requests were taken.
	ofLate = 10 * time.Second
	// faster is how much faster requests are spread after each that is taken.
	faster = 0.0005
	// After longUnrefused they are spread muchFaster each second, and at
	// unspread not at all any more.
	longUnrefused = 20 * time.Second
	muchFaster    = 0.1
	unspread      = 3.0
	// grain is what a request is late, so that the clock has moved on.
	grain = time.Millisecond
)

// quota is when the next request of one account may leave. It does no waiting
// and knows no clock.
type quota struct {
	counts    []time.Time // when requests were taken, of the last minute; ascending
	resumed   time.Time   // when the first was, or the last long wait was over
	answered  bool        // whether the server has answered any: until then they leave alone
	limit     int         // of the longest rule, of which alone the headers speak (server-behavior §R18); 0: they said nothing
	remaining int         // of it

	notBefore time.Time // nothing leaves earlier: a refusal said so
	by        rule      // that it came from, as far as it is known
	atOnce    float64   // how many may be under way
	again     time.Time // when the last refusal was over
	taken     int       // since then

	measure  time.Duration // how far back it is to be looked how fast requests were taken; 0: it is not
	spread   *rate.Limiter // nil: requests are not spread
	spreadAt float64       // a second, when that was decided
}

// rule allows so many requests in any window of that length.
type rule struct {
	limit  int
	window time.Duration
}

// String says the rule in words; empty if it is not known.
func (r rule) String() string {
	text := fmt.Sprintf("%d requests", r.limit)
	switch {
	case r.limit == 0:
		return ""
	case r.window == time.Minute:
		return text + " a minute"
	}
	return text
}

// pause is why a request may not leave yet.
type pause struct {
	until time.Time // zero: until another is answered
	by    rule      // as far as it is known
}

func newQuota() quota { return quota{atOnce: maxInFlight} }

// next says whether another request may leave while some are under way; nil:
// yes.
func (q *quota) next(now time.Time, underWay int) *pause {
	if now.Before(q.notBefore) {
		return &pause{until: q.notBefore, by: q.by}
	}
	isLast := q.limit > 0 && q.remaining <= underWay
	if underWay >= int(q.atOnce) || underWay > 0 && (!q.answered || isLast) {
		return &pause{}
	}
	if q.measure > 0 { // what was under way at the refusal is answered by now
		q.spreadAt = q.perSecond(q.again, q.measure)
		q.spread = rate.NewLimiter(rate.Limit(q.spreadAt), 1)
		q.measure = 0
	}
	if q.spread == nil {
		return nil
	}
	factor := 1 + faster*float64(q.taken) + muchFaster*max(0, (now.Sub(q.again)-longUnrefused).Seconds())
	if factor >= unspread {
		q.spread = nil
		return nil
	}
	q.spread.SetLimitAt(now, rate.Limit(q.spreadAt*factor))
	if missing := 1 - q.spread.TokensAt(now); missing > 0 {
		wait := time.Duration(missing / float64(q.spread.Limit()) * float64(time.Second))
		return &pause{until: now.Add(wait + grain), by: q.by}
	}
	return nil
}

// left notes that a request leaves.
func (q *quota) left(now time.Time) {
	if q.spread != nil {
		q.spread.AllowN(now, 1)
	}
}

// counted notes that the server has taken a request. The headers may be nil.
func (q *quota) counted(now time.Time, headers http.Header) {
	if q.resumed.IsZero() {
		q.resumed = now
	}
	q.answered = true
	q.taken++
	q.counts = append(q.counts, now)
	q.forget(now)
	q.atOnce = min(maxInFlight, q.atOnce+oneMore)
	remaining, err := strconv.Atoi(headers.Get("X-RateLimit-Remaining"))
	if limit := headerLimit(headers); limit > 0 && err == nil && q.isOurs(headers) {
		q.limit, q.remaining = limit, remaining
	}
}

// refused notes that the server let a request wait; it has not counted it.
func (q *quota) refused(now time.Time, wait time.Duration, headers http.Header) {
	q.answered = true
	// Other processes of the account wait for the same moment.
	if until := now.Add(wait + jitter(refusalJitter)); until.After(q.notBefore) {
		q.notBefore = until
	}
	if now.Before(q.again) {
		return // it was under way when another was refused
	}
	q.forget(now)
	q.atOnce = max(1, q.atOnce/2)
	if wait > shortRefusal {
		q.resumed = now.Add(wait)
	}
	switch {
	case wait > time.Minute:
		q.by = rule{limit: headerLimit(headers)}
	case wait <= shortRefusal:
		q.measure = max(ofLate, 3*wait)
		q.by = rule{} // nobody says it
	default:
		q.by = rule{len(q.counts), time.Minute}
		if few := presumedPerMinute / 10; q.by.limit >= presumedPerMinute-few && q.by.limit <= presumedPerMinute+few {
			q.by.limit = presumedPerMinute // some were under way, or made by others
		}
	}
	q.again, q.taken = now.Add(wait), 0
}

// perSecond is how many requests a second were taken in a span before an
// instant; at least one was.
func (q *quota) perSecond(end time.Time, span time.Duration) float64 {
	if !q.resumed.IsZero() {
		span = max(grain, min(span, end.Sub(q.resumed)))
	}
	recent := len(q.counts)
	for recent > 1 && end.Sub(q.counts[len(q.counts)-recent]) > span {
		recent--
	}
	return float64(max(1, recent)) / span.Seconds()
}

// isOurs reports whether the headers of an answer speak of the account as a
// whole. Some actions are limited further, and where two limits apply, the
// headers speak of the lower one.
func (q *quota) isOurs(headers http.Header) bool {
	limit := headerLimit(headers)
	return limit == 0 || limit >= q.limit
}

// scarce reports whether the limit of a minute is near enough to be met: half
// of what a server allows by default is sent, and not so much more that it must
// allow more.
func (q *quota) scarce(now time.Time) bool {
	q.forget(now)
	sent := len(q.counts)
	return sent >= presumedPerMinute/2 && sent <= presumedPerMinute+presumedPerMinute/10
}

// forget drops what is older than a minute.
func (q *quota) forget(now time.Time) {
	for len(q.counts) > 0 && now.Sub(q.counts[0]) >= time.Minute {
		q.counts = q.counts[1:]
	}
}

// headerLimit is 0 if there is none.
func headerLimit(h http.Header) int {
	limit, err := strconv.Atoi(h.Get("X-RateLimit-Limit"))
	if err != nil {
		return 0
	}
	return max(0, limit)
}
