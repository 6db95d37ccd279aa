package sandbox

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/organization"
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
}

// serve takes a request through its stations: read it, wait as long as latency,
// gates and faults ask for, answer it under the lock, lose or spoil the answer
// if a fault says so, note it, send it.
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
		Time: started, Method: c.method, Path: c.path, Params: maskSecrets(f.values()), Account: s.claimed(r), Agent: r.UserAgent(),
	}

	pause(r.Context(), s.latency)
	s.gates.hold(r.Context(), c.entry)
	fault := s.faults.match(c.method, c.path)
	a := fault.run(r.Context(), func() *answer { return s.answerLate(c) })

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

// answer works a request out, alone with the organization, and makes sure that
// what it did is written before anybody hears of it.
func (s *Server) answer(c *call) (a *answer) {
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

	r := &request{
		params: newParams(c.form.values(), level),
		org:    s.org, vars: found.vars, files: c.form.files,
		site: s.siteOf(c.http), server: s,
	}
	s.org.DeliverScheduled()
	s.org.Keep() // whatever becomes of the request
	if c.before != nil {
		defer c.before()()
	}
	headers, err := s.admit(r, found.endpoint, c.http)
	var content fields
	if err == nil {
		content, err = found.handle(r)
	}
	if err != nil {
		s.org.Rollback()
		a = failure(err)
	} else {
		if ignored := r.ignored(); len(ignored) > 0 && !found.silent {
			if content == nil {
				content = fields{}
			}
			content["ignored_parameters_unsupported"] = ignored
		}
		a = success(content)
	}
	if err := s.persist(); err != nil {
		a = failure(err)
	}
	for name, values := range headers {
		a.header[name] = values
	}
	return a
}

// admit authenticates the caller, counts the call and asks the guard. The
// headers it returns belong on the answer whatever becomes of it.
func (s *Server) admit(r *request, e endpoint, h *http.Request) (http.Header, error) {
	if e.guard == open {
		return nil, nil
	}
	me, err := authenticate(s.org, h.Header.Get("Authorization"))
	if err != nil {
		return nil, err
	}
	if me.IsBot && me.BotType == organization.BotIncomingWebhook && !e.webhookBots {
		return nil, unauthorized("This API is not available to incoming webhook bots.")
	}
	r.me = me
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

// siteOf is the server's URL: where it listens, or, behind a handler, where the
// request was sent.
func (s *Server) siteOf(r *http.Request) string {
	if url := s.URL(); url != "" {
		return url
	}
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// claimed names the account a request says it comes from, right or wrong.
func (s *Server) claimed(r *http.Request) string {
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
		_, _ = w.Write(a.body) // whoever asked may be gone
	}
}

// pause waits, or stops waiting when the caller is gone.
func pause(ctx context.Context, d time.Duration) {
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
