package framework

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Held returns the ID of the thing that the state of a planned resource holds; zero for one that is to be created. It
// claims the thing, for without a refresh it was not read before; and it warns where two resources hold one: that is for
// the state, which no apply can put right. kind is the type of the resource, noun what people call the thing;
// anyCase says that names are compared without regard to case. The resource has to have the attributes `id` and `name`.
// Call it first in ModifyPlan, after [Base.CanPlan].
func (b *Base) Held(ctx context.Context, kind, noun string, anyCase bool, req resource.ModifyPlanRequest, diags *diag.Diagnostics) int64 {
	if req.State.Raw.IsNull() {
		return 0
	}
	var id types.Int64
	var name types.String
	diags.Append(req.State.GetAttribute(ctx, path.Root("id"), &id)...)
	diags.Append(req.State.GetAttribute(ctx, path.Root("name"), &name)...)
	if id.ValueInt64() == 0 {
		return 0 // it could not be read when it was made
	}
	b.Meta.Run.Manage(kind, id.ValueInt64())
	if req.Plan.Raw.IsNull() {
		e := Existing{Kind: kind, Noun: noun, Name: name.ValueString(), ID: id.ValueInt64(), Import: fmt.Sprint(id.ValueInt64())}
		if anyCase {
			e.Key = strings.ToLower(e.Name)
		}
		b.PlanEnd(e, diags)
		return id.ValueInt64()
	}
	if !b.Meta.Run.Keep(kind, id.ValueInt64()) {
		diags.AddWarning(fmt.Sprintf("Two resources manage %s %q", noun, name.ValueString()),
			fmt.Sprintf("Another %s in the state has the same ID, %d. What one of them changes the other changes back, and the end of one is the end of both. "+
				"Take one out of the state and out of the configuration, without its end: with a removed block (lifecycle { destroy = false }), or with terraform state rm ADDRESS.", kind, id.ValueInt64()))
	}
	return id.ValueInt64()
}

// RefuseTakenName refuses the name of a thing that is archived or deactivated. Where a state held that thing until this
// run, it warns instead, and the plan of the apply refuses: `terraform destroy` begins with a plan of the whole
// configuration, and would not get past an error.
func (b *Base) RefuseTakenName(kind string, id int64, at path.Path, summary, detail string, diags *diag.Diagnostics) {
	if b.Meta.Run.IsLost(kind, id) {
		diags.AddAttributeWarning(at, summary, detail+"\n\nIt was archived or deactivated outside of Terraform. An apply that is to create it again will fail until one of these is done. terraform destroy leaves it as it is.")
		return
	}
	diags.AddAttributeError(at, summary, detail)
}
