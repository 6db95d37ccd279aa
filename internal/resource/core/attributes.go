package core

import (
	"context"
	"reflect"
	"slices"
	"strconv"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"golang.org/x/text/unicode/norm"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/effects"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/change"
)

// Attributes compares a model with an object, attribute by attribute. A definition with a table compares the rows
// ([Rows]). Without a table, it compares the fields of the model as ReadInto sets them.
type Attributes[Model, Object, Patch any] interface {
	// read sets a model to the server's values. A value in the model with the same meaning keeps its form.
	read(m *Model, object *Object, c *Call, diags *diag.Diagnostics)
	// newObject returns an object that is created without attributes.
	newObject() *Object
	// omittable returns the attributes that a state omits if they are not managed. refresh is read for such a state.
	omittable() []string
	refresh(m *Model, object *Object, c *Call, diags *diag.Diagnostics)
	// priorState returns a state as the starting point of a plan, with its private state and the object if it was
	// just read. priorObject returns an object that will be changed as planned.
	priorState(state *Model, private attribute.PrivateState, object *Object, c *Call, diags *diag.Diagnostics) *attribute.Prior[Model, *Object]
	priorObject(object *Object, c *Call, diags *diag.Diagnostics) *attribute.Prior[Model, *Object]
	// keepPrior gives a plan the prior values if the two mean the same.
	keepPrior(config, planned *Model, prior *attribute.Prior[Model, *Object], c *Call)
	// steps returns the changes from the prior to the planned values. Unknown values are no changes.
	steps(prior *attribute.Prior[Model, *Object], planned *Model, c *Call) ([]change.Step[*Object, Patch], []permission.Problem)
	// keepKnown gives a model the known planned values, and returns the permissions that differ.
	keepKnown(m, planned *Model) (differing []string)
	// forgetUnknown makes unknown values null, because a state can't have them.
	forgetUnknown(m *Model)
	// privateState returns the private state for a state of an object; nil for none.
	privateState(m *Model, object *Object, differing []string, c *Call, diags *diag.Diagnostics) *attribute.PrivateState
}

// fields are the attributes of a model by their fields.
type fields struct{ of reflect.Value }

func fieldsOf[Model any](m *Model) fields { return fields{reflect.ValueOf(m).Elem()} }

// names are the names of the attributes, in the order of the fields.
func (f fields) names() (names []string) {
	for _, field := range reflect.VisibleFields(f.of.Type()) {
		if name, ok := field.Tag.Lookup("tfsdk"); ok {
			names = append(names, name)
		}
	}
	return names
}

func (f fields) at(name string) reflect.Value {
	index, ok := indexesOf(f.of.Type())[name]
	if !ok {
		panic("the model has no attribute " + name)
	}
	return f.of.FieldByIndex(index)
}

// indexes are the fields of attributes in models, by type. They are cached because a plan reads each attribute of
// thousands of objects.
var indexes sync.Map

func indexesOf(model reflect.Type) map[string][]int {
	if found, ok := indexes.Load(model); ok {
		all, _ := found.(map[string][]int)
		return all
	}
	all := map[string][]int{}
	for _, field := range reflect.VisibleFields(model) {
		if name := field.Tag.Get("tfsdk"); name != "" && all[name] == nil {
			all[name] = field.Index
		}
	}
	indexes.Store(model, all)
	return all
}

func (f fields) get(name string) attr.Value {
	value, _ := f.at(name).Interface().(attr.Value)
	return value
}

func (f fields) set(name string, value attr.Value) { f.at(name).Set(reflect.ValueOf(value)) }

// isKnown reports whether a value is wholly known.
func isKnown(value attr.Value) bool {
	raw, err := value.ToTerraformValue(context.Background())
	return err == nil && raw.IsFullyKnown()
}

// nullOf returns the null of the type of a value.
func nullOf(value attr.Value) attr.Value {
	kind := value.Type(context.Background())
	null, err := kind.ValueFromTerraform(context.Background(), tftypes.NewValue(kind.TerraformType(context.Background()), nil))
	if err != nil {
		panic("a type has no null: " + err.Error()) // a mistake in the type, on any value
	}
	return null
}

// isSame reports whether two values are equal. Terraform normalizes every text to the Unicode normal form NFC, so
// that two forms of the same text must compare as equal.
func isSame(a, b attr.Value) bool {
	if a.Equal(b) {
		return true
	}
	return a.IsNull() == b.IsNull() && isKnown(a) && isKnown(b) && norm.NFC.String(textOf(a)) == norm.NFC.String(textOf(b))
}

// textOf returns a value for messages.
func textOf(value attr.Value) string {
	if text, ok := value.(types.String); ok && !value.IsNull() {
		return text.ValueString()
	}
	if value.IsNull() {
		return "(not set)"
	}
	return value.String()
}

// quoted returns a value for messages, in which white space must be visible.
func quoted(value attr.Value) string {
	if _, ok := value.(types.String); ok && !value.IsNull() {
		return strconv.Quote(textOf(value))
	}
	return textOf(value)
}

// byModel compares the fields of the model. An update is a model of the server's values with the pending planned
// ones.
type byModel[Model, Object any] struct {
	def    *Definition[Model, Object]
	schema func() schema.Schema
}

// compares reports whether the server has an attribute: it can be configured, and is sent.
func (by byModel[Model, Object]) compares(name string) bool {
	attribute := by.schema().Attributes[name]
	return name != idAttribute && (attribute.IsOptional() || attribute.IsRequired()) && !attribute.IsWriteOnly() && !slices.Contains(by.def.Unsent, name)
}

func (by byModel[Model, Object]) read(m *Model, object *Object, c *Call, _ *diag.Diagnostics) {
	by.def.ReadInto(m, object, c)
}

func (by byModel[Model, Object]) newObject() *Object { return nil }

func (by byModel[Model, Object]) omittable() []string { return nil }

func (by byModel[Model, Object]) refresh(m *Model, object *Object, c *Call, diags *diag.Diagnostics) {
	by.read(m, object, c, diags)
}

func (by byModel[Model, Object]) priorState(state *Model, _ attribute.PrivateState, _ *Object, _ *Call, _ *diag.Diagnostics) *attribute.Prior[Model, *Object] {
	return &attribute.Prior[Model, *Object]{Values: state, State: state, IsState: true}
}

func (by byModel[Model, Object]) priorObject(object *Object, _ *Call, _ *diag.Diagnostics) *attribute.Prior[Model, *Object] {
	return &attribute.Prior[Model, *Object]{Object: object}
}

func (by byModel[Model, Object]) keepPrior(_, planned *Model, prior *attribute.Prior[Model, *Object], _ *Call) {
	if prior.IsState && by.def.KeepPrior != nil {
		by.def.KeepPrior(planned, prior.Values)
	}
}

// as returns a model of the server's values, in the form of words if they mean the same.
func (by byModel[Model, Object]) as(words *Model, object *Object, c *Call) *Model {
	m := *words
	by.def.ReadInto(&m, object, c)
	return &m
}

func (by byModel[Model, Object]) steps(prior *attribute.Prior[Model, *Object], planned *Model, c *Call) (steps []change.Step[*Object, Model], _ []permission.Problem) {
	before, isOfState := prior.Values, prior.IsState
	if !isOfState {
		before = by.as(planned, prior.Object, c)
	}
	for _, name := range fieldsOf(planned).names() {
		value, old := fieldsOf(planned).get(name), fieldsOf(before).get(name)
		if !by.compares(name) || !isKnown(value) || isSame(value, old) || value.IsNull() && by.schema().Attributes[name].IsComputed() {
			continue
		}
		step := change.Step[*Object, Model]{
			Attribute: name, Prior: quoted(old), Planned: quoted(value),
			Put: func(update *Model, _ *Object, _ bool) { fieldsOf(update).set(name, value) },
		}
		if set, ok := value.(types.Set); ok && slices.Contains(by.def.ByElement, name) {
			by.byElement(&step, old, set, planned, c)
			steps = append(steps, step)
			continue
		}
		isShown := !by.schema().Attributes[name].IsSensitive()
		if !isShown {
			step.Prior, step.Planned = "another value", "a sensitive value"
		}
		current := func(before *Model, prior string) func(*Object) string {
			return func(object *Object) string {
				switch now := fieldsOf(by.as(planned, object, c)).get(name); {
				case isOfState && !c.isSent && by.def.IsHidden != nil && by.def.IsHidden(name, before, c):
					return prior
				case isSame(now, value):
					return step.Planned
				case isSame(fieldsOf(by.as(before, object, c)).get(name), fieldsOf(before).get(name)):
					return prior
				case isShown:
					return quoted(now)
				}
				return "a third value"
			}
		}
		step.Current = current(before, step.Prior)
		if isOfState {
			step.After = func(known *effects.Log, _ *Object) change.Step[*Object, Model] {
				own, after := *before, step
				if by.def.AfterRun != nil {
					by.def.AfterRun(&own, known)
				}
				if kind, names := by.def.Names[name]; names {
					fieldsOf(&own).set(name, renamed(old, func(text string) string { return known.NameAfter(kind, text) }))
				}
				if mine := fieldsOf(&own).get(name); !isSame(mine, old) {
					after.Prior = quoted(mine)
					after.Current = current(&own, after.Prior)
				}
				return after
			}
		}
		steps = append(steps, step)
	}
	return steps, nil
}

// renamed returns a value with other names: a text, a set of texts, or a map by texts.
func renamed(value attr.Value, after func(string) string) attr.Value {
	if value.IsNull() || value.IsUnknown() {
		return value
	}
	switch value := value.(type) {
	case types.String:
		return types.StringValue(after(value.ValueString()))
	case types.Set:
		elements := value.Elements()
		for i, one := range elements {
			elements[i] = renamed(one, after)
		}
		return types.SetValueMust(value.ElementType(context.Background()), elements)
	case types.Map:
		elements := map[string]attr.Value{}
		for key, one := range value.Elements() {
			elements[after(key)] = one
		}
		return types.MapValueMust(value.ElementType(context.Background()), elements)
	}
	return value
}

// byElement limits a step to the elements that the plan adds and removes.
func (by byModel[Model, Object]) byElement(step *change.Step[*Object, Model], old attr.Value, value types.Set, planned *Model, c *Call) {
	name := step.Attribute
	var before []attr.Value
	if set, ok := old.(types.Set); ok {
		before = set.Elements()
	}
	added, removed := without(value.Elements(), before), without(before, value.Elements())
	current := func(object *Object) []attr.Value {
		set, _ := fieldsOf(by.as(planned, object, c)).get(name).(types.Set)
		return set.Elements()
	}
	step.Current = func(object *Object) string {
		if now := current(object); len(without(added, now)) == 0 && len(without(removed, now)) == len(removed) {
			return step.Planned
		}
		return step.Prior
	}
	step.Put = func(update *Model, object *Object, _ bool) {
		now := without(current(object), removed)
		fieldsOf(update).set(name, types.SetValueMust(value.ElementType(context.Background()), append(now, without(added, now)...)))
	}
}

// without returns the values that are not among others.
func without(values, others []attr.Value) []attr.Value {
	return slices.DeleteFunc(slices.Clone(values), func(value attr.Value) bool { return slices.ContainsFunc(others, value.Equal) })
}

func (by byModel[Model, Object]) keepKnown(m, planned *Model) []string {
	for _, name := range fieldsOf(m).names() {
		if value := fieldsOf(planned).get(name); isKnown(value) {
			fieldsOf(m).set(name, value)
		}
	}
	return nil
}

func (by byModel[Model, Object]) forgetUnknown(m *Model) {
	for _, name := range fieldsOf(m).names() {
		if value := fieldsOf(m).get(name); !isKnown(value) {
			fieldsOf(m).set(name, nullOf(value))
		}
	}
}

func (by byModel[Model, Object]) privateState(*Model, *Object, []string, *Call, *diag.Diagnostics) *attribute.PrivateState {
	return nil
}

// isAsPlanned reports whether an object has every planned value.
func (r *Resource[Model, Object, Patch]) isAsPlanned(planned *Model, object *Object, c *Call) bool {
	differing, ok := r.differences(planned, object, c)
	return ok && !slices.ContainsFunc(differing, func(name string) bool { return !slices.Contains(r.def.SentLater, name) })
}

// hasChanged reports whether an object differs from a state in an attribute that the state has. After an import it has
// few.
func (r *Resource[Model, Object, Patch]) hasChanged(state *Model, object *Object, c *Call) bool {
	differing, ok := r.differences(state, object, c)
	return !ok || slices.ContainsFunc(differing, func(name string) bool { return !fieldsOf(state).get(name).IsNull() })
}

// differences returns the attributes in which an object differs from a model. ok is false if one of them cannot be
// resolved.
func (r *Resource[Model, Object, Patch]) differences(m *Model, object *Object, c *Call) (names []string, ok bool) {
	var diags diag.Diagnostics
	steps, problems := r.attributes.steps(r.attributes.priorObject(object, c, &diags), m, c)
	for _, step := range steps {
		names = append(names, step.Attribute)
	}
	return names, len(problems) == 0 && !diags.HasError()
}

// Rows compares by the rows of a table, which describes the fields of a model, which the server stores.
func Rows[Model, Fields, Object, Patch any](table *attribute.Table[Fields, *Object, Patch], fields func(*Model) *Fields) Attributes[Model, Object, Patch] {
	return byRows[Model, Fields, Object, Patch]{table, fields}
}

type byRows[Model, Fields, Object, Patch any] struct {
	table  *attribute.Table[Fields, *Object, Patch]
	fields func(*Model) *Fields
}

// withPermissions is a comparison of objects with permissions.
type withPermissions[Model, Object any] interface {
	permissionPlan(config, planned *Model, prior *attribute.Prior[Model, *Object], view *snapshot.Snapshot) attribute.PermissionPlan
}

// prior returns the starting point of a plan for the table.
func (by byRows[Model, Fields, Object, Patch]) prior(prior *attribute.Prior[Model, *Object]) *attribute.Prior[Fields, *Object] {
	own := &attribute.Prior[Fields, *Object]{Values: by.fields(prior.Values), IsState: prior.IsState, Object: prior.Object, Permissions: prior.Permissions}
	if prior.IsState {
		own.State = by.fields(prior.State)
	}
	return own
}

func (by byRows[Model, Fields, Object, Patch]) read(m *Model, object *Object, c *Call, diags *diag.Diagnostics) {
	by.table.Read(by.fields(m), object, c.env(), diags)
}

func (by byRows[Model, Fields, Object, Patch]) newObject() *Object { return by.table.New }

func (by byRows[Model, Fields, Object, Patch]) omittable() []string { return by.table.Omittable() }

func (by byRows[Model, Fields, Object, Patch]) refresh(m *Model, object *Object, c *Call, diags *diag.Diagnostics) {
	by.table.Refresh(by.fields(m), object, c.env(), diags)
}

func (by byRows[Model, Fields, Object, Patch]) priorState(state *Model, private attribute.PrivateState, object *Object, c *Call, diags *diag.Diagnostics) *attribute.Prior[Model, *Object] {
	var at **Object
	if object != nil {
		at = &object
	}
	found, values := by.table.PriorWithPrivate(by.fields(state), private, at, c.env(), diags), *state
	*by.fields(&values) = *found.Values
	return &attribute.Prior[Model, *Object]{Values: &values, IsState: true, State: state, Permissions: found.Permissions, NotStored: found.NotStored}
}

func (by byRows[Model, Fields, Object, Patch]) priorObject(object *Object, c *Call, diags *diag.Diagnostics) *attribute.Prior[Model, *Object] {
	found, values := by.table.PriorObject(object, c.env(), diags), new(Model)
	*by.fields(values) = *found.Values
	return &attribute.Prior[Model, *Object]{Values: values, Object: object, Permissions: found.Permissions}
}

func (by byRows[Model, Fields, Object, Patch]) keepPrior(config, planned *Model, prior *attribute.Prior[Model, *Object], c *Call) {
	by.table.KeepPrior(by.fields(config), by.fields(planned), by.prior(prior), c.env())
}

func (by byRows[Model, Fields, Object, Patch]) steps(prior *attribute.Prior[Model, *Object], planned *Model, c *Call) ([]change.Step[*Object, Patch], []permission.Problem) {
	return by.table.Steps(by.prior(prior), by.fields(planned), c.env())
}

func (by byRows[Model, Fields, Object, Patch]) keepKnown(m, planned *Model) []string {
	return by.table.KeepPlanned(by.fields(m), by.fields(planned))
}

func (by byRows[Model, Fields, Object, Patch]) forgetUnknown(m *Model) {
	by.table.ForgetUnknown(by.fields(m))
}

func (by byRows[Model, Fields, Object, Patch]) privateState(m *Model, object *Object, differing []string, c *Call, diags *diag.Diagnostics) *attribute.PrivateState {
	return by.table.PrivateStateOf(by.fields(m), object, differing, c.env(), diags)
}

func (by byRows[Model, Fields, Object, Patch]) permissionPlan(config, planned *Model, prior *attribute.Prior[Model, *Object], view *snapshot.Snapshot) attribute.PermissionPlan {
	return by.table.PermissionPlan(by.fields(config), by.fields(planned), by.prior(prior), view)
}
