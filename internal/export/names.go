package export

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/mozillazg/go-unidecode"
	"golang.org/x/text/unicode/norm"
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
	name := resourceName(called, fallback)
	if slices.Contains(unclearNames, name) {
		name = fallback + "_" + name
	}
	return n.give(n.Resources[kind], kind, id, name, "_")
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

// unclearNames are names that read like an attribute in a reference, as in zulip_linkifier.id.id.
var unclearNames = []string{"id", "name", "email", "description", "channel", "user", "users", "role"}

// resourceName makes the name of a resource of a text in any alphabet. Letters other than Latin stay as they are, because nobody
// can read them in Latin ones; Latin letters lose their marks.
func resourceName(text, fallback string) string {
	var b strings.Builder
	kept := false // whether the letter before stays as it is, and takes marks
	for _, letter := range norm.NFC.String(text) {
		isMark := unicode.IsMark(letter)
		switch isHidden := unicode.In(letter, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector); {
		case isHidden || isMark && !kept:
		case isMark, unicode.IsLetter(letter) && !unicode.Is(unicode.Latin, letter):
			one := strings.ToLower(string(letter))
			if kept = hclsyntax.ValidIdentifier("x" + one); kept {
				b.WriteString(one)
			}
		default:
			kept = false
			b.WriteString(strings.ToLower(unidecode.Unidecode(string(letter))))
			if !unicode.IsLetter(letter) && !unicode.IsDigit(letter) {
				b.WriteByte(' ')
			}
		}
	}
	return joinWords(b.String(), fallback, "_")
}

// identifier makes an identifier of a text in any alphabet: small Latin letters, digits and separators, a letter first.
func identifier(text, fallback, separator string) string {
	return joinWords(strings.ToLower(unidecode.Unidecode(text)), fallback, separator)
}

// joinWords joins the words of a text, and puts the fallback in the place of what is no name.
func joinWords(text, fallback, separator string) string {
	var b strings.Builder
	for _, letter := range text {
		if unicode.IsLetter(letter) || unicode.IsMark(letter) || unicode.IsDigit(letter) {
			b.WriteRune(letter)
		} else if b.Len() > 0 && !strings.HasSuffix(b.String(), separator) {
			b.WriteString(separator)
		}
	}
	const longest = 60
	letters := []rune(b.String())
	name := strings.Trim(string(letters[:min(len(letters), longest)]), separator)
	switch {
	case name == "":
		return fallback
	case !hclsyntax.ValidIdentifier(name):
		return fallback + separator + name
	}
	return name
}
