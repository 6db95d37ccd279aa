package zulip

import (
	"net/url"
	"strconv"
	"strings"
)

// ChannelURL returns the address of a channel in the web app.
func ChannelURL(site string, id int64, name string) string {
	slug := strconv.FormatInt(id, 10) + "-" + strings.ReplaceAll(name, " ", "-")
	return strings.TrimSuffix(site, "/") + "/#narrow/channel/" + EncodeFragment(slug)
}

// EncodeFragment writes text as the web app writes it behind the # of an address: percent encoding with a dot for the
// percent sign, so that the text of a link survives where a percent sign would not.
func EncodeFragment(text string) string {
	encoded := strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
	// The characters that the browser's own encoding leaves as they are and Go's does not.
	for _, plain := range []string{"!", "~", "*", "'"} {
		encoded = strings.ReplaceAll(encoded, url.QueryEscape(plain), plain)
	}
	return strings.NewReplacer("%", ".", ".", ".2E").Replace(encoded)
}
