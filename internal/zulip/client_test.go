package zulip

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

func TestSend_Form_InQueryOrBody(t *testing.T) {
	form := &Form{}
	form.Text("name", "a b&c")
	form.JSON("ids", []int{1, 2})
	const encoded = "ids=%5B1%2C2%5D&name=a+b%26c"
	for _, test := range []struct{ method, query, body string }{
		{http.MethodGet, encoded, ""},
		{http.MethodPost, "", encoded},
		{http.MethodPatch, "", encoded},
		{http.MethodPut, "", encoded},
		{http.MethodDelete, "", encoded},
	} {
		t.Run(test.method, func(t *testing.T) {
			w := newWire(t, json200(ok), func(c *Config) { c.UserAgent = "ZulipTerraformProvider/1.2.3 Terraform/1.11.4" })
			if _, err := w.client.send(w.ctx, test.method, "/thing/1", form, safeToRetry, nil); err != nil {
				t.Fatal(err)
			}
			sent := w.requests()[0]
			if sent.method != test.method || sent.path != "/api/v1/thing/1" || sent.query != test.query || sent.body != test.body {
				t.Errorf("sent %+v", sent)
			}
			credentials := "Basic " + base64.StdEncoding.EncodeToString([]byte(testEmail+":"+testKey))
			for name, want := range map[string]string{
				"Authorization":   credentials,
				"Accept":          "application/json",
				"Accept-Language": "en",
				"Accept-Encoding": "gzip",
				"User-Agent":      "ZulipTerraformProvider/1.2.3 Terraform/1.11.4",
			} {
				if got := sent.header.Get(name); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
			if got := sent.header.Get("Content-Type"); (got == "application/x-www-form-urlencoded") != (test.body != "") {
				t.Errorf("Content-Type %q with body %q", got, test.body)
			}
		})
	}
}

func TestSend_DataAndEnvelope_Decoded(t *testing.T) {
	w := newWire(t, json200(`{"result":"success","msg":"","id":7,"ignored_parameters_unsupported":["topics_policy"]}`))
	var out struct{ ID int }
	answer, err := w.client.send(w.ctx, http.MethodGet, "/thing", nil, safeToRetry, &out)
	requireNoError(t, err)
	if out.ID != 7 || len(answer.IgnoredParameters) != 1 || answer.IgnoredParameters[0] != "topics_policy" {
		t.Errorf("out %+v, answer %+v", out, answer)
	}
}

func TestAnonymous(t *testing.T) {
	w := newWire(t, json200(ok), func(c *Config) { c.Email, c.APIKey = "", "" })
	if err := w.read(); !errors.Is(err, ErrNoCredentials) {
		t.Errorf("send without credentials: %v", err)
	}
	if err := w.client.stream(w.ctx, http.MethodPost, "/register", nil, safeToRetry, nil); !errors.Is(err, ErrNoCredentials) {
		t.Errorf("stream without credentials: %v", err)
	}
	w.expectSent(t, 0)
	if _, err := w.client.sendAnonymous(w.ctx, http.MethodGet, "/server_settings", nil, safeToRetry, nil); err != nil {
		t.Fatal(err)
	}
	if got := w.requests()[0].header.Get("Authorization"); got != "" {
		t.Errorf("Authorization %q", got)
	}
}

func TestAnonymous_ClientWithAccount_NotAuthenticated(t *testing.T) {
	w := newWire(t, json200(ok))
	if _, err := w.client.sendAnonymous(w.ctx, http.MethodGet, "/server_settings", nil, safeToRetry, nil); err != nil {
		t.Fatal(err)
	}
	if got := w.requests()[0].header.Get("Authorization"); got != "" {
		t.Errorf("Authorization %q", got)
	}
}

func TestStream(t *testing.T) {
	decode := func(into *map[string]any) func(*json.Decoder) error {
		return func(d *json.Decoder) error { *into = nil; return d.Decode(into) }
	}
	t.Run("data", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWire(t, json200(`{"streams":[1,2],"result":"success"}`))
			var got struct{ Streams []int }
			err := w.client.stream(w.ctx, http.MethodPost, "/register", nil, safeToRetry, func(d *json.Decoder) error { return d.Decode(&got) })
			requireNoError(t, err)
			if len(got.Streams) != 2 {
				t.Errorf("got %v", got)
			}
		})
	})
	t.Run("refusal", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWire(t, refusal(400, "BAD_REQUEST", "Could not allocate event queue"))
			err := w.client.stream(w.ctx, http.MethodPost, "/register", nil, safeToRetry, func(*json.Decoder) error { return errBroken })
			if !IsMessage(err, "Could not allocate event queue") {
				t.Errorf("got %v", err)
			}
		})
	})
	t.Run("torn, then whole", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWire(t, first(torn(`{"streams":[1,`), json200(`{"streams":[1,2],"result":"success"}`)))
			var got map[string]any
			requireNoError(t, w.client.stream(w.ctx, http.MethodPost, "/register", nil, safeToRetry, decode(&got)))
			w.expectSent(t, 2)
		})
	})
	t.Run("cut short by a proxy, then whole", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWire(t, first(json200(`{"streams":[1,`), json200(`{"streams":[1,2],"result":"success"}`)))
			var got map[string]any
			requireNoError(t, w.client.stream(w.ctx, http.MethodPost, "/register", nil, safeToRetry, decode(&got)))
			w.expectSent(t, 2)
		})
	})
	t.Run("not an envelope", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWire(t, json200(`{"status":"up"}`))
			var got map[string]any
			var foreign *NotZulipError
			if err := w.client.stream(w.ctx, http.MethodPost, "/register", nil, safeToRetry, decode(&got)); !errors.As(err, &foreign) {
				t.Errorf("got %v", err)
			}
		})
	})
	t.Run("decode fails", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWire(t, json200(ok))
			err := w.client.stream(w.ctx, http.MethodPost, "/register", nil, safeToRetry, func(*json.Decoder) error { return errBroken })
			var bad *BadAnswerError
			if !errors.As(err, &bad) || !errors.Is(err, errBroken) {
				t.Errorf("got %v", err)
			}
			w.expectSent(t, 1)
		})
	})
}

func TestClient_ManyRequests_EightInFlight(t *testing.T) {
	const calls = 20
	release := make(chan struct{})
	arrived := make(chan struct{}, calls)
	var mu sync.Mutex
	var now, most int
	w := newWire(t, func(n int, rw http.ResponseWriter, _ *http.Request) {
		if n == 1 { // without another request, to check the state
			reply(rw, 200, "application/json", ok)
			return
		}
		mu.Lock()
		now++
		most = max(most, now)
		mu.Unlock()
		arrived <- struct{}{}
		<-release
		mu.Lock()
		now--
		mu.Unlock()
		reply(rw, 200, "application/json", ok)
	})
	var all sync.WaitGroup
	requireNoError(t, w.read())
	for range calls {
		all.Go(func() {
			if err := w.read(); err != nil {
				t.Error(err)
			}
		})
	}
	for range maxInFlight {
		<-arrived
	}
	close(release)
	all.Wait()
	if most != maxInFlight {
		t.Errorf("%d in flight, want %d", most, maxInFlight)
	}
	w.expectSent(t, 1+calls)
}

// A write of the organization begins when no other request of the account is in flight, and the others wait for it.
func TestClient_OrganizationWritten_Alone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		now := map[string]int{}
		w := newWire(t, func(_ int, rw http.ResponseWriter, r *http.Request) {
			mu.Lock()
			if now[r.Method]++; now[http.MethodPatch] > 0 && now[http.MethodPatch]+now[http.MethodGet] > 1 {
				t.Errorf("in flight: %v", now)
			}
			mu.Unlock()
			<-time.After(time.Second)
			mu.Lock()
			now[r.Method]--
			mu.Unlock()
			reply(rw, 200, "application/json", ok)
		})
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				err := w.read()
				if i%5 == 0 {
					_, err = w.client.UpdateRealm(w.ctx, RealmUpdate{})
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		w.expectSent(t, 24)
	})
}

func TestClient_ContextEndedInQueue_Canceled(t *testing.T) {
	w := newWire(t, json200(ok))
	requireNoError(t, w.read())
	for range maxInFlight {
		if _, err := w.client.limiter.acquire(w.ctx, false, false); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(w.ctx, 20*time.Millisecond)
	defer cancel()
	_, err := w.client.send(ctx, http.MethodGet, "/users/me", nil, safeToRetry, nil)
	if !errors.Is(err, context.DeadlineExceeded) || MayHaveHappened(err) {
		t.Errorf("got %v", err)
	}
	w.expectSent(t, 1)
	w.client.limiter.release(1)
	if err := w.read(); err != nil {
		t.Errorf("the place of who gave up is gone: %v", err)
	}
}

func TestRequestTimeout_FirstAttempt_Retried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(t, first(silent, json200(ok)), func(c *Config) { c.RequestTimeout = 50 * time.Millisecond })
		requireNoError(t, w.read())
		w.expectSent(t, 2)
	})
}

func TestRetention(t *testing.T) {
	number := func(days int64) *int64 { return &days }
	for _, test := range []struct {
		days *int64
		text string
		sent string
	}{{nil, "realm_default", `"realm_default"`}, {number(-1), "unlimited", `"unlimited"`}, {number(30), "30", "30"}} {
		channel := Channel{MessageRetentionDays: test.days}
		retention := channel.Retention()
		if sent, err := retention.MarshalJSON(); retention.String() != test.text || string(sent) != test.sent || err != nil {
			t.Errorf("%q is sent as %s, %v", retention, sent, err)
		}
	}
}

// TestStreamed_EnvelopeAnywhere_Found checks every position of the envelope, and every way to split the body.
func TestStreamed_EnvelopeAnywhere_Found(t *testing.T) {
	for _, test := range []struct {
		body string
		want bool
	}{
		{`{"result":"success","streams":[1,2]}`, true}, {`{"streams":[1,2],"result":"success"}`, true},
		{`{"streams":[1,2],"results":"success"}`, false}, {`{}`, false},
	} {
		for name, arrive := range map[string]func(io.Reader) io.Reader{
			"at once": func(r io.Reader) io.Reader { return r }, "in halves": iotest.HalfReader, "byte by byte": iotest.OneByteReader,
			"with its end": iotest.DataErrReader,
		} {
			body := &streamedBody{body: arrive(strings.NewReader(test.body))}
			if err := onlyField(json.NewDecoder(body), "", nil); err != nil {
				t.Errorf("%s, %s: %v", test.body, name, err)
			}
			if body.envelope != test.want || body.size != len(test.body) || string(body.start) != test.body || body.err != nil {
				t.Errorf("%s, %s: %+v", test.body, name, body)
			}
		}
	}
}
