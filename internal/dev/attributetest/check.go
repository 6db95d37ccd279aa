// Package attributetest checks the rows of a table of attributes for omissions. [Test.Check] checks the table alone: a row
// without a description, a row that is not read back, not compared or not sent, and an attribute without a row.
// [Test.Apply] applies every row to a server: the server then has the planned value, and other changes are detected.
package attributetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
)

// Samples are two JSON objects of a server for each attribute, which differ in this attribute.
type Samples map[string][2]string

// Test is the test of one table.
type Test[Model, Object, Patch any] struct {
	Table *attribute.Table[Model, *Object, Patch]
	// Samples are needed for every row.
	Samples Samples
	// Env describes the server for the rows.
	Env attribute.Env
	// Values are the attributes of a model by name.
	Values func(*Model) map[string]attr.Value
}

// Of returns the test of a table with a model that is a struct with tfsdk tags.
func Of[Model, Object, Patch any](table *attribute.Table[Model, *Object, Patch], samples Samples) *Test[Model, Object, Patch] {
	return &Test[Model, Object, Patch]{Table: table, Samples: samples, Values: fields[Model]}
}

// Check reports the omissions of the table.
func (c *Test[Model, Object, Patch]) Check(t *testing.T) {
	t.Helper()
	for _, problem := range c.Problems() {
		t.Error(problem)
	}
}

// Problems returns the omissions of the table.
func (c *Test[Model, Object, Patch]) Problems() []string {
	check := &checking[Model, Object, Patch]{Test: c}
	known := map[string]bool{}
	for _, row := range c.Table.Rows {
		known[row.AttributeName()] = true
		if sample, ok := c.Samples[row.AttributeName()]; ok {
			check.row(row, check.decode(sample[0]), check.decode(sample[1]))
		} else {
			check.errorf("%s: the test has no sample of it", row.AttributeName())
		}
	}
	check.permissions(known)
	for _, name := range slices.Sorted(maps.Keys(c.Values(new(Model)))) {
		if !known[name] {
			check.errorf("%s: the model has it, and no row of the table", name)
		}
	}
	return slices.Compact(check.problems)
}

// checking is the state of a running check.
type checking[Model, Object, Patch any] struct {
	*Test[Model, Object, Patch]
	problems []string
}

func (c *checking[Model, Object, Patch]) errorf(format string, details ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, details...))
}

func (c *Test[Model, Object, Patch]) decode(text string) *Object {
	object := new(Object)
	if err := json.Unmarshal([]byte(text), object); err != nil {
		panic(fmt.Sprintf("the sample %s: %v", text, err))
	}
	return object
}

// read returns a model with one attribute of an object, and the attribute.
func (c *Test[Model, Object, Patch]) read(row attribute.Row[Model, *Object, Patch], object *Object) (*Model, attr.Value) {
	var model Model
	var diags diag.Diagnostics
	row.ReadInto(&model, object, c.Env, &diags)
	if diags.HasError() {
		panic(fmt.Sprint(row.AttributeName(), diags))
	}
	return &model, c.Values(&model)[row.AttributeName()]
}

func (c *checking[Model, Object, Patch]) row(row attribute.Row[Model, *Object, Patch], before, after *Object) {
	name := row.AttributeName()
	defer func() {
		if missing := recover(); missing != nil {
			c.errorf("%s: the row says nothing of one direction: %v", name, missing)
		}
	}()
	resource, data := row.ResourceAttribute(c.Table.Resource), row.DataSourceAttribute(c.Table.Resource)
	if resource.GetMarkdownDescription() == "" || data.GetMarkdownDescription() == "" {
		c.errorf("%s: a page does not describe it", name)
	}
	if !data.IsComputed() || !resource.GetType().Equal(data.GetType()) {
		c.errorf("%s: data sources do not show it as the resource has it", name)
	}
	prior, was := c.read(row, before)
	planned, is := c.read(row, after)
	if was == nil || is == nil || was.Equal(is) {
		c.errorf("%s: it is not read into its field of the model, but as %v and as %v", name, was, is)
		return
	}
	if resource.IsOptional() || resource.IsRequired() {
		c.step(row, before, after, prior, planned)
	} else if _, _, found := row.Step(&attribute.Prior[Model, *Object]{Values: prior, Object: before}, planned, c.Env); found {
		c.errorf("%s: it cannot be set, and is sent", name)
	}
	if resource.IsOptional() && slices.Contains(c.Table.Omittable(), name) {
		c.checkPrivateState(name, before, was)
		c.checkPrivateState(name, after, is)
	}
	row.KeepPlanned(prior, planned)
	if kept := c.Values(prior)[name]; !kept.Equal(is) {
		c.errorf("%s: the state does not take the planned value: %v, not %v", name, kept, is)
	}
}

// checkPrivateState checks that the private state has the value of an attribute that the state omits.
func (c *checking[Model, Object, Patch]) checkPrivateState(name string, object *Object, is attr.Value) {
	var diags diag.Diagnostics
	private := c.Table.PrivateStateOf(new(Model), object, nil, c.Env, &diags)
	prior := c.Table.PriorWithPrivate(new(Model), *private, nil, c.Env, &diags)
	if kept := c.Values(prior.Values)[name]; diags.HasError() || len(prior.NotStored) > 0 || !kept.Equal(is) {
		c.errorf("%s: a state leaves it out, and what is in the private state is %v, not %v", name, kept, is)
	}
}

// checkPermissionState checks that the private state has the value of a permission that the state omits: of each role
// and group, the account, another user, and none.
func (c *checking[Model, Object, Patch]) checkPermissionState(name string) {
	samples := []string{`{}`}
	for _, id := range []int64{c.Env.Account, c.Env.Account + 1} {
		samples = append(samples, fmt.Sprintf(`{%q: {"direct_members": [%d], "direct_subgroups": []}}`, name, id))
	}
	for _, group := range c.Env.View.UserGroups().List() {
		samples = append(samples, fmt.Sprintf(`{%q: %d}`, name, group.ID))
	}
	for _, sample := range samples {
		var diags diag.Diagnostics
		object := c.decode(sample)
		private := c.Table.PrivateStateOf(new(Model), object, nil, c.Env, &diags)
		prior := c.Table.PriorWithPrivate(new(Model), *private, nil, c.Env, &diags)
		kept, isKept := prior.Permissions[name]
		held, isHeld := c.Table.Wire.Values(object)[name]
		if diags.HasError() || len(prior.NotStored) > 0 || isKept != isHeld || !reflect.DeepEqual(kept, held) {
			c.errorf("%s: a state leaves it out, and what is in the private state is %v, not %v", name, kept, held)
		}
	}
}

// step checks the change of an attribute from one object to the other.
func (c *checking[Model, Object, Patch]) step(row attribute.Row[Model, *Object, Patch], before, after *Object, prior, planned *Model) {
	name := row.AttributeName()
	for _, from := range []attribute.Prior[Model, *Object]{{Values: prior, State: prior, IsState: true}, {Values: prior, Object: before}} {
		step, problems, found := row.Step(&from, planned, c.Env)
		if !found || len(problems) > 0 || step.Attribute != name {
			c.errorf("%s: a plan does not find that it changes: %v", name, problems)
			return
		}
		if step.Current(before) != step.Prior || step.Current(after) != step.Planned || step.Prior == step.Planned {
			c.errorf("%s: it is not compared: %q and %q were planned from %q to %q", name, step.Current(before), step.Current(after), step.Prior, step.Planned)
		}
		var update Patch
		if step.Put(&update, before, true); reflect.ValueOf(update).IsZero() {
			c.errorf("%s: it is not sent", name)
		}
	}
	if _, _, found := row.Step(&attribute.Prior[Model, *Object]{Values: planned, State: planned, IsState: true}, planned, c.Env); found {
		c.errorf("%s: it is sent although it does not change", name)
	}
}

// permissions checks that the table has a place for each permission, and no others.
func (c *checking[Model, Object, Patch]) permissions(known map[string]bool) {
	for _, setting := range c.Table.Wire.Table.All() {
		known[setting.Name] = true
		if _, ok := c.Table.Permissions[setting.Name]; !ok {
			c.errorf("%s: the table does not say where the model has it", setting.Name)
			continue
		}
		var model Model
		set := types.SetValueMust(types.StringType, []attr.Value{types.StringValue(setting.Name)})
		*c.Table.Sets(&model)(setting.Name) = set
		if !set.Equal(c.Values(&model)[setting.Name]) {
			c.errorf("%s: the model has it in another place", setting.Name)
		}
		if slices.Contains(c.Table.Omittable(), setting.Name) {
			c.checkPermissionState(setting.Name)
		}
	}
	for name := range c.Table.Permissions {
		if !known[name] {
			c.errorf("%s: it is no permission", name)
		}
	}
}

// fields returns the attributes of a struct with tfsdk tags.
func fields[Model any](model *Model) map[string]attr.Value {
	values := map[string]attr.Value{}
	of := reflect.ValueOf(model).Elem()
	for i := range of.NumField() {
		if tag := of.Type().Field(i).Tag.Get("tfsdk"); tag != "" {
			values[tag], _ = of.Field(i).Interface().(attr.Value)
		}
	}
	return values
}

// Apply sets each settable attribute to the values of both samples, next to a configuration that may be only a name. After
// each apply the plan must be empty. A change by another run must be found, and reverted.
func (c *Test[Model, Object, Patch]) Apply(t *testing.T, start func(*testing.T) *acctest.Run, base acctest.Values) {
	for _, row := range c.Table.Rows {
		name, resource := row.AttributeName(), row.ResourceAttribute(c.Table.Resource)
		if !resource.IsOptional() && !resource.IsRequired() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			if _, ok := c.Samples[name]; !ok {
				t.Fatalf("%s: the test has no sample of it", name)
			}
			with := func(sample string) (config acctest.Values) {
				_, value := c.read(row, c.decode(sample))
				config = maps.Clone(base)
				config[name] = plain(value)
				return config
			}
			first, second := with(c.Samples[name][0]), with(c.Samples[name][1])
			run := start(t)
			run.MustApply(first)
			run.MustApply(second)
			other := run.Fork()
			other.MustApply(first)
			if plan := run.MustPlan(second); !slices.Contains(plan.Changes(), name) {
				t.Errorf("what somebody else changed is not found: %v", plan.Changes())
			}
			run.MustApply(second)
			if got := run.State.Values[name]; !reflect.DeepEqual(got, second[name]) {
				t.Errorf("the state says %v, not %v", got, second[name])
			}
		})
	}
}

// plain returns a value in the form of tests.
func plain(value attr.Value) any {
	switch value := value.(type) {
	case types.String:
		return value.ValueString()
	case types.Bool:
		return value.ValueBool()
	case types.Int64:
		return value.ValueInt64()
	case interface{ Elements() []attr.Value }: // a set or a list
		all := []any{}
		for _, element := range value.Elements() {
			all = append(all, plain(element))
		}
		return all
	}
	return nil
}
