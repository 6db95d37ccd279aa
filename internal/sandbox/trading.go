package sandbox

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// TradingConfig configures a [TradingCloud]. The zero value has an example organization, three platforms (one does not
// respond), and a client with a random secret.
type TradingConfig struct {
	// ClientID and ClientSecret are the API client's. "": "terraform", and a secret random.
	ClientID, ClientSecret string
	// TokenLifetime is the lifetime of a token. 0: an hour.
	TokenLifetime time.Duration
	// Organizations and Platforms are visible to the client. nil: the example's.
	Organizations []TradingOrganization
	Platforms     []TradingPlatform
	// Latency is added to every request.
	Latency time.Duration
	// Faults are active from the start. Their paths begin at the root of the address.
	Faults []Fault
	// Journal, if set, receives one line of JSON for each request.
	Journal io.Writer
	// Clock tells the time for the expiry of tokens; nil: time.Now.
	Clock func() time.Time
}

// TradingOrganization is an organization that the client belongs to.
type TradingOrganization struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Created string `json:"created"`
}

// TradingPlatform is a trade platform. Pointers are null if unset.
type TradingPlatform struct {
	ID             string               `json:"id"`
	Name           *string              `json:"name"`
	Type           any                  `json:"type"` // a word, or a number as some servers have it
	Login          *int64               `json:"login"`
	OrganizationID *string              `json:"organizationId"`
	Organization   *TradingOrganization `json:"organization"`
	Created        *string              `json:"created"`

	// Dead is true for a platform that is listed, but does not answer a ping.
	Dead bool `json:"-"`
}

// TradingCredentials point a client at a trading cloud.
type TradingCredentials struct{ APIURL, AuthURL, ClientID, ClientSecret string }

// TradingCloud is a server for tests of the trading cloud: identity provider and web API at one address. Its methods may be
// called concurrently.
type TradingCloud struct {
	journal *Journal
	faults  *faultRules
	latency time.Duration
	clock   func() time.Time
	mux     *http.ServeMux

	mu            sync.Mutex // guards the fields below
	clientID      string
	secret        string
	grants        bool // the scope of the web API
	discovery     bool // the identity provider has a discovery document
	lifetime      time.Duration
	tokens        map[string]time.Time // with their expiry
	organizations []TradingOrganization
	platforms     []TradingPlatform

	serving sync.Mutex // guards the fields below
	http    *http.Server
	address address
}

// NewTradingCloud returns a trading cloud, which is reached through Handler or Start.
func NewTradingCloud(cfg TradingConfig) *TradingCloud {
	c := &TradingCloud{
		journal: newJournal(cfg.Journal), faults: newFaultRules(cfg.Faults), latency: cfg.Latency, clock: cfg.Clock,
		clientID: cmp.Or(cfg.ClientID, "terraform"), secret: cmp.Or(cfg.ClientSecret, randomWord()), grants: true, discovery: true,
		lifetime: cmp.Or(cfg.TokenLifetime, time.Hour), tokens: map[string]time.Time{},
		organizations: slices.Clone(cfg.Organizations), platforms: slices.Clone(cfg.Platforms),
	}
	if c.clock == nil {
		c.clock = time.Now
	}
	if cfg.Organizations == nil {
		c.organizations = []TradingOrganization{exampleDesk}
	}
	if cfg.Platforms == nil {
		c.platforms = examplePlatforms()
	}
	c.mux = http.NewServeMux()
	c.route()
	return c
}

// Journal returns the requests so far, without secrets.
func (c *TradingCloud) Journal() *Journal { return c.journal }

// Fail adds a fault until remove is called.
func (c *TradingCloud) Fail(f Fault) (remove func()) { return c.faults.add(f) }

// SetSecret changes the client's secret; its tokens remain valid.
func (c *TradingCloud) SetSecret(secret string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.secret = secret
}

// GrantScope gives the client the scope of the web API, or removes it.
func (c *TradingCloud) GrantScope(granted bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.grants = granted
}

// Describe turns the identity provider's discovery document on or off.
func (c *TradingCloud) Describe(described bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.discovery = described
}

// RevokeTokens revokes every token.
func (c *TradingCloud) RevokeTokens() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.tokens)
}

// SetDead lets a platform stop answering, or answer again.
func (c *TradingCloud) SetDead(id string, dead bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.platforms {
		if c.platforms[i].ID == id {
			c.platforms[i].Dead = dead
		}
	}
}

// Credentials returns the client's configuration, after Start.
func (c *TradingCloud) Credentials() TradingCredentials {
	url := c.URL()
	c.mu.Lock()
	defer c.mu.Unlock()
	return TradingCredentials{APIURL: url, AuthURL: url, ClientID: c.clientID, ClientSecret: c.secret}
}

// Tokens returns the tokens that are not revoked, expired ones included.
func (c *TradingCloud) Tokens() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(maps.Keys(c.tokens))
}

// Start listens on an address, for example 127.0.0.1:0, and serves until Close.
func (c *TradingCloud) Start(addr string) error {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	server := newHTTPServer(c.Handler())
	c.serving.Lock()
	defer c.serving.Unlock()
	c.address, c.http = addressOf("http", listener.Addr()), server
	go func() { _ = server.Serve(listener) }() // Close ends it; its error says nothing
	return nil
}

// URL is the trading cloud's address without a slash at the end; "" before Start. If it listens on every address of the
// machine, URL is the one of loopback.
func (c *TradingCloud) URL() string { return c.listensAt().url() }

// URLs are the trading cloud's addresses, URL first. If it listens on every address, the list contains each.
func (c *TradingCloud) URLs() []string { return c.listensAt().urls }

// IsLocal reports whether no other machine can reach the trading cloud.
func (c *TradingCloud) IsLocal() bool { return c.listensAt().isLocal }

func (c *TradingCloud) listensAt() address {
	c.serving.Lock()
	defer c.serving.Unlock()
	return c.address
}

// Close lets requests in flight finish, for some seconds.
func (c *TradingCloud) Close() error {
	c.serving.Lock()
	server := c.http
	c.http = nil
	c.serving.Unlock()
	return shutDown(server)
}

// Handler serves the identity provider and the web API.
func (c *TradingCloud) Handler() http.Handler { return http.HandlerFunc(c.serve) }

func randomWord() string {
	random := make([]byte, 16)
	_, _ = rand.Read(random) // never fails
	return hex.EncodeToString(random)
}

// webAPIScope is the only scope.
const webAPIScope = "webapi"

// exampleDesk and examplePlatforms are the default content of a trading cloud.
var exampleDesk = TradingOrganization{ID: "6f1c2a54-0b7e-4a7b-9a53-2f5f2a1d7c10", Name: "Example Desk", Created: "2024-03-04T08:00:00Z"}

func examplePlatforms() []TradingPlatform {
	platform := func(id, name string, kind any, login int64, dead bool) TradingPlatform {
		desk, created := exampleDesk, "2024-03-05T09:30:00Z"
		return TradingPlatform{
			ID: id, Name: &name, Type: kind, Login: &login, OrganizationID: &desk.ID, Organization: &desk, Created: &created, Dead: dead,
		}
	}
	return []TradingPlatform{
		platform("0d9a5f1e-3c44-4e0e-8f0b-5b1f6f0c9a01", "London Live", "MT5", 100201, false),
		platform("0d9a5f1e-3c44-4e0e-8f0b-5b1f6f0c9a02", "Tokyo Live", "MT4", 100202, false),
		platform("0d9a5f1e-3c44-4e0e-8f0b-5b1f6f0c9a03", "Frankfurt Demo", "MT4", 100203, true),
	}
}

// route registers the handlers. They find the fields of the body in the request's form.
func (c *TradingCloud) route() {
	for pattern, handle := range map[string]func(*http.Request) *answer{
		"GET /.well-known/openid-configuration": c.describe,
		"POST /connect/token":                   c.grantToken,
		"GET /api/Organizations":                c.withToken(c.listOrganizations),
		"GET /api/TradePlatforms":               c.withToken(c.listPlatforms),
		"GET /api/TradePlatforms/{id}/Ping":     c.withToken(c.ping),
	} {
		c.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { send(w, r.Method, handle(r)) })
	}
}

// serve handles a request like the messaging server: it waits, applies a fault, answers, and adds to the journal.
func (c *TradingCloud) serve(w http.ResponseWriter, r *http.Request) {
	started := c.clock()
	r.Body = http.MaxBytesReader(nil, r.Body, maxBody)
	_ = r.ParseForm() // an unreadable body has no fields
	sleepContext(r.Context(), c.latency)
	fault := c.faults.match(r.Method, r.URL.Path)
	a := fault.apply(r.Context(), func() *answer {
		taken := &statusRecorder{header: http.Header{}, status: http.StatusOK}
		c.mux.ServeHTTP(taken, r)
		return &answer{status: taken.status, header: taken.header, body: taken.body.Bytes()}
	})

	entry := Request{
		Time: started, Method: r.Method, Path: r.URL.Path, Params: map[string]string{}, Account: r.PostForm.Get("client_id"), Agent: r.UserAgent(),
		Duration: c.clock().Sub(started), Fault: fault.String(),
	}
	for name := range r.Form {
		entry.Params[name] = r.Form.Get(name)
		if name == "client_secret" {
			entry.Params[name] = "(hidden)"
		}
	}
	if a != nil {
		entry.Status, entry.Bytes = a.status, len(a.body)
	}
	c.journal.add(entry)
	if a == nil {
		panic(http.ErrAbortHandler) // closes the connection without an answer
	}
	send(w, r.Method, a)
	if fault.truncates() {
		_ = http.NewResponseController(w).Flush() // otherwise the half would be lost too
		panic(http.ErrAbortHandler)
	}
}

// statusRecorder records an answer of the mux, so that a fault can damage it.
type statusRecorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header returns the header of the answer.
func (t *statusRecorder) Header() http.Header { return t.header }

// WriteHeader records the status.
func (t *statusRecorder) WriteHeader(status int) { t.status = status }

func (t *statusRecorder) Write(data []byte) (int, error) { return t.body.Write(data) }

// describe is the discovery document of the identity provider (OpenID Connect Discovery §4).
func (c *TradingCloud) describe(r *http.Request) *answer {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.discovery {
		return htmlAnswer(http.StatusNotFound, "Not Found")
	}
	issuer := "http://" + r.Host
	return jsonAnswer(http.StatusOK, fields{
		"issuer": issuer, "token_endpoint": issuer + "/connect/token", "scopes_supported": []string{webAPIScope},
		"grant_types_supported": []string{"client_credentials"},
	})
}

// grantToken answers as RFC 6749 §4.4 and §5.2 require.
func (c *TradingCloud) grantToken(r *http.Request) *answer {
	refuse := func(status int, code, description string) *answer {
		return jsonAnswer(status, fields{"error": code, "error_description": description})
	}
	form := r.PostForm
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case !strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") || form.Get("grant_type") == "":
		return refuse(http.StatusBadRequest, "invalid_request", "grant_type is missing")
	case form.Get("client_id") != c.clientID || form.Get("client_secret") != c.secret:
		return refuse(http.StatusUnauthorized, "invalid_client", "The client or its secret is wrong.")
	case form.Get("grant_type") != "client_credentials":
		return refuse(http.StatusBadRequest, "unsupported_grant_type", "")
	case form.Get("scope") != webAPIScope || !c.grants:
		return refuse(http.StatusBadRequest, "invalid_scope", "")
	}
	// Three parts with dots between, as in a JWT. Clients must not parse it.
	token := "eyJ." + randomWord() + "." + randomWord()
	c.tokens[token] = c.clock().Add(c.lifetime)
	a := jsonAnswer(http.StatusOK, fields{
		"access_token": token, "expires_in": int64(c.lifetime / time.Second), "token_type": "Bearer", "scope": webAPIScope,
	})
	a.header.Set("Cache-Control", "no-store")
	return a
}

// withToken admits requests with a valid token (RFC 6750 §3).
func (c *TradingCloud) withToken(handle func(*http.Request) *answer) func(*http.Request) *answer {
	return func(r *http.Request) *answer {
		token, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		c.mu.Lock()
		defer c.mu.Unlock()
		ends, known := c.tokens[token]
		problem := ""
		switch {
		case !bearer:
			problem = "Bearer"
		case !known:
			problem = `Bearer error="invalid_token", error_description="The token is not known"`
		case !c.clock().Before(ends):
			problem = fmt.Sprintf(`Bearer error="invalid_token", error_description="The token expired at '%s'"`, ends.UTC().Format(time.RFC3339))
		}
		if problem != "" {
			a := newAnswer(http.StatusUnauthorized, "", nil)
			a.header.Set("WWW-Authenticate", problem)
			return a
		}
		return handle(r)
	}
}

func (c *TradingCloud) listOrganizations(*http.Request) *answer { return arrayAnswer(c.organizations) }

func (c *TradingCloud) listPlatforms(*http.Request) *answer { return arrayAnswer(c.platforms) }

func (c *TradingCloud) ping(r *http.Request) *answer {
	id := r.PathValue("id")
	at := slices.IndexFunc(c.platforms, func(p TradingPlatform) bool { return strings.EqualFold(p.ID, id) })
	switch {
	case at < 0:
		return jsonAnswer(http.StatusNotFound, fields{"title": "Not Found", "status": http.StatusNotFound})
	case c.platforms[at].Dead:
		return jsonAnswer(http.StatusServiceUnavailable, fields{"message": "No connection to the trade platform"})
	}
	return newAnswer(http.StatusOK, "", nil)
}

// arrayAnswer is an array without an envelope.
func arrayAnswer[Element any](elements []Element) *answer {
	if elements == nil {
		elements = []Element{}
	}
	body, err := json.Marshal(elements)
	if err != nil {
		return htmlAnswer(http.StatusInternalServerError, "Internal Server Error")
	}
	return newAnswer(http.StatusOK, "application/json; charset=utf-8", body)
}
