package sandbox

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"slices"
	"sync"
	"time"
)

// Request is one entry of the journal.
type Request struct {
	Time     time.Time         `json:"time"`
	Method   string            `json:"method"`
	Path     string            `json:"path"` // without /api/v1
	Params   map[string]string `json:"params,omitempty"`
	Account  string            `json:"account,omitempty"` // name of the account, or the email address in the credentials
	Agent    string            `json:"agent,omitempty"`   // the User-Agent header
	Status   int               `json:"status"`            // 0: the connection was dropped
	Bytes    int               `json:"bytes"`             // of the answer's body
	Duration time.Duration     `json:"duration_ns"`
	Fault    string            `json:"fault,omitempty"` // the fault that hit it
}

// Filter selects requests; an empty field selects all.
type Filter struct {
	Method  string
	Path    string // a pattern as in Fault
	Account string
	Status  int
}

func (f Filter) selects(r Request) bool {
	return matches(f.Method, f.Path, r.Method, r.Path) &&
		(f.Account == "" || f.Account == r.Account) &&
		(f.Status == 0 || f.Status == r.Status)
}

// maxJournal is the maximum number of entries. It is enough for any test, and limits the memory of a sandbox that runs for
// weeks.
const maxJournal = 200_000

// Journal lists the requests the server answered, oldest first.
type Journal struct {
	mu      sync.Mutex
	entries []Request
	lines   *json.Encoder // nil: kept in memory only
}

func newJournal(w io.Writer) *Journal {
	j := &Journal{}
	if w != nil {
		j.lines = json.NewEncoder(w)
	}
	return j
}

func (j *Journal) add(r Request) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.entries) >= maxJournal {
		j.entries = slices.Delete(j.entries, 0, maxJournal/2)
	}
	j.entries = append(j.entries, r)
	if j.lines != nil {
		_ = j.lines.Encode(r) // a journal that cannot be written must not stop the server
	}
}

// Requests returns the requests selected, oldest first.
func (j *Journal) Requests(f Filter) []Request {
	j.mu.Lock()
	defer j.mu.Unlock()
	var selected []Request
	for _, r := range j.entries {
		if f.selects(r) {
			selected = append(selected, r)
		}
	}
	return selected
}

// Count returns the number of requests selected.
func (j *Journal) Count(f Filter) int { return len(j.Requests(f)) }

// Reset removes all requests.
func (j *Journal) Reset() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = nil
}

// maskSecrets hides the values of parameters that are secret.
func maskSecrets(params map[string]string) map[string]string {
	for _, name := range []string{"password", "old_password", "new_password", "api_key", "config_data"} {
		if _, ok := params[name]; ok {
			params[name] = "(hidden)"
		}
	}
	return params
}

// userAgent has the name of a program, as the server reads it from the header: the text before the version.
var userAgent = regexp.MustCompile(`^([^/ ]*[^0-9/(]*)(?:/[^/ ]*)?(?:[ /].*)?$`)

// clientOf is the program that a message shows as its sender (server-behavior §M12).
func clientOf(h http.Header, params map[string]string) string {
	name, given := params["client"]
	if agent := h.Values("User-Agent"); !given && len(agent) == 0 {
		name = "Unspecified"
	} else if !given {
		if parts := userAgent.FindStringSubmatch(agent[0]); parts != nil {
			name = parts[1]
		}
	}
	const longest = 30
	if letters := []rune(name); len(letters) > longest {
		name = string(letters[:longest])
	}
	return name
}
