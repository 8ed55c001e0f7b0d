package api_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"maps"
	"math/big"
	"sync"
	"testing"
)

// certificate1, certificate2 and certificate3 return certificates of SAML providers, in PEM.
var certificate1, certificate2, certificate3 = sync.OnceValue(newCertificate), sync.OnceValue(newCertificate), sync.OnceValue(newCertificate)

// newCertificate returns a new self-signed certificate in PEM.
func newCertificate() string {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// TestIdpConfigsAreChecked creates and updates incomplete configurations of identity providers.
func TestIdpConfigsAreChecked(t *testing.T) {
	w := newFixture(t, setup{})
	oidc := object{"clientId": "c", "issuer": "https://i.example.com"}
	saml := object{
		"idpConfig": object{"idpEntityId": "idp", "ssoUrl": "https://sso.example.com", "idpCertificates": []any{object{"x509Certificate": certificate1()}}},
		"spConfig":  object{"spEntityId": "rp", "callbackUri": "https://rp.example.com"},
	}
	with := func(base, more object) object {
		made := maps.Clone(base)
		maps.Copy(made, more)
		return made
	}
	const root = "v2/projects/" + project + "/"
	for _, tt := range []struct {
		name, method, path string
		body               object
		want               string
	}{
		{"a good one", "POST", "oauthIdpConfigs?oauthIdpConfigId=oidc.a", oidc, ""},
		{"once more", "POST", "oauthIdpConfigs?oauthIdpConfigId=oidc.a", oidc, "CONFIGURATION_EXISTS"},
		{"without an id", "POST", "oauthIdpConfigs", oidc, "MISSING_CONFIG_ID"},
		{"another kind's id", "POST", "oauthIdpConfigs?oauthIdpConfigId=saml.a", oidc, "INVALID_CONFIG_ID"},
		{"a prefix only", "POST", "oauthIdpConfigs?oauthIdpConfigId=oidc.", oidc, "INVALID_CONFIG_ID"},
		{"no client", "POST", "oauthIdpConfigs?oauthIdpConfigId=oidc.b", with(oidc, object{"clientId": ""}), "MISSING_OAUTH_CLIENT_ID"},
		{"no issuer", "POST", "oauthIdpConfigs?oauthIdpConfigId=oidc.b", object{"clientId": "c"}, "MISSING_ISSUER"},
		{"a code flow without secret", "POST", "oauthIdpConfigs?oauthIdpConfigId=oidc.b", with(oidc, object{"responseType": object{"code": true}}), "MISSING_OAUTH_CLIENT_SECRET"},
		{"the client taken away", "PATCH", "oauthIdpConfigs/oidc.a?updateMask=clientId", object{"clientId": ""}, "MISSING_OAUTH_CLIENT_ID"},
		{"an unknown tenant", "POST", "tenants/nowhere/oauthIdpConfigs?oauthIdpConfigId=oidc.a", oidc, "TENANT_NOT_FOUND"},
		{"good SAML", "POST", "inboundSamlConfigs?inboundSamlConfigId=saml.a", saml, ""},
		{"no relying party", "POST", "inboundSamlConfigs?inboundSamlConfigId=saml.b", with(saml, object{"spConfig": object{}}), "MISSING_SAML_RELYING_PARTY_CONFIG"},
		{"no provider", "POST", "inboundSamlConfigs?inboundSamlConfigId=saml.b", with(saml, object{"idpConfig": object{}}), "MISSING_CONFIG"},
		{"no certificate", "PATCH", "inboundSamlConfigs/saml.a?updateMask=idpConfig.idpCertificates", object{"idpConfig": object{"idpCertificates": []any{object{"x509Certificate": "C"}}}}, "INVALID_CONFIG"},
		{"the certificates taken away", "PATCH", "inboundSamlConfigs/saml.a?updateMask=idpConfig.idpCertificates", object{}, "MISSING_CONFIG"},
	} {
		if _, got := w.admin(tt.method, root+tt.path, tt.body); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := w.must(w.admin("GET", root+"oauthIdpConfigs/oidc.a", nil)); got["clientId"] != "c" {
		t.Errorf("a refused change has changed %v", got)
	}
}
