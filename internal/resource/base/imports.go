package base

import (
	"context"
	"fmt"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// ImportedText returns what something is imported by: the word that was given, which is an ID or a name, or the number
// that an attribute of the identity holds, in digits.
func ImportedText(ctx context.Context, req resource.ImportStateRequest, attribute string, diags *diag.Diagnostics) string {
	if req.ID != "" {
		return req.ID
	}
	var id types.Int64
	diags.Append(req.Identity.GetAttribute(ctx, path.Root(attribute), &id)...)
	return strconv.FormatInt(id.ValueInt64(), 10)
}

// ImportedNumber returns the ID that something without a name is imported by. ok is false if it is none. thing is the
// noun, as in "a draft"; where is a sentence on where its ID is found.
func ImportedNumber(ctx context.Context, req resource.ImportStateRequest, thing, where string, diags *diag.Diagnostics) (id types.Int64, ok bool) {
	word := ImportedText(ctx, req, "id", diags)
	number, err := strconv.ParseInt(word, 10, 64)
	if err != nil {
		diags.AddError("Not the ID of "+thing, fmt.Sprintf("What was given is not a number, and nothing else names %s. %s", thing, where)) // it may be a secret
	}
	return types.Int64Value(number), !diags.HasError()
}
