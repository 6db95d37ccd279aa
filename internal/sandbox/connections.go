package sandbox

import (
	"net"
	"net/http"
	"sync"
)

// newConnections are the connections without a request so far. Clients open some in
// advance, and a server that shuts down would wait for seconds whether they are used.
type newConnections struct {
	mu    sync.Mutex
	open  map[net.Conn]struct{}
	ended bool // the server shuts down
}

// closeUnusedConnections makes a server close such connections when it shuts down.
func closeUnusedConnections(server *http.Server) {
	u := &newConnections{open: map[net.Conn]struct{}{}}
	server.ConnState = u.note
	server.RegisterOnShutdown(u.end)
}

func (u *newConnections) note(conn net.Conn, state http.ConnState) {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case state != http.StateNew:
		delete(u.open, conn)
	case u.ended:
		_ = conn.Close() // accepted while the server shuts down
	default:
		u.open[conn] = struct{}{}
	}
}

func (u *newConnections) end() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.ended = true
	for conn := range u.open {
		_ = conn.Close() // it was of no use to anybody
	}
}
