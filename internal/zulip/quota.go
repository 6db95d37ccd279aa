package zulip

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// A server limits each account by several rules, by default 200 requests a
// minute and 2,000 an hour (server-behavior §R17, §R18). Its headers speak of the longest
// rule only, and of the whole account, whoever used it from wherever. So the
// longest rule is known from every answer; and from how its number falls it
// can be told what others do with the account meanwhile. The rule of the
// minute has to be found out by being refused: once, by one request, since
// close to the number that is expected they leave one at a time. So has a rule
// of a few seconds, which some operators add; nothing is expected of that, and
// it refuses what is under way at the time.

const (
	// presumedPerMinute is what a server allows that was not told otherwise.
	presumedPerMinute = 200
	// careful is how many requests may have been counted that are not known yet.
	careful = 10
	// trust is how long a limit that was met is not tried again.
	trust = 5 * time.Minute
	// grain is what a request is late, so that the server's clock has moved on.
	grain = 10 * time.Millisecond
	// oneMore is how much of another request may be under way after each that
	// was not refused.
	oneMore = 1.0 / 16
	// longestShort is the longest window that is looked for behind a refusal.
	longestShort = 15 * time.Second
	// shortInstant is what sameInstant is for such windows.
	shortInstant = 250 * time.Millisecond
	// lookAgain is when to try after the longest rule is used up by requests of
	// which it is not known when they were made.
	lookAgain = 15 * time.Second
	// sameInstant is how far two clocks and a slow answer may be apart.
	sameInstant = 2 * time.Second
)

// quota is what is known of the requests that a server lets one account make.
// It does no waiting and knows no clock.
type quota struct {
	since  time.Time   // when the first request left: what was before is not known
	counts []time.Time // when requests of the account were counted, ours and others', as far as known; ascending
	ours   int         // how many of ours were counted

	minute found
	short  found // of a few seconds

	longest rule      // as the headers have it; limit 0: they said nothing
	used    int       // of the longest rule
	seen    time.Time // when it was
	before  int       // used by what was before us
	others  int       // counted since then that was not ours

	notBefore time.Time // nothing leaves earlier: a refusal said so
	by        rule      // that it came from
	atOnce    float64   // how many may be under way; few after refusals that no known limit explains
}

// found is a rule of which the headers do not speak. The limit is 0 where no such
// rule is known.
type found struct {
	rule

	met time.Time // when it was met last; zero: it is presumed
}

// rule allows so many requests in any window of that length.
type rule struct {
	limit  int
	window time.Duration
}

// String says the rule in words; empty if it is not known.
func (r rule) String() string {
	if r.limit == 0 {
		return ""
	}
	text := fmt.Sprintf("%d requests", r.limit)
	window := r.window.Round(10 * time.Second)
	if r.window <= longestShort {
		window = r.window // it was not measured, but found out
	}
	switch window {
	case 0:
		return text
	case time.Second:
		return text + " a second"
	case time.Minute:
		return text + " a minute"
	case time.Hour:
		return text + " an hour"
	case 24 * time.Hour:
		return text + " a day"
	default:
		return text + " in " + window.String()
	}
}

// pause is why a request may not leave yet.
type pause struct {
	until time.Time // zero: until another is answered
	by    rule      // as far as it is known
}

func newQuota() quota {
	return quota{minute: found{rule: rule{presumedPerMinute, time.Minute}}, atOnce: maxInFlight}
}

// next says whether another request may leave while some are under way; nil:
// yes.
func (q *quota) next(now time.Time, underWay int) *pause {
	q.forget(now)
	if now.Before(q.notBefore) {
		return &pause{until: q.notBefore, by: q.by}
	}
	// The first answer says how things stand; so does the first after a wait, in
	// which others were not seen.
	blind := q.ours == 0 || q.others > 0 && now.Sub(q.seen) > sameInstant
	if underWay >= int(q.atOnce) || underWay > 0 && blind {
		return &pause{}
	}
	if held := q.nextIn(&q.minute, now, underWay); held != nil {
		return held
	}
	if q.isLikely(q.short.rule) {
		if held := q.nextIn(&q.short, now, underWay); held != nil {
			return held
		}
	}
	return q.nextInLongest(now, underWay)
}

// nextIn is next for a rule that was found out.
func (q *quota) nextIn(r *found, now time.Time, underWay int) *pause {
	if r.limit == 0 {
		return nil
	}
	counted := q.countedSince(now.Add(-r.window))
	full := counted+underWay >= r.limit
	switch {
	case full && underWay < r.limit && r.isTrusted(now):
		leaves := q.counts[len(q.counts)-(r.limit-underWay)]
		return &pause{until: leaves.Add(r.window + grain), by: r.rule}
	case underWay > 0 && counted+underWay+q.unknown(now, r.window)+q.distance(r.rule) >= r.limit:
		return &pause{}
	}
	return nil
}

// distance is how far from a limit requests begin to leave one at a time.
func (q *quota) distance(r rule) int {
	if q.others > 0 {
		return r.margin()
	}
	return 0
}

// margin is how far a count may be from what the server has counted.
func (r rule) margin() int { return min(careful, r.limit/10) }

func (q *quota) nextInLongest(now time.Time, underWay int) *pause {
	left := q.longest.limit - q.used - underWay
	switch {
	case q.longest.limit == 0 || left > careful:
		return nil
	case underWay > 0:
		return &pause{}
	case left > 0:
		return nil
	}
	until := q.seen.Add(min(lookAgain, q.longest.window))
	if known := len(q.counts) - q.longest.limit; known >= 0 {
		until = q.counts[known].Add(q.longest.window)
	}
	if !now.Before(until) {
		return nil
	}
	return &pause{until: until, by: q.longest}
}

// left notes that a request leaves. It returns what counted and look want to
// know about it later: how many of ours were certainly counted before it.
func (q *quota) left(now time.Time) int {
	if q.since.IsZero() {
		q.since = now
	}
	return q.ours
}

// counted notes that the server has counted a request of ours; it may be told
// late, but not early, so that nothing leaves too soon.
func (q *quota) counted(now time.Time, headers http.Header, earlier, underWay int) {
	q.atOnce = min(maxInFlight, q.atOnce+oneMore)
	q.ours++
	q.counts = append(q.counts, now)
	q.look(now, headers, earlier, underWay)
	// What was under way at a refusal may have been taken before it.
	if n := q.countedSince(now.Add(-q.short.window)); q.short.isTrusted(now) && n > q.short.limit {
		q.short.limit = n
	}
	for _, r := range []*found{&q.minute, &q.short} {
		// A few may be in the count that have just left the server's.
		if r.limit > 0 && !r.isTrusted(now) && q.countedSince(now.Add(-r.window)) > r.limit+r.margin() {
			r.limit = 0
		}
	}
}

// isTrusted reports whether the rule was met so lately that it is not tried again.
func (r *found) isTrusted(now time.Time) bool { return r.limit > 0 && now.Sub(r.met) < trust }

// look takes from the headers of an answer how much of the longest rule is
// used, and by whom.
func (q *quota) look(now time.Time, headers http.Header, earlier, underWay int) {
	limit, used, window, ok := longestRule(headers)
	if !ok || !q.isOurs(headers) {
		return
	}
	first := q.longest.limit != limit
	last := q.seen
	q.longest, q.used, q.seen = rule{limit, window}, used, now
	// Of ours, as many were counted when the answer was written: those before it
	// for certain, at most those that have left since.
	least, most := earlier+1, q.ours+underWay
	switch rest := used - q.before; {
	case first:
		q.before = used - least
	case rest-most > q.others:
		q.addOthers(rest-most-q.others, last, now)
	case rest-least < q.others:
		q.before -= q.others - (rest - least) // they have left the window
	}
}

// isOurs reports whether the headers of an answer speak of the account as a
// whole. Some actions are limited further, and where two limits apply, the
// headers speak of the lower one.
func (q *quota) isOurs(headers http.Header) bool {
	limit := headerLimit(headers)
	return limit == 0 || limit >= q.longest.limit
}

// addOthers notes requests of others, which were made some time in a span.
func (q *quota) addOthers(n int, from, to time.Time) {
	q.others += n
	for i := range n {
		q.counts = append(q.counts, from.Add(to.Sub(from)*time.Duration(i+1)/time.Duration(n)))
	}
	slices.SortFunc(q.counts, time.Time.Compare)
}

// scarce reports whether a limit is near enough to be met: half of what the
// account may send in a minute is sent.
func (q *quota) scarce(now time.Time) bool {
	return q.minute.limit > 0 && q.countedSince(now.Add(-time.Minute)) >= q.minute.limit/2
}

func (q *quota) countedSince(from time.Time) int {
	first, _ := slices.BinarySearchFunc(q.counts, from, func(at, from time.Time) int {
		if at.After(from) {
			return 1
		}
		return -1
	})
	return len(q.counts) - first
}

// forget drops what no rule looks at any more.
func (q *quota) forget(now time.Time) {
	keep := q.countedSince(now.Add(-max(time.Minute, q.longest.window)))
	gone := len(q.counts) - keep
	q.counts = q.counts[gone:]
	q.used = max(0, q.used-gone)
}

// longestRule reads the headers of an answer that was not refused. The window
// is from this request, which is the newest, to when all of it is over, by the
// server's own clock.
func longestRule(h http.Header) (limit, used int, window time.Duration, ok bool) {
	limit = headerLimit(h)
	remaining, err := strconv.Atoi(h.Get("X-RateLimit-Remaining"))
	if limit == 0 || err != nil {
		return 0, 0, 0, false
	}
	window = time.Hour
	reset, err := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64)
	if sent, dateErr := http.ParseTime(h.Get("Date")); err == nil && dateErr == nil {
		// Both were cut to seconds.
		if span := time.Unix(reset, 0).Sub(sent); span > 0 && span < longestRetryAfter {
			window = span + time.Second
		}
	}
	return limit, max(0, limit-remaining), window, true
}

// headerLimit is 0 if there is none.
func headerLimit(h http.Header) int {
	limit, err := strconv.Atoi(h.Get("X-RateLimit-Limit"))
	if err != nil {
		return 0
	}
	return max(0, limit)
}
