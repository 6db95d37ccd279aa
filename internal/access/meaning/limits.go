package meaning

// How long names can be, in characters. A plan is a file that anybody can have written, and an organization is what its server says
// it is: names that no server takes would be repeated wherever a report names something, and make of a few megabytes some gigabytes.
// What is longer is cut and ends in an ellipsis, so that it is one character longer than anything there is and never taken for it.
const (
	MaxChannelName = 60
	MaxName        = 100 // of a user group and of a person
	MaxText        = 300 // of everything else that something is called: the longest is an address
)

// Cut cuts a name at so many characters.
func Cut(name string, limit int) string {
	for at := range name {
		if limit == 0 {
			return name[:at] + "…"
		}
		limit--
	}
	return name
}
