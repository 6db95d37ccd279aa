package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/zulip-iac/terraform-provider-zulip/internal/provider/textfile"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// sandboxFlags are the flags of "sandbox".
type sandboxFlags struct {
	listen       string
	as           string
	accounts     string
	organization string
	credentials  string
	state        string
	journal      string
	featureLevel int
	isLevelSet   bool
	rateLimit    bool
	latency      time.Duration
	failures     []string
	trading      string
}

func newSandbox() *cobra.Command {
	var flags sandboxFlags
	command := &cobra.Command{
		Use:   "sandbox",
		Short: "Run a local Zulip server to experiment with",
		Long: `Run a local Zulip server with an example organization, or with one recorded by export --snapshot, until interrupted. It
answers like a real server, including errors.

It prints the environment variables that configure the provider for it to standard output: paste these lines into the
terminal in which you run Terraform.`,
		Example: `  terraform-provider-zulip sandbox
  terraform-provider-zulip sandbox --state organization.db --as moderator
  terraform-provider-zulip sandbox --state organization.db --feature-level 442
  terraform-provider-zulip sandbox --organization organization.json
  terraform-provider-zulip sandbox --rate-limit --latency 50ms
  terraform-provider-zulip sandbox --fail "POST /channels/create after drop 1" --fail "* ** lag=500ms"
  terraform-provider-zulip sandbox --trading 127.0.0.1:9971`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := withInterrupt(cmd.Context())
			defer stop()
			flags.isLevelSet = cmd.Flags().Changed("feature-level")
			return serveSandbox(ctx, flags, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := command.Flags()
	f.StringVar(&flags.listen, "listen", "127.0.0.1:9970", "`address` to listen on; port 0 chooses a free port. Unless it is a loopback address, everyone on the network can become an administrator")
	f.StringVar(&flags.as, "as", "", "`name` of the account whose credentials are printed (default: the first owner)")
	f.StringVar(&flags.accounts, "accounts", "", "JSON `file` with the initial users and bots")
	f.StringVar(&flags.organization, "organization", "", "JSON `file` with the initial organization, as export --snapshot writes it, or with users and bots only")
	command.MarkFlagsMutuallyExclusive("accounts", "organization")
	f.StringVar(&flags.credentials, "credentials", "", "write the credentials of all accounts to this `file` as JSON, readable only by you")
	f.StringVar(&flags.state, "state", "", "`file` that stores the organization between runs (default: in memory only)")
	f.StringVar(&flags.journal, "journal", "", "append every request and its answer to this `file` as JSON lines")
	f.IntVar(&flags.featureLevel, "feature-level", sandbox.DefaultFeatureLevel, fmt.Sprintf("API feature level of the server, from %d (Zulip %s) to %d; Zulip 12.2 has %d. A recorded organization has its own",
		featurelevel.Oldest, featurelevel.FirstRelease(featurelevel.Oldest), featurelevel.Newest, featurelevel.NewestRelease))
	f.BoolVar(&flags.rateLimit, "rate-limit", false, "apply Zulip's default rate limits: 200 requests a minute, 2,000 an hour")
	f.DurationVar(&flags.latency, "latency", 0, "wait this long before each answer, such as 50ms")
	f.StringArrayVar(&flags.failures, "fail", nil, "inject a failure by this `rule`: METHOD PATH [before|after] ACTION [COUNT], where ACTION is drop, truncate, html, empty, status=CODE, stall=DURATION, or lag=DURATION (lists such as those of emoji and linkifiers show a change only after that time); can be repeated")
	f.StringVar(&flags.trading, "trading", "", "also run a trading cloud on this `address`, and print its environment variables")
	complete(command, map[string]cobra.CompletionFunc{
		"accounts": fileOf("json"), "organization": fileOf("json"), "credentials": fileOf("json"), "state": anyFile, "journal": anyFile,
	})
	return command
}

// serveSandbox serves until ctx ends.
func serveSandbox(ctx context.Context, flags sandboxFlags, stdout, stderr io.Writer) (err error) {
	config, err := flags.config()
	if err != nil {
		return err
	}
	if file := cmp.Or(flags.organization, flags.accounts); file != "" && flags.state != "" {
		if _, err := os.Stat(flags.state); err == nil {
			_, _ = fmt.Fprintf(stderr, "Warning: %s is ignored, because %s already has an organization. Remove that file to start with another one.\n", file, flags.state)
		}
	}
	if flags.journal != "" {
		journal, openErr := os.OpenFile(flags.journal, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if openErr != nil {
			return openErr
		}
		defer func() { err = errors.Join(err, journal.Close()) }()
		config.Journal = journal
	}

	server, err := sandbox.New(config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	account, err := pickAccount(server.AllCredentials(), flags.as)
	if err != nil {
		return err
	}
	if err := server.Start(flags.listen); err != nil {
		return listenError(flags.listen, err)
	}
	if flags.credentials != "" {
		if err := writeCredentials(flags.credentials, server); err != nil {
			return err
		}
	}
	warnIfReachable(stderr, "sandbox", "Anyone on the network can become its administrator: the requests contain API keys.", server)
	lines := fmt.Sprintf("export ZULIP_SITE=%s\nexport ZULIP_EMAIL=%s\nexport ZULIP_API_KEY=%s\n", server.URL(), account.Email, account.APIKey)
	if flags.trading != "" {
		cloud := sandbox.NewTradingCloud(sandbox.TradingConfig{Latency: config.Latency, Faults: config.Faults, Journal: config.Journal})
		if err := cloud.Start(flags.trading); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, cloud.Close()) }()
		warnIfReachable(stderr, "trading cloud", "Anyone on the network can read its client secret in the requests.", cloud)
		lines += tradingEnvironment(cloud.Credentials())
	}
	if _, err := io.WriteString(stdout, lines); err != nil {
		return err
	}
	_, _ = fmt.Fprintln(stderr, "The sandbox is ready. Paste these lines into another terminal. Press Ctrl-C to stop it.")
	<-ctx.Done()
	return nil
}

// errWindowsInUse is what Windows reports instead of EADDRINUSE (WSAEADDRINUSE).
const errWindowsInUse = syscall.Errno(10048)

// listenError returns the error, with the fix, if the sandbox cannot listen on an address.
func listenError(address string, err error) error {
	if errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, errWindowsInUse) {
		return fmt.Errorf("%s is in use, perhaps by another sandbox: stop the other one, or choose another port with --listen (--listen 127.0.0.1:0 chooses a free one)", address)
	}
	return fmt.Errorf("cannot listen on %s: %w. Choose another address with --listen", address, err)
}

// config returns the configuration of the server, except for the journal, which serveSandbox opens and closes.
func (f sandboxFlags) config() (sandbox.Config, error) {
	if f.featureLevel < featurelevel.Oldest || f.featureLevel > featurelevel.Newest {
		return sandbox.Config{}, fmt.Errorf("--feature-level %d: the sandbox supports the levels from %d to %d", f.featureLevel, featurelevel.Oldest, featurelevel.Newest)
	}
	config := sandbox.Config{StatePath: f.state, Latency: f.latency}
	if f.isLevelSet {
		config.FeatureLevel = f.featureLevel
	}
	if f.rateLimit {
		config.RateLimits = sandbox.DefaultRateLimits()
	}
	for _, rule := range f.failures {
		fault, err := sandbox.ParseFault(rule)
		if err != nil {
			return config, fmt.Errorf("--fail %q: %w", rule, err)
		}
		config.Faults = append(config.Faults, fault)
	}
	if file := cmp.Or(f.organization, f.accounts); file != "" {
		data, err := textfile.Read(file)
		if err != nil {
			return config, err
		}
		if err := config.ReadOrganization(data); err != nil {
			return config, fmt.Errorf("%s: %w", file, err)
		}
	}
	return config, nil
}

// pickAccount returns the account with a name; without a name, the oldest owner.
func pickAccount(accounts map[string]sandbox.Credentials, name string) (sandbox.Credentials, error) {
	if name != "" {
		account, known := accounts[name]
		if !known {
			names := strings.Join(slices.Sorted(maps.Keys(accounts)), ", ")
			return account, fmt.Errorf("--as %s: unknown account; the accounts are %s", name, names)
		}
		return account, nil
	}
	byRole := slices.SortedFunc(maps.Values(accounts), func(a, b sandbox.Credentials) int {
		return cmp.Or(cmp.Compare(a.Role, b.Role), lists.TrueFirst(!a.IsBot, !b.IsBot), cmp.Compare(a.ID, b.ID))
	})
	byRole = slices.DeleteFunc(byRole, func(account sandbox.Credentials) bool { return !account.IsActive })
	if len(byRole) == 0 {
		return sandbox.Credentials{}, errors.New("the organization has no active account")
	}
	return byRole[0], nil
}

// writeCredentials writes the credentials of all accounts, by name.
func writeCredentials(path string, server *sandbox.Server) error {
	data, err := json.MarshalIndent(server.AllCredentials(), "", "  ") //nolint:gosec // writing the keys is what the file is for
	if err != nil {
		return err
	}
	return replaceFile(path, func(w io.Writer) error {
		_, err := w.Write(append(data, '\n'))
		return err
	})
}

// tradingEnvironment returns the lines that configure the provider for a trading cloud.
func tradingEnvironment(c sandbox.TradingCredentials) string {
	return fmt.Sprintf("export TRADING_CLOUD_API_URL=%s\nexport TRADING_CLOUD_AUTH_URL=%s\nexport TRADING_CLOUD_CLIENT_ID=%s\nexport TRADING_CLOUD_CLIENT_SECRET=%s\n",
		c.APIURL, c.AuthURL, c.ClientID, c.ClientSecret)
}

// warnIfReachable warns about a server that other machines can reach, with its URLs, because its keys are sent
// unencrypted.
func warnIfReachable(stderr io.Writer, what, harm string, server interface {
	IsLocal() bool
	URLs() []string
}) {
	if server.IsLocal() {
		return
	}
	_, _ = fmt.Fprintf(stderr, "Warning: the %s is reachable from other machines, without encryption, at %[3]s. %[2]s\n", what, harm, strings.Join(server.URLs(), ", "))
}
