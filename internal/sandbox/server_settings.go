package sandbox

import (
	"cmp"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// serverSettings is what anybody may know of the server
// (https://zulip.com/api/get-server-settings).
func serverSettings(r *request) (fields, error) {
	realm := r.org.Settings()
	icon, _ := r.realmImage(rules.RealmIcon)
	settings := fields{
		"authentication_methods": fields{
			"password": true, "dev": false, "email": true, "ldap": false, "remoteuser": false, "github": false,
			"azuread": false, "gitlab": false, "google": false, "apple": false, "saml": false, "openid connect": false,
		},
		"external_authentication_methods": []fields{},
		"zulip_version":                   versionAt(r.level),
		"zulip_feature_level":             r.level,
		"push_notifications_enabled":      false,
		"is_incompatible":                 false,
		"email_auth_enabled":              true,
		"require_email_format_usernames":  true,
		"realm_url":                       r.site,
		"realm_uri":                       r.site,
		"realm_name":                      realm.Name,
		"realm_icon":                      icon,
		"realm_description":               r.org.Render(cmp.Or(realm.Description, "The coolest place in the universe.")),
	}
	r.add(settings, 88, "zulip_merge_base", versionAt(r.level))
	r.add(settings, 116, "realm_web_public_access_enabled", realm.EnableSpectatorAccess)
	return settings, nil
}
