package report

import (
	"fmt"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// MaxListed is how many people, channels and values are named in one place before the rest is counted.
const MaxListed = 5

// Count writes a number as people do: 1,000.
func Count(n int) string {
	digits := fmt.Sprint(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// Counted is a number of things: 1 channel, 2 channels.
func Counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return Count(n) + " " + thing + "s"
}

// List writes texts in one line: the first five, and how many more there are.
func List(texts []string) string { return ListOf(texts, len(texts)) }

// ListOf is List for the first texts of so many.
func ListOf(texts []string, total int) string {
	texts = texts[:min(len(texts), MaxListed)]
	text := strings.Join(texts, ", ")
	if rest := total - len(texts); rest > 0 {
		text += " and " + Count(rest) + " more"
	}
	return text
}

// PrivacyText is what kind of channel it is, for people.
func PrivacyText(privacy zulip.Privacy) string {
	switch privacy {
	case zulip.PrivacyWebPublic:
		return "public on the web"
	case zulip.PrivacyPublic:
		return "public"
	case zulip.PrivacyPrivateSharedHistory:
		return "private, with shared history"
	case zulip.PrivacyPrivateProtectedHistory:
		return "private, with protected history"
	}
	return string(privacy)
}

// IsSameSite reports whether two addresses are of the same organization.
func IsSameSite(a, b string) bool {
	plain := func(site string) string {
		if _, rest, hasScheme := strings.Cut(site, "://"); hasScheme {
			site = rest
		}
		return strings.ToLower(strings.TrimSuffix(strings.TrimRight(site, "/"), "/api"))
	}
	return plain(a) == plain(b)
}
