package trading

import (
	"net/url"
	"path"
	"strings"
)

// The settings, by their names in the provider block.
const (
	SettingAPIURL            = "api_url"
	SettingAuthURL           = "auth_url"
	SettingClientID          = "client_id"
	SettingClientSecret      = "client_secret"
	SettingOrganizationsPath = "organizations_path"
)

// SettingError is a mistake in one setting.
type SettingError struct {
	Setting string // SettingAPIURL and its like
	Problem string // continues a sentence that begins with the setting's name; quotes nothing secret
}

// Error is the sentence: "api_url is not set".
func (e *SettingError) Error() string { return e.Setting + " " + e.Problem }

// parseAddress checks an address and returns it without a slash at its end.
func parseAddress(setting, text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", &SettingError{setting, "is not set"}
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		// The parser's error quotes the URL, which may contain a password.
		return "", &SettingError{setting, "is not an address: write it like https://trading.example.com"}
	case u.User != nil:
		return "", &SettingError{setting, "holds a user name or a password: use client_id and client_secret"}
	case u.Scheme != "https" && u.Scheme != "http":
		return "", &SettingError{setting, "has no scheme: write it like https://trading.example.com"}
	case u.Hostname() == "":
		return "", &SettingError{setting, "has no host name: write it like https://trading.example.com"}
	case u.RawQuery != "" || u.Fragment != "":
		return "", &SettingError{setting, "is the address of a page: leave out what follows the path"}
	}
	return strings.TrimRight(u.String(), "/"), nil
}

func checkPath(text string) error {
	u, err := url.Parse(text)
	if err != nil || !strings.HasPrefix(text, "/") || u.Host != "" || path.Clean(u.Path) != strings.TrimSuffix(u.Path, "/") {
		return &SettingError{SettingOrganizationsPath, "is not a path like " + DefaultOrganizationsPath}
	}
	return nil
}
