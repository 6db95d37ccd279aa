package attribute

import (
	"fmt"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	datasourceschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/setplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/text/unicode/norm"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// Field is the row of an attribute that is a string, a boolean, a number or a set of strings.
type Field[Model, Object, Update any, Value attr.Value] struct {
	Name string
	// Description says what the attribute is, Setting what there is to know to set it: the one is on the pages of the resource
	// and of data sources, the other on the page of the resource. Role and feature level are added by themselves.
	Description, Setting string
	// Required says that a configuration has to set it, ReadOnly that it cannot.
	Required, ReadOnly bool
	// IsIncidental says of a read-only attribute that nothing refers to it: the state leaves it out like what is not managed.
	IsIncidental bool
	// Follows says that the value follows from other attributes: it is not known while they change.
	Follows bool
	// Validators are those of the attribute's type.
	Validators []validator.Describer
	// Requires is what an account takes to set it; the zero value: no more than to change the object at all.
	Requires Requirement

	// At is where the model has it.
	At func(*Model) *Value
	// Read takes it from an object; null where the server does not have it.
	Read func(Object) Value
	// Send writes a planned value into an update of an object as it is now.
	Send func(update *Update, current Object, planned Value)
	// Text writes a value for people, in the same way where two values mean the same; nil: as it is.
	Text func(Value) string
}

// AttributeName is the name of the attribute.
func (f Field[Model, Object, Update, Value]) AttributeName() string { return f.Name }

// Takes is what an account takes to set it.
func (f Field[Model, Object, Update, Value]) Takes() Requirement { return f.Requires }

// ResourceAttribute describes the attribute in the schema of the resource.
func (f Field[Model, Object, Update, Value]) ResourceAttribute(resource string) schema.Attribute {
	optional, text := !f.Required && !f.ReadOnly, f.Description
	for _, sentence := range []string{f.Setting, f.Requires.sentence(), needs(resource, f.Name)} {
		if sentence != "" {
			text += " " + sentence
		}
	}
	keep := !f.Required && !f.Follows
	switch any(*new(Value)).(type) {
	case types.String:
		return schema.StringAttribute{
			Required: f.Required, Optional: optional, Computed: !f.Required, MarkdownDescription: text,
			Validators: all[validator.String](f.Validators), PlanModifiers: only[planmodifier.String](keep, stringplanmodifier.UseStateForUnknown),
		}
	case types.Bool:
		return schema.BoolAttribute{
			Required: f.Required, Optional: optional, Computed: !f.Required, MarkdownDescription: text,
			Validators: all[validator.Bool](f.Validators), PlanModifiers: only[planmodifier.Bool](keep, boolplanmodifier.UseStateForUnknown),
		}
	case types.Int64:
		return schema.Int64Attribute{
			Required: f.Required, Optional: optional, Computed: !f.Required, MarkdownDescription: text,
			Validators: all[validator.Int64](f.Validators), PlanModifiers: only[planmodifier.Int64](keep, int64planmodifier.UseStateForUnknown),
		}
	case types.Set:
		return schema.SetAttribute{
			ElementType: types.StringType,
			Required:    f.Required, Optional: optional, Computed: !f.Required, MarkdownDescription: text,
			Validators: all[validator.Set](f.Validators), PlanModifiers: only[planmodifier.Set](keep, setplanmodifier.UseStateForUnknown),
		}
	}
	panic(fmt.Sprintf("the attribute %s has a type that a row cannot have", f.Name))
}

// DataSourceAttribute describes the attribute in the schema of a data source.
func (f Field[Model, Object, Update, Value]) DataSourceAttribute(resource string) datasourceschema.Attribute {
	text := f.Description
	if sentence := needs(resource, f.Name); sentence != "" {
		text += " " + sentence
	}
	switch any(*new(Value)).(type) {
	case types.String:
		return datasourceschema.StringAttribute{Computed: true, MarkdownDescription: text}
	case types.Bool:
		return datasourceschema.BoolAttribute{Computed: true, MarkdownDescription: text}
	case types.Int64:
		return datasourceschema.Int64Attribute{Computed: true, MarkdownDescription: text}
	default:
		return datasourceschema.SetAttribute{ElementType: types.StringType, Computed: true, MarkdownDescription: text}
	}
}

// needs says which feature level an attribute needs; "" if every server has it.
func needs(resource, name string) string {
	if level := featurelevel.Lookup(resource, name); level > 0 {
		return featurelevel.Sentence(level)
	}
	return ""
}

// all are validators by what they validate. A validator of another type is a mistake in the table.
func all[Validator any](validators []validator.Describer) []Validator {
	typed := make([]Validator, len(validators))
	for i, one := range validators {
		var ok bool
		if typed[i], ok = one.(Validator); !ok {
			panic(fmt.Sprintf("a row has a validator of another type: %T", one))
		}
	}
	return typed
}

// only is a list of one plan modifier, or of none.
func only[Modifier any](wanted bool, modifier func() Modifier) []Modifier {
	if !wanted {
		return nil
	}
	return []Modifier{modifier()}
}

// ReadInto takes what the object has.
func (f Field[Model, Object, Update, Value]) ReadInto(model *Model, object Object, _ Server, _ *diag.Diagnostics) {
	read, at := f.Read(object), f.At(model)
	if base.IsSet(*at) && !read.IsNull() && f.text(*at) == f.text(read) {
		return
	}
	*at = read
}

// Step is the change to a planned value that means something else than the prior one.
func (f Field[Model, Object, Update, Value]) Step(prior *Prior[Model, Object], planned *Model, _ Server) (step Step[Object, Update], problems []permission.Problem, found bool) {
	value := *f.At(planned)
	before, want := f.text(*f.At(prior.Values)), f.text(value)
	if f.ReadOnly || !base.IsSet(value) || before == want {
		return step, nil, false
	}
	return Step[Object, Update]{
		Attribute: f.Name, Prior: before, Planned: want,
		Current: func(object Object) string { return f.text(f.Read(object)) },
		Put:     func(update *Update, current Object, _ bool) { f.Send(update, current, value) },
	}, nil, true
}

// KeepPrior keeps the prior value where the planned one means the same, and where the server does not have the attribute:
// it will not have it after the apply either.
func (f Field[Model, Object, Update, Value]) KeepPrior(config, planned, prior *Model, _ Server) {
	plan, before := f.At(planned), *f.At(prior)
	switch {
	case (*plan).IsUnknown() && before.IsNull() && (*f.At(config)).IsNull(),
		base.IsSet(*plan) && !before.IsNull() && f.text(*plan) == f.text(before):
		*plan = before
	}
}

// KeepPlanned keeps the planned value, unless that is unknown.
func (f Field[Model, Object, Update, Value]) KeepPlanned(model, planned *Model) {
	base.KeepKnown(f.At(model), *f.At(planned))
}

// ForgetUnknown makes an unknown value null.
func (f Field[Model, Object, Update, Value]) ForgetUnknown(model *Model) {
	if at := f.At(model); (*at).IsUnknown() {
		*at = null[Value]()
	}
}

// null is the null of a type.
func null[Value attr.Value]() (value Value) {
	if set, isSet := any(types.SetNull(types.StringType)).(Value); isSet {
		return set
	}
	return value // the zero value of the others is null
}

// text writes a value for people. The CLI hands over every text in the Unicode normal form NFC, whatever form the server
// stores: both are the same text.
func (f Field[Model, Object, Update, Value]) text(value Value) string {
	if f.Text != nil {
		return norm.NFC.String(f.Text(value))
	}
	switch value := any(value).(type) {
	case types.String:
		return norm.NFC.String(value.ValueString())
	case types.Bool:
		return strconv.FormatBool(value.ValueBool())
	case types.Int64:
		return strconv.FormatInt(value.ValueInt64(), 10)
	}
	return norm.NFC.String(value.String())
}
