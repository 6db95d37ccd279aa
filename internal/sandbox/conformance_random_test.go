package sandbox

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// minAlike is the share of random requests that must be answered like the recorded server did.
const minAlike = 0.998

// randomSequence is a file of testdata/random: requests drawn at random, and the answers of a real server. The organization
// was new, with the accounts of testdata/recordings and no channel.
type randomSequence struct {
	FeatureLevel int            `json:"server_feature_level"`
	Accounts     map[string]int `json:"accounts"` // their IDs on the recorded server
	Groups       map[string]int `json:"groups"`   // the system groups' IDs
	Steps        []randomStep   `json:"steps"`
}

// randomStep is one request. Path and Params hold symbols in place of IDs: {group:role:members} in a path, {"$ref":
// "group:role:members"} as a value. Params are JSON unless they are strings; {"$json": "text"} is a string sent as JSON.
type randomStep struct {
	As     string         `json:"as"`
	Method string         `json:"method"`
	Path   string         `json:"path"`
	Params map[string]any `json:"params"`
	Status int            `json:"status"`
	Body   map[string]any `json:"body"`
	Bind   []string       `json:"bind"` // a symbol, and the field of the answer with its ID
}

// randomReplay sends a sequence to a new server.
type randomReplay struct {
	handler     http.Handler
	credentials map[string]Credentials
	ids         map[string]json.Number // by symbol
	recorded    map[string]json.Number // the same on the recorded server
	pairs       *idPairs
}

// tally counts the answers of an endpoint.
type tally struct{ alike, differing, unreached int }

func (c tally) total() int { return c.alike + c.differing + c.unreached }

func TestConformanceRandom(t *testing.T) {
	files, err := filepath.Glob("testdata/random/*.json.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no sequences: %v", err)
	}
	accounts := readRecording(t, "testdata/recordings/channels-create.json").Accounts
	byEndpoint, all := map[string]tally{}, tally{}
	for _, path := range files {
		sequence := readRandomSequence(t, path)
		for i, found := range replayRandomSequence(t, accounts, sequence) {
			endpoint := sequence.Steps[i].endpoint()
			counted := byEndpoint[endpoint]
			switch {
			case !found.reached:
				counted.unreached++
				all.unreached++
			case found.difference == "":
				counted.alike++
				all.alike++
			default:
				counted.differing++
				all.differing++
				s := sequence.Steps[i]
				t.Logf("%s, step %d: %s %s %s %s\n    recorded | sandbox: %s", filepath.Base(path), i, s.As, s.Method, s.Path, compactAll(s.Params), found.difference)
			}
			byEndpoint[endpoint] = counted
		}
	}
	endpoints := slices.SortedFunc(maps.Keys(byEndpoint), func(a, b string) int {
		x, y := byEndpoint[a], byEndpoint[b]
		return cmp.Or(cmp.Compare(y.total()-y.alike, x.total()-x.alike), cmp.Compare(a, b))
	})
	for _, endpoint := range endpoints {
		c := byEndpoint[endpoint]
		t.Logf("%4d/%d alike (%d differ, %d not reached): %s", c.alike, c.total(), c.differing, c.unreached, endpoint)
	}
	share := float64(all.alike) / float64(all.total())
	t.Logf("random sequences: alike %d/%d (%.2f %%; %d differ, %d not reached)", all.alike, all.total(), 100*share, all.differing, all.unreached)
	if share < minAlike {
		t.Errorf("%.2f %% of the random requests are answered as recorded; at least %.1f %% are wanted", 100*share, 100*minAlike)
	}
}

func readRandomSequence(t *testing.T, path string) randomSequence {
	t.Helper()
	var sequence randomSequence
	readPackedJSON(t, path, &sequence)
	return sequence
}

// readPackedJSON reads a JSON file packed with gzip.
func readPackedJSON(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	requireNoError(t, err)
	unpacked, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	decoder := json.NewDecoder(unpacked)
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

var pathSymbol = regexp.MustCompile(`\{(\w+):[^}]*\}`)

// endpoint is the name that a step is counted under.
func (s randomStep) endpoint() string {
	return s.Method + " " + pathSymbol.ReplaceAllString(s.Path, "{$1}")
}

// outcome is the comparison of a step's answer with the recorded one.
type outcome struct {
	reached    bool
	difference string // "" if they are alike
}

// replayRandomSequence sends a sequence to a new server. After only one of the servers has accepted a change, they differ,
// so the remaining steps are not counted.
func replayRandomSequence(t *testing.T, accounts map[string]Account, sequence randomSequence) []outcome {
	t.Helper()
	s, err := New(Config{Accounts: accounts, FeatureLevel: sequence.FeatureLevel})
	requireNoError(t, err)
	defer s.Close()
	p := newRandomReplay(s, sequence)
	outcomes := make([]outcome, len(sequence.Steps))
	for i, step := range sequence.Steps {
		saved := p.pairs.mark()
		difference, apart := p.step(t, step)
		if difference != "" {
			p.pairs.restore(saved)
		}
		outcomes[i] = outcome{reached: true, difference: difference}
		if apart {
			break
		}
	}
	return outcomes
}

func newRandomReplay(s *Server, sequence randomSequence) *randomReplay {
	p := &randomReplay{s.Handler(), s.AllCredentials(), map[string]json.Number{}, map[string]json.Number{}, newIDPairs()}
	for name, id := range sequence.Accounts {
		p.bind("user", name, id, p.credentials[name].ID)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, group := range s.org.Groups.All() {
		if recorded, ok := sequence.Groups[group.Name]; ok {
			p.bind("group", group.Name, recorded, id)
		}
	}
	return p
}

// bind notes the ID of an object that exists from the start.
func (p *randomReplay) bind(kind, name string, recorded, here int) {
	x, y := json.Number(fmt.Sprint(recorded)), json.Number(fmt.Sprint(here))
	p.ids[kind+":"+name] = y
	p.pairs.bind(kind, x, y)
}

// step sends a request and compares the answer. apart is true if only one server accepted it.
func (p *randomReplay) step(t *testing.T, step randomStep) (difference string, apart bool) {
	t.Helper()
	req, ok := p.request(step)
	if !ok {
		return "the request names something that this server has not made", false
	}
	recorder := httptest.NewRecorder()
	p.handler.ServeHTTP(recorder, req)
	var body map[string]any
	decoder := json.NewDecoder(bytes.NewReader(recorder.Body.Bytes()))
	decoder.UseNumber()
	if err := decoder.Decode(&body); err != nil {
		body = map[string]any{"msg": recorder.Body.String()}
	}
	if recorder.Code != step.Status {
		apart = step.Method != http.MethodGet && (recorder.Code == http.StatusOK || step.Status == http.StatusOK)
		return fmt.Sprintf("status %d %q | %d %q", step.Status, step.Body["msg"], recorder.Code, body["msg"]), apart
	}
	if len(step.Bind) == 2 && recorder.Code == http.StatusOK {
		p.ids[step.Bind[0]], p.recorded[step.Bind[0]] = newID(body[step.Bind[1]]), newID(step.Body[step.Bind[1]])
	}
	return p.pairs.compare(step, body), false
}

// newID is the ID in an answer, which may be a list of one.
func newID(value any) json.Number {
	if list, ok := value.([]any); ok && len(list) > 0 {
		value = list[0]
	}
	id, _ := value.(json.Number)
	return id
}

// request fills in the symbols; false if one has no ID.
func (p *randomReplay) request(step randomStep) (*http.Request, bool) {
	complete := true
	path := pathSymbol.ReplaceAllStringFunc(step.Path, func(found string) string {
		id, ok := p.ids[found[1:len(found)-1]]
		complete = complete && ok
		return id.String()
	})
	form := url.Values{}
	for name, value := range step.Params {
		text, ok := p.parameter(value)
		complete = complete && ok
		form.Set(name, text)
	}
	target, body := "/api/v1"+(&url.URL{Path: path}).EscapedPath(), ""
	if step.Method == http.MethodGet {
		target += "?" + form.Encode()
	} else {
		body = form.Encode()
	}
	req := httptest.NewRequest(step.Method, target, strings.NewReader(body))
	if step.Method != http.MethodGet {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	account := p.credentials[step.As]
	req.SetBasicAuth(account.Email, account.APIKey)
	return req, complete
}

// parameter encodes a value for a request.
func (p *randomReplay) parameter(v any) (string, bool) {
	if object, ok := v.(map[string]any); ok && len(object) == 1 {
		if text, ok := object["$json"]; ok {
			return compactAll(text), true
		}
	}
	filled, ok := p.fill(v)
	if text, isText := filled.(string); isText {
		return text, ok
	}
	return compactAll(filled), ok
}

// fill replaces the symbols of a value.
func (p *randomReplay) fill(v any) (filled any, complete bool) {
	complete = true
	switch v := v.(type) {
	case map[string]any:
		if name, ok := v["$ref"].(string); ok && len(v) == 1 {
			id, ok := p.ids[name]
			return id, ok
		}
		object := map[string]any{}
		for key, value := range v {
			item, ok := p.fill(value)
			object[key], complete = item, complete && ok
		}
		return object, complete
	case []any:
		list := make([]any, len(v))
		for i, value := range v {
			item, ok := p.fill(value)
			list[i], complete = item, complete && ok
		}
		return list, complete
	default:
		return v, true
	}
}
