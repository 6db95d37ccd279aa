package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// statePlace is where the CLI keeps its state. It writes a file anew after each resource, which for many resources takes
// longer than everything else; a remote one it writes now and then.
type statePlace string

const (
	inFile   statePlace = "file"
	isRemote statePlace = "remote"
	// noState is for channels that no CLI has made.
	noState statePlace = "none"
)

// stateServer keeps remote states for the CLI's backend "http", in memory.
type stateServer struct {
	server *http.Server
	url    string

	mu     sync.Mutex
	states map[string][]byte
}

func serveStates(ctx context.Context) (*stateServer, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &stateServer{url: "http://" + listener.Addr().String(), states: map[string][]byte{}}
	s.server = &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	go func() { _ = s.server.Serve(listener) }() // ends with close
	return s, nil
}

func (s *stateServer) close() { _ = s.server.Close() }

// ServeHTTP answers what the backend asks: a GET of the state, a POST of a new one.
func (s *stateServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch r.Method {
	case http.MethodGet:
		if s.states[r.URL.Path] == nil {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = w.Write(s.states[r.URL.Path])
	case http.MethodPost:
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		s.states[r.URL.Path] = body
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}
