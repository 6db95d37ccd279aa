package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// call is one HTTP request in the server.
type call struct {
	http   *http.Request
	method string // the verb that counts, see serve
	path   string // without the prefix of the API
	form   form
	entry  Request
	// arrival is the position of the request among all requests.
	arrival int64
	// before, if set, is called under the lock before the request is handled. The function that it returns is called
	// afterwards.
	before func() (after func())
	// polling is set once the request waits for events, and changed ends the wait.
	polling *polling
	changed <-chan struct{}
}

// serve reads a request, waits for latency, gates and faults, and handles it with the lock held. Then it drops or damages
// the answer if a fault says so, adds it to the journal, and sends it.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	started := s.clock()
	f, err := readForm(r)
	if isTooLarge(err) {
		send(w, r.Method, htmlAnswer(http.StatusRequestEntityTooLarge, "413 Request Entity Too Large"))
		return
	}
	c := &call{http: r, method: r.Method, path: strings.TrimPrefix(r.URL.Path, apiPrefix), form: f, arrival: s.arrivals.Add(1)}
	if verb, ok := f.body["method"]; ok && r.Method == http.MethodPost {
		c.method = verb // a form field of that name overrides the verb (server-behavior §R3)
	}
	c.entry = Request{
		Time: started, Method: c.method, Path: c.path, Params: maskSecrets(f.values()), Account: s.claimedAccount(r), Agent: r.UserAgent(),
	}

	sleepContext(r.Context(), s.latency)
	s.gates.wait(r.Context(), c.entry)
	fault := s.faults.match(c.method, c.path)
	a := fault.apply(r.Context(), func() *answer { return s.handleWhenReady(r.Context(), c) })

	c.entry.Duration = s.clock().Sub(started)
	c.entry.Fault = fault.String()
	if a != nil {
		c.entry.Status, c.entry.Bytes = a.status, len(a.body)
	}
	s.journal.add(c.entry)
	if a == nil {
		panic(http.ErrAbortHandler) // closes the connection without an answer
	}
	send(w, r.Method, a)
	if fault.truncates() {
		_ = http.NewResponseController(w).Flush() // otherwise the half would be lost too
		panic(http.ErrAbortHandler)
	}
}

// handle handles a request with the lock held, and writes the changes to the state
// file before the request is answered.
func (s *Server) handle(c *call) (a *answer) {
	level := s.featureLevel()
	found, refused := s.router.find(c.method, c.http.URL.Path, level)
	if refused != nil {
		return refused
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.acquire(); err != nil {
		return failure(err)
	}
	defer func() {
		if err := s.release(); err != nil {
			a = failure(err)
		}
	}()
	defer func() {
		if broken := recover(); broken != nil {
			s.org.Revert()
			a = failure(fmt.Errorf("%v", broken))
		}
	}()

	values := c.form.values()
	r := &request{
		params: newParams(values, level),
		org:    s.org, vars: found.vars, files: c.form.files, client: clientOf(c.http.Header, values),
		site: s.siteOf(c.http), query: c.http.URL.RawQuery, server: s, polling: c.polling, arrival: c.arrival,
	}
	s.org.DeliverScheduled()
	s.org.Commit() // even if the request fails
	if c.before != nil {
		defer c.before()()
	}
	headers, err := s.admit(r, found.endpoint, c.http)
	a, err = s.perform(r, found.endpoint, err)
	if err := s.persist(); err != nil {
		a = failure(err)
	}
	if c.polling == nil { // the request may have changed something that others wait for
		close(s.changed)
		s.changed = make(chan struct{})
	}
	if errors.Is(err, errNoEvents) {
		c.polling, c.changed = r.polling, s.changed
		return nil
	}
	for name, values := range headers {
		a.header[name] = values
	}
	return a
}

// perform handles a request and returns its answer, unless it was refused before. It returns the refusal too.
func (s *Server) perform(r *request, e endpoint, refused error) (*answer, error) {
	var content fields
	if refused == nil {
		content, refused = e.handle(r)
	}
	if refused == nil && e.method != http.MethodGet && r.hasNullByte() {
		refused = rules.ErrUnstorable
	}
	switch {
	case refused != nil:
		s.org.Rollback()
		return failure(refused), refused
	case r.redirect != "":
		return redirection(r.redirect), nil
	}
	if ignored := r.ignored(); len(ignored) > 0 && !e.silent {
		if content == nil {
			content = fields{}
		}
		content["ignored_parameters_unsupported"] = ignored
	}
	return success(content), nil
}

// admit authenticates the caller, counts the call against the rate limits and checks
// the guard. The headers that it returns belong to every answer, errors included.
func (s *Server) admit(r *request, e endpoint, h *http.Request) (http.Header, error) {
	if e.guard == open {
		return nil, nil
	}
	me, err := authenticate(s.org, h.Header.Get("Authorization"))
	if err != nil {
		return nil, err
	}
	if err := e.admitsBot(me); err != nil {
		return nil, err
	}
	r.me = me
	if r.polling != nil { // it was counted before it waited
		return nil, e.guardAt(r.level).check(me)
	}
	limits := &s.limits
	if e.queues {
		limits = &s.queueLimits
	}
	headers, err := limits.allow(me.ID, s.clock())
	if err != nil {
		headers.Set("Retry-After", retryAfter(rateLimitWait(err)))
		return headers, err
	}
	return headers, e.guardAt(r.level).check(me)
}

// admitsBot refuses incoming webhook bots on endpoints that do not admit them.
func (e endpoint) admitsBot(u rules.User) error {
	if u.IsBot && u.BotType == rules.BotIncomingWebhook && !e.webhookBots {
		return unauthorized("This API is not available to incoming webhook bots.")
	}
	return nil
}

// siteOf returns the server's URL: its address or, for a handler or a server on every address, the host of the request.
func (s *Server) siteOf(r *http.Request) string {
	if at := s.listensAt(); at.url() != "" && !at.isEvery {
		return at.url()
	}
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// claimedAccount returns the account in the credentials of a request, valid or not.
func (s *Server) claimedAccount(r *http.Request) string {
	email, _, err := basicCredentials(r.Header.Get("Authorization"))
	if err != nil {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if u, ok := s.org.UserByEmail(email); ok && u.Account != "" {
		return u.Account
	}
	return email
}

func send(w http.ResponseWriter, method string, a *answer) {
	for name, values := range a.header {
		w.Header()[name] = values
	}
	w.WriteHeader(a.status)
	if method != http.MethodHead {
		_, _ = w.Write(a.body) //nolint:gosec // JSON, or a page without data of the request; the client may have gone
	}
}

// sleepContext waits for d, or until the caller has gone.
func sleepContext(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// apiPrefix precedes the path of every endpoint.
const apiPrefix = "/api/v1"

// endpoint is one line of the table of endpoints.
type endpoint struct {
	method string
	path   string // segments in braces are variables; {x:int} takes digits only
	guard  guard
	since  int // feature level it exists from; 0: always
	// bots is the feature level from which the guard admits bots like people; 0: no level does.
	bots   int
	handle handler
	// silent drops unknown parameters without reporting them (server-behavior §R14).
	silent bool
	// webhookBots is true if incoming webhook bots are admitted (server-behavior §R16).
	webhookBots bool
	// isPage is true if a wrong verb is answered like on a page, without JSON.
	isPage bool
	// queues is true if the process with the event queues serves it, which has its own rate limit (server-behavior §R19).
	queues bool
}

// guardAt returns the guard of the endpoint on a server of a feature level.
func (e endpoint) guardAt(level int) guard {
	if e.bots > 0 && level >= e.bots {
		return e.guard.withBots()
	}
	return e.guard
}

// handler reads its parameters and answers with the fields of a success.
type handler func(*request) (fields, error)

// route is an endpoint found for a request, and the variables of its path.
type route struct {
	endpoint
	pattern string
	vars    map[string]string
}

// router finds endpoints like Django does: the first matching path counts, and the verb is checked after it.
type router struct {
	bySegments map[int][]string // number of segments → paths, in the table's order
	byPath     map[string][]endpoint
}

func newRouter(table []endpoint) *router {
	r := &router{bySegments: map[int][]string{}, byPath: map[string][]endpoint{}}
	for _, e := range table {
		if _, known := r.byPath[e.path]; !known {
			n := strings.Count(e.path, "/")
			r.bySegments[n] = append(r.bySegments[n], e.path)
		}
		r.byPath[e.path] = append(r.byPath[e.path], e)
	}
	return r
}

// find returns the route of a request on a server of the feature level, or the answer to an unknown path.
func (r *router) find(method, path string, level int) (*route, *answer) {
	path, ok := strings.CutPrefix(path, apiPrefix)
	if !ok {
		return nil, htmlAnswer(http.StatusNotFound, "Page not found")
	}
	for _, pattern := range r.bySegments[strings.Count(path, "/")] {
		vars, ok := match(pattern, path)
		if !ok {
			continue
		}
		known := slices.Collect(func(yield func(endpoint) bool) {
			for _, e := range r.byPath[pattern] {
				if e.since <= level && !yield(e) {
					return
				}
			}
		})
		if len(known) == 0 {
			continue
		}
		return choose(known, method, vars)
	}
	return nil, htmlAnswer(http.StatusNotFound, "Page not found")
}

// choose picks the endpoint with the verb. GET serves HEAD too.
func choose(known []endpoint, method string, vars map[string]string) (*route, *answer) {
	var allowed []string
	verb := method
	if method == http.MethodHead {
		verb = http.MethodGet
	}
	for _, e := range known {
		if e.method == verb {
			return &route{endpoint: e, pattern: e.path, vars: vars}, nil
		}
		allowed = append(allowed, e.method)
	}
	if slices.Contains(allowed, http.MethodGet) {
		allowed = append(allowed, http.MethodHead)
	}
	switch {
	case method == http.MethodOptions:
		a := newAnswer(http.StatusNoContent, "", nil)
		a.header.Set("Allow", strings.Join(allowed, ", "))
		return nil, a
	case known[0].isPage:
		a := newAnswer(http.StatusMethodNotAllowed, "text/html; charset=utf-8", nil)
		a.header.Set("Allow", strings.Join(allowed, ", "))
		return nil, a
	}
	return nil, methodNotAllowed(allowed)
}

// match compares a path with a pattern, segment by segment.
func match(pattern, path string) (map[string]string, bool) {
	vars := map[string]string{}
	want, have := strings.Split(pattern, "/"), strings.Split(path, "/")
	for i, segment := range want {
		name, variable := strings.CutPrefix(segment, "{")
		if !variable {
			if segment != have[i] {
				return nil, false
			}
			continue
		}
		name, isInt := strings.CutSuffix(strings.TrimSuffix(name, "}"), ":int")
		if have[i] == "" || isInt && !isDigits(have[i]) {
			return nil, false
		}
		vars[name] = have[i]
	}
	return vars, true
}

func isDigits(s string) bool {
	_, err := strconv.ParseUint(s, 10, 62)
	return err == nil
}

// request is the input of a handler: the caller, the parameters, and the organization, which is locked.
type request struct {
	*params
	org    *rules.Organization
	me     rules.User        // zero for open endpoints
	vars   map[string]string // variables of the path
	files  []file
	client string // the program that asks
	site   string // the server's URL as the caller wrote it
	query  string // as sent
	// redirect is another address to answer with, instead of fields.
	redirect string
	server   *Server
	arrival  int64 // see call
	// polling is set for a request that has waited for events.
	polling *polling
}

// id returns an integer variable of the path.
func (r *request) id(name string) int {
	id, err := strconv.Atoi(r.vars[name])
	if err != nil {
		return 0 // the route takes digits only
	}
	return id
}

// add puts a field into an object if the server's feature level has it.
func (r *request) add(object fields, since int, name string, value any) {
	if r.level >= since {
		object[name] = value
	}
}
