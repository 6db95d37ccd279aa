package organization

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/settings"
)

// model is what a plan, a state or a configuration says. It is as long as the tables are, so no struct spells it out.
type model struct {
	// settings are everything but the permissions.
	settings settings.Values
	sets     map[string]*types.Set
}

// getModel reads a plan, a state or a configuration.
func getModel(ctx context.Context, from interface {
	Get(ctx context.Context, target any) diag.Diagnostics
}, diags *diag.Diagnostics,
) *model {
	m := emptyModel()
	for name, value := range settings.Get(ctx, from, diags) {
		if set, ok := m.sets[name]; ok {
			*set, _ = value.(types.Set)
		} else {
			m.settings[name] = value
		}
	}
	return m
}

func emptyModel() *model {
	m := &model{settings: settings.Values{}}
	for _, setting := range permission.Organizations.All() {
		m.permission(setting.Name)
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
},
) (diags diag.Diagnostics) {
	all := maps.Clone(m.settings)
	for name, set := range m.sets {
		all[name] = *set
	}
	all.Set(ctx, into, &diags)
	return diags
}

// permission returns where the model has a permission.
func (m *model) permission(setting string) *types.Set {
	if m.sets == nil {
		m.sets = map[string]*types.Set{}
	}
	if m.sets[setting] == nil {
		set := types.SetNull(types.StringType)
		m.sets[setting] = &set
	}
	return m.sets[setting]
}

// set gives a setting a value.
func (m *model) set(setting string, value attr.Value) {
	if m.settings == nil {
		m.settings = settings.Values{}
	}
	m.settings[setting] = value
}
