// Package cert makes TLS certificates for tests.
package cert

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
	"os"
	"path/filepath"
	"testing"
	"time"

	"clave/server/internal/base/clock"
)

// Files are the paths of a certificate and its key, in PEM.
type Files struct{ Cert, Key string }

// In returns the paths cert.pem and key.pem in a folder.
func In(dir string) Files {
	return Files{Cert: filepath.Join(dir, "cert.pem"), Key: filepath.Join(dir, "key.pem")}
}

// Options are the contents of a certificate.
type Options struct {
	// Names are its DNS names, the first of which is its common name. A certificate without names is for 127.0.0.1;
	// Loopback adds this address to names.
	Names    []string
	Loopback bool
	// From is the time from which it is valid; zero means an hour ago. It is valid for Life, a day if zero.
	From time.Time
	Life time.Duration
}

// Write makes a self-signed certificate, writes it and its key to files, which only their owner can read, and returns
// the certificate in PEM.
func Write(t testing.TB, files Files, o Options) (cert []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := clock.System().Now()
	if o.From.IsZero() {
		o.From = now.Add(-time.Hour)
	}
	if o.Life == 0 {
		o.Life = 24 * time.Hour
	}
	name := "127.0.0.1"
	if len(o.Names) > 0 {
		name = o.Names[0]
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: name}, DNSNames: o.Names, NotBefore: o.From, NotAfter: o.From.Add(o.Life),
	}
	if len(o.Names) == 0 || o.Loopback {
		template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	cert = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	for file, text := range map[string][]byte{files.Cert: cert, files.Key: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})} {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert
}

// Client returns a client's configuration that trusts the certificate alone.
func (f Files) Client(t testing.TB) *tls.Config {
	t.Helper()
	text, err := os.ReadFile(f.Cert)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(text)
	return &tls.Config{RootCAs: roots}
}
