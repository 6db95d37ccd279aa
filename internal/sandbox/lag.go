package sandbox

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/organization"
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
	organization.Lists
}

// handleWithLag is handle for a server whose lists lag: a read soon after a write returns them as they were before. Past
// lists are only kept while a fault makes them lag.
func (s *Server) handleWithLag(c *call) *answer {
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
