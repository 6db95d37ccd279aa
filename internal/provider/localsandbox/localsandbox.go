// Package localsandbox runs the sandbox inside the provider's process, for "terraform test" and for plans without a
// server. [Open] returns a [Sandbox]: the account to act as, and the transport that reaches the organization.
//
// Terraform starts the provider for each plan and each apply, and "terraform test" several times for each run block.
// Without [Options.State] each of these processes has its own organization in memory, which starts the same way each
// time.
//
// With [Options.State] the organization is in a file. Processes may overlap: with two provider blocks, and after an
// error, when Terraform ends the process only with itself. So no process owns the file, and each request locks it,
// see [sandbox.Config.Shared]. An organization lasts as long as the file and as long as Terraform's state is not
// empty: after the last resource was destroyed, the next process starts with a new organization. Otherwise a second
// "terraform test" would find the archived channels of the first, whose names are taken.
package localsandbox

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	boltErrors "go.etcd.io/bbolt/errors"

	"github.com/zulip-iac/terraform-provider-zulip/internal/provider/textfile"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// Site is the URL of every organization here. Names below localhost are reserved (RFC 6761).
const Site = "http://sandbox.localhost"

// Options select the organization.
type Options struct {
	// Organization is the path of a JSON file with the people and bots it begins with, or with a whole organization that was
	// recorded; "": the example organization. The file is only read.
	Organization string
	// FeatureLevel is the server's feature level. 0 means the recorded one's, or the newest release's without a
	// recording.
	FeatureLevel int
	// State is the path of the file with the organization; "" for memory only.
	State string
}

// Sandbox is the organization of one configured provider.
type Sandbox struct {
	// Owner is the account to act as.
	Owner sandbox.Credentials

	server *sandbox.Server
	at     string // where it is served, as host and port
}

// Open opens the organization, and serves it on loopback until the process ends.
func Open(options Options) (*Sandbox, error) {
	config := sandbox.Config{FeatureLevel: options.FeatureLevel, Shared: true}
	if options.Organization != "" {
		data, err := textfile.Read(options.Organization)
		if err != nil {
			return nil, err
		}
		if err := parse(data, &config); err != nil {
			return nil, fmt.Errorf("%s: %w", options.Organization, err)
		}
	}
	if options.State != "" {
		var err error
		if config.StatePath, err = filepath.Abs(options.State); err != nil {
			return nil, err
		}
		if err := os.MkdirAll(filepath.Dir(config.StatePath), 0o700); err != nil {
			return nil, err
		}
	}
	server, err := sandbox.New(config)
	if errors.Is(err, boltErrors.ErrTimeout) {
		return nil, fmt.Errorf("%s is in use by another program, perhaps a sandbox that serves it: end that program, or set another file as state", config.StatePath)
	}
	if err != nil {
		return nil, err
	}
	opened := &Sandbox{server: server}
	if err := opened.serve(); err != nil {
		return nil, errors.Join(err, server.Close())
	}
	return opened, nil
}

// serve serves the organization on a free port of loopback.
func (s *Sandbox) serve() error {
	var err error
	if s.Owner, err = ownerOf(s.server); err != nil {
		return err
	}
	// Not s.server.Start: it would name the port in links, which must be the same in each process. This way links begin with the
	// address in the requests, which is Site.
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.at = listener.Addr().String()
	web := &http.Server{Handler: s.server.Handler(), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = web.Serve(listener) }() // until the process ends
	return nil
}

// Transport returns a transport that reaches only the organization at [Site].
func (s *Sandbox) Transport() http.RoundTripper {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		var dialer net.Dialer
		return dialer.DialContext(ctx, "tcp", s.at)
	}
	return &http.Transport{DialContext: dial, MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute}
}

// CountManaged registers by how many resources Terraform's state has grown.
func (s *Sandbox) CountManaged(change int) error { return s.server.CountManaged(change) }

// parse reads an organization file. It changes config only if the file has an owner: otherwise a part would remain
// after the file is fixed.
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
