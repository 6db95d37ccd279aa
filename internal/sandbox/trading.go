package sandbox

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// TradingConfig says what trading cloud NewTradingCloud makes. The zero value is one with an example organization, three
// platforms, of which one is dead, and a client with a secret of its own.
type TradingConfig struct {
	// ClientID and ClientSecret are the API client's. "": "terraform", and a secret random.
	ClientID, ClientSecret string
	// TokenLifetime is how long a token is good. 0: an hour.
	TokenLifetime time.Duration
	// Organizations and Platforms are what the client sees. nil: the example's.
	Organizations []TradingOrganization
	Platforms     []TradingPlatform
	// Latency is added to every request.
	Latency time.Duration
	// Faults are in force from the start. Their paths begin at the root of the address.
	Faults []Fault
	// Journal, if set, receives one line of JSON for each request.
	Journal io.Writer
	// Clock tells the time by which tokens expire; nil: time.Now.
	Clock func() time.Time
}

// TradingOrganization is an organization that the client takes part in.
type TradingOrganization struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Created string `json:"created"`
}

// TradingPlatform is a trade platform. Pointers are null where a platform says nothing.
type TradingPlatform struct {
	ID             string               `json:"id"`
	Name           *string              `json:"name"`
	Type           any                  `json:"type"` // a word, or a number as some servers have it
	Login          *int64               `json:"login"`
	OrganizationID *string              `json:"organizationId"`
	Organization   *TradingOrganization `json:"organization"`
	Created        *string              `json:"created"`

	// Dead platforms are listed, and do not answer a ping.
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

	mu            sync.Mutex // guards what follows
	clientID      string
	secret        string
	grants        bool // the scope of the web API
	discovery     bool // the identity provider describes itself
	lifetime      time.Duration
	tokens        map[string]time.Time // with the ends of their lives
	organizations []TradingOrganization
	platforms     []TradingPlatform

	serving sync.Mutex // guards what follows
	http    *http.Server
	address address
}

// NewTradingCloud makes a trading cloud, which is reached through Handler or Start.
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

// Journal is what the trading cloud was asked so far. Secrets are not in it.
func (c *TradingCloud) Journal() *Journal { return c.journal }

// Fail puts a fault in force until remove is called.
func (c *TradingCloud) Fail(f Fault) (remove func()) { return c.faults.add(f) }

// SetSecret gives the client another secret; tokens that it has stay good.
func (c *TradingCloud) SetSecret(secret string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.secret = secret
}

// GrantScope gives the client the scope of the web API, or takes it away.
func (c *TradingCloud) GrantScope(granted bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.grants = granted
}

// Describe lets the identity provider describe itself, or not.
func (c *TradingCloud) Describe(described bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.discovery = described
}

// RevokeTokens ends every token before its time.
func (c *TradingCloud) RevokeTokens() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.tokens)
}

// SetDead makes a platform stop answering, or answer again.
func (c *TradingCloud) SetDead(id string, dead bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.platforms {
		if c.platforms[i].ID == id {
			c.platforms[i].Dead = dead
		}
	}
}

// Credentials are what a client needs, after Start.
func (c *TradingCloud) Credentials() TradingCredentials {
	url := c.URL()
	c.mu.Lock()
	defer c.mu.Unlock()
	return TradingCredentials{APIURL: url, AuthURL: url, ClientID: c.clientID, ClientSecret: c.secret}
}

// Tokens are those that were given and not withdrawn, expired ones included.
func (c *TradingCloud) Tokens() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(maps.Keys(c.tokens))
}

// Start listens on an address such as 127.0.0.1:0 and serves until Close.
func (c *TradingCloud) Start(addr string) error {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	server := newHTTPServer(c.Handler())
	c.serving.Lock()
	defer c.serving.Unlock()
	c.address, c.http = addressOf("http", listener.Addr()), server
	go func() { _ = server.Serve(listener) }() // ends with Close; nothing to report then
	return nil
}

// URL is where the trading cloud listens, without a slash at the end; "" before Start. If it listens on every address of the
// machine, it is that of loopback.
func (c *TradingCloud) URL() string { return c.listensAt().url() }

// URLs are where the trading cloud is reached, URL first. If it listens on every address, there is one for each.
func (c *TradingCloud) URLs() []string { return c.listensAt().urls }

// IsLocal reports whether no other machine can reach the trading cloud.
func (c *TradingCloud) IsLocal() bool { return c.listensAt().isLocal }

func (c *TradingCloud) listensAt() address {
	c.serving.Lock()
	defer c.serving.Unlock()
	return c.address
}

// Close lets the requests under way finish, for some seconds.
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
