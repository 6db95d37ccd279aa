package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// View shows the content of a server, in words, without using the API.
type View struct{ s *Server }

// Organization returns a view of the server's content. Each of its methods sees the state between two requests.
func (s *Server) Organization() View { return View{s} }

// ChannelView is a channel in words.
type ChannelView struct {
	ID            int
	Name          string
	Description   string
	Private       bool
	WebPublic     bool
	SharedHistory bool
	Archived      bool
	Default       bool
	RetentionDays *int // nil: as the organization; -1: unlimited
	TopicsPolicy  string
	DefaultPush   bool
	Folder        string              // name; "": none
	Creator       string              // email; "": unknown
	Subscribers   []string            // emails of active people, sorted
	Permissions   map[string][]string // setting → principals, see GroupView
}

// GroupView is a user group in words. Principals are role:NAME, group:NAME and user:EMAIL (the real address), sorted. They
// include deactivated people, as on the server.
type GroupView struct {
	ID          int
	Name        string
	Description string
	System      bool
	Deactivated bool
	Members     []string // emails of active people, sorted
	Subgroups   []string // names, sorted
	Permissions map[string][]string
}

// PersonView is a person or bot in words.
type PersonView struct {
	ID       int
	Email    string // the real address
	FullName string
	Role     int
	Active   bool
	Deleted  bool
	IsBot    bool
	Owner    string // of a bot: email
}

// Channel returns a channel, archived or not, by its name in any case.
func (v View) Channel(name string) (ChannelView, bool) {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	ch, ok := v.s.org.ChannelByName(name)
	return v.channel(ch), ok
}

// Channels returns every channel, archived ones included, by id.
func (v View) Channels() []ChannelView {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	var all []ChannelView
	for _, ch := range v.s.org.Channels.All() {
		all = append(all, v.channel(ch))
	}
	return all
}

// Group returns a user group by its exact name.
func (v View) Group(name string) (GroupView, bool) {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	g, ok := v.s.org.GroupByName(name)
	return v.group(g), ok
}

// Groups returns every user group, system groups included, by id.
func (v View) Groups() []GroupView {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	var all []GroupView
	for _, g := range v.s.org.Groups.All() {
		all = append(all, v.group(g))
	}
	return all
}

// Person returns a person or bot by the real address.
func (v View) Person(email string) (PersonView, bool) {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	u, ok := v.s.org.UserByEmail(email)
	return v.person(u), ok
}

// Settings returns the personal settings of a person by the real address.
func (v View) Settings(email string) map[string]any {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	u, _ := v.s.org.UserByEmail(email)
	settings := map[string]any{}
	for _, s := range rules.UserSettings {
		settings[s.Name] = v.s.org.UserSetting(u.ID, s)
	}
	return settings
}

// People returns every person and bot by id.
func (v View) People() []PersonView {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	var all []PersonView
	for _, u := range v.s.org.Users.All() {
		all = append(all, v.person(u))
	}
	return all
}

// Permissions returns the organization-wide permissions in words.
func (v View) Permissions() map[string][]string {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	return v.permissions(v.s.org.Settings().Permissions)
}

// Read lets a test read the rules' own tables between two requests. f must not change them.
func (v View) Read(f func(*rules.Organization)) {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	f(v.s.org)
}

func (v View) channel(ch rules.Channel) ChannelView {
	o := v.s.org
	view := ChannelView{
		ID: ch.ID, Name: ch.Name, Description: ch.Description,
		Private: ch.Private, WebPublic: ch.WebPublic, SharedHistory: ch.SharedHistory,
		Archived: ch.Archived, Default: o.IsDefault(ch.ID),
		RetentionDays: ch.RetentionDays, TopicsPolicy: ch.TopicsPolicy, DefaultPush: ch.DefaultPush,
		Subscribers: v.emails(o.Subscribers(ch.ID)),
		Permissions: v.permissions(ch.Permissions),
	}
	if ch.FolderID != nil {
		folder, _ := o.Folders.Get(*ch.FolderID)
		view.Folder = folder.Name
	}
	if ch.CreatorID != nil {
		creator, _ := o.Users.Get(*ch.CreatorID)
		view.Creator = creator.Email
	}
	return view
}

func (v View) group(g rules.UserGroup) GroupView {
	view := GroupView{
		ID: g.ID, Name: g.Name, Description: g.Description, System: g.System, Deactivated: g.Deactivated,
		Permissions: v.permissions(g.Permissions),
	}
	if g.ID == 0 {
		return view
	}
	view.Members = v.emails(v.s.org.DirectMembers(g))
	for _, id := range g.Subgroups {
		sub, _ := v.s.org.Groups.Get(id)
		view.Subgroups = append(view.Subgroups, sub.Name)
	}
	slices.Sort(view.Subgroups)
	return view
}

func (v View) person(u rules.User) PersonView {
	owner, _ := v.s.org.Users.Get(u.BotOwnerID)
	return PersonView{u.ID, u.Email, u.FullName, u.Role, u.Active, u.Deleted, u.IsBot, owner.Email}
}

func (v View) permissions(values map[string]rules.GroupValue) map[string][]string {
	words := map[string][]string{}
	for name, value := range values {
		words[name] = v.principals(value)
	}
	return words
}

func (v View) principals(value rules.GroupValue) []string {
	groups := value.Subgroups
	if value.Group != 0 {
		groups = []int{value.Group}
	}
	principals := []string{}
	for _, id := range groups {
		g, _ := v.s.org.Groups.Get(id)
		if g.System {
			principals = append(principals, g.Name) // it starts with role: already
		} else {
			principals = append(principals, "group:"+g.Name)
		}
	}
	for _, id := range value.Members {
		u, _ := v.s.org.Users.Get(id)
		principals = append(principals, "user:"+u.Email)
	}
	slices.Sort(principals)
	return principals
}

func (v View) emails(ids []int) []string {
	emails := []string{}
	for _, id := range ids {
		u, _ := v.s.org.Users.Get(id)
		emails = append(emails, u.Email)
	}
	slices.Sort(emails)
	return emails
}

// Trial is the organization during [Server.Try]. [Trial.Do] applies the rules. The other methods prepare objects without
// checking permissions.
type Trial struct {
	s *Server
	*rules.Organization
}

// Try calls a function that tries something, and undoes its effects. It leaves no trace in the organization, the state
// file, the journal or an event queue, and its IDs are used again. No other request is handled until Try returns. Rate
// limits, faults and latency do not apply.
func (s *Server) Try(try func(*Trial)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	queues := make(eventQueues, len(s.queues))
	for id, queue := range s.queues {
		kept := *queue
		queues[id] = &kept
	}
	settings, accounts := s.staleSettings, s.staleAccounts
	s.staleSettings, s.staleAccounts = nil, nil
	defer func() { s.queues, s.staleSettings, s.staleAccounts = queues, settings, accounts }()
	s.org.Try(func() { try(&Trial{s, s.org}) })
}

// TriedAnswer is the server's answer to a request of a [Trial].
type TriedAnswer struct {
	Status int
	// Code and Message describe a refusal.
	Code, Message string
	Body          []byte
}

// Done reports whether the server did what the request asked for.
func (a TriedAnswer) Done() bool { return a.Status == http.StatusOK }

// Upload is a file of a request of a [Trial].
type Upload struct {
	Field, Name, ContentType string
	Content                  []byte
}

// Do handles a request of an account, by ID, as if it had come with the account's key. Later requests of the trial see its
// changes. It does not wait for events.
func (t *Trial) Do(as int, method, path string, params map[string]string, uploads ...Upload) (a TriedAnswer) {
	found, refused := t.s.router.find(method, apiPrefix+path, t.s.featureLevel())
	if refused != nil {
		return triedAnswer(refused)
	}
	values := maps.Clone(params)
	if values == nil {
		values = map[string]string{}
	}
	r := &request{
		params: newParams(values, t.s.featureLevel()), org: t.s.org, vars: found.vars, client: "Unspecified",
		site: t.s.listensAt().url(), query: encoded(params), server: t.s, arrival: t.s.arrivals.Add(1),
	}
	for _, upload := range uploads {
		r.files = append(r.files, file(upload))
	}
	t.Commit() // if this is refused, earlier changes stay
	defer func() {
		if broken := recover(); broken != nil {
			t.Rollback()
			a = triedAnswer(failure(fmt.Errorf("%v", broken)))
		}
	}()
	answer, _ := t.s.perform(r, found.endpoint, t.admit(r, as, found.endpoint))
	return triedAnswer(answer)
}

// admit is [Server.admit] for an account that needs no key.
func (t *Trial) admit(r *request, as int, e endpoint) error {
	me, known := t.Users.Get(as)
	switch {
	case e.guard == open:
		return nil
	case !known:
		return unauthorized("Invalid API key")
	case !me.Active:
		return unauthorized("Account is deactivated")
	}
	if err := e.admitsBot(me); err != nil {
		return err
	}
	r.me = me
	return e.guardAt(r.level).check(me)
}

func triedAnswer(a *answer) TriedAnswer {
	tried := TriedAnswer{Status: a.status, Body: a.body}
	if !tried.Done() {
		var refusal struct{ Code, Msg string }
		_ = json.Unmarshal(a.body, &refusal) // otherwise it is a page without these fields
		tried.Code, tried.Message = refusal.Code, refusal.Msg
	}
	return tried
}

func encoded(params map[string]string) string {
	query := url.Values{}
	for name, value := range params {
		query.Set(name, value)
	}
	return query.Encode()
}

// Transport reaches the server within the process, for every address of a request.
func (s *Server) Transport() http.RoundTripper { return transport{s.Handler()} }

type transport struct{ handler http.Handler }

var errDropped = errors.New("the sandbox dropped the connection")

// RoundTrip has the server handle a request.
func (t transport) RoundTrip(r *http.Request) (response *http.Response, err error) {
	defer func() {
		if recover() != nil { // a fault of the server panics like this
			response, err = nil, errDropped
		}
	}()
	if r.Body == nil {
		r = r.Clone(r.Context())
		r.Body = http.NoBody
	}
	recorder := &recorder{header: http.Header{}, status: http.StatusOK}
	t.handler.ServeHTTP(recorder, r)
	return &http.Response{
		Status: http.StatusText(recorder.status), StatusCode: recorder.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: recorder.header, Body: io.NopCloser(&recorder.body), ContentLength: int64(recorder.body.Len()), Request: r,
	}, nil
}

// recorder records an answer.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header returns the header of the answer.
func (r *recorder) Header() http.Header { return r.header }

// WriteHeader records the status.
func (r *recorder) WriteHeader(status int) { r.status = status }

func (r *recorder) Write(part []byte) (int, error) { return r.body.Write(part) }
