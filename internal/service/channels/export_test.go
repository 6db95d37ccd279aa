package channels

// Attributes and CreationAttributes are exported for tests.
var (
	Attributes         = &attributes
	CreationAttributes = creationAttributes
)

// Facts is exported for tests.
type Facts = channelFacts
