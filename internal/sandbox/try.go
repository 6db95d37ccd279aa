package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// Trial is the organization while something is tried on it: see [Server.Try]. What it does, [Trial.Do] does by the rules; the other
// methods put in place what has to be there before, and ask nobody.
type Trial struct {
	s *Server
	*rules.Organization
}

// Try calls a function that tries something, and undoes all that it did: nothing of it is in the organization, the state file, the
// journal or an event queue afterwards, and IDs that it took are taken again. No other request is handled meanwhile. Rate limits,
// faults and latency do not apply.
func (s *Server) Try(try func(*Trial)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	queues := make(eventQueues, len(s.queues))
	for id, queue := range s.queues {
		kept := *queue
		queues[id] = &kept
	}
	settings, accounts := s.staleSettings, s.staleAccounts
	s.staleSettings, s.staleAccounts = nil, nil
	defer func() { s.queues, s.staleSettings, s.staleAccounts = queues, settings, accounts }()
	s.org.Try(func() { try(&Trial{s, s.org}) })
}

// TriedAnswer is what the server answers a request of a [Trial].
type TriedAnswer struct {
	Status int
	// Code and Message are what a refusal says.
	Code, Message string
	Body          []byte
}

// Done reports whether the server did what was asked for.
func (a TriedAnswer) Done() bool { return a.Status == http.StatusOK }

// Upload is a file of a request of a [Trial].
type Upload struct {
	Field, Name, ContentType string
	Content                  []byte
}

// Do handles a request of an account, by ID, as if it had come with the account's key. Later requests of the trial see what it did.
// It does not wait for events.
func (t *Trial) Do(as int, method, path string, params map[string]string, uploads ...Upload) (a TriedAnswer) {
	found, refused := t.s.router.find(method, apiPrefix+path, t.s.featureLevel())
	if refused != nil {
		return triedAnswer(refused)
	}
	values := maps.Clone(params)
	if values == nil {
		values = map[string]string{}
	}
	r := &request{
		params: newParams(values, t.s.featureLevel()), org: t.s.org, vars: found.vars, client: "Unspecified",
		site: t.s.listensAt().url(), query: encoded(params), server: t.s,
	}
	for _, upload := range uploads {
		r.files = append(r.files, file(upload))
	}
	t.Commit() // what was done before stays, if this is refused
	defer func() {
		if broken := recover(); broken != nil {
			t.Rollback()
			a = triedAnswer(failure(fmt.Errorf("%v", broken)))
		}
	}()
	answer, _ := t.s.perform(r, found.endpoint, t.admit(r, as, found.endpoint))
	return triedAnswer(answer)
}

// admit is [Server.admit] for an account that needs no key.
func (t *Trial) admit(r *request, as int, e endpoint) error {
	me, known := t.Users.Get(as)
	switch {
	case e.guard == open:
		return nil
	case !known:
		return unauthorized("Invalid API key")
	case !me.Active:
		return unauthorized("Account is deactivated")
	}
	if err := e.admitsBot(me); err != nil {
		return err
	}
	r.me = me
	return e.guardAt(r.level).check(me)
}

func triedAnswer(a *answer) TriedAnswer {
	tried := TriedAnswer{Status: a.status, Body: a.body}
	if !tried.Done() {
		var refusal struct{ Code, Msg string }
		_ = json.Unmarshal(a.body, &refusal) // else it is a page, which says nothing
		tried.Code, tried.Message = refusal.Code, refusal.Msg
	}
	return tried
}

func encoded(params map[string]string) string {
	query := url.Values{}
	for name, value := range params {
		query.Set(name, value)
	}
	return query.Encode()
}

// Transport reaches the server within the process, whatever the address of a request.
func (s *Server) Transport() http.RoundTripper { return transport{s.Handler()} }

type transport struct{ handler http.Handler }

var errDropped = errors.New("the sandbox dropped the connection")

// RoundTrip has the server handle a request.
func (t transport) RoundTrip(r *http.Request) (response *http.Response, err error) {
	defer func() {
		if recover() != nil { // as a fault of the server does it
			response, err = nil, errDropped
		}
	}()
	if r.Body == nil {
		r = r.Clone(r.Context())
		r.Body = http.NoBody
	}
	recorder := &recorder{header: http.Header{}, status: http.StatusOK}
	t.handler.ServeHTTP(recorder, r)
	return &http.Response{
		Status: http.StatusText(recorder.status), StatusCode: recorder.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: recorder.header, Body: io.NopCloser(&recorder.body), ContentLength: int64(recorder.body.Len()), Request: r,
	}, nil
}

// recorder keeps an answer.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header is what the answer begins with.
func (r *recorder) Header() http.Header { return r.header }

// WriteHeader keeps the status.
func (r *recorder) WriteHeader(status int) { r.status = status }

// Write keeps a part of the body.
func (r *recorder) Write(part []byte) (int, error) { return r.body.Write(part) }
