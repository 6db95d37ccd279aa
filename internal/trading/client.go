// Package trading is a client of the trading cloud's web API. It lists the organizations and trade platforms of an API
// client, and checks whether a platform can be reached.
//
// [New] returns a [Client]. [Client.Organizations], [Client.Platforms] and [Client.Ping] are the operations
// (operations.go). client.go sends requests, and retry.go decides which are repeated. token.go gets the access token from
// the identity provider (OAuth 2.0 client credentials) and renews it. errors.go has the errors: [*TokenError], [*Error],
// [*UnreachableError], [*BadAnswerError], and [*SettingError] for a mistake in the configuration.
package trading

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/hashicorp/go-cleanhttp"
	"github.com/hashicorp/go-retryablehttp"
	"github.com/hashicorp/terraform-plugin-log/tflog"
)

const (
	// DefaultOrganizationsPath is the path of the list of organizations. It is not documented but inferred from the other
	// paths, so Config.OrganizationsPath can replace it.
	DefaultOrganizationsPath = "/api/Organizations"

	defaultUserAgent      = "ZulipTerraformProvider"
	defaultRequestTimeout = 30 * time.Second

	// maxAnswerBytes is the largest answer that is read, in bytes, after unpacking.
	maxAnswerBytes = 10 << 20
)

// Config configures a [Client]. The URLs and the credentials are required.
type Config struct {
	// APIURL is the base URL of the web API, AuthURL that of the identity provider.
	APIURL, AuthURL string
	// ClientID and ClientSecret are the credentials of the registered API client.
	ClientID, ClientSecret string
	// OrganizationsPath is relative to APIURL. Empty: DefaultOrganizationsPath.
	OrganizationsPath string

	// UserAgent is the header of that name. Empty: a default.
	UserAgent string
	// RequestTimeout limits one attempt of one request. 0: half a minute.
	RequestTimeout time.Duration
	// MaxRetries is how often a request is repeated after a network error or a status of 500 and above. Pings are never
	// repeated: such a failure is their result. 0: two, negative: none.
	MaxRetries int

	// Transport replaces the network. nil: one with the proxy that the environment names.
	Transport http.RoundTripper
	// Clock returns the current time, for the expiry of tokens. nil: time.Now.
	Clock func() time.Time
}

// Client calls the trading cloud as one API client. It is safe for concurrent use, and should be shared because it keeps
// the token.
type Client struct {
	apiURL            string
	organizationsPath string
	timeout           time.Duration

	tokens   *tokenSource
	retrying *http.Client // repeats what failed
	single   *http.Client // does not repeat
	redacted redaction
}

// New checks the configuration and returns a client; it sends nothing. The error is a *SettingError.
func New(cfg Config) (*Client, error) {
	apiURL, err := parseAddress(SettingAPIURL, cfg.APIURL)
	if err != nil {
		return nil, err
	}
	authURL, err := parseAddress(SettingAuthURL, cfg.AuthURL)
	if err != nil {
		return nil, err
	}
	if cfg.OrganizationsPath == "" {
		cfg.OrganizationsPath = DefaultOrganizationsPath
	}
	if err := checkPath(cfg.OrganizationsPath); err != nil {
		return nil, err
	}
	if cfg.ClientID == "" {
		return nil, &SettingError{SettingClientID, "is not set"}
	}
	if cfg.ClientSecret == "" {
		return nil, &SettingError{SettingClientSecret, "is not set"}
	}
	if cfg.UserAgent == "" {
		cfg.UserAgent = defaultUserAgent
	}
	if cfg.RequestTimeout <= 0 {
		cfg.RequestTimeout = defaultRequestTimeout
	}
	if cfg.Transport == nil {
		cfg.Transport = cleanhttp.DefaultPooledTransport()
	}
	cfg.Transport = userAgentTransport{cfg.Transport, cfg.UserAgent}
	if cfg.Clock == nil {
		cfg.Clock = time.Now
	}

	c := &Client{
		apiURL: apiURL, organizationsPath: cfg.OrganizationsPath, timeout: cfg.RequestTimeout,
		retrying: newRetryingClient(cfg), single: newSingleAttemptClient(cfg), redacted: redaction{cfg.ClientSecret},
	}
	c.tokens = newTokenSource(cfg, authURL, c.retrying)
	return c, nil
}

// userAgentTransport puts the user agent on every request, including those of the OAuth library.
type userAgentTransport struct {
	http.RoundTripper
	userAgent string
}

// RoundTrip sends a request with the user agent.
func (n userAgentTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context()) // a RoundTripper must not modify the request
	req.Header.Set("User-Agent", n.userAgent)
	return n.RoundTripper.RoundTrip(req)
}

type call struct {
	operation string // its name in the API's documentation
	path      string // below the API's address, escaped
	http      *http.Client
}

type response struct {
	status  int
	header  http.Header
	body    []byte
	latency time.Duration // of the request that was answered, without the token's
	token   *Token        // that the request carried
}

func (r *response) ok() bool { return r.status >= 200 && r.status < 300 }

// get sends a call. If the server refuses the token, get renews it once, because a token can be revoked before it expires.
// get returns an error only if there was no answer or no token. A refusal by the web API is a response.
func (c *Client) get(ctx context.Context, call call) (*response, error) {
	token, err := c.tokens.get(ctx, isUsable)
	if err != nil {
		return nil, err
	}
	answer, err := c.send(ctx, call, token)
	if err != nil || answer.status != http.StatusUnauthorized {
		return answer, err
	}
	refused := token
	if token, err = c.tokens.get(ctx, func(t *Token, now time.Time) bool { return t != refused && isUsable(t, now) }); err != nil {
		return nil, err
	}
	return c.send(ctx, call, token)
}

// send sends a call with a token and reads the whole answer.
func (c *Client) send(ctx context.Context, call call, token *Token) (*response, error) {
	ctx = tflog.MaskLogStrings(ctx, append(c.redacted, token.AccessToken)...)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.apiURL+call.path, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", call.operation, err)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Authorization", "Bearer "+token.AccessToken)

	started := time.Now()
	resp, err := call.http.Do(req)
	if err != nil {
		return nil, c.unreachable(ctx, c.apiURL, err)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswerBytes+1))
	_ = resp.Body.Close() // everything was read, or will not be
	if err != nil {
		return nil, c.unreachable(ctx, c.apiURL, err)
	}
	answer := &response{status: resp.StatusCode, header: resp.Header, body: body, latency: time.Since(started), token: token}
	tflog.Debug(ctx, "The trading cloud answered", map[string]any{
		"operation": call.operation, "path": call.path, "status": answer.status,
		"duration_ms": answer.latency.Milliseconds(), "answer_bytes": len(body),
	})
	if len(body) > maxAnswerBytes {
		return nil, &BadAnswerError{Operation: call.operation, Status: answer.status, Problem: fmt.Sprintf("the answer is larger than %d MB", maxAnswerBytes>>20)}
	}
	return answer, nil
}

func (c *Client) unreachable(ctx context.Context, address string, err error) error {
	return newUnreachableError(ctx, c.redacted, address, c.timeout, err)
}

const (
	defaultMaxRetries = 2
	minBackoff        = 500 * time.Millisecond
	// maxBackoff also limits the wait that a server can ask for.
	maxBackoff = 30 * time.Second
)

// newSingleAttemptClient returns a client that sends a request once.
func newSingleAttemptClient(cfg Config) *http.Client {
	return &http.Client{
		Transport: cfg.Transport,
		Timeout:   cfg.RequestTimeout,
		// A redirect would send the secret or the token to an address that is not configured.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// newRetryingClient returns a client that repeats a request after a network error or a status of 500 and above. It is used
// for reads and token requests only, which are safe to repeat.
func newRetryingClient(cfg Config) *http.Client {
	retrying := retryablehttp.NewClient()
	retrying.HTTPClient = newSingleAttemptClient(cfg)
	retrying.Logger = nil // CheckRetry logs, without addresses
	retrying.RetryMax = max(cfg.MaxRetries, 0)
	if cfg.MaxRetries == 0 {
		retrying.RetryMax = defaultMaxRetries
	}
	retrying.RetryWaitMin, retrying.RetryWaitMax = minBackoff, maxBackoff
	retrying.ErrorHandler = retryablehttp.PassthroughErrorHandler
	retrying.CheckRetry = checkRetry
	retrying.Backoff = func(shortest, longest time.Duration, attempt int, resp *http.Response) time.Duration {
		return min(retryablehttp.DefaultBackoff(shortest, longest, attempt, resp), longest)
	}
	steady := retrying.StandardClient()
	steady.CheckRedirect = retrying.HTTPClient.CheckRedirect
	return steady
}

func checkRetry(ctx context.Context, resp *http.Response, err error) (bool, error) {
	retry, failed := retryablehttp.DefaultRetryPolicy(ctx, resp, err)
	if retry {
		because := "no answer"
		if resp != nil {
			because = resp.Status
		}
		tflog.Info(ctx, "Repeating a request to the trading cloud if there are attempts left", map[string]any{"because": because})
	}
	return retry, failed
}

// The settings, by their names in the provider block.
const (
	SettingAPIURL            = "api_url"
	SettingAuthURL           = "auth_url"
	SettingClientID          = "client_id"
	SettingClientSecret      = "client_secret"
	SettingOrganizationsPath = "organizations_path"
)

// SettingError is a mistake in one setting.
type SettingError struct {
	Setting string // SettingAPIURL and its like
	Problem string // continues a sentence that begins with the setting's name; quotes nothing secret
}

func (e *SettingError) Error() string { return e.Setting + " " + e.Problem }

// parseAddress checks an address and returns it without a slash at its end.
func parseAddress(setting, text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", &SettingError{setting, "is not set"}
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		// The parser's error quotes the URL, which may contain a password.
		return "", &SettingError{setting, "is not a URL: write it like https://trading.example.com"}
	case u.User != nil:
		return "", &SettingError{setting, "holds a user name or a password: use client_id and client_secret"}
	case u.Scheme != "https" && u.Scheme != "http":
		return "", &SettingError{setting, "has no scheme: write it like https://trading.example.com"}
	case u.Hostname() == "":
		return "", &SettingError{setting, "has no host name: write it like https://trading.example.com"}
	case u.RawQuery != "" || u.Fragment != "":
		return "", &SettingError{setting, "is the URL of a page: remove the part after the path"}
	}
	return strings.TrimRight(u.String(), "/"), nil
}

func checkPath(text string) error {
	u, err := url.Parse(text)
	if err != nil || !strings.HasPrefix(text, "/") || u.Host != "" || path.Clean(u.Path) != strings.TrimSuffix(u.Path, "/") {
		return &SettingError{SettingOrganizationsPath, "is not a path like " + DefaultOrganizationsPath}
	}
	return nil
}
