// Package zulip is a client of Zulip's REST API (https://zulip.com/api/).
//
// [New] returns a [Client] for one account of one organization. Each kind of object (channels, user groups, …) has a file
// of its own with its types and calls, for example [Client.UpdateChannel]. They use send, sendAnonymous and stream.
// [Client.Register] reads many kinds of object in one request, as a [RegisterAnswer].
//
// The transport is in four files: client.go (configuration), call.go (one call and its attempts), retry.go (which calls are
// repeated, and when) and ratelimit.go (when the next request is sent). A call that fails returns one of [*Error],
// [*NotZulipError], [*ConnectionError] and [*BadAnswerError]. Functions like [IsCode] and [MayHaveHappened] tell them
// apart.
//
// server-behavior.md describes behavior of the server that Zulip's documentation does not mention.
package zulip

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	apiRoot = "/api/v1"

	defaultUserAgent      = "ZulipTerraformProvider"
	defaultRequestTimeout = 60 * time.Second
	defaultMaxRetries     = 4
)

// Paths that the transport treats specially.
const (
	registerPath = "/register" // a read, although it is a POST
	eventsPath   = "/events"   // has a rate limit of its own
)

// Config configures a [Client]. Site is required, everything except Site is optional.
type Config struct {
	// Site is the organization's URL, https://chat.example.com. A trailing slash
	// or /api is ignored.
	Site string
	// Email and APIKey are the credentials (server-behavior §R7). Both empty: only
	// anonymous calls are possible.
	Email, APIKey string

	// UserAgent is the header of that name. The server stores the part before the slash, at most 30 characters
	// (server-behavior §R20). Empty: a default.
	UserAgent string

	// RequestTimeout limits one attempt, from dialing to the last byte of
	// the answer. 0: one minute.
	RequestTimeout time.Duration
	// MaxRetries is the number of repeats after the first attempt. 0: four,
	// negative: none. Waiting for a rate limit does not count.
	MaxRetries int
	// RequestsPerMinute limits the requests that the server's rate limit counts.
	// 0: as many as the server accepts.
	RequestsPerMinute int

	// CABundle is the path of a PEM file with certificates to trust in addition
	// to the system's.
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
// use. Clients of the same account in one process share one rate limiter.
type Client struct {
	site        string
	apiKey      string
	userAgent   string
	timeout     time.Duration
	maxRetries  int
	maxStreamed int // bytes of an answer that is decoded while it arrives
	secrets     secrets

	// authorization is the value of the header; empty without credentials. next is the value with the email that the
	// account gets; nil without such a change.
	authorization, next atomic.Pointer[string]

	http    *http.Client
	limiter *requestLimiter
	// hasWritten is true if anything was changed. The client then waits longer for the rate limit, because giving up would
	// leave work half done.
	hasWritten atomic.Bool
}

// ErrNoCredentials is the cause when a client without credentials sends a call that needs an account.
var ErrNoCredentials = errors.New("this call requires an account: set email and api_key, or ZULIP_EMAIL and ZULIP_API_KEY, or name a zuliprc file")

// SiteError is a mistake in the URL of an organization. Its text leaves out a password in the URL.
type SiteError struct{ cause error }

func (e *SiteError) Error() string { return e.cause.Error() }

// New checks the configuration and returns a client; it sends nothing. An
// error names the setting that is wrong and what to write instead; for the
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
		site:        site,
		apiKey:      cfg.APIKey,
		userAgent:   cfg.UserAgent,
		timeout:     cfg.RequestTimeout,
		maxRetries:  max(cfg.MaxRetries, 0),
		maxStreamed: maxStreamedBytes,
	}
	authorization := basicAuthorization(cfg.Email, cfg.APIKey)
	c.authorization.Store(&authorization)
	if c.userAgent == "" {
		c.userAgent = defaultUserAgent
	}
	if c.timeout <= 0 {
		c.timeout = defaultRequestTimeout
	}
	if cfg.MaxRetries == 0 {
		c.maxRetries = defaultMaxRetries
	}
	c.secrets = newSecrets(cfg.APIKey, authorization)
	c.limiter = sharedLimiter(limiterKey{c.site, authorization, cfg.RequestsPerMinute})
	c.http = &http.Client{
		Transport: transport,
		Timeout:   c.timeout,
		// A redirected POST arrives as a GET: a create would turn into a read
		// that looks like success. The redirect is an error that says where to.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c, nil
}

// Site is the organization's URL without a trailing slash.
func (c *Client) Site() string { return c.site }

// Absolute returns a URL that the server may give without the organization's.
func (c *Client) Absolute(url string) string {
	if strings.HasPrefix(url, "/") {
		return c.site + url
	}
	return url
}

// Waited returns how long requests of this account have been held back
// because of the server's rate limit.
func (c *Client) Waited() time.Duration { return c.limiter.waitedSoFar() }

// Scarce reports whether the account has been at its rate limit in the last minute. Callers should then combine reads in
// one request.
func (c *Client) Scarce() bool { return c.limiter.isNearLimit() }

// MaxRetries is how often a failed request is repeated where that is safe. Callers that repeat a write themselves, after
// checking whether it was applied, use the same number.
func (c *Client) MaxRetries() int { return c.maxRetries }

// Answer has the parts of a successful answer other than its data.
type Answer struct {
	// IgnoredParameters are the parameters this server did not know and so
	// did not act on (https://zulip.com/api/rest-error-handling): it is older than the setting.
	IgnoredParameters []string `json:"ignored_parameters_unsupported"`
}

// send performs one call and decodes the data of the answer into out, unless that is nil. path is relative to /api/v1 and
// already escaped, like "/streams/12".
//
// The error is one of these: *Error (the server refused), *NotZulipError (another server answered), *ConnectionError (no
// answer), *BadAnswerError (an unusable answer), ErrNoCredentials, an error that the form recorded, or the error of ctx,
// wrapped.
func (c *Client) send(ctx context.Context, method, path string, form *Form, policy retryPolicy, out any) (*Answer, error) {
	answer := &Answer{}
	if err := c.run(ctx, method, path, form, policy, func(call *call) { call.accept = answer.decode(out) }); err != nil {
		return nil, err
	}
	return answer, nil
}

// ExpectEmail prepares for a change of the account's email, before the request that changes it. The server accepts the
// key only with the account's current email.
func (c *Client) ExpectEmail(email string) {
	next := basicAuthorization(email, c.apiKey)
	c.next.Store(&next)
}

// run performs a call as the account. If the server refuses the credentials after [Client.ExpectEmail], it performs this call
// and later ones with the new email.
func (c *Client) run(ctx context.Context, method, path string, form *Form, policy retryPolicy, prepare func(*call)) error {
	authorization := c.authorization.Load()
	if *authorization == "" {
		return fmt.Errorf("%s %s: %w", method, path, ErrNoCredentials)
	}
	for {
		call := c.newCall(*authorization, method, path, form, policy)
		prepare(call)
		err := call.run(ctx)
		next, isRefused := c.next.Load(), IsUnauthorized(err)
		switch {
		case isRefused && next != nil && next != authorization:
			authorization = next
			continue
		case !isRefused && next == authorization:
			c.authorization.Store(next)
		}
		return err
	}
}

// sendAnonymous is send without credentials, for the few calls that need none.
//
//nolint:unparam // the same results as send
func (c *Client) sendAnonymous(ctx context.Context, method, path string, form *Form, policy retryPolicy, out any) (*Answer, error) {
	call, answer := c.newCall("", method, path, form, policy), &Answer{}
	call.accept = answer.decode(out)
	if err := call.run(ctx); err != nil {
		return nil, err
	}
	return answer, nil
}

// decode returns a function that decodes the body of an answer. It may be called again, for another attempt.
func (a *Answer) decode(out any) func(body []byte) error {
	return func(body []byte) error {
		*a = Answer{}
		return decodeSuccess(body, a, out)
	}
}

// stream is send for large answers: decode reads the body while it arrives, so that it is never in memory as a whole. If
// the call is repeated, decode is called again with a new body and must discard its earlier result.
//
//nolint:unparam // the same parameters as send, though what is this large is only read
func (c *Client) stream(ctx context.Context, method, path string, form *Form, policy retryPolicy, decode func(*json.Decoder) error) error {
	return c.run(ctx, method, path, form, policy, func(call *call) { call.decodeStream = decode })
}

func checkCredentials(email, apiKey string) error {
	switch {
	case email == "" && apiKey == "":
		return nil
	case apiKey == "":
		return fmt.Errorf("email is set (%s) but the API key is not: set api_key, ZULIP_API_KEY, or key in the zuliprc file", email)
	case email == "":
		return errors.New("the API key is set but its account is not: set email, ZULIP_EMAIL, or email in the zuliprc file")
	case strings.Contains(email, ":") || strings.Contains(apiKey, ":"):
		// The server splits the header at its only colon (server-behavior §R7).
		return errors.New("neither email nor api_key can contain a colon: email is like terraform-bot@chat.example.com, api_key is 32 letters and digits")
	}
	return nil
}

// ConnectionError is the error if no answer arrived: the host name is unknown, nothing listens there, the certificate
// is not trusted, a timeout, a lost connection.
type ConnectionError struct {
	Method, Path string
	// Problem is what went wrong, Hint what to do about it; Hint may be empty.
	Problem, Hint string
	// MayHaveHappened is true if the server may have received and executed the request. It is false only if it
	// certainly has not.
	MayHaveHappened bool
	Err             error

	// permanent: the next attempt would fail the same way.
	permanent bool
}

func (e *ConnectionError) Error() string {
	text := fmt.Sprintf("%s %s: %s%s", e.Method, e.Path, e.Problem, unknownOutcomeNote(e.Method, e.MayHaveHappened))
	if e.Hint != "" {
		text += ". " + e.Hint
	}
	return text
}

func (e *ConnectionError) Unwrap() error { return e.Err }

// Windows reports the errors of sockets by numbers that no other system uses, and that syscall does not compare with its
// names: https://learn.microsoft.com/windows/win32/winsock/windows-sockets-error-codes-2.
const (
	errWindowsRefused = syscall.Errno(10061)
	errWindowsReset   = syscall.Errno(10054)
)

// connectionError explains why an attempt of the call ended without an answer.
func (c *call) connectionError(ctx context.Context, err error) *ConnectionError {
	site := c.client.site
	e := &ConnectionError{Method: c.method, Path: c.path, MayHaveHappened: c.trace.mayHaveBeenSent(err), Err: err}

	var (
		wrapped *url.Error
		dns     *net.DNSError
		network net.Error
		op      *net.OpError
	)
	if errors.As(err, &wrapped) {
		// Its text would repeat the whole URL, including the query.
		err, e.Err = wrapped.Err, wrapped.Err
	}
	problem, hint, certificate := certificateProblem(err)
	switch {
	case ctx.Err() != nil:
		e.Problem, e.Err, e.permanent = "stopped before "+site+" answered: "+context.Cause(ctx).Error(), context.Cause(ctx), true
	case certificate:
		e.Problem, e.Hint, e.permanent = site+" cannot be trusted: "+problem, hint, true
		e.MayHaveHappened = false
	case errors.As(err, &op) && op.Op == "proxyconnect":
		e.Problem = "the proxy cannot be reached: " + err.Error()
		e.Hint = "The proxy is taken from HTTPS_PROXY, HTTP_PROXY and NO_PROXY"
	case errors.As(err, &dns):
		e.Problem = "the name " + dns.Name + " cannot be looked up: " + dns.Err
		e.Hint = "Check the spelling of site, and the network"
		e.permanent = dns.IsNotFound
	case errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, errWindowsRefused):
		e.Problem = "nothing listens at " + site + " (connection refused)"
		e.Hint = "Check that the server is running, and the port in site"
	case errors.As(err, &network) && network.Timeout():
		e.Problem = "no answer from " + site + " in " + c.client.timeout.String()
		e.Hint = "If the server is slow, raise request_timeout"
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, errWindowsReset) || errors.Is(err, syscall.EPIPE):
		e.Problem = site + " closed the connection without an answer"
	default:
		e.Problem = "no answer from " + site + ": " + err.Error()
	}
	e.Problem = c.secrets.maskText(e.Problem)
	return e
}

// requestTrace records whether any part of an attempt can have been sent.
type requestTrace struct {
	requested atomic.Bool // for a connection
	connected atomic.Bool
	started   time.Time
}

func (t *requestTrace) reset() {
	t.requested.Store(false)
	t.connected.Store(false)
	t.started = time.Now()
}

func (t *requestTrace) hooks() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		// The transport may ask again within one attempt, when a kept
		// connection turns out to be closed before a byte was written.
		GetConn: func(string) { t.connected.Store(false); t.requested.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { t.connected.Store(true) },
	}
}

// mayHaveBeenSent is true unless the attempt certainly failed before it had a connection. A transport that reports nothing
// leaves this open.
func (t *requestTrace) mayHaveBeenSent(err error) bool {
	var op *net.OpError
	if errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect") {
		return false
	}
	return !t.requested.Load() || t.connected.Load()
}
