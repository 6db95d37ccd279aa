// Package zulip is the wire: it carries calls to one Zulip organization over
// HTTPS and back, repeats what may be repeated, keeps to the server's pace,
// and turns every way a call can fail into an error a person can act on.
//
// The files client.go, call.go, retry.go and pace.go are the transport. Every
// other noun of the server (channels, user groups, …) has a file of its own
// with its types and calls, written on top of send, sendAnonymous and stream.
package zulip

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

const (
	apiRoot = "/api/v1"

	defaultUserAgent      = "ZulipTerraformProvider"
	defaultRequestTimeout = 60 * time.Second
	defaultMaxRetries     = 4
)

// Paths that are treated in a way of their own.
const (
	registerPath = "/register" // a read, whatever its method
	eventsPath   = "/events"
)

// Config is what a Client needs to know. Only Site is required.
type Config struct {
	// Site is the organization's address, https://chat.example.com. A slash
	// or /api at its end does no harm.
	Site string
	// Email and APIKey are the credentials (server-behavior §R7). Both empty: only
	// anonymous calls are possible.
	Email, APIKey string

	// UserAgent is sent as it is. The server keeps the name before the slash,
	// at most 30 characters of it (server-behavior §R20). Empty: a default.
	UserAgent string

	// RequestTimeout is for one attempt, from dialing to the last byte of
	// the answer. 0: one minute.
	RequestTimeout time.Duration
	// MaxRetries is the number of repeats after the first attempt. 0: four,
	// negative: none. Waiting for a rate limit does not count.
	MaxRetries int
	// RequestsPerMinute caps what this client sends of what the server's limit
	// counts. 0: as much as the server takes, which is found out from its
	// headers and from the first request that it refuses.
	RequestsPerMinute int

	// CABundle is the path of a PEM file with certificates to trust beside
	// the system's.
	CABundle string
	// ClientCert and ClientKey are paths of PEM files. ClientKey may be empty
	// if the key is in the same file as the certificate.
	ClientCert, ClientKey string
	// Insecure accepts any certificate.
	Insecure bool

	// Transport replaces the network. nil: built from the settings above,
	// with the proxy the environment names.
	Transport http.RoundTripper
}

// Client calls one organization as one account. It is safe for concurrent
// use. Clients of the same account in one process keep one pace.
type Client struct {
	site          string
	authorization string // value of the header; empty without credentials
	userAgent     string
	timeout       time.Duration
	maxRetries    int
	secrets       secrets

	http  *http.Client
	clock clock
	pace  *pace
	// wrote is whether anything was changed: from then on giving up leaves work
	// half done.
	wrote atomic.Bool
}

// ErrNoCredentials is the cause when a call that needs an account is made by
// a client that has none.
var ErrNoCredentials = errors.New("this call needs an account: set email and api_key, or ZULIP_EMAIL and ZULIP_API_KEY, or name a zuliprc file")

// SiteError says what is wrong with the address of an organization. Its text leaves
// out a password that the address holds.
type SiteError struct{ cause error }

// Error is the text of the cause.
func (e *SiteError) Error() string { return e.cause.Error() }

// New checks the configuration and returns a client; it calls nobody. An
// error names the setting that is wrong and what to write instead; if that is the
// site it is a [SiteError].
func New(cfg Config) (*Client, error) {
	site, err := parseSite(cfg.Site)
	if err != nil {
		return nil, &SiteError{err}
	}
	if err := checkCredentials(cfg.Email, cfg.APIKey); err != nil {
		return nil, err
	}
	transport := cfg.Transport
	if transport == nil {
		if transport, err = newTransport(cfg); err != nil {
			return nil, err
		}
	}

	c := &Client{
		site:          site,
		authorization: basicAuthorization(cfg.Email, cfg.APIKey),
		userAgent:     cfg.UserAgent,
		timeout:       cfg.RequestTimeout,
		maxRetries:    max(cfg.MaxRetries, 0),
		clock:         wallClock{},
	}
	if c.userAgent == "" {
		c.userAgent = defaultUserAgent
	}
	if c.timeout <= 0 {
		c.timeout = defaultRequestTimeout
	}
	if cfg.MaxRetries == 0 {
		c.maxRetries = defaultMaxRetries
	}
	c.secrets = newSecrets(cfg.APIKey, c.authorization)
	c.pace = paceOf(paceKey{c.site, c.authorization, cfg.RequestsPerMinute})
	c.http = &http.Client{
		Transport: transport,
		Timeout:   c.timeout,
		// A redirected POST arrives as a GET: a create would turn into a read
		// that looks like success. The redirect is an error that says where to.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c, nil
}

// Site is the organization's address, without a slash at its end.
func (c *Client) Site() string { return c.site }

// Waited is how long the requests of this client's account have stood still
// because of the server's rate limit.
func (c *Client) Waited() Waited { return c.pace.hasWaited() }

// Scarce reports whether the account has sent so much in the last minute that
// requests are soon going to wait: what can share one, should.
func (c *Client) Scarce() bool { return c.pace.isScarce() }

// MaxRetries is how often a request that failed is repeated where that is safe. Whoever makes a write safe, by looking
// before it is sent again, keeps to it too.
func (c *Client) MaxRetries() int { return c.maxRetries }

// Answer is what the envelope of a successful call says beside its data.
type Answer struct {
	// IgnoredParameters are the parameters this server did not know and so
	// did not act on (https://zulip.com/api/rest-error-handling): it is older than the setting.
	IgnoredParameters []string `json:"ignored_parameters_unsupported"`
}

// send performs one call and decodes the data of the answer into out; out nil
// leaves the data alone. path is below /api/v1 and already escaped, like
// "/streams/12". again says whether the same call may be sent twice.
//
// The error is one of *Error (the server refused), *NotZulipError (something
// else answered), *ConnectionError (nothing answered), *BadAnswerError (the
// answer is broken), ErrNoCredentials, or what the form recorded; the end of
// ctx can be told with errors.Is.
func (c *Client) send(ctx context.Context, method, path string, form *Form, again repeat, out any) (*Answer, error) {
	if c.authorization == "" {
		return nil, fmt.Errorf("%s %s: %w", method, path, ErrNoCredentials)
	}
	call, answer := c.newCall(c.authorization, method, path, form, again), &Answer{}
	call.accept = answer.decode(out)
	if err := call.run(ctx); err != nil {
		return nil, err
	}
	return answer, nil
}

// sendAnonymous is send without credentials, for the few calls that are open
// to everybody.
//
//nolint:unparam // the same results as send
func (c *Client) sendAnonymous(ctx context.Context, method, path string, form *Form, again repeat, out any) (*Answer, error) {
	call, answer := c.newCall("", method, path, form, again), &Answer{}
	call.accept = answer.decode(out)
	if err := call.run(ctx); err != nil {
		return nil, err
	}
	return answer, nil
}

// decode takes the body of an answer, which may be that of a second attempt.
func (a *Answer) decode(out any) func(body []byte) error {
	return func(body []byte) error {
		*a = Answer{}
		return decodeSuccess(body, a, out)
	}
}

// stream is send for large answers: decode walks the successful body while it
// arrives, so that it is never held as a whole. If the call is repeated, decode is
// called again from the start of a new body and must forget what it has seen.
//
//nolint:unparam // the same parameters as send, though what is this large is only read
func (c *Client) stream(ctx context.Context, method, path string, form *Form, again repeat, decode func(*json.Decoder) error) error {
	if c.authorization == "" {
		return fmt.Errorf("%s %s: %w", method, path, ErrNoCredentials)
	}
	call := c.newCall(c.authorization, method, path, form, again)
	call.walk = decode
	return call.run(ctx)
}

func checkCredentials(email, apiKey string) error {
	switch {
	case email == "" && apiKey == "":
		return nil
	case apiKey == "":
		return fmt.Errorf("email is set (%s) but the API key is not: set api_key, ZULIP_API_KEY, or key in the zuliprc file", email)
	case email == "":
		return errors.New("the API key is set but the account it belongs to is not: set email, ZULIP_EMAIL, or email in the zuliprc file")
	case strings.Contains(email, ":") || strings.Contains(apiKey, ":"):
		// The server splits the header at its only colon (server-behavior §R7).
		return errors.New("neither email nor api_key may contain a colon: email is an address like terraform-bot@chat.example.com, api_key is 32 letters and digits")
	}
	return nil
}
