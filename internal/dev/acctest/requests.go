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

// Sent records the requests from now on. Make changes outside Terraform before the call.
func (o *Organization) Sent() *Sent { return &Sent{o: o, since: len(o.sent())} }

// Sent lists the requests to the server since [Organization.Sent] was called.
type Sent struct {
	o     *Organization
	since int
}

// Requests returns every request, including reads, oldest first.
func (s *Sent) Requests() []sandbox.Request { return s.o.sent()[s.since:] }

// Writes returns the requests that write. Registering and deleting an event queue do not count.
func (s *Sent) Writes() []sandbox.Request {
	return slices.DeleteFunc(slices.Clone(s.Requests()), func(r sandbox.Request) bool {
		return r.Method == http.MethodGet || r.Path == "/register" || r.Path == "/events"
	})
}

// Words summarizes the writes: the method and the names of the parameters, as in "PATCH description is_private". They are
// sorted, because concurrent requests have no order.
func (s *Sent) Words() []string {
	words := []string{}
	for _, r := range s.Writes() {
		words = append(words, strings.Join(append([]string{r.Method}, slices.Sorted(maps.Keys(r.Params))...), " "))
	}
	slices.Sort(words)
	return words
}

// Expect fails the test unless exactly these writes were sent, in the form of [Sent.Words].
func (s *Sent) Expect(t *testing.T, want ...string) {
	t.Helper()
	slices.Sort(want)
	if got := s.Words(); !slices.Equal(got, want) {
		t.Errorf("sent:\n  %s\nwant:\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// recorder is a proxy in front of a real server that records the requests.
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
		p.SetURL(target) // also sets the host, which the server needs to find the organization
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

// note records a request and restores its body.
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

const (
	// callsFile is the environment variable for the file of all successful calls of the provider, one a line.
	callsFile = "ZULIP_TEST_CALLS"
	// byProvider is the prefix of the provider's User-Agent; a test's own requests have no version.
	byProvider = "ZulipTerraformProvider/"
)

// distinguishing are the parameters that distinguish the operations of one endpoint by their values.
var distinguishing = []string{"op", "is_archived"}

// noteCalls notes the provider's calls.
func noteCalls(t *testing.T, requests []sandbox.Request) {
	t.Helper()
	seen := map[string]bool{}
	var lines []string
	for _, r := range requests {
		if !strings.HasPrefix(r.Agent, byProvider) || r.Status >= 300 {
			continue
		}
		line := r.Method + " " + r.Path
		for _, name := range distinguishing {
			if value, ok := r.Params[name]; ok {
				line += " " + name + "=" + value
			}
		}
		if !seen[line] {
			seen[line] = true
			lines = append(lines, line)
		}
	}
	noteLines(t, callsFile, lines)
}
