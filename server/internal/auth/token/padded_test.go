package token_test

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock/clocktest"
)

// TestPaddedJWTsOfServiceAccounts uses the JWTs of Python's google-auth before 1.7, whose parts have the padding of
// base64. They are accepted from service accounts only.
func TestPaddedJWTsOfServiceAccounts(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	kid := token.KeyID(&key.PublicKey)
	const email = "backend@p1.iam.gserviceaccount.com"
	v, _ := signed(t, clocktest.NewManual(start), token.Options{ServiceKeys: func(context.Context, string) (token.ServiceAccount, error) {
		return token.ServiceAccount{Project: project, Role: token.Owner, Keys: map[string]*rsa.PublicKey{kid: &key.PublicKey}}, nil
	}})
	// made returns a JWT whose parts end with their padding, and with extra.
	made := func(claims map[string]any, extra string) string {
		t.Helper()
		var parts []string
		for _, m := range []map[string]any{{"alg": "RS256", "typ": "JWT", "kid": kid}, claims} {
			text, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts, base64.URLEncoding.EncodeToString(text)+extra)
		}
		text := strings.Join(parts, ".")
		digest := sha256.Sum256([]byte(text))
		signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, digest[:])
		if err != nil {
			t.Fatal(err)
		}
		return text + "." + base64.URLEncoding.EncodeToString(signature) + extra
	}
	uses := []struct {
		name, audience string
		use            func(raw string) error
	}{
		{"a request for an access token", "https://x/token", func(raw string) error {
			_, _, err := v.Assertion(t.Context(), raw, []string{"https://x/token"})
			return err
		}},
		{"a custom token", "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit", func(raw string) error {
			_, err := v.Custom(t.Context(), raw, project)
			return err
		}},
		{"a JWT in place of an access token", "https://firestore.googleapis.com/", func(raw string) error {
			_, err := v.Admin(t.Context(), "Bearer "+raw, project)
			return err
		}},
	}
	for _, u := range uses {
		for _, fill := range []string{"", "a", "aa"} { // Each one needs other padding.
			claims := map[string]any{
				"iss": email, "sub": email, "uid": "ann", "aud": u.audience, "fill": fill, "iat": start.Unix(), "exp": start.Unix() + 3600,
			}
			if err := u.use(made(claims, "")); err != nil {
				t.Errorf("%s with padding: %v", u.name, err)
			}
			if err := u.use(made(claims, "=")); err == nil {
				t.Errorf("%s with too much padding was accepted", u.name)
			}
		}
	}
	id, err := v.MintID(project, "ann", map[string]any{"auth_time": start.Unix()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := v.Caller(t.Context(), "Bearer "+id, project); err != nil {
		t.Fatalf("an ID token: %v", err)
	}
	if _, err := v.Caller(t.Context(), "Bearer "+id+"==", project); err == nil {
		t.Error("an ID token with padding was accepted")
	}
}
