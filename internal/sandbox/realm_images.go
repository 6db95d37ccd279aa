package sandbox

import (
	"fmt"

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
	held, name := realm.Icon, "icon"
	switch kind {
	case rules.RealmLogo:
		held, name = realm.Logo, "logo"
	case rules.RealmNightLogo:
		held, name = realm.NightLogo, "night_logo"
	}
	switch {
	case held.Uploaded:
		return fmt.Sprintf("/user_avatars/1/realm/%s.png?version=%d", name, held.Version()), "U"
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
