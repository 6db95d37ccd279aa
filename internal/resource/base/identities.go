package base

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// KeepIdentity are the upgraders of identities of version 0 whose attributes are those of today and some more, which are
// left out.
func KeepIdentity() map[int64]resource.IdentityUpgrader {
	return map[int64]resource.IdentityUpgrader{0: {IdentityUpgrader: keepIdentity}}
}

func keepIdentity(ctx context.Context, req resource.UpgradeIdentityRequest, resp *resource.UpgradeIdentityResponse) {
	kind := resp.Identity.Schema.Type().TerraformType(ctx)
	identity, err := req.RawIdentity.UnmarshalWithOpts(kind, tfprotov6.UnmarshalOpts{
		ValueFromJSONOpts: tftypes.ValueFromJSONOpts{IgnoreUndefinedAttributes: true},
	})
	if err != nil {
		resp.Diagnostics.AddError("The identity of a resource cannot be read",
			"It was written by an earlier version of the provider: "+err.Error()+"\n\nRemove the resource from the state (terraform state rm ADDRESS) and import it again.")
		return
	}
	resp.Identity.Raw = identity
}
