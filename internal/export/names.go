package export

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/mozillazg/go-unidecode"
)

// names are the names that objects were given, which the folder keeps from one export to the next: an object keeps its name
// whatever it is called later, and a name is never given to another object.
type names struct {
	// Resources are the names by type and identity.
	Resources map[string]map[string]string `json:"resources"`
	// Files are the names of files by what they are for, as in "folder 3".
	Files map[string]string `json:"files"`

	taken map[string]map[string]bool // by type; files have none
}

func newNames() *names {
	return &names{Resources: map[string]map[string]string{}, Files: map[string]string{}, taken: map[string]map[string]bool{}}
}

// resource returns the name of an object: the one it has, or a new one made of what it is called.
func (n *names) resource(kind, id, called, fallback string) string {
	if n.Resources[kind] == nil {
		n.Resources[kind] = map[string]string{}
	}
	return n.give(n.Resources[kind], kind, id, identifier(called, fallback, "_"), "_")
}

// file returns the name of a file, without its ending.
func (n *names) file(prefix, id, called string) string {
	return n.give(n.Files, "", id, prefix+"-"+identifier(called, "other", "-"), "-")
}

// give returns the name that an ID has among others, or gives it the wanted one, with a number if it is taken.
func (n *names) give(all map[string]string, of, id, wanted, separator string) string {
	if name, ok := all[id]; ok {
		return name
	}
	if n.taken[of] == nil {
		n.taken[of] = make(map[string]bool, len(all))
		for _, name := range all {
			n.taken[of][name] = true
		}
	}
	name := wanted
	for i := 2; n.taken[of][name]; i++ {
		name = fmt.Sprint(wanted, separator, i)
	}
	all[id], n.taken[of][name] = name, true
	return name
}

// identifier makes an identifier of a text in any alphabet: small Latin letters, digits and separators, a letter first.
func identifier(text, fallback, separator string) string {
	var b strings.Builder
	for _, letter := range strings.ToLower(unidecode.Unidecode(text)) {
		if unicode.IsLetter(letter) || unicode.IsDigit(letter) {
			b.WriteRune(letter)
		} else if b.Len() > 0 && !strings.HasSuffix(b.String(), separator) {
			b.WriteString(separator)
		}
	}
	const longest = 60
	name := b.String()
	if len(name) > longest {
		name = name[:longest]
	}
	name = strings.Trim(name, separator)
	switch {
	case name == "":
		return fallback
	case name[0] >= '0' && name[0] <= '9':
		return fallback + separator + name
	}
	return name
}
