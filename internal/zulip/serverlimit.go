package zulip

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"golang.org/x/time/rate"
)

// A server limits each account by several rules, by default 200 requests a
// minute and 2,000 an hour (server-behavior §R17). A refused request was not carried out,
// and the refusal says how long to wait. All requests of the account wait until then.
// Afterwards fewer are in flight at once (half as many), and more again with each that
// is accepted: additive increase, multiplicative decrease.
//
// A refusal for a few seconds only comes from a shorter rule that the server's operator
// added, or from other clients of the account. Requests are then also spaced evenly, at the
// rate at which they were accepted before, and a little faster with each that is accepted.

const (
	// defaultPerMinute is what a server allows unless its operator changed it.
	defaultPerMinute = 200
	// concurrencyStep is how much concurrency grows with each accepted request.
	concurrencyStep = 1.0 / 16
	// maxBurstRefusal is the longest wait after which requests are spaced.
	maxBurstRefusal = 15 * time.Second
	// minMeasureWindow is the shortest time over which the accepted rate is measured.
	minMeasureWindow = 10 * time.Second
	// speedUpPerRequest is how much the rate grows with each accepted request.
	speedUpPerRequest = 0.0005
	// After fastRecoveryAfter without a refusal the rate also grows by
	// speedUpPerSecond; at spacingEndsAt times the measured rate, spacing ends.
	fastRecoveryAfter = 20 * time.Second
	speedUpPerSecond  = 0.1
	spacingEndsAt     = 3.0
	// clockMargin is added to a wait, so that it is over when the timer fires.
	clockMargin = time.Millisecond
)

// serverLimit estimates from the server's answers when the next request of one account may
// be sent. It neither waits nor reads a clock: the current time is an argument.
type serverLimit struct {
	accepted      []time.Time // when requests of the last minute were accepted; ascending
	countingSince time.Time   // when the first was accepted, or the last long wait ended
	hasAnswer     bool        // until the first answer, requests are sent one at a time
	limit         int         // X-RateLimit-Limit, of the longest rule only (server-behavior §R18); 0: unknown
	remaining     int         // X-RateLimit-Remaining

	notBefore     time.Time // no request is sent earlier, after a refusal
	refusedBy     rule      // the rule that refused, as far as it is known
	concurrency   float64   // how many requests may be in flight
	refusedUntil  time.Time // when the last refusal ended
	acceptedSince int       // number of requests accepted after refusedUntil

	measureWindow time.Duration // measure the accepted rate over this time before the next request; 0: do not
	spacing       *rate.Limiter // nil: requests are not spaced
	spacingStart  float64       // the measured rate, in requests a second
}

// rule allows limit requests in any window.
type rule struct {
	limit  int
	window time.Duration
}

// String describes the rule, like "200 requests a minute"; empty if it is not known.
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

// delay says how long a request has to wait.
type delay struct {
	until time.Time // zero: until another request is answered
	by    rule      // the rule that is waited for, as far as it is known
}

func newServerLimit() serverLimit { return serverLimit{concurrency: maxInFlight} }

// nextDelay returns nil if another request may be sent now, while inFlight others are.
func (s *serverLimit) nextDelay(now time.Time, inFlight int) *delay {
	if now.Before(s.notBefore) {
		return &delay{until: s.notBefore, by: s.refusedBy}
	}
	isLast := s.limit > 0 && s.remaining <= inFlight
	if inFlight >= int(s.concurrency) || inFlight > 0 && (!s.hasAnswer || isLast) {
		return &delay{}
	}
	if s.measureWindow > 0 { // requests in flight at the refusal are answered meanwhile
		s.spacingStart = s.acceptedPerSecond(s.refusedUntil, s.measureWindow)
		s.spacing = rate.NewLimiter(rate.Limit(s.spacingStart), 1)
		s.measureWindow = 0
	}
	if s.spacing == nil {
		return nil
	}
	factor := 1 + speedUpPerRequest*float64(s.acceptedSince) + speedUpPerSecond*max(0, (now.Sub(s.refusedUntil)-fastRecoveryAfter).Seconds())
	if factor >= spacingEndsAt {
		s.spacing = nil
		return nil
	}
	s.spacing.SetLimitAt(now, rate.Limit(s.spacingStart*factor))
	if missing := 1 - s.spacing.TokensAt(now); missing > 0 {
		wait := time.Duration(missing / float64(s.spacing.Limit()) * float64(time.Second))
		return &delay{until: now.Add(wait + clockMargin), by: s.refusedBy}
	}
	return nil
}

// recordSent notes that a request is sent.
func (s *serverLimit) recordSent(now time.Time) {
	if s.spacing != nil {
		s.spacing.AllowN(now, 1)
	}
}

// recordAccepted notes that the server counted a request. The headers may be nil.
func (s *serverLimit) recordAccepted(now time.Time, headers http.Header) {
	if s.countingSince.IsZero() {
		s.countingSince = now
	}
	s.hasAnswer = true
	s.acceptedSince++
	s.accepted = append(s.accepted, now)
	s.dropOld(now)
	s.concurrency = min(maxInFlight, s.concurrency+concurrencyStep)
	remaining, err := strconv.Atoi(headers.Get("X-RateLimit-Remaining"))
	if limit := headerLimit(headers); limit > 0 && err == nil && s.coversAccount(headers) {
		s.limit, s.remaining = limit, remaining
	}
}

// recordRefused notes that the server refused a request, which it then does not count.
func (s *serverLimit) recordRefused(now time.Time, wait time.Duration, headers http.Header) {
	s.hasAnswer = true
	// Other processes of the account wait for the same moment.
	if until := now.Add(wait + jitter(refusalJitter)); until.After(s.notBefore) {
		s.notBefore = until
	}
	if now.Before(s.refusedUntil) {
		return // it was in flight when another one was refused
	}
	s.dropOld(now)
	s.concurrency = max(1, s.concurrency/2)
	if wait > maxBurstRefusal {
		s.countingSince = now.Add(wait)
	}
	switch {
	case wait > time.Minute:
		s.refusedBy = rule{limit: headerLimit(headers)}
	case wait <= maxBurstRefusal:
		s.measureWindow = max(minMeasureWindow, 3*wait)
		s.refusedBy = rule{} // unknown
	default:
		s.refusedBy = rule{len(s.accepted), time.Minute}
		if few := defaultPerMinute / 10; s.refusedBy.limit >= defaultPerMinute-few && s.refusedBy.limit <= defaultPerMinute+few {
			s.refusedBy.limit = defaultPerMinute // the difference was in flight, or sent by other clients
		}
	}
	s.refusedUntil, s.acceptedSince = now.Add(wait), 0
}

// acceptedPerSecond returns the rate at which requests were accepted in the time before
// end; it counts at least one request.
func (s *serverLimit) acceptedPerSecond(end time.Time, span time.Duration) float64 {
	if !s.countingSince.IsZero() {
		span = max(clockMargin, min(span, end.Sub(s.countingSince)))
	}
	recent := len(s.accepted)
	for recent > 1 && end.Sub(s.accepted[len(s.accepted)-recent]) > span {
		recent--
	}
	return float64(max(1, recent)) / span.Seconds()
}

// coversAccount reports whether the headers describe a limit of the whole account. Some
// endpoints have limits of their own; where two limits apply, the headers describe the
// lower one.
func (s *serverLimit) coversAccount(headers http.Header) bool {
	limit := headerLimit(headers)
	return limit == 0 || limit >= s.limit
}

// isNear reports whether the limit of a minute is likely to be reached: at least half of the
// default was sent, and not so much that this server must allow more than the default.
func (s *serverLimit) isNear(now time.Time) bool {
	s.dropOld(now)
	sent := len(s.accepted)
	return sent >= defaultPerMinute/2 && sent <= defaultPerMinute+defaultPerMinute/10
}

// dropOld drops what is older than a minute.
func (s *serverLimit) dropOld(now time.Time) {
	for len(s.accepted) > 0 && now.Sub(s.accepted[0]) >= time.Minute {
		s.accepted = s.accepted[1:]
	}
}

// headerLimit reads X-RateLimit-Limit; 0 if there is none.
func headerLimit(h http.Header) int {
	limit, err := strconv.Atoi(h.Get("X-RateLimit-Limit"))
	if err != nil {
		return 0
	}
	return max(0, limit)
}
