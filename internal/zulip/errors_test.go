package zulip

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
)

// Every refusal a real server was seen to send.
func TestDecodeErrorReadsRecordedRefusals(t *testing.T) {
	files, err := filepath.Glob("testdata/recordings/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	seen := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var recording struct {
			Exchanges []struct {
				Status int
				Body   json.RawMessage
			}
		}
		if err := json.Unmarshal(text, &recording); err != nil {
			t.Fatal(err)
		}
		for _, exchange := range recording.Exchanges {
			var want map[string]any
			if err := json.Unmarshal(exchange.Body, &want); err != nil {
				t.Fatal(err)
			}
			got, isRefusal := decodeError(exchange.Status, exchange.Body)
			if isRefusal != (want["result"] == "error") {
				t.Errorf("%s: %s: refusal %v", file, exchange.Body, isRefusal)
			}
			if !isRefusal {
				continue
			}
			seen++
			code, _ := want["code"].(string)
			if got.Status != exchange.Status || got.Msg != want["msg"] || got.Code != code || len(got.Fields) > len(want)-2 {
				t.Errorf("%s: %s: got %+v", file, exchange.Body, got)
			}
		}
	}
	if seen < 7 {
		t.Errorf("only %d refusals", seen)
	}
}

func TestErrorTextsAreForPeople(t *testing.T) {
	for name, test := range map[string]struct {
		answer answers
		method string
		want   string
	}{
		"refusal":         {refusal(400, "BAD_REQUEST", "Invalid channel ID"), http.MethodPatch, "PATCH /streams/12: 400 BAD_REQUEST: Invalid channel ID"},
		"without code":    {always(405, "text/html", `{"result":"error","msg":"Method Not Allowed","allowed_methods":["GET"]}`), http.MethodPut, "PUT /streams/12: 405: Method Not Allowed"},
		"without a word":  {always(403, "application/json", `{"result":"error"}`), http.MethodPut, "PUT /streams/12: 403: forbidden"},
		"proxy":           {always(502, "text/html", "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"), http.MethodPost, `POST /streams/12: 502 (text/html, "502 Bad Gateway"). The server, or a proxy before it, is out of order or overloaded`},
		"old server":      {always(404, "text/html; charset=utf-8", "<html><body><h1>Page not found</h1></body></html>"), http.MethodGet, `GET /streams/12: 404 (text/html; charset=utf-8, "Page not found"). Either this Zulip server is too old for the call, or site is not the address of an organization`},
		"login page":      {always(200, "text/html", "<script>alert(1)</script><p>Please <b>log&nbsp;in</b></p>"), http.MethodGet, `GET /streams/12: 200 (text/html, "Please log in"). This is not what a Zulip server answers. Is site the address of the organization, and is no proxy in between?`},
		"too large":       {always(413, "", ""), http.MethodPost, `POST /streams/12: 413 (an empty answer). The request is too large for the server or a proxy before it`},
		"redirect":        {redirect, http.MethodPost, "POST /streams/12: 301: the address leads elsewhere, to https://other.example.com/. Write the address of the organization itself as site"},
		"empty":           {json200(""), http.MethodPost, "POST /streams/12: 200: the answer is empty. The request may or may not have been applied"},
		"empty, on read":  {json200(""), http.MethodGet, "GET /streams/12: 200: the answer is empty"},
		"dropped":         {dropped, http.MethodPost, "POST /streams/12: SITE closed the connection without an answer. The request may or may not have been applied"},
		"nobody answered": {silent, http.MethodPost, "POST /streams/12: no answer from SITE in 1s. The request may or may not have been applied. If the server is only slow, raise request_timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWire(t, test.answer, func(c *Config) { c.MaxRetries, c.RequestTimeout = -1, 1e9 })
				_, err := w.client.send(w.ctx, test.method, "/streams/12", nil, neverRetry, nil)
				want := strings.ReplaceAll(test.want, "SITE", w.client.Site())
				if err == nil || err.Error() != want {
					t.Errorf("got  %v\nwant %v", err, want)
				}
			})
		})
	}
}

func redirect(_ int, w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Location", "https://other.example.com/")
	w.WriteHeader(http.StatusMovedPermanently)
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	w := newWire(t, func(_ int, rw http.ResponseWriter, r *http.Request) {
		http.Redirect(rw, r, "/api/v1/elsewhere", http.StatusFound)
	})
	var foreign *NotZulipError
	if err := w.create(); !errors.As(err, &foreign) || foreign.Location != "/api/v1/elsewhere" || MayHaveHappened(err) {
		t.Errorf("got %v", err)
	}
	w.expectSent(t, 1)
}

func TestPredicates(t *testing.T) {
	ask := func(answer answers) error {
		w := newWire(t, answer, func(c *Config) { c.MaxRetries = -1 })
		return w.read()
	}
	exists := ask(refusal(409, "CHANNEL_ALREADY_EXISTS", "Channel already exists"))
	if !IsCode(exists, "OTHER", "CHANNEL_ALREADY_EXISTS") || IsCode(exists, "OTHER") || IsCode(errBroken, "") || IsCode(nil, "") {
		t.Error("IsCode")
	}
	if !IsMessage(exists, "Channel already exists") || IsMessage(exists, "other") {
		t.Error("IsMessage")
	}
	if unauthorized := ask(refusal(401, "UNAUTHORIZED", "Invalid API key")); !IsUnauthorized(unauthorized) || IsUnauthorized(exists) {
		t.Error("IsUnauthorized")
	}
	unknownPath, unknownVerb := ask(always(404, "text/html", "<p>no")), ask(always(405, "text/html", `{"result":"error","msg":"Method Not Allowed"}`))
	missing := ask(refusal(404, "BAD_REQUEST", "Draft does not exist"))
	if !IsUnknownEndpoint(unknownPath) || !IsUnknownEndpoint(unknownVerb) || IsUnknownEndpoint(missing) {
		t.Error("IsUnknownEndpoint")
	}
	if MayHaveHappened(nil) || MayHaveHappened(errBroken) || MayHaveHappened(exists) {
		t.Error("MayHaveHappened")
	}
}

func FuzzDecodeError(f *testing.F) {
	for _, seed := range []string{
		`{"result":"error","msg":"Invalid API key","code":"UNAUTHORIZED"}`,
		`{"result":"error","msg":"Method Not Allowed","allowed_methods":["GET"]}`,
		`{"result":"error","code":"RATE_LIMIT_HIT","msg":"x","retry-after":58.24295520782471}`,
		`{"result":"success"}`, `{"result":5,"msg":[]}`, `{"result":"error","msg":null,"code":7}`, `{`, ``, `null`, `<html>`,
	} {
		f.Add(400, []byte(seed))
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		refusal, isRefusal := decodeError(status, body)
		if isRefusal {
			if !json.Valid(body) || refusal.Error() == "" || refusal.Status != status {
				t.Errorf("%q: %+v", body, refusal)
			}
			for _, known := range []string{"result", "msg", "code"} {
				if _, there := refusal.Fields[known]; there {
					t.Errorf("%q: %s is in the fields", body, known)
				}
			}
		}
		if title, text := readPage(body); len(title)+len(text) > 4*maxPageBytes {
			t.Errorf("%d bytes of page became %d", len(body), len(title)+len(text))
		}
	})
}
