package acctest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
)

// Values are attributes by name: string, bool, int or int64, float64, []any for lists and sets, Values for objects and
// maps, nil for null, and Unknown. Absent attributes are null. In results, whole numbers are int64 and sets are sorted, so
// that reflect.DeepEqual can compare them.
type Values = map[string]any

// Unknown is a value that is known after apply.
var Unknown any = unknown{}

type unknown struct{}

// GoString names the value in messages.
func (unknown) GoString() string { return "acctest.Unknown" }
func (unknown) String() string   { return "(known after apply)" }

func encodeValues(kind tftypes.Type, values Values) (*tfprotov6.DynamicValue, error) {
	var plain any
	if values != nil {
		plain = values
	}
	value, err := encodeValue(kind, plain)
	if err != nil {
		return nil, err
	}
	encoded, err := tfprotov6.NewDynamicValue(kind, value)
	return &encoded, err
}

func encodeValue(kind tftypes.Type, plain any) (tftypes.Value, error) {
	switch plain {
	case nil:
		return tftypes.NewValue(kind, nil), nil
	case Unknown:
		return tftypes.NewValue(kind, tftypes.UnknownValue), nil
	}
	var content any
	var err error
	switch kind := kind.(type) {
	case tftypes.Object:
		content, err = encodeObject(kind, plain)
	case tftypes.Map:
		content, err = encodeMap(kind.ElementType, plain)
	case tftypes.Set:
		var elements []tftypes.Value
		elements, err = encodeList(kind.ElementType, plain)
		slices.SortFunc(elements, func(a, b tftypes.Value) int { return cmp.Compare(a.String(), b.String()) }) // the CLI has an order of its own
		content = elements
	case tftypes.List:
		content, err = encodeList(kind.ElementType, plain)
	default:
		content = plain
		if number, ok := plain.(int); ok {
			content = int64(number)
		}
	}
	if err == nil {
		err = tftypes.ValidateValue(kind, content)
	}
	if err != nil {
		return tftypes.Value{}, err
	}
	return tftypes.NewValue(kind, content), nil
}

func encodeObject(kind tftypes.Object, plain any) (map[string]tftypes.Value, error) {
	values, ok := plain.(Values)
	if !ok {
		return nil, fmt.Errorf("%v (%T) is not an object", plain, plain)
	}
	for name := range values {
		if _, ok := kind.AttributeTypes[name]; !ok {
			return nil, fmt.Errorf("there is no attribute %q", name)
		}
	}
	content := map[string]tftypes.Value{}
	for name, inner := range kind.AttributeTypes {
		value, err := encodeValue(inner, values[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		content[name] = value
	}
	return content, nil
}

func encodeMap(inner tftypes.Type, plain any) (map[string]tftypes.Value, error) {
	values, ok := plain.(Values)
	if !ok {
		return nil, fmt.Errorf("%v (%T) is not a map", plain, plain)
	}
	content := map[string]tftypes.Value{}
	for name, element := range values {
		value, err := encodeValue(inner, element)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		content[name] = value
	}
	return content, nil
}

func encodeList(inner tftypes.Type, plain any) ([]tftypes.Value, error) {
	elements, ok := plain.([]any)
	if !ok {
		return nil, fmt.Errorf("%v (%T) is not a list", plain, plain)
	}
	content := []tftypes.Value{}
	for _, element := range elements {
		value, err := encodeValue(inner, element)
		if err != nil {
			return nil, err
		}
		content = append(content, value)
	}
	return content, nil
}

func decodeValue(value tftypes.Value) (any, error) {
	switch {
	case !value.IsKnown():
		return Unknown, nil
	case value.IsNull():
		return nil, nil
	}
	switch kind := value.Type(); {
	case kind.Is(tftypes.String):
		var text string
		err := value.As(&text)
		return text, err
	case kind.Is(tftypes.Bool):
		var flag bool
		err := value.As(&flag)
		return flag, err
	case kind.Is(tftypes.Number):
		return decodeNumber(value)
	case kind.Is(tftypes.Set{}), kind.Is(tftypes.List{}):
		return decodeList(value)
	default:
		return decodeAttributes(value)
	}
}

func decodeNumber(value tftypes.Value) (any, error) {
	number := new(big.Float)
	if err := value.As(&number); err != nil {
		return nil, err
	}
	if whole, accuracy := number.Int64(); accuracy == big.Exact {
		return whole, nil
	}
	fraction, _ := number.Float64()
	return fraction, nil
}

func decodeList(value tftypes.Value) (any, error) {
	var content []tftypes.Value
	if err := value.As(&content); err != nil {
		return nil, err
	}
	elements := []any{}
	for _, inner := range content {
		element, err := decodeValue(inner)
		if err != nil {
			return nil, err
		}
		elements = append(elements, element)
	}
	if value.Type().Is(tftypes.Set{}) {
		slices.SortFunc(elements, func(a, b any) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	}
	return elements, nil
}

func decodeAttributes(value tftypes.Value) (any, error) {
	var content map[string]tftypes.Value
	if err := value.As(&content); err != nil {
		return nil, err
	}
	values := Values{}
	for name, inner := range content {
		element, err := decodeValue(inner)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		values[name] = element
	}
	return values, nil
}

// Between calls a function between a plan and its apply.
func Between(do func()) plancheck.PlanCheck { return between(do) }

// After calls a function after an apply, usually to check the server.
func After(do func()) statecheck.StateCheck { return after(do) }

type (
	between func()
	after   func()
)

// CheckPlan calls the function.
func (f between) CheckPlan(context.Context, plancheck.CheckPlanRequest, *plancheck.CheckPlanResponse) {
	f()
}

// CheckState calls the function.
func (f after) CheckState(context.Context, statecheck.CheckStateRequest, *statecheck.CheckStateResponse) {
	f()
}

// Message matches a text in the CLI's output, ignoring line breaks.
func Message(text string) *regexp.Regexp {
	words := strings.Fields(text)
	for i, word := range words {
		words[i] = regexp.QuoteMeta(word)
	}
	return regexp.MustCompile(strings.Join(words, `[\s│]+`))
}

// Attributes returns the attributes of a resource, data source, action or ephemeral resource by name, with their types; nil
// if the name is unknown. It merges a data source and a resource of one name.
func (p *Process) Attributes(of string) map[string]tftypes.Type {
	p.t.Helper()
	var kinds map[string]tftypes.Type
	add := func(schema *tfprotov6.Schema) {
		if kinds == nil {
			kinds = map[string]tftypes.Type{}
		}
		for _, attribute := range schema.Block.Attributes {
			kinds[attribute.Name] = attribute.ValueType()
		}
	}
	for _, schemas := range []map[string]*tfprotov6.Schema{p.schemas.DataSourceSchemas, p.schemas.EphemeralResourceSchemas, p.schemas.ResourceSchemas} {
		if schema, ok := schemas[of]; ok {
			add(schema)
		}
	}
	if action, ok := p.schemas.ActionSchemas[of]; ok {
		add(action.Schema)
	}
	return kinds
}

// Resources returns the names of all resources, in order.
func (p *Process) Resources() []string {
	return slices.Sorted(maps.Keys(p.schemas.ResourceSchemas))
}

// PlanUnchecked plans a new resource, or an action, without validating the configuration, so that it can be incomplete.
func (p *Process) PlanUnchecked(of string, config Values) Diagnostics {
	p.t.Helper()
	if _, ok := p.schemas.ActionSchemas[of]; !ok {
		_, diags := p.Plan(of, nil, config)
		return diags
	}
	planned, err := p.actions().PlanAction(p.ctx, &tfprotov6.PlanActionRequest{
		ActionType: of, Config: p.encodeAction(of, config), ClientCapabilities: &tfprotov6.PlanActionClientCapabilities{},
	})
	p.mustSucceed(err)
	return diagnosticsOf(planned.Diagnostics)
}

// Descriptions returns the descriptions of every resource, data source, action and ephemeral resource, and of their
// attributes. The keys are names, or names and attribute paths, joined with dots. A data source and a resource of one name
// share the first.
func (p *Process) Descriptions() map[string]string {
	texts := map[string]string{}
	add := func(at string, schema *tfprotov6.Schema) {
		texts[at] += schema.Block.Description
		describe(texts, at, schema.Block.Attributes)
	}
	for _, schemas := range []map[string]*tfprotov6.Schema{p.schemas.ResourceSchemas, p.schemas.DataSourceSchemas, p.schemas.EphemeralResourceSchemas} {
		for name, schema := range schemas {
			add(name, schema)
		}
	}
	for name, action := range p.schemas.ActionSchemas {
		add(name, action.Schema)
	}
	return texts
}

func describe(texts map[string]string, at string, attributes []*tfprotov6.SchemaAttribute) {
	for _, attribute := range attributes {
		inner := at + "." + attribute.Name
		texts[inner] += attribute.Description
		if attribute.NestedType != nil {
			describe(texts, inner, attribute.NestedType.Attributes)
		}
	}
}

// Settable returns the descriptions of all attributes that a configuration can set and that hold text, or several texts.
// The keys are names and attribute paths, joined with dots. It merges a data source and a resource of one name.
func (p *Process) Settable() map[string]string {
	texts := map[string]string{}
	add := func(at string, schema *tfprotov6.Schema) { settable(texts, at, schema.Block.Attributes) }
	for _, schemas := range []map[string]*tfprotov6.Schema{p.schemas.ResourceSchemas, p.schemas.DataSourceSchemas, p.schemas.EphemeralResourceSchemas} {
		for name, schema := range schemas {
			add(name, schema)
		}
	}
	for name, action := range p.schemas.ActionSchemas {
		add(name, action.Schema)
	}
	return texts
}

func settable(texts map[string]string, at string, attributes []*tfprotov6.SchemaAttribute) {
	several := []tftypes.Type{tftypes.String, tftypes.List{ElementType: tftypes.String}, tftypes.Set{ElementType: tftypes.String}, tftypes.Map{ElementType: tftypes.String}}
	for _, attribute := range attributes {
		inner := at + "." + attribute.Name
		switch {
		case !attribute.Required && !attribute.Optional:
		case attribute.NestedType != nil:
			settable(texts, inner, attribute.NestedType.Attributes)
		case slices.ContainsFunc(several, attribute.Type.Equal):
			texts[inner] += attribute.Description
		}
	}
}

// SchemaVersion returns the version of a resource's schema.
func (p *Process) SchemaVersion(resource string) int64 {
	p.t.Helper()
	p.resourceType(resource)
	return p.schemas.ResourceSchemas[resource].Version
}

// UpgradeFrom reads the JSON of a state with a version of the schema.
func (p *Process) UpgradeFrom(resource string, version int64, state []byte) (Values, Diagnostics) {
	p.t.Helper()
	answer, err := p.server.UpgradeResourceState(p.ctx, &tfprotov6.UpgradeResourceStateRequest{
		TypeName: resource, Version: version, RawState: &tfprotov6.RawState{JSON: state},
	})
	p.mustSucceed(err)
	diags := diagnosticsOf(answer.Diagnostics)
	if answer.UpgradedState == nil {
		return nil, diags
	}
	return p.decode(p.resourceType(resource), answer.UpgradedState), diags
}

// UpgradeIdentityFrom reads the JSON of an identity with a version of its schema.
func (p *Process) UpgradeIdentityFrom(resource string, version int64, identity []byte) (Values, Diagnostics) {
	p.t.Helper()
	answer, err := p.server.UpgradeResourceIdentity(p.ctx, &tfprotov6.UpgradeResourceIdentityRequest{
		TypeName: resource, Version: version, RawIdentity: &tfprotov6.RawState{JSON: identity},
	})
	p.mustSucceed(err)
	diags := diagnosticsOf(answer.Diagnostics)
	if answer.UpgradedIdentity == nil || answer.UpgradedIdentity.IdentityData == nil {
		return nil, diags
	}
	return p.decode(p.identities[resource].ValueType(), answer.UpgradedIdentity.IdentityData), diags
}
