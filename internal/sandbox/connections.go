package sandbox

import (
	"net"
	"net/http"
	"sync"
)

// unused are the connections on which nothing was asked yet. Clients open some
// in advance; a server that is to end would wait for seconds whether they are
// used after all.
type unused struct {
	mu   sync.Mutex
	open map[net.Conn]struct{}
}

// endUnused makes a server that is shut down close such connections.
func endUnused(server *http.Server) {
	u := &unused{open: map[net.Conn]struct{}{}}
	server.ConnState = u.note
	server.RegisterOnShutdown(u.end)
}

func (u *unused) note(conn net.Conn, state http.ConnState) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if state == http.StateNew {
		u.open[conn] = struct{}{}
	} else {
		delete(u.open, conn)
	}
}

func (u *unused) end() {
	u.mu.Lock()
	defer u.mu.Unlock()
	for conn := range u.open {
		_ = conn.Close() // it was of no use to anybody
	}
}
