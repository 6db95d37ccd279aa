package groups

// Attributes and CreationAttributes are exported for tests.
var (
	Attributes         = &attributes
	CreationAttributes = creationAttributes
)
