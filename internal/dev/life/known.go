package life

import (
	_ "embed"
	"encoding/json"
	"regexp"
	"slices"
	"sync"
)

// A Signature recognizes messages or violations.
type Signature struct {
	Pattern string `json:"pattern"`
	// Why describes the known defect, or says why a refusal is right.
	Why string `json:"why"`
	// Later is true if only the apply, or the plan after it, may know the reason.
	Later bool `json:"later,omitempty"`
	// OfTwo is true if the reason is that one provider configuration does not know what the other one plans.
	OfTwo bool `json:"of_two,omitempty"`

	// OfText is true if the reason is that the configuration names the object as text, without a reference.
	OfText bool `json:"of_text,omitempty"`

	expression *regexp.Regexp
}

//go:embed testdata/known.json
var knownText []byte

//go:embed testdata/refusals.json
var refusalsText []byte

// Known are the defects that the checks find today. The list can only become shorter.
var Known = sync.OnceValue(func() []Signature { return parse(knownText) })

// refusals are the plans that are right to fail.
var refusals = sync.OnceValue(func() []Signature { return parse(refusalsText) })

func parse(list []byte) (all []Signature) {
	if err := json.Unmarshal(list, &all); err != nil {
		panic(err)
	}
	for i, one := range all {
		all[i].expression = regexp.MustCompile(one.Pattern)
	}
	return all
}

// Match returns the signature of a text, and whether it has one.
func Match(all []Signature, text string) (Signature, bool) {
	i := slices.IndexFunc(all, func(one Signature) bool { return one.expression.MatchString(text) })
	if i < 0 {
		return Signature{}, false
	}
	return all[i], true
}

// refusalsOf are the reasons why a plan or an apply is right to fail with a message.
func refusalsOf(one problem) (all []Signature) {
	text := base(one.address) + ": " + one.Summary + ": " + one.Detail
	for _, reason := range refusals() {
		if reason.expression.MatchString(text) && (one.isOfTwo || !reason.OfTwo) && (one.isOfText || !reason.OfText) {
			all = append(all, reason)
		}
	}
	return all
}

// isLater reports whether an apply, or the plan after it, is right to fail with a message that the plan lacked.
func isLater(one problem) bool {
	return slices.ContainsFunc(refusalsOf(one), func(reason Signature) bool { return reason.Later })
}

// isRefusal reports whether a plan is right to fail with a message.
func isRefusal(one problem) bool { return len(refusalsOf(one)) > 0 }
