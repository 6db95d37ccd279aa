// Package life runs random histories of an organization and its configuration through the plugin protocol, and checks after
// every round what the provider promises.
//
//   - [World] is an organization on a sandbox, a configuration and a state. Its plan and apply order the resources as Terraform
//     does.
//   - A history is a list of [Turn]. Each has a seed of its own, so that a shorter list is a history too. [Play] plays it, and
//     [Shrink] shortens it.
//   - [Known] are the defects that the checks find today.
package life

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/provider"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

var schemas = sync.OnceValue(func() *tfprotov6.GetProviderSchemaResponse { return acctest.Schemas(&recorder{}) })

// A recorder takes what fails a test. It stops a fatal failure with a panic.
type recorder struct {
	testing.TB

	mu    sync.Mutex
	found []string
}

type fatal struct{ message string }

// Helper does nothing.
func (r *recorder) Helper() {}

func (r *recorder) add(message string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.found = append(r.found, message)
}

// Error notes a failure.
func (r *recorder) Error(args ...any) { r.add(fmt.Sprint(args...)) }

// Errorf notes a failure.
func (r *recorder) Errorf(format string, args ...any) { r.add(fmt.Sprintf(format, args...)) }

// Fatal stops what the recorder was given to.
func (r *recorder) Fatal(args ...any) { panic(fatal{fmt.Sprint(args...)}) }

// Fatalf stops what the recorder was given to.
func (r *recorder) Fatalf(format string, args ...any) { panic(fatal{fmt.Sprintf(format, args...)}) }

// accounts are the people and bots who are in the organization from the start. The provider acts as terry, with the second
// configuration as ada. A person makes changes outside Terraform as olga.
var accounts = map[string]sandbox.Account{
	"terry": {Email: "terry@example.com", FullName: "Terry", Role: 100, CanCreateUsers: true},
	"olga":  {Email: "olga@example.com", FullName: "Olga", Role: 100, CanCreateUsers: true},
	"ada":   {Email: "ada@example.com", FullName: "Ada", Role: 200, CanCreateUsers: true},
	"mo":    {Email: "mo@example.com", FullName: "Mo", Role: 300},
	"mel":   {Email: "mel@example.com", FullName: "Mel", Role: 400},
	"max":   {Email: "max@example.com", FullName: "Max", Role: 400},
	"kim":   {Email: "kim@example.com", FullName: "Kim", Role: 400},
	"gus":   {Email: "gus@example.com", FullName: "Gus", Role: 600},
}

// World is an organization, with a configuration and a state.
type World struct {
	target       string // of the next plan; "" for everything
	skipsRefresh bool   // by the next plan

	server   *sandbox.Server
	config   *configuration
	states   map[string]*instance
	warns    bool            // access_warnings
	isOfTwo  bool            // the current plan or apply uses both provider configurations
	latency  time.Duration   // of each request, and of a step in the delays of resources
	random   uint64          // of delays
	picture  string          // the path of one
	initial  map[string]bool // the objects from the start, by kind and ID
	mu       sync.Mutex
	ever     map[string]bool // the objects that were ever in the state, by kind and ID
	problems []problem       // of the current plan or apply
}

// newWorld starts an organization. Close it.
func newWorld(picture string, latency time.Duration) (*World, error) {
	server, err := sandbox.New(sandbox.Config{Accounts: accounts, Latency: latency})
	if err != nil {
		return nil, err
	}
	if err := server.Start("127.0.0.1:0"); err != nil {
		return nil, err
	}
	for name := range accounts {
		credentials, _ := server.Credentials(name)
		if accounts[name].CanCreateUsers {
			if err := server.AllowInShell(credentials.ID); err != nil {
				return nil, err
			}
		}
	}
	w := &World{
		server: server, config: newConfiguration(), states: map[string]*instance{}, picture: picture, latency: latency, initial: map[string]bool{}, ever: map[string]bool{},
	}
	for _, one := range server.Organization().People() {
		w.initial[fmt.Sprint("zulip_user ", one.ID)], w.initial[fmt.Sprint("zulip_bot ", one.ID)] = true, true
	}
	for _, one := range server.Organization().Channels() {
		w.initial[fmt.Sprint("zulip_channel ", one.ID)] = true
	}
	for _, one := range server.Organization().Groups() {
		w.initial[fmt.Sprint("zulip_user_group ", one.ID)] = true
	}
	return w, nil
}

func (w *World) close() { _ = w.server.Close() }

// call sends a request as an account, and reports whether the server accepted it.
func (w *World) call(as, method, path string, params map[string]any) (done bool) {
	credentials, ok := w.server.Credentials(as)
	return ok && w.callWith(credentials, method, path, params)
}

func (w *World) callWith(credentials sandbox.Credentials, method, path string, params map[string]any) (done bool) {
	form := url.Values{}
	for name, value := range params {
		word, isText := value.(string)
		if !isText {
			encoded, err := json.Marshal(value)
			if err != nil {
				panic(err)
			}
			word = string(encoded)
		}
		form.Set(name, word)
	}
	req, err := http.NewRequestWithContext(context.Background(), method, w.server.URL()+"/api/v1"+path, strings.NewReader(form.Encode()))
	if err != nil {
		panic(err)
	}
	req.SetBasicAuth(credentials.Email, credentials.APIKey)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err == nil && resp.Body.Close() == nil && resp.StatusCode == http.StatusOK
}

// A run is the provider processes of one plan or apply: one for each provider configuration.
type run struct {
	*recorder
	first, second *acctest.Process
}

// start starts the processes.
func (w *World) start() *run {
	r := &run{recorder: &recorder{}}
	process := func(account string) *acctest.Process {
		credentials, _ := w.server.Credentials(account)
		p := acctest.StartProcessOf(context.Background(), r.recorder, provider.NewServerForOne("test"))
		diags := p.Configure(values{"site": w.server.URL(), "email": credentials.Email, "api_key": credentials.APIKey, "access_warnings": w.warns, "max_retries": 5})
		w.report("provider."+account, diags)
		return p
	}
	r.first = process("terry")
	for _, state := range w.states {
		if state.usesSecond && r.second == nil {
			r.second = process("ada")
		}
	}
	for _, b := range w.config.blocks {
		if b.usesSecond && r.second == nil {
			r.second = process("ada")
		}
	}
	w.isOfTwo = r.second != nil
	return r
}

func (r *run) process(usesSecond bool) *acctest.Process {
	if usesSecond {
		return r.second
	}
	return r.first
}

// A problem is a message of the provider about a resource.
type problem struct {
	address string
	acctest.Diagnostic
	isOfTwo   bool // if the configuration has two provider configurations
	isOfFirst bool // if the resource has create_before_destroy
	isOfText  bool // if the configuration of the resource has, as text, a name that the message quotes
}

func (w *World) report(address string, diags acctest.Diagnostics) (ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, one := range diags {
		b := w.config.blocks[strings.TrimSuffix(address, deposed)]
		isOfText := b != nil && slices.ContainsFunc(literals(b.config), func(text string) bool { return quotes(one.String(), text) })
		w.problems = append(w.problems, problem{address, one, w.isOfTwo, b != nil && b.createBeforeDestroy, isOfText})
	}
	return len(diags.Errors()) == 0
}

// quotes reports whether a message quotes a name, alone or as "user:NAME".
func quotes(message, name string) bool {
	return strings.Contains(message, `"`+name+`"`) || strings.Contains(message, `:`+name+`"`)
}

// literals are the texts in a value, without "user:" or "group:".
func literals(value any) (all []string) {
	switch value := value.(type) {
	case string:
		_, name, isPrincipal := strings.Cut(value, ":")
		if !isPrincipal {
			name = value
		}
		return []string{name}
	case []any:
		for _, one := range value {
			all = append(all, literals(one)...)
		}
	case map[string]any:
		for _, one := range value {
			all = append(all, literals(one)...)
		}
	}
	return all
}
