package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

const (
	// progressAfter is the delay before a terminal shows the progress of a command.
	progressAfter = 2 * time.Second
	// waitToTell is the minimum wait of requests that a command reports without a terminal.
	waitToTell = 30 * time.Second
)

// progress shows commands that take longer than two seconds on a terminal, and waits for the server's rate limit
// everywhere.
type progress struct {
	mu         sync.Mutex
	out        io.Writer
	isTerminal bool
	begin      time.Time
	what       string // that is read
	isShown    bool
	hasTold    bool // of the rate limit
	waited     func() time.Duration
	done       chan struct{}
}

// newProgress starts to show the progress of a command. waited returns how long its requests have waited. end must be
// called.
func newProgress(stderr io.Writer, waited func() time.Duration) *progress {
	p := &progress{out: stderr, begin: time.Now(), waited: waited, done: make(chan struct{})}
	if file, ok := stderr.(*os.File); ok {
		p.isTerminal = term.IsTerminal(int(file.Fd()))
	}
	go func() {
		for {
			select {
			case <-p.done:
				return
			case <-time.After(time.Second):
				p.say("")
			}
		}
	}()
	return p
}

// say replaces the shown text; "" keeps it.
func (p *progress) say(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what = cmp.Or(what, p.what)
	waited := p.waited()
	if !p.isTerminal {
		if waited >= waitToTell && !p.hasTold {
			p.hasTold = true
			_, _ = fmt.Fprintln(p.out, "The server limits the requests of this account: the export continues at this rate.")
		}
		return
	}
	if time.Since(p.begin) < progressAfter {
		return
	}
	p.isShown = true
	text := "Reading " + p.what
	if waited > 0 {
		text += fmt.Sprintf(" (waited %s for the server's rate limit)", waited.Round(time.Second))
	}
	_, _ = fmt.Fprintf(p.out, "\r\033[K%s", text)
}

// print writes a line in place of the shown one.
func (p *progress) print(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	_, _ = fmt.Fprintln(p.out, line)
}

// end removes the shown line.
func (p *progress) end() {
	close(p.done)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

func (p *progress) clear() {
	if p.isShown {
		_, _ = fmt.Fprint(p.out, "\r\033[K")
	}
	p.isShown = false
}
