package organization

import (
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	datasourceschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/text/unicode/norm"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/settings"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

type (
	step    = attribute.Step[*zulip.Realm, zulip.RealmUpdate]
	pending = attribute.Pending[*zulip.Realm, zulip.RealmUpdate]
	reading = attribute.Reading[*zulip.Realm]
	prior   = attribute.Prior[model, *zulip.Realm]
	table   = attribute.Table[model, *zulip.Realm, zulip.RealmUpdate]
)

// attributes are what the server knows of the organization: the table [settings], and the table of permissions.
var attributes = func() table {
	all := table{
		Resource:    "zulip_organization",
		Permissions: map[string]attribute.Permission[model]{},
		Wire: attribute.Permissions[*zulip.Realm, zulip.RealmUpdate]{
			Table:   permission.Organizations,
			Held:    func(r *zulip.Realm) map[string]zulip.GroupSettingValue { return r.Permissions },
			Changes: func(u *zulip.RealmUpdate) *map[string]zulip.GroupSettingChange { return &u.Permissions },
		},
	}
	for _, setting := range allSettings {
		all.Rows = append(all.Rows, row{setting})
	}
	for _, setting := range permission.Organizations.All() {
		one := attribute.Permission[model]{At: func(m *model) *types.Set { return m.permission(setting.Name) }}
		if setting.OwnersOnly {
			one.Requires.Role = zulip.RoleOwner
		}
		all.Permissions[setting.Name] = one
	}
	return all
}()

// row makes a row of a setting. The server reads and writes all of them in the same way, which the setting's kind knows.
type row struct{ settings.Setting }

// AttributeName is the name of the setting.
func (r row) AttributeName() string { return r.Name }

// ResourceAttribute describes it in the schema of the resource.
func (r row) ResourceAttribute(string) schema.Attribute { return r.Attribute() }

// DataSourceAttribute describes it in the schema of the data source.
func (r row) DataSourceAttribute(string) datasourceschema.Attribute {
	return r.Setting.DataSourceAttribute()
}

// Takes is what an account takes to set it.
func (r row) Takes() (requires attribute.Requirement) {
	if r.OwnerOnly {
		requires.Role = zulip.RoleOwner
	}
	return requires
}

// ReadInto takes what the server has.
func (r row) ReadInto(m *model, realm *zulip.Realm, on attribute.Server, diags *diag.Diagnostics) {
	if value := r.Read(realm.Settings, on.FeatureLevel, m.settings[r.Name], diags); value != nil {
		m.set(r.Name, value)
	}
}

// Step is the change of the setting.
func (r row) Step(prior *prior, planned *model, on attribute.Server) (change step, problems []permission.Problem, found bool) {
	value, before := planned.settings[r.Name], prior.Values.settings[r.Name]
	if !r.Changes(value, before) {
		return change, nil, false
	}
	return step{
		Attribute: r.Name, Prior: describe(before), Planned: describe(value),
		Current: func(realm *zulip.Realm) string {
			// What cannot be read was reported when the state was; here it is just something else.
			var unreadable diag.Diagnostics
			return describe(r.Read(realm.Settings, on.FeatureLevel, nil, &unreadable))
		},
		Put: func(update *zulip.RealmUpdate, current *zulip.Realm, _ bool) {
			r.put(update, planned, current, on.FeatureLevel)
		},
	}, nil, true
}

// put writes what a model says into an update.
func (r row) put(update *zulip.RealmUpdate, m *model, current *zulip.Realm, featureLevel int) {
	if r.Name == methodsAttribute {
		update.Settings.JSON(r.Name, turnOff(m.settings[r.Name], current.AuthenticationMethods))
		return
	}
	r.Send(&update.Settings, m.settings, current.Settings, featureLevel)
}

// KeepPrior keeps null where the server does not have the setting: it will not have it after the apply either.
func (r row) KeepPrior(config, planned, state *model, _ attribute.Server) {
	if before := state.settings[r.Name]; planned.settings[r.Name].IsUnknown() && config.settings[r.Name].IsNull() && before.IsNull() {
		planned.set(r.Name, before)
	}
}

// KeepPlanned keeps the planned value, unless that is unknown.
func (r row) KeepPlanned(m, planned *model) {
	if value := planned.settings[r.Name]; !value.IsUnknown() {
		m.set(r.Name, value)
	}
}

// ForgetUnknown makes an unknown value null.
func (r row) ForgetUnknown(m *model) {
	if m.settings[r.Name].IsUnknown() {
		m.set(r.Name, r.Read(nil, 0, nil, &diag.Diagnostics{}))
	}
}

// describe writes a value of a setting for people. Values that mean the same are written the same: the CLI hands over every
// text in the Unicode normal form NFC, whatever form the server stores.
func describe(value attr.Value) string {
	set, isSet := value.(types.Set)
	switch {
	case value == nil || value.IsNull():
		return "nothing"
	case isSet:
		texts := textsOf(set)
		slices.Sort(texts)
		return norm.NFC.String(fmt.Sprintf("%q", texts))
	}
	return norm.NFC.String(value.String())
}
