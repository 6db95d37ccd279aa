package rules

import (
	"bytes"
	"encoding/binary"
	"image"
)

// RealmImage is one of the pictures of the organization (server-behavior §O11).
type RealmImage struct {
	// Changes counts uploads and removals, also of nothing.
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

// RealmImagePath is where an uploaded picture of a kind is, whatever its version.
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

// RemoveRealmImage is DELETE /realm/icon and DELETE /realm/logo, which never fail. The file stays where it is.
func (o *Organization) RemoveRealmImage(kind RealmImageKind) {
	o.changeRealm(func(r *Realm) { *r.image(kind) = RealmImage{Changes: r.image(kind).Changes + 1} })
}

// checkWholeImage is checkImage for a picture that the server makes over: its end is looked at too, and its size.
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

// isWholePNG reports whether a file has all the chunks of a PNG image. The server does not look at the checksums of the pixels.
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
