package base

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// SchemaVersion is the version that the first release fixes for the schema of every resource. Builds from before it wrote
// states of version 0.
//
// An attribute that is added, or that takes values which it did not take before, needs no new version: a state without it
// reads as null. One that is renamed, removed or changes its type does: then the resource's schema gets its own, higher
// version, and an UpgradeState of its own beside that of [Resource], with an upgrader from each version before.
const SchemaVersion = 1

// UpgradeState reads the states of builds from before the first release, which have the same attributes.
func (r *Resource) UpgradeState(context.Context) map[int64]resource.StateUpgrader {
	return map[int64]resource.StateUpgrader{0: {StateUpgrader: keepState}}
}

// keepState is the upgrader of a state whose attributes are those of today: what there is no attribute for any more is left
// out, and what the state lacks is null.
func keepState(ctx context.Context, req resource.UpgradeStateRequest, resp *resource.UpgradeStateResponse) {
	kind := resp.State.Schema.Type().TerraformType(ctx)
	state, err := req.RawState.UnmarshalWithOpts(kind, tfprotov6.UnmarshalOpts{
		ValueFromJSONOpts: tftypes.ValueFromJSONOpts{IgnoreUndefinedAttributes: true},
	})
	if err != nil {
		resp.Diagnostics.AddError("The state cannot be read",
			"It was written by an earlier version of the provider, and does not have the attributes of the resource: "+err.Error()+"\n\nRemove the resource from the state (terraform state rm ADDRESS) and import it again.")
		return
	}
	resp.State.Raw = state
}
