package linkifier

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/featurelevel"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// kind is what linkifiers are claimed as.
const kind = "zulip_linkifier"

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
	if framework.IsSet(m.ExampleInput) && (state == nil || !m.ExampleInput.Equal(state.ExampleInput)) {
		change.ExampleInput = m.ExampleInput.ValueStringPointer()
	}
	if framework.IsSet(m.ReverseTemplate) && (state == nil || !m.ReverseTemplate.Equal(state.ReverseTemplate)) {
		change.ReverseTemplate = m.ReverseTemplate.ValueStringPointer()
	}
	if framework.IsSet(m.AlternativeURLTemplates) && (state == nil || !m.AlternativeURLTemplates.Equal(state.AlternativeURLTemplates)) {
		texts := textsOf(m.AlternativeURLTemplates)
		change.AlternativeURLTemplates = &texts
	}
	return change
}

// keepWords keeps the state's words where they mean the same, and what is not configured.
func (m *model) keepWords(state *model, config *model) {
	if framework.IsSet(m.Pattern) && stored(m.Pattern) == stored(state.Pattern) {
		m.Pattern = state.Pattern
	}
	if framework.IsSet(m.URLTemplate) && stored(m.URLTemplate) == stored(state.URLTemplate) {
		m.URLTemplate = state.URLTemplate
	}
	if config.ExampleInput.IsNull() {
		m.ExampleInput = state.ExampleInput
	}
	if config.ReverseTemplate.IsNull() {
		m.ReverseTemplate = state.ReverseTemplate
	}
	if config.AlternativeURLTemplates.IsNull() {
		m.AlternativeURLTemplates = state.AlternativeURLTemplates
	}
}

// isAs reports whether the plan asks for what the state holds.
func (m *model) isAs(state *model) bool {
	return m.Pattern.Equal(state.Pattern) && m.URLTemplate.Equal(state.URLTemplate) && m.ExampleInput.Equal(state.ExampleInput) &&
		m.ReverseTemplate.Equal(state.ReverseTemplate) && m.AlternativeURLTemplates.Equal(state.AlternativeURLTemplates)
}

// isHeld reports whether a linkifier is already what the plan asks for.
func (m *model) isHeld(held *zulip.Linkifier, level int) bool {
	now := *m
	now.read(held, level)
	return stored(m.Pattern) == held.Pattern && stored(m.URLTemplate) == held.URLTemplate &&
		(!framework.IsSet(m.ExampleInput) || m.ExampleInput.Equal(now.ExampleInput)) &&
		(!framework.IsSet(m.ReverseTemplate) || m.ReverseTemplate.Equal(now.ReverseTemplate)) &&
		(!framework.IsSet(m.AlternativeURLTemplates) || m.AlternativeURLTemplates.Equal(now.AlternativeURLTemplates))
}

// stored is what the server makes of a pattern or template: it takes white space away at both ends
// (server-behavior §L1).
func stored(text types.String) string { return strings.TrimSpace(text.ValueString()) }

func keep(kept types.String, held string) types.String {
	if framework.IsSet(kept) && stored(kept) == held {
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
		if text, ok := element.(types.String); ok && framework.IsSet(text) {
			texts = append(texts, text.ValueString())
		}
	}
	return texts
}
