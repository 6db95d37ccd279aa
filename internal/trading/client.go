// Package trading is the client of the trading cloud's web API: it gets an access token from the identity provider,
// keeps it fresh, and asks which organizations and trade platforms the client has, and whether a platform can be
// reached.
//
// client.go is the way of one call, token.go that of the token it carries, operations.go the three operations, and
// errors.go everything that can come of them.
package trading

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/hashicorp/go-cleanhttp"
	"github.com/hashicorp/terraform-plugin-log/tflog"
)

const (
	// DefaultOrganizationsPath is where organizations are listed. It is inferred from how the other paths are named, so a
	// Config can name another one.
	DefaultOrganizationsPath = "/api/Organizations"

	defaultUserAgent      = "ZulipTerraformProvider"
	defaultRequestTimeout = 30 * time.Second

	// answerLimit is the largest answer that is read, in bytes, after unpacking.
	answerLimit = 10 << 20
)

// Config is what a Client needs to know. The addresses and the credentials are required.
type Config struct {
	// APIURL is the web API's address, AuthURL the identity provider's. Paths are added to them.
	APIURL, AuthURL string
	// ClientID and ClientSecret are what registering the API client gave.
	ClientID, ClientSecret string
	// OrganizationsPath is below APIURL. Empty: DefaultOrganizationsPath.
	OrganizationsPath string

	// UserAgent is sent as it is. Empty: a default.
	UserAgent string
	// RequestTimeout is for one attempt of one request. 0: half a minute.
	RequestTimeout time.Duration
	// MaxRetries is how often a request that failed on the way, or by the server's fault, is repeated. A ping is not:
	// its failure is what it is to find out. 0: two, negative: none.
	MaxRetries int

	// Transport replaces the network. nil: one with the proxy that the environment names.
	Transport http.RoundTripper
	// Clock tells the time by which tokens expire. nil: time.Now.
	Clock func() time.Time
}

// Client calls the trading cloud as one API client. It is safe for concurrent use, and should be shared: the token is
// kept per client.
type Client struct {
	apiURL            string
	organizationsPath string
	timeout           time.Duration

	tokens   *tokenSource
	steady   *http.Client // repeats what failed
	once     *http.Client // does not
	redacted redaction
}

// New checks the configuration and returns a client; it calls nobody. The error is a *SettingError.
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
	cfg.Transport = named{cfg.Transport, cfg.UserAgent}
	if cfg.Clock == nil {
		cfg.Clock = time.Now
	}

	c := &Client{
		apiURL: apiURL, organizationsPath: cfg.OrganizationsPath, timeout: cfg.RequestTimeout,
		steady: newSteadyClient(cfg), once: newClient(cfg), redacted: redaction{cfg.ClientSecret},
	}
	c.tokens = newTokenSource(cfg, authURL, c.steady)
	return c, nil
}

// named is a transport that puts the user agent on every request, also on those that the OAuth library makes.
type named struct {
	http.RoundTripper
	userAgent string
}

// RoundTrip sends a request under the name.
func (n named) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context()) // a transport must leave what it is given as it is
	req.Header.Set("User-Agent", n.userAgent)
	return n.RoundTripper.RoundTrip(req)
}

// call is one request to the web API.
type call struct {
	operation string // its name in the API's documentation
	path      string // below the API's address, escaped
	http      *http.Client
}

// result is what the web API answered to a call.
type result struct {
	status  int
	header  http.Header
	body    []byte
	latency time.Duration // of the request that was answered, without the token's
	token   *Token        // that the request carried
}

func (r *result) ok() bool { return r.status >= 200 && r.status < 300 }

// get sends a call. A token that is refused is renewed once, because it can be withdrawn before its time. The error says
// that nothing was answered, or that there is no token; a refusal is a result.
func (c *Client) get(ctx context.Context, call call) (*result, error) {
	token, err := c.tokens.get(ctx, usable)
	if err != nil {
		return nil, err
	}
	answer, err := c.send(ctx, call, token)
	if err != nil || answer.status != http.StatusUnauthorized {
		return answer, err
	}
	refused := token
	if token, err = c.tokens.get(ctx, func(t *Token, now time.Time) bool { return t != refused && usable(t, now) }); err != nil {
		return nil, err
	}
	return c.send(ctx, call, token)
}

// send sends a call with a token and reads the answer to its end.
func (c *Client) send(ctx context.Context, call call, token *Token) (*result, error) {
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
	body, err := io.ReadAll(io.LimitReader(resp.Body, answerLimit+1))
	_ = resp.Body.Close() // everything was read, or will not be
	if err != nil {
		return nil, c.unreachable(ctx, c.apiURL, err)
	}
	answer := &result{status: resp.StatusCode, header: resp.Header, body: body, latency: time.Since(started), token: token}
	tflog.Debug(ctx, "The trading cloud answered", map[string]any{
		"operation": call.operation, "path": call.path, "status": answer.status,
		"duration_ms": answer.latency.Milliseconds(), "answer_bytes": len(body),
	})
	if len(body) > answerLimit {
		return nil, &BadAnswerError{Operation: call.operation, Status: answer.status, Problem: fmt.Sprintf("the answer is larger than %d MB", answerLimit>>20)}
	}
	return answer, nil
}

func (c *Client) unreachable(ctx context.Context, address string, err error) error {
	return explainConnection(ctx, c.redacted, address, c.timeout, err)
}
