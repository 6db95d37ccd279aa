package codeplayground

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/featurelevel"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// kind is what playgrounds are claimed as.
const kind = "zulip_code_playground"

// model is the resource.
type model struct {
	ID          types.Int64  `tfsdk:"id"`
	Name        types.String `tfsdk:"name"`
	Language    types.String `tfsdk:"pygments_language"`
	URLTemplate types.String `tfsdk:"url_template"`
}

// wire is the model in the words of the wire.
func (m *model) wire() zulip.Playground {
	return zulip.Playground{ID: m.ID.ValueInt64(), Name: m.Name.ValueString(), Language: m.Language.ValueString(), URLTemplate: m.URLTemplate.ValueString()}
}

// read takes what the server holds.
func (m *model) read(found *zulip.Playground) {
	m.ID, m.Name = types.Int64Value(found.ID), types.StringValue(found.Name)
	m.Language, m.URLTemplate = types.StringValue(found.Language), types.StringValue(found.URLTemplate)
}

func resourceSchema() schema.Schema {
	replace := []planmodifier.String{stringplanmodifier.RequiresReplace()}
	return schema.Schema{
		Version: framework.SchemaVersion,
		MarkdownDescription: `A code playground: a place elsewhere to which people can send the code blocks of a language with one click. Only administrators and owners manage them. ` + featurelevel.Needs("zulip_code_playground", "") + `

The server changes no playground: any change removes it and adds another one. When a playground is removed whose language is the organization's ` + "`default_code_block_language`" + `, the server unsets that setting, even if another playground has the language.

There is one playground of each language and name. ` + framework.NeverAdopted,
		Attributes: map[string]schema.Attribute{
			"id": schema.Int64Attribute{
				Computed: true, MarkdownDescription: "The playground's ID.",
				PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
			},
			"name": schema.StringAttribute{
				Required: true, MarkdownDescription: "The name people choose it by.", PlanModifiers: replace,
				Validators: []validator.String{textValidator{}},
			},
			"pygments_language": schema.StringAttribute{
				Required: true, PlanModifiers: replace,
				MarkdownDescription: "The language of the code blocks, as Pygments calls it, as in `Python`; at most 40 characters. It need not be one that Pygments knows.",
				Validators:          []validator.String{textValidator{zulip.CheckPlaygroundLanguage}},
			},
			"url_template": schema.StringAttribute{
				Required: true, PlanModifiers: replace,
				MarkdownDescription: "Where the code goes: a URL template of RFC 6570 with the one variable `code`, as in `https://play.example.com/?code={code}`.",
				Validators:          []validator.String{textValidator{zulip.CheckPlaygroundTemplate}},
			},
		},
	}
}

// textValidator accepts text that the server takes as it is written, and that a check has nothing against.
type textValidator struct{ check func(string) error }

// Description says what is accepted.
func (textValidator) Description(context.Context) string {
	return "text without white space at its ends"
}

// MarkdownDescription says what is accepted.
func (v textValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString refuses the rest.
func (v textValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	switch text := req.ConfigValue.ValueString(); {
	case strings.TrimSpace(text) == "":
		resp.Diagnostics.AddAttributeError(req.Path, "Empty text", "The server refuses it.")
	case strings.TrimSpace(text) != text:
		resp.Diagnostics.AddAttributeError(req.Path, "White space at an end", "The server takes white space at both ends away. Write the text without.")
	case v.check != nil:
		if err := v.check(text); err != nil {
			resp.Diagnostics.AddAttributeError(req.Path, "The server would refuse this", framework.Sentence(err))
		}
	}
}
