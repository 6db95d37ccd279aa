package acctest

import (
	"context"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
)

// Between does something after a plan was made, and before it is applied.
func Between(do func()) plancheck.PlanCheck { return between(do) }

// After does something after an apply: look at the server, usually.
func After(do func()) statecheck.StateCheck { return after(do) }

type (
	between func()
	after   func()
)

// CheckPlan does it.
func (f between) CheckPlan(context.Context, plancheck.CheckPlanRequest, *plancheck.CheckPlanResponse) {
	f()
}

// CheckState does it.
func (f after) CheckState(context.Context, statecheck.CheckStateRequest, *statecheck.CheckStateResponse) {
	f()
}

// Message matches a text in what the CLI prints, wherever it breaks the lines.
func Message(text string) *regexp.Regexp {
	words := strings.Fields(text)
	for i, word := range words {
		words[i] = regexp.QuoteMeta(word)
	}
	return regexp.MustCompile(strings.Join(words, `[\s│]+`))
}
