package zulip

import (
	"context"
	"net/http"
)

// ServerSettings is what a server tells anyone about itself
// (https://zulip.com/api/get-server-settings).
type ServerSettings struct {
	ZulipVersion                string          `json:"zulip_version"`
	ZulipMergeBase              string          `json:"zulip_merge_base"`
	ZulipFeatureLevel           int             `json:"zulip_feature_level"`
	PushNotificationsEnabled    bool            `json:"push_notifications_enabled"`
	IsIncompatible              bool            `json:"is_incompatible"`
	EmailAuthEnabled            bool            `json:"email_auth_enabled"`
	RequireEmailFormatUsernames bool            `json:"require_email_format_usernames"`
	RealmURL                    string          `json:"realm_url"`
	RealmURI                    string          `json:"realm_uri"`
	RealmName                   string          `json:"realm_name"`
	RealmIcon                   string          `json:"realm_icon"`
	RealmDescription            string          `json:"realm_description"`
	RealmWebPublicAccessEnabled bool            `json:"realm_web_public_access_enabled"`
	AuthenticationMethods       map[string]bool `json:"authentication_methods"`

	ExternalAuthenticationMethods []ExternalAuthenticationMethod `json:"external_authentication_methods"`
}

// ExternalAuthenticationMethod is one way to sign in through another service.
// LoginURL and SignupURL are relative to the organization's URL.
type ExternalAuthenticationMethod struct {
	Name        string  `json:"name"`
	DisplayName string  `json:"display_name"`
	DisplayIcon *string `json:"display_icon"`
	LoginURL    string  `json:"login_url"`
	SignupURL   string  `json:"signup_url"`
}

// ServerSettings reads what the server tells anyone about itself. It sends no credentials.
func (c *Client) ServerSettings(ctx context.Context) (*ServerSettings, error) {
	var settings ServerSettings
	if _, err := c.sendAnonymous(ctx, http.MethodGet, "/server_settings", nil, safeToRetry, &settings); err != nil {
		return nil, err
	}
	if settings.RealmURL == "" {
		settings.RealmURL = settings.RealmURI
	}
	return &settings, nil
}
