package token

import (
	"crypto/rsa"
	"encoding/base64"
	"math/big"
)

// IDCertificates returns the certificates for ID tokens by key id, in PEM. Google serves them at
// /robot/v1/metadata/x509/securetoken@system.gserviceaccount.com.
func (k *Keys) IDCertificates() map[string]string { return k.certificates(ringID) }

// CookieCertificates returns the certificates for session cookies by key id, in PEM. Google serves them at
// /identitytoolkit/v3/relyingparty/publicKeys.
func (k *Keys) CookieCertificates() map[string]string { return k.certificates(ringSession) }

// certificates returns a ring's published certificates.
func (k *Keys) certificates(ring ringName) map[string]string {
	certs := make(map[string]string)
	for _, key := range k.published(ring, k.o.Clock.Now()) {
		certs[key.id] = key.cert
	}
	return certs
}

// JWK is a public key in the format of RFC 7517.
type JWK struct {
	Kty string `json:"kty"`
	Alg string `json:"alg"`
	Use string `json:"use"`
	Kid string `json:"kid"`
	N   string `json:"n"`
	E   string `json:"e"`
}

// IDKeySet returns the public keys for ID tokens as a JWK set's keys.
func (k *Keys) IDKeySet() []JWK { return k.keySet(ringID) }

// CookieKeySet returns the public keys for session cookies as a JWK set's keys.
func (k *Keys) CookieKeySet() []JWK { return k.keySet(ringSession) }

// EventKeySet returns the public keys for the tokens of events as a JWK set's keys; none without KeyOptions.Events.
func (k *Keys) EventKeySet() []JWK { return k.keySet(ringEvents) }

// AppCheckKeySet returns the public keys for App Check tokens as a JWK set's keys; none without KeyOptions.AppCheck.
func (k *Keys) AppCheckKeySet() []JWK { return k.keySet(ringAppCheck) }

// keySet returns a ring's published keys.
func (k *Keys) keySet(ring ringName) []JWK {
	var set []JWK
	for _, key := range k.published(ring, k.o.Clock.Now()) {
		set = append(set, Published(key.id, &key.private.PublicKey))
	}
	return set
}

// Published returns a public key with its id as a JWK.
func Published(id string, public *rsa.PublicKey) JWK {
	return JWK{
		Kty: "RSA", Alg: "RS256", Use: "sig", Kid: id,
		N: base64.RawURLEncoding.EncodeToString(public.N.Bytes()),
		E: base64.RawURLEncoding.EncodeToString(big.NewInt(int64(public.E)).Bytes()),
	}
}
