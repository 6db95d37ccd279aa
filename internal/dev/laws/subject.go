package laws

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// A Subject is an attribute that a configuration can set, also inside other attributes and blocks.
type Subject struct {
	Kind acctest.BlockKind
	// Of is the type of the resource, data source and so on; "zulip" for the provider.
	Of string
	// Path are the names of the attribute and of those around it, outermost first.
	Path []string
	*tfprotov6.SchemaAttribute
}

// String is the address of the subject in messages.
func (s Subject) String() string {
	address := s.Of + "." + strings.Join(s.Path, ".")
	if s.Kind == acctest.ResourceBlock {
		return address
	}
	return string(s.Kind) + "." + address
}

// IsText reports whether the attribute is a string.
func (s Subject) IsText() bool { return s.ValueType().Is(tftypes.String) }

// Element is the type of the elements of a set, a list or a map; nil for other attributes.
func (s Subject) Element() tftypes.Type {
	switch kind := s.ValueType().(type) {
	case tftypes.Set:
		return kind.ElementType
	case tftypes.List:
		return kind.ElementType
	case tftypes.Map:
		return kind.ElementType
	}
	return nil
}

// IsPermission reports whether the attribute says who may do something.
func (s Subject) IsPermission() bool {
	return Resources(s) && strings.HasPrefix(s.Description, "Principals that can ")
}

// Subjects are all attributes of everything that the provider offers, as far as about accepts them.
func Subjects(t testing.TB, about func(Subject) bool) (all []Subject) {
	t.Helper()
	for _, block := range acctest.Blocks(t) {
		all = append(all, inside(Subject{Kind: block.Kind, Of: block.Of}, block.Schema)...)
	}
	return slices.DeleteFunc(all, func(s Subject) bool { return !about(s) })
}

// Resources are the subjects that are attributes of resources.
func Resources(s Subject) bool { return s.Kind == acctest.ResourceBlock }

func inside(at Subject, block *tfprotov6.SchemaBlock) (all []Subject) {
	all = attributes(at, block.Attributes)
	for _, one := range block.BlockTypes {
		inner := at
		inner.Path = append(slices.Clone(at.Path), one.TypeName)
		all = append(all, inside(inner, one.Block)...)
	}
	return all
}

func attributes(at Subject, some []*tfprotov6.SchemaAttribute) (all []Subject) {
	for _, attribute := range some {
		if !attribute.Required && !attribute.Optional {
			continue
		}
		one := Subject{at.Kind, at.Of, append(slices.Clone(at.Path), attribute.Name), attribute}
		all = append(all, one)
		if attribute.NestedType != nil {
			all = append(all, attributes(one, attribute.NestedType.Attributes)...)
		}
	}
	return all
}

// A Stage is an organization with everything that a sample references, and a valid configuration that sets a subject.
type Stage struct {
	*acctest.Organization
	Subject
	Config acctest.Values
	// Provider is the provider block.
	Provider acctest.Values
	// Another is a second valid value; nil if there is only one.
	Another any
	// Then are the attributes that the second value needs, besides those of the configuration.
	Then acctest.Values
	// Update are attributes that an update of the resource changes.
	Update acctest.Values
}

// Value is the sample of the subject.
func (s Stage) Value() any { return get(s.Config, s.Path) }

// With returns the configuration with another value of the subject; nil unsets it.
func (s Stage) With(value any) acctest.Values {
	config, _ := Set(s.Config, s.Path, value).(acctest.Values)
	return config
}

// Second returns the configuration with the second value.
func (s Stage) Second() acctest.Values {
	config := s.With(s.Another)
	maps.Copy(config, s.Then)
	return config
}

// Set returns a value with another value at a path, in the first element of each list.
func Set(value any, path []string, to any) any {
	if len(path) == 0 {
		return to
	}
	switch value := value.(type) {
	case []any:
		if len(value) > 0 {
			return append([]any{Set(value[0], path, to)}, value[1:]...)
		}
		return []any{Set(nil, path, to)}
	case acctest.Values:
		changed := maps.Clone(value)
		changed[path[0]] = Set(value[path[0]], path[1:], to)
		return changed
	}
	return acctest.Values{path[0]: Set(nil, path[1:], to)}
}

func get(value any, path []string) any {
	for _, name := range path {
		if list, isList := value.([]any); isList && len(list) > 0 {
			value = list[0]
		}
		values, _ := value.(acctest.Values)
		value = values[name]
	}
	return value
}
