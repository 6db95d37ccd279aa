package hclfile

import "strings"

// Selects reports whether a selector matches a name: as the name itself, also after name:, or as a pattern in which * stands
// for anything.
func Selects(selector, name string) bool {
	if exact, ok := strings.CutPrefix(selector, "name:"); ok {
		return exact == name
	}
	parts := strings.Split(selector, "*")
	if len(parts) == 1 {
		return selector == name
	}
	last := len(parts) - 1
	rest, ok := strings.CutPrefix(name, parts[0])
	if !ok {
		return false
	}
	for _, part := range parts[1:last] {
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	return strings.HasSuffix(rest, parts[last])
}
