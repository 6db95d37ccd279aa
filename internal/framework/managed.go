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
	e := Existing{Kind: kind, Noun: noun, Name: name.ValueString(), ID: id.ValueInt64(), Import: fmt.Sprint(id.ValueInt64())}
	if anyCase {
		e.Key = strings.ToLower(e.Name)
	}
	b.Manage(e, req.Plan.Raw.IsNull(), diags)
	return id.ValueInt64()
}

// Manage registers the object that the prior state of a planned resource has, and whether the resource is destroyed. It
// warns if another resource has the same object in its state: that is for the state, which no apply can put right. Of the
// object it takes Kind, Noun, Name, Key, ID and Import.
func (b *Base) Manage(e Existing, isDestroyed bool, diags *diag.Diagnostics) {
	b.Meta.Run.Manage(e.Kind, e.ID)
	if isDestroyed {
		b.RegisterDestroy(e, diags)
		return
	}
	if !b.Meta.Run.Keep(e.Kind, e.ID) {
		diags.AddWarning(fmt.Sprintf("Two resources manage %s %q", e.Noun, e.Name),
			fmt.Sprintf("Another %s in the state has the same ID, %s. Each apply undoes the changes of one of them, and destroying either resource destroys the %s for both. "+
				"Remove one of them from the configuration and from the state without destroying it: with a removed block (lifecycle { destroy = false }), or with terraform state rm ADDRESS.", e.Kind, e.Import, e.Noun))
	}
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
