package zulip

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// authority is a certificate authority of its own, with the PEM files of everything it signs.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	bundle      string // path
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	requireNoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Example authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	requireNoError(t, err)
	a := &authority{key: key}
	if a.certificate, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	a.bundle = writePEM(t, "ca.pem", &pem.Block{Type: "CERTIFICATE", Bytes: der})
	return a
}

// sign returns the paths of a certificate and its key.
func (a *authority) sign(t *testing.T, change func(*x509.Certificate)) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	requireNoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "leaf"},
		NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if change != nil {
		change(template)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &private.PublicKey, a.key)
	requireNoError(t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(private)
	requireNoError(t, err)
	return writePEM(t, "cert.pem", &pem.Block{Type: "CERTIFICATE", Bytes: der}),
		writePEM(t, "key.pem", &pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})
}

func writePEM(t *testing.T, name string, block *pem.Block) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	requireNoError(t, os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
	return path
}

// serveTLS answers every call over TLS with the given certificate.
func (a *authority) serveTLS(t *testing.T, certificate, key string, change func(*tls.Config)) (site string, seen *int) {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(certificate, key)
	requireNoError(t, err)
	seen = new(int)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		*seen++
		reply(w, 200, "application/json", ok)
	}))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // it complains of clients that hang up
	if change != nil {
		change(server.TLS)
	}
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.URL, seen
}

func callOnce(t *testing.T, cfg Config) error {
	t.Helper()
	cfg.Email, cfg.APIKey, cfg.MaxRetries = testEmail, testKey, -1
	client, err := New(cfg)
	requireNoError(t, err)
	_, err = client.send(t.Context(), http.MethodPost, "/streams", nil, neverRetry, nil)
	return err
}

func TestCertificates(t *testing.T) {
	a := newAuthority(t)
	certificate, key := a.sign(t, nil)
	otherName, otherKey := a.sign(t, func(c *x509.Certificate) { c.IPAddresses, c.DNSNames = nil, []string{"chat.example.com"} })
	expired, expiredKey := a.sign(t, func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Hour) })
	site, _ := a.serveTLS(t, certificate, key, nil)
	otherSite, _ := a.serveTLS(t, otherName, otherKey, nil)
	expiredSite, _ := a.serveTLS(t, expired, expiredKey, nil)

	for name, test := range map[string]struct {
		cfg  Config
		want string // in the error; empty: success
	}{
		"trusted":            {Config{Site: site, CABundle: a.bundle}, ""},
		"not verified":       {Config{Site: expiredSite, Insecure: true}, ""},
		"unknown authority":  {Config{Site: site}, "ZULIP_CERT_BUNDLE"},
		"wrong name":         {Config{Site: otherSite, CABundle: a.bundle}, "for another name"},
		"expired":            {Config{Site: expiredSite, CABundle: a.bundle}, "expired"},
		"plain HTTP on port": {Config{Site: plainSite(t)}, "http://"},
	} {
		t.Run(name, func(t *testing.T) {
			err := callOnce(t, test.cfg)
			if test.want == "" {
				requireNoError(t, err)
				return
			}
			var connection *ConnectionError
			if !errors.As(err, &connection) || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got %v, want %q in it", err, test.want)
			}
			if MayHaveHappened(err) || connection.Hint == "" || !connection.permanent {
				t.Errorf("got %+v", connection)
			}
		})
	}
}

// plainSite is an https:// address with a plain HTTP server.
func plainSite(t *testing.T) string {
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	return strings.Replace(server.URL, "http://", "https://", 1)
}

func TestClientCertificates(t *testing.T) {
	a := newAuthority(t)
	certificate, key := a.sign(t, nil)
	clients := x509.NewCertPool()
	clients.AddCert(a.certificate)
	site, seen := a.serveTLS(t, certificate, key, func(c *tls.Config) {
		c.ClientAuth, c.ClientCAs = tls.RequireAndVerifyClientCert, clients
	})
	both := filepath.Join(t.TempDir(), "both.pem")
	var text []byte
	for _, path := range []string{certificate, key} {
		part, err := os.ReadFile(path)
		requireNoError(t, err)
		text = append(text, part...)
	}
	requireNoError(t, os.WriteFile(both, text, 0o600))

	for _, cfg := range []Config{
		{ClientCert: certificate, ClientKey: key},
		{ClientCert: both},
	} {
		cfg.Site, cfg.CABundle = site, a.bundle
		if err := callOnce(t, cfg); err != nil {
			t.Error(err)
		}
	}
	err := callOnce(t, Config{Site: site, CABundle: a.bundle})
	if err == nil || !strings.Contains(err.Error(), "ZULIP_CERT ") || MayHaveHappened(err) {
		t.Errorf("without a certificate: %v", err)
	}
	if *seen != 2 {
		t.Errorf("%d calls were served", *seen)
	}
}

func TestTLS_OldVersion_Refused(t *testing.T) {
	a := newAuthority(t)
	certificate, key := a.sign(t, nil)
	site, seen := a.serveTLS(t, certificate, key, func(c *tls.Config) { c.MaxVersion = tls.VersionTLS11 })
	if err := callOnce(t, Config{Site: site, CABundle: a.bundle}); err == nil || *seen != 0 {
		t.Errorf("got %v, %d calls", err, *seen)
	}
}

func TestCertificates_InvalidSettings_Error(t *testing.T) {
	a := newAuthority(t)
	certificate, key := a.sign(t, nil)
	_, otherKey := a.sign(t, nil)
	missing := filepath.Join(t.TempDir(), "missing.pem")
	for name, test := range map[string]struct {
		cfg  Config
		want []string
	}{
		"missing bundle":       {Config{CABundle: missing}, []string{missing, "ZULIP_CERT_BUNDLE"}},
		"bundle without any":   {Config{CABundle: key}, []string{key, "ZULIP_CERT_BUNDLE", "BEGIN CERTIFICATE"}},
		"missing certificate":  {Config{ClientCert: missing}, []string{missing, "ZULIP_CERT "}},
		"missing key":          {Config{ClientCert: certificate, ClientKey: missing}, []string{missing, "ZULIP_CERT_KEY"}},
		"key alone":            {Config{ClientKey: key}, []string{key, "ZULIP_CERT "}},
		"certificate, no key":  {Config{ClientCert: certificate}, []string{certificate, "ZULIP_CERT_KEY"}},
		"key of another":       {Config{ClientCert: certificate, ClientKey: otherKey}, []string{certificate, otherKey}},
		"certificate is a key": {Config{ClientCert: key, ClientKey: key}, []string{key}},
	} {
		t.Run(name, func(t *testing.T) {
			test.cfg.Site = "https://chat.example.com"
			_, err := New(test.cfg)
			for _, want := range test.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want %q in it", err, want)
				}
			}
		})
	}
}

// Windows has its own numbers for ECONNREFUSED and ECONNRESET.
func TestConnectionErrorsOfWindows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for number, want := range map[syscall.Errno]string{10061: "nothing listens at ", 10054: "closed the connection without an answer"} {
			w := newWire(t, json200(ok))
			w.client.http.Transport = &refusingTransport{times: 9, cause: dialError(number)}
			if err := w.create(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%d is %v", number, err)
			}
		}
	})
}

func TestRefusedConnection(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	requireNoError(t, err)
	site := "http://" + listener.Addr().String()
	requireNoError(t, listener.Close())
	err = callOnce(t, Config{Site: site})
	if err == nil || !strings.Contains(err.Error(), "nothing listens at "+site) || MayHaveHappened(err) {
		t.Errorf("got %v", err)
	}
}
