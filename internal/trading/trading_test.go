package trading_test

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/trading"
)

const secret = "s3cr3t-0f-th3-cl13nt"

// clock is a time that a test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)} }

func (c *clock) time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// start serves a trading cloud and returns it with a client that shares its clock.
func start(t *testing.T, cfg sandbox.TradingConfig) (*sandbox.TradingCloud, *trading.Client, *clock) {
	t.Helper()
	clock := newClock()
	cfg.Clock, cfg.ClientSecret = clock.time, secret
	cloud := sandbox.NewTradingCloud(cfg)
	if err := cloud.Start("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cloud.Close() })
	return cloud, newSingleAttemptClient(t, configOf(cloud, clock)), clock
}

func configOf(cloud *sandbox.TradingCloud, clock *clock) trading.Config {
	c := cloud.Credentials()
	return trading.Config{APIURL: c.APIURL, AuthURL: c.AuthURL, ClientID: c.ClientID, ClientSecret: secret, MaxRetries: -1, Clock: clock.time}
}

func newSingleAttemptClient(t *testing.T, cfg trading.Config) *trading.Client {
	t.Helper()
	client, err := trading.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// countTokens counts the requested tokens.
func countTokens(cloud *sandbox.TradingCloud) int {
	return cloud.Journal().Count(sandbox.Filter{Method: http.MethodPost, Path: "/connect/token"})
}

func listPlatforms(t *testing.T, client *trading.Client) []trading.Platform {
	t.Helper()
	platforms, err := client.Platforms(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return platforms
}

func TestOperations(t *testing.T) {
	name, login, created := "One", int64(7), "2024-05-06T07:08:09Z"
	desk := sandbox.TradingOrganization{ID: "11111111-2222-3333-4444-555555555555", Name: "Desk", Created: created}
	full := sandbox.TradingPlatform{ID: "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee", Name: &name, Type: "MT5", Login: &login, OrganizationID: &desk.ID, Organization: &desk, Created: &created}
	bare := sandbox.TradingPlatform{ID: "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeef", Type: 4, Dead: true}
	cloud, client, _ := start(t, sandbox.TradingConfig{
		Organizations: []sandbox.TradingOrganization{desk}, Platforms: []sandbox.TradingPlatform{full, bare},
	})

	organizations, err := client.Organizations(t.Context())
	if err != nil || len(organizations) != 1 || organizations[0].ID != desk.ID || *organizations[0].Name != "Desk" || *organizations[0].Created != created {
		t.Errorf("organizations %+v, %v", organizations, err)
	}
	platforms := listPlatforms(t, client)
	if len(platforms) != 2 {
		t.Fatalf("platforms %+v", platforms)
	}
	if p := platforms[0]; p.ID != full.ID || *p.Name != name || *p.Type != "MT5" || *p.Login != login || *p.OrganizationID != desk.ID || p.Organization.ID != desk.ID || *p.Created != created {
		t.Errorf("the full platform is %+v", p)
	}
	if p := platforms[1]; p.ID != bare.ID || p.Name != nil || *p.Type != "4" || p.Login != nil || p.OrganizationID != nil || p.Organization != nil || p.Created != nil {
		t.Errorf("the bare platform is %+v", p)
	}

	alive, err := client.Ping(t.Context(), full.ID)
	if err != nil || !alive.Reachable || alive.Status != 200 || alive.Latency <= 0 || alive.Problem != "" {
		t.Errorf("ping of one that is there: %+v, %v", alive, err)
	}
	dead, err := client.Ping(t.Context(), bare.ID)
	if err != nil || dead.Reachable || dead.Status != 503 || !strings.Contains(dead.Problem, "No connection to the trade platform") {
		t.Errorf("ping of a dead one: %+v, %v", dead, err)
	}
	if n := cloud.Journal().Count(sandbox.Filter{Path: "/api/TradePlatforms/" + bare.ID + "/Ping"}); n != 1 {
		t.Errorf("the dead one was asked %d times", n)
	}
	if n := countTokens(cloud); n != 1 {
		t.Errorf("%d tokens for four calls", n)
	}
}

func TestPing_NoPlatformStatus_Error(t *testing.T) {
	cloud, client, clock := start(t, sandbox.TradingConfig{})
	if _, err := client.Ping(t.Context(), "../Organizations"); err == nil || !strings.Contains(err.Error(), "GUID") {
		t.Errorf("a path instead of an ID: %v", err)
	}
	_, err := client.Ping(t.Context(), "00000000-0000-0000-0000-000000000000")
	var refusal *trading.Error
	if !errors.As(err, &refusal) || refusal.Status != 404 || !strings.Contains(err.Error(), "no such platform") {
		t.Errorf("an unknown platform: %v", err)
	}
	cfg := configOf(cloud, clock)
	cfg.APIURL = "http://127.0.0.1:1"
	_, err = newSingleAttemptClient(t, cfg).Ping(t.Context(), "00000000-0000-0000-0000-000000000000")
	var silent *trading.UnreachableError
	if !errors.As(err, &silent) || !strings.Contains(err.Error(), "nothing listens") {
		t.Errorf("no web API: %v", err)
	}
}

func TestPing_WebAPITimeout_Unreachable(t *testing.T) {
	cloud, client, clock := start(t, sandbox.TradingConfig{})
	id := listPlatforms(t, client)[0].ID
	cloud.Fail(sandbox.Fault{Path: "/api/TradePlatforms/*/Ping", Action: sandbox.FaultStall, Delay: time.Second})
	cfg := configOf(cloud, clock)
	cfg.RequestTimeout = 100 * time.Millisecond
	ping, err := newSingleAttemptClient(t, cfg).Ping(t.Context(), id)
	if err != nil || ping.Reachable || ping.Status != 0 || ping.Problem != "no answer in 100ms" {
		t.Errorf("got %+v, %v", ping, err)
	}
}

// An error quotes the title of a page from a proxy or another server, without the markup.
func TestErrorPage_HTML_TitleQuoted(t *testing.T) {
	cloud, client, _ := start(t, sandbox.TradingConfig{})
	page := "\n<!DOCTYPE html>\n<html><head><title>\n Not found &amp; gone</title></head><body><h1>Oh</h1></body></html>"
	cloud.Fail(sandbox.Fault{Path: "/api/TradePlatforms", Action: sandbox.FaultStatus, Status: 404, Body: page})
	if _, err := client.Platforms(t.Context()); err == nil || !strings.Contains(err.Error(), `404 not found ("Not found & gone").`) {
		t.Errorf("got %v", err)
	}
}

func TestAnswer_Unusable_Error(t *testing.T) {
	list := "/api/TradePlatforms"
	for name, test := range map[string]struct {
		fault sandbox.Fault
		word  string
	}{
		"a page for a token":    {sandbox.Fault{Path: "/connect/token", Action: sandbox.FaultHTML, Status: 200}, "holds no token"},
		"a proxy for a token":   {sandbox.Fault{Path: "/connect/token", Action: sandbox.FaultHTML, Status: 404}, "Check that auth_url is the URL"},
		"no token":              {sandbox.Fault{Path: "/connect/token", Action: sandbox.FaultEmpty}, "holds no token"},
		"a page":                {sandbox.Fault{Path: list, Action: sandbox.FaultHTML, Status: 200}, "not a list"},
		"nothing":               {sandbox.Fault{Path: list, Action: sandbox.FaultEmpty}, "not a list"},
		"an envelope":           {sandbox.Fault{Path: list, Action: sandbox.FaultStatus, Status: 200, Body: `{"items":[]}`}, "not a list"},
		"another shape":         {sandbox.Fault{Path: list, Action: sandbox.FaultStatus, Status: 200, Body: `[{"id":1}]`}, "has an unexpected format"},
		"a broken type":         {sandbox.Fault{Path: list, Action: sandbox.FaultStatus, Status: 200, Body: `[{"type":{}}]`}, "neither a word nor a number"},
		"half":                  {sandbox.Fault{Path: list, Action: sandbox.FaultTruncate}, "no answer"},
		"too much":              {sandbox.Fault{Path: list, Action: sandbox.FaultStatus, Status: 200, Body: strings.Repeat(" ", 10<<20+1)}, "larger than 10 MB"},
		"dropped":               {sandbox.Fault{Path: list, Action: sandbox.FaultDrop}, "no answer"},
		"forbidden":             {sandbox.Fault{Path: list, Action: sandbox.FaultStatus, Status: 403, Body: `{"detail":"not you"}`}, `("not you"). The client is not allowed to do this`},
		"led elsewhere":         {sandbox.Fault{Path: list, Action: sandbox.FaultStatus, Status: 302}, "redirects"},
		"the secret led astray": {sandbox.Fault{Path: "/connect/token", Action: sandbox.FaultStatus, Status: 307}, "redirects"},
	} {
		t.Run(name, func(t *testing.T) {
			cloud, client, _ := start(t, sandbox.TradingConfig{})
			cloud.Fail(test.fault)
			if platforms, err := client.Platforms(t.Context()); err == nil || !strings.Contains(err.Error(), test.word) {
				t.Errorf("got %v, %v; want %q", platforms, err, test.word)
			}
		})
	}
}

func TestRequest_TransientFailure_Repeated(t *testing.T) {
	cloud, _, clock := start(t, sandbox.TradingConfig{})
	cloud.Fail(sandbox.Fault{Path: "/connect/token", Action: sandbox.FaultStatus, Status: 503, Count: 1})
	cloud.Fail(sandbox.Fault{Path: "/api/TradePlatforms", Action: sandbox.FaultDrop, Count: 1})
	cfg := configOf(cloud, clock)
	cfg.MaxRetries = 1
	if platforms := listPlatforms(t, newSingleAttemptClient(t, cfg)); len(platforms) == 0 {
		t.Error("nothing was listed")
	}
}

func TestSettings(t *testing.T) {
	permission := trading.Config{APIURL: "https://api.example.com", AuthURL: "https://auth.example.com/realm", ClientID: "c", ClientSecret: secret}
	if _, err := trading.New(permission); err != nil {
		t.Error(err)
	}
	for name, test := range map[string]struct {
		change  func(*trading.Config)
		setting string
		words   string
	}{
		"no API":        {func(c *trading.Config) { c.APIURL = "" }, trading.SettingAPIURL, "is not set"},
		"no scheme":     {func(c *trading.Config) { c.AuthURL = "auth.example.com" }, trading.SettingAuthURL, "no scheme"},
		"no host":       {func(c *trading.Config) { c.AuthURL = "https:///x" }, trading.SettingAuthURL, "no host name"},
		"a password":    {func(c *trading.Config) { c.APIURL = "https://a:" + secret + "@x" }, trading.SettingAPIURL, "a user name or a password"},
		"a broken one":  {func(c *trading.Config) { c.APIURL = "https://a:" + secret + "@x:y" }, trading.SettingAPIURL, "not a URL"},
		"a page":        {func(c *trading.Config) { c.APIURL = "https://x/?a=b" }, trading.SettingAPIURL, "URL of a page"},
		"no client":     {func(c *trading.Config) { c.ClientID = "" }, trading.SettingClientID, "is not set"},
		"no secret":     {func(c *trading.Config) { c.ClientSecret = "" }, trading.SettingClientSecret, "is not set"},
		"another host":  {func(c *trading.Config) { c.OrganizationsPath = "//x/y" }, trading.SettingOrganizationsPath, "not a path"},
		"a step upward": {func(c *trading.Config) { c.OrganizationsPath = "/api/../x" }, trading.SettingOrganizationsPath, "not a path"},
		"no slash":      {func(c *trading.Config) { c.OrganizationsPath = "api" }, trading.SettingOrganizationsPath, "not a path"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := permission
			test.change(&cfg)
			_, err := trading.New(cfg)
			var wrong *trading.SettingError
			if !errors.As(err, &wrong) || wrong.Setting != test.setting || !strings.Contains(err.Error(), test.words) || strings.Contains(err.Error(), secret) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestOrganizationsPath(t *testing.T) {
	cloud, _, clock := start(t, sandbox.TradingConfig{})
	cfg := configOf(cloud, clock)
	cfg.OrganizationsPath = "/api/v2/Organizations"
	_, err := newSingleAttemptClient(t, cfg).Organizations(t.Context())
	if err == nil || !strings.Contains(err.Error(), "organizations_path") {
		t.Errorf("got %v", err)
	}
	if cloud.Journal().Count(sandbox.Filter{Path: "/api/v2/Organizations"}) != 1 {
		t.Error("it was not asked there")
	}
}

func TestSecrets_AllRequests_NotLogged(t *testing.T) {
	cloud, client, _ := start(t, sandbox.TradingConfig{})
	var log bytes.Buffer
	ctx := tflogtest.RootLogger(t.Context(), &log)
	if _, err := client.Platforms(ctx); err != nil {
		t.Fatal(err)
	}
	words := append(cloud.Tokens(), secret)
	cloud.RevokeTokens()
	if _, err := client.Organizations(ctx); err != nil {
		t.Fatal(err)
	}
	words = append(words, cloud.Tokens()...)
	if len(words) != 3 || !strings.Contains(log.String(), "TradePlatforms_GetAll") {
		t.Fatalf("nothing to be found: %d secrets, log:\n%s", len(words), log.String())
	}
	for _, word := range words {
		if strings.Contains(log.String(), word) {
			t.Errorf("%q is in the log:\n%s", word, log.String())
		}
	}
}
