package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"maps"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// api is a server's handler that counts requests and delays each of them.
type api struct {
	handler  http.Handler
	requests atomic.Int64
	latency  atomic.Int64 // a time.Duration
}

func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.requests.Add(1)
	time.Sleep(time.Duration(a.latency.Load()))
	a.handler.ServeHTTP(w, r)
}

// object is a JSON object.
type object map[string]any

// objects are the objects of one resource type of another provider, in memory.
type objects struct {
	complete func(id int) object // returns the fields that the server sets on a new object

	mu      sync.Mutex
	newest  int
	objects map[string]object
}

// newAPI returns a handler that creates objects with a POST to collection. It reads, changes and deletes an object at
// item and its ID.
func newAPI(collection, item string, complete func(id int) object) *http.ServeMux {
	o := &objects{complete: complete, objects: map[string]object{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+collection, o.create)
	mux.HandleFunc(item+"/{id}", o.handle)
	return mux
}

// tailscale returns the API of webhooks.
func tailscale() http.Handler {
	return newAPI("/api/v2/tailnet/-/webhooks", "/api/v2/webhooks", func(id int) object {
		return object{"endpointId": strconv.Itoa(id), "secret": "secret"}
	})
}

// github returns the API of teams. The provider first reads the organization.
func github() http.Handler {
	mux := newAPI("/api/v3/orgs/bench/teams", "/api/v3/organizations/1/team", func(id int) object {
		return object{"id": id, "node_id": fmt.Sprintf("team_%d", id), "slug": fmt.Sprintf("team-%d", id), "members_count": 0}
	})
	mux.HandleFunc("GET /api/v3/users/bench", func(w http.ResponseWriter, r *http.Request) {
		answer(w, r, object{"id": 1, "login": "bench", "type": "Organization"})
	})
	return mux
}

func (o *objects) create(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var created object
	if err := json.NewDecoder(r.Body).Decode(&created); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	o.newest++
	maps.Copy(created, o.complete(o.newest))
	o.objects[strconv.Itoa(o.newest)] = created
	answer(w, r, created)
}

func (o *objects) handle(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	id := r.PathValue("id")
	found, exists := o.objects[id]
	switch {
	case !exists:
		http.Error(w, `{"message": "Not Found"}`, http.StatusNotFound)
	case r.Method == http.MethodGet:
		answer(w, r, found)
	case r.Method == http.MethodPatch:
		if err := json.NewDecoder(r.Body).Decode(&found); err != nil { // replaces only the fields of the body
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		answer(w, r, found)
	case r.Method == http.MethodDelete:
		delete(o.objects, id)
		w.WriteHeader(http.StatusNoContent)
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

// answer sends an object with its ETag, or 304 if the client has this version.
func answer(w http.ResponseWriter, r *http.Request, o object) {
	body, _ := json.Marshal(o)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("ETag", fmt.Sprintf("\"%08x\"", crc32.ChecksumIEEE(body)))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}
