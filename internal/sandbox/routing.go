package sandbox

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// apiPrefix stands before the path of every endpoint.
const apiPrefix = "/api/v1"

// endpoint is one line of the table of endpoints.
type endpoint struct {
	method string
	path   string // segments in braces are variables; {x:int} takes digits only
	guard  guard
	since  int // feature level it exists from; 0: always
	// bots is the feature level from which the guard lets bots in like people; 0: no level does.
	bots   int
	handle handler
	// silent drops unknown parameters without reporting them (server-behavior §R14).
	silent bool
	// webhookBots lets incoming webhook bots in (server-behavior §R16).
	webhookBots bool
	// isPage is answered for a wrong verb as a page is: without JSON.
	isPage bool
	// queues is served by the process that holds the event queues, which counts
	// requests by itself (server-behavior §R19).
	queues bool
}

// guardAt returns the guard of the endpoint on a server of a feature level.
func (e endpoint) guardAt(level int) guard {
	if e.bots > 0 && level >= e.bots {
		return e.guard.withBots()
	}
	return e.guard
}

// handler reads its parameters and answers with the fields of a success.
type handler func(*request) (fields, error)

// route is an endpoint found for a request, and the variables of its path.
type route struct {
	endpoint
	pattern string
	vars    map[string]string
}

// router finds endpoints as Django does: the first path that matches is it,
// and only then the verb is looked at.
type router struct {
	bySegments map[int][]string // number of segments → paths, in the table's order
	byPath     map[string][]endpoint
}

func newRouter(table []endpoint) *router {
	r := &router{bySegments: map[int][]string{}, byPath: map[string][]endpoint{}}
	for _, e := range table {
		if _, known := r.byPath[e.path]; !known {
			n := strings.Count(e.path, "/")
			r.bySegments[n] = append(r.bySegments[n], e.path)
		}
		r.byPath[e.path] = append(r.byPath[e.path], e)
	}
	return r
}

// find returns the route of a request on a server of the feature level, or the
// answer that there is none.
func (r *router) find(method, path string, level int) (*route, *answer) {
	path, ok := strings.CutPrefix(path, apiPrefix)
	if !ok {
		return nil, htmlAnswer(http.StatusNotFound, "Page not found")
	}
	for _, pattern := range r.bySegments[strings.Count(path, "/")] {
		vars, ok := match(pattern, path)
		if !ok {
			continue
		}
		known := slices.Collect(func(yield func(endpoint) bool) {
			for _, e := range r.byPath[pattern] {
				if e.since <= level && !yield(e) {
					return
				}
			}
		})
		if len(known) == 0 {
			continue
		}
		return choose(known, method, vars)
	}
	return nil, htmlAnswer(http.StatusNotFound, "Page not found")
}

// choose picks the endpoint with the verb. GET serves HEAD too.
func choose(known []endpoint, method string, vars map[string]string) (*route, *answer) {
	var allowed []string
	verb := method
	if method == http.MethodHead {
		verb = http.MethodGet
	}
	for _, e := range known {
		if e.method == verb {
			return &route{endpoint: e, pattern: e.path, vars: vars}, nil
		}
		allowed = append(allowed, e.method)
	}
	if slices.Contains(allowed, http.MethodGet) {
		allowed = append(allowed, http.MethodHead)
	}
	switch {
	case method == http.MethodOptions:
		a := newAnswer(http.StatusNoContent, "", nil)
		a.header.Set("Allow", strings.Join(allowed, ", "))
		return nil, a
	case known[0].isPage:
		a := newAnswer(http.StatusMethodNotAllowed, "text/html; charset=utf-8", nil)
		a.header.Set("Allow", strings.Join(allowed, ", "))
		return nil, a
	}
	return nil, methodNotAllowed(allowed)
}

// match compares a path with a pattern, segment by segment.
func match(pattern, path string) (map[string]string, bool) {
	vars := map[string]string{}
	want, have := strings.Split(pattern, "/"), strings.Split(path, "/")
	for i, segment := range want {
		name, variable := strings.CutPrefix(segment, "{")
		if !variable {
			if segment != have[i] {
				return nil, false
			}
			continue
		}
		name, isInt := strings.CutSuffix(strings.TrimSuffix(name, "}"), ":int")
		if have[i] == "" || isInt && !isDigits(have[i]) {
			return nil, false
		}
		vars[name] = have[i]
	}
	return vars, true
}

func isDigits(s string) bool {
	_, err := strconv.ParseUint(s, 10, 62)
	return err == nil
}
