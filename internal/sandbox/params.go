package sandbox

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// params reads the parameters of one request. A handler declares its parameters with required, optional and withDefault, in
// any order. checked returns the first error in the server's order (server-behavior §R28): by name, except for the
// parameters of inOrder. Undeclared parameters are reported as ignored (https://zulip.com/api/rest-error-handling).
type params struct {
	values   map[string]string
	consumed map[string]bool
	level    int
	places   map[string]string // names that are not checked by name → texts that replace them in the order
	errors   map[string]error  // the first error of each parameter
}

func newParams(values map[string]string, level int) *params {
	return &params{
		values: values, level: level, consumed: map[string]bool{"client": true},
		places: map[string]string{}, errors: map[string]error{},
	}
}

type source interface {
	take(name string) (string, bool)
	fail(name string, err error)
}

func (p *params) take(name string) (string, bool) {
	p.consumed[name] = true
	value, ok := p.values[name]
	return value, ok
}

func (p *params) fail(name string, err error) {
	if p.errors[name] == nil {
		p.errors[name] = err
	}
}

// inOrder lists parameters that the server checks one after the other, at the place of the first name.
func (p *params) inOrder(names ...string) {
	for i, name := range names {
		p.places[name] = names[0] + strings.Repeat("\x00", i)
	}
}

// checked returns the first error of the declarations.
func (p *params) checked() error {
	if len(p.errors) == 0 {
		return nil
	}
	place := func(name string) string { return cmp.Or(p.places[name], name) }
	return p.errors[slices.MinFunc(slices.Collect(maps.Keys(p.errors)), func(a, b string) int {
		return strings.Compare(place(a), place(b))
	})]
}

// ignored returns the sorted names of undeclared parameters.
func (p *params) ignored() []string {
	return slices.Sorted(func(yield func(string) bool) {
		for name := range maps.Keys(p.values) {
			if !p.consumed[name] && !yield(name) {
				return
			}
		}
	})
}

// since is the source of parameters that exist from a feature level on. Below it they are unknown.
func (p *params) since(level int) source {
	if p.level >= level {
		return p
	}
	return levelSource{p}
}

type levelSource struct{ *params }

func (levelSource) take(string) (string, bool) { return "", false }

// parser parses the text of a parameter; its errors name the parameter.
type parser[T any] func(raw, name string) (T, error)

// optional declares an optional parameter; nil if it is absent.
func optional[T any](s source, name string, parse parser[T]) *T {
	raw, given := s.take(name)
	if !given {
		return nil
	}
	value, err := parse(raw, name)
	if err != nil {
		s.fail(name, err)
		return nil
	}
	return &value
}

// required declares a required parameter.
func required[T any](s source, name string, parse parser[T]) T {
	value := optional(s, name, parse)
	if value != nil {
		return *value
	}
	if _, given := s.take(name); !given {
		s.fail(name, &rules.Error{
			Code:  "REQUEST_VARIABLE_MISSING",
			Msg:   fmt.Sprintf("Missing '%s' argument", name),
			Extra: fields{"var_name": name},
		})
	}
	var zero T
	return zero
}

// withDefault declares a parameter with a default.
func withDefault[T any](s source, name string, parse parser[T], absent T) T {
	if value := optional(s, name, parse); value != nil {
		return *value
	}
	return absent
}

// limit is a rule for a text.
type limit func(value, name string) (string, error)

// text is a plain parameter: its characters are the value.
func text(limits ...limit) parser[string] {
	return func(raw, name string) (string, error) {
		value := raw
		for _, apply := range limits {
			var err error
			if value, err = apply(value, name); err != nil {
				return "", err
			}
		}
		return value, nil
	}
}

// stripped removes blanks from both ends.
func stripped(value, _ string) (string, error) { return rules.Strip(value), nil }

// notBlank refuses the empty text.
func notBlank(value, name string) (string, error) {
	if value == "" {
		return "", rules.Refuse("%s cannot be blank", name)
	}
	return value, nil
}

// atMost limits the number of characters.
func atMost(characters int) limit {
	return func(value, name string) (string, error) {
		if utf8.RuneCountInString(value) > characters {
			return "", rules.Refuse("%s is too long (limit: %d characters)", name, characters)
		}
		return value, nil
	}
}

// oneOf is a plain parameter with a closed set of values.
func oneOf(allowed ...string) parser[string] {
	return func(raw, name string) (string, error) {
		if !slices.Contains(allowed, raw) {
			return "", rules.Refuse("Invalid %s", name)
		}
		return raw, nil
	}
}

// listed is a plain or JSON parameter that is checked against a list of possible values after parsing. The server words the
// error differently from oneOf.
func listed[T comparable](parse parser[T], allowed ...T) parser[T] {
	return func(raw, name string) (T, error) {
		value, err := parse(raw, name)
		if err == nil && !slices.Contains(allowed, value) {
			err = rules.Refuse("Invalid %s: Value error, Not in the list of possible values", name)
		}
		return value, err
	}
}

// maxBody is the largest accepted request body, as in the server's nginx (server-behavior §R5).
const maxBody = 25 << 20

// form is the content of a request: fields of the body, fields of the query, and files. If a field is repeated, the last
// counts.
type form struct {
	body, query map[string]string
	files       []file
}

// file is an uploaded file.
type file struct {
	Field, Name, ContentType string
	Content                  []byte
}

// readForm reads a request like Django does. It reads bodies of the two form types with any verb, and ignores other bodies
// (server-behavior §R4).
func readForm(r *http.Request) (form, error) {
	f := form{body: map[string]string{}, query: parseFields(r.URL.RawQuery)}
	content, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxBody))
	if err != nil {
		return f, err
	}
	kind, options, _ := mime.ParseMediaType(r.Header.Get("Content-Type")) // a broken one is none
	switch kind {
	case "application/x-www-form-urlencoded":
		f.body = parseFields(string(content))
	case "multipart/form-data":
		f.readMultipart(multipart.NewReader(strings.NewReader(string(content)), options["boundary"]))
	}
	return f, nil
}

// readMultipart reads parts until the first broken one.
func (f *form) readMultipart(parts *multipart.Reader) {
	for {
		part, err := parts.NextPart()
		if err != nil {
			return
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return
		}
		if name := part.FileName(); name != "" {
			f.files = append(f.files, file{part.FormName(), name, part.Header.Get("Content-Type"), content})
		} else {
			f.body[part.FormName()] = strings.ToValidUTF8(string(content), string(utf8.RuneError))
		}
	}
}

// parseFields decodes a query string or a form body, and keeps undecodable parts unchanged.
func parseFields(encoded string) map[string]string {
	fields := map[string]string{}
	for pair := range strings.SplitSeq(encoded, "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		fields[unquote(name)] = unquote(value)
	}
	return fields
}

// unquote decodes a plus as a space and %XX as a byte. A percent sign without two digits remains, and invalid UTF-8 becomes
// replacement characters.
func unquote(s string) string {
	s = strings.ReplaceAll(s, "+", " ")
	if !strings.Contains(s, "%") {
		return strings.ToValidUTF8(s, string(utf8.RuneError))
	}
	var decoded strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if one, err := url.PathUnescape(s[i : i+3]); err == nil {
				decoded.WriteString(one)
				i += 2
				continue
			}
		}
		decoded.WriteByte(s[i])
	}
	return strings.ToValidUTF8(decoded.String(), string(utf8.RuneError))
}

// values returns every field, the body's before the query's.
func (f form) values() map[string]string {
	all := make(map[string]string, len(f.body)+len(f.query))
	for name, value := range f.query {
		all[name] = value
	}
	for name, value := range f.body {
		all[name] = value
	}
	return all
}

// isTooLarge reports whether a body was too large to read.
func isTooLarge(err error) bool {
	var tooLarge *http.MaxBytesError
	return errors.As(err, &tooLarge)
}

// hasNullByte reports whether a declared parameter has a null byte, which the database can't store (server-behavior
// §R30). In JSON it is an escape.
func (p *params) hasNullByte() bool {
	for name := range p.consumed {
		if value := p.values[name]; strings.Contains(value, "\x00") || strings.Contains(value, `\u0000`) && json.Valid([]byte(value)) {
			return true
		}
	}
	return false
}
