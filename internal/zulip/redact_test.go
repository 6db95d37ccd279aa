package zulip

import (
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"
)

func TestNoSecretIsLoggedOrReturned(t *testing.T) {
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
		if err != nil {
			t.Fatal(err)
		}
		_, err = broken.send(w.ctx, http.MethodGet, "/users/me", nil, safeToRetry, nil)
		mustNotHold(t, "error", err.Error(), encoded, "hunter2")

		mustNotHold(t, "log", w.log.String(), testKey, encoded, password, link, "hunter2")
		entries, err := tflogtest.MultilineJSONDecode(strings.NewReader(w.log.String()))
		if err != nil {
			t.Fatal(err)
		}
		levels := map[any]int{}
		for _, entry := range entries {
			levels[entry["@level"]]++
		}
		if levels["trace"] < 5 || levels["debug"] < 5 {
			t.Errorf("the run was not logged: %v", levels)
		}
	})
}

func TestRequestsAreLogged(t *testing.T) {
	w := newWire(t, json200(ok))
	if err := w.create(); err != nil {
		t.Fatal(err)
	}
	entries, err := tflogtest.MultilineJSONDecode(strings.NewReader(w.log.String()))
	if err != nil {
		t.Fatal(err)
	}
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

// What the caller calls secret is masked wherever it stands, whatever the parameter is called.
func TestSecretsOfTheCallerAreMasked(t *testing.T) {
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

func TestLongValuesAreCutInTheLog(t *testing.T) {
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
