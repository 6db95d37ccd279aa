package attribute

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	datasourceschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/setplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// Attributes adds an attribute for each permission of a table: a set of principals.
func Attributes(attributes map[string]schema.Attribute, table permission.Table) {
	for _, setting := range table.Settings {
		attributes[setting.Name] = attributeOf(table, setting)
	}
	for _, setting := range table.Shown {
		attributes[setting.Name] = schema.SetAttribute{
			ElementType: types.StringType, Computed: true,
			MarkdownDescription: shownDescription(setting) + " " + featurelevel.Sentence(setting.FeatureLevel),
			PlanModifiers:       []planmodifier.Set{setplanmodifier.UseStateForUnknown()},
		}
	}
}

func shownDescription(setting permission.Setting) string {
	return fmt.Sprintf("Those who %s, as principals. Read only.", setting.Right)
}

func attributeOf(table permission.Table, setting permission.Setting) schema.SetAttribute {
	return schema.SetAttribute{
		ElementType:         types.StringType,
		Optional:            true,
		Computed:            true,
		MarkdownDescription: description(table, setting),
		Validators:          []validator.Set{setvalidator.ValueStringsAre(principalValidator{})},
		PlanModifiers:       []planmodifier.Set{setplanmodifier.UseStateForUnknown()},
	}
}

// DataSourceAttributes adds an attribute that shows each permission of a table.
func DataSourceAttributes(attributes map[string]datasourceschema.Attribute, table permission.Table) {
	add := func(setting permission.Setting, description string) {
		attributes[setting.Name] = datasourceschema.SetAttribute{ElementType: types.StringType, Computed: true, MarkdownDescription: description}
	}
	for _, setting := range table.Settings {
		add(setting, fmt.Sprintf("Who may %s, as principals.", setting.Right))
	}
	for _, setting := range table.Shown {
		add(setting, shownDescription(setting))
	}
}

func description(table permission.Table, setting permission.Setting) string {
	text := fmt.Sprintf("Who may %s, as a set of principals.", setting.Right)
	if len(setting.Roles) == 0 && !setting.RefuseNobody {
		text += " `[]` is nobody."
	}
	if !setting.AllowEveryone {
		text += " Guests never have this right, even if named."
	}
	if setting.NeedsContentAccess {
		text += " Changing it in a private channel needs access to the channel's messages, which administrators do not have by their role."
	}
	if len(setting.Roles) > 0 {
		text += " One role alone: `" + strings.Join(setting.Roles, "`, `") + "`."
	} else if setting.RefuseNobody {
		text += " It cannot be nobody."
	}
	if setting.OwnersOnly {
		text += " Only owners may set it."
	}
	text += fmt.Sprintf(" A new %s starts with %s.", table.Noun, code(setting.Default))
	return text + " " + featurelevel.Sentence(setting.FeatureLevel) + " Not managed if it is not set."
}

func code(text string) string {
	if strings.Contains(text, ":") {
		return "`" + text + "`"
	}
	return text
}

// principalValidator checks the form of a principal; whether it exists is checked at plan.
type principalValidator struct{}

// Description says what is accepted.
func (principalValidator) Description(context.Context) string {
	return "a principal: role:NAME, group:NAME, user:EMAIL, group_id:N or user_id:N"
}

// MarkdownDescription says what is accepted.
func (v principalValidator) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

// ValidateString refuses the rest.
func (principalValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if _, err := permission.Parse(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Not a principal", base.Capitalize(err.Error())+".")
	}
}

// PrincipalsOf reads the principals of a set. known is false while one of them is not known yet.
func PrincipalsOf(set types.Set) (principals []permission.Principal, known bool) {
	if set.IsUnknown() {
		return nil, false
	}
	for _, element := range set.Elements() {
		text, ok := element.(types.String)
		if !ok || text.IsUnknown() || text.IsNull() {
			return nil, false
		}
		principal, err := permission.Parse(text.ValueString())
		if err != nil {
			return nil, false // said by the validator
		}
		principals = append(principals, principal)
	}
	return principals, true
}

// SetOf writes principals as a set.
func SetOf(principals []permission.Principal) types.Set {
	elements := make([]attr.Value, len(principals))
	for i, principal := range principals {
		elements[i] = types.StringValue(principal.String())
	}
	return types.SetValueMust(types.StringType, elements)
}

// addProblems reports principals that cannot be used.
func addProblems(diags *diag.Diagnostics, at path.Path, problems []permission.Problem) {
	for _, problem := range problems {
		diags.AddAttributeError(at, problem.Summary, problem.Detail)
	}
}

// keepOrFormat returns a set for a value the server holds. A set that already means the value is kept as it is written:
// people and groups that have been deactivated since do not count.
// It is compared with the server's value alone: nil for the state, because Unchanged would hide what the server has.
func keepOrFormat(kept types.Set, value zulip.GroupSettingValue, view *snapshot.Snapshot) types.Set {
	if classify(kept, nil, &value, view).Outcome == Equivalent {
		return kept
	}
	like, _ := PrincipalsOf(kept)
	return SetOf(permission.Format(value, view, like))
}
