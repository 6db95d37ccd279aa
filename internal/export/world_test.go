package export_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"net/url"
	"strings"

	"pgregory.net/rapid"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/export"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// oddNames are names that are hard to turn into an identifier, to write into a configuration, or to distinguish.
var oddNames = []string{
	"general", "General", "Команда", "研究", "🎉", "🚀🚀", `she said "hi"`, `back\slash`, "${x}", "$${x}", "%{if}", "%%{for x}", "%{ endif ~}",
	"two\nlines", "tab\there", "42", "007", "-1", "1e3", "3rd floor", "name:5", "id:5", "role:members", "group:x", "user_id:5", "group_id:1",
	"a-b", "a_b", "a b", "a.b", "a  b", " lead", "trail ", "ops", "Ops", "OPS!", "true", "null", "for", "count", "this", "path.module",
	"# no comment", "// nor this", "/* nor this */", "<<EOT", "a=b", "a,b", "*", "?", "'", "`", "@here", "é", "e\u0301", "ﬁ", "İstanbul", "ß",
	"\u200bwide", "\u202eright to left", "\u00a0", "K", "Ω", "x_2", "x", "X", "x 2", strings.Repeat("long", 15), strings.Repeat("长", 60), strings.Repeat("y", 200),
}

// world fills an organization with random objects. Objects that the server refuses are left out.
type world struct {
	*rapid.T
	server  *sandbox.Server
	handler http.Handler
	owner   sandbox.Credentials
}

// newWorld starts the example organization, on the newest release more often than on others.
func newWorld(t *rapid.T) *world {
	level := rapid.SampledFrom([]int{0, 0, 0, 0, 0, featurelevel.Oldest, 442, featurelevel.Newest}).Draw(t, "level")
	server, err := sandbox.New(sandbox.Config{FeatureLevel: level})
	acctest.NoError(t, err)
	acctest.NoError(t, server.Start("127.0.0.1:0"))
	t.Cleanup(func() { _ = server.Close() })
	owner, _ := server.Credentials("owner")
	return &world{T: t, server: server, handler: server.Handler(), owner: owner}
}

// call sends a request of the owner, and reports whether it was granted.
func (w *world) call(method, path string, params map[string]any) bool {
	form := url.Values{}
	for name, value := range params {
		text, isText := value.(string)
		if !isText {
			encoded, err := json.Marshal(value)
			acctest.NoError(w, err)
			text = string(encoded)
		}
		form.Set(name, text)
	}
	req := httptest.NewRequest(method, "/api/v1"+path, strings.NewReader(form.Encode()))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return w.send(req)
}

// send sends a request of the owner, and reports whether it was granted. Where a real server fails, the sandbox does too.
func (w *world) send(req *http.Request) bool {
	req.SetBasicAuth(w.owner.Email, w.owner.APIKey)
	answer := httptest.NewRecorder()
	w.handler.ServeHTTP(answer, req)
	return answer.Code == http.StatusOK
}

// emoji uploads a custom emoji; each has an image of its own.
func (w *world) emoji(name string) { w.upload("/realm/emoji/"+name, 1+len(name), nil) }

// upload uploads an image as wide as it says, with other fields.
func (w *world) upload(to string, wide int, fields map[string]string) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range fields {
		acctest.NoError(w, form.WriteField(name, value))
	}
	file, err := form.CreatePart(textproto.MIMEHeader{"Content-Disposition": {`form-data; name="picture"; filename="picture.png"`}, "Content-Type": {"image/png"}})
	acctest.NoError(w, err)
	acctest.NoError(w, png.Encode(file, image.NewGray(image.Rect(0, 0, wide, 8))))
	acctest.NoError(w, form.Close())
	req := httptest.NewRequest(http.MethodPost, (&url.URL{Path: "/api/v1" + to}).EscapedPath(), &body)
	req.Header.Set("Content-Type", form.FormDataContentType())
	w.send(req)
}

func (w *world) name() string { return rapid.SampledFrom(oddNames).Draw(w.T, "name") }

// text returns a description, which may be empty.
func (w *world) text() string {
	return rapid.OneOf(rapid.Just(""), rapid.SampledFrom(oddNames), rapid.StringN(0, 20, -1)).Draw(w.T, "text")
}

func (w *world) yes() bool { return rapid.Bool().Draw(w.T, "yes") }

func (w *world) seldom() bool { return rapid.IntRange(0, 3).Draw(w.T, "seldom") == 3 }

func (w *world) number(from, to int) int { return rapid.IntRange(from, to).Draw(w.T, "number") }

// times calls a function a random number of times.
func (w *world) times(most int, do func()) {
	for range rapid.IntRange(0, most).Draw(w.T, "times") {
		do()
	}
}

func pick[V any](w *world, from []V) V { return rapid.SampledFrom(from).Draw(w.T, "one") }

// ids are the numbers of a table's rows.
func ids[R any](w *world, table func(*rules.Organization) *rules.Table[R], keep func(R) bool) (found []int) {
	w.server.Organization().Read(func(o *rules.Organization) {
		for id, row := range table(o).All() {
			if keep == nil || keep(row) {
				found = append(found, id)
			}
		}
	})
	return found
}

func users(o *rules.Organization) *rules.Table[rules.User] { return o.Users }
func groups(o *rules.Organization) *rules.Table[rules.UserGroup] {
	return o.Groups
}
func folders(o *rules.Organization) *rules.Table[rules.Folder] { return o.Folders }
func channels(o *rules.Organization) *rules.Table[rules.Channel] {
	return o.Channels
}

func (w *world) people() []int {
	return ids(w, users, func(u rules.User) bool { return u.Active })
}

func (w *world) channels() []int {
	return ids(w, channels, func(c rules.Channel) bool { return !c.Archived })
}

// ownGroups are the groups that were created in the test, with the newest three times, because mistakes happen
// between those.
func (w *world) ownGroups() []int {
	return ids(w, groups, func(g rules.UserGroup) bool { return !g.System && !g.Deactivated })
}

// some are a few of them, each once.
func (w *world) some(from []int, most int) []int {
	if len(from) == 0 {
		return []int{}
	}
	return rapid.SliceOfNDistinct(rapid.SampledFrom(from), 0, min(most, len(from)), func(id int) int { return id }).Draw(w.T, "some")
}

// value is a group-setting value in either form.
func (w *world) value() any {
	all := ids(w, groups, func(g rules.UserGroup) bool { return !g.Deactivated })
	own := w.ownGroups()
	if len(own) > 0 && w.yes() {
		all = own
	}
	if w.yes() {
		return pick(w, all)
	}
	return map[string]any{"direct_members": w.some(w.people(), 3), "direct_subgroups": w.some(all, 3)}
}

// permissions are values of some of the permissions.
func (w *world) permissions(all []rules.Permission, most int, isChange bool) map[string]any {
	params := map[string]any{}
	w.times(most, func() {
		permission := pick(w, all)
		if permission.Unwritable {
			return
		}
		if params[permission.Name] = w.value(); isChange {
			params[permission.Name] = map[string]any{"new": params[permission.Name]}
		}
	})
	return params
}

// options are those of an export.
func (w *world) options() export.Options {
	options := export.Options{All: w.yes(), Subscribers: w.yes(), AllPeople: w.yes(), PeopleAs: export.PeopleAs(rapid.SampledFrom(append([]string{""}, export.AllPeopleAs...)).Draw(w.T, "people as"))}
	words := rapid.Custom(func(t *rapid.T) string {
		word := strings.TrimPrefix(rapid.SampledFrom(export.Kinds()).Draw(t, "kind"), "zulip_")
		return word + rapid.SampledFrom([]string{"", "", ":*a*", ":?", ":[x]"}).Draw(t, "pattern")
	})
	if w.seldom() {
		options.Only = rapid.SliceOfN(words, 1, 6).Draw(w.T, "only")
	}
	if w.seldom() {
		options.Exclude = rapid.SliceOfN(words, 1, 3).Draw(w.T, "exclude")
	}
	if w.seldom() {
		options.States = map[string][]byte{"a": w.state(), "b": w.state()}
	}
	return options
}

// state returns a state with some of the objects.
func (w *world) state() []byte {
	var resources []map[string]any
	add := func(kind, identity string, ids []int) {
		for _, id := range w.some(ids, len(ids)) {
			resources = append(resources, map[string]any{"type": kind, "mode": "managed", "values": map[string]int{identity: id}})
		}
	}
	add("zulip_channel", "id", w.channels())
	add("zulip_user_group", "id", w.ownGroups())
	add("zulip_channel_folder", "id", ids(w, folders, nil))
	add("zulip_user_role", "user_id", w.people())
	add("zulip_bot", "id", w.people())
	text, err := json.Marshal(map[string]any{"format_version": "1.0", "values": map[string]any{"root_module": map[string]any{"resources": resources}}})
	acctest.NoError(w, err)
	return text
}

// path is a path with a number.
func path(format string, id int) string { return fmt.Sprintf(format, id) }
