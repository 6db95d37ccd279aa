package sandbox

import (
	"context"
	"sync"
)

// Gate holds the requests that match it until the test releases them, so that the
// test decides the order in which they are answered.
type Gate struct {
	// Arrived receives each request when it reaches the gate.
	Arrived <-chan *HeldRequest

	method, path string
	arrived      chan *HeldRequest
	opened       chan struct{}
	once         sync.Once
}

// HeldRequest is a request that waits at a gate.
type HeldRequest struct {
	Request Request

	released chan struct{}
	once     sync.Once
}

// Release lets the request go on. It may be repeated.
func (h *HeldRequest) Release() { h.once.Do(func() { close(h.released) }) }

// Open lets every request go on, those that wait and those to come.
func (g *Gate) Open() { g.once.Do(func() { close(g.opened) }) }

// maxHeldRequests is the capacity of Gate.Arrived.
const maxHeldRequests = 4096

type gateRules struct {
	mu    sync.Mutex
	gates []*Gate
}

func (all *gateRules) add(method, path string) *Gate {
	arrived := make(chan *HeldRequest, maxHeldRequests)
	g := &Gate{Arrived: arrived, arrived: arrived, method: method, path: path, opened: make(chan struct{})}
	all.mu.Lock()
	defer all.mu.Unlock()
	all.gates = append(all.gates, g)
	return g
}

// wait blocks a request at every gate that it matches, until it is released, the gate
// is opened, or the caller has gone.
func (all *gateRules) wait(ctx context.Context, r Request) {
	all.mu.Lock()
	gates := append([]*Gate(nil), all.gates...)
	all.mu.Unlock()
	for _, g := range gates {
		if matches(g.method, g.path, r.Method, r.Path) {
			g.wait(ctx, r)
		}
	}
}

func (g *Gate) wait(ctx context.Context, r Request) {
	select {
	case <-g.opened:
		return
	default:
	}
	h := &HeldRequest{Request: r, released: make(chan struct{})}
	select {
	case g.arrived <- h:
	case <-g.opened:
	case <-ctx.Done():
	}
	select {
	case <-h.released:
	case <-g.opened:
	case <-ctx.Done():
	}
}

func (all *gateRules) openAll() {
	all.mu.Lock()
	defer all.mu.Unlock()
	for _, g := range all.gates {
		g.Open()
	}
	all.gates = nil
}
