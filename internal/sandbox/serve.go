package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// call is one HTTP request on its way through the server.
type call struct {
	http   *http.Request
	method string // the verb that counts, see serve
	path   string // without the prefix of the API
	form   form
	entry  Request
	// before, if there is one, is called under the lock before the request is
	// done, and what it returns afterwards.
	before func() (after func())
	// polling is set once the request waits for events, and changed ends the wait.
	polling *polling
	changed <-chan struct{}
}

// serve handles a request: it reads it, waits for latency, gates and faults, handles
// it with the lock held, drops or damages the answer if a fault says so, adds it to
// the journal, and sends the answer.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	started := s.clock()
	f, err := readForm(r)
	if isTooLarge(err) {
		send(w, r.Method, htmlAnswer(http.StatusRequestEntityTooLarge, "413 Request Entity Too Large"))
		return
	}
	c := &call{http: r, method: r.Method, path: strings.TrimPrefix(r.URL.Path, apiPrefix), form: f}
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
		_ = http.NewResponseController(w).Flush() // else the half would be lost too
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
		site: s.siteOf(c.http), query: c.http.URL.RawQuery, server: s, polling: c.polling,
	}
	s.org.DeliverScheduled()
	s.org.Commit() // whatever becomes of the request
	if c.before != nil {
		defer c.before()()
	}
	headers, err := s.admit(r, found.endpoint, c.http)
	a, err = s.perform(r, found.endpoint, err)
	if err := s.persist(); err != nil {
		a = failure(err)
	}
	if c.polling == nil { // what was asked may be what others wait for
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

// perform does a request and returns its answer, unless it was refused before. It returns the refusal too.
func (s *Server) perform(r *request, e endpoint, refused error) (*answer, error) {
	var content fields
	if refused == nil {
		content, refused = e.handle(r)
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

// admitsBot refuses incoming webhook bots where they are not let in.
func (e endpoint) admitsBot(u rules.User) error {
	if u.IsBot && u.BotType == rules.BotIncomingWebhook && !e.webhookBots {
		return unauthorized("This API is not available to incoming webhook bots.")
	}
	return nil
}

// siteOf is the server's URL: where it listens, or, behind a handler or on every
// address, where the request was sent.
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
		_, _ = w.Write(a.body) //nolint:gosec // JSON, or a page with nothing in it that was sent; whoever asked may be gone
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
