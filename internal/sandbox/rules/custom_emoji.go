package rules

import (
	"bytes"
	_ "embed"
	"image"
	_ "image/gif"  // the possible formats of an upload
	_ "image/jpeg" //
	_ "image/png"  //
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// RealmEmoji is a custom emoji (server-behavior §L9). A server resizes the image; the sandbox stores the uploaded one.
type RealmEmoji struct {
	ID          int    `json:"id"`
	Name        string `json:"name"`
	AuthorID    int    `json:"author_id"`
	Extension   string `json:"extension"` // of the image's file, with the dot
	Image       []byte `json:"image,omitempty"`
	Deactivated bool   `json:"deactivated,omitempty"`
}

// Upload is an uploaded image.
type Upload struct {
	Name        string // of the file
	ContentType string // of the part
	Content     []byte
}

const maxEmojiMiB = 5

var (
	emojiName    = regexp.MustCompile(`^[0-9a-z_-]+$`)
	emojiNameEnd = regexp.MustCompile(`[0-9a-z]$`)
)

// AddCustomEmoji is POST /realm/emoji/{name}. Spaces in the name become underscores. The name of a deactivated emoji can be
// used again.
func (o *Organization) AddCustomEmoji(actor User, name string, files []Upload) error {
	name = strings.ReplaceAll(Strip(name), " ", "_")
	if err := checkEmojiName(name); err != nil {
		return err
	}
	if !o.MayRealm(actor, "can_add_custom_emoji_group") {
		return errInsufficientPermission
	}
	if _, taken := o.activeCustomEmoji(name); taken {
		return Refuse("A custom emoji with this name already exists.")
	}
	if len(files) != 1 {
		return Refuse("You must upload exactly one file.")
	}
	if _, standard := standardEmoji(name); standard && !actor.IsAdmin() {
		return Refuse("Only administrators can override default emoji.")
	}
	if len(files[0].Content) > maxEmojiMiB<<20 {
		return Refuse("Uploaded file is larger than the allowed limit of %d MiB", maxEmojiMiB)
	}
	id := o.RealmEmoji.NextID() // an unusable file uses up an id too
	extension, err := checkImage(files[0])
	if err != nil {
		return err
	}
	o.RealmEmoji.Put(id, RealmEmoji{ID: id, Name: name, AuthorID: actor.ID, Extension: extension, Image: files[0].Content})
	return nil
}

// DeactivateCustomEmoji is DELETE /realm/emoji/{name}: for administrators and
// the author.
func (o *Organization) DeactivateCustomEmoji(actor User, name string) error {
	e, ok := o.activeCustomEmoji(name)
	if !ok {
		return &Error{Status: http.StatusNotFound, Msg: "Emoji '" + name + "' does not exist"}
	}
	if !actor.IsAdmin() && e.AuthorID != actor.ID {
		return Refuse("Must be an organization administrator or emoji author")
	}
	e.Deactivated = true
	o.RealmEmoji.Put(e.ID, e)
	return nil
}

func (o *Organization) activeCustomEmoji(name string) (RealmEmoji, bool) {
	for _, e := range o.RealmEmoji.All() {
		if e.Name == name && !e.Deactivated {
			return e, true
		}
	}
	return RealmEmoji{}, false
}

func checkEmojiName(name string) error {
	switch {
	case name == "":
		return Refuse("Emoji name is missing")
	case !emojiName.MatchString(name):
		return Refuse("Emoji names must contain only lowercase English letters, digits, spaces, dashes, and underscores.")
	case !emojiNameEnd.MatchString(name):
		return Refuse("Emoji names must end with either a letter or digit.")
	}
	return nil
}

// imageExtensions are the kinds of images that the server accepts.
var imageExtensions = map[string]string{
	"image/avif": ".avif", "image/gif": ".gif", "image/jpeg": ".jpg", "image/png": ".png", "image/webp": ".webp",
}

// checkImage refuses files that are no image, and returns the extension of an image. Like the server, it accepts a file
// with a whole head and a broken end.
func checkImage(file Upload) (extension string, err error) {
	extension, ok := imageExtensions[file.ContentType]
	if !ok {
		return "", badImage("Invalid image format")
	}
	_, _, err = image.DecodeConfig(bytes.NewReader(file.Content))
	if err != nil && !isModernImage(file.Content) {
		return "", badImage("Could not decode image; did you upload an image file?")
	}
	return extension, nil
}

// isModernImage recognizes AVIF and WebP by their first bytes.
func isModernImage(content []byte) bool {
	if len(content) < 12 {
		return false
	}
	isWebP := string(content[:4]) == "RIFF" && string(content[8:12]) == "WEBP"
	isAVIF := string(content[4:8]) == "ftyp" && slices.Contains([]string{"avif", "avis"}, string(content[8:12]))
	return isWebP || isAVIF
}

func badImage(msg string) *Error { return &Error{Code: "BAD_IMAGE", Msg: msg} }

// Reaction types: the sources of emoji (server-behavior §U12).
const (
	StandardEmoji = "unicode_emoji"
	CustomEmoji   = "realm_emoji"
	ExtraEmoji    = "zulip_extra_emoji"
)

// extraEmoji is the only emoji that is neither standard nor custom; its code
// is its name.
const extraEmoji = "zulip"

// Emoji is an emoji in a status or a reaction: its name, its code, and its source. The code of a custom emoji is its id.
type Emoji struct {
	Name string `json:"emoji_name"`
	Code string `json:"emoji_code"`
	Type string `json:"reaction_type"`
}

// EmojiByName finds an emoji by a name. A custom one comes before the others, so that it can override a standard emoji.
func (o *Organization) EmojiByName(name string) (Emoji, error) {
	if e, ok := o.activeCustomEmoji(name); ok {
		return Emoji{name, strconv.Itoa(e.ID), CustomEmoji}, nil
	}
	if name == extraEmoji {
		return Emoji{name, extraEmoji, ExtraEmoji}, nil
	}
	if code, ok := standardEmoji(name); ok {
		return Emoji{name, code, StandardEmoji}, nil
	}
	return Emoji{}, Refuse("Emoji '%s' does not exist", name)
}

// ResolveEmoji completes an emoji by its name, and checks its parts (server-behavior §U12). code and kind may be nil.
func (o *Organization) ResolveEmoji(name string, code, kind *string) (Emoji, error) {
	e, err := o.completeEmoji(name, code, kind)
	if err != nil {
		return Emoji{}, err
	}
	return e, o.checkEmoji(e)
}

func (o *Organization) completeEmoji(name string, code, kind *string) (Emoji, error) {
	e := Emoji{Name: name}
	if code == nil || kind == nil {
		byName, err := o.EmojiByName(name)
		if err != nil {
			return Emoji{}, err
		}
		e = byName
	}
	if code != nil {
		e.Code = *code
	}
	if kind != nil {
		e.Type = *kind
	}
	return e, nil
}

// checkEmoji refuses an emoji with inconsistent parts.
func (o *Organization) checkEmoji(e Emoji) error {
	switch e.Type {
	case CustomEmoji:
		return o.checkCustomEmoji(e)
	case ExtraEmoji:
		if e.Code != extraEmoji {
			return Refuse("Invalid emoji code.")
		}
		if e.Name != e.Code {
			return Refuse("Invalid emoji name.")
		}
	case StandardEmoji:
		if !isStandardEmojiCode(e.Code) {
			return Refuse("Invalid emoji code.")
		}
		if code, ok := standardEmoji(e.Name); !ok || code != e.Code {
			return Refuse("Invalid emoji name.")
		}
	default:
		return Refuse("Invalid emoji type.")
	}
	return nil
}

func (o *Organization) checkCustomEmoji(e Emoji) error {
	id, err := strconv.Atoi(e.Code)
	if err != nil {
		return Refuse("Invalid custom emoji.")
	}
	custom, ok := o.RealmEmoji.Get(id)
	switch {
	case !ok:
		return Refuse("Invalid custom emoji.")
	case custom.Name != e.Name:
		return Refuse("Invalid custom emoji name.")
	case custom.Deactivated:
		return Refuse("This custom emoji has been deactivated.")
	}
	return nil
}

// emojiNamesText has a line for each standard emoji of a server of feature level 442: its code, then its names, the main
// one first. Later servers have other names for some. Zulip's changelog of the API (https://zulip.com/api/changelog) does
// not say since which level.
//
//go:embed emoji_names.txt
var emojiNamesText string

// standardEmoji returns the code of a standard ("unicode_emoji") emoji by its
// name: its code points in hexadecimal, joined by dashes.
func standardEmoji(name string) (code string, ok bool) {
	code, ok = emojiNames().codes[name]
	return code, ok
}

// isStandardEmojiCode reports whether any standard emoji has the code.
func isStandardEmojiCode(code string) bool { return emojiNames().names[code] != nil }

// StandardEmojiNames returns every name of each standard emoji, by code.
func StandardEmojiNames() map[string][]string { return emojiNames().names }

type emojiTable struct {
	codes map[string]string   // by name
	names map[string][]string // by code
}

var emojiNames = sync.OnceValue(func() emojiTable {
	table := emojiTable{codes: map[string]string{}, names: map[string][]string{}}
	for line := range strings.Lines(emojiNamesText) {
		words := strings.Fields(line)
		code, names := words[0], words[1:]
		table.names[code] = names
		for _, name := range names {
			table.codes[name] = code
		}
	}
	return table
})

// Reaction is one person's emoji on a message.
type Reaction struct {
	UserID int `json:"user_id"`
	Emoji
}

// sameAs reports whether a reaction is the same emoji, under any name.
func (e Emoji) sameAs(r Reaction) bool { return r.Code == e.Code && r.Type == e.Type }

// AddReaction is POST /messages/{id}/reactions. code and kind may be nil: they
// follow from the name (server-behavior §U12).
func (o *Organization) AddReaction(u User, message int, name string, code, kind *string) error {
	m, err := o.messageToChange(u, message)
	if err != nil {
		return err
	}
	e, err := o.completeEmoji(name, code, kind)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(m.Reactions, func(r Reaction) bool { return r.UserID == u.ID && e.sameAs(r) }) {
		return &Error{Code: "REACTION_ALREADY_EXISTS", Msg: "Reaction already exists."}
	}
	if i := slices.IndexFunc(m.Reactions, e.sameAs); i >= 0 {
		e.Name = m.Reactions[i].Name // the first reaction determines the name
	} else if err := o.checkEmoji(e); err != nil {
		return err
	}
	m.Reactions = append(slices.Clone(m.Reactions), Reaction{u.ID, e})
	o.setFlags(m, u.ID, m.FlagsFor(u.ID)) // a reaction adds the message to the user's own history
	return nil
}

// RemoveReaction is DELETE /messages/{id}/reactions. The code follows from the name if it is nil, but the kind never does.
// One of the two is required.
func (o *Organization) RemoveReaction(u User, message int, name, code *string, kind string) error {
	m, err := o.messageToChange(u, message)
	if err != nil {
		return err
	}
	gone := Emoji{Type: kind}
	switch {
	case code != nil:
		gone.Code = *code
	case name != nil:
		named, err := o.EmojiByName(*name)
		if err != nil {
			return err
		}
		gone.Code = named.Code
	default:
		return Refuse("At least one of the following arguments must be present: emoji_name, emoji_code")
	}
	i := slices.IndexFunc(m.Reactions, func(r Reaction) bool { return r.UserID == u.ID && gone.sameAs(r) })
	if i < 0 {
		return &Error{Code: "REACTION_DOES_NOT_EXIST", Msg: "Reaction doesn't exist."}
	}
	m.Reactions = slices.Delete(slices.Clone(m.Reactions), i, i+1)
	o.Messages.Put(m.ID, m)
	return nil
}
