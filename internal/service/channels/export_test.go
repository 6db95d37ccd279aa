package channels

// Attributes and CreationAttributes are exported for tests.
var (
	Attributes         = &attributes
	CreationAttributes = creationAttributes
)

// Fields is exported for tests.
type Fields = channelFields
