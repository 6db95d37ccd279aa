package rules

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// IsURL reports whether the server takes a text for the address of a page: with a
// scheme of the web or of file transfer, and a host that is a full name, an
// address or localhost.
func IsURL(s string) bool {
	u, err := url.Parse(s)
	if err != nil || strings.ContainsAny(s, " \t\r\n") {
		return false
	}
	if !slices.Contains([]string{"http", "https", "ftp", "ftps"}, u.Scheme) {
		return false
	}
	host := u.Hostname()
	if _, err := netip.ParseAddr(host); err == nil || host == "localhost" {
		return true
	}
	name, top, dotted := cutLast(host, ".")
	return dotted && name != "" && len(top) >= 2
}

// cutLast cuts a text around the last separator.
func cutLast(s, separator string) (before, after string, found bool) {
	at := strings.LastIndex(s, separator)
	if at < 0 {
		return s, "", false
	}
	return s[:at], s[at+len(separator):], true
}
