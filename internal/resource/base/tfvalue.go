package base

import "github.com/hashicorp/terraform-plugin-framework/attr"

// IsSet reports whether a value is there and known.
func IsSet(value interface {
	IsNull() bool
	IsUnknown() bool
},
) bool {
	return !value.IsNull() && !value.IsUnknown()
}

// KeepKnown takes what was planned unless it was not known, and reports whether that is something else than was read.
func KeepKnown[T attr.Value](read *T, planned T) bool {
	if planned.IsUnknown() || (*read).Equal(planned) {
		return false
	}
	*read = planned
	return true
}
