package function

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Linkify is the function linkify. It returns one text instead of a list of links because texts are easier to compare in
// tests: with ==, without conversion, and one failure shows both the links and the rest.
type Linkify struct{}

// NewLinkify returns the function linkify.
func NewLinkify() function.Function { return Linkify{} }

type linkifierModel struct {
	Pattern     types.String `tfsdk:"pattern"`
	URLTemplate types.String `tfsdk:"url_template"`
}

// Metadata returns the function's name, linkify.
func (Linkify) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "linkify"
}

// Definition returns the function's parameters and documentation.
func (Linkify) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Apply linkifiers to a text",
		MarkdownDescription: "Returns a text in Markdown with the links that linkifiers produce: `see [#12](https://example.com/12)`. " +
			"Use it to try linkifiers without a server, for example in `terraform test`. They are validated by the server's rules. " +
			"As on the server, a match must follow the start of the text, white space or an opening sign, " +
			"and must be followed by the end or by anything but a letter or a digit. Other Markdown in the text stays unchanged.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "text", MarkdownDescription: "Text of a message."},
		},
		VariadicParameter: function.ObjectParameter{
			Name:                "linkifiers",
			AttributeTypes:      map[string]attr.Type{"pattern": types.StringType, "url_template": types.StringType},
			MarkdownDescription: "Linkifiers in the order in which they apply: objects with `pattern` (RE2) and `url_template` (RFC 6570), such as `zulip_linkifier` resources.",
		},
		Return: function.StringReturn{},
	}
}

// Run applies the linkifiers to the text.
func (Linkify) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var text string
	var linkifiers []linkifierModel
	if resp.Error = req.Arguments.Get(ctx, &text, &linkifiers); resp.Error != nil {
		return
	}
	var rules []*zulip.LinkifierRule
	for i, linkifier := range linkifiers {
		if linkifier.Pattern.IsUnknown() || linkifier.URLTemplate.IsUnknown() {
			setResult(ctx, resp, types.StringUnknown())
			return
		}
		rule, err := zulip.ParseLinkifier(linkifier.Pattern.ValueString(), linkifier.URLTemplate.ValueString())
		if err != nil {
			resp.Error = argumentError(int64(1+i), "The server would refuse this linkifier: "+err.Error()+".")
			return
		}
		rules = append(rules, rule)
	}
	spans, err := zulip.Linkify(text, rules...)
	if err != nil {
		resp.Error = function.NewFuncError(err.Error())
		return
	}
	var markdown strings.Builder
	for _, span := range spans {
		if span.URL == "" {
			markdown.WriteString(span.Text)
		} else {
			fmt.Fprintf(&markdown, "[%s](%s)", span.Text, span.URL)
		}
	}
	setResult(ctx, resp, markdown.String())
}
