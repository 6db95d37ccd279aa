package export

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/mozillazg/go-unidecode"
	"golang.org/x/text/unicode/norm"
)

// names are the given names of objects, which the folder stores between exports. An object keeps its name after a
// rename, and no name is given to another object.
type names struct {
	// Resources are the names by type and identity.
	Resources map[string]map[string]string `json:"resources"`
	// Files are the names of files by their content, as in "folder 3".
	Files map[string]string `json:"files"`

	taken map[string]map[string]bool // by type; files have none
}

func newNames() *names {
	return &names{Resources: map[string]map[string]string{}, Files: map[string]string{}, taken: map[string]map[string]bool{}}
}

// resource returns the name of an object: its current one, or a new one derived from called.
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

// give returns the name of an ID, or gives it the wanted one, with a number if it is taken.
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

// resourceName derives the name of a resource from a text in any alphabet. It keeps non-Latin letters, because a
// transliteration is hard to read. Latin letters lose their marks.
func resourceName(text, fallback string) string {
	var b strings.Builder
	kept := false // whether the letter before is unchanged, and keeps marks
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

// identifier returns an identifier for a text in any alphabet: lowercase Latin letters, digits and separators, with a
// letter first.
func identifier(text, fallback, separator string) string {
	return joinWords(strings.ToLower(unidecode.Unidecode(text)), fallback, separator)
}

// joinWords joins the words of a text, and uses the fallback if the result is not a name.
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

// refer links every value that names another exported object to it. Other values are unchanged.
func (e *export) refer() {
	e.index()
	e.referToFolders()
	for _, o := range e.inOrderOfReferences() {
		for attribute, value := range o.config {
			reference, ok := o.kind.references[attribute]
			if !ok && e.isPermission(o.kind, attribute) {
				reference = principals
			} else if !ok {
				continue
			}
			for _, text := range textsOf(value) {
				to, found := e.target(reference, text)
				switch {
				case found && (to.person != nil || e.mayRefer(o, to)):
					o.link(attribute, text, to)
				case found && o.kind.resource == "zulip_bot" && e.PeopleAs.orDefault() != PeopleAsAddress:
					// In an organization without both, each would have to be created before the other.
					delete(o.config, attribute)
					e.note("`%s` of `%s`: %s references the bot.", attribute, o.address(), inCode(to.to.address()))
				case found && to.to != o:
					o.comments[attribute] = fmt.Sprintf("By name, because %s references this group.", to.to.address())
				case reference.isPrincipal:
					e.explain(o, attribute, text)
				}
			}
		}
	}
	e.namePeople()
}

// referToFolders makes channels reference an exported folder by ID, so that the reference stays after a rename.
func (e *export) referToFolders() {
	for _, o := range e.objects {
		id := o.text("folder_id")
		if _, isNamed := o.config["folder"]; isNamed && o.kind.resource == "zulip_channel" && e.byAttribute["zulip_channel_folder"]["id"][id] != nil {
			delete(o.config, "folder")
			o.config["folder_id"] = o.state["folder_id"]
		}
	}
}

// inOrderOfReferences returns the objects with the bots last, because bots name channels whose permissions may name
// bots.
func (e *export) inOrderOfReferences() []*object {
	isBot := func(o *object) bool { return o.kind.resource == "zulip_bot" }
	return append(slices.DeleteFunc(slices.Clone(e.objects), isBot), slices.DeleteFunc(slices.Clone(e.objects), func(o *object) bool { return !isBot(o) })...)
}

// explain adds a comment with the name of a principal that is written by ID.
func (e *export) explain(o *object, attribute, text string) {
	s := e.snapshot
	if number, ok := strings.CutPrefix(text, "group_id:"); ok {
		id, _ := strconv.ParseInt(number, 10, 64)
		if group, ok := s.UserGroup(id); ok && group.Deactivated {
			o.comments[attribute] = fmt.Sprintf("%s is the user group %q, which is deactivated.", text, visible(group.Name))
		}
	}
	if number, ok := strings.CutPrefix(text, "user_id:"); ok {
		id, _ := strconv.ParseInt(number, 10, 64)
		if user, ok := s.User(id); ok {
			o.comments[attribute] = fmt.Sprintf("%s is %s.", text, visible(user.FullName))
		}
	}
}

// index indexes objects by the values with which others name them.
func (e *export) index() {
	e.byAttribute = map[string]map[string]map[string]*object{}
	for _, o := range e.objects {
		byAttribute := e.byAttribute[o.kind.resource]
		if byAttribute == nil {
			byAttribute = map[string]map[string]*object{"id": {}, "name": {}, "email": {}}
			e.byAttribute[o.kind.resource] = byAttribute
		}
		for attribute, found := range byAttribute {
			if text := o.text(attribute); text != "" {
				found[text] = o
			}
		}
	}
}

// isPermission reports whether an attribute is a set of principals.
func (e *export) isPermission(k *kind, attribute string) bool {
	_, ok := e.realm.SupportedPermissions[k.permissions][attribute]
	return ok
}

// target returns the object that a value names, and how.
func (e *export) target(reference reference, text string) (link, bool) {
	if reference.isUser {
		return e.account(text)
	}
	if !reference.isPrincipal {
		to, ok := e.byAttribute[reference.to][reference.by][text]
		return link{to: to, by: reference.by}, ok
	}
	if name, ok := strings.CutPrefix(text, "group:"); ok {
		to, ok := e.byAttribute["zulip_user_group"]["name"][name]
		return link{prefix: "group:", to: to, by: "name"}, ok
	}
	if address, ok := strings.CutPrefix(text, userPrefix); ok {
		to, ok := e.account(address)
		to.prefix = userPrefix
		return to, ok
	}
	return link{}, false
}

// mayRefer reports whether a reference causes no cycle, which Terraform refuses. Groups that manage each other have
// names instead.
func (e *export) mayRefer(from *object, to link) bool {
	switch {
	case to.to.kind.rank < from.kind.rank:
		return true
	case from.kind.resource != "zulip_bot" && (to.to.kind != from.kind || !from.kind.refersToOwn):
		return false
	}
	return !to.to.reaches(from, map[*object]bool{})
}

// reaches reports whether an object references another, directly or through others.
func (o *object) reaches(other *object, seen map[*object]bool) bool {
	if o == other {
		return true
	}
	if seen[o] {
		return false
	}
	seen[o] = true
	for _, links := range o.links {
		for _, link := range links {
			if link.to != nil && link.to.reaches(other, seen) {
				return true
			}
		}
	}
	return false
}

func (o *object) link(attribute, text string, to link) {
	if o.links[attribute] == nil {
		o.links[attribute] = map[string]link{}
	}
	o.links[attribute][text] = to
}

// textsOf returns a value as text, or those of its elements.
func textsOf(value tftypes.Value) []string {
	var elements []tftypes.Value
	if !value.Type().Is(tftypes.String) && !value.Type().Is(tftypes.Number) && value.As(&elements) == nil {
		var texts []string
		for _, element := range elements {
			texts = append(texts, textsOf(element)...)
		}
		return slices.Compact(texts)
	}
	if text := textOf(value); text != "" {
		return []string{text}
	}
	return nil
}

// folderName returns the name of a channel folder, whether it is exported or not.
func (e *export) folderName(id string) string {
	number, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return ""
	}
	if folder, ok := e.snapshot.Folders().ByID(number); ok {
		return folder.Name
	}
	return ""
}
