package life

import (
	_ "embed"
	"encoding/json"
	"regexp"
	"slices"
	"sync"
)

// A signature recognizes messages with which a plan or an apply is right to fail.
type signature struct {
	Pattern string `json:"pattern"`
	// Why says why.
	Why string `json:"why"`
	// Later is true if only the apply, or the plan after it, may know the reason.
	Later bool `json:"later,omitempty"`
	// OfTwo is true if the reason is that one provider configuration does not know what the other one plans.
	OfTwo bool `json:"of_two,omitempty"`

	// OfFirst is true if the reason is that the resource has create_before_destroy.
	OfFirst bool `json:"of_first,omitempty"`

	// OfText is true if the reason is that the configuration names the object as text, without a reference.
	OfText bool `json:"of_text,omitempty"`

	expression *regexp.Regexp
}

//go:embed testdata/refusals.json
var refusalsText []byte

// refusals are the plans that are right to fail.
var refusals = sync.OnceValue(func() (all []signature) {
	if err := json.Unmarshal(refusalsText, &all); err != nil {
		panic(err)
	}
	for i, one := range all {
		all[i].expression = regexp.MustCompile(one.Pattern)
	}
	return all
})

// refusalsOf are the reasons why a plan or an apply is right to fail with a message.
func refusalsOf(one problem) (all []signature) {
	text := base(one.address) + ": " + one.Summary + ": " + one.Detail
	for _, reason := range refusals() {
		if reason.expression.MatchString(text) && (one.isOfTwo || !reason.OfTwo) && (one.isOfText || !reason.OfText) && (one.isOfFirst || !reason.OfFirst) {
			all = append(all, reason)
		}
	}
	return all
}

// isLater reports whether an apply, or the plan after it, is right to fail with a message that the plan lacked.
func isLater(one problem) bool {
	return slices.ContainsFunc(refusalsOf(one), func(reason signature) bool { return reason.Later })
}

// isRefusal reports whether a plan is right to fail with a message.
func isRefusal(one problem) bool { return len(refusalsOf(one)) > 0 }
