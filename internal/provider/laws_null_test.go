package provider_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/laws"
)

func TestLawNull(t *testing.T) {
	l := laws.Law{Name: "null", Sentence: "null in a set, list or map is refused in the plan, with an error at the attribute that says null"}
	laws.Hold(t, l, laws.Subjects(t, func(s laws.Subject) bool { return s.Element() != nil }), func(c *laws.Case, s laws.Subject) {
		for name, change := range map[string]func(sample, element any) any{"null alone": only, "null among others": withElement} {
			c.Try(name, func() {
				stage := stageOf(c, s)
				out := stage.Try(c, stage.With(change(stage.Value(), nil)))
				if len(out.Refusal) == 0 {
					c.Broken("accepted", out)
				} else if out.Report(c) && !slices.ContainsFunc(out.Refusal, func(one acctest.Diagnostic) bool {
					return one.Attribute == s.Path[0] && strings.Contains(strings.ToLower(one.String()), "null")
				}) {
					c.Broken("the error doesn't say so", out)
				}
			})
		}
	})
}

// only returns a set, a list or a map with one element, of the kind of the sample.
func only(sample, element any) any {
	if _, isMap := sample.(values); isMap {
		return values{"another": element}
	}
	return []any{element}
}

// withElement returns a sample of a set, a list or a map with one more element.
func withElement(sample, element any) any {
	switch sample := sample.(type) {
	case []any:
		return append(slices.Clone(sample), element)
	case values:
		return and(sample, "another", element)
	}
	return sample
}
