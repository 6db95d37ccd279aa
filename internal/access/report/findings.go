package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
)

// Risk is a risk in one place. [Report.Findings] groups risks of one kind.
type Risk struct {
	Condition Condition `json:"condition"`
	// Where names the object in words: channel "general", the organization.
	Where string `json:"where"`
	// Text is a sentence.
	Text string `json:"text"`

	kind   riskKind // empty if the text tells it
	people *People  // the kind, if the sentence counts or names the people
}

// RiskGroup is a group of risks of one kind, in any number of places. A changed group can have the same effect in a thousand
// channels, and requires one decision.
type RiskGroup struct {
	Condition Condition
	// Where names the objects in words, each once.
	Where []string
	// Text is a sentence for all of them.
	Text string

	risks []Risk
}

// riskKind identifies risks of one kind if their sentences have numbers or names. Most are what people can do.
type riskKind string

const (
	botsCannotPost      riskKind = "bots cannot post"
	guestsCan           riskKind = "guests can "
	readsPrivate        riskKind = "now read it"
	readsPrivateHistory riskKind = "now read its older messages"
	joinsPrivate        riskKind = "now join it on their own"
)

// Findings groups the risks by kind, in their order. Risks with the same text are of one kind. So are bots that can no
// longer post, and guests who gain the same access, regardless of their names and number.
func (r *Report) Findings() []RiskGroup {
	key := func(risk Risk) [2]string {
		return [2]string{string(risk.Condition), cmp.Or(string(risk.kind), risk.Text)}
	}
	return lists.Map(lists.Grouped(r.Risks, key), func(risks []Risk) RiskGroup {
		group := RiskGroup{Condition: risks[0].Condition, risks: risks}
		group.sumUp()
		return group
	})
}

// sumUp says in one sentence what the risks of a group say.
func (f *RiskGroup) sumUp() {
	f.Where = lists.Unique(lists.Map(f.risks, func(risk Risk) string { return risk.Where }))
	first := f.risks[0]
	f.Text = first.Text
	if !slices.ContainsFunc(f.risks, func(risk Risk) bool { return risk.Text != first.Text }) {
		return
	}
	if first.kind == botsCannotPost {
		f.Text = botsCannotPostText(f.bots())
		return
	}
	thing, can, number := "account", string(first.kind), (*People).Len
	if actions, isOfGuests := strings.CutPrefix(can, string(guestsCan)); isOfGuests {
		thing, can, number = "guest", actions, func(people *People) int { return people.Guests }
	}
	fewest, most := number(first.people), number(first.people)
	for _, risk := range f.risks {
		fewest, most = min(fewest, number(risk.people)), max(most, number(risk.people))
	}
	count := fmt.Sprintf("%s to %s", Count(fewest), Counted(most, thing))
	if fewest == most { // they differ between places
		count = Counted(most, thing) + " in each"
	}
	f.Text = fmt.Sprintf("%s can %s.", count, can)
}

// bots are the bots of all risks, each once.
func (f *RiskGroup) bots() []*Account {
	return lists.Unique(slices.Concat(lists.Map(f.risks, func(risk Risk) []*Account { return risk.people.bots() })...))
}
