package framework

import (
	"context"
	"reflect"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Getter is a configuration, a plan or a state.
type Getter interface {
	Get(ctx context.Context, into any) diag.Diagnostics
}

// Get fills a model as the Get of a configuration, a plan or a state does. That one goes through the model's tags anew each
// time and compiles a regular expression for every one of them, which is most of what the plan of a resource costs that
// does not change. Here the tags are gone through once for each type. What is not an object of plain attributes, one for
// each field, is left to the other, and so is what would be an error.
func Get[Model any](ctx context.Context, from Getter, into *Model) diag.Diagnostics {
	filled, ok := fill[Model](ctx, from)
	if !ok {
		return from.Get(ctx, into)
	}
	*into = *filled
	return nil
}

// Same reports whether two models say the same in the same words.
func Same[Model any](a, b *Model) bool {
	fields, plain := fieldsOf(reflect.TypeFor[Model]())
	if !plain {
		return reflect.DeepEqual(a, b)
	}
	left, right := reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem()
	for _, index := range fields {
		if !valueAt(left, index).Equal(valueAt(right, index)) {
			return false
		}
	}
	return true
}

// fill makes a model of a known object. ok is false if it is not for Get to do so.
func fill[Model any](ctx context.Context, from Getter) (filled *Model, ok bool) {
	raw, kind := contentOf(from)
	fields, plain := fieldsOf(reflect.TypeFor[Model]())
	if !plain || kind == nil || raw.IsNull() || !raw.IsKnown() {
		return nil, false
	}
	values := map[string]tftypes.Value{}
	if err := raw.As(&values); err != nil || len(values) != len(fields) {
		return nil, false
	}
	types := kind.AttributeTypes()
	filled = new(Model)
	model := reflect.ValueOf(filled).Elem()
	for name, index := range fields {
		value, there := values[name]
		if !there {
			return nil, false
		}
		read, err := types[name].ValueFromTerraform(ctx, value)
		if err != nil || !isValid(ctx, types[name], value, read) || reflect.TypeOf(read) != model.FieldByIndex(index).Type() {
			return nil, false
		}
		model.FieldByIndex(index).Set(reflect.ValueOf(read))
	}
	return filled, true
}

// contentOf returns what a configuration, a plan or a state holds, and of which type it is; nil for anything else.
func contentOf(from Getter) (tftypes.Value, attr.TypeWithAttributeTypes) {
	var raw tftypes.Value
	var kind attr.Type
	switch from := from.(type) {
	case tfsdk.Config:
		raw, kind = from.Raw, from.Schema.Type()
	case tfsdk.Plan:
		raw, kind = from.Raw, from.Schema.Type()
	case tfsdk.State:
		raw, kind = from.Raw, from.Schema.Type()
	}
	object, _ := kind.(attr.TypeWithAttributeTypes)
	return raw, object
}

// isValid makes the checks that a value or its type has of its own: nothing is twice in a set, and integers are whole.
func isValid(ctx context.Context, kind attr.Type, raw tftypes.Value, read attr.Value) bool {
	if checked, ok := read.(xattr.ValidateableAttribute); ok {
		resp := xattr.ValidateAttributeResponse{}
		checked.ValidateAttribute(ctx, xattr.ValidateAttributeRequest{}, &resp)
		return len(resp.Diagnostics) == 0
	}
	if checked, ok := kind.(xattr.TypeWithValidate); ok { //nolint:staticcheck // the framework's own integers have it still
		return len(checked.Validate(ctx, raw, path.Empty())) == 0
	}
	return true
}

// fields are the places of the attributes in a model, by name.
type fields map[string][]int

// modelFields are those of the models that were asked for; nil for one that is not plain.
var modelFields sync.Map // of reflect.Type to fields

// fieldsOf returns the fields of a model. It is plain if each is an attribute by itself, also those of structs in it.
func fieldsOf(model reflect.Type) (found fields, plain bool) {
	if all, ok := modelFields.Load(model); ok {
		found, _ = all.(fields)
		return found, found != nil
	}
	found = fields{}
	if !found.add(model, nil) {
		found = nil
	}
	modelFields.Store(model, found)
	return found, found != nil
}

func (f fields) add(model reflect.Type, above []int) (plain bool) {
	if model.Kind() != reflect.Struct {
		return false
	}
	for i := range model.NumField() {
		field := model.Field(i)
		index := append(append([]int{}, above...), i)
		name, tagged := field.Tag.Lookup("tfsdk")
		switch {
		case field.Anonymous && !tagged:
			if !f.add(field.Type, index) {
				return false
			}
		case tagged && field.IsExported() && field.Type.Implements(reflect.TypeFor[attr.Value]()) && f[name] == nil:
			f[name] = index
		default:
			return false
		}
	}
	return true
}

func valueAt(model reflect.Value, index []int) attr.Value {
	value, _ := model.FieldByIndex(index).Interface().(attr.Value) // fieldsOf has looked
	return value
}
