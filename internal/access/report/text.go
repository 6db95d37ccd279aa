package report

import (
	"fmt"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// MaxListed is the number of people, channels and values that are named in one place before the rest is counted.
const MaxListed = 5

// Count writes a number as people do: 1,000.
func Count(n int) string {
	digits := fmt.Sprint(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// Counted returns a number of things in words: 1 channel, 2 channels.
func Counted(n int, thing string) string { return InWords(n, thing, thing+"s") }

// InWords counts things in a sentence: 1 risk, 1,000 risks.
func InWords(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Count(n) + " " + many
}

// number is a number of things, with the words for one and for many.
type number struct {
	n         int
	one, many string
}

// inWords counts the things of which there are any.
func inWords(numbers ...number) (texts []string) {
	for _, one := range numbers {
		if one.n > 0 {
			texts = append(texts, InWords(one.n, one.one, one.many))
		}
	}
	return texts
}

// List writes the first five texts in one line, and counts the others.
func List(texts []string) string { return ListOf(texts, len(texts)) }

// ListOf is List for a number of texts of which only the first are given.
func ListOf(texts []string, total int) string {
	texts = texts[:min(len(texts), MaxListed)]
	text := strings.Join(texts, ", ")
	if rest := total - len(texts); rest > 0 {
		text += " and " + Count(rest) + " more"
	}
	return text
}

// PrivacyText returns the privacy of a channel in words.
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

// IsSameSite reports whether two site URLs are of the same organization.
func IsSameSite(a, b string) bool {
	plain := func(site string) string {
		if _, rest, hasScheme := strings.Cut(site, "://"); hasScheme {
			site = rest
		}
		return strings.ToLower(strings.TrimSuffix(strings.TrimRight(site, "/"), "/api"))
	}
	return plain(a) == plain(b)
}
