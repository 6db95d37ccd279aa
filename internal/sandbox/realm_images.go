package sandbox

import (
	"fmt"
	"net/http"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// Where the pictures of an organization are that has not uploaded any.
const (
	defaultIcon = "https://secure.gravatar.com/avatar/0b2c082c00e002a2f571cbe340644239?d=identicon"
	defaultLogo = "/static/images/logo/zulip-org-logo.svg?version=0"
)

// realmImage returns where a picture is, and where it comes from.
func (r *request) realmImage(kind rules.RealmImageKind) (url, source string) {
	realm := r.org.Settings()
	held := realm.Icon
	switch kind {
	case rules.RealmLogo:
		held = realm.Logo
	case rules.RealmNightLogo:
		held = realm.NightLogo
	}
	switch {
	case held.Uploaded:
		return fmt.Sprintf("%s?version=%d", rules.RealmImagePath(kind), held.Version()), "U"
	case kind == rules.RealmIcon:
		return defaultIcon, "G"
	}
	return r.site + defaultLogo, "D"
}

// addRealmImages adds them to a snapshot.
func (r *request) addRealmImages(answer fields) {
	answer["realm_icon_url"], answer["realm_icon_source"] = r.realmImage(rules.RealmIcon)
	answer["realm_logo_url"], answer["realm_logo_source"] = r.realmImage(rules.RealmLogo)
	answer["realm_night_logo_url"], answer["realm_night_logo_source"] = r.realmImage(rules.RealmNightLogo)
}

func uploadIcon(r *request) (fields, error) {
	if err := r.org.UploadRealmImage(rules.RealmIcon, r.uploads()); err != nil {
		return nil, err
	}
	return r.iconAnswer(), nil
}

func removeIcon(r *request) (fields, error) {
	r.org.RemoveRealmImage(rules.RealmIcon)
	return r.iconAnswer(), nil
}

func (r *request) iconAnswer() fields {
	url, _ := r.realmImage(rules.RealmIcon)
	return fields{"icon_url": url}
}

// logoKind reads which of the two logos is meant.
func (r *request) logoKind() (rules.RealmImageKind, error) {
	night := required(r, "night", boolean)
	if night {
		return rules.RealmNightLogo, r.checked()
	}
	return rules.RealmLogo, r.checked()
}

func uploadLogo(r *request) (fields, error) {
	kind, err := r.logoKind()
	if err != nil {
		return nil, err
	}
	return nil, r.org.UploadRealmImage(kind, r.uploads())
}

func removeLogo(r *request) (fields, error) {
	kind, err := r.logoKind()
	if err != nil {
		return nil, err
	}
	r.org.RemoveRealmImage(kind)
	return nil, nil
}

// showIcon and showLogo redirect to the picture, with whatever the query holds after the version (server-behavior §O11).
func showIcon(r *request) (fields, error) {
	url, _ := r.realmImage(rules.RealmIcon)
	r.redirectTo(url)
	return nil, nil
}

func showLogo(r *request) (fields, error) {
	kind, err := r.logoKind()
	if err != nil {
		return nil, err
	}
	url, _ := r.realmImage(kind)
	r.redirectTo(url)
	return nil, nil
}

// redirectTo lets the request be answered with another address, which has a query already.
func (r *request) redirectTo(url string) {
	if r.query != "" {
		url += "&" + r.query
	}
	r.redirect = url
}

// servePicture serves an uploaded picture of an account or of the organization as a web server does: to everybody.
func (s *Server) servePicture(w http.ResponseWriter, req *http.Request) {
	s.mu.Lock()
	content, ok := s.org.Picture(req.URL.Path)
	s.mu.Unlock()
	if !ok {
		http.NotFound(w, req)
		return
	}
	w.Header().Set("Content-Type", http.DetectContentType(content))
	_, _ = w.Write(content) //nolint:gosec // it was checked to be an image; whoever asked may be gone
}
