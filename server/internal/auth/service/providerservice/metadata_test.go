package providerservice_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"math/big"
	"slices"
	"strings"
	"testing"

	"clave/server/internal/auth/service/providerservice"
	"clave/server/internal/base/fault"
)

// newCertificate returns a new self-signed certificate.
func newCertificate(t *testing.T) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

// TestReadMetadata reads metadata of SAML providers in the forms that they have, and refuses what cannot be used.
func TestReadMetadata(t *testing.T) {
	first, second := newCertificate(t), newCertificate(t)
	// Lines are broken and indented, as providers write them.
	text := func(der []byte) string {
		long := base64.StdEncoding.EncodeToString(der)
		return "\n        " + long[:64] + "\n        " + long[64:] + "\n"
	}
	key := func(use string, der []byte) string {
		return `<md:KeyDescriptor` + use + `><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>` + text(der) + `</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`
	}
	const (
		post     = `<md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://idp.example/post"/>`
		redirect = `<md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://idp.example/sso?app=7&amp;b=1"/>`
		bad      = `<md:KeyDescriptor><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>QUJD</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`
	)
	of := func(attributes, inside string) string {
		return `<?xml version="1.0"?><md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.example/metadata">` +
			`<md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"` + attributes + `>` + inside + `</md:IDPSSODescriptor></md:EntityDescriptor>`
	}
	inPEM := func(der []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	}
	got, err := providerservice.ReadMetadata([]byte(of(` WantAuthnRequestsSigned="false"`, key(` use="signing"`, first)+key("", second)+key("", first)+key(` use="encryption"`, newCertificate(t))+post+redirect)))
	if err != nil || got.SignRequests || got.EntityID != "https://idp.example/metadata" || got.SSOURL != "https://idp.example/sso?app=7&b=1" || !slices.Equal(got.Certificates, []string{inPEM(first), inPEM(second)}) {
		t.Errorf("the metadata: %+v, %v", got, err)
	}
	for _, yes := range []string{"true", "1"} {
		got, err := providerservice.ReadMetadata([]byte(of(` WantAuthnRequestsSigned="`+yes+`"`, key("", first)+redirect)))
		if err != nil || !got.SignRequests {
			t.Errorf("the metadata of a provider that wants signed requests (%s): %+v, %v", yes, got, err)
		}
	}
	for name, c := range map[string]struct {
		text string
		want fault.Code
	}{
		"POST only":             {of("", key("", first)+post), fault.InvalidArgument},
		"no key for signatures": {of("", key(` use="encryption"`, first)+redirect), fault.InvalidArgument},
		"no certificate":        {of("", bad+redirect), fault.InvalidArgument},
		"of a client":           {`<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="x"/>`, fault.InvalidArgument},
		"of a federation":       {`<EntitiesDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata"/>`, fault.InvalidArgument},
		"a page":                {`<!doctype html><title>Sign in</title>`, fault.InvalidArgument},
		"an entity":             {`<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>` + strings.Replace(of("", key("", first)+redirect), "https://idp.example/metadata", "&e;", 1), fault.InvalidArgument},
		"nothing":               {"", fault.InvalidArgument},
	} {
		if got, err := providerservice.ReadMetadata([]byte(c.text)); !fault.Is(err, c.want) {
			t.Errorf("%s: %+v, %v; want %v", name, got, err, c.want)
		}
	}
}
