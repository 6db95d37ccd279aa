package zulip

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
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

// shortSecret is the length below which a secret is masked only where it is a whole value: every "1" of a log masked would
// leave nothing to read.
const shortSecret = 4

type secretsKey struct{}

// WithSecrets returns a context whose requests show none of the values, wherever they stand, in a log or an error: as they
// are, encoded for a URL, or as text in JSON. What is known to be secret is for the caller to say; what is one by its name
// on the wire, such as a password, and the account's own key, are masked in any case.
func WithSecrets(ctx context.Context, values ...string) context.Context {
	words := slices.Clone(secretsOf(ctx))
	for _, value := range values {
		if value == "" {
			continue
		}
		for _, word := range []string{value, url.QueryEscape(value), url.PathEscape(value), inJSON(value, true), inJSON(value, false)} {
			if !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
	}
	// What holds another one goes first, so that nothing of it is left.
	slices.SortStableFunc(words, func(a, b string) int { return len(b) - len(a) })
	return words.mask(context.WithValue(ctx, secretsKey{}, words))
}

// inJSON is a text as it stands between the quotes of JSON, which may escape what has a meaning in HTML.
func inJSON(text string, escapeHTML bool) string {
	var encoded strings.Builder
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(escapeHTML)
	_ = encoder.Encode(text) // a text can always be encoded
	return strings.TrimSuffix(strings.TrimPrefix(encoded.String(), `"`), "\"\n")
}

func secretsOf(ctx context.Context) secrets {
	words, _ := ctx.Value(secretsKey{}).(secrets)
	return words
}

// mask lets the logger of ctx replace the secrets, wherever they come from.
func (s secrets) mask(ctx context.Context) context.Context {
	long := slices.DeleteFunc(slices.Clone(s), isShort)
	if len(long) == 0 {
		return ctx
	}
	return tflog.MaskLogStrings(ctx, long...)
}

// text is what may be shown of words that came from outside: an error of the
// network, a page of a proxy that repeats the request's headers.
func (s secrets) text(words string) string {
	for _, word := range s {
		if words == word {
			return masked
		}
		if !isShort(word) {
			words = strings.ReplaceAll(words, word, masked)
		}
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
		shown[name] = s.text(s.withoutLeaves(value))
		if len(shown[name]) > longestLoggedValue {
			shown[name] = fmt.Sprintf("%s… (%d bytes)", cut(shown[name], longestLoggedValue), len(value))
		}
	}
	if f != nil && f.file != nil {
		shown["file"] = fmt.Sprintf("%s, %s (%d bytes)", s.text(f.file.name), f.file.contentType, len(f.file.content))
	}
	return shown
}

func isShort(secret string) bool { return len(secret) < shortSecret }

// withoutLeaves masks the texts in a JSON value that are secrets as a whole, short ones too.
func (s secrets) withoutLeaves(value string) string {
	var tree any
	if !slices.ContainsFunc(s, isShort) || json.Unmarshal([]byte(value), &tree) != nil {
		return value
	}
	encoded, err := json.Marshal(s.maskLeaves(tree))
	if err != nil {
		return masked
	}
	return string(encoded)
}

func (s secrets) maskLeaves(tree any) any {
	switch tree := tree.(type) {
	case string:
		if slices.Contains(s, tree) {
			return masked
		}
	case []any:
		for i := range tree {
			tree[i] = s.maskLeaves(tree[i])
		}
	case map[string]any:
		for name := range tree {
			tree[name] = s.maskLeaves(tree[name])
		}
	}
	return tree
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
