package sandbox

import (
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
)

// A connection that is accepted while the server shuts down is closed too.
func TestCloseEndsConnectionsThatComeLate(t *testing.T) {
	u := &newConnections{open: map[net.Conn]struct{}{}}
	u.end()
	client, server := net.Pipe()
	u.note(server, http.StateNew)
	if _, err := client.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("the connection is open: %v", err)
	}
}
