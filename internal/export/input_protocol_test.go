package export_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/export"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// unwritable returns a folder in which nothing can be made.
func unwritable(t *testing.T) string {
	t.Helper()
	if os.Geteuid() == 0 { // who may write everywhere else
		return "/proc/self"
	}
	folder := t.TempDir()
	if err := os.Chmod(folder, 0o500); err != nil {
		t.Fatal(err)
	}
	return folder
}

// A folder that cannot be used is said before anything is read.
func TestProtocolExportChecksTheFolderFirst(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for what, trial := range map[string]struct{ folder, want string }{
		"a file":                         {file, file + " is a file. Name a folder, or one that does not exist yet"},
		"a folder in a file":             {filepath.Join(file, "folder"), file + " is a file. Name a folder, or one that does not exist yet"},
		"a folder nobody may write into": {unwritable(t), "cannot write into the folder"},
		"a folder in such a one":         {filepath.Join(unwritable(t), "a", "b"), "cannot write into the folder"},
		"no name":                        {"", "the folder has no name"},
	} {
		before := len(o.Sandbox.Journal().Requests(sandbox.Filter{Path: "/register"}))
		if _, err := exportInto(trial.folder, export.Options{}); err == nil || !strings.Contains(err.Error(), trial.want) {
			t.Errorf("%s: the error is %v", what, err)
		}
		if after := len(o.Sandbox.Journal().Requests(sandbox.Filter{Path: "/register"})); after > before {
			t.Errorf("%s: the organization was read", what)
		}
	}
}

// Whatever fails on the way, nothing is written.
func TestProtocolExportFailsWhole(t *testing.T) {
	for what, trial := range map[string]struct {
		fault sandbox.Fault
		want  []string
	}{
		"somebody else answers":            {sandbox.Fault{Path: "/register", Action: sandbox.FaultHTML, Status: http.StatusForbidden}, []string{"cannot read the organization", "403"}},
		"the server is gone half-way":      {sandbox.Fault{Path: "/invites", Action: sandbox.FaultStatus, Status: http.StatusBadGateway}, []string{"Cannot list the invitations by email", "502"}},
		"an answer that is none, half-way": {sandbox.Fault{Path: "/invites", Action: sandbox.FaultHTML, Status: http.StatusOK}, []string{"Cannot list the invitations by email"}},
	} {
		t.Run(what, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			o.Sandbox.Fail(trial.fault)
			folder := filepath.Join(t.TempDir(), "new")
			_, err := exportInto(folder, export.Options{Subscribers: true})
			for _, want := range trial.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in the error %v", want, err)
				}
			}
			if _, there := os.Stat(folder); there == nil {
				t.Errorf("the folder was made")
			}
		})
	}
}

// The image of an emoji may be missing on the server: the error says how to go on without it.
func TestProtocolExportWithoutAnImage(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	o.Emoji(t, "kudos")
	lost := serveWithout(t, o.Sandbox, "/user_avatars/1/emoji/")
	t.Setenv("ZULIP_SITE", lost)
	folder := filepath.Join(t.TempDir(), "new")
	_, err := exportInto(folder, export.Options{})
	if err == nil || !strings.Contains(err.Error(), `cannot read the image of the custom emoji "kudos"`) || !strings.Contains(err.Error(), "404") ||
		!strings.Contains(err.Error(), "--exclude custom_emoji:kudos leaves it out") {
		t.Errorf("the error is %v", err)
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("the folder was made")
	}
	if _, err := exportInto(folder, export.Options{Exclude: export.Selection{"custom_emoji:kudos"}}); err != nil {
		t.Error(err)
	}
}

// Who does not see everything is told so before anything is written; what is written plans no change.
func TestProtocolExportByOthers(t *testing.T) {
	for account, want := range map[string][]string{
		"owner":     nil,
		"admin":     nil,
		"moderator": {"amara.okafor@example.com is no administrator", "private channels", "bots and invitation links of others"},
		"member":    {"lena.fischer@example.com is no administrator", "private channels", "bots and invitation links of others"},
		"bot":       {"terraform-bot@zulip.example.com is a bot: bots and invitation links are left out"},
	} {
		t.Run(account, func(t *testing.T) {
			acctest.StartSandbox(t, sandbox.Config{}).As(t, account)
			folder := filepath.Join(t.TempDir(), "new")
			var warned []string
			_, err := exportInto(folder, export.Options{Subscribers: true, AllPeople: true, Warn: func(text string) {
				if _, err := os.Stat(folder); err == nil {
					t.Error("something was written before the warning")
				}
				warned = append(warned, text)
			}})
			if err != nil {
				t.Fatal(err)
			}
			if len(want) == 0 && len(warned) > 0 {
				t.Errorf("warned of %q", warned)
			}
			for _, text := range want {
				if !slices.ContainsFunc(warned, func(one string) bool { return strings.Contains(one, text) }) {
					t.Errorf("%q is in none of %q", text, warned)
				}
			}
			for _, problem := range planFolder(t, folder) {
				t.Error(problem)
			}
		})
	}
}

// A guest's account exports nothing.
func TestProtocolExportByAGuest(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{}).As(t, "guest")
	if _, err := exportInto(t.TempDir(), export.Options{}); err == nil || !strings.Contains(err.Error(), "cannot export as paul.dubois@example.com: a guest manages nothing") {
		t.Errorf("the error is %v", err)
	}
}

// The export waits for the server's rate limit.
func TestProtocolExportWaitsForTheRateLimit(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	o.Sandbox.Fail(sandbox.Fault{Path: "/invites", Action: sandbox.FaultStatus, Status: http.StatusTooManyRequests, RetryAfter: time.Second, Count: 2})
	folder := t.TempDir()
	if _, err := exportInto(folder, export.Options{}); err != nil {
		t.Fatal(err)
	}
	if o.Client.Waited() < time.Second {
		t.Errorf("waited %s", o.Client.Waited())
	}
}

// serveWithout serves a sandbox without what is below a path, and returns its address.
func serveWithout(t *testing.T, server *sandbox.Server, without string) string {
	t.Helper()
	all := server.Handler()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if strings.HasPrefix(req.URL.Path, without) {
			http.NotFound(w, req)
			return
		}
		all.ServeHTTP(w, req)
	}))
	t.Cleanup(proxy.Close)
	return proxy.URL
}
