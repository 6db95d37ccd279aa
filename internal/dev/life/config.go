package life

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

type values = acctest.Values

// A ref is a reference to an attribute of another resource, as in zulip_user.ann.email.
type ref struct{ address, attribute string }

// A text is a string that ends with a reference, as in "user:${zulip_user.ann.email}".
type text struct {
	prefix string
	ref    ref
}

// An entry is an element of a map whose key may be a reference. A list of entries is the map.
type entry struct{ key, value any }

// A block is one resource of a configuration. The name of an instance of for_each ends with its key, as in team["a"].
type block struct {
	kind, name          string
	config              values
	createBeforeDestroy bool
	usesSecond          bool // the second provider configuration
}

func (b *block) address() string { return b.kind + "." + b.name }

// base is an address without the key of for_each. Dependencies of resources are between these.
func base(address string) string {
	before, _, _ := strings.Cut(address, "[")
	return before
}

// A configuration has the resources by address, and what is only in the configuration of one round.
type configuration struct {
	blocks  map[string]*block
	moved   map[string]string // from → to
	removed []string
	imports map[string]string // address → ID
	replace []string          // -replace
}

func newConfiguration() *configuration {
	return &configuration{blocks: map[string]*block{}, moved: map[string]string{}, imports: map[string]string{}}
}

// clone copies a configuration without what is only in one round.
func (c *configuration) clone() *configuration {
	other := newConfiguration()
	for address, b := range c.blocks {
		copied := *b
		copied.config = maps.Clone(b.config)
		other.blocks[address] = &copied
	}
	return other
}

func (c *configuration) addresses() []string { return slices.Sorted(maps.Keys(c.blocks)) }

func (c *configuration) of(kind string) (found []*block) {
	for _, address := range c.addresses() {
		if c.blocks[address].kind == kind {
			found = append(found, c.blocks[address])
		}
	}
	return found
}

// change replaces every value inside of a value that is not a collection; it leaves out those for which ok is false.
func change(value any, do func(any) (any, bool)) (any, bool) {
	switch value := value.(type) {
	case []any:
		changed := []any{}
		for _, element := range value {
			if element, ok := change(element, do); ok {
				changed = append(changed, element)
			}
		}
		return changed, true
	case []entry:
		changed := []entry{}
		for _, one := range value {
			key, ok := change(one.key, do)
			inner, ok2 := change(one.value, do)
			if ok && ok2 {
				changed = append(changed, entry{key, inner})
			}
		}
		return changed, true
	default:
		return do(value)
	}
}

// refOf returns the reference in a value, if it is one.
func refOf(value any) (ref, bool) {
	switch value := value.(type) {
	case ref:
		return value, true
	case text:
		return value.ref, true
	}
	return ref{}, false
}

// needs lists the base addresses that a block references.
func (b *block) needs() (found []string) {
	for _, value := range b.config {
		change(value, func(one any) (any, bool) {
			if r, ok := refOf(one); ok && !slices.Contains(found, base(r.address)) {
				found = append(found, base(r.address))
			}
			return one, true
		})
	}
	return found
}

// evaluate returns the configuration of a block with the values of its references.
func (b *block) evaluate(get func(ref) any) values {
	kind := kindType(b.kind)
	evaluated := values{}
	for name, value := range b.config {
		evaluated[name] = convert(kind.AttributeTypes[name], value, get)
	}
	return evaluated
}

func kindType(kind string) tftypes.Object {
	found, _ := schemas().ResourceSchemas[kind].ValueType().(tftypes.Object)
	return found
}

func convert(kind tftypes.Type, value any, get func(ref) any) any {
	switch value := value.(type) {
	case ref:
		return converted(kind, get(value))
	case text:
		found := get(value.ref)
		if found == acctest.Unknown || found == nil {
			return acctest.Unknown // a null value is none here
		}
		return value.prefix + fmt.Sprint(found)
	case []entry:
		found := values{}
		for _, one := range value {
			key := convert(tftypes.String, one.key, get)
			if key == acctest.Unknown {
				return acctest.Unknown
			}
			found[fmt.Sprint(key)] = convert(tftypes.String, one.value, get)
		}
		return found
	case []any:
		elements, inner := []any{}, kind
		switch kind := kind.(type) {
		case tftypes.Set:
			inner = kind.ElementType
		case tftypes.List:
			inner = kind.ElementType
		}
		for _, element := range value {
			one := convert(inner, element, get)
			if kind.Is(tftypes.Set{}) && one != acctest.Unknown && slices.Contains(elements, one) {
				continue
			}
			elements = append(elements, one)
		}
		return elements
	}
	return value
}

// converted converts a number for an attribute that is a text, as Terraform does.
func converted(kind tftypes.Type, value any) any {
	if number, ok := value.(int64); ok && kind.Is(tftypes.String) {
		return fmt.Sprint(number)
	}
	return value
}

// object returns the address of the resource of a kind that a value names, or the value.
func (c *configuration) object(kind string, value any) string {
	if r, isRef := refOf(value); isRef {
		return r.address
	}
	for _, b := range c.of(kind) {
		if b.config["name"] == value {
			return b.address()
		}
	}
	return fmt.Sprint(value)
}

// isContested reports whether a resource adds to an exclusive list of the other provider configuration. Neither process knows of the
// other, so each undoes what the other does.
func (c *configuration) isContested() bool {
	for _, adds := range c.of("zulip_user_group_membership") {
		if list := c.blocks[c.object("zulip_user_group", adds.config["group"])]; list != nil && list.usesSecond != adds.usesSecond {
			return true
		}
	}
	for _, adds := range c.of("zulip_channel_subscription") {
		for _, list := range c.of("zulip_channel_subscribers") {
			if list.usesSecond != adds.usesSecond && c.object("zulip_channel", list.config["channel"]) == c.object("zulip_channel", adds.config["channel"]) {
				return true
			}
		}
	}
	return false
}

// HCL returns the configuration as a person would write it.
func (c *configuration) HCL() string {
	var out strings.Builder
	keyed := map[string][]*block{}
	for _, address := range c.addresses() {
		b := c.blocks[address]
		if base(address) != address {
			keyed[base(address)] = append(keyed[base(address)], b)
			continue
		}
		fmt.Fprintf(&out, "resource %q %q {\n", b.kind, b.name)
		for _, name := range slices.Sorted(maps.Keys(b.config)) {
			fmt.Fprintf(&out, "  %s = %s\n", name, hcl(b.config[name]))
		}
		out.WriteString(b.meta() + "}\n")
	}
	for _, address := range slices.Sorted(maps.Keys(keyed)) {
		first, attributes := keyed[address][0], map[string]bool{}
		fmt.Fprintf(&out, "resource %q %q {\n  for_each = {\n", first.kind, base(first.name))
		for _, b := range keyed[address] {
			key := strings.Trim(strings.TrimPrefix(b.name, base(b.name)), "[]")
			fmt.Fprintf(&out, "    %s = {", key)
			for _, name := range slices.Sorted(maps.Keys(b.config)) {
				attributes[name] = true
				fmt.Fprintf(&out, " %s = %s,", name, hcl(b.config[name]))
			}
			out.WriteString(" }\n")
		}
		out.WriteString("  }\n")
		for _, name := range slices.Sorted(maps.Keys(attributes)) {
			fmt.Fprintf(&out, "  %[1]s = try(each.value.%[1]s, null)\n", name)
		}
		out.WriteString(first.meta() + "}\n")
	}
	for _, from := range slices.Sorted(maps.Keys(c.moved)) {
		fmt.Fprintf(&out, "moved {\n  from = %s\n  to = %s\n}\n", from, c.moved[from])
	}
	for _, from := range c.removed {
		fmt.Fprintf(&out, "removed {\n  from = %s\n  lifecycle {\n    destroy = false\n  }\n}\n", from)
	}
	for _, to := range slices.Sorted(maps.Keys(c.imports)) {
		fmt.Fprintf(&out, "import {\n  to = %s\n  id = %q\n}\n", to, c.imports[to])
	}
	return out.String()
}

func (b *block) meta() (written string) {
	if b.usesSecond {
		written += "  provider = zulip.second\n"
	}
	if b.createBeforeDestroy {
		written += "  lifecycle {\n    create_before_destroy = true\n  }\n"
	}
	return written
}

func hcl(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case ref:
		return value.address + "." + value.attribute
	case text:
		return fmt.Sprintf("\"%s${%s}\"", value.prefix, hcl(value.ref))
	case string:
		return fmt.Sprintf("%q", value)
	case []any:
		elements := make([]string, len(value))
		for i, element := range value {
			elements[i] = hcl(element)
		}
		return "[" + strings.Join(elements, ", ") + "]"
	case []entry:
		elements := make([]string, len(value))
		for i, one := range value {
			elements[i] = fmt.Sprintf("(%s) = %s", hcl(one.key), hcl(one.value))
		}
		return "{ " + strings.Join(elements, ", ") + " }"
	default:
		return fmt.Sprint(value)
	}
}
