package acctest

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// Sent watches what the provider sends from now on. Changes by hand are to be made before.
func (o *Organization) Sent() *Sent { return &Sent{o: o, since: len(o.sent())} }

// Sent is what was sent to the server since some moment.
type Sent struct {
	o     *Organization
	since int
}

// Requests returns every request, reads included, oldest first.
func (s *Sent) Requests() []sandbox.Request { return s.o.sent()[s.since:] }

// Writes returns the requests that change something. The snapshot and its event queue change nothing for anybody.
func (s *Sent) Writes() []sandbox.Request {
	return slices.DeleteFunc(slices.Clone(s.Requests()), func(r sandbox.Request) bool {
		return r.Method == http.MethodGet || r.Path == "/register" || r.Path == "/events"
	})
}

// Words writes the changes in short: the method and the names of the parameters, as in "PATCH description is_private".
// They are sorted, for what runs at the same time has no order.
func (s *Sent) Words() []string {
	words := []string{}
	for _, r := range s.Writes() {
		words = append(words, strings.Join(append([]string{r.Method}, slices.Sorted(maps.Keys(r.Params))...), " "))
	}
	slices.Sort(words)
	return words
}

// Expect fails the test unless exactly these changes were sent, in the words of Words.
func (s *Sent) Expect(t *testing.T, want ...string) {
	t.Helper()
	slices.Sort(want)
	if got := s.Words(); !slices.Equal(got, want) {
		t.Errorf("sent:\n  %s\nwant:\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// recorder stands before a real server and notes what passes.
type recorder struct {
	url string

	mu    sync.Mutex
	noted []sandbox.Request
}

func newRecorder(t *testing.T, site string) *recorder {
	t.Helper()
	target, err := url.Parse(site)
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{}
	proxy := &httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) {
		p.SetURL(target) // and the host with it, by which the server knows the organization
	}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if err := r.note(req); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		proxy.ServeHTTP(w, req)
	}))
	t.Cleanup(server.Close)
	r.url = server.URL
	return r
}

// note keeps the parameters of a request and puts its body back.
func (r *recorder) note(req *http.Request) error {
	body, err := readAgain(req)
	if err != nil {
		return err
	}
	values, err := url.ParseQuery(body)
	if err != nil {
		return err
	}
	params := map[string]string{}
	for name := range values {
		params[name] = values.Get(name)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.noted = append(r.noted, sandbox.Request{
		Method: req.Method, Path: strings.TrimPrefix(req.URL.Path, "/api/v1"), Params: params, Agent: req.UserAgent(),
	})
	return nil
}

func (r *recorder) requests() []sandbox.Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.noted)
}
