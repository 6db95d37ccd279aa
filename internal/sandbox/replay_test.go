package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// replay sends recorded requests to a server, with the numbers of that server in place of the recording's symbols.
type replay struct {
	server      *Server
	bound       map[string]int         // symbol, as in kind:name → number
	mayHoldMore func(path string) bool // which objects of an answer were recorded in part; nil: none
}

type response struct {
	status int
	header http.Header
	body   map[string]any
	text   string
}

func newReplay(s *Server) *replay {
	p := &replay{server: s, bound: map[string]int{}}
	for name, c := range s.AllCredentials() {
		p.bound["user:"+name] = c.ID
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, g := range s.org.Groups.All() {
		if g.System {
			p.bound["group:"+g.Name] = id
		}
	}
	return p
}

// dummyAddress is an address that the recorded server or the sandbox generated from an ID.
var dummyAddress = regexp.MustCompile(`^user\d+@(rec\.example\.com|` + regexp.QuoteMeta(rules.Host) + `)$`)

// recordedBot is the end of a bot's address on the recorded server.
const recordedBot = "-bot@rec.example.com"

// organizationImage begins the path of a picture of the organization.
var organizationImage = regexp.MustCompile(`^/user_avatars/\d+/realm/`)

var symbol = regexp.MustCompile(`\$\{([^}]*)\}`)

// text returns the value of a symbol inside a text; false if it is not bound yet.
func (p *replay) text(name string) (string, bool) {
	switch kind, account, _ := strings.Cut(name, ":"); {
	case name == "site":
		return p.server.URL(), true
	case name == "bot_domain":
		return rules.Host, true
	case kind == "email":
		c, ok := p.server.Credentials(account)
		return c.APIEmail, ok
	}
	id, ok := p.bound[name]
	return strconv.Itoa(id), ok
}

// expand replaces the symbols of a value that is sent.
func (p *replay) expand(v any) any {
	switch v := v.(type) {
	case string:
		if m := symbol.FindStringSubmatch(v); m != nil && m[0] == v {
			if id, ok := p.bound[m[1]]; ok {
				return id
			}
		}
		return p.expandText(v)
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = p.expand(item)
		}
		return list
	case map[string]any:
		object := map[string]any{}
		for key, item := range v {
			object[p.expandText(key)] = p.expand(item)
		}
		return object
	default:
		return v
	}
}

func (p *replay) expandText(s string) string {
	return symbol.ReplaceAllStringFunc(s, func(found string) string {
		if value, ok := p.text(found[2 : len(found)-1]); ok {
			return value
		}
		return found
	})
}

func (p *replay) expandKey(key string) string { return p.expandText(key) }

// compareText compares a recorded text, which may be or hold symbols.
func (p *replay) compareText(path, want string, got any) []string {
	if want == "${any}" || want == "${time}" {
		return nil
	}
	if m := symbol.FindStringSubmatch(want); m != nil && m[0] == want && !strings.HasPrefix(m[1], "email:") && m[1] != "site" && m[1] != "bot_domain" {
		number, ok := got.(float64)
		if !ok {
			return []string{fmt.Sprintf("%s: want %s, got %v", path, want, compact(got))}
		}
		if bound, known := p.bound[m[1]]; known && bound != int(number) {
			return []string{fmt.Sprintf("%s: want %s = %d, got %v", path, want, bound, number)}
		}
		p.bound[m[1]] = int(number)
		return nil
	}
	have, ok := got.(string)
	if !ok {
		return []string{fmt.Sprintf("%s: want %q, got %v", path, want, compact(got))}
	}
	if dummyAddress.MatchString(want) && dummyAddress.MatchString(have) {
		return nil
	}
	if name, ok := strings.CutSuffix(want, recordedBot); ok && have == name+"-bot@"+rules.Host {
		return nil
	}
	expanded := p.expandText(want)
	if strings.HasPrefix(want, "/user_avatars/") { // the ID of the organization
		expanded, have = organizationImage.ReplaceAllString(expanded, "/realm/"), organizationImage.ReplaceAllString(have, "/realm/")
	}
	// An unbound symbol matches any text at its place.
	pattern := symbol.ReplaceAllString(regexp.QuoteMeta(expanded), "")
	pattern = regexp.MustCompile(`\\\$\\\{[^}]*\\\}`).ReplaceAllString(pattern, ".*")
	if !regexp.MustCompile("^(?s:" + pattern + ")$").MatchString(have) {
		return []string{fmt.Sprintf("%s: want %q, got %q", path, expanded, have)}
	}
	return nil
}

// ask sends one recorded request.
func (p *replay) ask(x exchange) (response, error) {
	return p.send(x, func(req *http.Request) { p.authorize(req, x) })
}

func (p *replay) askAs(c Credentials, x exchange) (response, error) {
	return p.send(x, func(req *http.Request) { req.SetBasicAuth(c.Email, c.APIKey) })
}

func (p *replay) send(x exchange, authorize func(*http.Request)) (response, error) {
	target := p.server.URL() + (&url.URL{Path: p.expandText(x.Path)}).EscapedPath()
	if len(x.Query) > 0 {
		query := url.Values{}
		for name, value := range x.Query {
			query.Set(name, p.asText(value))
		}
		target += "?" + query.Encode()
	}
	body, contentType, err := p.requestBody(x)
	if err != nil {
		return response{}, err
	}
	req, err := http.NewRequest(x.Method, target, body)
	if err != nil {
		return response{}, err
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	authorize(req)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return response{}, err
	}
	defer res.Body.Close()
	content, err := io.ReadAll(res.Body)
	if err != nil {
		return response{}, err
	}
	got := response{status: res.StatusCode, header: res.Header, text: string(content)}
	_ = json.Unmarshal(content, &got.body) // an answer that is no JSON has no body
	return got, nil
}

// asText encodes a value for the query: a text as it is, other values as JSON.
func (p *replay) asText(v any) string {
	expanded := p.expand(v)
	if s, ok := expanded.(string); ok {
		return s
	}
	data, _ := json.Marshal(expanded) // it was decoded from JSON
	return string(data)
}

func (p *replay) requestBody(x exchange) (io.Reader, string, error) {
	form := url.Values{}
	for name, value := range x.Form {
		form.Set(name, p.expandText(value))
	}
	for name, value := range x.JSON {
		data, err := json.Marshal(p.expand(value))
		if err != nil {
			return nil, "", err
		}
		form.Set(name, string(data))
	}
	if x.File == nil {
		if len(form) == 0 {
			return http.NoBody, "", nil
		}
		return strings.NewReader(form.Encode()), "application/x-www-form-urlencoded", nil
	}
	var body bytes.Buffer
	parts := multipart.NewWriter(&body)
	for name := range form {
		if err := parts.WriteField(name, form.Get(name)); err != nil {
			return nil, "", err
		}
	}
	header := textproto.MIMEHeader{}
	header.Set("Content-Disposition", fmt.Sprintf(`form-data; name=%q; filename=%q`, x.File.Field, x.File.Name))
	header.Set("Content-Type", x.File.Type)
	part, err := parts.CreatePart(header)
	if err != nil {
		return nil, "", err
	}
	if _, err := part.Write(x.File.Base64); err != nil {
		return nil, "", err
	}
	return &body, parts.FormDataContentType(), parts.Close()
}

// authorize signs a request. The note explains "wrong key".
func (p *replay) authorize(req *http.Request, x exchange) {
	const otherKey = "abcdefghijklmnopqrstuvwxyz012345"
	admin, _ := p.server.Credentials("admin")
	switch {
	case x.As == "nobody":
	case x.As == "wrong key" && x.Note == "unknown account":
		req.SetBasicAuth("stranger@example.com", otherKey)
	case x.As == "wrong key" && x.Note == "malformed key":
		req.SetBasicAuth(admin.Email, "too-short")
	case x.As == "wrong key":
		req.SetBasicAuth(admin.Email, otherKey)
	default:
		c, _ := p.server.Credentials(x.As)
		req.SetBasicAuth(c.Email, c.APIKey)
	}
}

// A try leaves no trace in the organization, its IDs, the journal or a queue. It does not matter whether the server
// accepted the request, refused it or failed.
func TestTry_AnyOutcome_UndoneCompletely(t *testing.T) {
	s := start(t, Config{})
	a := newReplay(s)
	registered, err := a.ask(newExchange("admin", "POST", "/register", map[string]any{"event_types": []string{"message"}}))
	if err != nil || registered.status != http.StatusOK {
		t.Fatal(err, registered.text)
	}
	queue := registered.body["queue_id"].(string)
	admin, _ := s.Credentials("admin")
	before := summary(s, queue)
	first := 0
	for range 2 {
		s.Try(func(try *Trial) {
			made := try.Do(admin.ID, "POST", "/channels/create", map[string]string{"name": "tried", "subscribers": fmt.Sprintf("[%d]", admin.ID)})
			if !made.Done() {
				t.Fatalf("%s", made.Body)
			}
			var channel struct{ ID int }
			_ = json.Unmarshal(made.Body, &channel)
			if first != 0 && channel.ID != first {
				t.Errorf("the second try gets another ID: %d, %d", first, channel.ID)
			}
			first = channel.ID
			if sent := try.Do(admin.ID, "POST", "/messages", map[string]string{"type": "stream", "to": fmt.Sprint(channel.ID), "topic": "t", "content": "x"}); !sent.Done() {
				t.Errorf("what a try did before is not there: %s", sent.Body)
			}
			if events := try.Do(admin.ID, "GET", "/events", map[string]string{"queue_id": queue, "last_event_id": "-1", "dont_block": "true"}); !events.Done() || !bytes.Contains(events.Body, []byte(`"message"`)) {
				t.Errorf("events within a try: %s", events.Body)
			}
			if refused := try.Do(admin.ID, "POST", "/channels/create", map[string]string{"name": "tried", "subscribers": "[]"}); refused.Done() || refused.Code != "CHANNEL_ALREADY_EXISTS" {
				t.Errorf("it can be made twice: %s", refused.Body)
			}
			if gone := try.Do(admin.ID, "GET", fmt.Sprintf("/streams/%d", channel.ID), nil); !gone.Done() {
				t.Errorf("a refusal undoes what was before it: %s", gone.Body)
			}
			try.PlaceMember(admin.ID, try.PlaceGroup("placed"), true)
			try.PlaceMessage(admin.ID, try.PlaceChannel("placed", nil), "t")
		})
	}
	if after := summary(s, queue); !reflect.DeepEqual(before, after) {
		t.Errorf("a try leaves something:\n%s\n%s", before, after)
	}
	s.Try(func(try *Trial) {
		if nobody := try.Do(1, "GET", "/users/me", nil); nobody.Status != http.StatusUnauthorized {
			t.Errorf("somebody who is not there: %d %s", nobody.Status, nobody.Body)
		}
	})
}

// summary is everything that a try could change.
func summary(s *Server, queue string) string {
	var text bytes.Buffer
	s.Organization().Read(func(o *rules.Organization) {
		for id, row := range o.Channels.All() {
			fmt.Fprintf(&text, "%d %+v\n", id, row)
		}
		for id, row := range o.Groups.All() {
			fmt.Fprintf(&text, "%d %+v %v\n", id, row, o.DirectMembers(row))
		}
		for id, row := range o.Subscriptions.All() {
			fmt.Fprintf(&text, "%d %+v\n", id, row)
		}
		for id, row := range o.Messages.All() {
			fmt.Fprintf(&text, "%d %+v\n", id, row)
		}
		_, sequences, _ := o.Changes()
		fmt.Fprintln(&text, o.Users.Len(), sequences)
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintln(&text, len(s.queues), *s.queues[queue], s.journal.Count(Filter{}))
	return text.String()
}

// A request through the transport is handled like one from the network.
func TestTransport(t *testing.T) {
	s := start(t, Config{})
	admin, _ := s.Credentials("admin")
	client := &http.Client{Transport: s.Transport()}
	ask := func(path string) (*http.Response, error) {
		request, err := http.NewRequestWithContext(t.Context(), "GET", "http://sandbox.localhost"+apiPrefix+path, http.NoBody)
		requireNoError(t, err)
		request.SetBasicAuth(admin.Email, admin.APIKey)
		return client.Do(request)
	}
	answer, err := ask("/users/me")
	requireNoError(t, err)
	defer answer.Body.Close()
	var me struct {
		ID int `json:"user_id"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&me); err != nil || me.ID != admin.ID || s.Journal().Count(Filter{Path: "/users/me"}) != 1 {
		t.Errorf("%v, %+v", err, me)
	}
	s.Fail(Fault{Method: "GET", Path: "/users/me", Action: FaultDrop})
	if answer, err := ask("/users/me"); err == nil {
		answer.Body.Close()
		t.Error("a dropped connection answers")
	}
}
