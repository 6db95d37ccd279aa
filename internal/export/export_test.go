package export

// Kinds returns the resources that are exported.
func Kinds() (names []string) {
	for _, kind := range kinds {
		names = append(names, kind.resource)
	}
	return names
}
