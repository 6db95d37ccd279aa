package profilefield

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// levelPartial is the feature level from which a change names only what changes.
const levelPartial = 252

// levelLongSummary is the feature level from which a long text can stand in the summary of a profile.
var levelLongSummary = featurelevel.SinceValue("zulip_custom_profile_field", "display_in_profile_summary", "true")

// custom is the subtype of an external account that the server knows nothing about.
const custom = "custom"

// model is the resource.
type model struct {
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

// optionType is the type of one option.
var optionType = types.ObjectType{AttrTypes: map[string]attr.Type{"key": types.StringType, "text": types.StringType}}

// flag is a switch of a field: its name, where it stands, and since when servers have it.
type flag struct {
	name  string
	value *types.Bool
	since int
}

func (m *model) flags() []flag {
	return []flag{
		{"display_in_profile_summary", &m.DisplayInProfileSummary, featurelevel.Since("zulip_custom_profile_field", "display_in_profile_summary")},
		{"required", &m.Required, featurelevel.Since("zulip_custom_profile_field", "required")},
		{"editable_by_user", &m.EditableByUser, featurelevel.Since("zulip_custom_profile_field", "editable_by_user")},
		{"use_for_user_matching", &m.UseForUserMatching, featurelevel.Since("zulip_custom_profile_field", "use_for_user_matching")},
	}
}

// read takes what the server holds. What a server of that feature level does not have is null.
func (m *model) read(held *zulip.ProfileField, level int) {
	m.ID = types.Int64Value(held.ID)
	m.FieldType = types.StringValue(held.Type.String())
	m.Name, m.Hint = types.StringValue(held.Name), types.StringValue(held.Hint)
	m.Options = types.ListNull(optionType)
	if held.Type == zulip.ProfileFieldSelect {
		m.Options = listOf(held.Options())
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

// wire is what of the plan differs from the state; without a state, all that is set.
func (m *model) wire(state *model) zulip.ProfileFieldChange {
	if state == nil {
		state = &model{}
	}
	var change zulip.ProfileFieldChange
	if base.IsSet(m.Name) && !m.Name.Equal(state.Name) {
		change.Name = m.Name.ValueStringPointer()
	}
	if base.IsSet(m.Hint) && !m.Hint.Equal(state.Hint) {
		change.Hint = m.Hint.ValueStringPointer()
	}
	if base.IsSet(m.Options) && !m.Options.Equal(state.Options) {
		change.Options = optionsOf(m.Options)
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

// label is what tells the field from others: the service that the server knows, else its name.
func (m *model) label() string {
	if base.IsSet(m.Subtype) && m.Subtype.ValueString() != custom {
		return m.Subtype.ValueString()
	}
	return m.Name.ValueString()
}

func listOf(options []zulip.ProfileFieldOption) types.List {
	elements := make([]attr.Value, len(options))
	for i, option := range options {
		elements[i] = types.ObjectValueMust(optionType.AttrTypes, map[string]attr.Value{
			"key": types.StringValue(option.Key), "text": types.StringValue(option.Text),
		})
	}
	return types.ListValueMust(optionType, elements)
}

// optionsOf returns the options of a list; what is not known of one is empty.
func optionsOf(list types.List) []zulip.ProfileFieldOption {
	options := []zulip.ProfileFieldOption{}
	for _, element := range list.Elements() {
		object, _ := element.(types.Object)
		key, _ := object.Attributes()["key"].(types.String)
		text, _ := object.Attributes()["text"].(types.String)
		options = append(options, zulip.ProfileFieldOption{Key: key.ValueString(), Text: text.ValueString()})
	}
	return options
}
