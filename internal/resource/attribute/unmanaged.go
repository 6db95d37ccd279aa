package attribute

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// unmanagedKey is the key of the values in the private state that the state omits.
const unmanagedKey = "unmanaged"

// PrivateState has the values outside the state that a plan compares with and that an apply uses as prior values.
type PrivateState struct {
	// Permissions are the server's values of the permissions in the state.
	Permissions map[string]zulip.GroupSettingValue
	// Emails are the IDs of the people whom the permissions in the state name by emails.
	Emails map[string]int64
	// Unmanaged are the server's values of the optional attributes that the state omits, as encoded by
	// [Table.PrivateStateOf]; nil if it omits none.
	Unmanaged json.RawMessage
}

// ReadPrivateState reads the private state.
func ReadPrivateState(ctx context.Context, private base.PrivateGetter, diags *diag.Diagnostics) (b PrivateState) {
	b.Permissions, b.Emails = Raw(ctx, private, diags), Emails(ctx, private, diags)
	data, found := private.GetKey(ctx, unmanagedKey)
	diags.Append(found...)
	b.Unmanaged = data
	return b
}

// SaveState writes the private state.
func (b *PrivateState) SaveState(ctx context.Context, private base.PrivateSetter, diags *diag.Diagnostics) {
	KeepRaw(ctx, private, b.Permissions, nil, b.Emails, diags)
	diags.Append(private.SetKey(ctx, unmanagedKey, b.Unmanaged)...) // which removes nil
}

// RefuseNotStored refuses to plan an attribute that becomes managed if no refresh has read its value on the server.
func RefuseNotStored(name string, diags *diag.Diagnostics) {
	diags.AddAttributeError(path.Root(name), "The current value of "+name+" is not known",
		"It was not managed until now, and this version of the provider has not refreshed the state. Plan without -refresh=false.")
}

// ForgetUnmanaged removes the values of the replaced object.
func ForgetUnmanaged(ctx context.Context, private base.PrivateSetter, diags *diag.Diagnostics) {
	diags.Append(private.SetKey(ctx, unmanagedKey, nil)...)
}

// omittable is a row whose attribute a state can omit. The private state then has its value.
type omittable[Model, Object, Patch any] interface {
	Row[Model, Object, Patch]
	isOptional() bool
	isNull(*Model) bool
	encode(*Model) any
	decode(*Model, json.RawMessage) error
}

// isOptional reports whether the attribute can be configured and omitted from the state. A set stays in the state,
// because encode does not support sets.
func (f Field[Model, Object, Patch, Value]) isOptional() bool {
	_, isSet := any(*new(Value)).(types.Set)
	return !f.Required && !f.ReadOnly && !isSet
}

func (f Field[Model, Object, Patch, Value]) isNull(model *Model) bool {
	return (*f.At(model)).IsNull()
}

// encode returns the value in JSON; nil for null.
func (f Field[Model, Object, Patch, Value]) encode(model *Model) any {
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

func (f Field[Model, Object, Patch, Value]) decode(model *Model, raw json.RawMessage) (err error) {
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
func (t *Table[Model, Object, Patch]) Omittable() (names []string) {
	return t.omitted(new(Model))
}

// omittable returns the rows that a state can omit.
func (t *Table[Model, Object, Patch]) omittable() (rows []omittable[Model, Object, Patch]) {
	for _, row := range t.Rows {
		if one, ok := row.(omittable[Model, Object, Patch]); ok && one.isOptional() {
			rows = append(rows, one)
		}
	}
	return rows
}

// omitted returns the names of the attributes that a state omits.
func (t *Table[Model, Object, Patch]) omitted(state *Model) (names []string) {
	if !t.OmitUnmanaged {
		return nil
	}
	for _, row := range t.omittable() {
		if row.isNull(state) {
			names = append(names, row.AttributeName())
		}
	}
	for _, setting := range t.Wire.Table.Settings {
		if t.Sets(state)(setting.Name).IsNull() {
			names = append(names, setting.Name)
		}
	}
	return names
}

// Refresh is Read for an existing state, in which omitted attributes stay omitted.
func (t *Table[Model, Object, Patch]) Refresh(state *Model, object Object, env Env, diags *diag.Diagnostics) {
	omitted := t.omitted(state)
	for _, row := range t.Rows {
		if !slices.Contains(omitted, row.AttributeName()) {
			row.ReadInto(state, object, env, diags)
		}
	}
	sets := t.Sets(state)
	sets.Read(t.Wire.Table, t.Wire.Values(object), env.View)
	for _, setting := range t.Wire.Table.Settings {
		if slices.Contains(omitted, setting.Name) {
			*sets(setting.Name) = types.SetNull(types.StringType)
		}
	}
}

// nullJSON is the value of an attribute that the server does not have.
const nullJSON = "null"

// unmanaged has the values that a state omits. It omits those of a new object, because the state is written again
// after each resource of an apply.
type unmanaged struct {
	// Fingerprint is that of the values of a new object. Another version of the provider or of the server may have
	// others.
	Fingerprint uint32 `json:"f"`
	// Creator is the user ID of the new object's creator, and Level the feature level of its server, when the values
	// were stored. Another account may read them, and the server may have been upgraded.
	Creator int64                      `json:"c"`
	Level   int                        `json:"l"`
	Values  map[string]json.RawMessage `json:"v,omitempty"`
}

// PrivateStateOf returns the private state for a state of an object. differing are the permissions whose values in
// the state and on the server differ.
func (t *Table[Model, Object, Patch]) PrivateStateOf(state *Model, object Object, differing []string, env Env, diags *diag.Diagnostics) *PrivateState {
	held, omitted := t.Wire.Values(object), t.omitted(state)
	b := &PrivateState{Permissions: map[string]zulip.GroupSettingValue{}, Emails: t.Sets(state).emails(t.Wire.Table, env.View)}
	for setting, value := range held {
		b.Permissions[setting] = value
	}
	for _, setting := range slices.Concat(differing, omitted) {
		delete(b.Permissions, setting)
	}
	current := t.encode(object, held, env, diags)
	if !slices.ContainsFunc(omitted, func(name string) bool { return string(current[name]) != nullJSON }) {
		return b
	}
	initial := t.initial(env, diags)
	kept := unmanaged{fingerprint(initial), env.Account, env.FeatureLevel, map[string]json.RawMessage{}}
	for _, name := range omitted {
		if string(current[name]) != string(initial[name]) {
			kept.Values[name] = current[name]
		}
	}
	b.Unmanaged = marshal(kept, diags)
	return b
}

// encode returns the attributes of an object that a state can omit. One that the server does not have is null.
func (t *Table[Model, Object, Patch]) encode(object Object, permissions map[string]zulip.GroupSettingValue, env Env, diags *diag.Diagnostics) map[string]json.RawMessage {
	var values Model
	all := map[string]json.RawMessage{}
	for _, row := range t.omittable() {
		row.ReadInto(&values, object, env, diags)
		all[row.AttributeName()] = marshal(row.encode(&values), diags)
	}
	for _, setting := range t.Wire.Table.Settings {
		all[setting.Name] = json.RawMessage(nullJSON)
		if value, ok := permissions[setting.Name]; ok {
			all[setting.Name] = marshal(value, diags)
		}
	}
	for name := range all {
		if featurelevel.Lookup(t.Resource, name) > env.FeatureLevel {
			all[name] = json.RawMessage(nullJSON)
		}
	}
	return all
}

// initial returns the attributes of a new object that a state can omit.
func (t *Table[Model, Object, Patch]) initial(env Env, diags *diag.Diagnostics) map[string]json.RawMessage {
	permissions := map[string]zulip.GroupSettingValue{}
	for _, setting := range t.Wire.Table.Settings {
		standard := t.Wire.Table.DefaultOf(setting, env.View.Realm())
		if group, ok := env.View.UserGroups().ByName(standard); ok {
			permissions[setting.Name] = zulip.NamedGroup(group.ID)
		} else if strings.Contains(standard, "creator") {
			permissions[setting.Name] = zulip.GroupSettingValue{DirectMembers: []int64{env.Account}}
		}
	}
	return t.encode(t.New, permissions, env, diags)
}

func marshal(value any, diags *diag.Diagnostics) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil {
		base.AddBug(diags, "encode private state", err)
	}
	return text
}

// fingerprint returns a hash of values and of the names of their attributes.
func fingerprint(values map[string]json.RawMessage) uint32 {
	hash := fnv.New32a()
	for _, name := range slices.Sorted(maps.Keys(values)) {
		_, _ = fmt.Fprintln(hash, name, string(values[name])) // never fails
	}
	return hash.Sum32()
}

// complete adds the omitted values from the private state to the prior ones. If they were not stored, they are taken
// from object, and their attributes are added to NotStored. object may be nil.
func (t *Table[Model, Object, Patch]) complete(prior *Prior[Model, Object], kept json.RawMessage, object *Object, env Env, diags *diag.Diagnostics) {
	if !t.OmitUnmanaged {
		return
	}
	values, omitted := *prior.State, t.omitted(prior.State)
	prior.Values = &values
	all := t.decodeUnmanaged(kept, env, diags)
	if all == nil {
		prior.NotStored = omitted
		if object == nil {
			return
		}
		all = t.encode(*object, t.Wire.Values(*object), env, diags)
	}
	report := func(err error) {
		if err != nil {
			base.AddBug(diags, "decode private state", err)
		}
	}
	for _, row := range t.omittable() {
		if slices.Contains(omitted, row.AttributeName()) {
			report(row.decode(&values, all[row.AttributeName()]))
		}
	}
	for _, setting := range t.Wire.Table.Settings {
		if !slices.Contains(omitted, setting.Name) || string(all[setting.Name]) == nullJSON {
			continue
		}
		var value zulip.GroupSettingValue
		report(json.Unmarshal(all[setting.Name], &value))
		prior.Permissions[setting.Name] = value
	}
}

// decodeUnmanaged returns the values that were stored, and those of a new object for the others; nil if nothing was
// stored, or if the values of a new object differ from those at that time.
func (t *Table[Model, Object, Patch]) decodeUnmanaged(raw json.RawMessage, env Env, diags *diag.Diagnostics) map[string]json.RawMessage {
	var kept unmanaged
	if json.Unmarshal(raw, &kept) != nil {
		return nil
	}
	env.Account, env.FeatureLevel = kept.Creator, kept.Level
	all := t.initial(env, diags)
	if fingerprint(all) != kept.Fingerprint {
		return nil
	}
	maps.Copy(all, kept.Values)
	return all
}
