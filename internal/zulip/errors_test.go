package zulip

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"
)

// The recorded refusals of a real server.
func TestDecodeError_RecordedRefusals_Decoded(t *testing.T) {
	files, err := filepath.Glob("testdata/recordings/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	seen := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		requireNoError(t, err)
		var recording struct {
			Exchanges []struct {
				Status int
				Body   json.RawMessage
			}
		}
		requireNoError(t, json.Unmarshal(text, &recording))
		for _, exchange := range recording.Exchanges {
			var want map[string]any
			requireNoError(t, json.Unmarshal(exchange.Body, &want))
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

func TestErrors_EveryKind_ReadableText(t *testing.T) {
	for name, test := range map[string]struct {
		answer answers
		method string
		want   string
	}{
		"refusal":         {refusal(400, "BAD_REQUEST", "Invalid channel ID"), http.MethodPatch, "PATCH /streams/12: 400 BAD_REQUEST: Invalid channel ID"},
		"without code":    {always(405, "text/html", `{"result":"error","msg":"Method Not Allowed","allowed_methods":["GET"]}`), http.MethodPut, "PUT /streams/12: 405: Method Not Allowed"},
		"without a word":  {always(403, "application/json", `{"result":"error"}`), http.MethodPut, "PUT /streams/12: 403: forbidden"},
		"proxy":           {always(502, "text/html", "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"), http.MethodPost, `POST /streams/12: 502 (text/html, "502 Bad Gateway"). The server, or a proxy before it, is failing or overloaded`},
		"old server":      {always(404, "text/html; charset=utf-8", "<html><body><h1>Page not found</h1></body></html>"), http.MethodGet, `GET /streams/12: 404 (text/html; charset=utf-8, "Page not found"). Either this Zulip server is too old for the call, or site is not the URL of an organization`},
		"login page":      {always(200, "text/html", "<script>alert(1)</script><p>Please <b>log&nbsp;in</b></p>"), http.MethodGet, `GET /streams/12: 200 (text/html, "Please log in"). This is not the answer of a Zulip server. Check that site is the URL of the organization, and that no proxy is in between`},
		"too large":       {always(413, "", ""), http.MethodPost, `POST /streams/12: 413 (an empty answer). The request is too large for the server or a proxy before it`},
		"redirect":        {redirect, http.MethodPost, "POST /streams/12: 301: the site URL redirects to https://other.example.com/. Set site to the URL of the organization itself"},
		"empty":           {json200(""), http.MethodPost, "POST /streams/12: 200: the answer is empty. The request may or may not have been applied"},
		"empty, on read":  {json200(""), http.MethodGet, "GET /streams/12: 200: the answer is empty"},
		"dropped":         {dropped, http.MethodPost, "POST /streams/12: SITE closed the connection without an answer. The request may or may not have been applied"},
		"nobody answered": {silent, http.MethodPost, "POST /streams/12: no answer from SITE in 1s. The request may or may not have been applied. If the server is slow, raise request_timeout"},
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

func TestRedirect_AnyRequest_NotFollowed(t *testing.T) {
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

func TestSecrets_LogsAndErrors_NotShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		encoded := base64.StdEncoding.EncodeToString([]byte(testEmail + ":" + testKey))
		const password, link = "correct horse", "https://chat.example.com/join/abcdefgh/"
		w := newWire(t, first(
			refusal(400, "BAD_REQUEST", "your key "+testKey+" is bad"),
			always(200, "text/html", "<title>Denied "+encoded+"</title><p>You sent Authorization: Basic "+encoded+"</p>"),
			always(200, "text/html", "<p>"+strings.ReplaceAll(encoded, "=", "&#61;")+"</p>"),
			always(400, "application/json", `{"api_key":"`+password+`","invite_link":"`+link+`","export_url":"`+link+`"}`),
			json200(`{"result":"success","api_key":"`+password+`","invite_link":"`+link+`"}`),
		))
		form := &Form{}
		form.Text("password", password)
		form.Text("name", "bot "+testKey)
		form.JSON("config_data", map[string]string{"api_key": password, "link_url": link})
		for range 5 {
			if _, err := w.client.send(w.ctx, http.MethodPost, "/bots", form, neverRetry, nil); err != nil {
				mustNotHold(t, "error", err.Error(), testKey, encoded, password, link)
			}
		}
		w.expectSent(t, 5)

		broken, err := New(Config{Site: "https://chat.example.com", Email: testEmail, APIKey: testKey,
			Transport: &refusingTransport{times: 9, cause: errors.New("proxy http://u:hunter2@proxy:3128 said " + encoded)}})
		requireNoError(t, err)
		_, err = broken.send(w.ctx, http.MethodGet, "/users/me", nil, safeToRetry, nil)
		mustNotHold(t, "error", err.Error(), encoded, "hunter2")

		mustNotHold(t, "log", w.log.String(), testKey, encoded, password, link, "hunter2")
		entries, err := tflogtest.MultilineJSONDecode(strings.NewReader(w.log.String()))
		requireNoError(t, err)
		levels := map[any]int{}
		for _, entry := range entries {
			levels[entry["@level"]]++
		}
		if levels["trace"] < 5 || levels["debug"] < 5 {
			t.Errorf("the run was not logged: %v", levels)
		}
	})
}

func TestLog_Requests_Logged(t *testing.T) {
	w := newWire(t, json200(ok))
	requireNoError(t, w.create())
	entries, err := tflogtest.MultilineJSONDecode(strings.NewReader(w.log.String()))
	requireNoError(t, err)
	for _, entry := range entries {
		if entry["@message"] == "Zulip answered" {
			if entry["@level"] != "debug" || entry["method"] != "POST" || entry["path"] != "/channels/create" ||
				entry["status"] != 200.0 || entry["attempt"] != 1.0 || entry["duration_ms"] == nil {
				t.Errorf("logged %v", entry)
			}
			return
		}
	}
	t.Errorf("no line about the answer in %v", entries)
}

// A value that the caller marks as secret is masked everywhere, under every parameter name.
func TestSecrets_NamedByCaller_Masked(t *testing.T) {
	w := newWire(t, first(json200(ok), refusal(400, "BAD_REQUEST", `Invalid "quoted" s3cr&t=key`)))
	const secret, short = `"quoted" s3cr&t=key`, "x7"
	w.ctx = WithSecrets(w.ctx, secret, short, "")
	form := &Form{}
	form.JSON("config_data", map[string]any{"key": secret, "list": []string{short, "shown"}})
	form.Text("payload_url", "https://example.com/?k="+url.QueryEscape(secret))
	form.Text("short", short)
	if _, err := w.client.send(w.ctx, http.MethodPost, "/bots", form, neverRetry, nil); err != nil {
		t.Fatal(err)
	}
	_, err := w.client.send(w.ctx, http.MethodPatch, "/bots/1", form, neverRetry, nil)
	if err == nil {
		t.Fatal("the refusal is no error")
	}
	mustNotHold(t, "error", err.Error(), secret)
	log := w.log.String()
	mustNotHold(t, "log", log, secret, url.QueryEscape(secret), `\"quoted\"`, `"x7"`, `s3cr`)
	if !strings.Contains(log, "shown") || !strings.Contains(log, "payload_url") {
		t.Errorf("nothing is left in the log: %s", log)
	}
}

func TestLog_LongValues_Truncated(t *testing.T) {
	form := &Form{}
	form.Text("content", strings.Repeat("é", 5000))
	got := secrets(nil).maskForm(form)["content"]
	if len(got) > maxLoggedValue+50 || !strings.HasSuffix(got, "é… (10000 bytes)") {
		t.Errorf("logged %q", got)
	}
}

func mustNotHold(t *testing.T, what, text string, secrets ...string) {
	t.Helper()
	for _, secret := range secrets {
		if strings.Contains(text, secret) {
			t.Errorf("the %s shows %q", what, secret)
		}
	}
}

func TestLog_WebhookQuery_Masked(t *testing.T) {
	const url = "https://hooks.example.com/in?room=ops&token=s3cr3t-word#top"
	service := (&BotUpdate{Service: &BotService{BaseURL: url}}).form()
	created := &Form{}
	created.JSON("payload_url", url)
	for _, form := range []*Form{service, created} {
		shown := fmt.Sprint(secrets(nil).maskForm(form))
		mustNotHold(t, "log", shown, "s3cr3t-word", "room=ops")
		if !strings.Contains(shown, "https://hooks.example.com/in?***") {
			t.Errorf("the log doesn't show the address: %s", shown)
		}
	}
}
