package resourcekit

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/zulip-iac/terraform-provider-zulip/internal/base"
)

// Manage registers the object that the prior state of a planned resource has, and whether the resource is destroyed. It
// warns if another resource has the same object in its state: that is for the state, which no apply can put right. Of the
// object it takes Kind, Title, Name, Key, ID and Import.
func Manage(meta *base.Meta, e Existing, isDestroyed bool, diags *diag.Diagnostics) {
	meta.Run.Manage(e.Kind, e.ID)
	if isDestroyed {
		RegisterDestroy(meta, e, diags)
		return
	}
	if !meta.Run.Keep(e.Kind, e.ID) {
		diags.AddWarning(fmt.Sprintf("Two resources manage %s %q", e.Title, e.Name),
			fmt.Sprintf("Another %s in the state has the same ID, %s. Each apply undoes the changes of one of them, and destroying either resource destroys the %s for both. "+
				"Remove one of them from the configuration and from the state without destroying it: with a removed block (lifecycle { destroy = false }), or with terraform state rm ADDRESS.", e.Kind, e.Import, e.Title))
	}
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
