package token_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"strings"
	"testing"
	"time"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
)

// app is the id of the tests' app.
const app = "1:123456:web:abcdef"

// checking returns a verifier that accepts App Check tokens: its own, and those of foreign keys.
func checking(t *testing.T, h *clocktest.Manual, foreign func(kid string) (*rsa.PublicKey, error)) *token.Verifier {
	t.Helper()
	keys, err := token.OpenKeys(token.KeyOptions{Clock: h, AppCheck: true})
	if err != nil {
		t.Fatal(err)
	}
	return token.New(token.Options{Clock: h, Keys: keys, AppCheckKeys: foreign})
}

// signer returns a key and a function that signs with it.
func signer(t *testing.T) (*rsa.PrivateKey, func(text string) []byte) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return key, func(text string) []byte {
		digest := sha256.Sum256([]byte(text))
		signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, digest[:])
		if err != nil {
			t.Error(err)
		}
		return signature
	}
}

// TestAppCheckTokens mints tokens and presents them and forged ones, each twice, because a valid one is kept.
func TestAppCheckTokens(t *testing.T) {
	h := clocktest.NewManual(start)
	other, byOther := signer(t)
	v := checking(t, h, func(kid string) (*rsa.PublicKey, error) {
		switch kid {
		case "other":
			return &other.PublicKey, nil
		case "unread":
			return nil, fault.E(fault.Unavailable, "not read yet")
		}
		return nil, nil
	})
	mint := func(project, app string) string {
		raw, err := v.MintAppCheck(project, app, "an id", time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	good := mint(project, app)
	header, claims := part(t, good, 0), part(t, good, 1)
	if claims["iss"] != "https://firebaseappcheck.googleapis.com/123456" || claims["aud"].([]any)[0] != "projects/123456" || claims["aud"].([]any)[1] != "projects/"+project || claims["sub"] != app || header["alg"] != "RS256" {
		t.Errorf("a token has the header %v and the claims %v", header, claims)
	}
	_, byMallory := signer(t)
	nothing := func(string) []byte { return nil }
	foreign := map[string]any{"alg": "RS256", "kid": "other"}
	id, err := v.MintID(project, "ann", map[string]any{"aud": []string{"projects/" + project}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, raw string
		want      fault.Code
	}{
		{"ours", good, fault.OK},
		{"ours of an app without a number", mint(project, "site"), fault.OK},
		{"another service's", forge(t, foreign, claims, byOther), fault.OK},
		{"another service's with its project first", forge(t, foreign, with(claims, map[string]any{"aud": []string{"projects/" + project, "projects/1"}}), byOther), fault.OK},
		{"nothing", "", fault.Unauthenticated},
		{"the SDK's token for an error", "eyJlcnJvciI6IlVOS05PV05fRVJST1IifQ==", fault.Unauthenticated},
		{"of another project", mint("p2", app), fault.Unauthenticated},
		{"of another project with this one's id as its number", mint("p2", "1:"+project+":web:x"), fault.Unauthenticated},
		{"of another project with a number like this one's id", mint("7777", "1:1234:web:x"), fault.Unauthenticated},
		{"without signature", forge(t, with(header, map[string]any{"alg": "none"}), claims, nothing), fault.Unauthenticated},
		{"with an empty signature", forge(t, header, claims, nothing), fault.Unauthenticated},
		{"by another key with our id", forge(t, header, claims, byMallory), fault.Unauthenticated},
		{"by another key", forge(t, with(header, map[string]any{"kid": "x"}), claims, byMallory), fault.Unauthenticated},
		{"by another key with the other service's id", forge(t, foreign, claims, byMallory), fault.Unauthenticated},
		{"by the other service's key with our id", forge(t, header, claims, byOther), fault.Unauthenticated},
		{"without a key's id", forge(t, with(header, map[string]any{"kid": nil}), claims, byOther), fault.Unauthenticated},
		{"by keys that are not read yet", forge(t, with(header, map[string]any{"kid": "unread"}), claims, byMallory), fault.Unavailable},
		{"an ID token", id, fault.Unauthenticated},
		{"expired", forge(t, foreign, with(claims, map[string]any{"exp": start.Unix()}), byOther), fault.Unauthenticated},
		{"without an end", forge(t, foreign, with(claims, map[string]any{"exp": nil}), byOther), fault.Unauthenticated},
		{"from the future", forge(t, foreign, with(claims, map[string]any{"iat": start.Add(time.Hour).Unix()}), byOther), fault.Unauthenticated},
		{"of another issuer", forge(t, foreign, with(claims, map[string]any{"iss": "https://securetoken.google.com/" + project}), byOther), fault.Unauthenticated},
		{"of another service's other project", forge(t, foreign, with(claims, map[string]any{"aud": []string{"projects/p2"}}), byOther), fault.Unauthenticated},
		{"whose audience is a text", forge(t, foreign, with(claims, map[string]any{"aud": "projects/" + project}), byOther), fault.Unauthenticated},
		{"without an app", forge(t, foreign, with(claims, map[string]any{"sub": ""}), byOther), fault.Unauthenticated},
		{"with unknown extensions", forge(t, with(foreign, map[string]any{"crit": []string{"x"}}), claims, byOther), fault.Unauthenticated},
		{"huge", forge(t, foreign, with(claims, map[string]any{"x": strings.Repeat("x", 9<<10)}), byOther), fault.Unauthenticated},
		{"with another ending", good + "A", fault.Unauthenticated},
	} {
		for range 2 {
			got, err := v.AppCheck(tt.raw, project)
			if fault.CodeOf(err) != tt.want || err == nil && (got.App == "" || got.ID != "an id" || !got.Expires.Equal(start.Add(time.Hour))) {
				t.Errorf("%s: %+v, %v, want %v", tt.name, got, err, tt.want)
			}
		}
	}
	if _, err := v.IDOnly(good, project); !fault.Is(err, fault.Unauthenticated) {
		t.Errorf("an App Check token as ID token: %v", err)
	}
	h.Advance(time.Hour)
	if _, err := v.AppCheck(good, project); !fault.Is(err, fault.Unauthenticated) {
		t.Errorf("a kept token after its end: %v", err)
	}
}

// TestAKeptAppCheckTokenNeedsItsKey presents a token again after its service has withdrawn the key.
func TestAKeptAppCheckTokenNeedsItsKey(t *testing.T) {
	h := clocktest.NewManual(start)
	other, byOther := signer(t)
	published := &other.PublicKey
	v := checking(t, h, func(string) (*rsa.PublicKey, error) { return published, nil })
	raw := forge(t, map[string]any{"alg": "RS256", "kid": "other"}, map[string]any{
		"iss": "https://firebaseappcheck.googleapis.com/1", "aud": []string{"projects/" + project}, "sub": app, "iat": start.Unix(), "exp": start.Add(time.Hour).Unix(),
	}, byOther)
	if _, err := v.AppCheck(raw, project); err != nil {
		t.Fatal(err)
	}
	next, _ := signer(t)
	published = &next.PublicKey
	if _, err := v.AppCheck(raw, project); !fault.Is(err, fault.Unauthenticated) {
		t.Errorf("a token of a key that was replaced: %v", err)
	}
	published = nil
	if _, err := v.AppCheck(raw, project); !fault.Is(err, fault.Unauthenticated) {
		t.Errorf("a token of a key that was withdrawn: %v", err)
	}
}
