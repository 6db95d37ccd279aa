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

// maxLoggedValue keeps one long message from filling the log.
const maxLoggedValue = 300

var (
	// secretName matches names of parameters with a secret value.
	secretName = regexp.MustCompile(`(?i)password|api_?key|token|secret`)
	// secretField matches the same in JSON text, and links with which anyone can join an organization or load its data.
	secretField = regexp.MustCompile(`(?i)("[a-z_-]*(?:password|api_?key|token|secret|invite_link|link_url|export_url)[a-z_-]*"\s*:\s*)"(?:[^"\\]|\\.)*"?`)
	// webhookName matches names of parameters with the URL of a webhook, and urlQuery the query and fragment of a URL, which
	// often have a secret.
	webhookName = regexp.MustCompile(`payload_url$`)
	urlQuery    = regexp.MustCompile(`\?[^"\s]*`)
	// userInfo matches credentials in a URL, for example a proxy's.
	userInfo = regexp.MustCompile(`(://)[^/@\s"]+@`)
)

// secrets are texts that must not appear in a log or an error.
type secrets []string

func newSecrets(apiKey, authorization string) secrets {
	var s secrets
	_, encoded, _ := strings.Cut(authorization, " ")
	for _, secret := range []string{encoded, apiKey} {
		if secret != "" { // an empty text would match between all letters
			s = append(s, secret)
		}
	}
	return s
}

// shortSecret is the length below which a secret is masked only as a whole value, because masking every "1" would make
// a log unreadable.
const shortSecret = 4

type secretsKey struct{}

// WithSecrets returns a context for requests that must not show the values in logs and errors. They are masked in plain
// form, encoded for a URL, and as text in JSON. Parameters with a secret's name, for example a password, and the
// account's own key are always masked.
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
	// The longest comes first, because one secret may contain another.
	slices.SortStableFunc(words, func(a, b string) int { return len(b) - len(a) })
	return words.maskLogs(context.WithValue(ctx, secretsKey{}, words))
}

// inJSON returns a text as JSON writes it between quotes, with or without escaping for HTML.
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

// maskLogs returns a context with a logger that masks the secrets.
func (s secrets) maskLogs(ctx context.Context) context.Context {
	long := slices.DeleteFunc(slices.Clone(s), isShort)
	if len(long) == 0 {
		return ctx
	}
	return tflog.MaskLogStrings(ctx, long...)
}

// maskText masks the secrets in a text from outside. Examples are an error of the network, or a proxy's page that repeats
// the request's headers.
func (s secrets) maskText(text string) string {
	for _, secret := range s {
		if text == secret {
			return masked
		}
		if !isShort(secret) {
			text = strings.ReplaceAll(text, secret, masked)
		}
	}
	text = secretField.ReplaceAllString(text, `$1"`+masked+`"`)
	return userInfo.ReplaceAllString(text, "$1"+masked+"@")
}

// maskForm returns the form as it may be logged: secrets masked, long values truncated. The
// logger's own masks do not reach into a map.
func (s secrets) maskForm(f *Form) map[string]string {
	shown := map[string]string{}
	for _, name := range f.Names() {
		value := f.fields[name]
		if secretName.MatchString(name) {
			shown[name] = masked
			continue
		}
		if webhookName.MatchString(name) {
			value = urlQuery.ReplaceAllString(value, "?"+masked)
		}
		shown[name] = s.maskText(s.maskJSONLeaves(value))
		if len(shown[name]) > maxLoggedValue {
			shown[name] = fmt.Sprintf("%s… (%d bytes)", truncate(shown[name], maxLoggedValue), len(value))
		}
	}
	if f != nil && f.file != nil {
		shown["file"] = fmt.Sprintf("%s, %s (%d bytes)", s.maskText(f.file.name), f.file.contentType, len(f.file.content))
	}
	return shown
}

func isShort(secret string) bool { return len(secret) < shortSecret }

// maskJSONLeaves masks the texts in a JSON value that equal a secret, including short ones.
func (s secrets) maskJSONLeaves(value string) string {
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

// truncate shortens text to at most n bytes without splitting a character.
func truncate(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
