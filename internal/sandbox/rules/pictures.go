package rules

import (
	"bytes"
	"encoding/binary"
	"image"
	"path"
	"strings"
)

// Picture is an uploaded file that the server serves publicly. A real server converts it to PNG of another size; the
// sandbox stores it as uploaded.
type Picture struct {
	Path    string `json:"path"`
	Content []byte `json:"content"`
}

// PicturesPath is the prefix of uploaded pictures of accounts and of the organization.
const PicturesPath = "/user_avatars/1/"

// keepPicture stores a picture, and replaces one with the same path.
func (o *Organization) keepPicture(path string, content []byte) {
	for id, picture := range o.Pictures.All() {
		if picture.Path == path {
			o.Pictures.Put(id, Picture{path, content})
			return
		}
	}
	o.Pictures.Put(o.Pictures.NextID(), Picture{path, content})
}

// Picture returns the picture at a path.
func (o *Organization) Picture(path string) (content []byte, ok bool) {
	for _, picture := range o.Pictures.All() {
		if picture.Path == path {
			return picture.Content, true
		}
	}
	return nil, false
}

// maxAvatarMiB limits the picture of the calling account; that of a bot has no limit of its own.
const maxAvatarMiB = 5

var errAvatarChangesDisabled = Refuse("Avatar changes are disabled in this organization.")

// UploadOwnAvatar is POST /users/me/avatar.
func (o *Organization) UploadOwnAvatar(actor User, files []Upload) error {
	switch {
	case len(files) != 1:
		return Refuse("You must upload exactly one avatar.")
	case o.Settings().AvatarChangesDisabled && !actor.IsAdmin():
		return errAvatarChangesDisabled
	case len(files[0].Content) > maxAvatarMiB<<20:
		return Refuse("Uploaded file is larger than the allowed limit of %d MiB", maxAvatarMiB)
	}
	upload, err := o.keepAvatar(files[0])
	if err != nil {
		return err
	}
	o.setAvatar(actor.ID, upload)
	return nil
}

// RemoveOwnAvatar is DELETE /users/me/avatar.
func (o *Organization) RemoveOwnAvatar(actor User) error {
	if o.Settings().AvatarChangesDisabled && !actor.IsAdmin() {
		return errAvatarChangesDisabled
	}
	o.setAvatar(actor.ID, "")
	return nil
}

func (o *Organization) setAvatar(id int, upload string) {
	u, _ := o.Users.Get(id)
	u.AvatarVersion++
	u.AvatarUpload = upload
	o.Users.Put(id, u)
}

// keepAvatar stores a picture under a new name.
func (o *Organization) keepAvatar(file Upload) (name string, err error) {
	file.ContentType = pictureTypes[strings.ToLower(path.Ext(file.Name))] // the type of the part is ignored
	if err := checkWholeImage(file); err != nil {
		return "", err
	}
	name = strings.ToLower(NewAPIKey())
	o.keepPicture(AvatarPath(name), file.Content)
	return name, nil
}

// pictureTypes are the types of pictures by file extension.
var pictureTypes = map[string]string{
	".avif": "image/avif", ".gif": "image/gif", ".heic": "image/heic", ".jpe": "image/jpeg", ".jpeg": "image/jpeg",
	".jpg": "image/jpeg", ".png": "image/png", ".tif": "image/tiff", ".tiff": "image/tiff", ".webp": "image/webp",
}

// AvatarPath returns the path of an uploaded picture.
func AvatarPath(upload string) string { return PicturesPath + upload + ".png" }

// RealmImage is one of the pictures of the organization (server-behavior §O11).
type RealmImage struct {
	// Changes counts uploads and removals, even without a picture.
	Changes  int  `json:"changes"`
	Uploaded bool `json:"uploaded"`
}

// Version is the number in the URL of the picture.
func (i RealmImage) Version() int { return i.Changes + 1 }

// maxRealmImageMiB and maxPixels limit pictures of the organization.
const (
	maxRealmImageMiB = 5
	maxPixels        = 90_000_000
)

// RealmImageKind is one of the three pictures.
type RealmImageKind int

// The pictures of the organization.
const (
	RealmIcon RealmImageKind = iota
	RealmLogo
	RealmNightLogo
)

func (r *Realm) image(kind RealmImageKind) *RealmImage {
	switch kind {
	case RealmIcon:
		return &r.Icon
	case RealmLogo:
		return &r.Logo
	}
	return &r.NightLogo
}

// UploadRealmImage is POST /realm/icon and POST /realm/logo.
func (o *Organization) UploadRealmImage(kind RealmImageKind, files []Upload) error {
	if len(files) != 1 {
		word := "logo"
		if kind == RealmIcon {
			word = "icon"
		}
		return Refuse("You must upload exactly one %s.", word)
	}
	if len(files[0].Content) > maxRealmImageMiB<<20 {
		return Refuse("Uploaded file is larger than the allowed limit of %d MiB", maxRealmImageMiB)
	}
	if err := checkWholeImage(files[0]); err != nil {
		return err
	}
	o.keepPicture(RealmImagePath(kind), files[0].Content)
	o.changeRealm(func(r *Realm) { *r.image(kind) = RealmImage{r.image(kind).Changes + 1, true} })
	return nil
}

// RealmImagePath returns the path of an uploaded picture of a kind, the same for every version.
func RealmImagePath(kind RealmImageKind) string {
	name := "icon"
	switch kind {
	case RealmLogo:
		name = "logo"
	case RealmNightLogo:
		name = "night_logo"
	}
	return PicturesPath + "realm/" + name + ".png"
}

// RemoveRealmImage is DELETE /realm/icon and DELETE /realm/logo, which never fail. The file remains.
func (o *Organization) RemoveRealmImage(kind RealmImageKind) {
	o.changeRealm(func(r *Realm) { *r.image(kind) = RealmImage{Changes: r.image(kind).Changes + 1} })
}

// checkWholeImage is checkImage for a picture that the server converts. It also checks the end and the size.
func checkWholeImage(file Upload) error {
	if file.ContentType != "image/heic" && file.ContentType != "image/tiff" {
		if _, err := checkImage(file); err != nil {
			return err
		}
	}
	if isModernImage(file.Content) {
		return nil
	}
	if config, _, err := image.DecodeConfig(bytes.NewReader(file.Content)); err == nil && config.Width*config.Height > maxPixels {
		return badImage("Image size exceeds limit.")
	}
	if isWholePNG(file.Content) {
		return nil
	}
	if _, _, err := image.Decode(bytes.NewReader(file.Content)); err != nil {
		return badImage("Could not decode image; did you upload an image file?")
	}
	return nil
}

// isWholePNG reports whether a file has all chunks of a PNG image. Like the server, it ignores the checksums of the pixels.
func isWholePNG(content []byte) bool {
	rest, isPNG := bytes.CutPrefix(content, []byte("\x89PNG\r\n\x1a\n"))
	for isPNG && len(rest) >= 12 {
		const around = 12 // length, type, and checksum
		length := uint64(binary.BigEndian.Uint32(rest))
		if uint64(len(rest)) < length+around {
			return false
		}
		if string(rest[4:8]) == "IEND" {
			return true
		}
		rest = rest[length+around:]
	}
	return false
}
