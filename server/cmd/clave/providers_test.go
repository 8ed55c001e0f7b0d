package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/internal/auth/secret/secrettest"
	"clave/server/internal/store/pebble"
)

// certificate is one of a SAML provider.
const certificate = `-----BEGIN CERTIFICATE-----
MIIBczCCARmgAwIBAgIURSU0ekW9lKVakX+xm/UQdyq9d7kwCgYIKoZIzj0EAwIw
DjEMMAoGA1UEAwwDaWRwMCAXDTI2MTEyNzAwNDkxNloYDzIxMjYxMTAzMDA0OTE2
WjAOMQwwCgYDVQQDDANpZHAwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAR7pgXf
NDNWPTmi6O+pArsAEsk+cd23RlAtuWYuBPZjz08O2S6hdBbYEMOgWpPR+Oj4UUim
sHiTlbyDxTzJt6DBo1MwUTAdBgNVHQ4EFgQUKu0S6jQnAr1rtIUK9wvhBb5KHJsw
HwYDVR0jBBgwFoAUKu0S6jQnAr1rtIUK9wvhBb5KHJswDwYDVR0TAQH/BAUwAwEB
/zAKBggqhkjOPQQDAgNIADBFAiEA3lx3UmwLl28zV544405F1KFaK6lsilnOlafS
hVuu+q8CICvA4bVyTrIFQ0aml++2fpUDfL5GVdXir6KtDBOW9sdt
-----END CERTIFICATE-----
`

// TestProviders adds, changes, lists and removes providers in a data folder that no server uses. No secret is printed
// or in a file of the folder.
func TestProviders(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("keys", secrettest.Line("key"))
	write("google.secret", "hunter2-hunter2\n")
	write("empty", "\n")
	write("idp.pem", certificate)
	inside := strings.Split(certificate, "-----")[2]
	const idpRole = `<IDPSSODescriptor`
	metadata := `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.example/metadata"><IDPSSODescriptor><KeyDescriptor use="signing">` +
		`<KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>` + inside + `</X509Certificate></X509Data></KeyInfo></KeyDescriptor>` +
		`<SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://idp.example/sso"/></IDPSSODescriptor></EntityDescriptor>`
	write("idp.xml", metadata)
	write("signed.xml", strings.Replace(metadata, idpRole, idpRole+` WantAuthnRequestsSigned="true"`, 1))
	store, err := pebble.Open(filepath.Join("data", "store"), pebble.Options{})
	if err == nil {
		err = store.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	const sealing = "--secret-key-file=keys"
	for _, c := range []struct {
		args []string
		code int
		want []string
	}{
		{[]string{"list"}, 0, []string{"PROVIDER"}},
		{[]string{"add", "facetube"}, 2, []string{"facetube", "google"}},
		{[]string{"add", "google"}, 1, []string{"--client-id"}},
		{[]string{"add", "oidc.acme", "--client-id=c"}, 1, []string{"--issuer"}},
		{[]string{"add", "google", "--client-id=c", "--issuer=https://evil.example"}, 2, []string{"--issuer"}},
		{[]string{"add", "google", "--client-id=c", "--team-id=T"}, 2, []string{"apple"}},
		{[]string{"add", "google", "--client-id=c", "--client-secret-file=google.secret"}, 1, []string{"--secret-key-file"}},
		{[]string{"add", "google", "--client-id=c", "--client-secret-file=empty", sealing}, 1, []string{"empty"}},
		{[]string{"add", "google", "--client-id=c", "--client-secret-file=none", sealing}, 1, []string{"none"}},
		{[]string{"add", "google", "--client-id=c", "--client-secret-file=google.secret", "--public-url=https://data.example.org", sealing}, 0, []string{"added", "https://data.example.org/__/auth/handler"}},
		{[]string{"add", "google", "--client-id=d", "--additional-client-id=a", "--additional-client-id=b"}, 0, []string{"changed", "https://YOUR-HOST/"}},
		{[]string{"add", "oidc.acme", "--client-id=c", "--issuer=https://acme.example", "--disabled"}, 0, []string{"added"}},
		{[]string{"add", "oauth.plain", "--client-id=c"}, 1, []string{"--authorization-url"}},
		{[]string{"add", "oauth.plain", "--client-id=c", "--authorization-url=https://plain.example/page", "--token-url=https://plain.example/token", "--user-info-url=https://plain.example/me"}, 1, []string{"--client-secret-file"}},
		{
			[]string{"add", "oauth.plain", "--client-id=c", "--client-secret-file=google.secret", "--authorization-url=https://plain.example/page", "--token-url=http://plain.example/token", "--user-info-url=https://plain.example/me", sealing},
			1, []string{"oauthConfig.tokenUrl"},
		},
		{
			[]string{"add", "oauth.plain", "--client-id=c", "--client-secret-file=google.secret", "--authorization-url=https://plain.example/page", "--token-url=https://plain.example/token", "--user-info-url=https://plain.example/me", "--scope=profile:read", sealing},
			0, []string{"added", "/__/auth/handler"},
		},
		{[]string{"add", "oauth.plain", "--email-verified-member=data.confirmed", "--introspection-url=https://plain.example/introspect"}, 0, []string{"changed"}},
		{[]string{"add", "oidc.acme", "--scope=email"}, 2, []string{"oauth.NAME"}},
		{[]string{"add", "oauth."}, 2, []string{"oauth.NAME"}},
		{[]string{"list"}, 0, []string{"oauth.plain   -        enabled    c        clientSecret"}},
		{[]string{"remove", "oauth.plain"}, 0, []string{"oauth.plain is removed"}},
		{[]string{"add", "saml.corp", "--client-id=c"}, 2, []string{"--idp-entity-id"}},
		{[]string{"add", "oidc.acme", "--sso-url=https://idp.example"}, 2, []string{"saml.NAME"}},
		{[]string{"add", "saml.corp", "--idp-entity-id=i", "--sso-url=https://idp.example", "--certificate-file=idp.pem"}, 1, []string{"--sp-entity-id"}},
		{[]string{"add", "saml.corp", "--idp-entity-id=i", "--sso-url=https://idp.example", "--sp-entity-id=s"}, 1, []string{"--certificate-file"}},
		{[]string{"add", "saml.corp", "--idp-entity-id=i", "--sso-url=https://idp.example", "--sp-entity-id=s", "--certificate-file=keys"}, 1, []string{"PEM"}},
		{[]string{"add", "saml.corp", "--idp-entity-id=i", "--sso-url=http://idp.example", "--sp-entity-id=s", "--certificate-file=idp.pem"}, 1, []string{"https"}},
		{
			[]string{"add", "saml.corp", "--idp-entity-id=i", "--sso-url=https://idp.example", "--sp-entity-id=clave-of-corp", "--certificate-file=idp.pem", "--public-url=https://data.example.org"}, 0,
			[]string{"added", "clave-of-corp", "https://data.example.org/__/auth/handler"},
		},
		{[]string{"add", "saml.corp", "--callback-url=https://data.example.org/__/auth/handler", "--email-domain=corp.example"}, 0, []string{"changed", "clave-of-corp", "ACS URL"}},
		{[]string{"add", "saml.corp", "--sso-url=javascript:alert(1)"}, 1, []string{"https"}},
		{[]string{"list"}, 0, []string{"google.com   -        enabled    d               clientSecret", "oidc.acme    -        disabled   c               -", "saml.corp    -        enabled    clave-of-corp   -"}},
		{[]string{"add", "saml.meta", "--metadata=keys", "--sp-entity-id=s"}, 1, []string{"keys: not the metadata"}},
		{[]string{"add", "saml.meta", "--metadata=none", "--sp-entity-id=s"}, 1, []string{"none"}},
		{[]string{"add", "saml.meta", "--metadata=idp.xml"}, 1, []string{"--sp-entity-id"}},
		{[]string{"add", "oidc.acme", "--metadata=idp.xml"}, 2, []string{"saml.NAME"}},
		{[]string{"add", "saml.meta", "--metadata=idp.xml", "--sp-entity-id=clave-of-meta"}, 0, []string{"added", "clave-of-meta"}},
		{[]string{"add", "saml.meta", "--sign-requests"}, 1, []string{"--secret-key-file"}},
		{[]string{"add", "saml.meta", "--sign-requests", sealing}, 0, []string{"changed", "signed requests:\n-----BEGIN CERTIFICATE-----\n", "\n-----END CERTIFICATE-----\n"}},
		{[]string{"add", "google", "--sign-requests"}, 2, []string{"saml.NAME"}},
		{[]string{"list"}, 0, []string{"clave-of-meta   spConfig.privateKey"}},
		{[]string{"add", "saml.signed", "--metadata=signed.xml", "--sp-entity-id=s"}, 1, []string{"--secret-key-file"}},
		{[]string{"add", "saml.signed", "--metadata=signed.xml", "--sp-entity-id=s", sealing}, 0, []string{"added", "signed requests:\n-----BEGIN CERTIFICATE-----\n"}},
		{[]string{"remove", "saml.signed"}, 0, []string{"saml.signed is removed"}},
		{[]string{"remove", "saml.meta"}, 0, []string{"saml.meta is removed"}},
		{[]string{"remove", "saml.corp"}, 0, []string{"saml.corp is removed"}},
		{[]string{"remove", "google"}, 0, []string{"google.com is removed"}},
		{[]string{"remove", "google"}, 1, []string{"no provider google.com"}},
		{[]string{"list"}, 0, []string{"oidc.acme"}},
	} {
		args := append([]string{"providers"}, c.args...)
		code, text := output(t, append(args, "--project", "foundation", "--data", "data")...)
		if code != c.code || strings.Contains(text, "hunter2") || strings.Contains(text, "PRIVATE KEY") {
			t.Errorf("%v: %d %q, want %d", c.args, code, text, c.code)
		}
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%v printed %q, want %q", c.args, text, want)
			}
		}
	}
	if _, text := output(t, "providers", "list", "--project", "foundation", "--data", "data"); strings.Contains(text, "google") {
		t.Errorf("after its removal: %q", text)
	}
}
