package export_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/export"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// unwritable returns a folder in which no file can be created.
func unwritable(t *testing.T) string {
	t.Helper()
	if os.Geteuid() == 0 { // root can write in other folders
		return "/proc/self"
	}
	folder := t.TempDir()
	acctest.NoError(t, os.Chmod(folder, 0o500))
	return folder
}

// An unusable folder is reported before anything is read.
func TestProtocolExport_UnusableFolder_RefusedFirst(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	file := filepath.Join(t.TempDir(), "file")
	acctest.NoError(t, os.WriteFile(file, nil, 0o600))
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

// After any failure, nothing is written.
func TestProtocolExport_AnyFailure_NothingWritten(t *testing.T) {
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

// If the server lacks the image of an emoji, the error says how to continue without it.
func TestProtocolExport_ImageMissing_ExclusionAdvised(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	o.Emoji(t, "kudos")
	lost := serveWithout(t, o.Sandbox, "/user_avatars/1/emoji/")
	t.Setenv("ZULIP_SITE", lost)
	folder := filepath.Join(t.TempDir(), "new")
	_, err := exportInto(folder, export.Options{})
	if err == nil || !strings.Contains(err.Error(), `cannot read the image of the custom emoji "kudos"`) || !strings.Contains(err.Error(), "404") ||
		!strings.Contains(err.Error(), "To leave it out, use --exclude custom_emoji:kudos") {
		t.Errorf("the error is %v", err)
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("the folder was made")
	}
	if _, err := exportInto(folder, export.Options{Exclude: export.Selection{"custom_emoji:kudos"}}); err != nil {
		t.Error(err)
	}
}

// An account that does not see everything gets a warning before anything is written. The plan of the written files
// changes nothing.
func TestProtocolExportByOthers(t *testing.T) {
	for account, want := range map[string][]string{
		"owner":     nil,
		"admin":     nil,
		"moderator": {"amara.okafor@example.com is not an administrator", "private channels", "bots and invitation links of others"},
		"member":    {"lena.fischer@example.com is not an administrator", "private channels", "bots and invitation links of others"},
		"bot":       {"terraform-bot@zulip.example.com is a bot. The server lets only people manage bots and invitation links"},
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
			acctest.NoError(t, err)
			if len(want) == 0 && len(warned) > 0 {
				t.Errorf("warned of %q", warned)
			}
			for _, text := range want {
				if !slices.ContainsFunc(warned, func(one string) bool { return strings.Contains(one, text) }) {
					t.Errorf("%q is in none of %q", text, warned)
				}
			}
			expectPlanEmpty(t, folder)
		})
	}
}

// A guest's account exports nothing.
func TestProtocolExport_ByGuest_Refused(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{}).As(t, "guest")
	if _, err := exportInto(t.TempDir(), export.Options{}); err == nil || !strings.Contains(err.Error(), "cannot export as paul.dubois@example.com: a guest manages nothing") {
		t.Errorf("the error is %v", err)
	}
}

// The export waits for the server's rate limit.
func TestProtocolExport_RateLimited_Waits(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	o.Sandbox.Fail(sandbox.Fault{Path: "/invites", Action: sandbox.FaultStatus, Status: http.StatusTooManyRequests, RetryAfter: time.Second, Count: 2})
	began := time.Now()
	exportNew(t, export.Options{})
	if took := time.Since(began); took < 2*time.Second {
		t.Errorf("took %s", took)
	}
}

// serveWithout serves a sandbox without the paths below one, and returns its URL.
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

// exportedName matches every name that an export can give to a file.
var exportedName = regexp.MustCompile(`^(?:\.gitignore|EXPORT\.md|export\.json|[a-z][a-z0-9_-]{0,100}\.tf|emoji/[a-z0-9][a-z0-9._-]{0,100}\.png)$`)

// Objects with any names are written with exactly these names, in readable files, and in no other place. EXPORT.md has
// those whose names the schema refuses.
func TestProtocolExportOfHostileNames(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	person := o.Sandbox.AllCredentials()["guest"]
	// Terraform normalizes texts of a configuration to this form.
	var names, replaced []string
	for _, name := range acctest.HostileNames {
		names = append(names, norm.NFC.String(name))
	}
	for i, name := range acctest.HostileNames {
		placeholder := fmt.Sprintf("placeholder-%03d", i)
		replaced = append(replaced, placeholder, inJSON(t, name))
		folder := o.Call(t, "POST", "/channel_folders/create", map[string]string{"name": placeholder, "description": placeholder})["channel_folder_id"]
		o.Call(t, "POST", "/channels/create", map[string]string{
			"name": placeholder, "description": placeholder, "subscribers": "[]", "folder_id": fmt.Sprint(folder),
			"can_send_message_group": fmt.Sprintf(`{"direct_members":[%d],"direct_subgroups":[]}`, person.ID),
		})
		o.Call(t, "POST", "/user_groups/create", map[string]string{"name": placeholder, "description": placeholder, "members": "[]"})
		if i < 30 {
			o.Call(t, "POST", "/realm/profile_fields", map[string]string{"name": placeholder, "field_type": "1", "hint": placeholder})
		}
		o.Emoji(t, placeholder)
	}
	serveReplaced(t, o.Sandbox, append(replaced, `"Paul Dubois"`, `"`+inJSON(t, "x\n}\u202e\r\nresource")+`"`)...)
	parent := t.TempDir()
	folder := filepath.Join(parent, "a", "b", "c", "organization")
	mustExport(t, folder, export.Options{All: true, AllPeople: true, Subscribers: true})
	for name := range filesOf(t, parent) {
		if inside, ok := strings.CutPrefix(name, "a/b/c/organization/"); !ok || !exportedName.MatchString(inside) {
			t.Errorf("there is a file %q", name)
		}
	}
	written, summary := map[string][]string{}, readSummary(t, folder)
	for address, one := range readConfiguration(t, folder).resources {
		for _, attribute := range []string{"name", "description", "hint"} {
			found, ok := one.attributes[attribute]
			if !ok {
				continue
			}
			value, problems := found.Expr.Value(nil)
			if problems.HasErrors() {
				t.Errorf("%s: %v", address, problems)
				continue
			}
			written[one.kind+" "+attribute] = append(written[one.kind+" "+attribute], value.AsString())
		}
	}
	for what, have := range map[string]int{
		"zulip_channel name": len(names), "zulip_channel description": len(names), "zulip_user_group name": len(names), "zulip_user_group description": len(names),
		"zulip_channel_folder name": len(names), "zulip_channel_folder description": len(names), "zulip_custom_emoji name": len(names),
		"zulip_custom_profile_field name": 30, "zulip_custom_profile_field hint": 30,
	} {
		missing := slices.DeleteFunc(slices.Clone(names[:have]), func(name string) bool { return slices.Contains(written[what], name) })
		word, _, _ := strings.Cut(strings.TrimPrefix(what, "zulip_"), " ")
		if noted := strings.Count(summary, "\n- "+word+" `"); len(missing) > noted || len(missing) == have {
			t.Errorf("no %s is %.1000q, and EXPORT.md has %d of them", what, missing, noted)
		}
	}
	for name, content := range filesOf(t, folder) {
		if !strings.HasPrefix(name, "emoji/") && strings.ContainsFunc(content, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
			t.Errorf("%s has characters that nobody sees", name)
		}
	}
}

// These cases are rare in random organizations.
func TestProtocolExport_RareObjects_EmptyPlan(t *testing.T) {
	for what, fill := range map[string]func(*testing.T, *acctest.Organization){
		"profile fields that the server names": func(t *testing.T, o *acctest.Organization) {
			for _, service := range []string{"github", "twitter"} {
				o.Call(t, "POST", "/realm/profile_fields", map[string]string{"name": "x", "field_type": "7", "field_data": `{"subtype":"` + service + `"}`})
			}
		},
		"names that the CLI hands over in another Unicode normal form": func(t *testing.T, o *acctest.Organization) {
			const name = "e\u0301"
			group, _ := o.Call(t, "POST", "/user_groups/create", map[string]string{"name": name, "description": name, "members": "[]"})["group_id"].(float64)
			o.Call(t, "POST", "/channel_folders/create", map[string]string{"name": name, "description": name})
			o.Call(t, "POST", "/channels/create", map[string]string{"name": name, "subscribers": "[]", "can_send_message_group": fmt.Sprint(group)})
			o.Call(t, "POST", "/user_groups/create", map[string]string{"name": "outer", "description": "", "members": "[]", "subgroups": fmt.Sprintf("[%v]", group)})
			o.Call(t, "POST", "/bots", map[string]string{"full_name": "Bot", "short_name": "bot", "default_sending_stream": name})
		},
		"names that differ in their Unicode normal form alone": func(t *testing.T, o *acctest.Organization) {
			for _, name := range []string{"\u00e9", "e\u0301"} {
				o.Call(t, "POST", "/realm/profile_fields", map[string]string{"name": name, "field_type": "1"})
				o.Call(t, "POST", "/user_groups/create", map[string]string{"name": name, "description": "", "members": "[]"})
				o.Call(t, "POST", "/channel_folders/create", map[string]string{"name": name, "description": ""})
				o.Call(t, "POST", "/channels/create", map[string]string{"name": name, "subscribers": "[]"})
				o.Call(t, "POST", "/default_stream_groups/create", map[string]string{"group_name": name, "description": "x", "stream_names": "[]"})
				o.Call(t, "POST", "/realm/filters", map[string]string{"pattern": name, "url_template": "https://example.com/"})
			}
		},
	} {
		t.Run(what, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			fill(t, o)
			for _, all := range []bool{false, true} {
				folder := exportNew(t, export.Options{All: all, Subscribers: true})
				expectPlanEmpty(t, folder)
			}
		})
	}
}

// Attributes that older servers lack are not written.
func TestProtocolExportOfOtherServers(t *testing.T) {
	for _, level := range []int{featurelevel.Oldest, 442, featurelevel.Newest} {
		t.Run(fmt.Sprint("feature level ", level), func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: level})
			o.Emoji(t, "kudos")
			o.Call(t, "POST", "/realm/filters", map[string]string{"pattern": "#(?P<id>[0-9]+)", "url_template": "https://example.com/{id}"})
			o.Call(t, "POST", "/realm/profile_fields", map[string]string{"name": "Team", "field_type": "1"})
			folder := exportNew(t, export.Options{All: true, Subscribers: true, AllPeople: true})
			expectPlanEmpty(t, folder)
		})
	}
}

// Time passes between an export and its plan, so invitation links have a shorter remaining life.
func TestProtocolExport_PlannedLater_EmptyPlan(t *testing.T) {
	var later atomic.Int64
	o := acctest.StartSandbox(t, sandbox.Config{Clock: func() time.Time { return time.Now().Add(time.Duration(later.Load())) }})
	for _, minutes := range []string{"1440", "null", "3"} {
		o.Call(t, "POST", "/invites/multiuse", map[string]string{"invite_expires_in_minutes": minutes})
	}
	folder, options := t.TempDir(), export.Options{Only: export.Selection{"invite_link"}}
	mustExport(t, folder, options)
	written := filesOf(t, folder)
	if links := written["invitations.tf"]; strings.Count(links, "# The server doesn't show the channels of a link") != 3 {
		t.Errorf("the links are:\n%s", links)
	}
	later.Store(int64(2 * time.Minute))
	expectPlanEmpty(t, folder)
	mustExport(t, folder, options)
	sameFiles(t, "two minutes later", written, filesOf(t, folder))
}
