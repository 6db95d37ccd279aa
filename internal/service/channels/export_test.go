package channels

// Attributes and CreationAttributes are exported for tests.
var (
	Attributes         = &channelTable
	CreationAttributes = channelCreationAttributes
)

// Fields is exported for tests.
type Fields = channelFields
