package channels

// Attributes and CreationAttributes are what tests look at.
var (
	Attributes         = &attributes
	CreationAttributes = creationAttributes
)
