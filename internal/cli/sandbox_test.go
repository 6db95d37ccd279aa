package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/trading"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

func TestSandbox_Interrupted_Stops(t *testing.T) {
	dir := t.TempDir()
	credentials, journal := filepath.Join(dir, "credentials.json"), filepath.Join(dir, "journal")
	run := startSandbox(t, "--listen", "127.0.0.1:0", "--credentials", credentials, "--journal", journal)

	if status := run.get(t, run.email, run.key); status != http.StatusOK {
		t.Errorf("the printed credentials: status %d", status)
	}
	if status := run.get(t, run.email, "wrong"); status != http.StatusUnauthorized {
		t.Errorf("a wrong key: status %d", status)
	}

	info, err := os.Stat(credentials)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != ownerOnly {
		t.Errorf("credentials are readable by others: %v", info.Mode())
	}
	var accounts map[string]sandbox.Credentials
	readJSON(t, credentials, &accounts)
	for name, account := range accounts {
		if status := run.get(t, account.Email, account.APIKey); status != http.StatusOK {
			t.Errorf("credentials of %s: status %d", name, status)
		}
		if account.Email == run.email && account.Role != 100 {
			t.Errorf("printed are the credentials of %s, who is no owner", name)
		}
	}

	if err := run.interrupt(); err != nil {
		t.Errorf("it did not end well: %v", err)
	}
	lines := read(t, journal)
	if got, want := strings.Count(lines, "\n"), 2+len(accounts); got != want {
		t.Errorf("%d lines in the journal for %d requests", got, want)
	}
}

func TestSandbox_Restarted_StateKept(t *testing.T) {
	state := filepath.Join(t.TempDir(), "organization.db")
	first := startSandbox(t, "--listen", "127.0.0.1:0", "--state", state)
	if err := first.interrupt(); err != nil {
		t.Fatal(err)
	}
	second := startSandbox(t, "--listen", "127.0.0.1:0", "--state", state)
	if status := second.get(t, first.email, first.key); status != http.StatusOK {
		t.Errorf("the key of before: status %d", status)
	}
}

// A file of accounts is only for a new organization. Its owner can create users, like that of the example.
func TestSandbox_AccountsWithState_IgnoredWithWarning(t *testing.T) {
	accounts, state := filepath.Join(t.TempDir(), "people.json"), filepath.Join(t.TempDir(), "organization.db")
	write(t, accounts, `{"accounts": {"ada": {"email": "ada@example.com", "full_name": "Ada", "role": 100}}}`)
	first := startSandbox(t, "--listen", "127.0.0.1:0", "--state", state, "--accounts", accounts)
	client, err := zulip.New(zulip.Config{Site: first.site, Email: first.email, APIKey: first.key})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.CreateUser(t.Context(), zulip.NewUser{Email: "grace@example.com", FullName: "Grace", Password: "tZ9#kw-long-enough"}); err != nil {
		t.Error(err)
	}
	if err := first.interrupt(); err != nil {
		t.Fatal(err)
	}
	second := startSandbox(t, "--listen", "127.0.0.1:0", "--state", state, "--accounts", accounts)
	if err := second.interrupt(); err != nil {
		t.Fatal(err)
	}
	if printed := second.stderr.String(); !strings.Contains(printed, accounts+" is ignored, because "+state+" already has an organization") || strings.Contains(first.stderr.String(), "ignored") {
		t.Errorf("printed:\n%s", printed)
	}
}

func TestSandboxFlags(t *testing.T) {
	accounts := filepath.Join(t.TempDir(), "accounts.json")
	content := `{"olga": {"email": "olga@example.com", "full_name": "Olga", "role": 100}, "max": {"email": "max@example.com", "full_name": "Max", "role": 400}}`
	write(t, accounts, content)
	run := startSandbox(t, "--listen", "127.0.0.1:0", "--accounts", accounts, "--as", "max", "--fail", "GET /users/me after status=503 1")
	if run.email != "max@example.com" {
		t.Errorf("--as max printed %s", run.email)
	}
	if first, second := run.get(t, run.email, run.key), run.get(t, run.email, run.key); first != 503 || second != 200 {
		t.Errorf("a failure for one request: status %d, then %d", first, second)
	}

	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"no such account": {[]string{"--accounts", accounts, "--as", "nobody"}, "--as nobody: unknown account; the accounts are max, olga"},
		"no such file":    {[]string{"--accounts", accounts + "x"}, "accounts.jsonx"},
		"a wrong rule":    {[]string{"--fail", "explode"}, `--fail "explode": `},
		"a taken address": {[]string{"--listen", strings.TrimPrefix(run.site, "http://")}, "in use"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := runCommand(t, newRoot("test", nil), append([]string{"sandbox"}, test.args...)...)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want %q in it", err, test.want)
			}
		})
	}
}

func TestSandbox_TradingCloud_Served(t *testing.T) {
	journal := filepath.Join(t.TempDir(), "journal")
	run := startSandbox(t, "--listen", "127.0.0.1:0", "--trading", "127.0.0.1:0", "--journal", journal, "--fail", "GET /api/TradePlatforms status=503 1")
	lines := regexp.MustCompile(`^export TRADING_CLOUD_API_URL=(.*)\nexport TRADING_CLOUD_AUTH_URL=(.*)\nexport TRADING_CLOUD_CLIENT_ID=(.*)\n` +
		`export TRADING_CLOUD_CLIENT_SECRET=(.*)\n$`).FindStringSubmatch(run.more)
	if lines == nil {
		t.Fatalf("not the four lines: %q", run.more)
	}
	client, err := trading.New(trading.Config{APIURL: lines[1], AuthURL: lines[2], ClientID: lines[3], ClientSecret: lines[4]})
	if err != nil {
		t.Fatal(err)
	}
	platforms, err := client.Platforms(t.Context())
	if err != nil || len(platforms) == 0 {
		t.Errorf("platforms %v, %v", platforms, err)
	}
	if err := run.interrupt(); err != nil {
		t.Errorf("it did not end well: %v", err)
	}
	asked := read(t, journal)
	if !strings.Contains(asked, `"fault":"before status"`) || !strings.Contains(asked, "/connect/token") || strings.Contains(asked, lines[4]) {
		t.Errorf("journal:\n%s", asked)
	}
}

// If the sandbox listens on every address, it prints one that a client can use, and warns that the others are open to
// the network.
func TestSandbox_NotLoopback_Warning(t *testing.T) {
	for _, listen := range []string{"0.0.0.0:0", "[::]:0", ":0"} {
		run := startSandbox(t, "--listen", listen, "--trading", listen)
		if !regexp.MustCompile(`^http://127\.0\.0\.1:[0-9]+$`).MatchString(run.site) {
			t.Errorf("on %s it prints the address %s", listen, run.site)
		}
		if status := run.get(t, run.email, run.key); status != http.StatusOK {
			t.Errorf("on %s, at the printed address: status %d", listen, status)
		}
		if !regexp.MustCompile(`TRADING_CLOUD_API_URL=http://127\.0\.0\.1:[0-9]+\n`).MatchString(run.more) {
			t.Errorf("on %s it prints of the trading cloud %s", listen, run.more)
		}
		_ = run.interrupt()
		warned := run.stderr.String()
		for _, want := range []string{
			"Warning: the sandbox is reachable from other machines, without encryption, at ", "Anyone on the network can become its administrator",
			"Warning: the trading cloud is reachable from other machines, without encryption, at ",
		} {
			if !strings.Contains(warned, want) {
				t.Errorf("on %s it says %q, not %q", listen, warned, want)
			}
		}
		for _, address := range ownAddresses(t) {
			if want := "http://" + address + ":" + run.site[strings.LastIndex(run.site, ":")+1:]; !strings.Contains(warned, want) {
				t.Errorf("on %s it says %q, not where it can be reached: %s", listen, warned, want)
			}
		}
	}
	run := startSandbox(t, "--listen", "localhost:0")
	_ = run.interrupt()
	if warned := run.stderr.String(); strings.Contains(warned, "Warning") {
		t.Errorf("on loopback it says %q", warned)
	}
}

// ownAddresses returns the addresses of the machine, without loopback, in the form of URLs.
func ownAddresses(t *testing.T) (found []string) {
	t.Helper()
	all, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range all {
		if network, ok := one.(*net.IPNet); ok && network.IP.IsGlobalUnicast() && network.IP.To4() != nil {
			found = append(found, network.IP.String())
		}
	}
	return found
}

// A sandboxRun is a sandbox command under way, and what it printed.
type sandboxRun struct {
	site, email, key string
	more             string        // what was printed after them
	stderr           *bytes.Buffer // to be read when it has ended
	cancel           context.CancelFunc
	ended            chan error
}

// startSandbox runs the command as a user would, and returns when it has printed its three lines.
func startSandbox(t *testing.T, args ...string) *sandboxRun {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	out, in := io.Pipe()
	run := &sandboxRun{cancel: cancel, ended: make(chan error, 1), stderr: &bytes.Buffer{}}
	root := newRoot("test", nil)
	root.SetArgs(append([]string{"sandbox"}, args...))
	root.SetOut(in)
	root.SetErr(run.stderr)
	go func() {
		err := root.ExecuteContext(ctx)
		_ = in.CloseWithError(io.EOF)
		run.ended <- err
		close(run.ended)
	}()
	t.Cleanup(func() { _ = run.interrupt() })

	printed := make([]byte, 1000)
	n, err := out.Read(printed)
	if err != nil {
		t.Fatalf("nothing printed; it ended with %v", <-run.ended)
	}
	lines := regexp.MustCompile(`^export ZULIP_SITE=(.*)\nexport ZULIP_EMAIL=(.*)\nexport ZULIP_API_KEY=(.*)\n((?s:.*))$`).FindSubmatch(printed[:n])
	if lines == nil {
		t.Fatalf("not the three lines: %q", printed[:n])
	}
	run.site, run.email, run.key = string(lines[1]), string(lines[2]), string(lines[3])
	run.more = string(lines[4])
	return run
}

// interrupt ends the command and returns its result.
func (r *sandboxRun) interrupt() error {
	r.cancel()
	return <-r.ended
}

func (r *sandboxRun) get(t *testing.T, email, key string) int {
	t.Helper()
	request, err := http.NewRequest(http.MethodGet, r.site+"/api/v1/users/me", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.SetBasicAuth(email, key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	return response.StatusCode
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	data := read(t, path)
	if err := json.Unmarshal([]byte(data), into); err != nil {
		t.Fatal(err)
	}
}

func TestSandbox_PortTaken_ListenAdvised(t *testing.T) {
	run := startSandbox(t, "--listen", "127.0.0.1:0")
	address := strings.TrimPrefix(run.site, "http://")
	_, _, err := runCommand(t, newSandbox(), "--listen", address)
	if err == nil || !strings.Contains(err.Error(), address+" is in use") || !strings.Contains(err.Error(), "--listen 127.0.0.1:0") {
		t.Errorf("the second sandbox says: %v", err)
	}
}

// The message is the same on Windows, which has another error number.
func TestListenErrorOfWindows(t *testing.T) {
	err := listenError("127.0.0.1:9970", &net.OpError{Op: "listen", Err: syscall.Errno(10048)})
	if !strings.Contains(err.Error(), "127.0.0.1:9970 is in use") {
		t.Errorf("it says: %v", err)
	}
}

func TestSandbox_UnknownLevel_Refused(t *testing.T) {
	known := fmt.Sprintf("from %d to %d", featurelevel.Oldest, featurelevel.Newest)
	for _, level := range []int{featurelevel.Oldest - 1, featurelevel.Newest + 1} {
		if _, _, err := runCommand(t, newSandbox(), "--feature-level", fmt.Sprint(level)); err == nil || !strings.Contains(err.Error(), known) {
			t.Errorf("level %d: %v", level, err)
		}
	}
}
