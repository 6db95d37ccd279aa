package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/doctor"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// doctorRun runs the command.
func doctorRun(t *testing.T, args ...string) (stdout string, err error) {
	t.Helper()
	command := newDoctor("test")
	var out bytes.Buffer
	command.SetOut(&out)
	command.SetErr(&out)
	command.SilenceErrors, command.SilenceUsage = true, true
	command.SetArgs(args)
	err = command.ExecuteContext(t.Context())
	return out.String(), err
}

// secretWord is in every name of the organization that a report must not have.
const secretWord = "Quokka"

// fillWithNames creates one of everything, with names that could be taken for names of fields, of roles and of values.
func fillWithNames(t *testing.T, o *acctest.Organization, level int) {
	t.Helper()
	names := append([]string{"can_see_Quokka_group", "role_Quokka", "realm_Quokka"}, acctest.HostileNames...)
	made := 0
	for i, name := range names {
		if name = strings.ReplaceAll(name, "\x00", ""); i > 2 {
			name = secretWord + name
		}
		if len([]rune(name)) > 40 {
			name = string([]rune(name)[:40])
		}
		name = fmt.Sprint(name, i)
		// The server refuses some of these names.
		if _, _, err := o.Client.CreateUserGroup(t.Context(), zulip.UserGroupCreate{Name: name, Description: name}); err == nil {
			made++
		}
		channel := zulip.ChannelCreate{Name: name, Settings: zulip.ChannelUpdate{Description: &name}}
		if level < featurelevel.CreateChannel {
			_, _ = o.Client.CreateChannelBySubscribing(t.Context(), channel)
		} else {
			_, _, _ = o.Client.CreateChannel(t.Context(), channel)
		}
	}
	if made < 50 {
		t.Fatalf("only %d user groups have names", made)
	}
	name, minutes := secretWord+"_field", int64(60)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := o.Client.CreateProfileField(t.Context(), zulip.ProfileFieldChange{Type: zulip.ProfileFieldSelect, Name: &name, Options: []zulip.ProfileFieldOption{{Key: secretWord, Text: secretWord}}})
	must(err)
	_, err = o.Client.CreateLinkifier(t.Context(), zulip.LinkifierChange{Pattern: secretWord + "(?P<id>[0-9]+)", URLTemplate: "https://quokka.example/{id}"})
	must(err)
	_, err = o.Client.AddPlayground(t.Context(), zulip.Playground{Name: secretWord, Language: secretWord, URLTemplate: "https://quokka.example/{code}"})
	must(err)
	must(o.Client.AddDomain(t.Context(), zulip.Domain{Domain: "quokka.example"}))
	must(o.Client.SetOwnStatus(t.Context(), zulip.StatusUpdate{Text: &name}))
	must(o.Client.CreateDefaultChannelGroup(t.Context(), secretWord, secretWord, []string{"incidents"}))
	_, err = o.Client.CreateBot(t.Context(), zulip.NewBot{FullName: secretWord, ShortName: "quokka", Type: zulip.BotOutgoingWebhook, PayloadURL: "https://quokka.example/", Interface: 1})
	must(err)
	must(o.Client.Invite(t.Context(), zulip.NewInvitation{Email: "quokka@example.com", InviteTerms: zulip.InviteTerms{ExpiresInMinutes: &minutes}}))
	settings := zulip.Form{}
	settings.Text("name", secretWord)
	settings.Text("description", secretWord)
	_, err = o.Client.UpdateRealm(t.Context(), zulip.RealmUpdate{Settings: settings})
	must(err)
}

// expectNoNames looks for everything in a report that is of the organization.
func expectNoNames(t *testing.T, report string) {
	t.Helper()
	for _, word := range []string{"quokka", "ines", "moreau", "example", "@", "127.0.0.1", "http", "announcements", "incidents", "sre\"", "evil", "\x1b"} {
		if at := strings.Index(strings.ToLower(report), word); at >= 0 {
			t.Errorf("the report has %q: …%s…", word, report[max(0, at-60):min(len(report), at+60)])
		}
	}
}

// At every tested level, and for every kind of account, the sandbox is what is expected, and nobody is named.
func TestDoctorFindsNothing(t *testing.T) {
	for _, level := range featurelevel.Tested {
		o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: level})
		fillWithNames(t, o, level)
		for _, account := range []string{"owner", "admin", "moderator", "member", "guest", "bot"} {
			o.As(t, account)
			before := len(o.Sandbox.Journal().Requests(sandbox.Filter{}))
			file := filepath.Join(t.TempDir(), "doctor.json")
			out, err := doctorRun(t, "--json", file)
			if err != nil || !strings.Contains(out, "\nNothing differs from what the provider expects.\n") {
				t.Fatalf("%s at %d: %v\n%s", account, level, err, out)
			}
			for _, request := range o.Sandbox.Journal().Requests(sandbox.Filter{})[before:] {
				if call := request.Method + " " + request.Path; request.Method != "GET" && call != "POST /register" && call != "DELETE /events" {
					t.Errorf("the doctor has sent %s", call)
				}
			}
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var report doctor.Report
			if err := json.Unmarshal(content, &report); err != nil {
				t.Fatal(err)
			}
			if report.FeatureLevel != level || len(report.Differences) != 0 || report.Role+map[bool]string{true: " bot"}[report.IsBot] !=
				map[string]string{"owner": "owner", "admin": "administrator", "moderator": "moderator", "member": "member", "guest": "guest", "bot": "administrator bot"}[account] {
				t.Errorf("%s at %d: %s", account, level, content)
			}
			known, _ := featurelevel.RangeOf(level)
			for _, text := range []string{fmt.Sprintf("feature level %d", level), "Tried: " + known.Tried, "Read:  " + known.Read, "/register ("} {
				if !strings.Contains(out, text) {
					t.Errorf("%s at %d: the report does not say %q:\n%s", account, level, text, out)
				}
			}
			expectNoNames(t, out)
			expectNoNames(t, string(content))
		}
	}
}

// rows are the objects of a list in an answer.
func rows(body map[string]any, list string) (all []map[string]any) {
	found, _ := body[list].([]any)
	for _, row := range found {
		all = append(all, row.(map[string]any))
	}
	return all
}

// supported are the permissions of a kind that an answer publishes.
func supported(body map[string]any, kind string) map[string]any {
	return body["server_supported_permission_settings"].(map[string]any)[kind].(map[string]any)
}

// A server that is not as expected is described by fields, types and levels.
func TestDoctorFindsWhatDiffers(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: featurelevel.NewestRelease})
	fillWithNames(t, o, featurelevel.NewestRelease)
	for name, test := range map[string]struct {
		path   string
		change func(body map[string]any)
		want   []string // regular expressions for all differences, in the order of the report
	}{
		"missing field": {"/register", func(body map[string]any) {
			for _, row := range rows(body, "streams") {
				delete(row, "can_create_topic_group")
			}
		}, []string{`missing field: /register: streams\[\]\.can_create_topic_group\n    The field is missing in \d+ objects\. A value of type integer was expected\.\n    Concerns zulip_channel\.can_create_topic_group\.`}},
		"missing list": {"/users", func(body map[string]any) { delete(body, "members") },
			[]string{`missing field: /users: members\n    The field is missing in 1 object\. A value of type list was expected\.`}},
		"missing setting": {"/register", func(body map[string]any) { delete(body, "realm_media_preview_size") },
			[]string{`missing field: /register: realm_media_preview_size\n.*\n    Concerns zulip_organization\.media_preview_size\.`}},
		"other type": {"/register", func(body map[string]any) {
			for _, row := range rows(body, "realm_users") {
				row["role"] = "Quokka"
			}
		}, []string{`other type: /register: realm_users\[\]\.role\n    The type is text in \d+ values\. Expected: integer\.\n    Concerns zulip_user\.role\.`}},
		"other type of a setting": {"/register", func(body map[string]any) { body["realm_invite_required"] = "Quokka" },
			[]string{`other type: /register: realm_invite_required\n    The type is text in 1 value\. Expected: boolean\.\n    Concerns zulip_organization\.invite_required\.`}},
		"other type that nobody reads": {"/server_settings", func(body map[string]any) { body["realm_web_public_access_enabled"] = []string{"Quokka"} },
			[]string{`other type: /server_settings: realm_web_public_access_enabled\n    The type is list in 1 value\. Expected: boolean\.`}},
		"null": {"/users/me", func(body map[string]any) { body["full_name"] = nil },
			[]string{`other type: /users/me: full_name\n    The type is null in 1 value\. Expected: text\.`}},
		"unknown permission": {"/register", func(body map[string]any) {
			supported(body, "stream")["can_fly_group"] = map[string]any{"default_group_name": "role:nobody", "allow_nobody_group": true}
			for _, row := range rows(body, "streams") {
				row["can_fly_group"] = 7
			}
		}, []string{
			`permission: /register: server_supported_permission_settings\.stream\.can_fly_group\n    The provider does not know this permission of the channel\.`,
			`unknown field: /register: streams\[\]\.can_fly_group\n    The provider does not expect this field at the level\. It is in (\d+) of \d+ objects, of type integer\.`,
		}},
		"missing permission": {"/register", func(body map[string]any) { delete(supported(body, "group"), "can_leave_group") },
			[]string{`permission: /register: server_supported_permission_settings\.group\.can_leave_group\n    The server does not publish this permission\. It was expected from feature level 308 on\.`}},
		"unknown kind of permissions": {"/register", func(body map[string]any) {
			body["server_supported_permission_settings"].(map[string]any)["bot"] = map[string]any{}
		}, []string{`permission: /register: server_supported_permission_settings\.bot\n    The provider does not know this kind of permissions\. There are 0\.`}},
		"other rule": {"/register", func(body map[string]any) {
			rules := supported(body, "realm")["can_create_groups"].(map[string]any)
			rules["allow_everyone_group"], rules["default_group_name"] = true, "Quokka"
		}, []string{
			`permission rule: .*\.realm\.can_create_groups\.allow_everyone_group\n    The rule is true\. Expected: false\.`,
			`permission rule: .*\.realm\.can_create_groups\.default_group_name\n    The default is \(not a role\)\. Expected: role:members\.`,
		}},
		"unknown rule": {"/register", func(body map[string]any) {
			supported(body, "realm")["can_create_groups"].(map[string]any)["allow_bots_group"] = true
		}, []string{`unknown field: /register: server_supported_permission_settings\[\]\[\]\.allow_bots_group\n.*, of type boolean\.`}},
		"unknown field": {"/register", func(body map[string]any) { body["realm_gravity"] = map[string]any{"Quokka": "Quokka"} },
			[]string{`unknown field: /register: realm_gravity\n    The provider does not expect this field at the level\. It is in 1 of 1 object, of type object\.`}},
		"unknown field with a name of somebody": {"/users", func(body map[string]any) { rows(body, "members")[0]["Quokka Quokka"] = "Quokka" },
			[]string{`unknown field: /users: members\[\]\.\(not a name\)\n.* It is in 1 of \d+ objects, of type text\.`}},
		"field of another level": {"/register", func(body map[string]any) {
			for _, row := range rows(body, "streams") {
				row["default_push_notifications"] = true
			}
		}, []string{`unknown field: /register: streams\[\]\.default_push_notifications\n.*\n    Concerns zulip_channel\.default_push_notifications\.`}},
		"missing role": {"/register", func(body map[string]any) {
			var kept []any
			for _, row := range rows(body, "realm_user_groups") {
				if row["name"] != "role:moderators" {
					kept = append(kept, row)
				}
			}
			body["realm_user_groups"] = kept
		}, []string{`role: /register: realm_user_groups\[\]\n    The group role:moderators is missing\.`}},
		"unknown roles": {"/register", func(body map[string]any) {
			groups := rows(body, "realm_user_groups")
			for i, name := range []string{"role:auditors", "role:Quokka"} {
				copied := map[string]any{}
				for key, value := range groups[0] {
					copied[key] = value
				}
				copied["id"], copied["name"] = 9000+i, name
				body["realm_user_groups"] = append(body["realm_user_groups"].([]any), copied)
			}
			rows(body, "realm_users")[0]["role"] = 250
		}, []string{
			`role: .*\n    The provider does not know the system group \(not a role\)\.`,
			`role: .*\n    The provider does not know the system group role:auditors\.`,
			`role: /register: realm_users\[\]\.role\n    The provider does not know the role 250, the role of 1 account\.`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			serveChanged(t, o, test.path, test.change)
			out, err := doctorRun(t)
			var different *differentError
			if !errors.As(err, &different) || different.differences != len(test.want) {
				t.Fatalf("%v\n%s", err, out)
			}
			expectNoNames(t, out)
			rest := out
			for _, want := range test.want {
				at := regexp.MustCompile(want).FindStringIndex(rest)
				if at == nil {
					t.Fatalf("the report does not say %s:\n%s", want, out)
				}
				rest = rest[at[1]:]
			}
			out, _ = doctorRun(t, "--json", "-")
			var report doctor.Report
			if err := json.Unmarshal([]byte(out), &report); err != nil || len(report.Differences) != len(test.want) {
				t.Errorf("%v\n%s", err, out)
			}
			expectNoNames(t, out)
		})
	}
}

// serveChanged puts a proxy before the sandbox that changes the answer to one request.
func serveChanged(t *testing.T, o *acctest.Organization, path string, change func(body map[string]any)) {
	t.Helper()
	handler := o.Sandbox.Handler()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/v1"+path {
			handler.ServeHTTP(w, r)
			return
		}
		recorded := httptest.NewRecorder()
		handler.ServeHTTP(recorded, r)
		var body map[string]any
		decoder := json.NewDecoder(recorded.Body)
		decoder.UseNumber()
		if err := decoder.Decode(&body); err != nil {
			t.Error(err)
		}
		change(body)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(recorded.Code)
		_ = json.NewEncoder(w).Encode(body)
	}))
	t.Cleanup(proxy.Close)
	t.Setenv("ZULIP_SITE", proxy.URL)
}

// What the server refuses is a difference, or an error where nothing can be said without it.
func TestDoctorOfServersThatRefuse(t *testing.T) {
	for _, test := range []struct {
		path, fault, want string
		isError           bool
	}{
		{"/users", "GET /users status=403", "refused request: /users\n    The request is refused with status 403. An answer was expected.", false},
		{"/streams", "GET /streams html", "", true},
		{"/register", "POST /register status=403", "", true},
		{"/server_settings", "GET /server_settings status=400", "", true},
	} {
		fault, err := sandbox.ParseFault(test.fault)
		if err != nil {
			t.Fatal(err)
		}
		o := acctest.StartSandbox(t, sandbox.Config{})
		o.Sandbox.Fail(fault)
		out, err := doctorRun(t)
		var different *differentError
		if errors.As(err, &different) == test.isError || err == nil || !strings.Contains(out, test.want) {
			t.Errorf("%s: %v\n%s", test.fault, err, out)
		}
	}
	o := acctest.StartSandbox(t, sandbox.Config{})
	serveChanged(t, o, "/server_settings", func(body map[string]any) { delete(body, "zulip_feature_level") })
	if _, err := doctorRun(t); err == nil || err.Error() != "the server reports no feature level: there is nothing to compare it with" {
		t.Errorf("without a level: %v", err)
	}
}

// A server above the newest known level is compared with that, and the report says that nothing is known of it.
func TestDoctorOfAServerThatNobodyKnows(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{FeatureLevel: featurelevel.Newest + 88})
	out, err := doctorRun(t)
	if err != nil || !strings.Contains(out, "  Tried: Nothing.\n") || !strings.Contains(out, fmt.Sprintf("compared with what is expected at feature level %d.", featurelevel.Newest)) {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestDoctorExitStatus(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	status := func(args ...string) int {
		stdout, stderr := os.Stdout, os.Stderr
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() { _, _ = io.Copy(io.Discard, read); close(done) }()
		os.Stdout, os.Stderr = write, write
		defer func() { os.Stdout, os.Stderr = stdout, stderr; _ = write.Close(); <-done }()
		return Run("test", func(bool) error { return nil }, append([]string{"doctor"}, args...))
	}
	if got := status(); got != 0 {
		t.Errorf("nothing differs: %d", got)
	}
	if got := status("--json", filepath.Join(t.TempDir(), "missing", "x.json")); got != 1 {
		t.Errorf("an error: %d", got)
	}
	serveChanged(t, o, "/register", func(body map[string]any) { body["realm_gravity"] = 1 })
	if got := status(); got != 2 {
		t.Errorf("something differs: %d", got)
	}
}
