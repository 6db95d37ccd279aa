package zulip

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/go-cleanhttp"
	"golang.org/x/text/unicode/norm"
)

// The names of the settings for users of environment variables and zuliprc files.
const (
	caBundleSetting   = "ZULIP_CERT_BUNDLE (cert_bundle in the zuliprc file)"
	clientCertSetting = "ZULIP_CERT (client_cert in the zuliprc file)"
	clientKeySetting  = "ZULIP_CERT_KEY (client_cert_key in the zuliprc file)"
)

// newTransport is a transport with the proxy of the environment, HTTP/2, and
// the certificates of the configuration.
func newTransport(cfg Config) (*http.Transport, error) {
	roots, err := loadRoots(cfg.CABundle)
	if err != nil {
		return nil, err
	}
	certificates, err := loadClientCertificate(cfg.ClientCert, cfg.ClientKey)
	if err != nil {
		return nil, err
	}
	transport := cleanhttp.DefaultPooledTransport()
	transport.MaxIdleConnsPerHost = maxInFlight
	// The timeout is shorter than those of servers and proxies (60 s and more). A create on a connection that the other
	// side has just closed would be lost with an unknown outcome.
	transport.IdleConnTimeout = 30 * time.Second
	transport.TLSClientConfig = &tls.Config{
		MinVersion:         tls.VersionTLS12,
		RootCAs:            roots,
		Certificates:       certificates,
		InsecureSkipVerify: cfg.Insecure, //nolint:gosec // requested by name, with a warning
	}
	return transport, nil
}

// loadRoots adds the bundle to the system's certificates. nil means only the system's.
func loadRoots(path string) (*x509.CertPool, error) {
	if path == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: cannot read the file of trusted certificates: %w", caBundleSetting, err)
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s: %s holds no PEM certificate (-----BEGIN CERTIFICATE-----)", caBundleSetting, path)
	}
	return roots, nil
}

func loadClientCertificate(certPath, keyPath string) ([]tls.Certificate, error) {
	switch {
	case certPath == "" && keyPath == "":
		return nil, nil
	case certPath == "":
		return nil, fmt.Errorf("%s is set to %s, but the certificate it belongs to is not: set %s", clientKeySetting, keyPath, clientCertSetting)
	}
	certPEM, err := os.ReadFile(certPath)
	if err != nil {
		return nil, fmt.Errorf("%s: cannot read the client certificate: %w", clientCertSetting, err)
	}
	// One file may hold the certificate and its key, as in the official clients.
	keyPEM := certPEM
	if keyPath != "" {
		if keyPEM, err = os.ReadFile(keyPath); err != nil {
			return nil, fmt.Errorf("%s: cannot read the client certificate's key: %w", clientKeySetting, err)
		}
	}
	certificate, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		if keyPath == "" {
			return nil, fmt.Errorf("%s: %s must hold a PEM certificate and its key, or the key's file must be named by %s: %w", clientCertSetting, certPath, clientKeySetting, err)
		}
		return nil, fmt.Errorf("%s, %s: %s and %s are not a PEM certificate and its key: %w", clientCertSetting, clientKeySetting, certPath, keyPath, err)
	}
	return []tls.Certificate{certificate}, nil
}

// certificateProblem explains why the other side's certificate, or ours, was not accepted. ok is false if err has another
// cause.
func certificateProblem(err error) (problem, hint string, ok bool) {
	var (
		unknown  x509.UnknownAuthorityError
		name     x509.HostnameError
		invalid  x509.CertificateInvalidError
		anyOther *tls.CertificateVerificationError
		alert    *net.OpError
	)
	switch {
	case errors.As(err, &unknown):
		return "its certificate is signed by an authority this machine does not know",
			"If that is your organization's own authority, name the PEM file with its certificate in " + caBundleSetting, true
	case errors.As(err, &name):
		return "its certificate is for another name: " + name.Error(),
			"Set site to the host name of the certificate", true
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "its certificate is expired or not valid yet: " + invalid.Detail,
			"Renew the server's certificate, or fix this machine's clock", true
	case errors.As(err, &anyOther):
		return "its certificate is not valid: " + anyOther.Err.Error(),
			"Fix the server's certificate, or name the certificates to trust in " + caBundleSetting, true
	case errors.As(err, &alert) && alert.Op == "remote error" && isHandshakeAlert(alert.Err.Error()):
		return "it ended the TLS handshake: " + alert.Error(),
			"If it asks for a client certificate, set " + clientCertSetting + " and " + clientKeySetting, true
	case errors.Is(err, http.ErrSchemeMismatch):
		return "it answered in plain HTTP on this port", "Write the site with http://, or with the port of HTTPS", true
	}
	return "", "", false
}

// isHandshakeAlert reports whether an alert belongs to the handshake. crypto/tls has only its text. TLS 1.3 alerts can
// arrive after the request was written, but no server has read it then.
func isHandshakeAlert(alert string) bool {
	return strings.Contains(alert, "certificate") || strings.Contains(alert, "handshake failure") ||
		strings.Contains(alert, "protocol version")
}

// InsecureSite reports whether the API key would be sent to site unencrypted: it is http:// and not this machine. An
// invalid URL is not insecure; New reports the mistake.
func InsecureSite(site string) bool {
	u, err := url.Parse(strings.TrimSpace(site))
	return err == nil && strings.EqualFold(u.Scheme, "http") && !isLoopback(u.Hostname())
}

// SameSite reports whether two URLs belong to the same organization. It compares host and port only; scheme and path do
// not matter.
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
		return "", errors.New("site is not set: set the organization's URL, like https://chat.example.com, or ZULIP_SITE")
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
		return "", errors.New("site is not a URL: write it like https://chat.example.com")
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
		return "", fmt.Errorf("site %q is the URL of a page: write only %s://%s", site, u.Scheme, u.Host)
	}
	return u.Scheme + "://" + strings.ToLower(u.Host), nil
}

// isBarePath accepts the paths that people copy from API documentation, and the empty path.
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

// Prefixes of a conversation's fragment in the web app.
const (
	channelNarrow = "/#narrow/channel/"
	topicNarrow   = "/topic/"
	nearNarrow    = "/near/"
)

// ChannelURL returns the address of a channel in the web app. The name is only for readers: the web app finds the channel
// by its ID. It is in the Unicode normal form NFC, because the CLI normalizes every text.
func ChannelURL(site string, id int64, name string) string {
	slug := strconv.FormatInt(id, 10) + "-" + strings.ReplaceAll(norm.NFC.String(name), " ", "-")
	return strings.TrimSuffix(site, "/") + channelNarrow + EncodeFragment(slug)
}

// TopicURL returns the address of a topic, from that of its channel. The empty topic adds no text to the address.
func TopicURL(channelURL, topic string) string {
	return channelURL + topicNarrow + EncodeFragment(topic)
}

// MessageURL returns the address of a message, from that of its conversation: of a topic, or of direct messages.
func MessageURL(conversationURL string, id int64) string {
	return conversationURL + nearNarrow + strconv.FormatInt(id, 10)
}

// IsChannelURL reports whether a text is the address of a channel as ChannelURL writes it, on any site.
func IsChannelURL(text string) bool {
	site, slug, found := strings.Cut(text, channelNarrow)
	id, _, _ := strings.Cut(slug, "-")
	number, err := strconv.ParseInt(id, 10, 64)
	return found && isWebAddress(site) && err == nil && number > 0 && !strings.Contains(slug, "/")
}

// IsTopicURL reports whether a text is the address of a topic as TopicURL writes it.
func IsTopicURL(text string) bool {
	channel, topic, found := strings.Cut(text, topicNarrow)
	return found && IsChannelURL(channel) && !strings.Contains(topic, "/")
}

func isWebAddress(site string) bool {
	u, err := url.Parse(site)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}

// EncodeFragment encodes text like the web app does after the # of an address. It is percent encoding with a dot for the
// percent sign, because some links lose a percent sign.
func EncodeFragment(text string) string {
	encoded := strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
	// Characters that the browser leaves unencoded and Go encodes.
	for _, plain := range []string{"!", "~", "*", "'"} {
		encoded = strings.ReplaceAll(encoded, url.QueryEscape(plain), plain)
	}
	return strings.NewReplacer("%", ".", ".", ".2E").Replace(encoded)
}
