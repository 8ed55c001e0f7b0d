package provider

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// inPEM returns a private key in PEM.
func inPEM(t *testing.T, key crypto.PrivateKey) string {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

// newECDSA returns a key on a curve.
func newECDSA(t *testing.T, curve elliptic.Curve) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(curve, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// TestAppleSecret makes the client secret for Apple and verifies it as Apple documents it: ES256 by the team's key,
// named in kid, with the team as issuer, the client as subject and Apple as audience, valid for at most six months.
func TestAppleSecret(t *testing.T) {
	key, now := newECDSA(t, elliptic.P256()), time.Unix(1_800_000_000, 0)
	k := appleKey{TeamID: "TEAM", KeyID: "KEY", privateKey: inPEM(t, key)}
	secret, err := k.secret("com.example.web", "https://appleid.apple.com", now)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := jose.ParseSigned(secret, []jose.SignatureAlgorithm{jose.ES256})
	if err != nil {
		t.Fatal(err)
	}
	if kid := signed.Signatures[0].Header.KeyID; kid != "KEY" || len(signed.Signatures) != 1 {
		t.Errorf("the key is %q", kid)
	}
	text, err := signed.Verify(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	var claims struct {
		Iss, Sub, Aud string
		Iat, Exp      int64
	}
	if err := json.Unmarshal(text, &claims); err != nil {
		t.Fatal(err)
	}
	const sixMonths = 15777000 // seconds, Apple's limit
	if claims.Iss != "TEAM" || claims.Sub != "com.example.web" || claims.Aud != "https://appleid.apple.com" || claims.Iat != now.Unix() || claims.Exp <= now.Unix() || claims.Exp > now.Unix()+sixMonths {
		t.Errorf("the claims are %s", text)
	}
}

// TestAppleSecretRefuses makes client secrets with keys that are none for ES256. The errors contain nothing of the key.
func TestAppleSecretRefuses(t *testing.T) {
	const bits = 2048
	other, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"nothing": "", "no PEM": "hunter2", "no key": "-----BEGIN PRIVATE KEY-----\naHVudGVyMg==\n-----END PRIVATE KEY-----\n", "RSA": inPEM(t, other),
		"another curve": inPEM(t, newECDSA(t, elliptic.P384())),
	} {
		k := appleKey{TeamID: "TEAM", KeyID: "KEY", privateKey: text}
		if secret, err := k.secret("c", "a", time.Now()); err == nil || secret != "" || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %q, %v", name, secret, err)
		}
	}
}

// TestMicrosoftIssuer compares issuers of Microsoft's tokens with the tenants of their users. All tenants' tokens have
// signatures by the same keys.
func TestMicrosoftIssuer(t *testing.T) {
	const tenant, other = "9188040d-6c67-4c5b-b112-36a304b66dad", "72f988bf-86f1-41af-91ab-2d7cd011db47"
	at := func(tenant string) string { return "https://login.microsoftonline.com/" + tenant + "/v2.0" }
	for _, c := range []struct {
		name, issuer string
		tid          any
		want         bool
	}{
		{"the user's tenant", at(tenant), tenant, true},
		{"another tenant", at(other), tenant, false},
		{"all tenants", at("common"), "common", false},
		{"no tenant", at(tenant), nil, false},
		{"a tenant that is no text", at(tenant), 1.0, false},
		{"an empty tenant", at(""), "", false},
		{"a path as tenant", at(tenant + "/../" + other), tenant + "/../" + other, false},
		{"another host", "https://login.evil.example/" + tenant + "/v2.0", tenant, false},
		{"without encryption", "http://login.microsoftonline.com/" + tenant + "/v2.0", tenant, false},
		{"another version", "https://login.microsoftonline.com/" + tenant + "/", tenant, false},
		{"a newline", at(tenant) + "\n", tenant + "\n", false},
	} {
		if got := microsoftIssuer(issuers[microsoft], c.issuer, map[string]any{"tid": c.tid}); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
