package idp

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"sync"
	"time"
)

// The names of the parts of spConfig with which requests to a SAML provider are signed (signRequest of idpConfig). The
// certificates are those of Firebase's API; the key is a secret of Clave.
const (
	spConfig       = "spConfig"
	spCertificates = "spCertificates"
	spKey          = "privateKey"
)

// SigningKey is the path of the key with which requests to a SAML provider are signed, in its configuration.
var SigningKey = []string{spConfig, spKey}

// signingLife is the time for which the certificate of a key of requests is valid. Providers pin the key; it is
// replaced by turning signRequest off and on.
const signingLife = 10 * 365 * 24 * time.Hour

// NewKey is a new key with which requests to a SAML provider are signed, and its certificate, both in PEM.
type NewKey struct {
	Key, Certificate string
	// Until is the end of the certificate.
	Until time.Time
}

// NewSigner returns a function that makes one key, when it is first called.
func NewSigner(now time.Time) func() (NewKey, error) {
	return sync.OnceValues(func() (NewKey, error) {
		until := now.Add(signingLife).UTC().Truncate(time.Second)
		key, certificate, err := newSigningKey(now, until)
		return NewKey{key, certificate, until}, err
	})
}

// newSigningKey makes a key and its certificate, both in PEM.
func newSigningKey(from, until time.Time) (keyPEM, certificatePEM string, err error) {
	const bits, serialBits, ahead = 2048, 127, time.Hour // a provider's clock may be behind
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		return "", "", err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), serialBits))
	if err != nil {
		return "", "", err
	}
	of := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "SAML requests"}, NotBefore: from.Add(-ahead), NotAfter: until,
		KeyUsage: x509.KeyUsageDigitalSignature, BasicConstraintsValid: true,
	}
	certificate, err := x509.CreateCertificate(rand.Reader, of, of, key.Public(), key)
	if err != nil {
		return "", "", err
	}
	plain, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return "", "", err
	}
	inPEM := func(kind string, der []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	return inPEM("PRIVATE KEY", plain), inPEM("CERTIFICATE", certificate), nil
}

// SignsRequests reports whether requests to the SAML provider of a configuration are signed.
func SignsRequests(config map[string]any) bool { return at(config, "idpConfig", "signRequest") == true }

// HasSigningKey reports whether a stored configuration has a key for its requests.
func HasSigningKey(config map[string]any) bool {
	switch v := at(config, spConfig, spKey).(type) {
	case string:
		return v != ""
	case map[string]any:
		return v[sealedField] != ""
	}
	return false
}

// WithoutSigningKey removes from a request what only the server sets.
func WithoutSigningKey(body map[string]any) {
	if own, ok := body[spConfig].(map[string]any); ok {
		delete(own, spKey)
		delete(own, spCertificates)
	}
}

// Signing is what a stored configuration signs its requests with, as it is stored. The zero Signing is nothing.
type Signing struct{ key, certificates any }

// SigningOf returns what a stored configuration signs its requests with.
func SigningOf(config map[string]any) Signing {
	return Signing{at(config, spConfig, spKey), at(config, spConfig, spCertificates)}
}

// KeepSigning gives a changed configuration what it had before, a new key if it had none, or none if its requests are
// not signed.
func KeepSigning(config map[string]any, before Signing, fresh func() (NewKey, error)) error {
	own, ok := config[spConfig].(map[string]any)
	if !ok {
		return nil // CheckConfig refuses it
	}
	delete(own, spKey)
	delete(own, spCertificates)
	if !SignsRequests(config) {
		return nil
	}
	own[spKey], own[spCertificates] = before.key, before.certificates
	if HasSigningKey(config) {
		return nil
	}
	made, err := fresh()
	if err != nil {
		return fmt.Errorf("make a key for the requests to a SAML provider: %w", err)
	}
	own[spKey] = made.Key
	own[spCertificates] = []any{map[string]any{"x509Certificate": made.Certificate, "expiresAt": made.Until.Format(time.RFC3339)}}
	return nil
}

// sameClient reports whether two configurations are of the same client of a provider, so that the secret of one is that
// of the other. The secret of a generic provider of OAuth 2 must not be sent to other addresses.
func sameClient(a, b map[string]any) bool {
	for _, path := range [][]string{{"clientId"}, {spConfig, spCertificates}, {"oauthConfig", "tokenUrl"}, {"oauthConfig", "introspectionUrl"}} {
		if !reflect.DeepEqual(at(a, path...), at(b, path...)) {
			return false
		}
	}
	return true
}

// ParseSigningKey returns the key with which requests are signed.
func ParseSigningKey(text string) (*rsa.PrivateKey, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("the key for requests is not in PEM")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	key, ok := parsed.(*rsa.PrivateKey)
	if !ok {
		return nil, errors.New("the key for requests is not one of RSA")
	}
	return key, nil
}
