package organization

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/existing"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/order"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// profileFieldList is the part of a snapshot that holds the custom profile fields.
const profileFieldList = zulip.FetchProfileFields

// NewProfileFieldResource returns zulip_custom_profile_field.
func NewProfileFieldResource() resource.Resource {
	return core.New(&core.Definition[profileFieldModel, zulip.ProfileField]{
		Name: "custom_profile_field", Title: "custom profile field", Plural: "custom profile fields",
		ListText: core.ListText{Description: "Lists the custom profile fields of the organization."},
		Schema:   profileFieldSchema,
		Role:     zulip.RoleAdministrator, ForceNew: []string{"field_type", "subtype"},
		Source: core.Source{Part: profileFieldList, Lags: true},
		Index:  (*snapshot.Snapshot).ProfileFields,
		Key:    func(field *zulip.ProfileField) int64 { return field.ID },
		Unique: core.Unique[profileFieldModel, zulip.ProfileField]{
			At: (*profileFieldModel).namedBy,
			Of: (*profileFieldModel).label,
			Holder: func(view *snapshot.Snapshot, plan *profileFieldModel) (*zulip.ProfileField, bool) {
				return plan.fieldWithSameName(view)
			},
			Where:   "the organization's settings list all, under Custom profile fields",
			IsTaken: zulip.IsProfileFieldNameTaken,
			Existing: func(e *existing.Object, field *zulip.ProfileField, _ *core.Call) {
				e.Detail = fmt.Sprintf("Field %d is called %q and has the type %s. The server accepts each name only once.", field.ID, field.Name, field.Type)
				e.MayBeReplaced = true // a field of another type may be the one that this resource replaces
			},
		},
		ReadInto: func(m *profileFieldModel, field *zulip.ProfileField, c *core.Call) {
			m.read(field, c.FeatureLevel())
		},
		Fixed:    fixedByService,
		Validate: validateProfileField, CheckPlan: checkProfileFieldPlan,
		Create: createProfileField, Update: updateProfileField, Delete: deleteProfileField,
		Hint: profileFieldHint,
	})
}

func createProfileField(ctx context.Context, c *core.Call, plan *profileFieldModel) (int64, error) {
	field := plan.wire(nil)
	field.Type = zulip.ParseProfileFieldType(plan.FieldType.ValueString())
	return c.Meta.Client.CreateProfileField(ctx, field)
}

// updateProfileField sends the differences.
func updateProfileField(ctx context.Context, c *core.Call, planned, current *profileFieldModel) error {
	return c.Meta.Client.UpdateProfileField(ctx, current.ID.ValueInt64(), planned.wire(current))
}

func deleteProfileField(ctx context.Context, c *core.Call, state *profileFieldModel) error {
	return c.Meta.Client.DeleteProfileField(ctx, state.ID.ValueInt64())
}

// fieldWithSameName returns the organization's field with the name of the planned one. A service that the server knows
// has one name, which only the server's answer contains.
func (m *profileFieldModel) fieldWithSameName(view *snapshot.Snapshot) (*zulip.ProfileField, bool) {
	if base.IsSet(m.Name) {
		return view.ProfileFields().ByName(m.Name.ValueString())
	}
	for _, field := range view.ProfileFields().List() {
		if subtype := field.ExternalAccount().Subtype; subtype != "" && subtype == m.Subtype.ValueString() && subtype != customFieldType {
			return field, true
		}
	}
	return nil, false
}

// namedBy returns the attribute that determines the name.
func (m *profileFieldModel) namedBy() string {
	if base.IsSet(m.Name) {
		return "name"
	}
	return "subtype"
}

func profileFieldHint(err error) string {
	switch {
	case zulip.IsProfileFieldNameTaken(err):
		return "Another custom profile field has this name. If a resource of this configuration just gave it up, apply again. Otherwise import that field, or choose another name."
	case zulip.IsNoProfileField(err):
		return "Someone deleted it after the plan was made. Plan again to create it again."
	case zulip.IsMessage(err, "Only 2 custom profile fields can be displayed in the profile summary."):
		return "Two other fields have display_in_profile_summary. If one of them just gave it up, apply again."
	}
	return ""
}

// The server's limits, counted in characters (server-behavior §L5).
const (
	profileFieldMaxName = 40
	profileFieldMaxHint = 80
)

var (
	notBlank = regexp.MustCompile(`[^\s\pZ]`)
)

func profileFieldSchema() schema.Schema {
	attributes := map[string]schema.Attribute{
		"id": schema.Int64Attribute{
			Computed: true, MarkdownDescription: "ID of the field.",
			PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
		},
		"field_type": schema.StringAttribute{
			Required:            true,
			MarkdownDescription: "Type of the field: `" + strings.Join(zulip.ProfileFieldTypes(), "`, `") + "`. Changing this forces a new field and deletes all answers.",
			Validators:          []validator.String{validators.OneOf(zulip.ProfileFieldTypes()...)},
		},
		"name": schema.StringAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: "Label, at most 40 characters. Required, unless `subtype` is a service that the server knows: the server then chooses the name.",
			Validators: []validator.String{
				validators.Length(1, profileFieldMaxName),
				validators.VisibleName{RefuseEnds: true},
			},
		},
		"hint": schema.StringAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: "Help text, at most 80 characters.",
			Validators:          []validator.String{validators.Length(0, profileFieldMaxHint)},
		},
		"options": profileFieldOptions(),
		"subtype": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "Service of the type `external_account`, and required for it: `github`, `twitter`, or `custom` for any other service.",
			Validators:          []validator.String{validators.Matches(notBlank, "must not be blank")},
		},
		"url_pattern": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "URL of an account with the subtype `custom`, and required for it. Contains `%(username)s` once.",
			Validators:          []validator.String{validators.URL("https://example.com/%(username)s")},
		},
	}
	for name, text := range map[string]string{
		"display_in_profile_summary": "If true, the profile card shows the field. At most two fields can have it. Not available for `user`. `long_text` requires " + featurelevel.Describe(levelLongSummary) + ".",
		"required":                   "If true, people are asked to fill in the field.",
		"editable_by_user":           "If true, people can fill in the field themselves, otherwise administrators do. Initially `true`.",
		"use_for_user_matching":      "If true, this field also finds people when someone types a name. " + featurelevel.Needs("zulip_custom_profile_field", "use_for_user_matching"),
	} {
		attributes[name] = schema.BoolAttribute{Optional: true, Computed: true, MarkdownDescription: text}
	}
	return schema.Schema{
		Version:             base.SchemaVersion,
		MarkdownDescription: "Manages a [custom profile field](https://zulip.com/help/custom-profile-fields).",
		Attributes:          attributes,
	}
}

func profileFieldOptions() schema.ListNestedAttribute {
	filled := []validator.String{validators.Matches(notBlank, "must not be blank")}
	return schema.ListNestedAttribute{
		Optional:            true,
		MarkdownDescription: "Choices of the type `select`, in this order, and required for it.",
		Validators:          []validator.List{validators.Size(1, 0), validators.RequireInElements("key", "text")},
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"key": schema.StringAttribute{
				Optional: true, Validators: filled, // required, by the list's validator
				MarkdownDescription: "Required. Stable key that the answers hold. You can change the text and the position of an option, but removing its key deletes those answers.",
			},
			"text": schema.StringAttribute{Optional: true, Validators: filled, MarkdownDescription: "Required. Text that people see, unique in the field."},
		}},
	}
}

// levelLongSummary is the feature level from which a long text can be in the summary of a profile.
var levelLongSummary = featurelevel.SinceValue("zulip_custom_profile_field", "display_in_profile_summary", "true")

// customFieldType is the subtype of an external account that the server knows nothing about.
const customFieldType = "custom"

// profileFieldModel is the resource.
type profileFieldModel struct {
	ID         types.Int64  `tfsdk:"id"`
	FieldType  types.String `tfsdk:"field_type"`
	Name       types.String `tfsdk:"name"`
	Hint       types.String `tfsdk:"hint"`
	Options    types.List   `tfsdk:"options"`
	Subtype    types.String `tfsdk:"subtype"`
	URLPattern types.String `tfsdk:"url_pattern"`

	DisplayInProfileSummary types.Bool `tfsdk:"display_in_profile_summary"`
	Required                types.Bool `tfsdk:"required"`
	EditableByUser          types.Bool `tfsdk:"editable_by_user"`
	UseForUserMatching      types.Bool `tfsdk:"use_for_user_matching"`
}

// profileFieldOptionType is the type of one option.
var profileFieldOptionType = types.ObjectType{AttrTypes: map[string]attr.Type{"key": types.StringType, "text": types.StringType}}

// profileFieldFlag is a flag of a field: its name, its value in the model, and the first feature level that has it; 0 for every
// server.
type profileFieldFlag struct {
	name  string
	value *types.Bool
	since int
}

func (m *profileFieldModel) flags() []profileFieldFlag {
	return []profileFieldFlag{
		{"display_in_profile_summary", &m.DisplayInProfileSummary, 0},
		{"required", &m.Required, 0},
		{"editable_by_user", &m.EditableByUser, 0},
		{"use_for_user_matching", &m.UseForUserMatching, featurelevel.Since("zulip_custom_profile_field", "use_for_user_matching")},
	}
}

// read sets the model to the server's values. Attributes that a server of that feature level does not have are null.
func (m *profileFieldModel) read(held *zulip.ProfileField, level int) {
	m.ID = types.Int64Value(held.ID)
	m.FieldType = types.StringValue(held.Type.String())
	m.Name, m.Hint = types.StringValue(held.Name), types.StringValue(held.Hint)
	m.Options = types.ListNull(profileFieldOptionType)
	if held.Type == zulip.ProfileFieldSelect {
		m.Options = profileFieldListOf(held.Options())
	}
	m.Subtype, m.URLPattern = types.StringNull(), types.StringNull()
	if account := held.ExternalAccount(); account.Subtype != "" {
		m.Subtype = types.StringValue(account.Subtype)
		if account.URLPattern != "" {
			m.URLPattern = types.StringValue(account.URLPattern)
		}
	}
	values := []bool{held.DisplayInProfileSummary, held.Required, held.EditableByUser, held.UseForUserMatching}
	for i, flag := range m.flags() {
		*flag.value = types.BoolNull()
		if level == 0 || level >= flag.since {
			*flag.value = types.BoolValue(values[i])
		}
	}
}

// wire returns the differences between the plan and the state, and all set attributes without a state.
func (m *profileFieldModel) wire(state *profileFieldModel) zulip.ProfileFieldChange {
	if state == nil {
		state = &profileFieldModel{}
	}
	var change zulip.ProfileFieldChange
	if base.IsSet(m.Name) && !m.Name.Equal(state.Name) {
		change.Name = m.Name.ValueStringPointer()
	}
	if base.IsSet(m.Hint) && !m.Hint.Equal(state.Hint) {
		change.Hint = m.Hint.ValueStringPointer()
	}
	if base.IsSet(m.Options) && !m.Options.Equal(state.Options) {
		change.Options = profileFieldOptionsOf(m.Options)
	}
	if base.IsSet(m.Subtype) && (!m.Subtype.Equal(state.Subtype) || !m.URLPattern.Equal(state.URLPattern)) {
		change.ExternalAccount = &zulip.ExternalAccount{Subtype: m.Subtype.ValueString(), URLPattern: m.URLPattern.ValueString()}
	}
	held := state.flags()
	for i, sent := range []**bool{&change.DisplayInProfileSummary, &change.Required, &change.EditableByUser, &change.UseForUserMatching} {
		if value := *m.flags()[i].value; base.IsSet(value) && !value.Equal(*held[i].value) {
			*sent = value.ValueBoolPointer()
		}
	}
	return change
}

// label identifies the field: the service that the server knows, or its name.
func (m *profileFieldModel) label() string {
	if base.IsSet(m.Subtype) && m.Subtype.ValueString() != customFieldType {
		return m.Subtype.ValueString()
	}
	return m.Name.ValueString()
}

func profileFieldListOf(options []zulip.ProfileFieldOption) types.List {
	elements := make([]attr.Value, len(options))
	for i, option := range options {
		elements[i] = types.ObjectValueMust(profileFieldOptionType.AttrTypes, map[string]attr.Value{
			"key": types.StringValue(option.Key), "text": types.StringValue(option.Text),
		})
	}
	return types.ListValueMust(profileFieldOptionType, elements)
}

// profileFieldOptionsOf returns the options of a list. An unknown option is empty.
func profileFieldOptionsOf(list types.List) []zulip.ProfileFieldOption {
	options := []zulip.ProfileFieldOption{}
	for _, element := range list.Elements() {
		object, _ := element.(types.Object)
		key, _ := object.Attributes()["key"].(types.String)
		text, _ := object.Attributes()["text"].(types.String)
		options = append(options, zulip.ProfileFieldOption{Key: key.ValueString(), Text: text.ValueString()})
	}
	return options
}

// NewProfileFieldOrderResource returns zulip_custom_profile_field_order.
func NewProfileFieldOrderResource() resource.Resource {
	return &order.Resource{Order: order.Order{
		TypeName: "custom_profile_field_order", ID: "custom_profile_fields", Attribute: "field_ids",
		Thing: "custom profile field", Things: "custom profile fields",
		Description: "Manages the order of custom profile fields in profiles.",
		Seen: func(ctx context.Context, d *store.Store) ([]order.Item, error) {
			return profileFieldOrdered(d.Read(ctx, store.ProfileFields))
		},
		Fresh: func(ctx context.Context, d *store.Store, shows func([]order.Item) bool) ([]order.Item, error) {
			return profileFieldOrdered(d.FreshUntil(ctx, profileFieldList, func(view *snapshot.Snapshot) bool {
				all, _ := profileFieldOrdered(view, nil)
				return shows(all)
			}))
		},
		Part: profileFieldList,
		Write: func(ctx context.Context, client *zulip.Client, ids []int64) error {
			return client.OrderProfileFields(ctx, ids)
		},
	}}
}

func profileFieldOrdered(view *snapshot.Snapshot, err error) ([]order.Item, error) {
	if err != nil {
		return nil, err
	}
	var all []order.Item
	for _, field := range view.ProfileFields().List() {
		all = append(all, order.Item{ID: field.ID})
	}
	return all, nil
}
