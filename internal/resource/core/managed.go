package core

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
)

// Manage registers the object that the prior state of a planned resource has, and whether the resource is destroyed. It
// warns if another resource has the same object in its state, which no apply can put right, and refuses to destroy an object that
// another resource of the run has: whichever of the two is planned last says so. Of the object it takes Kind, Title, Name, Key,
// ID and Import.
func Manage(meta *base.Meta, e Existing, isDestroyed bool, diags *diag.Diagnostics) {
	meta.Run.Manage(e.Kind, e.ID)
	if isDestroyed {
		if meta.Run.IsKept(e.Kind, e.ID) {
			refuseDestroy(e, diags)
		}
		RegisterDestroy(meta, e, diags)
		return
	}
	if meta.Run.WillBeDestroyed(e.Kind, e.ID) {
		refuseDestroy(e, diags)
	}
	if !meta.Run.Keep(e.Kind, e.ID) {
		diags.AddWarning(fmt.Sprintf("Two resources manage %s %q", e.Title, e.Name),
			fmt.Sprintf("Another %s in the state has the same ID, %s. Each apply undoes the changes of one of them, and destroying either resource destroys the %s for both. "+
				"Remove one of them from the configuration and from the state without destroying it: with a removed block (lifecycle { destroy = false }), or with terraform state rm ADDRESS.", e.Kind, e.Import, e.Title))
	}
}

// refuseDestroy reports that one resource would destroy the object of another.
func refuseDestroy(e Existing, diags *diag.Diagnostics) {
	diags.AddError(fmt.Sprintf("%s %q would be destroyed, and another resource has it", base.Capitalize(e.Title), e.Name),
		fmt.Sprintf("Two resources have the %s with the ID %s: one is planned to be destroyed, and one to stay. To let go of it without destroying it, use a removed block with lifecycle { destroy = false }, or terraform state rm ADDRESS; to rename a resource, a moved block.", e.Title, e.Import))
}

// RefuseTakenName refuses the name of a thing that is archived or deactivated. Where a state held that thing until this
// run, it warns instead, and the plan of the apply refuses: `terraform destroy` begins with a plan of the whole
// configuration, and would not get past an error.
func RefuseTakenName(meta *base.Meta, kind string, id int64, at path.Path, summary, detail string, diags *diag.Diagnostics) {
	if meta.Run.IsLost(kind, id) {
		diags.AddAttributeWarning(at, summary, detail+"\n\nIt was archived or deactivated outside of Terraform. An apply that is to create it again will fail until one of these is done. terraform destroy leaves it as it is.")
		return
	}
	diags.AddAttributeError(at, summary, detail)
}
