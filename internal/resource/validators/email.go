package validators

import (
	"context"
	"net/mail"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// EmailAddress allows one email address: the server takes some other texts for several, or for a name with an address.
type EmailAddress struct{}

var _ validator.String = EmailAddress{}

// Description says what is allowed.
func (EmailAddress) Description(context.Context) string { return "one email address" }

// MarkdownDescription says what is allowed.
func (v EmailAddress) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString refuses the rest.
func (EmailAddress) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if !isSet(req.ConfigValue) {
		return
	}
	text := req.ConfigValue.ValueString()
	if parsed, err := mail.ParseAddress(text); err != nil || parsed.Address != text || strings.ContainsAny(text, ",; \t\r\n") {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid email address",
			"Write one address, as in ada@example.com, without a name. Use for_each for several people.")
	}
}
