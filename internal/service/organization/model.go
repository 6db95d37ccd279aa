package organization

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// reading is the organization as it was read.
type reading = framework.Reading[*zulip.Realm]

// model is what a plan, a state or a configuration says. It is as long as the tables are, so no struct spells it out.
type model struct {
	// settings are everything but the permissions.
	settings framework.SettingValues
	sets     map[string]*types.Set
}

// getModel reads a plan, a state or a configuration.
func getModel(ctx context.Context, from interface {
	Get(ctx context.Context, target any) diag.Diagnostics
}, diags *diag.Diagnostics,
) *model {
	m := emptyModel()
	for name, value := range framework.GetSettingValues(ctx, from, diags) {
		if set, ok := m.sets[name]; ok {
			*set, _ = value.(types.Set)
		} else {
			m.settings[name] = value
		}
	}
	return m
}

func emptyModel() *model {
	m := &model{settings: framework.SettingValues{}, sets: map[string]*types.Set{}}
	for _, setting := range permission.Organizations.All() {
		set := types.SetNull(types.StringType)
		m.sets[setting.Name] = &set
	}
	return m
}

// clone is a model of its own that says the same.
func (m *model) clone() *model {
	same := &model{settings: maps.Clone(m.settings), sets: map[string]*types.Set{}}
	for name, set := range m.sets {
		value := *set
		same.sets[name] = &value
	}
	return same
}

// write writes it into a plan or a state.
func (m *model) write(ctx context.Context, into interface {
	Set(ctx context.Context, value any) diag.Diagnostics
}, diags *diag.Diagnostics,
) {
	all := maps.Clone(m.settings)
	for name, set := range m.sets {
		all[name] = *set
	}
	all.Set(ctx, into, diags)
}

// permission returns the attribute of a permission.
func (m *model) permission(setting string) *types.Set { return m.sets[setting] }

// priorPermissions are the permissions of a state; nil without one.
func (m *model) priorPermissions() framework.PermissionSets {
	if m == nil {
		return nil
	}
	return m.permission
}

// permissionSets are the attributes of the permissions, for what is done with them in the same way everywhere.
func (m *model) permissionSets() framework.PermissionSets { return m.permission }

// read takes what the server holds. Where an attribute already says the same in other words, its words are kept, so that
// a plan shows no difference that is none.
func (m *model) read(now *reading, level int, diags *diag.Diagnostics) {
	m.settings = settings.Read(now.Thing.Settings, level, m.settings, diags)
	m.settings["id"] = types.StringValue(framework.OnceID)
	m.permissionSets().Read(permission.Organizations, now.Thing.Permissions, now.View)
}

// keep gives back what a plan knew to what was read after it was applied, and returns the permissions for which that
// makes a difference: what somebody else changed meanwhile is for the next plan to show.
func (m *model) keep(plan *model) (differing []string) {
	m.settings.Keep(plan.settings)
	return m.permissionSets().Keep(permission.Organizations, plan.permission)
}
