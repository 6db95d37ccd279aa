package sandbox

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// FaultAction is the kind of a fault.
type FaultAction string

// The kinds of faults.
const (
	FaultStatus   FaultAction = "status"   // answer with a status and an error body
	FaultDrop     FaultAction = "drop"     // close the connection without an answer
	FaultTruncate FaultAction = "truncate" // send the first half of the answer, then close
	FaultHTML     FaultAction = "html"     // answer with a proxy's HTML page
	FaultEmpty    FaultAction = "empty"    // answer 200 without a body
	FaultStall    FaultAction = "stall"    // wait, then continue as usual
	// FaultLag lets reads show cached lists as they were before the latest writes: custom emoji, linkifiers, code
	// playgrounds, domains, custom profile fields, default channel groups. It must match the writes too, and can be
	// combined with other faults.
	FaultLag FaultAction = "lag"
	// FaultStale lets a write of an account leave the cached lists of people and bots unchanged, until the next write of
	// one. This happens when another client's read overlaps with the write (server-behavior §U18). A write of the
	// organization leaves the copy of its settings, which the server compares the next write with (server-behavior §O10).
	// It can be combined with other faults.
	FaultStale FaultAction = "stale"
)

// Fault is a rule that lets requests fail.
type Fault struct {
	Method string // "" or "*": any
	Path   string // a pattern: "*" is one segment, "**" at the end any rest; "": any
	// After is true if the request is handled first: a write is applied, and its answer is lost or damaged. Otherwise the
	// request never reaches the handler.
	After  bool
	Action FaultAction

	Status     int           // of FaultStatus (500 if 0) and FaultHTML (502 if 0)
	Body       string        // of FaultStatus, instead of an error of the server
	RetryAfter time.Duration // of FaultStatus: sets the header
	Delay      time.Duration // of FaultStall and FaultLag (at most a minute)

	Skip        int     // number of matching requests that pass first
	Count       int     // maximum number of hits; 0: all
	Probability float64 // chance of a hit; 0: always
}

// ParseFault reads a rule in the syntax of the command line:
//
//	METHOD PATH [before|after] ACTION [COUNT] [skip=N] [chance=P] [retry-after=SECONDS]
//
// METHOD may be *. ACTION is drop, truncate, html, empty, status=CODE, stall=DURATION, stale or lag=DURATION. COUNT is the
// number of requests to hit; without it, the rule hits all. stale is [FaultStale]. lag is [FaultLag]; it has no further
// words. Examples:
//
//	POST /channels/create after drop 1
//	* ** status=503 3 skip=10 retry-after=0.5
//	GET /users before stall=30s chance=0.1
//	* ** lag=500ms
func ParseFault(rule string) (Fault, error) {
	words := strings.Fields(rule)
	if len(words) < 3 {
		return Fault{}, fmt.Errorf("fault %q: want METHOD PATH [before|after] ACTION", rule)
	}
	f := Fault{Method: words[0], Path: words[1]}
	words = words[2:]
	switch words[0] {
	case "after":
		f.After = true
		words = words[1:]
	case "before":
		words = words[1:]
	}
	if len(words) == 0 {
		return Fault{}, fmt.Errorf("fault %q: no action", rule)
	}
	if err := f.parseAction(words[0]); err != nil {
		return Fault{}, fmt.Errorf("fault %q: %w", rule, err)
	}
	if f.Action == FaultLag && (f.After || len(words) > 1) {
		return Fault{}, fmt.Errorf("fault %q: lag=DURATION takes no other words", rule)
	}
	for _, word := range words[1:] {
		if err := f.parseOption(word); err != nil {
			return Fault{}, fmt.Errorf("fault %q: %w", rule, err)
		}
	}
	return f, nil
}

func (f *Fault) parseAction(word string) (err error) {
	name, value, _ := strings.Cut(word, "=")
	f.Action = FaultAction(name)
	switch f.Action {
	case FaultStatus:
		if f.Status, err = strconv.Atoi(value); err == nil && (f.Status < 200 || f.Status > 599) {
			err = fmt.Errorf("status %d is not possible", f.Status)
		}
	case FaultStall:
		f.Delay, err = time.ParseDuration(value)
	case FaultLag:
		if f.Delay, err = time.ParseDuration(value); err == nil && (f.Delay <= 0 || f.Delay > maxLag) {
			err = fmt.Errorf("a lag of %s is not possible", f.Delay)
		}
	case FaultDrop, FaultTruncate, FaultHTML, FaultEmpty, FaultStale:
	default:
		err = fmt.Errorf("unknown action %q", name)
	}
	return err
}

func (f *Fault) parseOption(word string) (err error) {
	name, value, named := strings.Cut(word, "=")
	switch {
	case !named:
		f.Count, err = strconv.Atoi(word)
	case name == "skip":
		f.Skip, err = strconv.Atoi(value)
	case name == "chance":
		f.Probability, err = strconv.ParseFloat(value, 64)
	case name == "retry-after":
		var seconds float64
		seconds, err = strconv.ParseFloat(value, 64)
		f.RetryAfter = time.Duration(seconds * float64(time.Second))
	default:
		err = fmt.Errorf("unknown option %q", name)
	}
	return err
}

// String describes the fault for the journal; "" for none.
func (f *Fault) String() string {
	if f == nil {
		return ""
	}
	when := "before"
	if f.After {
		when = "after"
	}
	return when + " " + string(f.Action)
}

func (f *Fault) truncates() bool { return f != nil && f.Action == FaultTruncate }

// apply handles a request with the fault; f may be nil. A nil answer means a dropped connection.
func (f *Fault) apply(ctx context.Context, do func() *answer) *answer {
	if f == nil {
		return do()
	}
	switch {
	case f.Action == FaultStall && f.After:
		a := do()
		sleepContext(ctx, f.Delay)
		return a
	case f.Action == FaultStall:
		sleepContext(ctx, f.Delay)
		return do()
	case f.Action == FaultTruncate:
		a := do() // the handler's answer, to cut in half
		if a != nil {
			a.header.Set("Content-Length", strconv.Itoa(len(a.body)))
			a.body = a.body[:len(a.body)/2]
		}
		return a
	case f.After:
		do()
	}
	return f.damage()
}

func (f *Fault) damage() *answer {
	switch f.Action {
	case FaultHTML:
		return htmlAnswer(orElse(f.Status, http.StatusBadGateway), "Bad Gateway")
	case FaultEmpty:
		return newAnswer(http.StatusOK, "application/json", nil)
	case FaultStatus:
		refusal := &rules.Error{Status: orElse(f.Status, http.StatusInternalServerError), Msg: "Internal server error"}
		if f.Status == http.StatusTooManyRequests {
			refusal = rateLimited(f.RetryAfter)
		}
		a := failure(refusal)
		if f.Body != "" {
			a.body = []byte(f.Body)
		}
		if f.RetryAfter > 0 {
			a.header.Set("Retry-After", retryAfter(f.RetryAfter.Seconds()))
		}
		return a
	default:
		return nil
	}
}

func orElse(n, fallback int) int {
	if n == 0 {
		return fallback
	}
	return n
}

// faultRules are the active faults.
type faultRules struct {
	mu    sync.Mutex
	rules []*faultRule
}

type faultRule struct {
	Fault
	seen, hit int
}

func newFaultRules(faults []Fault) *faultRules {
	all := &faultRules{}
	for _, f := range faults {
		all.add(f)
	}
	return all
}

func (all *faultRules) add(f Fault) (remove func()) {
	rule := &faultRule{Fault: f}
	all.mu.Lock()
	defer all.mu.Unlock()
	all.rules = append(all.rules, rule)
	return func() {
		all.mu.Lock()
		defer all.mu.Unlock()
		all.rules = slices.DeleteFunc(all.rules, func(r *faultRule) bool { return r == rule })
	}
}

// match returns the first rule that hits a request; nil if none does. FaultLag and FaultStale have functions of their own.
func (all *faultRules) match(method, path string) *Fault {
	return all.first(method, path, func(action FaultAction) bool { return action != FaultLag && action != FaultStale })
}

// leavesStale reports whether a write leaves the lists of people and bots unchanged.
func (all *faultRules) leavesStale(method, path string) bool {
	return all.first(method, path, func(action FaultAction) bool { return action == FaultStale }) != nil
}

// first returns the first rule with some actions that hits a request; nil if none does.
func (all *faultRules) first(method, path string, among func(FaultAction) bool) *Fault {
	all.mu.Lock()
	defer all.mu.Unlock()
	for _, rule := range all.rules {
		if !among(rule.Action) || !matches(rule.Method, rule.Path, method, path) {
			continue
		}
		rule.seen++
		if rule.seen <= rule.Skip || rule.Count > 0 && rule.hit >= rule.Count {
			continue
		}
		if rule.Probability > 0 && rand.Float64() >= rule.Probability {
			continue
		}
		rule.hit++
		return &rule.Fault
	}
	return nil
}

// lag returns the lag of the lists for a request, by the first rule that has one.
func (all *faultRules) lag(method, path string) (behind time.Duration, lags bool) {
	all.mu.Lock()
	defer all.mu.Unlock()
	for _, rule := range all.rules {
		if rule.Action == FaultLag && matches(rule.Method, rule.Path, method, path) {
			return rule.Delay, true
		}
	}
	return 0, false
}

// Gate holds matching requests until the test releases them. The test thereby decides the order of the answers.
type Gate struct {
	Arrived <-chan *HeldRequest

	method, path string
	arrived      chan *HeldRequest
	opened       chan struct{}
	once         sync.Once
}

// HeldRequest is a request that waits at a gate.
type HeldRequest struct {
	Request Request

	released chan struct{}
	once     sync.Once
}

// Release lets the request continue. It may be called again.
func (h *HeldRequest) Release() { h.once.Do(func() { close(h.released) }) }

// Open releases every request, including later ones.
func (g *Gate) Open() { g.once.Do(func() { close(g.opened) }) }

// maxHeldRequests is the capacity of Gate.Arrived.
const maxHeldRequests = 4096

type gateRules struct {
	mu    sync.Mutex
	gates []*Gate
}

func (all *gateRules) add(method, path string) *Gate {
	arrived := make(chan *HeldRequest, maxHeldRequests)
	g := &Gate{Arrived: arrived, arrived: arrived, method: method, path: path, opened: make(chan struct{})}
	all.mu.Lock()
	defer all.mu.Unlock()
	all.gates = append(all.gates, g)
	return g
}

// wait blocks a request at every gate that it matches. It returns when the request is released, the gate is opened, or the
// caller has gone.
func (all *gateRules) wait(ctx context.Context, r Request) {
	all.mu.Lock()
	gates := append([]*Gate(nil), all.gates...)
	all.mu.Unlock()
	for _, g := range gates {
		if matches(g.method, g.path, r.Method, r.Path) {
			g.wait(ctx, r)
		}
	}
}

func (g *Gate) wait(ctx context.Context, r Request) {
	select {
	case <-g.opened:
		return
	default:
	}
	h := &HeldRequest{Request: r, released: make(chan struct{})}
	select {
	case g.arrived <- h:
	case <-g.opened:
	case <-ctx.Done():
	}
	select {
	case <-h.released:
	case <-g.opened:
	case <-ctx.Done():
	}
}

func (all *gateRules) openAll() {
	all.mu.Lock()
	defer all.mu.Unlock()
	for _, g := range all.gates {
		g.Open()
	}
	all.gates = nil
}
