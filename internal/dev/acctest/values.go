package acctest

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Values are attributes by name, written as tests do: string, bool, int or int64, float64, []any for lists and sets,
// Values for objects and maps, nil for null, and Unknown. What is left out is null. Whole numbers come back as int64, sets
// in order, so that two of them can be compared with reflect.DeepEqual.
type Values = map[string]any

// Unknown is a value that is not known before something else is applied.
var Unknown any = unknown{}

type unknown struct{}

// GoString and String name it in messages.
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
		content, err = encodeList(kind.ElementType, plain)
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
