package doctor

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// The types of JSON values, as the report names them.
const (
	typeNull    = "null"
	typeBoolean = "boolean"
	typeInteger = "integer"
	typeNumber  = "number"
	typeText    = "text"
	typeList    = "list"
	typeObject  = "object"
)

// shape is what all values at one place of an answer have in common. It holds no value: nothing of an organization can get from
// it into a report but the names of fields.
type shape struct {
	// known is the type into which the client decodes the value; nil if it does not read it, or keeps it as it is.
	known reflect.Type
	// types counts the values by JSON type, and refused those of them that the client cannot decode.
	types, refused map[string]int
	// fields are those of objects.
	fields map[string]*shape
	// elements are those of lists, and the values of objects whose keys are data, such as IDs; nil if there are none.
	elements *shape
}

func newShape(known reflect.Type) *shape {
	return &shape{known: known, types: map[string]int{}, refused: map[string]int{}, fields: map[string]*shape{}}
}

// add adds a value.
func (s *shape) add(value json.RawMessage) error {
	kind := typeOf(value)
	s.types[kind]++
	if s.isRefused(value, kind) {
		s.refused[kind]++
	}
	switch kind {
	case typeList:
		var list []json.RawMessage
		if err := json.Unmarshal(value, &list); err != nil {
			return err
		}
		return s.addElements(slices.Values(list))
	case typeObject:
		var object map[string]json.RawMessage
		if err := json.Unmarshal(value, &object); err != nil {
			return err
		}
		if hasDataKeys(s.known, object) {
			return s.addElements(func(yield func(json.RawMessage) bool) {
				for _, one := range object {
					if !yield(one) {
						return
					}
				}
			})
		}
		for name, one := range object {
			if s.fields[name] == nil {
				s.fields[name] = newShape(zulip.FieldType(s.known, name))
			}
			if err := s.fields[name].add(one); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *shape) addElements(values func(func(json.RawMessage) bool)) (err error) {
	for one := range values {
		if s.elements == nil {
			var known reflect.Type
			if s.known != nil && slices.Contains([]reflect.Kind{reflect.Slice, reflect.Map}, s.known.Kind()) && s.known.Elem().Kind() != reflect.Uint8 {
				known = s.known.Elem()
			}
			s.elements = newShape(known)
		}
		if err := s.elements.add(one); err != nil {
			return err
		}
	}
	return nil
}

// isRefused reports whether the client cannot decode a value. What is in lists and objects is judged for itself.
func (s *shape) isRefused(value json.RawMessage, kind string) bool {
	if s.known == nil {
		return false
	}
	known := s.known
	if known.Kind() == reflect.Pointer {
		known = known.Elem()
	}
	switch isDecodedByParts := !reflect.PointerTo(known).Implements(reflect.TypeFor[json.Unmarshaler]()); {
	case kind == typeNull:
		// It is left out without an error, which is wrong where there has to be a value.
		return known == s.known && isDecodedByParts && !slices.Contains([]reflect.Kind{reflect.Slice, reflect.Map, reflect.Interface}, known.Kind())
	case isDecodedByParts && kind == typeList && known.Kind() == reflect.Slice,
		isDecodedByParts && kind == typeObject && (known.Kind() == reflect.Struct || known.Kind() == reflect.Map):
		return false
	}
	return json.Unmarshal(value, reflect.New(known).Interface()) != nil
}

// number is an ID, as a key of an object.
var number = regexp.MustCompile(`^-?[0-9]+$`)

// hasDataKeys reports whether the keys of an object come from the organization, as IDs do, or from the server's settings, and are
// not names of fields.
func hasDataKeys(known reflect.Type, object map[string]json.RawMessage) bool {
	for key := range object {
		if number.MatchString(key) {
			return true
		}
	}
	if known == nil || known.Kind() != reflect.Map {
		return false
	}
	element := known.Elem()
	return element.Kind() != reflect.Slice // [json.RawMessage]: the client knows the fields by name
}

// typeOf returns the type of a JSON value.
func typeOf(value json.RawMessage) string {
	value = bytes.TrimSpace(value)
	switch {
	case len(value) == 0 || value[0] == 'n':
		return typeNull
	case value[0] == '{':
		return typeObject
	case value[0] == '[':
		return typeList
	case value[0] == '"':
		return typeText
	case value[0] == 't' || value[0] == 'f':
		return typeBoolean
	case bytes.ContainsAny(value, ".eE"):
		return typeNumber
	}
	return typeInteger
}

// fieldName is a name that a server gives to a field, as far as Zulip does.
var fieldName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,79}$`)

// printable returns the name of a field, or what to say of a key that does not look like one: it may be data.
func printable(name string) string {
	if fieldName.MatchString(name) || strings.EqualFold(name, "openid connect") {
		return name
	}
	return "(not a name)"
}

// objects is the number of objects.
func (s *shape) objects() int { return s.types[typeObject] }

// values is the number of values.
func (s *shape) values() (sum int) {
	for _, count := range s.types {
		sum += count
	}
	return sum
}

// allFields is the number of fields, those of objects in them included.
func (s *shape) allFields() int {
	sum := len(s.fields)
	for _, field := range s.fields {
		sum += field.allFields()
	}
	if s.elements != nil {
		sum += s.elements.allFields()
	}
	return sum
}
