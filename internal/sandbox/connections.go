package sandbox

import (
	"net"
	"net/http"
	"sync"
)

// newConnections are the connections without a request so far. Clients open some in
// advance, and a server that shuts down would wait for seconds whether they are used.
type newConnections struct {
	mu   sync.Mutex
	open map[net.Conn]struct{}
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
	if state == http.StateNew {
		u.open[conn] = struct{}{}
	} else {
		delete(u.open, conn)
	}
}

func (u *newConnections) end() {
	u.mu.Lock()
	defer u.mu.Unlock()
	for conn := range u.open {
		_ = conn.Close() // it was of no use to anybody
	}
}
