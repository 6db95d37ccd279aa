package sandbox

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// alike lists the recordings that must be answered exactly like the recorded server did. The others are replayed and
// reported too.
var alike = []string{
	"bot-avatar",
	"bots",
	"channels-archive",
	"channels-create",
	"channels-create-with-permissions",
	"channels-private-access",
	"channels-update",
	"custom-emoji",
	"data-export",
	"default-channel-groups",
	"default-channels-and-folders",
	"default-user-settings",
	"drafts-and-scheduled-messages",
	"fetch-api-key",
	"invitations",
	"invitations-by-email",
	"linkifiers",
	"messages",
	"organization-settings",
	"permission-compare-and-set",
	"profile-fields-playgrounds-domains",
	"rate-limit",
	"realm-icon-and-logo",
	"realm-register-settings",
	"register-keys",
	"register-snapshot",
	"server-settings-and-authentication",
	"subscription-properties",
	"subscriptions",
	"user-groups",
	"user-profile-data",
	"user-statuses",
	"users-and-roles",
	"users-created",
}

// recording is one scenario: a new organization, and the requests to it.
type recording struct {
	FeatureLevel int                `json:"feature_level"`
	Accounts     map[string]Account `json:"accounts"`
	Exchanges    []exchange         `json:"exchanges"`
}

type exchange struct {
	As      string            `json:"as"`
	Note    string            `json:"note"`
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Query   map[string]any    `json:"query"`
	Form    map[string]string `json:"form"`
	JSON    map[string]any    `json:"json"`
	File    *recordedFile     `json:"file"`
	WaitS   int               `json:"wait_s"` // wait before it
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Body    map[string]any    `json:"body"`
}

type recordedFile struct {
	Field  string `json:"field"`
	Name   string `json:"name"`
	Type   string `json:"type"`
	Base64 []byte `json:"base64"`
}

func TestConformance(t *testing.T) {
	files, err := filepath.Glob("testdata/recordings/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	var sumAlike, sum int
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		t.Run(name, func(t *testing.T) {
			same, all, differences := replayRecording(t, name, readRecording(t, path))
			fmt.Printf("%s: alike %d/%d\n", name, same, all)
			sumAlike, sum = sumAlike+same, sum+all
			report := strings.Join(differences, "\n")
			switch {
			case len(differences) == 0:
			case slices.Contains(alike, name):
				t.Error(report)
			case testing.Verbose():
				t.Log(report)
			}
		})
	}
	fmt.Printf("all recordings: alike %d/%d\n", sumAlike, sum)
}

func readRecording(t *testing.T, path string) recording {
	t.Helper()
	data, err := os.ReadFile(path)
	requireNoError(t, err)
	var rec recording
	if err := json.Unmarshal(data, &rec); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return rec
}

// replayRecording sends every request to a new server, in order, and counts the answers that are alike.
func replayRecording(t *testing.T, name string, rec recording) (same, all int, differences []string) {
	t.Helper()
	return replayWithHook(t, name, rec, func(*Server) {})
}

// replayWithHook is replayRecording, and calls a function before each request.
func replayWithHook(t *testing.T, name string, rec recording, beforeEach func(*Server)) (same, all int, differences []string) {
	t.Helper()
	config := recordedConfig(name, rec)
	var waited atomic.Int64
	config.Clock = func() time.Time { return time.Now().Add(time.Duration(waited.Load())) }
	s, err := New(config)
	requireNoError(t, err)
	requireNoError(t, s.Start("127.0.0.1:0"))
	defer s.Close()
	p := newReplay(s)
	for i, x := range rec.Exchanges {
		beforeEach(s)
		waited.Add(int64(time.Duration(x.WaitS) * time.Second))
		answer, err := p.ask(x)
		if err != nil {
			t.Fatalf("[%d] %s %s: %v", i, x.Method, x.Path, err)
		}
		p.mayHoldMore = mayHoldMore(name, x)
		if found := p.compareExchange(x, answer); len(found) > 0 {
			differences = append(differences, fmt.Sprintf("[%d] %s %s %s %v %v (%s)\n    %s",
				i, x.As, x.Method, x.Path, x.Form, x.JSON, x.Note, strings.Join(found, "\n    ")))
			continue
		}
		same++
	}
	return same, len(rec.Exchanges), differences
}

// sameJSON compares texts that are JSON. Replaying a request sorts its keys, and the server keeps the order of the request.
func sameJSON(want string, got any) bool {
	have, _ := got.(string)
	var w, h any
	return json.Unmarshal([]byte(want), &w) == nil && json.Unmarshal([]byte(have), &h) == nil && reflect.DeepEqual(w, h)
}

// compareExchange returns what differs between the recorded answer and ours.
func (p *replay) compareExchange(x exchange, got response) []string {
	var found []string
	if got.status != x.Status {
		found = append(found, fmt.Sprintf("status: want %d, got %d: %s", x.Status, got.status, got.text))
	}
	for name, want := range x.Headers {
		have := got.header.Get(name)
		timed := strings.HasSuffix(name, "-Reset") || name == "Retry-After"
		if have == "" || !timed && have != want {
			found = append(found, fmt.Sprintf("header %s: want %q, got %q", name, want, have))
		}
	}
	if kind, ok := x.Body["_not_json"]; ok {
		if have := got.header.Get("Content-Type"); have != kind {
			found = append(found, fmt.Sprintf("content type: want %q, got %q", kind, have))
		}
		return found
	}
	return append(found, p.compare("body", x.Body, got.body)...)
}

// compare returns the differences of a recorded value and ours, and binds the
// symbols it meets for the first time.
func (p *replay) compare(path string, want, got any) []string {
	field := path[strings.LastIndex(path, ".")+1:]
	if slices.Contains(serverFields, field) {
		want = "${any}"
	}
	switch w := want.(type) {
	case string:
		if field == "field_data" && sameJSON(w, got) {
			return nil
		}
		return p.compareText(path, w, got)
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return []string{fmt.Sprintf("%s: want an object, got %v", path, compact(got))}
		}
		if field == "emoji" || field == "realm_emoji" {
			return p.compareSets(path, emojiOf(w), emojiOf(g))
		}
		return p.compareObjects(path, w, g)
	case []any:
		g, ok := got.([]any)
		if !ok {
			return []string{fmt.Sprintf("%s: want a list, got %v", path, compact(got))}
		}
		byPerson := strings.Contains(path, ".subscribed.") || strings.Contains(path, ".already_subscribed.")
		if byPerson || slices.Contains(unordered, field) {
			return p.compareSets(path, w, g)
		}
		if len(w) != len(g) {
			return []string{fmt.Sprintf("%s: want %d elements, got %d: %v", path, len(w), len(g), compact(got))}
		}
		var found []string
		for i := range w {
			found = append(found, p.compare(fmt.Sprintf("%s.%d", path, i), w[i], g[i])...)
		}
		return found
	case float64:
		if field == "retry-after" {
			if g, ok := got.(float64); ok && g > 0 && g <= 60 {
				return nil
			}
		}
	}
	if want != got {
		return []string{fmt.Sprintf("%s: want %v, got %v", path, compact(want), compact(got))}
	}
	return nil
}

func (p *replay) compareObjects(path string, want, got map[string]any) []string {
	var found []string
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		key := p.expandKey(name)
		seen[key] = true
		value, ok := got[key]
		switch {
		case !ok:
			found = append(found, fmt.Sprintf("%s: %q is missing", path, key))
		case !approximated(key):
			found = append(found, p.compare(path+"."+key, want[name], value)...)
		}
	}
	if p.mayHoldMore != nil && p.mayHoldMore(path) {
		return found
	}
	for _, key := range slices.Sorted(maps.Keys(got)) {
		if !seen[key] {
			found = append(found, fmt.Sprintf("%s: unexpected %q: %v", path, key, compact(got[key])))
		}
	}
	return found
}

// compareSets pairs each recorded element with one of ours, in any order.
func (p *replay) compareSets(path string, want, got []any) []string {
	if len(want) != len(got) {
		return []string{fmt.Sprintf("%s: want %d elements, got %d: %v", path, len(want), len(got), compact(got))}
	}
	rest := slices.Clone(got)
	for i, w := range want {
		at := slices.IndexFunc(rest, func(g any) bool {
			bound := maps.Clone(p.bound)
			if len(p.compare(fmt.Sprintf("%s.%d", path, i), w, g)) == 0 {
				return true
			}
			p.bound = bound
			return false
		})
		if at < 0 {
			return []string{fmt.Sprintf("%s: nothing like %v in %v", path, compact(w), compact(rest))}
		}
		rest = slices.Delete(rest, at, at+1)
	}
	return nil
}

// emojiOf lists custom emoji, compared by name, without their ids.
func emojiOf(object map[string]any) []any {
	var list []any
	for _, key := range slices.Sorted(maps.Keys(object)) {
		emoji, ok := object[key].(map[string]any)
		if !ok {
			return []any{object}
		}
		emoji = maps.Clone(emoji)
		delete(emoji, "id")
		list = append(list, emoji)
	}
	return list
}

// compact is a value as JSON, shortened.
func compact(v any) string {
	if text := compactAll(v); len(text) > 300 {
		return text[:300] + "…"
	}
	return compactAll(v)
}

func compactAll(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}

// TestConformanceParameters sends each endpoint no parameters, each parameter broken in every way, and several broken
// together. The last shows the order of the server's checks. testdata/parameters.json.gz has a sequence for each endpoint:
// its preparation, then these requests. A success is recorded only with its ignored parameters.
func TestConformanceParameters(t *testing.T) {
	sequences := readParameterSequences(t)
	accounts := readRecording(t, "testdata/recordings/channels-create.json").Accounts
	owner := accounts["owner"]
	owner.CanCreateUsers = true
	accounts["owner"] = owner
	var alike, sum int
	for _, sequence := range sequences {
		s, err := New(Config{Accounts: accounts, FeatureLevel: sequence.FeatureLevel})
		requireNoError(t, err)
		p := newRandomReplay(s, sequence)
		for _, step := range sequence.Steps {
			difference := p.parameterStep(t, step)
			sum++
			if difference == "" {
				alike++
				continue
			}
			t.Errorf("%s %s %s %s\n    recorded | sandbox: %s", step.As, step.Method, step.Path, compactAll(step.Params), difference)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	fmt.Printf("parameters: alike %d/%d\n", alike, sum)
}

// TestConformanceChecks sends requests whose refusals show what the server checks first, and how. testdata/checks.json has
// the answers of a server that enables one authentication method.
func TestConformanceChecks(t *testing.T) {
	data, err := os.ReadFile("testdata/checks.json")
	requireNoError(t, err)
	var checks []struct {
		As, Method, Path, Msg string
		Params                map[string]any
		Status                int
	}
	requireNoError(t, json.Unmarshal(data, &checks))
	s := start(t, Config{})
	realm := s.org.Settings()
	realm.AuthenticationMethods = map[string]bool{"Email": true}
	s.org.PutRealm(realm)
	for _, check := range checks {
		if got := ask(t, s, check.As, check.Method, check.Path, check.Params); got.status != check.Status || got.body["msg"] != check.Msg {
			t.Errorf("%s %s %v: %d %v, want %d %s", check.Method, check.Path, check.Params, got.status, got.body["msg"], check.Status, check.Msg)
		}
	}
}

func readParameterSequences(t *testing.T) []randomSequence {
	t.Helper()
	data, err := os.ReadFile("testdata/parameters.json.gz")
	requireNoError(t, err)
	unpacked, err := gzip.NewReader(bytes.NewReader(data))
	requireNoError(t, err)
	var sequences []randomSequence
	decoder := json.NewDecoder(unpacked)
	decoder.UseNumber()
	requireNoError(t, decoder.Decode(&sequences))
	return sequences
}

// parameterStep sends a request and compares a refusal completely, and a success by its ignored parameters.
func (p *randomReplay) parameterStep(t *testing.T, step randomStep) string {
	t.Helper()
	if step.Status != http.StatusOK {
		difference, _ := p.step(t, step)
		return strings.TrimSpace(difference)
	}
	req, ok := p.request(step)
	if !ok {
		return "the request names something that this server has not made"
	}
	recorder := httptest.NewRecorder()
	p.handler.ServeHTTP(recorder, req)
	var body map[string]any
	decoder := json.NewDecoder(recorder.Body)
	decoder.UseNumber()
	if err := decoder.Decode(&body); err != nil || recorder.Code != http.StatusOK {
		return fmt.Sprintf("%d | %d %v", step.Status, recorder.Code, body)
	}
	if len(step.Bind) == 2 {
		p.ids[step.Bind[0]] = newID(body[step.Bind[1]])
	}
	const ignored = "ignored_parameters_unsupported"
	if !reflect.DeepEqual(body[ignored], step.Body[ignored]) {
		return fmt.Sprintf("ignored %v | %v", step.Body[ignored], body[ignored])
	}
	return ""
}
