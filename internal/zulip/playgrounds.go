package zulip

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Playground is a website that runs the code blocks of a language. Language and name together are unique
// (server-behavior §L4).
type Playground struct {
	ID          int64  `json:"id"`
	Name        string `json:"name"`
	Language    string `json:"pygments_language"`
	URLTemplate string `json:"url_template"`
}

// Same reports whether two playgrounds differ in nothing but the ID.
func (p *Playground) Same(other *Playground) bool {
	return p.Name == other.Name && p.Language == other.Language && p.URLTemplate == other.URLTemplate
}

// Key identifies the playground, as in "Python/Sandbox".
func (p *Playground) Key() string { return p.Language + "/" + p.Name }

// maxPlaygroundLanguage is in characters. A longer one is not refused in the server's words, but breaks the call.
const maxPlaygroundLanguage = 40

var playgroundLanguage = regexp.MustCompile(`^[ a-zA-Z0-9_+\-./#]*$`)

// CheckPlaygroundLanguage returns why the server would refuse a language.
func CheckPlaygroundLanguage(language string) error {
	switch {
	case !playgroundLanguage.MatchString(language):
		return errors.New("only letters of English, digits, spaces and the signs _ + - . / # are possible")
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
		return fmt.Errorf("it has the variables %s; code is the only one that the server fills in", strings.Join(variables, ", "))
	}
	return nil
}

// AddPlayground adds a playground and returns its ID. One of the same language and name that already exists is
// [IsPlaygroundTaken].
func (c *Client) AddPlayground(ctx context.Context, playground Playground) (int64, error) {
	// A second time is refused as taken, so that it does no harm.
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

// IsPlaygroundTaken reports whether there is a playground of the language and name.
func IsPlaygroundTaken(err error) bool {
	return IsMessage(err, "Realm playground with this Realm, Pygments language and Name already exists.")
}
