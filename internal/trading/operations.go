package trading

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
	"golang.org/x/sync/singleflight"
)

// The operations, by their names in the API's documentation.
const (
	operationOrganizations = "Organizations_Get"
	operationPlatforms     = "TradePlatforms_GetAll"
	operationPing          = "TradePlatforms_Ping"

	platformsPath = "/api/TradePlatforms"
)

// Organization is an organization that the client belongs to.
type Organization struct {
	ID      string  `json:"id"` // GUID
	Name    *string `json:"name"`
	Created *string `json:"created"` // ISO 8601
}

// Platform is a trade platform.
type Platform struct {
	ID             string        `json:"id"` // GUID
	Name           *string       `json:"name"`
	Type           *PlatformType `json:"type"`
	Login          *int64        `json:"login"`
	OrganizationID *string       `json:"organizationId"`
	Organization   *Organization `json:"organization"`
	Created        *string       `json:"created"` // ISO 8601
}

// PlatformType is a word ("MT4", "MT5"), or in digits the number that some servers use instead.
type PlatformType string

// UnmarshalJSON reads a word or a number.
func (t *PlatformType) UnmarshalJSON(data []byte) error {
	var number json.Number
	if err := json.Unmarshal(data, &number); err == nil && len(data) > 0 && data[0] != '"' {
		*t = PlatformType(number)
		return nil
	}
	var word string
	if err := json.Unmarshal(data, &word); err != nil {
		return fmt.Errorf("a platform's type is neither a word nor a number: %w", err)
	}
	*t = PlatformType(word)
	return nil
}

// Organizations lists the organizations that the client belongs to (Organizations_Get).
func (c *Client) Organizations(ctx context.Context) ([]Organization, error) {
	return list[Organization](ctx, c, call{operationOrganizations, c.organizationsPath, c.retrying})
}

// Platforms lists the trade platforms that the client may use (TradePlatforms_GetAll).
func (c *Client) Platforms(ctx context.Context) ([]Platform, error) {
	return list[Platform](ctx, c, call{operationPlatforms, platformsPath, c.retrying})
}

// Ping is the result of a check of the connection to a platform.
type Ping struct {
	Reachable bool
	// Latency is how long the web API took to answer.
	Latency time.Duration
	// Status is the HTTP status of the answer. 0: there was none in time.
	Status int
	// Problem says why the platform is not reachable; empty if it is.
	Problem string
}

// Ping checks the connection to a platform, by its ID (TradePlatforms_Ping). An unreachable platform is a result. An error
// says nothing about the connection: no token, no permission, no answer from the web API, or no such platform.
func (c *Client) Ping(ctx context.Context, id string) (*Ping, error) {
	if !IsID(id) {
		return nil, fmt.Errorf("%s: %q is not the ID of a platform, which is a GUID", operationPing, id)
	}
	started := time.Now()
	answer, err := c.get(ctx, call{operationPing, platformsPath + "/" + id + "/Ping", c.single})
	var noAnswer *UnreachableError
	switch {
	case errors.As(err, &noAnswer) && noAnswer.timeout && noAnswer.Address == c.apiURL:
		// The web API got the request, and waits for the platform longer than this client does.
		return &Ping{Latency: time.Since(started), Problem: noAnswer.Problem}, nil
	case err != nil:
		return nil, err
	case answer.ok():
		return &Ping{Reachable: true, Latency: answer.latency, Status: answer.status}, nil
	case answer.status < http.StatusInternalServerError:
		return nil, c.refusalError(operationPing, answer)
	}
	problem := fmt.Sprintf("%d %s", answer.status, http.StatusText(answer.status))
	if words := excerpt(c.redactedWith(answer.token), answer.body); words != "" {
		problem += ": " + words
	}
	return &Ping{Latency: answer.latency, Status: answer.status, Problem: problem}, nil
}

var guid = regexp.MustCompile(`^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`)

// IsID reports whether a text can be the ID of a platform or an organization.
func IsID(text string) bool { return guid.MatchString(text) }

// list reads an answer that is an array.
func list[Element any](ctx context.Context, c *Client, call call) ([]Element, error) {
	answer, err := c.get(ctx, call)
	if err != nil {
		return nil, err
	}
	if !answer.ok() {
		return nil, c.refusalError(call.operation, answer)
	}
	bad := &BadAnswerError{Operation: call.operation, Status: answer.status}
	if start := bytes.TrimSpace(answer.body); len(start) == 0 || start[0] != '[' {
		bad.Problem = "the answer is not a list"
		return nil, bad
	}
	var elements []Element
	if err := json.Unmarshal(answer.body, &elements); err != nil {
		bad.Problem = "the answer has an unexpected format: " + err.Error()
		return nil, bad
	}
	return elements, nil
}

// refusalError returns the error for a refusal. The reason for refusing a token is in a header (RFC 6750 §3).
func (c *Client) refusalError(operation string, answer *response) error {
	words := excerpt(c.redactedWith(answer.token), answer.body)
	if words == "" {
		words = excerpt(c.redactedWith(answer.token), []byte(answer.header.Get("WWW-Authenticate")))
	}
	return &Error{Operation: operation, Status: answer.status, Words: words}
}

func (c *Client) redactedWith(token *Token) redaction {
	return append(redaction{token.AccessToken}, c.redacted...)
}

const (
	scope         = "webapi"
	tokenPath     = "/connect/token"
	discoveryPath = "/.well-known/openid-configuration"

	// renewEarly is how long before its expiry a token is renewed, so that a request arrives in time.
	renewEarly = time.Minute
	// maxDiscoveryBytes is how much of the identity provider's description is read, in bytes.
	maxDiscoveryBytes = 1 << 20
)

// Token lets its bearer call the web API.
type Token struct {
	AccessToken string
	Type        string // "Bearer"
	// Expires is when the token expires. Zero: the identity provider did not say.
	Expires time.Time

	renew time.Time // when it is no longer used
}

// Token returns a token that is valid for at least minLifetime, if the identity provider issues such tokens: the current
// one or a new one. It returns the same errors as every call.
func (c *Client) Token(ctx context.Context, minLifetime time.Duration) (*Token, error) {
	return c.tokens.get(ctx, func(t *Token, now time.Time) bool {
		return isUsable(t, now) && (t.Expires.IsZero() || t.Expires.Sub(now) >= minLifetime)
	})
}

// isUsable reports whether a request can carry the token.
func isUsable(t *Token, now time.Time) bool { return t.renew.IsZero() || now.Before(t.renew) }

// tokenSource stores one token for all callers and renews it for all of them together.
type tokenSource struct {
	authURL  string
	config   clientcredentials.Config
	http     *http.Client
	timeout  time.Duration
	clock    func() time.Time
	redacted redaction
	flight   singleflight.Group

	mu         sync.Mutex // guards what follows
	current    *Token
	discovered bool // config.TokenURL is the identity provider's
}

func newTokenSource(cfg Config, authURL string, client *http.Client) *tokenSource {
	return &tokenSource{
		authURL: authURL, http: client, timeout: cfg.RequestTimeout, clock: cfg.Clock,
		redacted: redaction{cfg.ClientSecret},
		config: clientcredentials.Config{
			ClientID: cfg.ClientID, ClientSecret: cfg.ClientSecret, Scopes: []string{scope},
			TokenURL: authURL + tokenPath, AuthStyle: oauth2.AuthStyleInParams,
		},
	}
}

// get returns the current token if it is good enough, and otherwise a new one.
func (s *tokenSource) get(ctx context.Context, good func(*Token, time.Time) bool) (*Token, error) {
	if token := s.currentIf(good); token != nil {
		return token, nil
	}
	// If the caller that started the renewal gives up, the others still get the token.
	shared := context.WithoutCancel(ctx)
	renewal := s.flight.DoChan("token", func() (any, error) {
		if token := s.currentIf(good); token != nil {
			return token, nil // from a renewal that ended while the current one began
		}
		return s.renew(shared)
	})
	select {
	case <-ctx.Done():
		return nil, newUnreachableError(ctx, s.redacted, s.authURL, s.timeout, ctx.Err())
	case done := <-renewal:
		if done.Err != nil {
			return nil, done.Err
		}
		token, _ := done.Val.(*Token)
		return token, nil
	}
}

func (s *tokenSource) currentIf(good func(*Token, time.Time) bool) *Token {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != nil && good(s.current, s.clock()) {
		return s.current
	}
	return nil
}

// renew requests a token from the identity provider.
func (s *tokenSource) renew(ctx context.Context) (*Token, error) {
	ctx = tflog.MaskLogStrings(ctx, s.redacted...)
	ctx = context.WithValue(ctx, oauth2.HTTPClient, s.http)
	s.discover(ctx)

	requestedAt := s.clock()
	granted, err := s.config.Token(ctx)
	if err != nil {
		return nil, s.explainError(ctx, err)
	}
	token := &Token{AccessToken: granted.AccessToken, Type: granted.Type()}
	if !granted.Expiry.IsZero() {
		life := max(time.Until(granted.Expiry).Round(time.Second), 0)
		token.Expires = requestedAt.Add(life)
		// Otherwise a token of two minutes or less would be renewed for nearly every request.
		token.renew = token.Expires.Add(-min(renewEarly, life/2))
	}
	tflog.Debug(ctx, "The identity provider gave a token", map[string]any{"expires": token.Expires})

	s.mu.Lock()
	defer s.mu.Unlock()
	s.current = token
	return token, nil
}

// discover asks the identity provider for its token endpoint, until it has answered once. If there is no answer, or the
// endpoint is not encrypted, the default endpoint is used.
func (s *tokenSource) discover(ctx context.Context) {
	s.mu.Lock()
	known := s.discovered
	s.mu.Unlock()
	if known {
		return
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.authURL+discoveryPath, nil)
	if err != nil {
		return // the same address fails again, and is reported then
	}
	req.Header.Set("Accept", "application/json")
	resp, err := s.http.Do(req)
	if err != nil {
		return
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxDiscoveryBytes))
	_ = resp.Body.Close() // everything was read, or will not be
	if err != nil || resp.StatusCode >= http.StatusInternalServerError {
		return
	}
	var description struct {
		TokenEndpoint string `json:"token_endpoint"`
	}
	if resp.StatusCode == http.StatusOK && json.Unmarshal(body, &description) == nil && s.isTrustedEndpoint(description.TokenEndpoint) {
		s.config.TokenURL = description.TokenEndpoint
		tflog.Debug(ctx, "The identity provider names its token endpoint", map[string]any{"token_endpoint": description.TokenEndpoint})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.discovered = true
}

// isTrustedEndpoint reports whether the secret may be sent to a token endpoint that the identity provider names.
func (s *tokenSource) isTrustedEndpoint(endpoint string) bool {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.User != nil {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && strings.HasPrefix(s.authURL, "http://")
}

// explainError turns an error of the library into one of this package.
func (s *tokenSource) explainError(ctx context.Context, err error) error {
	var refusal *oauth2.RetrieveError
	var network *url.Error
	switch {
	case errors.As(err, &refusal):
		return s.tokenError(refusal)
	case errors.As(err, &network) || ctx.Err() != nil:
		return newUnreachableError(ctx, s.redacted, s.config.TokenURL, s.timeout, err)
	}
	return &BadAnswerError{Operation: tokenOperation, Status: http.StatusOK, Problem: "the answer holds no token: " + s.redacted.mask(err.Error())}
}

func (s *tokenSource) tokenError(refusal *oauth2.RetrieveError) error {
	status := 0
	if refusal.Response != nil {
		status = refusal.Response.StatusCode
	}
	if refusal.ErrorCode == "" {
		// RFC 6749 §5.2 has no such answer, so it comes from a proxy or another server.
		return &Error{Operation: tokenOperation, Status: status, Words: excerpt(s.redacted, refusal.Body)}
	}
	return &TokenError{
		Code: refusal.ErrorCode, Description: s.redacted.mask(refusal.ErrorDescription), Status: status,
		ClientID: s.config.ClientID, Endpoint: s.config.TokenURL,
	}
}
