package zulip

import (
	"context"
	"encoding/json"
	"net/http"
)

// RealmImage is one of the pictures of the organization, as the server shows it (server-behavior §O11).
type RealmImage struct {
	// URL is where the picture is, from the organization's address on or whole. It is another one after every upload.
	URL string
	// IsUploaded is false for the picture of an organization that has uploaded none.
	IsUploaded bool
}

// The kinds of pictures of an organization.
const (
	IconImage      = "icon"
	LogoImage      = "logo"
	NightLogoImage = "night_logo"
)

// Image returns a picture of the organization.
func (r *Realm) Image(kind string) (image RealmImage) {
	var source string
	_ = json.Unmarshal(r.Settings[kind+"_url"], &image.URL) // a server without it has none
	_ = json.Unmarshal(r.Settings[kind+"_source"], &source) // likewise
	image.IsUploaded = source == "U"
	return image
}

// UploadRealmImage uploads a picture of the organization, with the name of its file and its content type. To do it twice is
// to do it once, but for the number in the URL.
func (c *Client) UploadRealmImage(ctx context.Context, kind, file, contentType string, content []byte) error {
	path, form := realmImage(kind)
	form.File(file, contentType, content)
	return c.do(ctx, http.MethodPost, path, form, safeToRetry)
}

// RemoveRealmImage removes a picture of the organization. It is not an error if there is none.
func (c *Client) RemoveRealmImage(ctx context.Context, kind string) error {
	path, form := realmImage(kind)
	return c.do(ctx, http.MethodDelete, path, form, safeToRetry)
}

func realmImage(kind string) (path string, form *Form) {
	form = &Form{}
	if kind == IconImage {
		return "/realm/icon", form
	}
	form.JSON("night", kind == NightLogoImage)
	return "/realm/logo", form
}
