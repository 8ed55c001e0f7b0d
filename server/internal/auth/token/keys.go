package token

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"clave/server/internal/base/fault"
)

// keyBits is the size of our RSA keys, the same as Google's.
const keyBits = 2048

// key is one of our key pairs with the certificate that publishes it.
type key struct {
	id      string
	private *rsa.PrivateKey
	// created is the certificate's NotBefore.
	created time.Time
	// cert is the certificate in PEM.
	cert string
}

// newKey creates a key pair. name is the certificate's common name.
func newKey(name string, now, until time.Time) (*key, error) {
	private, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		return nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 62))
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name}, NotBefore: now.Truncate(time.Second), NotAfter: until,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		return nil, err
	}
	return keyOf(private, der)
}

// keyOf joins a private key and its certificate.
func keyOf(private *rsa.PrivateKey, der []byte) (*key, error) {
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	if !private.PublicKey.Equal(cert.PublicKey) {
		return nil, fmt.Errorf("certificate %s does not belong to its key", cert.Subject.CommonName)
	}
	if err := cert.CheckSignature(cert.SignatureAlgorithm, cert.RawTBSCertificate, cert.Signature); err != nil {
		return nil, fmt.Errorf("certificate %s is damaged: %w", cert.Subject.CommonName, err)
	}
	return &key{
		id: KeyID(&private.PublicKey), private: private, created: cert.NotBefore.UTC(),
		cert: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
	}, nil
}

// KeyID returns a key's id, 40 hexadecimal digits.
func KeyID(public *rsa.PublicKey) string {
	sum := sha1.Sum(x509.MarshalPKCS1PublicKey(public))
	return hex.EncodeToString(sum[:])
}

// save stores the key and its certificate in a vault.
func (k *key) save(v Vault, ring ringName) error {
	der, err := x509.MarshalPKCS8PrivateKey(k.private)
	if err != nil {
		return err
	}
	return v.Save(string(ring), k.id, append(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), k.cert...))
}

// loadKeys reads the keys of a ring, oldest first.
func loadKeys(v Vault, ring ringName) ([]*key, error) {
	texts, err := v.Load(string(ring))
	if err != nil {
		return nil, err
	}
	keys := make([]*key, 0, len(texts))
	for id, text := range texts {
		k, err := parseKey(text)
		if err == nil && k.id != id {
			err = fmt.Errorf("it is key %s", k.id)
		}
		if err != nil {
			return nil, fault.Wrap(err, fault.DataLoss,
				"the signing key %[1]s/%[2]s is damaged (%[3]v). Restore it from a backup, or remove it (in a data folder keys/%[1]s/%[2]s.pem): tokens of this key are refused then, and a new key is made.",
				ring, id, err)
		}
		keys = append(keys, k)
	}
	sortKeys(keys)
	return keys, nil
}

// parseKey parses a key with its certificate.
func parseKey(text []byte) (*key, error) {
	private, rest := pem.Decode(text)
	if private == nil {
		return nil, fmt.Errorf("no private key in it")
	}
	cert, _ := pem.Decode(rest)
	if cert == nil {
		return nil, fmt.Errorf("no certificate in it")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(private.Bytes)
	if err != nil {
		return nil, err
	}
	rsaKey, ok := parsed.(*rsa.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("not an RSA key")
	}
	// The parser ignores some damaged parts, such as the coefficient of the primes, and computes them again.
	if again, err := x509.MarshalPKCS8PrivateKey(rsaKey); err != nil || !bytes.Equal(again, private.Bytes) {
		return nil, fmt.Errorf("not encoded as it was saved")
	}
	return keyOf(rsaKey, cert.Bytes)
}

// sortKeys orders keys by age, oldest first.
func sortKeys(keys []*key) {
	slices.SortFunc(keys, func(a, b *key) int {
		if c := a.created.Compare(b.created); c != 0 {
			return c
		}
		return strings.Compare(a.id, b.id)
	})
}
