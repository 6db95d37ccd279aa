package change

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// ManagedSummary is the summary of the warning about attributes that become managed. It has no names, so that Terraform
// can combine many warnings into one.
const ManagedSummary = "Newly managed attributes will change existing values"

// WarnOfManaged warns in a plan about the current values of attributes that become managed, because the plan shows no values
// for them before. called is the object in messages, as in "the organization".
func WarnOfManaged[Thing, Update any](called string, steps []Step[Thing, Update], diags *diag.Diagnostics) {
	var text strings.Builder
	for _, step := range steps {
		if step.Prior != `""` {
			fmt.Fprintf(&text, "\n%s\n  now:                        %s\n  the configuration asks for: %s\n", step.Attribute, step.Prior, step.Planned)
		}
	}
	if text.Len() > 0 {
		diags.AddWarning(ManagedSummary,
			fmt.Sprintf("These attributes of %s were not managed until now. The plan shows them as new, but they have values that the apply will change:\n%s", called, text.String()))
	}
}
