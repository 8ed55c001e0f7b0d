package provider_test

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	dsig "github.com/russellhaering/goxmldsig"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/idp"
)

// signedConfig returns a configuration whose requests are signed. It tries to bring a key of its own.
func signedConfig() map[string]any {
	body := samlConfigOf(theSigner().pem)
	body["idpConfig"].(map[string]any)["signRequest"] = true
	own := body["spConfig"].(map[string]any)
	own["privateKey"], own["spCertificates"] = "a key of the request", []any{map[string]any{"x509Certificate": theSigner().pem}}
	return body
}

// certificateOf returns the certificate of signed requests that the API shows, empty for none. No answer has the key.
func certificateOf(t *testing.T, config map[string]any) string {
	t.Helper()
	text, err := json.Marshal(config)
	if err != nil || strings.Contains(string(text), "PRIVATE KEY") || strings.Contains(string(text), "privateKey") {
		t.Errorf("the API shows the key of requests: %s, %v", text, err)
	}
	own, _ := config["spConfig"].(map[string]any)
	list, _ := own["spCertificates"].([]any)
	if len(list) == 0 {
		return ""
	}
	one, _ := list[0].(map[string]any)
	pem, _ := one["x509Certificate"].(string)
	if len(list) != 1 || pem == "" || one["expiresAt"] == "" {
		t.Errorf("the certificates of requests are %v, want one with its end", list)
	}
	return pem
}

// wantSigned begins a sign-in whose request is signed by the key of a certificate, and completes it. An empty
// certificate stands for a request without a signature.
func (f *fixture) wantSigned(id, certificate string) {
	f.t.Helper()
	back := redirect
	begun, err := f.CreateAuthURI(f.t.Context(), client, &service.AuthURIRequest{ProviderID: &id, ContinueURI: &back})
	if err != nil {
		f.t.Fatal(err)
	}
	to, err := url.Parse(begun.AuthURI)
	if err != nil {
		f.t.Fatal(err)
	}
	raw, signature, signed := strings.Cut(to.RawQuery, "&Signature=")
	if signed != (certificate != "") {
		f.t.Fatalf("the request is signed: %v, want %v", signed, !signed)
	}
	if signed {
		of, err := idp.Certificate(certificate)
		if err != nil {
			f.t.Fatal(err)
		}
		plain, err := url.QueryUnescape(signature)
		if err != nil {
			f.t.Fatal(err)
		}
		bytes, err := base64.StdEncoding.DecodeString(plain)
		if err != nil {
			f.t.Fatal(err)
		}
		sum := sha256.Sum256([]byte(strings.TrimPrefix(raw, "app=7&")))
		key, _ := of.PublicKey.(*rsa.PublicKey)
		if err := rsa.VerifyPKCS1v15(key, crypto.SHA256, sum[:], bytes); err != nil || to.Query().Get("SigAlg") != dsig.RSASHA256SignatureMethod {
			f.t.Errorf("the signature of the request %s: %v, %s", to, err, to.Query().Get("SigAlg"))
		}
	}
	s := f.beginSAML(client, id)
	if got, err := f.presentSAML(client, s, f.reply(s).response()); err != nil || got.IDToken == "" {
		f.t.Errorf("the sign-in: %+v, %v", got, err)
	}
}

// TestSignedSAMLRequests signs in with signed requests. The key stays when other fields change, and is another one
// after the requests were not signed for a while; no request and no answer has it.
func TestSignedSAMLRequests(t *testing.T) {
	f := openSAML(t)
	made, err := f.CreateIdpConfig(t.Context(), admin, &service.IdpConfigRequest{Kind: idp.SAML, ID: "saml.signed", Body: signedConfig()})
	if err != nil {
		t.Fatal(err)
	}
	first := certificateOf(t, made)
	if first == "" || first == theSigner().pem {
		t.Fatalf("the certificate of requests is %q, want one of the server", first)
	}
	f.wantSigned("saml.signed", first)
	var stored json.RawMessage
	if _, err := f.accounts.Load(account.Scope{Project: project}, idp.SAML, "saml.signed", &stored); err != nil || strings.Contains(string(stored), "PRIVATE KEY") {
		t.Errorf("the stored configuration is %s, %v; want a sealed key", stored, err)
	}
	update := func(body map[string]any, mask ...string) string {
		t.Helper()
		changed, err := f.UpdateIdpConfig(t.Context(), admin, &service.IdpConfigRequest{Kind: idp.SAML, ID: "saml.signed", Body: body, Mask: mask})
		if err != nil {
			t.Fatal(err)
		}
		return certificateOf(t, changed)
	}
	for name, got := range map[string]string{
		"another name":        update(map[string]any{"displayName": "corp"}, "displayName"),
		"the whole spConfig":  update(signedConfig(), "spConfig"),
		"everything":          update(signedConfig()),
		"its own certificate": update(signedConfig(), "spConfig.spCertificates", "spConfig.privateKey"),
	} {
		if got != first {
			t.Errorf("%s: the certificate is another one", name)
		}
	}
	f.wantSigned("saml.signed", first)
	off := map[string]any{"idpConfig": map[string]any{"signRequest": false}}
	if got := update(off, "idpConfig.signRequest"); got != "" {
		t.Errorf("without signed requests the certificate is %q", got)
	}
	f.wantSigned("saml.signed", "")
	second := update(signedConfig(), "idpConfig.signRequest")
	if second == "" || second == first {
		t.Errorf("signed again, the certificate is %q, want another one", second)
	}
	f.wantSigned("saml.signed", second)
}

// TestSignedSAMLRequestsMove imports a provider with signed requests: on the same server it keeps its key. On another
// one nobody can sign in until the configuration is stored again, which makes a key.
func TestSignedSAMLRequestsMove(t *testing.T) {
	f, other := openSAML(t), openSAML(t)
	made, err := f.CreateIdpConfig(t.Context(), admin, &service.IdpConfigRequest{Kind: idp.SAML, ID: "saml.signed", Body: signedConfig()})
	if err != nil {
		t.Fatal(err)
	}
	all, err := f.ExportIdpConfigs(t.Context(), admin)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		to   *fixture
		lost bool
	}{{f, false}, {other, true}} {
		for i := range all {
			text, err := json.Marshal(all[i])
			if err != nil || strings.Contains(string(text), "PRIVATE KEY") {
				t.Fatalf("the export is %s, %v", text, err)
			}
			copied := all[i]
			copied.Config = nil
			if err := json.Unmarshal(text, &copied); err != nil {
				t.Fatal(err)
			}
			missing, err := c.to.ImportIdpConfig(t.Context(), admin, &copied)
			if want := c.lost && copied.ID == "saml.signed"; err != nil || (len(missing) > 0) != want {
				t.Errorf("importing %s: %q is missing, %v", copied.ID, missing, err)
			}
		}
	}
	f.wantSigned("saml.signed", certificateOf(t, made))
	id, back := "saml.signed", redirect
	if got, err := other.CreateAuthURI(t.Context(), client, &service.AuthURIRequest{ProviderID: &id, ContinueURI: &back}); err == nil || !strings.HasPrefix(apierror.Text(err), "OPERATION_NOT_ALLOWED") {
		t.Errorf("without the key: %+v, %v; want OPERATION_NOT_ALLOWED", got, err)
	}
	again, err := other.UpdateIdpConfig(t.Context(), admin, &service.IdpConfigRequest{Kind: idp.SAML, ID: id, Body: map[string]any{"enabled": true}, Mask: []string{"enabled"}})
	if err != nil {
		t.Fatal(err)
	}
	if certificateOf(t, again) == certificateOf(t, made) {
		t.Error("the new key has the old certificate")
	}
	other.wantSigned(id, certificateOf(t, again))
}
