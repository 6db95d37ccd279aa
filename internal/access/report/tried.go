package report

import (
	"fmt"
	"strings"
)

// Tried is what came of trying on a sandbox what was computed: whether the rules of a server let people do what the report says.
type Tried struct {
	// Rights is how many rights were tried, each over one thing, Accounts by how many accounts, and Tries how often in all.
	Rights   int `json:"rights"`
	Accounts int `json:"accounts"`
	Tries    int `json:"tries"`
	// Differences are where the rules allow something else than was computed.
	Differences []*Difference `json:"differences"`
	// Untried says what was not tried, and why.
	Untried []*Untried `json:"not_tried"`
	// Unapplied are the changes of the plan that could not be applied to the sandbox.
	Unapplied []*NotApplied `json:"not_applied"`
}

// Difference is a right of which computing and trying do not say the same.
type Difference struct {
	// Where is the thing in words: #board, user group "sre", the organization.
	Where string `json:"where"`
	// Right is the permission, and Text what it permits, to follow "can".
	Right string `json:"right"`
	Text  string `json:"text"`
	// Account is who tried, by ID as the sandbox has it, and Address their address.
	Account int64  `json:"account"`
	Name    string `json:"name"`
	Address string `json:"address"`
	// IsAfter says that it is so after the plan; else before.
	IsAfter bool `json:"after"`
	// Computed and Tried say whether the account can.
	Computed bool `json:"computed"`
	Tried    bool `json:"tried"`
	// Answer is what the server said to a refusal.
	Answer string `json:"answer,omitempty"`
}

// Untried is something that was not tried.
type Untried struct {
	What string `json:"what"`
	Why  string `json:"why"`
	// Tries is how many tries it would have been; 0 if that is not counted.
	Tries int `json:"tries,omitempty"`
}

// NotApplied is a change that could not be applied to the sandbox.
type NotApplied struct {
	Address string `json:"address"`
	Why     string `json:"why"`
}

// Text says what was tried, and whether it agrees with what was computed.
func (t *Tried) Text() string {
	if t.Tries == 0 {
		return "Nothing was tried on a sandbox."
	}
	text := fmt.Sprintf("Tried on a sandbox: %s by %s, %s; computed and tried ", Counted(t.Rights, "right"), Counted(t.Accounts, "account"), TriesText(t.Tries))
	if count := len(t.Differences); count > 0 {
		text += fmt.Sprintf("differ in %s: this report is wrong there, or the sandbox is.", TriesText(count))
	} else {
		text += "agree."
	}
	if count := len(t.Unapplied); count > 0 {
		text += fmt.Sprintf(" But %s of the plan could not be applied to the sandbox, and what depends on that was not tried.", inWords(count, "change", "changes"))
	}
	return text
}

// maxTriedLines is how many lines say of one kind what was tried; the JSON form has all.
const maxTriedLines = 20

// Lines say in sentences where computing and trying differ, and what was not tried.
func (t *Tried) Lines() []string {
	lines := atMost(len(t.Differences), "difference", func(i int) string { return t.Differences[i].line() })
	lines = append(lines, atMost(len(t.Unapplied), "change that could not be applied", func(i int) string {
		return fmt.Sprintf("Not applied to the sandbox: %s: %s", t.Unapplied[i].Address, t.Unapplied[i].Why)
	})...)
	if left := t.left(); left != "" {
		lines = append(lines, left)
	}
	return lines
}

// left says in one line what was not tried, by the reason.
func (t *Tried) left() string {
	var whys []string
	whats := map[string][]string{}
	for _, one := range t.Untried {
		if _, known := whats[one.Why]; !known {
			whys = append(whys, one.Why)
		}
		whats[one.Why] = append(whats[one.Why], one.What)
	}
	if len(whys) == 0 {
		return ""
	}
	texts := make([]string, len(whys))
	for i, why := range whys {
		texts[i] = fmt.Sprintf("%s (%s)", List(whats[why]), why)
	}
	if rest := len(texts) - maxTriedLines; rest > 0 {
		texts = append(texts[:maxTriedLines], fmt.Sprintf("and for %s more", Counted(rest, "reason")))
	}
	return "Not tried: " + strings.Join(texts, "; ") + "."
}

func atMost(count int, thing string, line func(i int) string) []string {
	var lines []string
	for i := range min(count, maxTriedLines) {
		lines = append(lines, line(i))
	}
	if rest := count - maxTriedLines; rest > 0 {
		lines = append(lines, fmt.Sprintf("And %s more of this kind (%s).", Count(rest), thing))
	}
	return lines
}

func (d *Difference) line() string {
	when, can := "Before", map[bool]string{true: "can", false: "cannot"}
	if d.IsAfter {
		when = "After"
	}
	text := fmt.Sprintf("%s: %s (%s) %s %s by computing (%s), and %s by trying", d.Where, d.Name, d.Address, can[d.Computed], d.Text, d.Right, can[d.Tried])
	if d.Answer != "" {
		text += fmt.Sprintf(": %q", d.Answer)
	}
	return when + " the plan, " + text + "."
}

// TriesText counts tries.
func TriesText(n int) string {
	if n == 1 {
		return "1 try"
	}
	return Count(n) + " tries"
}
