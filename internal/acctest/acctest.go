// Package acctest gives acceptance tests an organization to work on: a sandbox of their own, or the real server that
// the environment names. The same tests run on both: they create what they use under a random prefix, assume nothing
// about what else there is, and leave nothing active behind.
package acctest

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Factories makes the provider in the test's own process.
var Factories = map[string]func() (tfprotov6.ProviderServer, error){
	"zulip": newNoting,
}

// Organization is what a test works on.
type Organization struct {
	// Sandbox is nil on a real server.
	Sandbox *sandbox.Server
	// Client acts as the account the provider uses, behind Terraform's back.
	Client *zulip.Client
	// Self is that account.
	Self *zulip.User
	// Prefix begins the names of everything the test creates.
	Prefix string

	credentials credentials
	// sent lists what was asked of the server, by the provider and, on a sandbox, by hand too.
	sent func() []sandbox.Request
}

// credentials are where an organization is, and who asks.
type credentials struct{ site, email, key string }

// realServer is what the environment named before any test changed it.
var realServer = credentials{os.Getenv("ZULIP_SITE"), os.Getenv("ZULIP_EMAIL"), os.Getenv("ZULIP_API_KEY")}

// featureLevel is that of every sandbox for which a test wants no other: the environment's, so that the same tests can be
// run at another level; zero for the sandbox's own.
var featureLevel = func() int {
	level, err := strconv.Atoi(cmp.Or(os.Getenv("ZULIP_TEST_FEATURE_LEVEL"), "0"))
	if err != nil {
		panic("ZULIP_TEST_FEATURE_LEVEL: " + err.Error())
	}
	return level
}()

// Start gives a test its organization and points the environment at it. The account has to be an owner's. A real server
// is reached through a recorder, so that what is sent to it can be looked at as in a sandbox's journal.
func Start(t *testing.T) *Organization {
	t.Helper()
	if realServer.site == "" {
		return StartSandbox(t, sandbox.Config{})
	}
	recorder := newRecorder(t, realServer.site)
	t.Cleanup(func() { noteCalls(t, recorder.requests()) })
	o := dial(t, &Organization{sent: recorder.requests}, realServer)
	o.setenv(t)
	t.Setenv("ZULIP_SITE", recorder.url)
	return o
}

// StartSandbox gives a test a sandbox, also when the environment names a real server: for what cannot be asked of one.
// The account is the owner of the example organization, or the account "owner" of the given ones.
func StartSandbox(t *testing.T, cfg sandbox.Config) *Organization {
	t.Helper()
	o := newSandbox(t, cfg)
	o.setenv(t)
	return o
}

// newSandbox is StartSandbox without a word in the environment, so that tests can run at the same time.
func newSandbox(t *testing.T, cfg sandbox.Config) *Organization {
	t.Helper()
	if cfg.FeatureLevel == 0 {
		cfg.FeatureLevel = featureLevel
	}
	server, err := sandbox.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Close()
		noteCalls(t, server.Journal().Requests(sandbox.Filter{}))
	})
	noteSecrets(t, server)
	return dialSandbox(t, server, Owner(t, server))
}

func dialSandbox(t *testing.T, server *sandbox.Server, account sandbox.Credentials) *Organization {
	t.Helper()
	o := &Organization{Sandbox: server, sent: func() []sandbox.Request { return server.Journal().Requests(sandbox.Filter{}) }}
	return dial(t, o, credentials{server.URL(), account.Email, account.APIKey})
}

// Owner returns the credentials of an owner of the sandbox's organization.
func Owner(t *testing.T, server *sandbox.Server) sandbox.Credentials {
	t.Helper()
	for _, account := range server.AllCredentials() {
		if account.Role == int(zulip.RoleOwner) {
			return account
		}
	}
	t.Fatal("the sandbox has no owner")
	return sandbox.Credentials{}
}

// As points the environment at another account of the sandbox.
func (o *Organization) As(t *testing.T, account string) *Organization {
	t.Helper()
	credentials, ok := o.Sandbox.Credentials(account)
	if !ok {
		t.Fatalf("the sandbox has no account %q", account)
	}
	other := dialSandbox(t, o.Sandbox, credentials)
	other.setenv(t)
	return other
}

// setenv points the environment at the organization.
func (o *Organization) setenv(t *testing.T) {
	t.Helper()
	for name, value := range o.credentials.environment() {
		t.Setenv(name, value)
	}
}

func (c credentials) environment() map[string]string {
	return map[string]string{"ZULIP_SITE": c.site, "ZULIP_EMAIL": c.email, "ZULIP_API_KEY": c.key, "ZULIP_CONFIG": ""}
}

// dial finds out who the account is.
func dial(t *testing.T, o *Organization, who credentials) *Organization {
	t.Helper()
	o.credentials = who
	var err error
	if o.Client, err = zulip.New(zulip.Config{Site: who.site, Email: who.email, APIKey: who.key}); err != nil {
		t.Fatal(err)
	}
	if o.Self, err = o.Client.Me(context.Background()); err != nil {
		t.Fatal(err)
	}
	random := make([]byte, 4)
	if _, err := rand.Read(random); err != nil {
		t.Fatal(err)
	}
	o.Prefix = "tf-" + hex.EncodeToString(random) + "-"
	return o
}

// Channel reads a channel by name as the server holds it now, archived ones included; nil if there is none.
func (o *Organization) Channel(t *testing.T, name string) *zulip.Channel {
	t.Helper()
	for _, channel := range o.channels(t) {
		if channel.Name == name {
			return channel
		}
	}
	return nil
}

// Own returns the channels of the test, by its prefix in any case, archived ones included.
func (o *Organization) Own(t *testing.T) []*zulip.Channel {
	t.Helper()
	return slices.DeleteFunc(o.channels(t), func(c *zulip.Channel) bool {
		return !strings.HasPrefix(strings.ToLower(c.Name), o.Prefix)
	})
}

// Active returns the names of those that are not archived.
func (o *Organization) Active(t *testing.T) []string {
	t.Helper()
	names := []string{}
	for _, channel := range o.Own(t) {
		if !channel.IsArchived {
			names = append(names, channel.Name)
		}
	}
	return names
}

func (o *Organization) channels(t *testing.T) []*zulip.Channel {
	t.Helper()
	channels, err := o.Client.Channels(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	return channels
}

// SystemGroup returns the ID of a role's group, by its name on the wire.
func (o *Organization) SystemGroup(t *testing.T, name string) int64 {
	t.Helper()
	snapshot, err := o.Client.Register(context.Background(), []string{zulip.FetchUserGroups})
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Client.DeleteQueue(context.Background(), snapshot.QueueID); err != nil {
		t.Fatal(err)
	}
	for _, group := range snapshot.UserGroups {
		if group.IsSystemGroup && group.Name == name {
			return group.ID
		}
	}
	t.Fatalf("there is no group %q", name)
	return 0
}
