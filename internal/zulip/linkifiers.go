package zulip

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yosida95/uritemplate/v3"
)

// Linkifier turns matches of its pattern into links (https://zulip.com/api/get-linkifiers).
type Linkifier struct {
	ID          int64  `json:"id"`
	Pattern     string `json:"pattern"`
	URLTemplate string `json:"url_template"`
	// ExampleInput and ReverseTemplate are nil if unset, and on servers below feature level 471.
	ExampleInput    *string `json:"example_input"`
	ReverseTemplate *string `json:"reverse_template"`
	// AlternativeURLTemplates is nil on servers below feature level 478.
	AlternativeURLTemplates []string `json:"alternative_url_templates"`
}

// LinkifierChange is a change of a linkifier. The server requires the first two fields every time. In the others, nil
// leaves the value unchanged, and empty clears it.
type LinkifierChange struct {
	Pattern, URLTemplate          string
	ExampleInput, ReverseTemplate *string
	AlternativeURLTemplates       *[]string
}

func (l LinkifierChange) form() *Form {
	return params{
		"pattern":                   text(l.Pattern),
		"url_template":              text(l.URLTemplate),
		"example_input":             (*text)(l.ExampleInput),
		"reverse_template":          (*text)(l.ReverseTemplate),
		"alternative_url_templates": l.AlternativeURLTemplates,
	}.form()
}

// Linkifiers reads the linkifiers in the order in which they are tried.
func (c *Client) Linkifiers(ctx context.Context) ([]*Linkifier, error) {
	return list[Linkifier](ctx, c, "/realm/linkifiers", nil, "linkifiers")
}

// CreateLinkifier adds a linkifier after all others and returns its ID. The server refuses a second linkifier with the same
// pattern ([IsPatternTaken]). The client does not retry the call.
func (c *Client) CreateLinkifier(ctx context.Context, linkifier LinkifierChange) (int64, error) {
	return c.create(ctx, "/realm/filters", linkifier.form(), neverRetry, "id")
}

// UpdateLinkifier changes a linkifier in place. If it does not exist, the error satisfies [IsNoLinkifier].
func (c *Client) UpdateLinkifier(ctx context.Context, id int64, linkifier LinkifierChange) error {
	return c.do(ctx, http.MethodPatch, linkifierPath(id), linkifier.form(), safeToRetry)
}

// DeleteLinkifier deletes a linkifier. It is not an error if it no longer exists.
func (c *Client) DeleteLinkifier(ctx context.Context, id int64) error {
	return c.remove(ctx, linkifierPath(id), IsNoLinkifier)
}

// OrderLinkifiers sets the order in which the linkifiers are tried. ids must contain each linkifier once. Otherwise, for
// example if another was just added, the error satisfies [IsIncompleteOrder].
func (c *Client) OrderLinkifiers(ctx context.Context, ids []int64) error {
	return c.do(ctx, http.MethodPatch, "/realm/linkifiers", params{"ordered_linkifier_ids": ids}.form(), safeToRetry)
}

// IsNoLinkifier reports whether there is no such linkifier.
func IsNoLinkifier(err error) bool { return IsMessage(err, "Linkifier not found.") }

// IsPatternTaken reports whether another linkifier has the pattern.
func IsPatternTaken(err error) bool {
	return IsMessage(err, "Realm filter with this Realm and Pattern already exists.")
}

func linkifierPath(id int64) string { return itemPath("/realm/filters", id) }

// Required surroundings of a match (server-behavior §L2). Before it: the start of the text, white space or an opening sign.
// After it: the end, or anything except a letter or a digit. The server writes white space explicitly because its \s is
// ASCII only.
const (
	beforeMatch = `\s|\x{85}|\pZ|['"\(,:<]`
	afterMatch  = `$|[^\pL\pN]`
)

// LinkifierRule is a linkifier as the server applies it to a text.
type LinkifierRule struct {
	start    *regexp.Regexp // at the start of a text
	rest     *regexp.Regexp // after an earlier link
	template *uritemplate.Template
}

// Span is a part of a text. URL is empty for plain text.
type Span struct{ Text, URL string }

// LinkifierError is a mistake in a linkifier. Field is the attribute to fix: `pattern` or `url_template`.
type LinkifierError struct {
	Field string
	Err   error
}

// Error describes the mistake, and names the field.
func (e *LinkifierError) Error() string { return e.Err.Error() }

func (e *LinkifierError) Unwrap() error { return e.Err }

func wrongPattern(format string, args ...any) *LinkifierError {
	return &LinkifierError{"pattern", fmt.Errorf(format, args...)}
}

func wrongTemplate(format string, args ...any) *LinkifierError {
	return &LinkifierError{"url_template", fmt.Errorf(format, args...)}
}

// ParseLinkifierPattern checks a pattern without its URL template. The error is a [LinkifierError].
func ParseLinkifierPattern(pattern string) (*regexp.Regexp, error) {
	pattern = Strip(pattern)
	if pattern == "" {
		return nil, wrongPattern("pattern is empty")
	}
	compiled, err := regexp.Compile(pattern)
	if err != nil {
		return nil, wrongPattern("pattern is not a regular expression of RE2: %w", err)
	}
	return compiled, nil
}

// templateExpression matches a placeholder of a URL template.
var templateExpression = regexp.MustCompile(`\{[^{}]*\}`)

// unsafeLiteral matches characters that a URL cannot contain. The server accepts them between the expressions of a
// template, but RFC 6570 does not.
var unsafeLiteral = regexp.MustCompile("[\x00-\x20\x7f\"'<>\\\\^`|]|%(?:[^0-9A-Fa-f]|.?[^0-9A-Fa-f]|.?$)")

// ParseURLTemplate checks a URL template without its pattern, like the server does. The text between the expressions can be
// any text, and links encode it like a browser. The error is a [LinkifierError].
func ParseURLTemplate(urlTemplate string) (*uritemplate.Template, error) {
	urlTemplate = Strip(urlTemplate)
	if urlTemplate == "" {
		return nil, wrongTemplate("url_template is empty")
	}
	var safe strings.Builder
	from := 0
	for _, at := range append(templateExpression.FindAllStringIndex(urlTemplate, -1), []int{len(urlTemplate), len(urlTemplate)}) {
		safe.WriteString(unsafeLiteral.ReplaceAllStringFunc(urlTemplate[from:at[0]], func(unsafe string) string {
			return fmt.Sprintf("%%%02X", unsafe[0]) + unsafe[1:]
		}))
		safe.WriteString(urlTemplate[at[0]:at[1]])
		from = at[1]
	}
	template, err := uritemplate.New(safe.String())
	if err != nil {
		return nil, wrongTemplate("url_template is not a URL template of RFC 6570: %w", err)
	}
	return template, nil
}

// ParseLinkifier checks a linkifier like the server does. The named groups of the RE2 pattern must be the variables of the
// RFC 6570 template (server-behavior §L1). Go's own regular expressions are RE2's. The error is a [LinkifierError].
func ParseLinkifier(pattern, urlTemplate string) (*LinkifierRule, error) {
	pattern = Strip(pattern)
	alone, err := ParseLinkifierPattern(pattern)
	if err != nil {
		return nil, err
	}
	template, err := ParseURLTemplate(urlTemplate)
	if err != nil {
		return nil, err
	}
	groups, variables := alone.SubexpNames(), template.Varnames()
	for _, group := range groups {
		if group != "" && !slices.Contains(variables, group) {
			return nil, wrongTemplate("the group %q of pattern is not a variable of url_template", group)
		}
	}
	for _, variable := range variables {
		if !slices.Contains(groups, variable) {
			return nil, wrongPattern("the variable %q of url_template is not a group of pattern: write (?P<%s>…)", variable, variable)
		}
	}
	rule := &LinkifierRule{template: template}
	if rule.start, err = surrounded("^|"+beforeMatch, pattern); err != nil {
		return nil, err
	}
	rule.rest, err = surrounded(beforeMatch, pattern)
	return rule, err
}

// surrounded compiles a pattern with its required surroundings. Its first group is the match.
func surrounded(before, pattern string) (*regexp.Regexp, error) {
	compiled, err := regexp.Compile("(?:" + before + ")(" + pattern + ")(?:" + afterMatch + ")")
	if err != nil {
		// For example, the pattern is valid alone, but too large with its surroundings.
		return nil, wrongPattern("pattern cannot be searched for in a text: %w", err)
	}
	return compiled, nil
}

// Linkify splits a text into links and other text. It applies the linkifiers in order, and later ones do not change
// the links of earlier ones.
func Linkify(text string, rules ...*LinkifierRule) ([]Span, error) {
	spans := []Span{{Text: text}}
	for _, rule := range rules {
		var next []Span
		for i, span := range spans {
			if span.URL != "" {
				next = append(next, span)
				continue
			}
			parts, err := rule.split(span.Text, i == 0)
			if err != nil {
				return nil, err
			}
			next = append(next, parts...)
		}
		spans = next
	}
	return spans, nil
}

// split finds the links in a text without links. A link before or after the text counts as a sign: it is allowed after a
// match, but not before it.
func (r *LinkifierRule) split(text string, atStart bool) ([]Span, error) {
	var spans []Span
	done, from := 0, 0 // in bytes: the end of the spans, and the start of the next search
	for from <= len(text) {
		search := r.rest
		if atStart && from == 0 {
			search = r.start
		}
		at := search.FindStringSubmatchIndex(text[from:])
		if at == nil {
			break
		}
		start, end := from+at[2], from+at[3]
		if start == end { // nothing to click on
			from = max(end, from+1)
			continue
		}
		url, err := r.template.Expand(r.variables(search, text[from:], at))
		if err != nil {
			return nil, fmt.Errorf("url_template cannot be filled for %q: %w", text[start:end], err)
		}
		if start > done {
			spans = append(spans, Span{Text: text[done:start]})
		}
		spans = append(spans, Span{Text: text[start:end], URL: url})
		done, from = end, end
	}
	if done < len(text) {
		spans = append(spans, Span{Text: text[done:]})
	}
	return spans, nil
}

// variables returns the groups of a match by name. Groups without a match are unset, like in the server's templates.
func (r *LinkifierRule) variables(search *regexp.Regexp, text string, at []int) uritemplate.Values {
	values := uritemplate.Values{}
	for i, name := range search.SubexpNames() {
		if name != "" && at[2*i] >= 0 {
			values.Set(name, uritemplate.String(text[at[2*i]:at[2*i+1]]))
		}
	}
	return values
}

// Playground is a website that runs the code blocks of a language. Language and name together are unique
// (server-behavior §L4).
type Playground struct {
	ID          int64  `json:"id"`
	Name        string `json:"name"`
	Language    string `json:"pygments_language"`
	URLTemplate string `json:"url_template"`
}

// Same reports whether two playgrounds are equal except for the ID.
func (p *Playground) Same(other *Playground) bool {
	return p.Name == other.Name && p.Language == other.Language && p.URLTemplate == other.URLTemplate
}

// Key identifies the playground, as in "Python/Sandbox".
func (p *Playground) Key() string { return p.Language + "/" + p.Name }

// maxPlaygroundLanguage is the limit in characters. A longer one causes an internal error of the server.
const maxPlaygroundLanguage = 40

var playgroundLanguage = regexp.MustCompile(`^[ a-zA-Z0-9_+,\-./#]*$`)

// CheckPlaygroundLanguage returns why the server would refuse a language.
func CheckPlaygroundLanguage(language string) error {
	switch {
	case !playgroundLanguage.MatchString(language):
		return errors.New("only English letters, digits, spaces and the characters _ + , - . / # are allowed")
	case utf8.RuneCountInString(language) > maxPlaygroundLanguage:
		return fmt.Errorf("it has more than %d characters", maxPlaygroundLanguage)
	}
	return nil
}

// CheckPlaygroundTemplate returns why the server would refuse a template.
func CheckPlaygroundTemplate(text string) error {
	template, err := ParseURLTemplate(text)
	if err != nil {
		return errors.New("it is not a URL template of RFC 6570")
	}
	switch variables := template.Varnames(); {
	case !slices.Contains(variables, "code"):
		return errors.New("it does not say where the code goes: write {code}, as in https://play.example.com/?code={code}")
	case len(variables) > 1:
		return fmt.Errorf("it has the variables %s; the server fills in only code", strings.Join(variables, ", "))
	}
	return nil
}

// AddPlayground adds a playground and returns its ID. If one with the language and name exists, the error satisfies
// [IsPlaygroundTaken].
func (c *Client) AddPlayground(ctx context.Context, playground Playground) (int64, error) {
	// The server refuses a repeated call, which is harmless.
	return c.create(ctx, "/realm/playgrounds", params{
		"name":              text(playground.Name),
		"pygments_language": text(playground.Language),
		"url_template":      text(playground.URLTemplate),
	}.form(), safeToRetry, "id")
}

// DeletePlayground removes a playground. It is not an error if it no longer exists.
func (c *Client) DeletePlayground(ctx context.Context, id int64) error {
	return c.remove(ctx, itemPath("/realm/playgrounds", id), says("Invalid playground"))
}

// IsPlaygroundTaken reports whether a playground with the language and name exists.
func IsPlaygroundTaken(err error) bool {
	return IsMessage(err, "Realm playground with this Realm, Pygments language and Name already exists.")
}
