package trading_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/trading"
)

func TestToken_LastMinute_Renewed(t *testing.T) {
	cloud, client, clock := start(t, sandbox.TradingConfig{TokenLifetime: time.Hour})
	listPlatforms(t, client)
	clock.advance(58*time.Minute + 59*time.Second)
	listPlatforms(t, client)
	if n := countTokens(cloud); n != 1 {
		t.Errorf("%d tokens before the last minute", n)
	}
	clock.advance(time.Second)
	listPlatforms(t, client)
	if n := countTokens(cloud); n != 2 {
		t.Errorf("%d tokens in the last minute", n)
	}
}

func TestToken_ShortLifetime_Reused(t *testing.T) {
	cloud, client, clock := start(t, sandbox.TradingConfig{TokenLifetime: 30 * time.Second})
	listPlatforms(t, client)
	clock.advance(14 * time.Second)
	listPlatforms(t, client)
	if n := countTokens(cloud); n != 1 {
		t.Errorf("%d tokens in half of its life", n)
	}
}

func TestToken_WantedLifetime_Respected(t *testing.T) {
	cloud, client, clock := start(t, sandbox.TradingConfig{TokenLifetime: time.Hour})
	first, err := client.Token(t.Context(), 10*time.Minute)
	if err != nil || first.Type != "Bearer" || !first.Expires.Equal(clock.time().Add(time.Hour)) {
		t.Fatalf("got %+v, %v", first, err)
	}
	clock.advance(50 * time.Minute)
	if again, err := client.Token(t.Context(), 10*time.Minute); err != nil || again != first {
		t.Errorf("a token with ten minutes left was renewed: %v", err)
	}
	later, err := client.Token(t.Context(), 11*time.Minute)
	if err != nil || later == first || countTokens(cloud) != 2 {
		t.Errorf("got %+v, %v after %d grants", later, err, countTokens(cloud))
	}
}

func TestToken_Withdrawn_RenewedOnce(t *testing.T) {
	cloud, client, _ := start(t, sandbox.TradingConfig{})
	listPlatforms(t, client)
	cloud.RevokeTokens()
	listPlatforms(t, client)
	if n := countTokens(cloud); n != 2 {
		t.Errorf("%d tokens", n)
	}

	heal := cloud.Fail(sandbox.Fault{Path: "/api/TradePlatforms", Action: sandbox.FaultStatus, Status: 401, Body: "{}"})
	defer heal()
	_, err := client.Platforms(t.Context())
	var refusal *trading.Error
	if !errors.As(err, &refusal) || refusal.Status != 401 || !strings.Contains(err.Error(), "and a new one too") {
		t.Errorf("got %v", err)
	}
	if n := countTokens(cloud); n != 3 {
		t.Errorf("%d tokens when each is refused", n)
	}
}

// holder keeps token requests back until it is opened.
type holder struct {
	network       http.RoundTripper
	arrived, open chan struct{}
}

func newHolder() *holder {
	// One connection per request. An unused open connection would delay the server's shutdown by seconds.
	return &holder{&http.Transport{DisableKeepAlives: true}, make(chan struct{}, 100), make(chan struct{})}
}

func (h *holder) RoundTrip(req *http.Request) (*http.Response, error) {
	if strings.HasSuffix(req.URL.Path, "/connect/token") {
		h.arrived <- struct{}{}
		<-h.open
	}
	return h.network.RoundTrip(req)
}

func TestOneRenewalForAllCallers(t *testing.T) {
	cloud, _, clock := start(t, sandbox.TradingConfig{})
	held := newHolder()
	cfg := configOf(cloud, clock)
	cfg.Transport = held
	client := newSingleAttemptClient(t, cfg)

	// The first caller gives up, and the waiting callers still get the token.
	impatient, giveUp := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() {
		_, err := client.Platforms(impatient)
		gone <- err
	}()
	<-held.arrived
	results := make(chan error, 20)
	for range cap(results) {
		go func() {
			_, err := client.Platforms(t.Context())
			results <- err
		}()
	}
	giveUp()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("who gave up got %v", err)
	}
	close(held.open)
	for range cap(results) {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	if n := countTokens(cloud); n != 1 {
		t.Errorf("%d tokens for everyone", n)
	}
}

func TestToken_Errors_Distinguished(t *testing.T) {
	for name, test := range map[string]struct {
		spoil func(*sandbox.TradingCloud)
		code  string
		words []string
	}{
		"wrong secret": {func(c *sandbox.TradingCloud) { c.SetSecret("another") }, trading.CodeInvalidClient, []string{"401", "client_secret is wrong", `"terraform"`}},
		"wrong scope":  {func(c *sandbox.TradingCloud) { c.GrantScope(false) }, trading.CodeInvalidScope, []string{"400", `the scope "webapi"`}},
		"wrong grant": {refuseToken(`{"error":"unauthorized_client","error_description":"no machine"}`),
			trading.CodeUnauthorizedClient, []string{`"no machine"`, "client-credentials grant"}},
		"not understood": {refuseToken(`{"error":"invalid_request"}`), trading.CodeInvalidRequest, []string{"Check that auth_url is the URL"}},
		"overloaded":     {refuseToken(`{"error":"temporarily_unavailable"}`), trading.CodeTemporarilyUnavailable, []string{"Try again later"}},
		"its own code":   {refuseToken(`{"error":"tenant_locked"}`), "tenant_locked", []string{"log"}},
		"echoes the secret": {refuseToken(`{"error":"invalid_client","error_description":"` + secret + ` is wrong"}`),
			trading.CodeInvalidClient, []string{"*** is wrong"}},
	} {
		t.Run(name, func(t *testing.T) {
			cloud, client, _ := start(t, sandbox.TradingConfig{})
			test.spoil(cloud)
			_, err := client.Platforms(t.Context())
			var refusal *trading.TokenError
			if !errors.As(err, &refusal) || refusal.Code != test.code {
				t.Fatalf("got %v", err)
			}
			for _, word := range test.words {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("%q lacks %q", err, word)
				}
			}
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%q shows the secret", err)
			}
		})
	}
}

func refuseToken(body string) func(*sandbox.TradingCloud) {
	return func(c *sandbox.TradingCloud) {
		c.Fail(sandbox.Fault{Path: "/connect/token", Action: sandbox.FaultStatus, Status: 400, Body: body})
	}
}

func TestTokenEndpoint_FromIdentityProvider_Used(t *testing.T) {
	for name, test := range map[string]struct {
		describe http.HandlerFunc
		want     string
	}{
		"another path": {func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte(`{"token_endpoint":"http://` + r.Host + `/elsewhere"}`))
		}, "/elsewhere"},
		"none":           {http.NotFound, "/connect/token"},
		"not a URL":      {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"token_endpoint":"x"}`)) }, "/connect/token"},
		"not JSON":       {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`<html>`)) }, "/connect/token"},
		"another scheme": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"token_endpoint":"ftp://x/y"}`)) }, "/connect/token"},
		"with a password": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"token_endpoint":"https://a:b@x/y"}`))
		}, "/connect/token"},
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			var asked []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				asked = append(asked, r.URL.Path)
				mu.Unlock()
				if strings.Contains(r.URL.Path, ".well-known") {
					test.describe(w, r)
					return
				}
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte(`{"access_token":"t","token_type":"Bearer"}`))
			}))
			defer server.Close()
			client := newSingleAttemptClient(t, trading.Config{APIURL: server.URL, AuthURL: server.URL + "/", ClientID: "c", ClientSecret: secret})
			token, err := client.Token(t.Context(), time.Hour)
			if err != nil || token.AccessToken != "t" || !token.Expires.IsZero() {
				t.Fatalf("got %+v, %v", token, err)
			}
			if again, err := client.Token(t.Context(), time.Hour); err != nil || again != token {
				t.Errorf("a token without an end was renewed: %v", err)
			}
			if want := []string{"/.well-known/openid-configuration", test.want}; !slices.Equal(asked, want) {
				t.Errorf("asked %q, want %q", asked, want)
			}
		})
	}
}

func TestTokenEndpoint_Unencrypted_NotUsed(t *testing.T) {
	plain := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the secret travelled in clear") }))
	defer plain.Close()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.Contains(r.URL.Path, ".well-known") {
			_, _ = w.Write([]byte(`{"token_endpoint":"` + plain.URL + `"}`))
			return
		}
		_, _ = w.Write([]byte(`{"access_token":"t","token_type":"Bearer","expires_in":60}`))
	}))
	defer server.Close()
	client := newSingleAttemptClient(t, trading.Config{APIURL: server.URL, AuthURL: server.URL, ClientID: "c", ClientSecret: secret, Transport: server.Client().Transport})
	if token, err := client.Token(t.Context(), 0); err != nil || token.AccessToken != "t" {
		t.Errorf("got %+v, %v", token, err)
	}
}
