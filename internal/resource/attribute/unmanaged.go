package attribute

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// unmanagedKey is the key of the values in the private state that the state omits.
const unmanagedKey = "unmanaged"

// PrivateState has the values outside the state that a plan compares with and that an apply uses as prior values.
type PrivateState struct {
	// Permissions are the server's values of the permissions in the state.
	Permissions map[string]zulip.GroupSettingValue
	// Unmanaged are the server's values of the optional attributes that the state omits, as encoded by
	// [Table.PrivateStateOf]; nil if it omits none.
	Unmanaged json.RawMessage
}

// ReadPrivateState reads the private state.
func ReadPrivateState(ctx context.Context, private PrivateGetter, diags *diag.Diagnostics) (b PrivateState) {
	b.Permissions = Raw(ctx, private, diags)
	data, found := private.GetKey(ctx, unmanagedKey)
	diags.Append(found...)
	b.Unmanaged = data
	return b
}

// Store writes the private state.
func (b *PrivateState) Store(ctx context.Context, private PrivateSetter, diags *diag.Diagnostics) {
	KeepRaw(ctx, private, b.Permissions, nil, diags)
	diags.Append(private.SetKey(ctx, unmanagedKey, b.Unmanaged)...) // which removes nil
}

// RefuseUnread refuses to plan an attribute that becomes managed if no refresh has read its value on the server.
func RefuseUnread(name string, diags *diag.Diagnostics) {
	diags.AddAttributeError(path.Root(name), "The current value of "+name+" is not known",
		"It was not managed until now, and this version of the provider has not refreshed the state. Plan without -refresh=false.")
}

// ForgetUnmanaged removes the values of the replaced object.
func ForgetUnmanaged(ctx context.Context, private PrivateSetter, diags *diag.Diagnostics) {
	diags.Append(private.SetKey(ctx, unmanagedKey, nil)...)
}

// omittable is a row whose attribute a state can omit. The private state then has its value.
type omittable[Model any] interface {
	isOptional() bool
	isNull(*Model) bool
	encode(*Model) any
	decode(*Model, json.RawMessage) error
}

// isOptional reports whether the attribute can be configured and omitted from the state. A set stays in the state,
// because encode does not support sets.
func (f Field[Model, Object, Update, Value]) isOptional() bool {
	_, isSet := any(*new(Value)).(types.Set)
	return !f.Required && !f.ReadOnly && !isSet
}

func (f Field[Model, Object, Update, Value]) isNull(model *Model) bool {
	return (*f.At(model)).IsNull()
}

// encode returns the value in JSON; nil for null.
func (f Field[Model, Object, Update, Value]) encode(model *Model) any {
	switch value := any(*f.At(model)).(type) {
	case types.String:
		return value.ValueStringPointer()
	case types.Bool:
		return value.ValueBoolPointer()
	case types.Int64:
		return value.ValueInt64Pointer()
	}
	return nil
}

func (f Field[Model, Object, Update, Value]) decode(model *Model, raw json.RawMessage) (err error) {
	var value attr.Value
	switch any(*f.At(model)).(type) {
	case types.String:
		var text *string
		err = json.Unmarshal(raw, &text)
		value = types.StringPointerValue(text)
	case types.Bool:
		var flag *bool
		err = json.Unmarshal(raw, &flag)
		value = types.BoolPointerValue(flag)
	case types.Int64:
		var number *int64
		err = json.Unmarshal(raw, &number)
		value = types.Int64PointerValue(number)
	}
	if typed, ok := value.(Value); ok && err == nil {
		*f.At(model) = typed
	}
	return err
}

// Omittable returns the names of the attributes that a state can omit.
func (t *Table[Model, Object, Update]) Omittable() (names []string) {
	if !t.OmitUnmanaged {
		return nil
	}
	for _, row := range t.kept() {
		names = append(names, row.AttributeName())
	}
	for _, setting := range t.Wire.Table.Settings {
		names = append(names, setting.Name)
	}
	return names
}

// kept returns the rows that a state can omit.
func (t *Table[Model, Object, Update]) kept() (rows []Row[Model, Object, Update]) {
	for _, row := range t.Rows {
		if one, ok := row.(omittable[Model]); ok && one.isOptional() {
			rows = append(rows, row)
		}
	}
	return rows
}

// omits reports whether a state omits the attribute of a row.
func (t *Table[Model, Object, Update]) omits(row Row[Model, Object, Update], state *Model) bool {
	one, ok := row.(omittable[Model])
	return t.OmitUnmanaged && ok && one.isOptional() && one.isNull(state)
}

// omitted returns the permissions that a state omits.
func (t *Table[Model, Object, Update]) omitted(state *Model) (settings []string) {
	if !t.OmitUnmanaged {
		return nil
	}
	for _, setting := range t.Wire.Table.Settings {
		if t.Sets(state)(setting.Name).IsNull() {
			settings = append(settings, setting.Name)
		}
	}
	return settings
}

// Refresh is Read for an existing state, in which omitted attributes stay omitted.
func (t *Table[Model, Object, Update]) Refresh(state *Model, object Object, on Server, diags *diag.Diagnostics) {
	omitted := t.omitted(state)
	for _, row := range t.Rows {
		if !t.omits(row, state) {
			row.ReadInto(state, object, on, diags)
		}
	}
	sets := t.Sets(state)
	sets.Read(t.Wire.Table, t.Wire.Values(object), on.View)
	for _, setting := range omitted {
		*sets(setting) = types.SetNull(types.StringType)
	}
}

// PrivateStateOf returns the private state for a state of an object. differing are the permissions whose values in
// the state and on the server differ.
//
// The omitted values are in the order of the table, after a number that encodes their attributes, so that they take
// less space than in the state. A managed attribute is null there.
func (t *Table[Model, Object, Update]) PrivateStateOf(state *Model, object Object, differing []string, on Server, diags *diag.Diagnostics) *PrivateState {
	held, omitted := t.Wire.Values(object), t.omitted(state)
	b := &PrivateState{Permissions: map[string]zulip.GroupSettingValue{}}
	for setting, value := range held {
		b.Permissions[setting] = value
	}
	for _, setting := range slices.Concat(differing, omitted) {
		delete(b.Permissions, setting)
	}
	var values Model
	all, isAny := []any{t.fingerprint()}, false
	for _, row := range t.kept() {
		var value any
		if one, ok := row.(omittable[Model]); ok && t.omits(row, state) {
			row.ReadInto(&values, object, on, diags)
			value = one.encode(&values)
			isAny = isAny || !one.isNull(&values)
		}
		all = append(all, value)
	}
	for _, setting := range t.Wire.Table.Settings {
		if value, ok := held[setting.Name]; ok && slices.Contains(omitted, setting.Name) {
			all, isAny = append(all, value), true
		} else {
			all = append(all, nil)
		}
	}
	if !isAny {
		return b
	}
	var err error
	if b.Unmanaged, err = json.Marshal(all); err != nil {
		base.AddBug(diags, "encode private state", err)
	}
	return b
}

// fingerprint distinguishes the attributes that a state can omit from those of another version of the provider.
func (t *Table[Model, Object, Update]) fingerprint() uint32 {
	hash := fnv.New32a()
	for _, row := range t.kept() {
		_, _ = hash.Write([]byte(row.AttributeName() + " ")) // never fails
	}
	for _, setting := range t.Wire.Table.Settings {
		_, _ = hash.Write([]byte(setting.Name + " "))
	}
	return hash.Sum32()
}

// complete adds the omitted values from the private state to the prior ones. A value that was not stored is taken from
// object, and its attribute is added to Unread. object may be nil.
func (t *Table[Model, Object, Update]) complete(prior *Prior[Model, Object], unmanaged json.RawMessage, object *Object, on Server, diags *diag.Diagnostics) {
	if !t.OmitUnmanaged {
		return
	}
	values := *prior.State
	prior.Values = &values
	if kept := t.decodeUnmanaged(unmanaged); kept != nil {
		t.completeByKept(prior, kept, diags)
		return
	}
	for _, row := range t.kept() {
		if t.omits(row, prior.State) {
			prior.Unread = append(prior.Unread, row.AttributeName())
			if object != nil {
				row.ReadInto(&values, *object, on, diags)
			}
		}
	}
	for _, setting := range t.omitted(prior.State) {
		prior.Unread = append(prior.Unread, setting)
		if object == nil {
			continue
		}
		if value, ok := t.Wire.Values(*object)[setting]; ok {
			prior.Permissions[setting] = value
		}
	}
}

// decodeUnmanaged returns the stored values, rows first; nil if there are none, or if they have other attributes.
func (t *Table[Model, Object, Update]) decodeUnmanaged(unmanaged json.RawMessage) []json.RawMessage {
	var all []json.RawMessage
	var kept uint32
	if json.Unmarshal(unmanaged, &all) != nil || len(all) != 1+len(t.kept())+len(t.Wire.Table.Settings) ||
		json.Unmarshal(all[0], &kept) != nil || kept != t.fingerprint() {
		return nil
	}
	return all[1:]
}

func (t *Table[Model, Object, Update]) completeByKept(prior *Prior[Model, Object], kept []json.RawMessage, diags *diag.Diagnostics) {
	report := func(err error) {
		if err != nil {
			base.AddBug(diags, "decode private state", err)
		}
	}
	rows := t.kept()
	for i, row := range rows {
		if one, ok := row.(omittable[Model]); ok && t.omits(row, prior.State) {
			report(one.decode(prior.Values, kept[i]))
		}
	}
	for i, setting := range t.Wire.Table.Settings {
		raw := kept[len(rows)+i]
		if !t.Sets(prior.State)(setting.Name).IsNull() || string(raw) == "null" {
			continue
		}
		var value zulip.GroupSettingValue
		report(json.Unmarshal(raw, &value))
		prior.Permissions[setting.Name] = value
	}
}
