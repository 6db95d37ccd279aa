package framework

// IsSet reports whether a value is there and known.
func IsSet(value interface {
	IsNull() bool
	IsUnknown() bool
},
) bool {
	return !value.IsNull() && !value.IsUnknown()
}
