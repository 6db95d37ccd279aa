package sandbox_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// tradingRun is a trading cloud and an HTTP client without the provider's code.
type tradingRun struct {
	*sandbox.TradingCloud
	t    *testing.T
	url  string
	late atomic.Int64 // how far the clock has advanced
}

func startTrading(t *testing.T, cfg sandbox.TradingConfig) *tradingRun {
	t.Helper()
	run := &tradingRun{t: t}
	begin := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	cfg.Clock = func() time.Time { return begin.Add(time.Duration(run.late.Load())) }
	cfg.ClientID, cfg.ClientSecret = "c", "s3cr3t"
	run.TradingCloud = sandbox.NewTradingCloud(cfg)
	server := httptest.NewServer(run.Handler())
	t.Cleanup(server.Close)
	run.url = server.URL
	return run
}

func (r *tradingRun) do(req *http.Request, into any) *http.Response {
	r.t.Helper()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		r.t.Fatal(err)
	}
	if into != nil {
		if err := json.Unmarshal(body, into); err != nil {
			r.t.Fatalf("%s: %v", body, err)
		}
	}
	return resp
}

type grant struct {
	AccessToken string `json:"access_token"`
	TokenType   string `json:"token_type"`
	ExpiresIn   int    `json:"expires_in"`
	Error       string `json:"error"`
}

// ask requests a token with the right form, except for the fields in change.
func (r *tradingRun) ask(change url.Values) (status int, answer grant) {
	r.t.Helper()
	form := url.Values{"grant_type": {"client_credentials"}, "scope": {"webapi"}, "client_id": {"c"}, "client_secret": {"s3cr3t"}}
	for name, value := range change {
		form[name] = value
	}
	req, err := http.NewRequest(http.MethodPost, r.url+"/connect/token", strings.NewReader(form.Encode()))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r.do(req, &answer).StatusCode, answer
}

func (r *tradingRun) get(path, token string, into any) *http.Response {
	r.t.Helper()
	req, err := http.NewRequest(http.MethodGet, r.url+path, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return r.do(req, into)
}

func TestTradingTokens(t *testing.T) {
	run := startTrading(t, sandbox.TradingConfig{TokenLifetime: time.Hour})
	for name, test := range map[string]struct {
		change url.Values
		status int
		code   string
	}{
		"wrong secret":  {url.Values{"client_secret": {"guess"}}, 401, "invalid_client"},
		"wrong client":  {url.Values{"client_id": {"d"}}, 401, "invalid_client"},
		"wrong scope":   {url.Values{"scope": {"admin"}}, 400, "invalid_scope"},
		"another grant": {url.Values{"grant_type": {"password"}}, 400, "unsupported_grant_type"},
		"no grant":      {url.Values{"grant_type": {""}}, 400, "invalid_request"},
	} {
		if status, answer := run.ask(test.change); status != test.status || answer.Error != test.code || answer.AccessToken != "" {
			t.Errorf("%s: %d %+v", name, status, answer)
		}
	}
	status, answer := run.ask(nil)
	if status != 200 || answer.AccessToken == "" || answer.TokenType != "Bearer" || answer.ExpiresIn != 3600 {
		t.Errorf("granted: %d %+v", status, answer)
	}
	for _, entry := range run.Journal().Requests(sandbox.Filter{Path: "/connect/token"}) {
		if shown := entry.Params["client_secret"]; shown != "(hidden)" {
			t.Errorf("the journal shows %q", shown)
		}
	}
	run.GrantScope(false)
	if status, answer := run.ask(nil); status != 400 || answer.Error != "invalid_scope" {
		t.Errorf("without the scope: %d %+v", status, answer)
	}
}

func TestTradingTokens_ExpiredOrWithdrawn_Refused(t *testing.T) {
	run := startTrading(t, sandbox.TradingConfig{TokenLifetime: time.Minute})
	const path = "/api/TradePlatforms"
	if resp := run.get(path, "", nil); resp.StatusCode != 401 || resp.Header.Get("WWW-Authenticate") != "Bearer" {
		t.Errorf("without a token: %d %v", resp.StatusCode, resp.Header)
	}
	_, answer := run.ask(nil)
	run.late.Store(int64(59 * time.Second))
	if resp := run.get(path, answer.AccessToken, nil); resp.StatusCode != 200 {
		t.Errorf("in its last second: %d", resp.StatusCode)
	}
	run.late.Store(int64(time.Minute))
	if resp := run.get(path, answer.AccessToken, nil); resp.StatusCode != 401 || !strings.Contains(resp.Header.Get("WWW-Authenticate"), "expired at '2026-03-01T09:01:00Z'") {
		t.Errorf("after its life: %d %v", resp.StatusCode, resp.Header)
	}
	_, answer = run.ask(nil)
	run.RevokeTokens()
	if resp := run.get(path, answer.AccessToken, nil); resp.StatusCode != 401 {
		t.Errorf("withdrawn: %d", resp.StatusCode)
	}
}

func TestTradingPlatforms(t *testing.T) {
	run := startTrading(t, sandbox.TradingConfig{})
	_, answer := run.ask(nil)
	var platforms []struct{ ID, Name string }
	run.get("/api/TradePlatforms", answer.AccessToken, &platforms)
	var organizations []struct{ ID, Name string }
	run.get("/api/Organizations", answer.AccessToken, &organizations)
	if len(platforms) != 3 || len(organizations) != 1 {
		t.Fatalf("platforms %v, organizations %v", platforms, organizations)
	}
	ping := func(id string) int {
		return run.get("/api/TradePlatforms/"+id+"/Ping", answer.AccessToken, nil).StatusCode
	}
	for i, want := range []int{200, 200, 503} {
		if got := ping(platforms[i].ID); got != want {
			t.Errorf("%s: %d", platforms[i].Name, got)
		}
	}
	run.SetDead(platforms[0].ID, true)
	run.SetDead(platforms[2].ID, false)
	if first, last := ping(platforms[0].ID), ping(platforms[2].ID); first != 503 || last != 200 {
		t.Errorf("after the change: %d, %d", first, last)
	}
	if got := ping("00000000-0000-0000-0000-000000000000"); got != 404 {
		t.Errorf("one that is not there: %d", got)
	}
	heal := run.Fail(sandbox.Fault{Path: "/api/**", Action: sandbox.FaultStatus, Status: 500})
	if got := ping(platforms[1].ID); got != 500 {
		t.Errorf("with a fault: %d", got)
	}
	heal()
	if n := run.Journal().Count(sandbox.Filter{Path: "/api/TradePlatforms/*/Ping", Status: 500}); n != 1 {
		t.Errorf("%d in the journal", n)
	}
}

func TestTradingDescription(t *testing.T) {
	run := startTrading(t, sandbox.TradingConfig{})
	var said struct {
		TokenEndpoint string `json:"token_endpoint"`
	}
	run.get("/.well-known/openid-configuration", "", &said)
	if said.TokenEndpoint != run.url+"/connect/token" {
		t.Errorf("it names %q", said.TokenEndpoint)
	}
	run.Describe(false)
	if resp := run.get("/.well-known/openid-configuration", "", nil); resp.StatusCode != 404 {
		t.Errorf("undescribed: %d", resp.StatusCode)
	}
}
