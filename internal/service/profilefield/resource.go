// Package profilefield is the resources zulip_custom_profile_field and zulip_custom_profile_field_order.
package profilefield

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// list is the part of a snapshot that holds the custom profile fields.
const list = zulip.FetchProfileFields

// NewResource returns zulip_custom_profile_field.
func NewResource() resource.Resource {
	return core.New(&core.Definition[model, zulip.ProfileField, model]{
		Name: "custom_profile_field", Title: "custom profile field", Plural: "custom profile fields",
		ListText: core.ListText{Description: "Lists the custom profile fields of the organization."},
		Schema:   resourceSchema,
		Role:     zulip.RoleAdministrator, ForceNew: []string{"field_type", "subtype"},
		Source: core.Source{Part: list, Lags: true},
		Index:  (*snapshot.Snapshot).ProfileFields,
		Key:    func(field *zulip.ProfileField) int64 { return field.ID },
		Unique: core.Unique[model, zulip.ProfileField]{
			At:      (*model).namedBy,
			Of:      (*model).label,
			Find:    func(view *snapshot.Snapshot, plan *model) (*zulip.ProfileField, bool) { return plan.namesake(view) },
			Where:   "the organization's settings list all, under Custom profile fields",
			IsTaken: zulip.IsProfileFieldNameTaken,
			Existing: func(e *core.Existing, field *zulip.ProfileField, _ *core.Context) {
				e.Detail = fmt.Sprintf("Field %d is called %q, and is of the type %s. The server takes a name only once.", field.ID, field.Name, field.Type)
				e.MayBeReplaced = true // one of another type may be the one that this replaces
			},
		},
		ReadInto: func(m *model, field *zulip.ProfileField, c *core.Context) { m.read(field, c.FeatureLevel()) },
		Fixed:    fixedByService,
		Validate: validate, CheckPlan: checkPlan,
		Create: create, Update: update, Delete: remove,
		Hint: hint,
	})
}

func create(ctx context.Context, c *core.Context, plan *model) (int64, error) {
	field := plan.wire(nil)
	field.Type = zulip.ParseProfileFieldType(plan.FieldType.ValueString())
	return c.Meta.Client.CreateProfileField(ctx, field)
}

// update sends what differs; servers below feature level 252 want everything.
func update(ctx context.Context, c *core.Context, planned, current *model) error {
	change := planned.wire(current)
	if !c.HasLevel(levelPartial) {
		change = planned.wire(nil)
	}
	return c.Meta.Client.UpdateProfileField(ctx, current.ID.ValueInt64(), change)
}

func remove(ctx context.Context, c *core.Context, state *model) error {
	return c.Meta.Client.DeleteProfileField(ctx, state.ID.ValueInt64())
}

// namesake returns the field of the organization that has the name of the planned one. A service that the server knows
// has one name, which only the server says.
func (m *model) namesake(view *snapshot.Snapshot) (*zulip.ProfileField, bool) {
	if base.IsSet(m.Name) {
		return view.ProfileFields().ByName(m.Name.ValueString())
	}
	for _, field := range view.ProfileFields().List() {
		if subtype := field.ExternalAccount().Subtype; subtype != "" && subtype == m.Subtype.ValueString() && subtype != custom {
			return field, true
		}
	}
	return nil, false
}

// namedBy is the attribute that the name comes from.
func (m *model) namedBy() string {
	if base.IsSet(m.Name) {
		return "name"
	}
	return "subtype"
}

func hint(err error) string {
	switch {
	case zulip.IsProfileFieldNameTaken(err):
		return "Another custom profile field has this name. If a resource of this configuration has just given it up, apply again; else import that field, or choose another name."
	case zulip.IsNoProfileField(err):
		return "Somebody has deleted it since the plan was made. Plan again to have it added anew."
	case zulip.IsMessage(err, "Only 2 custom profile fields can be displayed in the profile summary."):
		return "Two other fields have display_in_profile_summary. If one of them has just given it up, apply again."
	}
	return ""
}
