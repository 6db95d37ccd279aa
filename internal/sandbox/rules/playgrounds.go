package rules

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Playground is a place to run code blocks of one language (server-behavior §L4).
type Playground struct {
	ID          int    `json:"id"`
	Name        string `json:"name"`
	Language    string `json:"pygments_language"`
	URLTemplate string `json:"url_template"`
}

const maxPlaygroundLanguage = 40

var playgroundLanguage = regexp.MustCompile(`^[ a-zA-Z0-9_+\-./#]*$`)

// AddPlayground creates a playground; there is no changing one.
func (o *Organization) AddPlayground(name, language, template string) (Playground, error) {
	p := Playground{
		Name: strings.TrimSpace(name), Language: strings.TrimSpace(language), URLTemplate: strings.TrimSpace(template),
	}
	if utf8.RuneCountInString(p.Language) > maxPlaygroundLanguage {
		return Playground{}, errConflict // raised where nothing handles it
	}
	if !playgroundLanguage.MatchString(p.Language) {
		return Playground{}, Refuse("Invalid characters in pygments language")
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

// checkCodeVariable wants code to be the only variable of a template.
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
