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

// Trial runs the CLI against a sandbox with faults. It counts the applies until the organization matches the configuration,
// and the duplicated and lost objects.
type Trial struct {
	*Organization
	*Workspace

	t        *testing.T
	channels []string   // names that must exist at the end
	address  string     // of one object of another kind that must exist at the end; "" for none
	count    func() int // returns the number of such objects on the server
	class    string
	what     string
	applies  int // including failed ones
}

// NewTrial starts a trial. class and what are columns of the table of results: the kind of failure, and a description of
// it. Trials run in parallel.
func NewTrial(t *testing.T, class, what string, cfg sandbox.Config) *Trial {
	t.Helper()
	t.Parallel()
	tr := &Trial{Organization: NewSandbox(t, cfg), Workspace: NewWorkspace(t), t: t, class: class, what: what}
	tr.act(tr.Organization)
	return tr
}

// SetConfig sets the configuration, and the channels that must exist after the apply.
func (tr *Trial) SetConfig(config string, channels ...string) {
	tr.t.Helper()
	tr.Configure(tr.t, config)
	tr.channels = channels
}

// ExpectObject adds a check of one object that is not a channel: at the end it must be in the state under the address. count
// returns the number of such objects on the server, which must be one.
func (tr *Trial) ExpectObject(address string, count func() int) {
	tr.address, tr.count = address, count
}

// Given applies the initial configuration, without counting the apply.
func (tr *Trial) Given(config string, channels ...string) {
	tr.t.Helper()
	tr.SetConfig(config, channels...)
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

// Fail adds a fault to the sandbox; heal removes it.
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

// Converges applies again if the plan is not empty, and fails the test if the next plan is not empty. It adds the trial to
// the table of results.
func (tr *Trial) Converges() {
	tr.t.Helper()
	if _, ok := tr.Run(tr.t, "plan", "-detailed-exitcode"); !ok { // 2 if there are changes
		tr.Succeeds()
		tr.Must(tr.t, "plan", "-detailed-exitcode")
	}
	row := faultRow{tr.class, tr.what, tr.applies, tr.duplicates(), tr.lost()}
	faults.add(row)
	if row.duplicates > 0 || row.lost > 0 {
		tr.t.Errorf("%d duplicated, %d lost", row.duplicates, row.lost)
	}
}

// duplicates counts the unconfigured channels and objects, and the writes that were applied twice.
func (tr *Trial) duplicates() (count int) {
	if tr.count != nil {
		count += max(0, tr.count()-1)
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
		// Stalled and truncated answers have a status; a dropped request was applied if the fault came after it.
		if applied := r.Status == 200 && r.Fault == "" || strings.HasPrefix(r.Fault, "after"); !applied {
			continue
		}
		if seen[write] {
			count++
		}
		seen[write] = true
	}
	return count
}

// lost counts the channels and objects that do not exist or are not in the state.
func (tr *Trial) lost() (count int) {
	if tr.count != nil && (tr.count() == 0 || !slices.Contains(tr.Addresses(tr.t), tr.address)) {
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

type faultRow struct {
	class, what               string
	applies, duplicates, lost int
}

// faultTable collects the results of a package's trials.
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

// PrintFaults prints the results of all trials, if any. A TestMain calls it after the tests.
func PrintFaults(w io.Writer) {
	faults.mu.Lock()
	defer faults.mu.Unlock()
	if len(faults.rows) == 0 {
		return
	}
	// Trials run in parallel and end in any order.
	slices.SortFunc(faults.rows, func(a, b faultRow) int {
		return cmp.Or(strings.Compare(a.class, b.class), strings.Compare(a.what, b.what))
	})
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(cells ...any) { _, _ = fmt.Fprintf(table, "%v\t%v\t%v\t%v\t%v\n", cells...) }
	line("fault", "what happened", "applies until converged", "duplicated", "lost")
	for _, row := range faults.rows {
		line(row.class, row.what, row.applies, row.duplicates, row.lost)
	}
	_ = table.Flush()
}

// HostileNames are names that try to write a file in another place, or to escape from their place in a configuration, a
// comment, a page or a terminal. Real servers refuse some of them.
var HostileNames = []string{
	// Paths.
	"../../../etc/passwd", `..\..\x`, "/etc/passwd", `C:\Windows\x`, "..", ".", ".terraformrc", "x/../../y.tf", "override.tf", "x.auto.tfvars",
	"CON", "nul.txt", "aux", "COM1", "file:stream", "trailing.", "-rf", "--help", "~root", "$HOME",
	// Configuration.
	"${path.module}", "%{ if true }x%{ endif }", "$${x}", "%%{x}", "${file(\"/etc/passwd\")}", "<<EOT\nx\nEOT", "\"\nresource \"x\" \"y\" {}\n#",
	`"}`, `\`, `\"`, `\u0041`, "# comment", "/* comment", "*/", "'single'",
	// Control characters, and invisible ones.
	"nul\x00nul", "line\nline", "line\r\nline", "tab\tbell\x07", "\x1b[31mred\x1b]0;title\x07", "\u202egnp.exe", "\u2066isolate", "zero\u200bwidth\u200djoiner", "\ufeffbom",
	"\u2028separator\u2029", "\u00ad", "\u0301accent", strings.Repeat("\u0301", 50), "👩\u200d👩\u200d👧\u200d👦🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "\U000e0041tag",
	// HTML.
	"<script>alert(1)</script>", "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", `" onmouseover="alert(1)`, "' onfocus='alert(1)' autofocus='",
	"<!--", "-->", "]]>", "</style><b id=evil>", "</title></textarea><svg onload=alert(1)>", "&lt;b&gt;", "&#60;b&#62;", "<details open ontoggle=alert(1)>", "javascript:alert(1)",
	// Markdown.
	"[x](javascript:alert(1))", "](javascript:alert(1))", "![x](https://evil.example/x.png)", "<https://evil.example>", "https://evil.example", "www.evil.example",
	"`code`", "``` code", "`", "| a | b |", `a\|b`, "\n\n# heading\n", "\n- item", "**bold**", "@everyone", "#1", ":tada:", "[^1]", "x\n| --- |\n| y |", "[x]: https://evil.example",
	// Lengths.
	strings.Repeat("long ", 2000), strings.Repeat("長", 1000), strings.Repeat("<", 500), strings.Repeat("`", 300),
}

// Fail sets a fault of the sandbox, in the words of its command line. heal ends it.
func (o *Organization) Fail(t testing.TB, rule string) (heal func()) {
	t.Helper()
	fault, err := sandbox.ParseFault(rule)
	NoError(t, err)
	return o.Sandbox.Fail(fault)
}
