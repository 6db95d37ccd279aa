package attribute

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Requirement is what an account takes to set an attribute, beside what it takes to change the object at all.
type Requirement struct {
	// Role is the lowest role that may; zero: any.
	Role zulip.Role
	// Right is a permission of the organization that lets accounts below administrators set it; "": any account may.
	Right string
	// Except is a value that does not take the right.
	Except string
}

// sentence says on a page what is required.
func (r Requirement) sentence() string {
	switch r.Role {
	case zulip.RoleOwner:
		return "Only owners may set it."
	case zulip.RoleAdministrator:
		return "Only administrators may set it."
	}
	return ""
}

// CheckRights refuses steps that the account may not make, and says who may.
func (t *Table[Model, Object, Update]) CheckRights(b *base.Base, steps []Step[Object, Update], view *snapshot.Snapshot, diags *diag.Diagnostics) {
	for _, step := range steps {
		takes := t.Requires(step.Attribute)
		if takes.Role != 0 {
			b.Meta.RequireRole(takes.Role, path.Root(step.Attribute), "set "+step.Attribute, diags)
		}
		if takes.Right != "" && step.Planned != takes.Except {
			requireRight(b.Meta, step.Attribute, takes.Right, view, diags)
		}
	}
}

// Requires is what an account takes to set an attribute.
func (t *Table[Model, Object, Update]) Requires(attribute string) Requirement {
	for _, row := range t.Rows {
		if row.AttributeName() == attribute {
			return row.Takes()
		}
	}
	return t.Permissions[attribute].Requires
}

// requireRight refuses what administrators may do, and whom a permission of the organization names.
func requireRight(meta *base.Meta, attribute, right string, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	self := meta.Store.Self()
	value, ok := view.Realm().Permissions[right]
	if self.Role <= zulip.RoleAdministrator || !ok || permission.Admits(value, self, view) {
		return
	}
	meta.Refuse(path.Root(attribute), "set "+attribute, fmt.Sprintf("Administrators and owners of the organization may, and whom the organization's setting %s names: %s.",
		right, permission.Describe(value, view)), diags)
}
