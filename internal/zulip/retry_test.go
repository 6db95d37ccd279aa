package zulip

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// The server's count shows which calls are repeated.

func TestRepeats(t *testing.T) {
	const page = "<html><title>Bad Gateway</title></html>"
	fine := json200(ok)
	tests := map[string]struct {
		answers      []answers
		reads        int // number of requests of a safe call
		creates      int // number of requests of a call that must not happen twice
		readsFail    bool
		createsFail  bool
		unknownAfter bool // the outcome of the create is unknown
	}{
		"fine":                   {[]answers{fine}, 1, 1, false, false, false},
		"refused":                {[]answers{refusal(400, "BAD_REQUEST", "Invalid channel ID")}, 1, 1, true, true, false},
		"unauthorized":           {[]answers{refusal(401, "UNAUTHORIZED", "Invalid API key")}, 1, 1, true, true, false},
		"refused with 200":       {[]answers{json200(`{"result":"error","msg":"no","code":"BAD_REQUEST"}`)}, 1, 1, true, true, false},
		"rate limit":             {[]answers{limited("58.24", "58.24"), limited("0.5", "0.5"), fine}, 3, 3, false, false, false},
		"rate limit by a proxy":  {[]answers{always(429, "text/html", page), fine}, 2, 2, false, false, false},
		"server error":           {[]answers{always(500, "application/json", `{"result":"error","msg":"Internal server error"}`), fine}, 2, 1, false, true, true},
		"bad gateway":            {[]answers{always(502, "text/html", page), fine}, 2, 1, false, true, true},
		"gateway timeout":        {[]answers{always(504, "text/html", ""), fine}, 2, 1, false, true, true},
		"overloaded":             {[]answers{always(503, "text/html", page), fine}, 2, 1, false, true, true},
		"not implemented":        {[]answers{always(501, "text/html", page), fine}, 1, 1, true, true, true},
		"unknown path":           {[]answers{always(404, "text/html", page)}, 1, 1, true, true, false},
		"login page":             {[]answers{always(200, "text/html", page)}, 1, 1, true, true, true},
		"another kind of server": {[]answers{json200(`{"status":"up"}`)}, 1, 1, true, true, true},
		"dropped":                {[]answers{dropped, fine}, 2, 1, false, true, true},
		"torn":                   {[]answers{torn(`{"result":"succ`), fine}, 2, 1, false, true, true},
		"cut short":              {[]answers{json200(`{"result":"succ`), fine}, 2, 1, false, true, true},
		"empty":                  {[]answers{json200(""), fine}, 2, 1, false, true, true},
		"refusal cut short":      {[]answers{always(400, "application/json", `{"result":"err`)}, 1, 1, true, true, false},
		"down for good":          {[]answers{always(502, "text/html", page)}, 1 + defaultMaxRetries, 1, true, true, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWire(t, first(test.answers...))
				if err := w.read(); (err != nil) != test.readsFail {
					t.Errorf("read: %v", err)
				}
				w.expectSent(t, test.reads)

				w = newWire(t, first(test.answers...))
				err := w.create()
				if (err != nil) != test.createsFail {
					t.Errorf("create: %v", err)
				}
				if MayHaveHappened(err) != test.unknownAfter {
					t.Errorf("MayHaveHappened(%v) = %v", err, !test.unknownAfter)
				}
				w.expectSent(t, test.creates)

				// Retry alone repeats a call that is sent once, as often as a read.
				w = newWire(t, first(test.answers...))
				err = w.sendOnce(w.ctx)
				w.expectSent(t, 1)
				if fails := test.reads > 1 || test.readsFail; (err != nil) != fails {
					t.Errorf("sent once: %v", err)
				}
				w = newWire(t, first(test.answers...))
				if err := w.client.Retry(w.ctx, w.sendOnce); (err != nil) != test.readsFail {
					t.Errorf("sent by Retry: %v", err)
				}
				w.expectSent(t, test.reads)
			})
		})
	}
}

// sendOnce sends a call that the client does not repeat.
func (w *wire) sendOnce(ctx context.Context) error {
	_, err := w.client.send(ctx, http.MethodDelete, "/thing", nil, sendOnce, nil)
	return err
}

// Retry waits and gives up like a repeated request, and the error counts its attempts.
func TestRetry_Failures_SameDelays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, began := newWire(t, first(limited("58.24", "58.24"), json200(ok))), time.Now()
		requireNoError(t, w.client.Retry(w.ctx, w.sendOnce))
		if total := time.Since(began); total < 58*time.Second || total > 120*time.Second {
			t.Errorf("waited %v", total)
		}
		w = newWire(t, dropped)
		err := w.client.Retry(w.ctx, w.sendOnce)
		if !MayHaveHappened(err) || !strings.Contains(err.Error(), fmt.Sprintf("tried %d times", 1+defaultMaxRetries)) {
			t.Errorf("got %v", err)
		}
		ctx, cancel := context.WithCancel(w.ctx)
		w = newWire(t, limited("600", "600"))
		time.AfterFunc(20*time.Millisecond, cancel)
		if err := w.client.Retry(ctx, w.sendOnce); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "it had failed") {
			t.Errorf("got %v", err)
		}
		w.expectSent(t, 1)
	})
}

func TestAnswer_UnexpectedShape_NotRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(t, json200(`{"result":"success","id":"seven"}`))
		var out struct{ ID int }
		_, err := w.client.send(w.ctx, http.MethodGet, "/thing", nil, safeToRetry, &out)
		var bad *BadAnswerError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), "unexpected format") {
			t.Errorf("got %v", err)
		}
		w.expectSent(t, 1)
	})
}

func TestAnswer_TooLarge_Error(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(t, func(_ int, rw http.ResponseWriter, _ *http.Request) {
			megabyte := strings.Repeat(" ", 1<<20)
			for range maxAnswerBytes>>20 + 1 {
				fmt.Fprint(rw, megabyte)
			}
		})
		err := w.read()
		var bad *BadAnswerError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), "larger than 50 MB") {
			t.Errorf("got %v", err)
		}
		w.expectSent(t, 1)
	})
}

// Without a connection the create was certainly not sent, so it is repeated.

func TestCreate_ConnectionRefused_Repeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(t, json200(ok))
		refusing := &refusingTransport{times: 2, cause: dialError(syscall.ECONNREFUSED), next: w.network}
		w.client.http.Transport = refusing
		requireNoError(t, w.create())
		w.expectSent(t, 1)
		if refusing.tried != 3 {
			t.Errorf("tried %d times", refusing.tried)
		}
	})
}

// A transport that does not report its progress leaves the outcome unknown.

func TestCreate_OutcomeUnknown_NotRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(t, json200(ok))
		refusing := &refusingTransport{times: 2, cause: errBroken, next: w.network}
		w.client.http.Transport = refusing
		if err := w.create(); !MayHaveHappened(err) || !errors.Is(err, errBroken) {
			t.Errorf("got %v", err)
		}
		if refusing.tried != 1 {
			t.Errorf("tried %d times", refusing.tried)
		}
	})
}

func TestConnection_UnknownHost_NotRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(t, json200(ok))
		refusing := &refusingTransport{times: 9, cause: dialError(&net.DNSError{Err: "no such host", Name: "chat.example.com", IsNotFound: true})}
		w.client.http.Transport = refusing
		err := w.read()
		if err == nil || !strings.Contains(err.Error(), "chat.example.com cannot be looked up") || MayHaveHappened(err) {
			t.Errorf("got %v", err)
		}
		if refusing.tried != 1 {
			t.Errorf("tried %d times", refusing.tried)
		}
	})
}

func TestMaxRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for setting, sent := range map[int]int{0: 5, -1: 1, 1: 2, 7: 8} {
			w := newWire(t, always(503, "text/html", ""), func(c *Config) { c.MaxRetries = setting })
			err := w.read()
			if err == nil {
				t.Fatal("no error")
			}
			if sent > 1 && !strings.Contains(err.Error(), fmt.Sprintf("tried %d times", sent)) {
				t.Errorf("MaxRetries %d: %v", setting, err)
			}
			w.expectSent(t, sent)
		}
	})
}

func TestBackoff_ManyFailures_GrowsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		want := []time.Duration{500, 1000, 2000, 4000, 8000, 10000, 10000, 10000}
		last := time.Now()
		w := newWire(t, func(n int, rw http.ResponseWriter, _ *http.Request) {
			if n > 1 {
				longest := want[n-2] * time.Millisecond
				if waited := time.Since(last); waited > longest || waited < longest*3/4 {
					t.Errorf("wait %d: %v, want up to %v", n-1, waited, longest)
				}
			}
			last = time.Now()
			reply(rw, 503, "text/html", "")
		}, func(c *Config) { c.MaxRetries = len(want) })
		_ = w.read()
		w.expectSent(t, 1+len(want))
		if !strings.Contains(w.log.String(), "Waiting before the request is repeated") {
			t.Error("the long waits were not logged")
		}
	})
}

func TestRetry_OverloadedServer_RetryAfterHonored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(t, first(func(_ int, rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Retry-After", "20")
			reply(rw, 503, "text/html", "")
		}, json200(ok)))
		began := time.Now()
		requireNoError(t, w.read())
		if total := time.Since(began); total > 20*time.Second || total < 15*time.Second {
			t.Errorf("waited %v", total)
		}
	})
}

// One refusal delays all calls, so that refusals use up no quota.

func TestRetry_ContextEnded_Canceled(t *testing.T) {
	for name, answer := range map[string]answers{
		"rate limit": limited("600", "600"),
		"backoff":    always(503, "text/html", ""),
		"answer":     silent,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				w := newWire(t, func(n int, rw http.ResponseWriter, r *http.Request) {
					// After the answer has left, in the middle of the wait.
					time.AfterFunc(20*time.Millisecond, cancel)
					answer(n, rw, r)
				})
				w.ctx = ctx
				started := time.Now()
				err := w.read()
				if !errors.Is(err, context.Canceled) {
					t.Errorf("got %v", err)
				}
				if took := time.Since(started); took > 5*time.Second {
					t.Errorf("took %v", took)
				}
				if name != "answer" && !strings.Contains(err.Error(), "it had failed") {
					t.Errorf("the cause is lost: %v", err)
				}
				w.expectSent(t, 1)
			})
		})
	}
}

func TestRetry_CallerDeadline_NotRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(t, silent)
		ctx, cancel := context.WithTimeout(w.ctx, 30*time.Millisecond)
		defer cancel()
		_, err := w.client.send(ctx, http.MethodPatch, "/streams/1", nil, safeToRetry, nil)
		var connection *ConnectionError
		if !errors.Is(err, context.DeadlineExceeded) || !errors.As(err, &connection) || !connection.MayHaveHappened {
			t.Errorf("got %v", err)
		}
		w.expectSent(t, 1)
	})
}

// The second attempt is refused because the first was applied. The error must say so.

func TestRefusal_AfterLostAnswer_Marked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(t, first(dropped, refusal(400, "EXPECTATION_MISMATCH", "'old' value does not match the expected value.")))
		_, err := w.client.send(w.ctx, http.MethodPatch, "/streams/1", nil, safeToRetry, nil)
		var refused *Error
		if !IsExpectationMismatch(err) || !errors.As(err, &refused) || !refused.AfterLostAnswer || !MayHaveHappened(err) {
			t.Errorf("got %#v", err)
		}
		w.expectSent(t, 2)
	})
}

func TestLostAnswer_ThenConnectionRefused_Reported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(t, dropped)
		transport := &switchingTransport{first: w.network, then: &refusingTransport{times: 9, cause: dialError(syscall.ECONNREFUSED)}}
		w.client.http.Transport = transport
		_, err := w.client.send(w.ctx, http.MethodDelete, "/streams/1", nil, safeToRetry, nil)
		var connection *ConnectionError
		if !errors.As(err, &connection) || connection.MayHaveHappened {
			t.Fatalf("got %v", err)
		}
		if !MayHaveHappened(err) {
			t.Error("the lost answer is forgotten")
		}
	})
}

type switchingTransport struct {
	first, then http.RoundTripper
	used        bool
}

func (s *switchingTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if s.used {
		return s.then.RoundTrip(req)
	}
	s.used = true
	return s.first.RoundTrip(req)
}

func TestParseRetryAfter(t *testing.T) {
	now := time.Unix(1_795_219_006, 0)
	for header, want := range map[string]time.Duration{
		"58.24": 58_240 * time.Millisecond,
		"3":     3 * time.Second,
		now.Add(90 * time.Second).UTC().Format(http.TimeFormat): 90 * time.Second,
		"": 0, "soon": 0, "-1": 0, "NaN": 0, "-Inf": 0,
		"Inf": maxRetryAfter, "1e300": maxRetryAfter,
		now.Add(-time.Hour).UTC().Format(http.TimeFormat): 0,
	} {
		if got := parseRetryAfter(header, now); got != want {
			t.Errorf("%q: %v, want %v", header, got, want)
		}
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, seed := range []string{"58.24295520782471", "0.5", "null", "-3", "1e999", "NaN", "Wed, 21 Oct 2026 07:28:00 GMT", "0x1p-2", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		fromBody := bodyRetryAfter(&Error{Fields: map[string]json.RawMessage{"retry-after": json.RawMessage(text)}})
		for _, wait := range []time.Duration{parseRetryAfter(text, time.Unix(1_795_219_006, 0)), fromBody} {
			if wait < 0 || wait > maxRetryAfter {
				t.Errorf("%q: %v", text, wait)
			}
		}
		if b := backoff(0, fromBody); b <= 0 || b > time.Minute {
			t.Errorf("%q: backs off %v", text, b)
		}
	})
}
