package provider_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// atOnce is the number of resources that Terraform works on at the same time.
const atOnce = 10

// TestProtocolLaggingLists creates and destroys ten concurrent objects of a kind, repeatedly, on a server whose lists
// lag behind its writes. Nothing fails, nothing is left behind, and nothing is adopted.
func TestProtocolLaggingLists(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "kudos.png")
	writePicture(t, picture)
	var tested []string
	for _, kind := range []struct {
		resource string
		config   func(i int) acctest.Values
		path     string // its writes
		part     string // of the snapshot
		field    string
		rounds   int
	}{
		{"zulip_linkifier", func(i int) acctest.Values {
			return acctest.Values{"pattern": fmt.Sprintf("T%d-(?P<id>[0-9]+)", i), "url_template": "https://example.com/{id}"}
		}, "/realm/filters/**", "realm_linkifiers", "realm_linkifiers", 20},
		{"zulip_custom_emoji", func(i int) acctest.Values {
			return acctest.Values{"name": fmt.Sprintf("kudos%d", i), "file": picture}
		}, "/realm/emoji/*", "realm_emoji", "realm_emoji", 20},
		{"zulip_code_playground", func(i int) acctest.Values {
			return acctest.Values{"name": fmt.Sprintf("Play %d", i), "pygments_language": "Go", "url_template": "https://play.example.com/{code}"}
		}, "/realm/playgrounds/**", "realm_playgrounds", "realm_playgrounds", 3},
		{"zulip_domain", func(i int) acctest.Values {
			return acctest.Values{"domain": fmt.Sprintf("d%d.example.org", i)}
		}, "/realm/domains/**", "realm_domains", "realm_domains", 3},
		{"zulip_custom_profile_field", func(i int) acctest.Values {
			return acctest.Values{"field_type": "short_text", "name": fmt.Sprintf("Field %d", i)}
		}, "/realm/profile_fields/**", "custom_profile_fields", "custom_profile_fields", 3},
		{"zulip_default_channel_group", func(i int) acctest.Values {
			return acctest.Values{"name": fmt.Sprintf("Group %d", i), "description": "Theirs"}
		}, "/default_stream_groups/**", "default_stream_groups", "realm_default_stream_groups", 3},
	} {
		tested = append(tested, kind.resource)
		t.Run(kind.resource, func(t *testing.T) {
			t.Parallel()
			o := acctest.NewSandbox(t, sandbox.Config{Latency: time.Millisecond})
			before := held(t, o, kind.part, kind.field)
			heal := o.Fail(t, "* ** lag=80ms")
			defer heal()
			run := o.NewRun(t, kind.resource)
			states := make([]*acctest.Instance, atOnce)
			for round := range kind.rounds {
				for _, destroy := range []bool{false, true} {
					apply(t, run, kind.resource, states, func(i int) acctest.Values {
						if destroy {
							return nil
						}
						return kind.config(i)
					})
					if t.Failed() {
						t.Fatalf("round %d, destroy %t", round, destroy)
					}
				}
			}
			heal()
			if left := held(t, o, kind.part, kind.field); left != before {
				t.Errorf("the server holds %d, and held %d before", left, before)
			}
			made := o.Sandbox.Journal().Requests(sandbox.Filter{Method: "POST", Path: kind.path})
			made = slices.DeleteFunc(made, func(r sandbox.Request) bool { return r.Status != 200 })
			if len(made) != kind.rounds*atOnce {
				t.Errorf("%d were made, want %d: the others were adopted", len(made), kind.rounds*atOnce)
			}
			expectOneAtATime(t, o, kind.path)
		})
	}
	for _, resource := range cachedLists {
		if !slices.Contains(tested, resource) {
			t.Errorf("%s is not tested", resource)
		}
	}
}

// apply plans and applies in two processes, as Terraform does, with ten concurrent resources.
func apply(t *testing.T, run *acctest.Run, resource string, states []*acctest.Instance, config func(int) acctest.Values) {
	t.Helper()
	plans := make([]*acctest.PlannedChange, len(states))
	p := run.Process()
	atTheSameTime(len(states), func(i int) {
		if states[i] != nil {
			read, diags := p.Read(resource, states[i])
			diags.ExpectNoError(t)
			if states[i] = read; read == nil {
				t.Errorf("number %d is taken for gone", i)
				return
			}
		}
		var diags acctest.Diagnostics
		plans[i], diags = p.Plan(resource, states[i], config(i))
		diags.ExpectNoError(t)
		if said := fmt.Sprint(diags); strings.Contains(said, "already") {
			t.Errorf("the plan says: %s", said)
		}
	})
	if t.Failed() {
		return
	}
	p = run.Process()
	atTheSameTime(len(states), func(i int) {
		again, diags := p.Plan(resource, plans[i].Prior, plans[i].Config)
		diags.ExpectNoError(t)
		states[i], diags = p.Apply(again)
		if len(diags) > 0 {
			t.Errorf("the apply says: %v", diags)
		}
		if gone := states[i] == nil; gone != (config(i) == nil) {
			t.Errorf("after the apply number %d is in the state: %t", i, !gone)
		}
	})
}

func atTheSameTime(n int, do func(int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { do(i) })
	}
	all.Wait()
}

// held counts the active objects in one field of a snapshot.
func held(t *testing.T, o *acctest.Organization, part, field string) (count int) {
	t.Helper()
	for _, object := range snapshot(t, o, part, field) {
		if object["deactivated"] != true {
			count++
		}
	}
	return count
}

// expectOneAtATime checks that writes of a path do not overlap.
func expectOneAtATime(t *testing.T, o *acctest.Organization, path string) {
	t.Helper()
	writes := o.Sandbox.Journal().Requests(sandbox.Filter{Path: path})
	writes = slices.DeleteFunc(writes, func(r sandbox.Request) bool { return r.Method == "GET" })
	slices.SortFunc(writes, func(a, b sandbox.Request) int { return a.Time.Compare(b.Time) })
	for i := 1; i < len(writes); i++ {
		if end := writes[i-1].Time.Add(writes[i-1].Duration); writes[i].Time.Before(end) {
			t.Errorf("%s %s was sent while %s %s was under way", writes[i].Method, writes[i].Path, writes[i-1].Method, writes[i-1].Path)
			return
		}
	}
}

// TestFaultLookUp_OwnWrite_NotAwaited loses the answer to a creation near the rate limit, where reads wait up to two
// seconds for writes under way. The write whose answer was lost does not count as under way.
func TestFaultLookUp_OwnWrite_NotAwaited(t *testing.T) {
	const limit = 400
	for _, c := range []struct {
		resource, path string
		config         acctest.Values
	}{
		{"zulip_user", "/users", acctest.Values{"email": "nadia.haddad@example.com", "full_name": "Nadia Haddad"}},
		{"zulip_bot", "/bots", acctest.Values{"full_name": "Alerts", "short_name": "alerts", "bot_type": "generic"}},
		{"zulip_channel", "/channels/create", acctest.Values{"name": "alerts"}},
		{"zulip_user_group", "/user_groups/create", acctest.Values{"name": "alerts", "description": ""}},
	} {
		t.Run(c.resource, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{RateLimits: []sandbox.RateLimit{{Window: time.Minute, Requests: limit}}})
			run := o.NewRun(t, c.resource)
			plan := run.MustPlan(c.config)
			for range limit / 2 {
				if _, err := o.Client.Me(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
			o.Sandbox.Fail(sandbox.Fault{Method: http.MethodPost, Path: c.path, After: true, Action: sandbox.FaultDrop, Count: 1})
			sent := o.Sent()
			run.Apply(plan).ExpectNoError(t)
			requests := sent.Requests()
			write := slices.IndexFunc(requests, func(r sandbox.Request) bool { return r.Method == http.MethodPost && r.Path == c.path })
			if write < 0 || write == len(requests)-1 {
				t.Fatalf("no look-up followed the creation: %+v", requests)
			}
			lost, look := requests[write], requests[write+1]
			if wait := look.Time.Sub(lost.Time.Add(lost.Duration)); wait > 1500*time.Millisecond {
				t.Errorf("%s %s came %s after the lost answer", look.Method, look.Path, wait)
			}
		})
	}
}
