package acctest

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// Trial is a run of the CLI against a sandbox that fails. It counts what it takes to get over it.
type Trial struct {
	*Organization
	*Workspace

	t        *testing.T
	channels []string // the names that are to be there in the end
	address  string   // of the one object of another noun that is to be there, "" for none
	held     func() int
	class    string
	what     string
	applies  int // failed ones too
}

// NewTrial begins one. class and what are the words of the table: the kind of failure, and what happened. Trials may run
// at the same time.
func NewTrial(t *testing.T, class, what string, cfg sandbox.Config) *Trial {
	t.Helper()
	t.Parallel()
	tr := &Trial{Organization: newSandbox(t, cfg), Workspace: NewWorkspace(t), t: t, class: class, what: what}
	tr.act(tr.Organization)
	return tr
}

// Second returns another workspace on the same organization, as a second person has it.
func (tr *Trial) Second() *Workspace {
	tr.t.Helper()
	w := NewWorkspace(tr.t)
	w.act(tr.Organization)
	return w
}

// ActAs makes another account of the sandbox the one that the provider uses.
func (tr *Trial) ActAs(account string) {
	tr.t.Helper()
	credentials, ok := tr.Sandbox.Credentials(account)
	if !ok {
		tr.t.Fatalf("the sandbox has no account %q", account)
	}
	tr.act(dialSandbox(tr.t, tr.Sandbox, credentials))
}

// Want sets the configuration, and the channels that are to be there when it is applied.
func (tr *Trial) Want(config string, channels ...string) {
	tr.t.Helper()
	tr.Configure(tr.t, config)
	tr.channels = channels
}

// Holds makes the trial look after one object beside the channels: it is to be in the state under the address in the end,
// and held, which asks the server how many there are, has to say one.
func (tr *Trial) Holds(address string, held func() int) { tr.address, tr.held = address, held }

// Given brings the organization to where the trial begins; this apply does not count.
func (tr *Trial) Given(config string, channels ...string) {
	tr.t.Helper()
	tr.Want(config, channels...)
	if printed, ok := tr.Workspace.Apply(tr.t); !ok {
		tr.t.Fatalf("the apply failed:\n%s", printed)
	}
}

// Apply applies the configuration, or a saved plan, and counts it.
func (tr *Trial) Apply(args ...string) (printed string, ok bool) {
	tr.t.Helper()
	tr.applies++
	return tr.Workspace.Apply(tr.t, args...)
}

// Fail puts a fault in force until heal is called.
func (tr *Trial) Fail(f sandbox.Fault) (heal func()) { return tr.Sandbox.Fail(f) }

// Succeeds applies and fails the test if the CLI does.
func (tr *Trial) Succeeds(args ...string) {
	tr.t.Helper()
	if printed, ok := tr.Apply(args...); !ok {
		tr.t.Fatalf("the apply failed:\n%s", printed)
	}
}

// Fails applies and fails the test unless the CLI fails and prints all of the texts.
func (tr *Trial) Fails(texts []string, args ...string) {
	tr.t.Helper()
	tr.Refused(tr.Start(tr.t, append([]string{"apply", "-auto-approve"}, args...)...), texts...)
}

// Refused waits for an apply that was started, counts it, and fails the test unless it fails and prints all of the texts.
func (tr *Trial) Refused(apply *Running, texts ...string) {
	tr.t.Helper()
	tr.applies++
	printed, ok := apply.Wait(tr.t)
	if ok {
		tr.t.Fatalf("the apply succeeded:\n%s", printed)
	}
	for _, text := range texts {
		if !strings.Contains(printed, text) {
			tr.t.Errorf("%q is not in:\n%s", text, printed)
		}
	}
}

// Converges applies once more if the plan is not empty, wants it to be empty then, and enters the trial in the table.
func (tr *Trial) Converges() {
	tr.t.Helper()
	if _, ok := tr.Run(tr.t, "plan", "-detailed-exitcode"); !ok { // 2 if there are changes
		tr.Succeeds()
		tr.Must(tr.t, "plan", "-detailed-exitcode")
	}
	row := faultRow{tr.class, tr.what, tr.applies, tr.doubled(), tr.lost()}
	faults.add(row)
	if row.doubled > 0 || row.lost > 0 {
		tr.t.Errorf("%d doubled, %d lost", row.doubled, row.lost)
	}
}

// doubled counts the channels and objects that nobody asked for, and the writes that were carried out twice.
func (tr *Trial) doubled() (count int) {
	if tr.held != nil {
		count += max(0, tr.held()-1)
	}
	for _, name := range tr.Active(tr.t) {
		if !slices.Contains(tr.channels, name) {
			count++
		}
	}
	seen := map[string]bool{}
	for _, r := range tr.Sandbox.Journal().Requests(sandbox.Filter{Method: "PATCH", Path: "/streams/*"}) {
		write := r.Path
		for _, name := range slices.Sorted(maps.Keys(r.Params)) {
			write += " " + name + "=" + r.Params[name]
		}
		// Stalled and truncated answers have a status; a dropped one was carried out if the fault came after.
		if done := r.Status == 200 && r.Fault == "" || strings.HasPrefix(r.Fault, "after"); !done {
			continue
		}
		if seen[write] {
			count++
		}
		seen[write] = true
	}
	return count
}

// lost counts the channels and objects that are not there, or that the state does not know.
func (tr *Trial) lost() (count int) {
	if tr.held != nil && (tr.held() == 0 || !slices.Contains(tr.Addresses(tr.t), tr.address)) {
		count++
	}
	if len(tr.channels) == 0 {
		return count
	}
	active, known := tr.Active(tr.t), tr.Must(tr.t, "show")
	for _, name := range tr.channels {
		if !slices.Contains(active, name) || !strings.Contains(known, fmt.Sprintf("name = %q", name)) {
			count++
		}
	}
	return count
}

// faultRow is one line of the table.
type faultRow struct {
	class, what            string
	applies, doubled, lost int
}

// faultTable gathers what the trials of a package came to.
type faultTable struct {
	mu   sync.Mutex
	rows []faultRow
}

var faults faultTable

func (f *faultTable) add(row faultRow) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rows = append(f.rows, row)
}

// PrintFaults prints the table of all trials, if there were any. A TestMain calls it when the tests are over.
func PrintFaults(w io.Writer) {
	faults.mu.Lock()
	defer faults.mu.Unlock()
	if len(faults.rows) == 0 {
		return
	}
	// Trials end in any order.
	slices.SortFunc(faults.rows, func(a, b faultRow) int {
		return cmp.Or(strings.Compare(a.class, b.class), strings.Compare(a.what, b.what))
	})
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(cells ...any) { _, _ = fmt.Fprintf(table, "%v\t%v\t%v\t%v\t%v\n", cells...) }
	line("fault", "what happened", "applies until converged", "doubled", "lost")
	for _, row := range faults.rows {
		line(row.class, row.what, row.applies, row.doubled, row.lost)
	}
	_ = table.Flush()
}
