package zulip

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// InsecureSite reports whether the API key would be sent to site unencrypted: it
// is http:// and not this machine itself. An invalid URL is not insecure; New says
// what is wrong with it.
func InsecureSite(site string) bool {
	u, err := url.Parse(strings.TrimSpace(site))
	return err == nil && strings.EqualFold(u.Scheme, "http") && !isLoopback(u.Hostname())
}

// SameSite reports whether two URLs are those of the same organization. It
// compares host and port only; scheme and path do not matter.
func SameSite(a, b string) bool { return siteKey(a) == siteKey(b) }

// siteKey is the host and port of a site, even of one that lacks its scheme.
func siteKey(site string) string {
	site = strings.ToLower(strings.TrimSpace(site))
	if !strings.Contains(site, "://") {
		site = "https://" + site
	}
	u, err := url.Parse(site)
	if err != nil || u.Host == "" {
		return site
	}
	port := u.Port()
	if (u.Scheme == "https" && port == "443") || (u.Scheme == "http" && port == "80") {
		port = ""
	}
	return net.JoinHostPort(strings.TrimSuffix(u.Hostname(), "."), port)
}

// parseSite checks the address and returns it as scheme and host.
func parseSite(text string) (string, error) {
	site := strings.TrimSpace(text)
	if site == "" {
		return "", errors.New("site is not set: write the organization's address, like https://chat.example.com, or set ZULIP_SITE")
	}
	if !strings.Contains(site, "://") {
		host, _, _ := strings.Cut(site, "/")
		scheme := "https"
		if name, _, err := net.SplitHostPort(host); isLoopback(host) || (err == nil && isLoopback(name)) {
			scheme = "http"
		}
		return "", fmt.Errorf("site %q has no scheme: write %s://%s", site, scheme, host)
	}
	u, err := url.Parse(site)
	if err != nil {
		// The parser's error quotes the URL, which may contain a password.
		return "", errors.New("site is not an address: write it like https://chat.example.com")
	}
	u.Scheme = strings.ToLower(u.Scheme)
	switch {
	case u.User != nil:
		return "", fmt.Errorf("site holds a user name or a password: write %s://%s, and use email and api_key", u.Scheme, u.Host)
	case u.Scheme != "https" && u.Scheme != "http":
		return "", fmt.Errorf("site %q has the scheme %s: write https://%s", site, u.Scheme, u.Host)
	case u.Hostname() == "":
		return "", fmt.Errorf("site %q has no host name: write it like https://chat.example.com", site)
	case !isBarePath(u.Path) || u.RawQuery != "" || u.Fragment != "":
		return "", fmt.Errorf("site %q is the address of a page: write only %s://%s", site, u.Scheme, u.Host)
	}
	return u.Scheme + "://" + strings.ToLower(u.Host), nil
}

// isBarePath accepts what people copy from API documentation beside the bare
// address.
func isBarePath(path string) bool {
	switch strings.Trim(path, "/") {
	case "", "api", "api/v1":
		return true
	}
	return false
}

func isLoopback(host string) bool {
	host = strings.ToLower(strings.Trim(host, "[]"))
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || (ip != nil && ip.IsLoopback())
}
