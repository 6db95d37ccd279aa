package groups

// Attributes and CreationAttributes are exported for tests.
var (
	Attributes         = &userGroupTable
	CreationAttributes = userGroupCreationAttributes
)
