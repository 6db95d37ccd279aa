package linkifier

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// The feature levels of what not every server has.
var (
	levelReverse      = featurelevel.Since("zulip_linkifier", "example_input")
	levelAlternatives = featurelevel.Since("zulip_linkifier", "alternative_url_templates")
)

// model is what a linkifier is, for the resource and the data source alike.
type model struct {
	ID                      types.Int64  `tfsdk:"id"`
	Pattern                 types.String `tfsdk:"pattern"`
	URLTemplate             types.String `tfsdk:"url_template"`
	ExampleInput            types.String `tfsdk:"example_input"`
	ReverseTemplate         types.String `tfsdk:"reverse_template"`
	AlternativeURLTemplates types.List   `tfsdk:"alternative_url_templates"`
}

// read takes what the server holds, in the words there are if they mean it. What a server of that feature level does not
// have is null.
func (m *model) read(held *zulip.Linkifier, level int) {
	m.ID = types.Int64Value(held.ID)
	m.Pattern = keep(m.Pattern, held.Pattern)
	m.URLTemplate = keep(m.URLTemplate, held.URLTemplate)
	m.ExampleInput, m.ReverseTemplate = types.StringNull(), types.StringNull()
	if level == 0 || level >= levelReverse {
		m.ExampleInput = types.StringValue(deref(held.ExampleInput))
		m.ReverseTemplate = types.StringValue(deref(held.ReverseTemplate))
	}
	m.AlternativeURLTemplates = types.ListNull(types.StringType)
	if level == 0 || level >= levelAlternatives {
		m.AlternativeURLTemplates = listOf(held.AlternativeURLTemplates)
	}
}

// wire is the plan in the words of the wire. Of what is optional it holds what differs from the state; all of it if there
// is no state.
func (m *model) wire(state *model) zulip.LinkifierChange {
	change := zulip.LinkifierChange{Pattern: stored(m.Pattern), URLTemplate: stored(m.URLTemplate)}
	if base.IsSet(m.ExampleInput) && (state == nil || !m.ExampleInput.Equal(state.ExampleInput)) {
		change.ExampleInput = m.ExampleInput.ValueStringPointer()
	}
	if base.IsSet(m.ReverseTemplate) && (state == nil || !m.ReverseTemplate.Equal(state.ReverseTemplate)) {
		change.ReverseTemplate = m.ReverseTemplate.ValueStringPointer()
	}
	if base.IsSet(m.AlternativeURLTemplates) && (state == nil || !m.AlternativeURLTemplates.Equal(state.AlternativeURLTemplates)) {
		texts := textsOf(m.AlternativeURLTemplates)
		change.AlternativeURLTemplates = &texts
	}
	return change
}

// keepPrior plans no change where only white space at the ends differs.
func keepPrior(plan, prior *model) {
	for _, text := range []struct{ planned, prior *types.String }{{&plan.Pattern, &prior.Pattern}, {&plan.URLTemplate, &prior.URLTemplate}} {
		if base.IsSet(*text.planned) && stored(*text.planned) == stored(*text.prior) {
			*text.planned = *text.prior
		}
	}
}

// stored is what the server makes of a pattern or template: it takes white space away at both ends
// (server-behavior §L1).
func stored(text types.String) string { return strings.TrimSpace(text.ValueString()) }

func keep(kept types.String, held string) types.String {
	if base.IsSet(kept) && stored(kept) == held {
		return kept
	}
	return types.StringValue(held)
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func listOf(texts []string) types.List {
	elements := make([]attr.Value, len(texts))
	for i, text := range texts {
		elements[i] = types.StringValue(text)
	}
	return types.ListValueMust(types.StringType, elements)
}

// textsOf returns the elements of a list that are known.
func textsOf(list types.List) []string {
	texts := []string{}
	for _, element := range list.Elements() {
		if text, ok := element.(types.String); ok && base.IsSet(text) {
			texts = append(texts, text.ValueString())
		}
	}
	return texts
}
