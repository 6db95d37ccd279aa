package zulip

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"
)

const (
	testEmail = "terraform-bot@rec.example.com"
	testKey   = "Zq8vT0nJ3xLbW5sYd2RkGf7HmCp1EuAo"

	ok = `{"result":"success","msg":""}`
)

// wire is a client and a server with answers that a test writes. The network between them is in memory, so that a test in a
// bubble (testing/synctest) does not wait.
type wire struct {
	client  *Client
	network *http.Transport
	log     *lockedBuffer
	ctx     context.Context

	mu   sync.Mutex
	sent []sentRequest
}

type sentRequest struct {
	method, path, query, body string
	header                    http.Header
}

// answers writes the answer to the n-th request, counted from 1.
type answers func(n int, w http.ResponseWriter, r *http.Request)

func newWire(t *testing.T, answer answers, settings ...func(*Config)) *wire {
	t.Helper()
	listener := &memoryListener{connections: make(chan net.Conn), closed: make(chan struct{})}
	w := &wire{log: &lockedBuffer{}, network: &http.Transport{DialContext: listener.dial}}
	w.ctx = tflogtest.RootLogger(t.Context(), w.log)
	server := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.mu.Lock()
		w.sent = append(w.sent, sentRequest{r.Method, r.URL.Path, r.URL.RawQuery, string(body), r.Header})
		n := len(w.sent)
		w.mu.Unlock()
		answer(n, rw, r)
	}), ReadHeaderTimeout: time.Hour}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() {
		_ = server.Close()
		w.network.CloseIdleConnections()
	})
	cfg := Config{Site: "http://chat.example.com", Email: testEmail, APIKey: testKey, RequestTimeout: 10 * time.Second, Transport: w.network}
	for _, set := range settings {
		set(&cfg)
	}
	client, err := New(cfg)
	requireNoError(t, err)
	client.limiter = newRequestLimiter(cfg.RequestsPerMinute) // of its own
	w.client = client
	return w
}

type memoryListener struct {
	connections chan net.Conn
	closed      chan struct{}
}

func (l *memoryListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.connections <- server:
		return client, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *memoryListener) Accept() (net.Conn, error) {
	select {
	case connection := <-l.connections:
		return connection, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *memoryListener) Close() error {
	close(l.closed)
	return nil
}

func (l *memoryListener) Addr() net.Addr { return &net.TCPAddr{} }

func (w *wire) requests() []sentRequest {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]sentRequest(nil), w.sent...)
}

// expectSent checks how many requests reached the server in all.
func (w *wire) expectSent(t *testing.T, want int) {
	t.Helper()
	if got := len(w.requests()); got != want {
		t.Errorf("the server saw %d requests, want %d", got, want)
	}
}

func (w *wire) create() error {
	form := &Form{}
	form.Text("name", "engineering")
	_, err := w.client.send(w.ctx, http.MethodPost, "/channels/create", form, neverRetry, nil)
	return err
}

func (w *wire) read() error {
	_, err := w.client.send(w.ctx, http.MethodGet, "/users/me", nil, safeToRetry, nil)
	return err
}

// always gives the same answer to every request.
func always(status int, contentType, body string) answers {
	return func(_ int, w http.ResponseWriter, _ *http.Request) { reply(w, status, contentType, body) }
}

// first gives the answers in turn; the last one for all that follow.
func first(each ...answers) answers {
	return func(n int, w http.ResponseWriter, r *http.Request) { each[min(n, len(each))-1](n, w, r) }
}

func reply(w http.ResponseWriter, status int, contentType, body string) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	fmt.Fprint(w, body)
}

func json200(body string) answers { return always(200, "application/json", body) }

func refusal(status int, code, msg string) answers {
	return always(status, "application/json", fmt.Sprintf(`{"result":"error","msg":%q,"code":%q}`, msg, code))
}

// limited is the recorded refusal with another wait.
func limited(header, body string) answers {
	return func(_ int, w http.ResponseWriter, _ *http.Request) {
		if header != "" {
			w.Header().Set("Retry-After", header)
		}
		reply(w, 429, "application/json", `{"result":"error","msg":"API usage exceeded rate limit","code":"RATE_LIMIT_HIT","retry-after":`+body+`}`)
	}
}

// dropped ends the connection without an answer, after the request was read.
func dropped(_ int, w http.ResponseWriter, _ *http.Request) {
	if connection, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = connection.Close()
	}
}

// silent gives no answer until the client has gone.
func silent(_ int, _ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// torn promises more bytes than it sends.
func torn(body string) answers {
	return func(_ int, w http.ResponseWriter, _ *http.Request) {
		connection, buffer, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		fmt.Fprintf(buffer, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body)+100, body)
		_ = buffer.Flush()
		_ = connection.Close()
	}
}

type lockedBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

// refusingTransport fails this many times before it connects, and then lets requests through.
type refusingTransport struct {
	mu    sync.Mutex
	times int
	cause error
	next  http.RoundTripper
	tried int
}

func (r *refusingTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	r.mu.Lock()
	r.tried++
	fail := r.tried <= r.times
	r.mu.Unlock()
	if fail {
		return nil, r.cause
	}
	return r.next.RoundTrip(req)
}

func dialError(cause error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: cause} }

var errBroken = errors.New("broken")

// requireNoError ends a test with an unrelated error.
func requireNoError(t interface {
	Helper()
	Fatal(arguments ...any)
}, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
