// Package localsandbox runs the sandbox inside of the provider's process, for "terraform test" and for plans without a server.
// [Open] returns a [Sandbox]: where it is, as whom to act, and the transport that reaches it. It is told what a run plans and
// deletes.
//
// # How long an organization lasts
//
// The CLI starts the provider anew for each plan and each apply: "terraform test" starts it several times for each run block,
// and from one process of the CLI for all test files. Memory is therefore too short for an organization, and a file that is
// kept too long. So it is in a file in the CLI's data directory, in a folder that is named after the process of the CLI, which
// is the provider's parent. Processes of one run of the CLI find the same one, and another run a new one; the folders of runs
// that have ended are removed when a sandbox is opened beside them.
//
// The CLI does not say which test file it is at. It ends each by destroying what the file created, so the organization ends with
// that: after a plan that deletes resources and does nothing else, and its apply, the next process begins anew. A second test
// file therefore does not meet what the first one left, such as archived channels and settings.
//
// With [Options.State] the organization is in the file named there instead, and ends when somebody removes the file.
//
// # Several processes at a time
//
// Processes of one run may overlap: with two provider blocks, and after an error, when the CLI ends the process only with
// itself. One of them has the file open and serves the organization; the others find its address beside the file, and when it
// has ended, the next one to need it takes its place. What is in Terraform's state must not depend on who serves: the
// organization's address is always [Site], which the transport leads to the server, whatever its port.
package localsandbox

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	boltErrors "go.etcd.io/bbolt/errors"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// Site is the address of every organization here. Names below localhost belong to nobody (RFC 6761).
const Site = "http://sandbox.localhost"

// Options say which organization to run.
type Options struct {
	// Organization is the path of a JSON file with the people and bots it begins with, or with a whole organization that was
	// recorded; "": the example organization. The file is only read.
	Organization string
	// FeatureLevel is that of the server; 0: the recorded one's, or else the newest release's.
	FeatureLevel int
	// State is the path of the file in which the organization is kept from one run of the CLI to the next; "": it is not kept.
	State string
	// DataDir is where the CLI keeps its working data.
	DataDir string
}

// Sandbox is the organization as one configured provider uses it.
type Sandbox struct {
	// Owner is the account to act as.
	Owner sandbox.Credentials

	config sandbox.Config
	folder string  // what is beside the organization's file
	ending *ending // nil where the organization is kept

	mu sync.Mutex
	at string // where it is served, as host and port
}

// Open opens the organization, and serves it on loopback if nobody in this run of the CLI does.
func Open(ctx context.Context, options Options) (*Sandbox, error) {
	opened := &Sandbox{config: sandbox.Config{FeatureLevel: options.FeatureLevel}}
	if options.Organization != "" {
		data, err := os.ReadFile(options.Organization)
		if err != nil {
			return nil, err
		}
		if err := parse(data, &opened.config); err != nil {
			return nil, fmt.Errorf("%s: %w", options.Organization, err)
		}
	}
	opened.config.FeatureLevel = cmp.Or(opened.config.FeatureLevel, sandbox.DefaultFeatureLevel)
	var err error
	if opened.folder, err = folderOf(options); err != nil {
		return nil, err
	}
	if options.State != "" {
		if opened.config.StatePath, err = filepath.Abs(options.State); err != nil {
			return nil, err
		}
	} else {
		opened.folder = current(opened.folder)
		opened.ending = &ending{folder: opened.folder}
		opened.config.StatePath = filepath.Join(opened.folder, "organization.db")
	}
	for _, folder := range []string{opened.folder, filepath.Dir(opened.config.StatePath)} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, err
		}
	}
	found, err := opened.find(ctx)
	if err != nil {
		return nil, err
	}
	opened.Owner, opened.at = found.Owner, found.Address
	return opened, nil
}

// current returns the folder of the organization that lasts, and removes those of organizations that have ended. They are
// numbered: a process that the CLI has left behind may have the file of an earlier one open still.
func current(folder string) string {
	for number := 1; ; number++ {
		one := filepath.Join(folder, strconv.Itoa(number))
		if !(&ending{folder: one}).isMarked(ended) {
			return one
		}
		_ = os.Remove(filepath.Join(one, "organization.db"))
	}
}

// Transport reaches the organization at [Site], and nothing else.
func (s *Sandbox) Transport() http.RoundTripper {
	return &http.Transport{DialContext: s.dial, MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute}
}

// dial connects to whoever serves the organization. If that process has ended, this one or another takes its place.
func (s *Sandbox) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	var dialer net.Dialer
	s.mu.Lock()
	defer s.mu.Unlock()
	connection, err := dialer.DialContext(ctx, "tcp", s.at)
	if err == nil || ctx.Err() != nil {
		return connection, err
	}
	found, err := s.find(ctx)
	if err != nil {
		return nil, err
	}
	s.at = found.Address
	return dialer.DialContext(ctx, "tcp", s.at)
}

// serving says who serves an organization. It is written beside the organization, for the other processes of the run.
type serving struct {
	Address string              `json:"address"`
	Token   string              `json:"token"` // tells it from whoever has the port after it
	Owner   sandbox.Credentials `json:"owner"`
}

// served are the organizations that this process serves, by file, until it ends.
var (
	servedLock sync.Mutex
	served     = map[string]*server{}
)

// server is one organization that this process serves.
type server struct {
	serving
	*sandbox.Server
	listener net.Listener
}

// find returns who serves the organization; if nobody does, this process from now on.
func (s *Sandbox) find(ctx context.Context) (serving, error) {
	servedLock.Lock()
	defer servedLock.Unlock()
	beside := filepath.Join(s.folder, "served-by.json")
	if own, ok := served[s.config.StatePath]; ok {
		if _, err := os.Stat(s.config.StatePath); err == nil {
			own.SetFeatureLevel(s.config.FeatureLevel)
			return own.serving, nil
		}
		// Somebody has removed the file to begin anew, and this process serves several runs, as under a debugger.
		delete(served, s.config.StatePath)
		if err := errors.Join(own.listener.Close(), own.Close()); err != nil {
			return serving{}, err
		}
	}
	// Who has just opened the file has not written its address yet. Opening waits some seconds for the file.
	var own *server
	var err error
	for range 3 {
		if other, ok := readServing(ctx, beside); ok {
			return other, nil
		}
		if own, err = serve(s.config); !errors.Is(err, boltErrors.ErrTimeout) || ctx.Err() != nil {
			break
		}
	}
	if errors.Is(err, boltErrors.ErrTimeout) {
		return serving{}, fmt.Errorf("%s is in use by another process, perhaps another run of the CLI: wait until that has ended, or set another file as state", s.config.StatePath)
	}
	if err != nil {
		return serving{}, err
	}
	written, err := json.Marshal(own.serving)
	if err == nil {
		err = os.WriteFile(beside, written, 0o600)
	}
	if err != nil {
		return serving{}, errors.Join(err, own.listener.Close(), own.Close())
	}
	served[s.config.StatePath] = own
	return own.serving, nil
}

// tokenPath is where the token of a server is; no endpoint of Zulip is called so.
const tokenPath = "/sandbox-of-this-run"

// serve serves an organization on loopback, on a free port.
func serve(config sandbox.Config) (*server, error) {
	made, err := sandbox.New(config)
	if err != nil {
		return nil, err
	}
	owner, err := ownerOf(made)
	if err != nil {
		return nil, errors.Join(err, made.Close())
	}
	// Not made.Start: it would name the port in links. This way they begin with the address in the requests, which is Site.
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, made.Close())
	}
	own := &server{serving{listener.Addr().String(), rand.Text(), owner}, made, listener}
	handler := http.NewServeMux()
	handler.Handle("/", made.Handler())
	handler.HandleFunc("GET "+tokenPath, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(own.Token)) })
	web := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = web.Serve(listener) }() // until the process ends
	return own, nil
}

// readServing returns who serves the organization by the file beside it, if they still do.
func readServing(ctx context.Context, path string) (serving, bool) {
	var other serving
	written, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(written, &other) != nil {
		return other, false
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+other.Address+tokenPath, http.NoBody)
	if err != nil {
		return other, false
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(request)
	if err != nil {
		return other, false
	}
	defer func() { _ = answer.Body.Close() }()
	token := make([]byte, len(other.Token))
	_, err = io.ReadFull(answer.Body, token)
	return other, err == nil && string(token) == other.Token
}

// parse reads an organization file. Nothing of a file without an owner gets into the organization, or it would be there still
// when the file is mended.
func parse(data []byte, config *sandbox.Config) error {
	if !json.Valid(data) {
		return errors.New("this is not JSON")
	}
	if err := config.ReadOrganization(data); err != nil || config.Organization != nil {
		return err
	}
	for _, account := range config.Accounts {
		if account.Role == roleOwner && !account.IsDeleted {
			return nil
		}
	}
	return errNoOwner
}

// roleOwner is the code of owners in Zulip's API.
const roleOwner = 100

var errNoOwner = errors.New(`there is no owner among the accounts, one with "role": 100`)

// ownerOf returns the oldest active owner, a person if there is one: servers refuse bots some requests.
func ownerOf(server *sandbox.Server) (sandbox.Credentials, error) {
	var owners []sandbox.Credentials
	for _, account := range server.AllCredentials() {
		if account.Role == roleOwner && account.IsActive {
			owners = append(owners, account)
		}
	}
	if len(owners) == 0 {
		return sandbox.Credentials{}, errNoOwner
	}
	return slices.MinFunc(owners, oldestPerson), nil
}

func oldestPerson(a, b sandbox.Credentials) int {
	switch {
	case a.IsBot && !b.IsBot:
		return 1
	case b.IsBot && !a.IsBot:
		return -1
	}
	return cmp.Compare(a.ID, b.ID)
}

// folderOf returns the folder of an organization for this run of the CLI, and removes those of runs that have ended. One run may
// have several organizations.
func folderOf(options Options) (string, error) {
	all, err := filepath.Abs(filepath.Join(options.DataDir, "zulip-sandbox"))
	if err != nil {
		return "", err
	}
	here, err := os.Getwd() // the data directory may be that of several configurations
	if err != nil {
		return "", err
	}
	run := thisRun()
	removeEnded(all, run)
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %d", here, options.Organization, options.State, options.FeatureLevel))
	return filepath.Join(all, run, hex.EncodeToString(sum[:8])), nil
}

// removeEnded removes what runs of the CLI have left that have ended. What cannot be removed is in nobody's way.
func removeEnded(all, run string) {
	folders, err := os.ReadDir(all)
	if err != nil {
		return // there are none
	}
	for _, folder := range folders {
		if folder.Name() != run && !isRunning(folder.Name()) {
			_ = os.RemoveAll(filepath.Join(all, folder.Name()))
		}
	}
}

// ending finds out when a test file has ended: a plan that deletes and does nothing else, and its apply. The plan and its apply
// are two processes, so what the plan was is a file beside the organization.
type ending struct {
	folder string

	mu         sync.Mutex
	doesOthers bool // whether this process has planned something else than a deletion
}

// The files that say what has been planned and done.
const (
	deletesOnly = "deletes-only"
	ended       = "ended"
)

// Planned tells that the change of a resource is planned.
func (s *Sandbox) Planned(isDeletion bool) error {
	if s.ending == nil {
		return nil
	}
	return s.ending.planned(isDeletion)
}

// Applied tells that the change of a resource is in its state.
func (s *Sandbox) Applied(isDeletion bool) error {
	if s.ending == nil || !isDeletion || !s.ending.isMarked(deletesOnly) {
		return nil
	}
	return s.ending.mark(ended)
}

func (e *ending) planned(isDeletion bool) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.doesOthers:
		return nil
	case isDeletion:
		return e.mark(deletesOnly)
	}
	e.doesOthers = true
	err := os.Remove(filepath.Join(e.folder, deletesOnly))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (e *ending) mark(name string) error {
	return os.WriteFile(filepath.Join(e.folder, name), nil, 0o600)
}

func (e *ending) isMarked(name string) bool {
	_, err := os.Stat(filepath.Join(e.folder, name))
	return err == nil
}
