package forward

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"math/big"
	"time"
)

// keyInfo names the purpose of a derived key.
const keyInfo = "clave inner connection 1"

// errNotANode refuses a peer that does not have the secret.
var errNotANode = errors.New("cluster: the peer is not a node of this cluster")

// identity returns the TLS settings of a node: it presents, and accepts only, a certificate of the key that all nodes
// of the cluster derive from their secret.
func identity(secret []byte) (*tls.Config, error) {
	seed, err := hkdf.Key(sha256.New, secret, nil, keyInfo, ed25519.SeedSize)
	if err != nil {
		return nil, err
	}
	key := ed25519.NewKeyFromSeed(seed)
	own := key.Public().(ed25519.PublicKey)
	// Dates are ignored: the key alone proves that a peer is a node, and clocks may be wrong.
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "clave node"}, NotBefore: time.Unix(0, 0), NotAfter: time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, own, key)
	if err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion:   tls.VersionTLS13,
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
		ClientAuth:   tls.RequireAnyClientCert,
		NextProtos:   []string{"h2"},
		// The chain and the name prove nothing here; VerifyConnection checks the key, which the handshake has proved.
		InsecureSkipVerify: true, //nolint:gosec // see VerifyConnection
		VerifyConnection: func(s tls.ConnectionState) error {
			if len(s.PeerCertificates) == 0 || !own.Equal(s.PeerCertificates[0].PublicKey) {
				return errNotANode
			}
			return nil
		},
	}, nil
}
