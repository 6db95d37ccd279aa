// Package settings describes the settings of an organization, or the personal ones of its people, as a [Table] with one
// [Setting] for each row. The rows determine schema, reading, comparison and requests. The [Kind] of a setting is the
// form of its values: [Flag], [Number], [Text], [Word] or [Coded]. This package knows no resource.
package settings

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	actionschema "github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	datasourceschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/change"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// OnceID is the `id` of a resource that an organization has once.
const OnceID = "organization"

// Table is a table of settings. A resource with a table still has its own Create, Read, Update and Delete.
type Table []Setting

// Setting is one row of a [Table]: the attribute, and the functions that read and send it.
type Setting struct {
	// Name is the name of the attribute, and in the API.
	Name string
	// Renamed is the name on newer servers; empty if it is the same. A server shows and accepts one of the two names,
	// and ignores the other without an error.
	Renamed string
	// Synonyms are two of its words with the same meaning; the zero value has none.
	Synonyms Synonyms
	Kind     Kind
	// FeatureLevel is the first at which the server has the setting in this form; zero if all have it. [WithLevels]
	// sets it.
	FeatureLevel int
	// OwnerOnly is true if administrators can't set it.
	OwnerOnly bool
	// Description describes the setting. The sentences for all settings of its kind are added to it.
	Description string
	// Default is the value in a new organization, as Markdown, and is empty if it is not documented.
	Default string
}

// SettingText is the description of a setting, in two parts. The accepted values are inserted between them.
type SettingText struct{ What, More string }

// Accepting returns the description with a sentence about the accepted values, which may be empty.
func (t SettingText) Accepting(sentence string) string {
	return strings.Join(slices.DeleteFunc([]string{t.What, sentence, t.More}, func(part string) bool { return part == "" }), " ")
}

// Synonyms are two words with the same meaning: servers accept Old below a feature level, and New from it on.
type Synonyms struct {
	Old, New string
	Level    int
}

// WithLevels completes the table of a resource with the levels from the table of feature levels.
func WithLevels(resource string, settings Table) Table {
	for i := range settings {
		setting := &settings[i]
		setting.FeatureLevel = featurelevel.Lookup(resource, setting.Name)
		if codes, ok := setting.Kind.(Coded); ok {
			codes = slices.Clone(codes)
			for j := range codes {
				codes[j].FeatureLevel = featurelevel.LookupValue(resource, setting.Name, codes[j].Word)
			}
			setting.Kind = codes
		}
	}
	return settings
}

// Kind is the form of a setting's values in a configuration and in the API.
type Kind interface {
	// Attribute returns an optional and computed attribute.
	Attribute(text SettingText) schema.Attribute
	// Read converts the server's value, and returns null if raw is nil. It returns kept if that has the same meaning.
	Read(raw json.RawMessage, kept attr.Value) (attr.Value, error)
	// Send adds a value, which is known and not null, to a form.
	Send(form *zulip.Form, name string, value attr.Value)
}

// Values are the attributes of a resource by name, from a plan, a state or a configuration. They include attributes
// that are in no table.
type Values map[string]attr.Value

// Get reads a plan, a state or a configuration.
func Get(ctx context.Context, from interface {
	Get(ctx context.Context, target any) diag.Diagnostics
}, diags *diag.Diagnostics) Values {
	var object types.Object
	diags.Append(from.Get(ctx, &object)...)
	return object.Attributes()
}

// Set writes the values into a plan or a state. They must have all attributes of the resource.
func (v Values) Set(ctx context.Context, into interface {
	Set(ctx context.Context, value any) diag.Diagnostics
}, diags *diag.Diagnostics) {
	kinds := map[string]attr.Type{}
	for name, value := range v {
		kinds[name] = value.Type(ctx)
	}
	object, problems := types.ObjectValue(kinds, v)
	diags.Append(problems...)
	if !problems.HasError() {
		diags.Append(into.Set(ctx, object)...)
	}
}

// Keep replaces values by the known ones of a plan, because Terraform accepts no others. A setting that was changed
// outside Terraform in the meantime shows in the next plan.
func (v Values) Keep(plan Values) {
	for name, planned := range plan {
		if !planned.IsUnknown() {
			v[name] = planned
		}
	}
}

// OmitUnset sets the values that the configuration leaves unset to null in the plan of a new resource.
func (v Values) OmitUnset(config Values) {
	for name, planned := range v {
		if set, isAttribute := config[name]; isAttribute && set.IsNull() && planned.IsUnknown() && name != "id" {
			v[name] = set
		}
	}
}

// RefuseNotStored refuses to plan settings that become managed if the state does not have their values: see
// [attribute.RefuseNotStored].
func (v Values) RefuseNotStored(config, current Values, diags *diag.Diagnostics) {
	for _, name := range slices.Sorted(maps.Keys(current)) {
		if !config[name].IsNull() && v[name].IsNull() && !current[name].IsNull() {
			attribute.RefuseNotStored(name, diags)
		}
	}
}

// Attributes are the attributes of all settings.
func (s Table) Attributes() map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{}
	for _, setting := range s {
		attributes[setting.Name] = setting.Attribute()
	}
	return attributes
}

// Attribute describes the setting in the schema of a resource.
func (s Setting) Attribute() schema.Attribute {
	var more []string
	if s.Default != "" {
		more = append(more, "Initially "+s.Default+".")
	}
	if s.OwnerOnly {
		more = append(more, "Only owners can set it.")
	}
	if s.FeatureLevel > 0 {
		more = append(more, featurelevel.Sentence(s.FeatureLevel))
	}
	return s.Kind.Attribute(SettingText{What: s.Description, More: strings.Join(more, " ")})
}

// ActionAttributes are the attributes of an action for settings.
func (s Table) ActionAttributes() map[string]actionschema.Attribute {
	attributes := map[string]actionschema.Attribute{}
	for _, setting := range s {
		name := setting.Name
		setting.Default = "" // an action ignores the current value
		switch attribute := setting.Attribute().(type) {
		case schema.BoolAttribute:
			attributes[name] = actionschema.BoolAttribute{Optional: true, MarkdownDescription: attribute.MarkdownDescription, Validators: attribute.Validators}
		case schema.Int64Attribute:
			attributes[name] = actionschema.Int64Attribute{Optional: true, MarkdownDescription: attribute.MarkdownDescription, Validators: attribute.Validators}
		case schema.StringAttribute:
			attributes[name] = actionschema.StringAttribute{Optional: true, MarkdownDescription: attribute.MarkdownDescription, Validators: attribute.Validators}
		default:
			panic(fmt.Sprintf("no action takes a %T", attribute))
		}
	}
	return attributes
}

// DataSourceAttribute describes the setting in the schema of a data source.
func (s Setting) DataSourceAttribute() datasourceschema.Attribute {
	switch attribute := s.Kind.Attribute(SettingText{What: s.Description}).(type) {
	case schema.BoolAttribute:
		return datasourceschema.BoolAttribute{Computed: true, MarkdownDescription: attribute.MarkdownDescription}
	case schema.Int64Attribute:
		return datasourceschema.Int64Attribute{Computed: true, MarkdownDescription: attribute.MarkdownDescription}
	case schema.StringAttribute:
		return datasourceschema.StringAttribute{Computed: true, MarkdownDescription: attribute.MarkdownDescription}
	case schema.SetAttribute:
		return datasourceschema.SetAttribute{ElementType: attribute.ElementType, Computed: true, MarkdownDescription: attribute.MarkdownDescription}
	default:
		panic(fmt.Sprintf("no data source shows a %T", attribute))
	}
}

// Read converts the server's values, by their names in the API; see [Setting.Read]. kept may be nil; its values that
// are in no row of the table are copied.
func (s Table) Read(held ServerValues, level int, kept Values, diags *diag.Diagnostics) Values {
	values := maps.Clone(kept)
	if values == nil {
		values = Values{}
	}
	for _, setting := range s {
		if value := setting.Read(held, level, kept[setting.Name], diags); value != nil {
			values[setting.Name] = value
		}
	}
	return values
}

// Read converts the server's value, and returns nil if it is unexpected. It returns null for a setting that a server
// of this feature level (zero: unknown) does not have, or has with another meaning. It returns kept if that has the
// same meaning; kept may be nil.
func (s Setting) Read(held ServerValues, level int, kept attr.Value, diags *diag.Diagnostics) attr.Value {
	raw := held[s.wire(held)]
	if level > 0 && level < s.FeatureLevel {
		raw = nil
	}
	value, err := s.Kind.Read(raw, kept)
	if err != nil {
		diags.AddAttributeError(path.Root(s.Name), "Unexpected value on the server for "+s.Name,
			fmt.Sprintf("The server answered %s. %s", raw, base.Sentence(err)))
		return nil
	}
	if kept != nil && s.same(kept, value) {
		return kept
	}
	return value
}

// Changes returns the settings to send: those whose planned value is known and differs from the server's.
func (s Table) Changes(plan, held Values) Table {
	var changes Table
	for _, setting := range s {
		if setting.Changes(plan[setting.Name], held[setting.Name]) {
			changes = append(changes, setting)
		}
	}
	return changes
}

// Changes reports whether a planned value is known and set, and differs from the server's.
func (s Setting) Changes(planned, held attr.Value) bool {
	return planned != nil && !planned.IsNull() && !planned.IsUnknown() && !s.same(planned, held)
}

// KeepEqual keeps the state's values with the same meaning, so that a plan shows no spurious difference.
func (s Table) KeepEqual(plan, state Values) {
	for _, setting := range s {
		if planned, was := plan[setting.Name], state[setting.Name]; planned != nil && was != nil && setting.same(planned, was) {
			plan[setting.Name] = was
		}
	}
}

// Check refuses settings that the server does not have, or that the account can't set. Administrators can set most of
// them, and owners all (server-behavior §O1).
func (s Table) Check(b *base.Base, diags *diag.Diagnostics) {
	for _, setting := range s {
		role := zulip.RoleAdministrator
		if setting.OwnerOnly {
			role = zulip.RoleOwner
		}
		b.Meta.RequireRole(role, path.Root(setting.Name), "set "+setting.Name, diags)
	}
}

// Form returns the planned values for a server of this feature level (zero: unknown). held has the server's settings by
// their names in the API.
func (s Table) Form(plan Values, held ServerValues, level int) *zulip.Form {
	form := &zulip.Form{}
	for _, setting := range s {
		setting.Send(form, plan, held, level)
	}
	return form
}

// Send adds the planned value of the setting to a form; see [Settings.Form].
func (s Setting) Send(form *zulip.Form, plan Values, held ServerValues, level int) {
	s.Kind.Send(form, s.wire(held), s.Synonyms.at(level, plan[s.Name]))
}

// same reports whether two values are equal, or synonyms.
func (s Setting) same(a, b attr.Value) bool {
	return a.Equal(b) || s.Synonyms.has(a) && s.Synonyms.has(b)
}

func (s Synonyms) has(value attr.Value) bool {
	text, ok := value.(types.String)
	return ok && s.Level > 0 && (text.ValueString() == s.Old || text.ValueString() == s.New)
}

// at returns the synonym that a server accepts, and other values unchanged. If the level is not known it returns the
// configured word.
func (s Synonyms) at(level int, value attr.Value) attr.Value {
	switch {
	case level == 0 || !s.has(value):
		return value
	case level >= s.Level:
		return types.StringValue(s.New)
	default:
		return types.StringValue(s.Old)
	}
}

// ServerValues are the server's settings, by their names in the API.
type ServerValues = map[string]json.RawMessage

// Steps returns the changes of the settings whose planned value is known and differs from the prior one, on a server of
// a feature level.
func (s Table) Steps(prior, plan Values, level int) (steps []change.Step[ServerValues, zulip.Form]) {
	for _, setting := range s.Changes(plan, prior) {
		steps = append(steps, change.Step[ServerValues, zulip.Form]{
			Attribute: setting.Name, Prior: setting.text(prior[setting.Name]), Planned: setting.text(plan[setting.Name]),
			Current: func(held ServerValues) string {
				return setting.text(setting.Read(held, level, nil, &diag.Diagnostics{}))
			},
			Put: func(form *zulip.Form, held ServerValues, _ bool) { setting.Send(form, plan, held, level) },
		})
	}
	return steps
}

// text returns a value for messages, which is the same for synonyms.
func (s Setting) text(value attr.Value) string {
	switch {
	case value == nil:
		return "something unexpected"
	case s.Synonyms.has(value):
		return strconv.Quote(s.Synonyms.New)
	}
	return value.String()
}

// Names lists the attributes, for messages.
func (s Table) Names() string {
	names := make([]string, len(s))
	for i, setting := range s {
		names[i] = setting.Name
	}
	return strings.Join(names, ", ")
}

// wire returns the name of the setting on a server with settings of these names.
func (s Setting) wire(held ServerValues) string {
	if _, renamed := held[s.Renamed]; renamed && s.Renamed != "" {
		return s.Renamed
	}
	return s.Name
}
