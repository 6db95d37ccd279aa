package sandbox

import (
	"iter"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// cachedPaths begin the paths of the kinds that a server keeps in caches as one list.
var cachedPaths = []string{
	"/realm/linkifiers", "/realm/filters", "/realm/emoji", "/realm/playgrounds", "/realm/domains", "/realm/profile_fields",
	"/default_stream_groups",
}

// maxLag is how far back a read can see at most.
const maxLag = time.Minute

// pastLists are the lists as they were until a write.
type pastLists struct {
	until time.Time
	rules.Lists
}

// accountLists are the lists of people and of bots as a server has them in its caches.
type accountLists struct {
	users []rules.User
	bots  map[int]rules.Bot
}

// accountLists returns the lists as they are shown now.
func (s *Server) accountLists() *accountLists {
	if s.staleAccounts != nil {
		return s.staleAccounts
	}
	lists := &accountLists{bots: map[int]rules.Bot{}}
	for id, u := range s.org.Users.All() {
		lists.users = append(lists.users, u)
		lists.bots[id] = s.org.BotDetails(id)
	}
	return lists
}

// listedUsers are the rows of the list of people and bots, by ID.
func (r *request) listedUsers() iter.Seq2[int, rules.User] {
	stale := r.server.staleAccounts
	if stale == nil {
		return r.org.Users.All()
	}
	return func(yield func(int, rules.User) bool) {
		for _, u := range stale.users {
			if !yield(u.ID, u) {
				return
			}
		}
	}
}

// listedBot is what the list of bots says of one.
func (r *request) listedBot(id int) rules.Bot {
	if stale := r.server.staleAccounts; stale != nil {
		return stale.bots[id]
	}
	return r.org.BotDetails(id)
}

// isAccountPath reports whether writes of a path change people or bots.
func isAccountPath(path string) bool {
	return path == "/users" || path == "/bots" || strings.HasPrefix(path, "/users/") || strings.HasPrefix(path, "/bots/")
}

// handleWithLag is handle for a server whose lists lag: a read soon after a write returns them as they were before. Past
// lists are only kept while a fault makes them lag. A write of an account empties the cache of people and bots, or leaves it
// stale; so does one of the organization with the copy of its settings that changes of it are compared with.
func (s *Server) handleWithLag(c *call) *answer {
	if c.method == http.MethodPatch && c.path == "/realm" {
		isStale := s.faults.leavesStale(c.method, c.path)
		c.before = func() func() {
			before := s.org.Settings()
			return func() {
				if isStale {
					s.staleSettings = &before
				}
			}
		}
		return s.handle(c)
	}
	if c.method != http.MethodGet && isAccountPath(c.path) {
		isStale := s.faults.leavesStale(c.method, c.path)
		c.before = func() func() {
			var before *accountLists
			if isStale {
				before = s.accountLists()
			}
			return func() { s.staleAccounts = before }
		}
		return s.handle(c)
	}
	lag, lags := s.faults.lag(c.method, c.path)
	if !lags {
		return s.handle(c)
	}
	if c.method == http.MethodGet || c.path == "/register" {
		c.before = func() (restore func()) {
			then := s.clock().Add(-lag)
			i := slices.IndexFunc(s.past, func(p pastLists) bool { return p.until.After(then) })
			if i < 0 {
				return func() {}
			}
			return s.past[i].Show()
		}
	} else if slices.ContainsFunc(cachedPaths, func(prefix string) bool { return strings.HasPrefix(c.path, prefix) }) {
		c.before = func() func() {
			before := s.org.Lists()
			return func() {
				now := s.clock()
				s.past = slices.DeleteFunc(s.past, func(p pastLists) bool { return p.until.Before(now.Add(-maxLag)) })
				s.past = append(s.past, pastLists{now, before})
			}
		}
	}
	return s.handle(c)
}
