package zulip

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/hashicorp/go-cleanhttp"
)

// The settings as their user knows them: environment and zuliprc file.
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
	// Below what servers and proxies use (60 s and more): a create that meets a
	// connection just closed by the other side is lost, and nobody knows how.
	transport.IdleConnTimeout = 30 * time.Second
	transport.TLSClientConfig = &tls.Config{
		MinVersion:         tls.VersionTLS12,
		RootCAs:            roots,
		Certificates:       certificates,
		InsecureSkipVerify: cfg.Insecure, //nolint:gosec // asked for by name, with a warning
	}
	return transport, nil
}

// loadRoots adds the bundle to the system's certificates. nil is the system's
// alone.
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
	// As in the official clients, one file may hold the certificate and its key.
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

// certificateProblem explains why the other side's certificate, or ours, was
// not accepted. ok is false if err is about something else.
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
			"Write the site the way the certificate does", true
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "its certificate is expired or not valid yet: " + invalid.Detail,
			"Renew the server's certificate, or correct this machine's clock", true
	case errors.As(err, &anyOther):
		return "its certificate is not valid: " + anyOther.Err.Error(),
			"Correct the server's certificate, or name the certificates to trust in " + caBundleSetting, true
	case errors.As(err, &alert) && alert.Op == "remote error" && isHandshakeAlert(alert.Err.Error()):
		return "it ended the TLS handshake: " + alert.Error(),
			"If it asks for a client certificate, set " + clientCertSetting + " and " + clientKeySetting, true
	case errors.Is(err, http.ErrSchemeMismatch):
		return "it answered in plain HTTP on this port", "Write the site with http://, or with the port of HTTPS", true
	}
	return "", "", false
}

// isHandshakeAlert tells the alerts of a handshake, which crypto/tls knows by
// text alone. With TLS 1.3 they can arrive after the request was written, yet
// no server has read it then.
func isHandshakeAlert(alert string) bool {
	return strings.Contains(alert, "certificate") || strings.Contains(alert, "handshake failure") ||
		strings.Contains(alert, "protocol version")
}
