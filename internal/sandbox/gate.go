package sandbox

import (
	"context"
	"sync"
)

// Gate holds the requests that match it, so that a test decides in which order
// they are answered.
type Gate struct {
	// Arrived delivers each request when it is held.
	Arrived <-chan *Held

	method, path string
	arrived      chan *Held
	opened       chan struct{}
	once         sync.Once
}

// Held is a request that waits at a gate.
type Held struct {
	Request Request

	released chan struct{}
	once     sync.Once
}

// Release lets the request go on. It may be repeated.
func (h *Held) Release() { h.once.Do(func() { close(h.released) }) }

// Open lets every request go on, those that wait and those to come.
func (g *Gate) Open() { g.once.Do(func() { close(g.opened) }) }

// waitingRoom is how many requests can be held before somebody looks.
const waitingRoom = 4096

type gateRules struct {
	mu    sync.Mutex
	gates []*Gate
}

func (all *gateRules) add(method, path string) *Gate {
	arrived := make(chan *Held, waitingRoom)
	g := &Gate{Arrived: arrived, arrived: arrived, method: method, path: path, opened: make(chan struct{})}
	all.mu.Lock()
	defer all.mu.Unlock()
	all.gates = append(all.gates, g)
	return g
}

// hold keeps a request at every gate it matches until it is released, the gate
// is opened or the caller is gone.
func (all *gateRules) hold(ctx context.Context, r Request) {
	all.mu.Lock()
	gates := append([]*Gate(nil), all.gates...)
	all.mu.Unlock()
	for _, g := range gates {
		if matches(g.method, g.path, r.Method, r.Path) {
			g.hold(ctx, r)
		}
	}
}

func (g *Gate) hold(ctx context.Context, r Request) {
	select {
	case <-g.opened:
		return
	default:
	}
	h := &Held{Request: r, released: make(chan struct{})}
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
