package provider_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"clave/server/internal/auth/provider"
	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/idp"
	"clave/server/internal/base/fault"
)

// TestRevoke revokes tokens of Apple: by users who signed in with it only, and with a client secret that the team has
// signed.
func TestRevoke(t *testing.T) {
	f := open(t, func(o *provider.Options) { o.Issuers["apple.com"] = o.Issuers["google.com"] })
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	private := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	f.configure(idp.Default, "apple.com", map[string]any{"clientSecret": nil, "appleSignInConfig": map[string]any{
		"codeFlowConfig": map[string]any{"teamId": "TEAM", "keyId": "KEY", "privateKey": private},
	}})
	signIn := func(id string) string {
		got, err := f.present("http://localhost", url.Values{"providerId": {id}, "id_token": {f.issuer.IDToken(map[string]any{"sub": id, "email": nil})}}.Encode(), "")
		if err != nil {
			t.Fatal(err)
		}
		return got.IDToken
	}
	user, other := signIn("apple.com"), signIn("google.com")
	var revoked []string
	f.issuer.Break = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/auth/revoke" {
			return false
		}
		signed, err := jose.ParseSigned(r.FormValue("client_secret"), []jose.SignatureAlgorithm{jose.ES256})
		if err == nil {
			_, err = signed.Verify(&key.PublicKey)
		}
		if err != nil || r.Method != http.MethodPost || r.FormValue("client_id") != "clave" || r.FormValue("token") == "refused" {
			w.WriteHeader(http.StatusBadRequest)
			return true
		}
		revoked = append(revoked, r.FormValue("token_type_hint")+" "+r.FormValue("token"))
		return true
	}
	for _, c := range []struct {
		name, provider, idToken, kind, token, want string
	}{
		{"an access token", "apple.com", user, "ACCESS_TOKEN", "a", ""},
		{"a refresh token", "apple.com", user, "REFRESH_TOKEN", "r", ""},
		{"a token that Apple refuses", "apple.com", user, "ACCESS_TOKEN", "refused", "INVALID_IDP_RESPONSE"},
		{"no user", "apple.com", "", "ACCESS_TOKEN", "a", "MISSING_ID_TOKEN"},
		{"a forged user", "apple.com", "x.y.z", "ACCESS_TOKEN", "a", "INVALID_ID_TOKEN"},
		{"a user of another provider", "apple.com", other, "ACCESS_TOKEN", "a", "NO_SUCH_PROVIDER"},
		{"no token", "apple.com", user, "ACCESS_TOKEN", "", "MISSING_REQ_FIELD"},
		{"a code", "apple.com", user, "3", "c", "Only tokens"},
		{"another provider", "google.com", other, "ACCESS_TOKEN", "a", "OPERATION_NOT_ALLOWED"},
	} {
		_, err := f.RevokeToken(t.Context(), client, &service.RevokeTokenRequest{ProviderID: &c.provider, IDToken: &c.idToken, TokenType: &c.kind, Token: &c.token})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(apierror.Text(err), c.want) || fault.CodeOf(err) == fault.Internal) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if got := strings.Join(revoked, ", "); got != "access_token a, refresh_token r" {
		t.Errorf("revoked %q", got)
	}
}
