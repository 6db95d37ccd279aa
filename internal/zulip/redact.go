package zulip

import (
	"context"
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-log/tflog"
)

const masked = "***"

// longestLoggedValue keeps one long message from filling the log.
const longestLoggedValue = 300

var (
	// secretName finds parameters whose value is nobody's business.
	secretName = regexp.MustCompile(`(?i)password|api_?key|token|secret`)
	// secretField finds the same in JSON text, and the links that let their
	// holder join an organization.
	secretField = regexp.MustCompile(`(?i)("[a-z_-]*(?:password|api_?key|token|secret|invite_link|link_url)[a-z_-]*"\s*:\s*)"(?:[^"\\]|\\.)*"?`)
	// userInfo finds the credentials of an address, such as a proxy's.
	userInfo = regexp.MustCompile(`(://)[^/@\s"]+@`)
)

// secrets are the words that must not leave the client but in the
// Authorization header.
type secrets []string

func newSecrets(apiKey, authorization string) secrets {
	var s secrets
	_, encoded, _ := strings.Cut(authorization, " ")
	for _, word := range []string{encoded, apiKey} {
		if word != "" { // an empty word would match between all letters
			s = append(s, word)
		}
	}
	return s
}

// mask lets the logger of ctx replace the secrets, wherever they come from.
func (s secrets) mask(ctx context.Context) context.Context {
	if len(s) == 0 {
		return ctx
	}
	return tflog.MaskLogStrings(ctx, s...)
}

// text is what may be shown of words that came from outside: an error of the
// network, a page of a proxy that repeats the request's headers.
func (s secrets) text(words string) string {
	for _, word := range s {
		words = strings.ReplaceAll(words, word, masked)
	}
	words = secretField.ReplaceAllString(words, `$1"`+masked+`"`)
	return userInfo.ReplaceAllString(words, "$1"+masked+"@")
}

// form is the form as it may be logged: secrets masked, long values cut. The
// logger's own masks do not reach into a map.
func (s secrets) form(f *Form) map[string]string {
	shown := map[string]string{}
	for _, name := range f.Names() {
		value := f.fields[name]
		if secretName.MatchString(name) {
			shown[name] = masked
			continue
		}
		shown[name] = s.text(value)
		if len(shown[name]) > longestLoggedValue {
			shown[name] = fmt.Sprintf("%s… (%d bytes)", cut(shown[name], longestLoggedValue), len(value))
		}
	}
	if f != nil && f.file != nil {
		shown["file"] = fmt.Sprintf("%s, %s (%d bytes)", s.text(f.file.name), f.file.contentType, len(f.file.content))
	}
	return shown
}

func basicAuthorization(email, apiKey string) string {
	if email == "" || apiKey == "" {
		return ""
	}
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(email+":"+apiKey))
}

// cut shortens text to at most n bytes without splitting a character.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
