package rules

import (
	"bytes"
	"image"
	_ "image/gif"  // the formats an upload may have
	_ "image/jpeg" //
	_ "image/png"  //
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// RealmEmoji is a custom emoji (server-behavior §L9). A server resizes the image, which is
// kept here as it was uploaded.
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

// AddCustomEmoji is POST /realm/emoji/{name}. Spaces in the name become
// underscores; a deactivated emoji leaves its name free.
func (o *Organization) AddCustomEmoji(actor User, name string, files []Upload) error {
	name = strings.ReplaceAll(strings.TrimSpace(name), " ", "_")
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
	id := o.RealmEmoji.NextID() // a file that cannot be used costs an id too
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

// imageExtensions are the kinds of images the server takes.
var imageExtensions = map[string]string{
	"image/avif": ".avif", "image/gif": ".gif", "image/jpeg": ".jpg", "image/png": ".png", "image/webp": ".webp",
}

// checkImage refuses what is no image, and returns the extension for what is.
// As on the server, a file with a whole head and a broken end will do.
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
