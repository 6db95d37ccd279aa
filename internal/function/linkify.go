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

// Linkify is the function linkify. It returns one text, not a list of links: a test compares two texts with ==, sees in
// one failure both what is a link and what is not, and needs no conversion, which lists do.
type Linkify struct{}

// NewLinkify returns the function linkify.
func NewLinkify() function.Function { return Linkify{} }

type linkifierModel struct {
	Pattern     types.String `tfsdk:"pattern"`
	URLTemplate types.String `tfsdk:"url_template"`
}

// Metadata names the function.
func (Linkify) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "linkify"
}

// Definition describes the function.
func (Linkify) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "What linkifiers make of a text",
		MarkdownDescription: "Writes a text with the links that linkifiers make in it, in Markdown: `see [#12](https://example.com/12)`. " +
			"It tries linkifiers without a server, in `terraform test` for one. They are checked as the server checks them, " +
			"and a match counts where the server lets it count: after the start, white space or an opening sign, " +
			"and before the end or anything but a letter or a digit. Other Markdown in the text is left as it is.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "text", MarkdownDescription: "What somebody writes."},
		},
		VariadicParameter: function.ObjectParameter{
			Name:                "linkifiers",
			AttributeTypes:      map[string]attr.Type{"pattern": types.StringType, "url_template": types.StringType},
			MarkdownDescription: "The linkifiers, in their order: objects with `pattern` (RE2) and `url_template` (RFC 6570), such as `zulip_linkifier` resources.",
		},
		Return: function.StringReturn{},
	}
}

// Run writes the text.
func (Linkify) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var text string
	var linkifiers []linkifierModel
	if resp.Error = req.Arguments.Get(ctx, &text, &linkifiers); resp.Error != nil {
		return
	}
	var rules []*zulip.LinkifierRule
	for i, linkifier := range linkifiers {
		if linkifier.Pattern.IsUnknown() || linkifier.URLTemplate.IsUnknown() {
			answer(ctx, resp, types.StringUnknown())
			return
		}
		rule, err := zulip.ParseLinkifier(linkifier.Pattern.ValueString(), linkifier.URLTemplate.ValueString())
		if err != nil {
			resp.Error = refuse(int64(1+i), "The server would refuse this linkifier: "+err.Error()+".")
			return
		}
		rules = append(rules, rule)
	}
	spans, err := zulip.Linkify(text, rules...)
	if err != nil {
		resp.Error = function.NewFuncError(err.Error())
		return
	}
	var written strings.Builder
	for _, span := range spans {
		if span.URL == "" {
			written.WriteString(span.Text)
		} else {
			fmt.Fprintf(&written, "[%s](%s)", span.Text, span.URL)
		}
	}
	answer(ctx, resp, written.String())
}
