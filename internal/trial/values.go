package trial

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// errNotTold says that a value is not in the plan, and does not follow from what has been applied.
var errNotTold = errors.New("the plan does not know the value, and does not tell what it depends on")

// filler gives the values that a plan does not know.
type filler struct {
	find   func() ([]tftypes.Value, error)
	values []tftypes.Value // that are left
	found  bool
}

// rest returns the values that are left.
func (f *filler) rest() ([]tftypes.Value, error) {
	if f == nil {
		return nil, errNotTold
	}
	if !f.found {
		var err error
		if f.values, err = f.find(); err != nil {
			return nil, err
		}
		f.found = true
	}
	return f.values, nil
}

// attributesOf reads the attributes of a resource from a plan in JSON: what the schema has no more is left out, what the plan
// does not have is null.
func attributesOf(kind tftypes.Type, raw map[string]json.RawMessage, fill *filler) (attributes, error) {
	object, _ := kind.(tftypes.Object)
	all := attributes{}
	for name, inner := range object.AttributeTypes {
		value, err := valueOf(inner, raw[name], nil, fill)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all[name] = value
	}
	return all, nil
}

// valueOf reads a value of a plan in JSON. marks are true where it is not known.
func valueOf(kind tftypes.Type, raw, marks json.RawMessage, fill *filler) (tftypes.Value, error) {
	var plain, unknown any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if len(raw) > 0 {
		if err := decoder.Decode(&plain); err != nil {
			return tftypes.Value{}, err
		}
	}
	if len(marks) > 0 {
		if err := json.Unmarshal(marks, &unknown); err != nil {
			return tftypes.Value{}, err
		}
	}
	return plainValue(kind, plain, unknown, fill)
}

func plainValue(kind tftypes.Type, plain, unknown any, fill *filler) (tftypes.Value, error) {
	if unknown == true {
		return filledValue(kind, fill)
	}
	if plain == nil {
		return tftypes.NewValue(kind, nil), nil
	}
	switch kind := kind.(type) {
	case tftypes.Object:
		return plainObject(kind, plain, unknown, fill)
	case tftypes.Map:
		return plainMap(kind, plain, unknown, fill)
	case tftypes.Set:
		return plainList(kind, kind.ElementType, plain, unknown, fill)
	case tftypes.List:
		return plainList(kind, kind.ElementType, plain, unknown, fill)
	}
	if number, ok := plain.(json.Number); ok {
		parsed, _, err := big.ParseFloat(string(number), 10, 512, big.ToNearestEven)
		if err != nil {
			return tftypes.Value{}, err
		}
		plain = parsed
	}
	if err := tftypes.ValidateValue(kind, plain); err != nil {
		return tftypes.Value{}, err
	}
	return tftypes.NewValue(kind, plain), nil
}

func plainObject(kind tftypes.Object, plain, unknown any, fill *filler) (tftypes.Value, error) {
	values, _ := plain.(map[string]any)
	marks, _ := unknown.(map[string]any)
	content := map[string]tftypes.Value{}
	for name, inner := range kind.AttributeTypes {
		value, err := plainValue(inner, values[name], marks[name], fill)
		if err != nil {
			return tftypes.Value{}, err
		}
		content[name] = value
	}
	return tftypes.NewValue(kind, content), nil
}

func plainMap(kind tftypes.Map, plain, unknown any, fill *filler) (tftypes.Value, error) {
	values, _ := plain.(map[string]any)
	marks, _ := unknown.(map[string]any)
	content := map[string]tftypes.Value{}
	for name, element := range values {
		value, err := plainValue(kind.ElementType, element, marks[name], fill)
		if err != nil {
			return tftypes.Value{}, err
		}
		content[name] = value
	}
	for name := range marks {
		if _, known := content[name]; known || marks[name] != true {
			continue
		}
		value, err := filledValue(kind.ElementType, fill)
		if err != nil {
			return tftypes.Value{}, err
		}
		content[name] = value
	}
	return tftypes.NewValue(kind, content), nil
}

// plainList reads a list or a set. Its unknown elements are what the configuration refers to, apart from what is known of it.
func plainList(kind, inner tftypes.Type, plain, unknown any, fill *filler) (tftypes.Value, error) {
	elements, _ := plain.([]any)
	marks, _ := unknown.([]any)
	content := []tftypes.Value{}
	missing := 0
	for i, element := range elements {
		if i < len(marks) && marks[i] == true {
			missing++
			continue
		}
		var mark any
		if i < len(marks) {
			mark = marks[i]
		}
		value, err := plainValue(inner, element, mark, fill)
		if err != nil {
			return tftypes.Value{}, err
		}
		content = append(content, value)
	}
	if missing > 0 {
		values, err := fill.rest()
		if err != nil {
			return tftypes.Value{}, err
		}
		var others []tftypes.Value
		for _, value := range values {
			element, err := converted(inner, value)
			if err != nil {
				return tftypes.Value{}, err
			}
			if !contains(content, element) {
				others = append(others, element)
			}
		}
		if len(others) != missing {
			return tftypes.Value{}, errNotTold
		}
		content = append(content, others...)
	}
	return tftypes.NewValue(kind, content), nil
}

func contains(values []tftypes.Value, value tftypes.Value) bool {
	for _, one := range values {
		if one.Equal(value) {
			return true
		}
	}
	return false
}

// filledValue is a value of which the plan knows nothing: the one thing that the configuration refers to.
func filledValue(kind tftypes.Type, fill *filler) (tftypes.Value, error) {
	values, err := fill.rest()
	if err != nil {
		return tftypes.Value{}, err
	}
	var inner tftypes.Type
	switch kind := kind.(type) {
	case tftypes.Set:
		inner = kind.ElementType
	case tftypes.List:
		inner = kind.ElementType
	default:
		if len(values) != 1 {
			return tftypes.Value{}, errNotTold
		}
		return converted(kind, values[0])
	}
	if len(values) != 1 { // beside several, there may be others that are written
		return tftypes.Value{}, errNotTold
	}
	content := []tftypes.Value{}
	for _, value := range values {
		elements := []tftypes.Value{value}
		if value.Type().Is(tftypes.Set{}) || value.Type().Is(tftypes.List{}) {
			if err := value.As(&elements); err != nil {
				return tftypes.Value{}, err
			}
		}
		for _, element := range elements {
			element, err := converted(inner, element)
			if err != nil {
				return tftypes.Value{}, err
			}
			if !contains(content, element) {
				content = append(content, element)
			}
		}
	}
	return tftypes.NewValue(kind, content), nil
}

// converted is a value as another type, as Terraform converts it.
func converted(kind tftypes.Type, value tftypes.Value) (tftypes.Value, error) {
	switch {
	case value.Type().Equal(kind):
		return value, nil
	case kind.Is(tftypes.String):
		text, err := asText(value)
		return tftypes.NewValue(kind, text), err
	case kind.Is(tftypes.Number):
		text, err := asText(value)
		if err != nil {
			return tftypes.Value{}, err
		}
		number, _, err := big.ParseFloat(text, 10, 512, big.ToNearestEven)
		if err != nil {
			return tftypes.Value{}, errNotTold
		}
		return tftypes.NewValue(kind, number), nil
	}
	return tftypes.Value{}, errNotTold
}

// asText writes a string or a number.
func asText(value tftypes.Value) (string, error) {
	if value.Type().Is(tftypes.String) {
		var text string
		err := value.As(&text)
		return text, err
	}
	number := new(big.Float)
	if !value.Type().Is(tftypes.Number) {
		return "", errNotTold
	}
	if err := value.As(&number); err != nil {
		return "", err
	}
	return number.Text('f', -1), nil
}
