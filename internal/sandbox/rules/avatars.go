package rules

import (
	"path"
	"strings"
)

// maxAvatarMiB limits the picture of the account that asks; that of a bot has no limit of its own.
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

// keepAvatar keeps a picture under a name of its own.
func (o *Organization) keepAvatar(file Upload) (name string, err error) {
	file.ContentType = pictureTypes[strings.ToLower(path.Ext(file.Name))] // whatever the type of the part
	if err := checkWholeImage(file); err != nil {
		return "", err
	}
	name = strings.ToLower(NewAPIKey())
	o.keepPicture(AvatarPath(name), file.Content)
	return name, nil
}

// pictureTypes are the types of pictures by the end of a file's name.
var pictureTypes = map[string]string{
	".avif": "image/avif", ".gif": "image/gif", ".heic": "image/heic", ".jpe": "image/jpeg", ".jpeg": "image/jpeg",
	".jpg": "image/jpeg", ".png": "image/png", ".tif": "image/tiff", ".tiff": "image/tiff", ".webp": "image/webp",
}

// AvatarPath is where an uploaded picture is.
func AvatarPath(upload string) string { return PicturesPath + upload + ".png" }
