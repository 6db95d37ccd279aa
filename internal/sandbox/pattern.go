package sandbox

import "strings"

// matches reports whether a request matches a method and a path pattern. An
// empty method or "*" means any. In a pattern, with or without /api/v1, "*"
// stands for one segment and a final "**" for any rest; empty means any path.
func matches(method, pattern, requestMethod, requestPath string) bool {
	if method != "" && method != "*" && !strings.EqualFold(method, requestMethod) {
		return false
	}
	pattern = strings.TrimPrefix(pattern, apiPrefix)
	if pattern == "" || pattern == "*" {
		return true
	}
	want, have := strings.Split(pattern, "/"), strings.Split(requestPath, "/")
	for i, segment := range want {
		if segment == "**" && i == len(want)-1 {
			return true
		}
		if i >= len(have) || segment != "*" && segment != have[i] {
			return false
		}
	}
	return len(want) == len(have)
}
