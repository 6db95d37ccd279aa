package rules

import (
	"cmp"
	"errors"
	"maps"
	"net/netip"
	"net/url"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yosida95/uritemplate/v3"
)

// Linkifier turns what its pattern matches into links (server-behavior §L1).
type Linkifier struct {
	ID          int    `json:"id"`
	Pattern     string `json:"pattern"`
	URLTemplate string `json:"url_template"`
	Order       int    `json:"order"`

	ExampleInput            string   `json:"example_input,omitempty"`
	ReverseTemplate         string   `json:"reverse_template,omitempty"`
	AlternativeURLTemplates []string `json:"alternative_url_templates,omitempty"`
}

// LinkifierChange is a change of a linkifier. The first two fields are required. In the others, nil leaves the value
// unchanged, and empty clears it.
type LinkifierChange struct {
	Pattern, URLTemplate          string
	ExampleInput, ReverseTemplate *string
	AlternativeURLTemplates       *[]string
}

var errNoLinkifier = Refuse("Linkifier not found.")

// ListLinkifiers returns the linkifiers in the order in which they are tried.
func (o *Organization) ListLinkifiers() []Linkifier {
	list := []Linkifier{}
	for _, l := range o.Linkifiers.All() {
		list = append(list, l)
	}
	slices.SortStableFunc(list, func(a, b Linkifier) int { return cmp.Compare(a.Order, b.Order) })
	return list
}

// CreateLinkifier appends a linkifier.
func (o *Organization) CreateLinkifier(c LinkifierChange) (Linkifier, error) {
	var l Linkifier
	l.change(c)
	if err := o.checkLinkifier(l); err != nil {
		return Linkifier{}, err
	}
	for _, other := range o.Linkifiers.All() {
		l.Order = max(l.Order, other.Order+1)
	}
	l.ID = o.Linkifiers.NextID()
	o.Linkifiers.Put(l.ID, l)
	return l, nil
}

// UpdateLinkifier changes a linkifier in place.
func (o *Organization) UpdateLinkifier(id int, c LinkifierChange) error {
	l, ok := o.Linkifiers.Get(id)
	if !ok {
		return errNoLinkifier
	}
	l.change(c)
	if err := o.checkLinkifier(l); err != nil {
		return err
	}
	o.Linkifiers.Put(id, l)
	return nil
}

func (l *Linkifier) change(c LinkifierChange) {
	l.Pattern, l.URLTemplate = Strip(c.Pattern), Strip(c.URLTemplate)
	set(&l.ExampleInput, c.ExampleInput)
	set(&l.ReverseTemplate, c.ReverseTemplate)
	set(&l.AlternativeURLTemplates, c.AlternativeURLTemplates)
}

// DeleteLinkifier removes a linkifier.
func (o *Organization) DeleteLinkifier(id int) error {
	if !o.Linkifiers.Has(id) {
		return errNoLinkifier
	}
	o.Linkifiers.Delete(id)
	return nil
}

// OrderLinkifiers puts the linkifiers into the order of ids, which must contain each once.
func (o *Organization) OrderLinkifiers(ids []int) error {
	set := sortedSet(ids)
	if len(set) != len(ids) {
		return Refuse("The ordered list must not contain duplicated linkifiers")
	}
	known := []int{}
	for id := range o.Linkifiers.All() {
		known = append(known, id)
	}
	if !slices.Equal(set, known) {
		return Refuse("The ordered list must enumerate all existing linkifiers exactly once")
	}
	for place, id := range ids {
		l, _ := o.Linkifiers.Get(id)
		l.Order = place
		o.Linkifiers.Put(id, l)
	}
	return nil
}

// checkLinkifier checks both texts, their consistency, and the other linkifiers. It reports all problems together.
func (o *Organization) checkLinkifier(l Linkifier) error {
	var wrong invalidFields
	if l.Pattern == "" {
		wrong.add("pattern", blankField)
	}
	template, templateErr := parseURLTemplate(l.URLTemplate)
	switch {
	case l.URLTemplate == "":
		wrong.add("url_template", blankField)
	case templateErr != nil:
		wrong.add("url_template", invalidTemplate)
	}
	if groups, err := patternGroups(l.Pattern); err != nil {
		wrong.add(wholeObject, "Bad regular expression: "+err.Error())
	} else if templateErr == nil {
		if problem := compareGroups(groups, template.Varnames()); problem != "" {
			wrong.add(wholeObject, problem)
		}
	}
	if l.ReverseTemplate != "" && l.ExampleInput == "" {
		// The rule is the server's from feature level 471 on; the words are not recorded.
		wrong.add("reverse_template", "Reverse template requires an example input.")
	}
	for id, other := range o.Linkifiers.All() {
		if id != l.ID && l.Pattern != "" && other.Pattern == l.Pattern {
			wrong.add(wholeObject, "Realm filter with this Realm and Pattern already exists.")
		}
	}
	return wrong.err()
}

var templateExpression = regexp.MustCompile(`\{[^}]*\}`)

// parseURLTemplate reads the expressions of a template. The text between them can contain anything except a brace. It need
// not form a URL.
func parseURLTemplate(text string) (*uritemplate.Template, error) {
	if strings.ContainsAny(templateExpression.ReplaceAllString(text, ""), "{}") {
		return nil, errors.New("a brace has no partner")
	}
	return uritemplate.New(strings.Join(templateExpression.FindAllString(text, -1), ""))
}

// expandURLTemplate fills in a URL template that parseURLTemplate accepts.
func expandURLTemplate(text string, values uritemplate.Values) string {
	return templateExpression.ReplaceAllStringFunc(text, func(expression string) string {
		template, err := uritemplate.New(expression)
		if err != nil {
			return expression
		}
		expanded, _ := template.Expand(values) // fails only for values of a wrong kind
		return expanded
	})
}

// compareGroups checks that the named groups and the variables are the same.
func compareGroups(groups, variables []string) string {
	if missing := without(variables, groups); len(missing) > 0 {
		return "Group '" + slices.Min(missing) + "' in URL template is not present in linkifier pattern."
	}
	if missing := without(groups, variables); len(missing) > 0 {
		return "Group '" + slices.Min(missing) + "' in linkifier pattern is not present in URL template."
	}
	return ""
}

// patternGroups returns the names of a pattern's groups. Go's regular expressions equal the server's RE2, except for the
// texts of errors.
func patternGroups(pattern string) ([]string, error) {
	compiled, err := regexp.Compile(pattern)
	if err != nil {
		return nil, inRE2Words(err)
	}
	names := compiled.SubexpNames()
	return slices.DeleteFunc(names, func(name string) bool { return name == "" }), nil
}

// re2Words are RE2's texts for Go's errors.
var re2Words = map[syntax.ErrorCode]string{
	syntax.ErrInvalidCharClass:      "invalid character class",
	syntax.ErrInvalidCharRange:      "invalid character class range",
	syntax.ErrInvalidEscape:         "invalid escape sequence",
	syntax.ErrInvalidNamedCapture:   "invalid named capture group",
	syntax.ErrInvalidPerlOp:         "invalid perl operator",
	syntax.ErrInvalidRepeatOp:       "bad repetition operator",
	syntax.ErrInvalidRepeatSize:     "invalid repetition size",
	syntax.ErrInvalidUTF8:           "invalid UTF-8",
	syntax.ErrMissingBracket:        "missing ]",
	syntax.ErrMissingParen:          "missing )",
	syntax.ErrMissingRepeatArgument: "no argument for repetition operator",
	syntax.ErrTrailingBackslash:     `trailing \`,
	syntax.ErrUnexpectedParen:       "unexpected )",
}

func inRE2Words(err error) error {
	var broken *syntax.Error
	if !errors.As(err, &broken) {
		return err
	}
	code, about := broken.Code, broken.Expr
	if lookBehind := strings.HasPrefix(about, "(?<=") || strings.HasPrefix(about, "(?<!"); lookBehind {
		code, about = syntax.ErrInvalidPerlOp, about[:4] // Go reads it as a group without a name
	}
	words, ok := re2Words[code]
	if !ok {
		words = "unexpected error"
	}
	return errors.New(words + ": " + about)
}

// Refusals of whole rows list all problems by field.
const (
	wholeObject     = "__all__"
	blankField      = "This field cannot be blank."
	invalidTemplate = "Invalid URL template."
)

// invalidFields collects the problems of a row's fields. The first one determines the text of the refusal.
type invalidFields struct {
	first  string
	errors map[string]any
}

func (f *invalidFields) add(field, problem string) {
	if f.errors == nil {
		f.first, f.errors = problem, map[string]any{}
	}
	problems, _ := f.errors[field].([]string)
	f.errors[field] = append(problems, problem)
}

func (f *invalidFields) has(field string) bool { return f.errors[field] != nil }

func (f *invalidFields) err() error {
	if f.errors == nil {
		return nil
	}
	return &Error{Msg: f.first, Extra: map[string]any{"errors": maps.Clone(f.errors)}}
}

// Playground is a place to run code blocks of one language (server-behavior §L4).
type Playground struct {
	ID          int    `json:"id"`
	Name        string `json:"name"`
	Language    string `json:"pygments_language"`
	URLTemplate string `json:"url_template"`
}

const maxPlaygroundLanguage = 40

var playgroundLanguage = regexp.MustCompile(`^[ a-zA-Z0-9_+,\-./#]*\n?$`)

// CheckPlaygroundLanguage checks the text of a language.
func CheckPlaygroundLanguage(language, _ string) (string, error) {
	if utf8.RuneCountInString(language) > maxPlaygroundLanguage {
		return "", errConflict // raised outside of the server's error handling
	}
	if !playgroundLanguage.MatchString(language) {
		return "", Refuse("Invalid characters in pygments language")
	}
	return language, nil
}

// AddPlayground creates a playground, which cannot be changed. Its language is checked before.
func (o *Organization) AddPlayground(name, language, template string) (Playground, error) {
	p := Playground{
		Name: Strip(name), Language: Strip(language), URLTemplate: Strip(template),
	}
	if err := o.checkPlayground(p); err != nil {
		return Playground{}, err
	}
	p.ID = o.Playgrounds.NextID()
	o.Playgrounds.Put(p.ID, p)
	return p, nil
}

// DeletePlayground removes a playground. The default language of code blocks
// is unset if it was the playground's, even if another one has it too.
func (o *Organization) DeletePlayground(id int) error {
	p, ok := o.Playgrounds.Get(id)
	if !ok {
		return Refuse("Invalid playground")
	}
	o.Playgrounds.Delete(id)
	if o.Settings().DefaultCodeBlockLanguage == p.Language {
		o.changeRealm(func(r *Realm) { r.DefaultCodeBlockLanguage = "" })
	}
	return nil
}

func (o *Organization) checkPlayground(p Playground) error {
	var wrong invalidFields
	if p.Name == "" {
		wrong.add("name", blankField)
	}
	if p.Language == "" {
		wrong.add("pygments_language", blankField)
	}
	template, templateErr := parseURLTemplate(p.URLTemplate)
	switch {
	case p.URLTemplate == "":
		wrong.add("url_template", blankField)
	case templateErr != nil:
		wrong.add("url_template", invalidTemplate)
	}
	if templateErr == nil {
		if problem := checkCodeVariable(template.Varnames()); problem != "" {
			wrong.add(wholeObject, problem)
		}
	}
	for _, other := range o.Playgrounds.All() {
		if !wrong.has("name") && !wrong.has("pygments_language") && other.Name == p.Name && other.Language == p.Language {
			wrong.add(wholeObject, "Realm playground with this Realm, Pygments language and Name already exists.")
		}
	}
	return wrong.err()
}

// checkCodeVariable checks that code is the only variable of a template.
func checkCodeVariable(variables []string) string {
	hasCode := false
	for _, name := range variables {
		hasCode = hasCode || name == "code"
	}
	switch {
	case !hasCode:
		return `Missing the required variable "code" in the URL template`
	case len(variables) > 1:
		return `"code" should be the only variable present in the URL template`
	}
	return ""
}

// IsURL reports whether the server accepts a text as the address of a page. It needs a scheme of the web or of file
// transfer, and a host that is a full name, an address or localhost.
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
