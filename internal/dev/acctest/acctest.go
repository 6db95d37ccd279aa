// Package acctest is the toolbox of this project's tests.
//
//   - [Start] gives a test an [Organization]: a sandbox of its own, or the real server that ZULIP_SITE names. The same tests
//     run on both. They create objects under a random prefix, assume nothing about other objects, and leave no
//     active objects behind. [StartSandbox] always uses a sandbox.
//   - [Run] and [Process] drive the provider through the plugin protocol, without a CLI: plan, apply, refresh, import.
//   - [Resources] drives several resources of one configuration. [TryOrders] tries them in every order, with faults and changes
//     outside Terraform. [Schedules] tries the variants of a scenario: a sample, or all of them.
//   - [Workspace] runs the real CLI in a folder; [Trial] counts the applies until the recovery from a fault.
//   - [Sent] lists the requests that the provider sent.
package acctest

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Factories create the provider in the test's own process.
var Factories = map[string]func() (tfprotov6.ProviderServer, error){
	"zulip": newSecretRecorder,
}

// Organization is the organization of a test.
type Organization struct {
	// Sandbox is nil on a real server.
	Sandbox *sandbox.Server
	// Client uses the provider's account, for changes outside Terraform.
	Client *zulip.Client
	// Self is the provider's account.
	Self *zulip.User
	// Prefix is the prefix of the names of everything the test creates.
	Prefix string

	credentials credentials
	// sent returns the requests of the provider; on a sandbox also those of Client and Call.
	sent func() []sandbox.Request
}

// credentials are the URL of an organization and an account.
type credentials struct{ site, email, key string }

// realServer holds the environment's credentials from before any test changed them.
var realServer = credentials{os.Getenv("ZULIP_SITE"), os.Getenv("ZULIP_EMAIL"), os.Getenv("ZULIP_API_KEY")}

// featureLevel is the default level of sandboxes, from the environment, so that the same tests can run at another level.
// Zero means the sandbox's default.
var featureLevel = func() int {
	level, err := strconv.Atoi(cmp.Or(os.Getenv("ZULIP_TEST_FEATURE_LEVEL"), "0"))
	if err != nil {
		panic("ZULIP_TEST_FEATURE_LEVEL: " + err.Error())
	}
	return level
}()

// Start returns the organization for a test and sets the environment for it. The account must be an owner. Requests to a
// real server go through a recorder, so that tests can inspect them like a sandbox's journal.
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

// StartSandbox returns a sandbox even if the environment names a real server, for tests that a real server cannot run. The
// account is the owner of the example organization, or the account "owner" in cfg.
func StartSandbox(t *testing.T, cfg sandbox.Config) *Organization {
	t.Helper()
	o := NewSandbox(t, cfg)
	o.setenv(t)
	return o
}

// NewSandbox is [StartSandbox] without changing the environment, so that tests can run in parallel.
func NewSandbox(t *testing.T, cfg sandbox.Config) *Organization {
	t.Helper()
	if cfg.FeatureLevel == 0 {
		cfg.FeatureLevel = featureLevel
	}
	now := new(clock)
	if cfg.Clock == nil {
		cfg.Clock = now.Now
	}
	server, err := sandbox.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	clocks.Store(server.URL(), now)
	t.Cleanup(func() {
		_ = server.Close()
		clocks.Delete(server.URL())
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

// As sets the environment to another account of the sandbox.
func (o *Organization) As(t *testing.T, account string) *Organization {
	t.Helper()
	other := o.WithAccount(t, account)
	other.setenv(t)
	return other
}

// WithAccount is [Organization.As] without changing the environment, so that tests can run in parallel.
func (o *Organization) WithAccount(t *testing.T, account string) *Organization {
	t.Helper()
	credentials, ok := o.Sandbox.Credentials(account)
	if !ok {
		t.Fatalf("the sandbox has no account %q", account)
	}
	return dialSandbox(t, o.Sandbox, credentials)
}

// LogIn returns the organization with the account of a person who has a password.
func (o *Organization) LogIn(t *testing.T, email, password string) *Organization {
	t.Helper()
	key, _ := o.Call(t, http.MethodPost, "/fetch_api_key", map[string]string{"username": email, "password": password})["api_key"].(string)
	return dial(t, &Organization{Sandbox: o.Sandbox, sent: o.sent}, credentials{o.credentials.site, email, key})
}

// setenv sets the environment variables of the provider.
func (o *Organization) setenv(t *testing.T) {
	t.Helper()
	for name, value := range o.credentials.environment() {
		t.Setenv(name, value)
	}
}

func (c credentials) environment() map[string]string {
	return map[string]string{"ZULIP_SITE": c.site, "ZULIP_EMAIL": c.email, "ZULIP_API_KEY": c.key, "ZULIP_CONFIG": ""}
}

func dial(t *testing.T, o *Organization, who credentials) *Organization {
	t.Helper()
	o.credentials = who
	var err error
	// Clients with equal limits share a limiter. A request of the provider that a gate holds must not hold this client too.
	const ownLimiter = 1_000_000
	if o.Client, err = zulip.New(zulip.Config{Site: who.site, Email: who.email, APIKey: who.key, RequestsPerMinute: ownLimiter}); err != nil {
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

// Channel reads a channel by name, even an archived one; nil if none exists.
func (o *Organization) Channel(t *testing.T, name string) *zulip.Channel {
	t.Helper()
	for _, channel := range o.channels(t) {
		if channel.Name == name {
			return channel
		}
	}
	return nil
}

// Own returns the test's channels: those with its prefix, ignoring case, including archived ones.
func (o *Organization) Own(t *testing.T) []*zulip.Channel {
	t.Helper()
	return slices.DeleteFunc(o.channels(t), func(c *zulip.Channel) bool {
		return !strings.HasPrefix(strings.ToLower(c.Name), o.Prefix)
	})
}

// Active returns the names of the test's channels that are not archived.
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
	channels, err := o.Client.Channels(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return channels
}

// SystemGroup returns the ID of a role's group, by its name on the wire.
func (o *Organization) SystemGroup(t *testing.T, name string) int64 {
	t.Helper()
	for _, group := range o.Snapshot(t, zulip.FetchUserGroups).UserGroups {
		if group.IsSystemGroup && group.Name == name {
			return group.ID
		}
	}
	t.Fatalf("there is no group %q", name)
	return 0
}

// noteLines appends lines to the file that an environment variable names. The script that runs the tests evaluates it
// afterwards. Without the variable it does nothing.
func noteLines(t *testing.T, variable string, lines []string) {
	t.Helper()
	if err := appendLines(variable, lines); err != nil {
		t.Fatal(err)
	}
}

func appendLines(variable string, lines []string) error {
	path := os.Getenv(variable)
	if path == "" || len(lines) == 0 {
		return nil
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(strings.Join(lines, "\n") + "\n")
	return errors.Join(err, file.Close())
}

// reportFile is the environment variable for the file of reports, which "make test" prints at the end.
const reportFile = "ZULIP_TEST_REPORT"

// Report calls write with the writer for reports: the file that the environment names, or standard output.
func Report(write func(io.Writer)) {
	path := os.Getenv(reportFile)
	if path == "" {
		write(os.Stdout)
		return
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Fprintln(os.Stderr, "the report cannot be written:", err)
		return
	}
	write(file)
	if err := file.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "the report cannot be written:", err)
	}
}
