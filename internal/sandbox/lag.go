package sandbox

import (
	"cmp"
	"errors"
	"iter"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// cachedPaths are the prefixes of the kinds of object that a server caches as one list.
var cachedPaths = []string{
	"/realm/linkifiers", "/realm/filters", "/realm/emoji", "/realm/playgrounds", "/realm/domains", "/realm/profile_fields",
	"/default_stream_groups", "/realm/icon", "/realm/logo",
}

// maxLag is the maximum age of the data that a read returns.
const maxLag = time.Minute

// pastLists are the lists before a write.
type pastLists struct {
	until time.Time
	rules.Lists
}

// accountLists are the cached lists of people and of bots.
type accountLists struct {
	users []rules.User
	bots  map[int]rules.Bot
}

// accountLists returns the lists that are shown now.
func (s *Server) accountLists() *accountLists {
	if s.staleAccounts != nil {
		return s.staleAccounts
	}
	lists := &accountLists{bots: map[int]rules.Bot{}}
	for id, u := range s.org.Users.AsWritten() {
		lists.users = append(lists.users, u)
		lists.bots[id] = s.org.BotDetails(id)
	}
	return lists
}

// listedUsers are the rows of the list of people and bots, in no particular order (server-behavior §R26).
func (r *request) listedUsers() iter.Seq2[int, rules.User] {
	stale := r.server.staleAccounts
	if stale == nil {
		return r.org.Users.AsWritten()
	}
	return func(yield func(int, rules.User) bool) {
		for _, u := range stale.users {
			if !yield(u.ID, u) {
				return
			}
		}
	}
}

// listedBot is a bot's row in the list of bots.
func (r *request) listedBot(id int) rules.Bot {
	if stale := r.server.staleAccounts; stale != nil {
		return stale.bots[id]
	}
	return r.org.BotDetails(id)
}

// isAccountPath reports whether writes of a path change people or bots.
func isAccountPath(path string) bool {
	return path == "/users" || path == "/bots" || strings.HasPrefix(path, "/users/") || strings.HasPrefix(path, "/bots/")
}

// handleWithLag is handle for a server with lagging lists: a read soon after a write returns the earlier lists. Past lists
// are stored only while a fault lets them lag. A write of an account empties the cache of people and bots, or leaves it
// stale. A write of the organization does so with the copy of its settings, which changes are compared with.
func (s *Server) handleWithLag(c *call) *answer {
	if c.method == http.MethodPatch && c.path == "/realm" {
		isStale := s.faults.leavesStale(c.method, c.path)
		c.before = func() func() {
			before := s.org.Settings()
			return func() {
				if isStale {
					s.staleSettings = &before
				}
			}
		}
		return s.handle(c)
	}
	if c.method != http.MethodGet && isAccountPath(c.path) {
		isStale := s.faults.leavesStale(c.method, c.path)
		c.before = func() func() {
			var before *accountLists
			if isStale {
				before = s.accountLists()
			}
			return func() { s.staleAccounts = before }
		}
		return s.handle(c)
	}
	lag, lags := s.faults.lag(c.method, c.path)
	if !lags {
		return s.handle(c)
	}
	if c.method == http.MethodGet || c.path == "/register" {
		c.before = func() (restore func()) {
			then := s.clock().Add(-lag)
			i := slices.IndexFunc(s.past, func(p pastLists) bool { return p.until.After(then) })
			if i < 0 {
				return func() {}
			}
			return s.past[i].Show()
		}
	} else if slices.ContainsFunc(cachedPaths, func(prefix string) bool { return strings.HasPrefix(c.path, prefix) }) {
		c.before = func() func() {
			before := s.org.Lists()
			return func() {
				now := s.clock()
				s.past = slices.DeleteFunc(s.past, func(p pastLists) bool { return p.until.Before(now.Add(-maxLag)) })
				s.past = append(s.past, pastLists{now, before})
			}
		}
	}
	return s.handle(c)
}

// RateLimit allows a number of requests within a window of time, for each
// account.
type RateLimit struct {
	Window   time.Duration
	Requests int
}

// DefaultRateLimits returns the defaults of a server: 200 requests a minute and 2,000 an hour (server-behavior §R17).
func DefaultRateLimits() []RateLimit {
	return []RateLimit{{time.Minute, 200}, {time.Hour, 2000}}
}

// rateLimiter remembers the times of each account's accepted requests.
type rateLimiter struct {
	rules []RateLimit // ascending windows
	calls map[int][]time.Time
}

func newRateLimiter(rules []RateLimit) rateLimiter {
	rules = slices.Clone(rules)
	slices.SortFunc(rules, func(a, b RateLimit) int { return cmp.Compare(a.Window, b.Window) })
	return rateLimiter{rules: rules, calls: map[int][]time.Time{}}
}

// allow counts a call of an account at a moment. The headers it returns describe the last rule only, so the shorter ones
// give no warning.
func (l *rateLimiter) allow(account int, now time.Time) (http.Header, error) {
	if len(l.rules) == 0 {
		return nil, nil
	}
	longest := l.rules[len(l.rules)-1]
	calls := l.within(account, now, longest.Window)
	for _, rule := range l.rules {
		if n := len(calls); n >= rule.Requests {
			// The refusal is the shortest rule's, even if a longer one refuses too.
			if wait := calls[n-rule.Requests].Add(rule.Window).Sub(now); wait > 0 {
				return rateHeaders(longest.Requests, 0, now.Add(wait)), rateLimited(wait)
			}
		}
	}
	l.calls[account] = append(calls, now)
	return rateHeaders(longest.Requests, longest.Requests-len(calls)-1, now.Add(longest.Window)), nil
}

// within removes an account's calls that are older than the window.
func (l *rateLimiter) within(account int, now time.Time, window time.Duration) []time.Time {
	calls := l.calls[account]
	for len(calls) > 0 && now.Sub(calls[0]) >= window {
		calls = calls[1:]
	}
	return calls
}

func rateHeaders(limit, remaining int, reset time.Time) http.Header {
	return http.Header{
		"X-Ratelimit-Limit":     {strconv.Itoa(limit)},
		"X-Ratelimit-Remaining": {strconv.Itoa(remaining)},
		"X-Ratelimit-Reset":     {strconv.FormatInt(reset.Unix(), 10)},
	}
}

func rateLimited(wait time.Duration) *rules.Error {
	return &rules.Error{
		Status: http.StatusTooManyRequests,
		Code:   "RATE_LIMIT_HIT",
		Msg:    "API usage exceeded rate limit; see https://zulip.com/api/http-headers#rate-limiting-response-headers",
		Extra:  fields{"retry-after": wait.Seconds()},
	}
}

// rateLimitWait reads the seconds from an error of rateLimited.
func rateLimitWait(err error) float64 {
	var refusal *rules.Error
	if !errors.As(err, &refusal) {
		return 0
	}
	wait, _ := refusal.Extra["retry-after"].(float64)
	return wait
}

// retryAfter formats a wait for the header: seconds with a fraction.
func retryAfter(wait float64) string {
	return strconv.FormatFloat(wait, 'f', -1, 64)
}

// newConnections are the connections without a request so far. Clients open some in advance, and a server that shuts down
// would wait seconds for them.
type newConnections struct {
	mu    sync.Mutex
	open  map[net.Conn]struct{}
	ended bool // the server shuts down
}

// closeUnusedConnections lets a server close such connections when it shuts down.
func closeUnusedConnections(server *http.Server) {
	u := &newConnections{open: map[net.Conn]struct{}{}}
	server.ConnState = u.note
	server.RegisterOnShutdown(u.end)
}

func (u *newConnections) note(conn net.Conn, state http.ConnState) {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case state != http.StateNew:
		delete(u.open, conn)
	case u.ended:
		_ = conn.Close() // accepted while the server shuts down
	default:
		u.open[conn] = struct{}{}
	}
}

func (u *newConnections) end() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.ended = true
	for conn := range u.open {
		_ = conn.Close() // no client used it
	}
}
