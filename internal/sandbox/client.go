package sandbox

import (
	"net/http"
	"regexp"
)

// userAgent has the name of a program, as the server takes it from the header:
// what stands before the version.
var userAgent = regexp.MustCompile(`^([^/ ]*[^0-9/(]*)(?:/[^/ ]*)?(?:[ /].*)?$`)

// clientOf is what a message shows as the program that sent it (server-behavior §M12).
func clientOf(h http.Header, params map[string]string) string {
	name, given := params["client"]
	if agent := h.Values("User-Agent"); !given && len(agent) == 0 {
		name = "Unspecified"
	} else if !given {
		if parts := userAgent.FindStringSubmatch(agent[0]); parts != nil {
			name = parts[1]
		}
	}
	const longest = 30
	if letters := []rune(name); len(letters) > longest {
		name = string(letters[:longest])
	}
	return name
}
