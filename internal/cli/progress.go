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
	// progressAfter is how long a command works before a terminal shows what it reads.
	progressAfter = 2 * time.Second
	// waitToTell is how long requests have stood still before a command says so where there is no terminal.
	waitToTell = 30 * time.Second
)

// progress shows on a terminal what takes longer than two seconds, and everywhere that the server's rate limit holds it back.
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

// newProgress starts to show the progress of a command whose requests have waited as long as waited says. end must be called.
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

// say shows what is being read, in the place of what was shown before; "" is the same as before.
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

// print writes a line, in the place of what is shown.
func (p *progress) print(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	_, _ = fmt.Fprintln(p.out, line)
}

// end removes what is shown.
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
