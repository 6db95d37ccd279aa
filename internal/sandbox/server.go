package sandbox

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// Config configures a [Server]. The zero value is a server in memory with the
// small example organization, at [DefaultFeatureLevel] and without rate limits.
type Config struct {
	// Accounts are the people and bots of a new organization, by a name of the caller's choice. nil: the example
	// organization. They are ignored if the state file already holds an organization.
	Accounts map[string]Account
	// Organization is a recorded organization in the form of "export --snapshot". It replaces Accounts, and its objects
	// keep their IDs.
	Organization []byte
	// StatePath is the file that stores everything; "": memory only.
	StatePath string
	// Shared is true if other processes serve the same state file. Each request then locks the file, and reads it again
	// after another process has written to it. See also [Server.CountManaged].
	Shared bool
	// FeatureLevel is the API feature level of the server. 0: that of Organization, as far as the sandbox supports it, and
	// otherwise [DefaultFeatureLevel].
	FeatureLevel int
	// VideoChatProviders are the server's providers of calls in addition to "disabled" and "jitsi_meet", by their keys in
	// the API.
	VideoChatProviders []string
	// RateLimits are the rules for each account; nil: off.
	RateLimits []RateLimit
	// Latency is added to every request.
	Latency time.Duration
	// Faults are active from the start.
	Faults []Fault
	// Journal, if set, receives one line of JSON for each request.
	Journal io.Writer
	// Clock tells the time; nil: time.Now.
	Clock func() time.Time
}

// Server is a Zulip server for tests. Its methods may be called concurrently.
type Server struct {
	router  *router
	journal *Journal
	faults  *faultRules
	gates   *gateRules
	latency time.Duration
	clock   func() time.Time
	level   atomic.Int64
	// arrivals is the number of requests that have arrived.
	arrivals atomic.Int64

	cfg      Config
	recorded *recordedOrganization // cfg.Organization, parsed; nil: none

	mu                  sync.Mutex // guards the fields below; one request at a time
	org                 *rules.Organization
	store               *store // nil: memory only
	limits, queueLimits rateLimiter
	queues              eventQueues
	changed             chan struct{} // closed by the next request
	generation          int64         // when the server was created, in Unix seconds
	created             map[int]int64 // by channel, the requests that had arrived when it was created
	past                []pastLists
	staleAccounts       *accountLists // shown instead of the current lists; nil: show the current ones
	// staleSettings are compared with PATCH /realm instead of the current settings; nil: the current ones are.
	staleSettings *rules.Realm

	closed    chan struct{} // closed by Close
	closing   sync.Once
	heartbeat time.Duration

	serving  sync.Mutex // guards the fields below
	listener net.Listener
	http     *http.Server
	address  address
}

// New returns a server, which is reached through Handler, Start or StartTLS. It fails if the state file cannot be used or
// an account is not possible.
func New(cfg Config) (*Server, error) {
	s := &Server{
		router:  newRouter(slices.Concat(endpoints, unsupported())),
		journal: newJournal(cfg.Journal),
		faults:  newFaultRules(cfg.Faults),
		gates:   &gateRules{},
		latency: cfg.Latency,
		clock:   cfg.Clock,
		limits:  newRateLimiter(cfg.RateLimits), queueLimits: newRateLimiter(cfg.RateLimits),
		queues: eventQueues{}, created: map[int]int64{}, changed: make(chan struct{}), closed: make(chan struct{}), heartbeat: heartbeatInterval,
	}
	if s.clock == nil {
		s.clock = time.Now
	}
	s.generation = s.clock().Unix()
	if cfg.Organization != nil {
		var err error
		if s.recorded, err = parseOrganization(cfg.Organization); err != nil {
			return nil, err
		}
		cfg.FeatureLevel = cmp.Or(cfg.FeatureLevel, s.recorded.featureLevel())
		cfg.VideoChatProviders = slices.Concat(cfg.VideoChatProviders, s.recorded.Realm.VideoChatProviders)
	}
	s.cfg = cfg
	s.SetFeatureLevel(cmp.Or(cfg.FeatureLevel, DefaultFeatureLevel))
	if cfg.StatePath == "" {
		if err := s.loadOrCreate(); err != nil {
			return nil, err
		}
		return s, nil
	}
	var err error
	if s.store, err = openStore(cfg.StatePath); err != nil {
		return nil, fmt.Errorf("opening the state file: %w", err)
	}
	if cfg.Shared {
		err = s.store.removeUnmanaged()
	}
	if err == nil {
		err = s.loadOrCreate()
	}
	if err != nil {
		return nil, errors.Join(err, s.store.close())
	}
	if err := s.release(); err != nil {
		return nil, err
	}
	return s, nil
}

// loadOrCreate loads the organization from the state file, or creates it.
func (s *Server) loadOrCreate() error {
	s.org = rules.New(s.clock, s.featureLevel)
	s.org.SetUpVideoChat(s.cfg.VideoChatProviders...)
	if s.store != nil {
		if err := s.store.load(s.org); err != nil {
			return fmt.Errorf("reading the state file: %w", err)
		}
	}
	if !s.org.Empty() {
		s.org.FailLate()
		s.org.CompleteRealm()
		return s.persist()
	}
	if s.recorded != nil {
		if err := s.recorded.loadInto(s.org); err != nil {
			return err
		}
		return s.persist()
	}
	s.org.Initialize()
	if s.cfg.Accounts == nil {
		if err := s.org.AddExample(); err != nil {
			return fmt.Errorf("making the example organization: %w", err)
		}
	} else {
		s.org.OverlapNumbers()
		if err := addAccounts(s.org, s.cfg.Accounts); err != nil {
			return err
		}
	}
	return s.persist()
}

// acquire opens a shared state file for one request, and reads the writes of other processes.
func (s *Server) acquire() error {
	if !s.cfg.Shared || s.store == nil {
		return nil
	}
	if err := s.store.open(time.Minute); err != nil {
		return fmt.Errorf("opening the state file: %w", err)
	}
	if s.store.isCurrent() {
		return nil
	}
	if err := s.loadOrCreate(); err != nil {
		return errors.Join(err, s.release())
	}
	return nil
}

// release leaves a shared state file to other processes until the next request.
func (s *Server) release() error {
	if !s.cfg.Shared {
		return nil
	}
	return s.store.close()
}

// CountManaged changes the number of managed objects in the organization of a shared state file. After the count has
// returned to zero, the next server of the file begins with a new organization.
func (s *Server) CountManaged(change int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.cfg.Shared || s.store == nil || change == 0 {
		return nil
	}
	if err := s.acquire(); err != nil {
		return err
	}
	return errors.Join(s.store.countManaged(change), s.release())
}

// persist writes the changes since the last call. If that fails, it reverts them in memory.
func (s *Server) persist() error {
	if s.store == nil {
		s.org.EndRequest()
		return nil
	}
	changes, sequences, err := s.org.Changes()
	if err == nil {
		err = s.store.write(changes, sequences)
	}
	if err != nil {
		s.org.Revert()
		return fmt.Errorf("writing the state file: %w", err)
	}
	s.org.EndRequest()
	return nil
}

// SetFeatureLevel changes the feature level, as if the server were upgraded or downgraded.
func (s *Server) SetFeatureLevel(n int) { s.level.Store(int64(n)) }

func (s *Server) featureLevel() int { return int(s.level.Load()) }

// FeatureLevel returns the API feature level of the server.
func (s *Server) FeatureLevel() int { return s.featureLevel() }

// Journal returns the journal of all requests so far.
func (s *Server) Journal() *Journal { return s.journal }

// Fail adds a fault; remove removes it.
func (s *Server) Fail(f Fault) (remove func()) { return s.faults.add(f) }

// SetUpExports sets the duration of data exports, by default a second, and whether they fail.
func (s *Server) SetUpExports(takes time.Duration, fail bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.org.SetUpExports(takes, fail)
}

// Gate holds requests that match until the caller releases them. method and
// path are as in Fault.
func (s *Server) Gate(method, path string) *Gate { return s.gates.add(method, path) }

// Handler serves the API, the names of the emoji, uploaded images, and the files of data exports.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/", s.serve)
	mux.HandleFunc("GET "+emojiDataPath, serveEmojiNames)
	mux.HandleFunc("GET "+rules.CustomEmojiImages, s.serveEmojiImage)
	mux.HandleFunc("GET "+rules.PicturesPath, s.servePicture)
	mux.HandleFunc("GET "+exportsPath+"{secret}/{file}", s.serveExport)
	return mux
}

// Start listens on an address, for example 127.0.0.1:0, and serves until Close.
func (s *Server) Start(addr string) error { return s.start(addr, "http", nil) }

// StartTLS is Start with TLS.
func (s *Server) StartTLS(addr string, cfg *tls.Config) error { return s.start(addr, "https", cfg) }

func (s *Server) start(addr, scheme string, cfg *tls.Config) error {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	s.serving.Lock()
	defer s.serving.Unlock()
	s.address = addressOf(scheme, listener.Addr())
	s.listener = listener
	if cfg != nil {
		listener = tls.NewListener(listener, cfg)
	}
	s.http = newHTTPServer(s.Handler())
	server := s.http
	go func() { _ = server.Serve(listener) }() // Close ends it; its error says nothing
	return nil
}

// URL is the server's address without a slash at the end; "" before Start. If it listens on every address of the machine,
// URL is the one of loopback.
func (s *Server) URL() string { return s.listensAt().url() }

// URLs are the server's addresses, URL first. If it listens on every address, the list contains each.
func (s *Server) URLs() []string { return s.listensAt().urls }

// IsLocal reports whether no other machine can reach the server.
func (s *Server) IsLocal() bool { return s.listensAt().isLocal }

func (s *Server) listensAt() address {
	s.serving.Lock()
	defer s.serving.Unlock()
	return s.address
}

// Close lets requests in flight finish, for some seconds, and closes the state file. It releases requests at a gate, and
// drops requests that wait for events.
func (s *Server) Close() error {
	s.gates.openAll()
	s.closing.Do(func() { close(s.closed) })
	s.serving.Lock()
	server := s.http
	s.http = nil
	s.serving.Unlock()
	err := shutDown(server)
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(err, s.store.close())
}

func newHTTPServer(handler http.Handler) *http.Server {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
	closeUnusedConnections(server)
	return server
}

// shutDown lets requests in flight finish, for some seconds. server may be nil.
func shutDown(server *http.Server) error {
	if server == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	err := server.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, server.Close())
	}
	return err
}
