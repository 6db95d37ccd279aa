package acctest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// Front serves a sandbox over TLS, with a certificate that can be changed while it runs.
type Front struct {
	URL string
	// Bundle is the path of a PEM file with the authority that signed the certificates.
	Bundle string

	authority   *x509.Certificate
	key         *ecdsa.PrivateKey
	certificate atomic.Pointer[tls.Certificate]
}

// NewFront starts a front with a valid certificate.
func NewFront(t *testing.T, server *sandbox.Server) *Front {
	t.Helper()
	f := &Front{key: newKey(t)}
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: "Example authority"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der := sign(t, template, template, &f.key.PublicKey, f.key)
	var err error
	if f.authority, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	f.Bundle = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(f.Bundle, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	f.Renew(t, nil)

	http := httptest.NewUnstartedServer(server.Handler())
	http.TLS = &tls.Config{MinVersion: tls.VersionTLS12, GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		return &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{*f.certificate.Load()}}, nil
	}}
	http.StartTLS()
	t.Cleanup(http.Close)
	f.URL = http.URL
	return f
}

// Renew replaces the certificate with a valid one, modified by change.
func (f *Front) Renew(t *testing.T, change func(*x509.Certificate)) {
	t.Helper()
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: "leaf"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if change != nil {
		change(template)
	}
	key := newKey(t)
	f.certificate.Store(&tls.Certificate{Certificate: [][]byte{sign(t, template, f.authority, &key.PublicKey, f.key)}, PrivateKey: key})
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// sign returns a certificate that is valid now, unless the template says until when.
func sign(t *testing.T, template, parent *x509.Certificate, public *ecdsa.PublicKey, key *ecdsa.PrivateKey) []byte {
	t.Helper()
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	template.NotBefore = time.Now().Add(-2 * time.Hour)
	if template.NotAfter.IsZero() {
		template.NotAfter = time.Now().Add(time.Hour)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, public, key)
	if err != nil {
		t.Fatal(err)
	}
	return der
}
