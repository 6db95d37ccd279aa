package core

import (
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
)

// Rows compares by the rows of a table, which describes the facts of a model: those of its attributes that the server has.
func Rows[Model, Facts, Object, Update any](table *attribute.Table[Facts, *Object, Update], facts func(*Model) *Facts) Attributes[Model, Object, Update] {
	return byRows[Model, Facts, Object, Update]{table, facts}
}

type byRows[Model, Facts, Object, Update any] struct {
	table *attribute.Table[Facts, *Object, Update]
	facts func(*Model) *Facts
}

// withPermissions is a comparison of objects that have permissions.
type withPermissions[Model, Object any] interface {
	permissionPlan(config, planned *Model, prior *PriorModel[Model, Object], view *snapshot.Snapshot) attribute.PermissionPlan
}

// prior is what a plan is computed from, as the table has it.
func (by byRows[Model, Facts, Object, Update]) prior(prior *PriorModel[Model, Object]) *attribute.Prior[Facts, *Object] {
	own := &attribute.Prior[Facts, *Object]{Values: by.facts(prior.Values), IsState: prior.IsState, Object: prior.Object, Permissions: prior.Permissions}
	if prior.IsState {
		own.State = by.facts(prior.State)
	}
	return own
}

func (by byRows[Model, Facts, Object, Update]) read(m *Model, object *Object, c *Context, diags *diag.Diagnostics) {
	by.table.Read(by.facts(m), object, c.server(), diags)
}

func (by byRows[Model, Facts, Object, Update]) omittable() []string { return by.table.Omittable() }

func (by byRows[Model, Facts, Object, Update]) refresh(m *Model, object *Object, c *Context, diags *diag.Diagnostics) {
	by.table.Refresh(by.facts(m), object, c.server(), diags)
}

func (by byRows[Model, Facts, Object, Update]) priorState(state *Model, beside attribute.Beside, object *Object, c *Context, diags *diag.Diagnostics) *PriorModel[Model, Object] {
	var at **Object
	if object != nil {
		at = &object
	}
	found, values := by.table.PriorBeside(by.facts(state), beside, at, c.server(), diags), *state
	*by.facts(&values) = *found.Values
	return &PriorModel[Model, Object]{Values: &values, IsState: true, State: state, Permissions: found.Permissions, Unread: found.Unread}
}

func (by byRows[Model, Facts, Object, Update]) priorObject(object *Object, c *Context, diags *diag.Diagnostics) *PriorModel[Model, Object] {
	found, values := by.table.PriorObject(object, c.server(), diags), new(Model)
	*by.facts(values) = *found.Values
	return &PriorModel[Model, Object]{Values: values, Object: object, Permissions: found.Permissions}
}

func (by byRows[Model, Facts, Object, Update]) keepPrior(config, planned *Model, prior *PriorModel[Model, Object], c *Context) {
	by.table.KeepPrior(by.facts(config), by.facts(planned), by.prior(prior), c.server())
}

func (by byRows[Model, Facts, Object, Update]) steps(prior *PriorModel[Model, Object], planned *Model, c *Context) ([]attribute.Step[*Object, Update], []permission.Problem) {
	return by.table.Steps(by.prior(prior), by.facts(planned), c.server())
}

func (by byRows[Model, Facts, Object, Update]) keepKnown(m, planned *Model) []string {
	return by.table.KeepPlanned(by.facts(m), by.facts(planned))
}

func (by byRows[Model, Facts, Object, Update]) forgetUnknown(m *Model) {
	by.table.ForgetUnknown(by.facts(m))
}

func (by byRows[Model, Facts, Object, Update]) besideState(m *Model, object *Object, differing []string, c *Context, diags *diag.Diagnostics) *attribute.Beside {
	return by.table.BesideState(by.facts(m), object, differing, c.server(), diags)
}

func (by byRows[Model, Facts, Object, Update]) permissionPlan(config, planned *Model, prior *PriorModel[Model, Object], view *snapshot.Snapshot) attribute.PermissionPlan {
	return by.table.PermissionPlan(by.facts(config), by.facts(planned), by.prior(prior), view)
}
