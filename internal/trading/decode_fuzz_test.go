package trading_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/trading"
)

// canned answers each request with the same body, without a network.
type canned struct{ body string }

func (c canned) RoundTrip(req *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	w.Header().Set("Content-Type", "application/json")
	if strings.HasSuffix(req.URL.Path, "/connect/token") {
		_, _ = w.WriteString(`{"access_token":"t","token_type":"Bearer"}`)
	} else {
		_, _ = w.WriteString(c.body)
	}
	return w.Result(), nil
}

func FuzzPlatforms(f *testing.F) {
	for _, seed := range []string{`[]`, `[{"id":"a","type":"MT4","login":1}]`, `[{"type":5,"organization":{"id":"x"}}]`, `[null]`, `[{"type":null}]`, `{`, ``, `[{"type":1e400}]`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		client, err := trading.New(trading.Config{APIURL: "http://x", AuthURL: "http://x", ClientID: "c", ClientSecret: secret, MaxRetries: -1, Transport: canned{body}})
		if err != nil {
			t.Fatal(err)
		}
		platforms, err := client.Platforms(t.Context())
		var bad *trading.BadAnswerError
		if err != nil && (platforms != nil || !errors.As(err, &bad)) {
			t.Errorf("%q: %v, %v", body, platforms, err)
		}
		for _, platform := range platforms {
			if platform.Type != nil && *platform.Type == "" && !strings.Contains(body, `""`) {
				t.Errorf("%q: a type out of nothing", body)
			}
		}
	})
}
