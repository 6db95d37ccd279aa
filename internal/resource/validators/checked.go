package validators

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
)

// Checked allows the texts for which a function returns no error. The error is the detail of the message. thing is a
// noun for a valid text, as in "domain".
func Checked(thing string, check func(string) error) validator.String { return checked{thing, check} }

type checked struct {
	thing string
	check func(string) error
}

// Description returns the noun for a valid text.
func (c checked) Description(context.Context) string { return "a valid " + c.thing }

// MarkdownDescription returns the noun for a valid text.
func (c checked) MarkdownDescription(ctx context.Context) string { return c.Description(ctx) }

// ValidateString checks a text.
func (c checked) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if !isSet(req.ConfigValue) {
		return
	}
	if err := c.check(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid "+c.thing, base.Sentence(err))
	}
}
