package validators

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// RequireInElements returns a validator that requires attributes in every known element of a list of nested objects.
//
// The schema itself marks these attributes as optional: where an element as a whole is unknown, as one made by a
// conditional expression is while it is validated, the plugin framework takes a required attribute of it for null and
// reports it as missing.
func RequireInElements(attributes ...string) validator.List {
	return requiredInElements{attributes}
}

type requiredInElements struct{ attributes []string }

// Description says what is required.
func (v requiredInElements) Description(context.Context) string {
	return "each element must set " + strings.Join(v.attributes, " and ")
}

// MarkdownDescription says what is required.
func (v requiredInElements) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

// ValidateList reports what is missing in the elements that are known.
func (v requiredInElements) ValidateList(_ context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	if !isSet(req.ConfigValue) {
		return
	}
	for i, element := range req.ConfigValue.Elements() {
		object, ok := element.(types.Object)
		if !ok || object.IsUnknown() {
			continue
		}
		for _, name := range v.attributes {
			if value, has := object.Attributes()[name]; !has || value.IsNull() {
				at := req.Path.AtListIndex(i).AtName(name)
				resp.Diagnostics.AddAttributeError(at, "Missing required attribute", fmt.Sprintf("Set a value for %s: every element needs one.", at))
			}
		}
	}
}
