package token_test

import (
	"context"
	"crypto"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
)

// project is the project of the tests.
const project = "p1"

// start is the initial time of the tests' clocks.
var start = time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)

// signed returns a verifier with signatures on, and its keys.
func signed(t testing.TB, h *clocktest.Manual, o token.Options) (*token.Verifier, *token.Keys) {
	t.Helper()
	keys, err := token.OpenKeys(token.KeyOptions{Clock: h})
	if err != nil {
		t.Fatal(err)
	}
	o.Clock, o.Keys = h, keys
	return token.New(o), keys
}

// mint creates an ID token for ann.
func mint(t testing.TB, v *token.Verifier, h *clocktest.Manual) string {
	t.Helper()
	raw, err := v.MintID(project, "ann", map[string]any{"auth_time": h.Now().Unix(), "role": "user", "firebase": map[string]any{"sign_in_provider": "password"}})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// part decodes one part of a JWT.
func part(t testing.TB, raw string, i int) map[string]any {
	t.Helper()
	text, err := base64.RawURLEncoding.DecodeString(strings.Split(raw, ".")[i])
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// forge creates a JWT with the given parts. sign returns its signature.
func forge(t testing.TB, header, claims map[string]any, sign func(text string) []byte) string {
	t.Helper()
	encode := func(m map[string]any) string {
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return base64.RawURLEncoding.EncodeToString(text)
	}
	text := encode(header) + "." + encode(claims)
	return text + "." + base64.RawURLEncoding.EncodeToString(sign(text))
}

// with returns a copy of m with changes. A nil value removes a key.
func with(m map[string]any, changes map[string]any) map[string]any {
	m = maps.Clone(m)
	for k, v := range changes {
		if m[k] = v; v == nil {
			delete(m, k)
		}
	}
	return m
}

func TestForgedTokensAreRefused(t *testing.T) {
	h := clocktest.NewManual(start)
	revoked := false
	v, keys := signed(t, h, token.Options{Session: func(context.Context, token.ID) error {
		if revoked {
			return fault.E(fault.FailedPrecondition, "TOKEN_EXPIRED")
		}
		return nil
	}})
	good := mint(t, v, h)
	header, claims := part(t, good, 0), part(t, good, 1)
	kid := header["kid"].(string)
	mallory, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	byMallory := func(text string) []byte {
		digest := sha256.Sum256([]byte(text))
		sig, err := rsa.SignPKCS1v15(rand.Reader, mallory, crypto.SHA256, digest[:])
		if err != nil {
			t.Fatal(err)
		}
		return sig
	}
	block, _ := pem.Decode([]byte(keys.IDCertificates()[kid]))
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	byPublicKey := func(secret []byte) func(string) []byte {
		return func(text string) []byte {
			m := hmac.New(sha256.New, secret)
			m.Write([]byte(text))
			return m.Sum(nil)
		}
	}
	genuine := func(string) []byte {
		sig, err := base64.RawURLEncoding.DecodeString(strings.Split(good, ".")[2])
		if err != nil {
			t.Fatal(err)
		}
		return sig
	}
	nothing := func(string) []byte { return nil }
	cookie, err := v.MintCookie(token.ID{UID: "ann", Project: project, Claims: claims}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	minted := func(project string, changes map[string]any) string {
		raw, err := v.MintID(project, "ann", with(claims, changes))
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	legacy, err := v.MintLegacy(project, "ann", claims)
	if err != nil {
		t.Fatal(err)
	}
	spki, err := x509.MarshalPKIXPublicKey(cert.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, raw string }{
		{"alg none", forge(t, map[string]any{"alg": "none", "typ": "JWT"}, claims, nothing)},
		{"alg None with the key's id", forge(t, with(header, map[string]any{"alg": "None"}), claims, nothing)},
		{"alg none with the genuine signature", forge(t, with(header, map[string]any{"alg": "none"}), claims, genuine)},
		{"another key", forge(t, header, claims, byMallory)},
		{"another key, another kid", forge(t, with(header, map[string]any{"kid": "mallory"}), claims, byMallory)},
		{"no kid", forge(t, with(header, map[string]any{"kid": nil}), claims, byMallory)},
		{"kid with a path", forge(t, with(header, map[string]any{"kid": "../../../.." + kid}), claims, genuine)},
		{"own key in the header", forge(t, with(header, map[string]any{"jku": "https://evil.example.com/keys", "jwk": map[string]any{"kty": "RSA"}}), claims, byMallory)},
		{"HS256 with the certificate as secret", forge(t, with(header, map[string]any{"alg": "HS256"}), claims, byPublicKey([]byte(keys.IDCertificates()[kid])))},
		{"HS256 with the public key as secret", forge(t, with(header, map[string]any{"alg": "HS256"}), claims, byPublicKey(spki))},
		{"PS256", forge(t, with(header, map[string]any{"alg": "PS256"}), claims, genuine)},
		{"tampered claims", forge(t, header, with(claims, map[string]any{"role": "admin"}), genuine)},
		{"tampered subject", forge(t, header, with(claims, map[string]any{"sub": "eve"}), genuine)},
		{"cut signature", good[:len(good)-4]},
		{"longer signature", good + "AAAA"},
		{"empty signature", good[:strings.LastIndexByte(good, '.')+1]},
		{"four parts", good + ".x"},
		{"two parts", good[:strings.LastIndexByte(good, '.')]},
		{"empty", ""},
		{"owner", "owner"},
		{"an emulator's access token", "ya29.anything"},
		{"plain JSON", `{"sub":"ann"}`},
		{"a session cookie", cookie},
		{"a legacy token", legacy},
		{"another project", minted("p2", nil)},
		{"no subject", forge(t, header, with(claims, map[string]any{"sub": nil}), byMallory)},
		{"auth_time in the future", minted(project, map[string]any{"auth_time": h.Now().Add(time.Hour).Unix()})},
		{"not yet valid", minted(project, map[string]any{"nbf": h.Now().Add(time.Hour).Unix()})},
	}
	for _, tt := range tests {
		if c, err := v.Caller(t.Context(), "Bearer "+tt.raw, project); err == nil && !c.Anonymous() {
			t.Errorf("%s: Caller = %+v, want it refused", tt.name, c)
		} else if tt.raw != "" && err == nil {
			t.Errorf("%s: no error", tt.name)
		}
	}
	if c, err := v.Caller(t.Context(), "Bearer "+good, project); err != nil || c.UID != "ann" || c.Claims["role"] != "user" || !c.Expires.Equal(start.Add(time.Hour)) {
		t.Errorf("the genuine token: %+v, %v", c, err)
	}
	revoked = true
	if _, err := v.Caller(t.Context(), "Bearer "+good, project); !fault.Is(err, fault.Unauthenticated) {
		t.Errorf("a revoked session: %v, want Unauthenticated", err)
	}
	revoked = false
	h.Advance(time.Hour)
	if _, err := v.Caller(t.Context(), "Bearer "+good, project); !fault.Is(err, fault.Unauthenticated) {
		t.Errorf("an expired token: %v, want Unauthenticated", err)
	}
}

func TestCallerUnsigned(t *testing.T) {
	v := token.New(token.Options{Clock: clocktest.NewManual(start), Unsigned: true})
	plain := func(claims map[string]any) string {
		return "Bearer " + forge(t, map[string]any{"alg": "none"}, claims, func(string) []byte { return nil })
	}
	server := func(aud, scope string) string {
		return plain(map[string]any{"iss": "backend@p1.iam.gserviceaccount.com", "sub": "backend@p1.iam.gserviceaccount.com", "aud": aud, "scope": scope})
	}
	tests := []struct {
		name, authorization string
		want                token.Caller
		code                fault.Code
	}{
		{"nobody", "", token.Caller{}, fault.OK},
		{"a server's own JWT", server("https://firestore.googleapis.com/", ""), token.Caller{Privileged: true}, fault.OK},
		{"a server's own JWT with a scope", server("", "https://www.googleapis.com/auth/cloud-platform"), token.Caller{Privileged: true}, fault.OK},
		{"a custom token", server("https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit", ""), token.Caller{}, fault.PermissionDenied},
		{"another scheme", "Basic x", token.Caller{}, fault.OK},
		{"owner", "Bearer owner", token.Caller{Privileged: true}, fault.OK},
		{"owner in capitals", "bearer OWNER", token.Caller{Privileged: true}, fault.OK},
		{"a user, long expired", plain(map[string]any{"sub": "ann", "aud": project, "iat": 0, "exp": 3600}), token.Caller{UID: "ann"}, fault.OK},
		{"the subject alone counts", plain(map[string]any{"user_id": "ann", "aud": project}), token.Caller{}, fault.OK},
		{"another project", plain(map[string]any{"sub": "ann", "aud": "p2"}), token.Caller{}, fault.PermissionDenied},
		{"garbage", "Bearer garbage", token.Caller{}, fault.Unauthenticated},
		{"a long id", plain(map[string]any{"sub": strings.Repeat("a", 129), "aud": project}), token.Caller{UID: strings.Repeat("a", 129)}, fault.OK},
		{"an id with NUL", plain(map[string]any{"sub": "ann\x00x", "aud": project}), token.Caller{}, fault.Unauthenticated},
		{"a tenant with NUL", plain(map[string]any{"sub": "ann", "aud": project, "firebase": map[string]any{"tenant": "t\x00u"}}), token.Caller{}, fault.Unauthenticated},
	}
	for _, tt := range tests {
		got, err := v.Caller(t.Context(), tt.authorization, project)
		if fault.CodeOf(err) != tt.code || got.UID != tt.want.UID || got.Privileged != tt.want.Privileged || !got.Expires.IsZero() {
			t.Errorf("%s: Caller = %+v, %v; want %+v, %v", tt.name, got, err, tt.want, tt.code)
		}
	}
}

func TestKeysRotate(t *testing.T) {
	h := clocktest.NewManual(start)
	dir := t.TempDir()
	const period, maxAge = 10 * 24 * time.Hour, 6 * time.Hour
	open := func() *token.Keys {
		keys, err := token.OpenKeys(token.KeyOptions{Clock: h, Dir: dir, Period: period, MaxAge: maxAge})
		if err != nil {
			t.Fatal(err)
		}
		return keys
	}
	keys := open()
	v := token.New(token.Options{Clock: h, Keys: keys})
	kid := func() string { return part(t, mint(t, v, h), 0)["kid"].(string) }
	first := kid()
	h.Advance(period)
	if err := keys.Rotate(); err != nil {
		t.Fatal(err)
	}
	if n := len(keys.IDCertificates()); n != 2 {
		t.Fatalf("%d certificates after a period, want the next one published too", n)
	}
	if got := kid(); got != first {
		t.Error("the next key signs before clients can have it")
	}
	h.Advance(2 * maxAge)
	keys = open() // the state survives a restart
	v = token.New(token.Options{Clock: h, Keys: keys})
	if got := kid(); got == first {
		t.Error("the next key does not sign though it was published long enough")
	}
	if _, err := v.IDOnly(mint(t, v, h), project); err != nil {
		t.Errorf("a token of the next key: %v", err)
	}
	h.Advance(time.Hour - time.Minute)
	if err := keys.Rotate(); err != nil {
		t.Fatal(err)
	}
	if _, ok := keys.IDCertificates()[first]; !ok {
		t.Error("the old certificate is gone while its tokens are in force")
	}
	h.Advance(24 * time.Hour)
	if err := keys.Rotate(); err != nil {
		t.Fatal(err)
	}
	if _, ok := keys.IDCertificates()[first]; ok {
		t.Error("the old certificate is still published a day later")
	}
	if keys = open(); len(keys.IDCertificates()) != 1 {
		t.Errorf("%d keys on disk, want the old one removed", len(keys.IDCertificates()))
	}
}

func TestServiceAccounts(t *testing.T) {
	h := clocktest.NewManual(start)
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	kid := token.KeyID(&key.PublicKey)
	const email = "backend@p1.iam.gserviceaccount.com"
	known := token.ServiceAccount{Project: project, Role: token.Owner, Keys: map[string]*rsa.PublicKey{kid: &key.PublicKey}}
	v, _ := signed(t, h, token.Options{ServiceKeys: func(_ context.Context, e string) (token.ServiceAccount, error) {
		switch e {
		case email:
			return known, nil
		case "broken@x":
			return token.ServiceAccount{}, errors.New("disk on fire")
		}
		return token.ServiceAccount{}, nil
	}})
	sign := func(text string) []byte {
		digest := sha256.Sum256([]byte(text))
		sig, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, digest[:])
		if err != nil {
			t.Fatal(err)
		}
		return sig
	}
	header := map[string]any{"alg": "RS256", "typ": "JWT", "kid": kid}
	now := start.Unix()
	base := map[string]any{"iss": email, "sub": email, "aud": "https://x/token", "iat": now, "exp": now + 3600}
	exchange := func(changes map[string]any) (string, error) {
		access, _, err := v.Assertion(t.Context(), forge(t, header, with(base, changes), sign), []string{"https://x/token"})
		return access, err
	}
	for name, changes := range map[string]map[string]any{
		"another audience": {"aud": "https://y"}, "a longer life": {"exp": now + 7200}, "expired": {"iat": now - 7200, "exp": now - 3600},
		"unknown account": {"iss": "eve@x", "sub": "eve@x"}, "no expiry": {"exp": nil},
	} {
		if _, err := exchange(changes); !fault.Is(err, fault.Unauthenticated) {
			t.Errorf("assertion with %s: %v, want Unauthenticated", name, err)
		}
	}
	if _, err := exchange(map[string]any{"iss": "broken@x", "sub": "broken@x"}); err == nil || fault.Is(err, fault.Unauthenticated) {
		t.Errorf("a failure of ours: %v, want it to be one", err)
	}
	access, err := exchange(nil)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := v.Caller(t.Context(), "Bearer "+access, project); err != nil || !c.Privileged {
		t.Errorf("Caller with an access token = %+v, %v", c, err)
	}
	if _, err := v.Caller(t.Context(), "Bearer "+access, "p2"); !fault.Is(err, fault.PermissionDenied) {
		t.Errorf("access token on another project: %v, want PermissionDenied", err)
	}
	self := forge(t, header, with(base, map[string]any{"aud": "https://firestore.googleapis.com/"}), sign)
	if c, err := v.Caller(t.Context(), "Bearer "+self, project); err != nil || !c.Privileged {
		t.Errorf("Caller with a self-signed JWT = %+v, %v", c, err)
	}
	custom := forge(t, header, with(base, map[string]any{"aud": "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit", "uid": "ann"}), sign)
	if _, err := v.Caller(t.Context(), "Bearer "+custom, project); err == nil {
		t.Error("a custom token passed for an access token")
	}
	if got, err := v.Custom(t.Context(), custom, project); err != nil || got.UID != "ann" {
		t.Errorf("Custom = %+v, %v", got, err)
	}
	known.Keys = map[string]*rsa.PublicKey{"other": &key.PublicKey}
	if _, err := v.Caller(t.Context(), "Bearer "+access, project); !fault.Is(err, fault.Unauthenticated) {
		t.Errorf("access token of a revoked key: %v, want Unauthenticated", err)
	}
}

// TestClaimsThatMustAgree presents tokens that are signed with the right keys, with claims that must not be accepted.
func TestClaimsThatMustAgree(t *testing.T) {
	h := clocktest.NewManual(start)
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	kid := token.KeyID(&key.PublicKey)
	const email = "backend@p1.iam.gserviceaccount.com"
	v, _ := signed(t, h, token.Options{ServiceKeys: func(context.Context, string) (token.ServiceAccount, error) {
		// Every issuer has this key.
		return token.ServiceAccount{Project: project, Role: token.Owner, Keys: map[string]*rsa.PublicKey{kid: &key.PublicKey}}, nil
	}})
	sign := func(text string) []byte {
		digest := sha256.Sum256([]byte(text))
		sig, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, digest[:])
		if err != nil {
			t.Fatal(err)
		}
		return sig
	}
	now := start.Unix()
	cookie := func(of string) func() error {
		return func() error {
			raw, err := v.MintCookie(token.ID{UID: "ann", Project: of, Claims: map[string]any{"sub": "ann", "aud": project, "auth_time": now}}, time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			_, err = v.Cookie(raw, project)
			return err
		}
	}
	customBy := func(header map[string]any, changes map[string]any, sign func(string) []byte) func() error {
		base := map[string]any{
			"iss": email, "sub": email, "uid": "ann", "iat": now, "exp": now + 3600,
			"aud": "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit",
		}
		return func() error {
			_, err := v.Custom(t.Context(), forge(t, header, with(base, changes), sign), project)
			return err
		}
	}
	custom := func(changes map[string]any) func() error {
		return customBy(map[string]any{"alg": "RS256", "typ": "JWT", "kid": kid}, changes, sign)
	}
	blob := func(text string) []byte {
		_, signature, err := v.SignBlob(email, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return signature
	}
	bySignBlob := func(changes map[string]any) func() error {
		return customBy(map[string]any{"alg": "RS256", "typ": "JWT"}, changes, blob)
	}
	access := func(raw string, err error) func() error {
		if err != nil {
			t.Fatal(err)
		}
		return func() error {
			_, err := v.Caller(t.Context(), "Bearer ya29."+strings.TrimPrefix(raw, "ya29."), project)
			return err
		}
	}
	assertion := forge(t, map[string]any{"alg": "RS256", "typ": "JWT", "kid": kid}, map[string]any{"iss": email, "sub": email, "aud": "x", "iat": now, "exp": now + 3600}, sign)
	granted, _, err := v.Assertion(t.Context(), assertion, []string{"x"})
	for _, tt := range []struct {
		name string
		use  func() error
		want string
	}{
		{"a session cookie", cookie(project), ""},
		{"a session cookie that another project issued", cookie("p2"), "Missing or invalid authentication."},
		{"a custom token", custom(nil), ""},
		{"a custom token about another issuer", custom(map[string]any{"sub": "eve@p1.iam.gserviceaccount.com"}), "INVALID_CUSTOM_TOKEN : iss and sub differ"},
		{"a custom token for another service", custom(map[string]any{"aud": "https://firestore.googleapis.com/"}), "INVALID_CUSTOM_TOKEN"},
		{"a custom token that has expired", custom(map[string]any{"iat": now - 3600, "exp": now}), "INVALID_CUSTOM_TOKEN"},
		{"a custom token of two hours", custom(map[string]any{"exp": now + 7200}), "INVALID_CUSTOM_TOKEN"},
		{"a custom token of a billion years", custom(map[string]any{"exp": now + 1<<55}), "INVALID_CUSTOM_TOKEN"},
		{"a custom token since a billion years", custom(map[string]any{"iat": now - 1<<55}), "INVALID_CUSTOM_TOKEN"},
		{"a custom token without an id", custom(map[string]any{"uid": nil}), "MISSING_IDENTIFIER"},
		{"a custom token with an empty id", custom(map[string]any{"uid": ""}), "INVALID_IDENTIFIER : Invalid user ID length. Expect to have length between 1 and 128."},
		{"a custom token with an id of 128 characters", custom(map[string]any{"uid": strings.Repeat("ñ", 128)}), ""},
		{"a custom token with an id of 129 characters", custom(map[string]any{"uid": strings.Repeat("a", 129)}), "INVALID_IDENTIFIER : Invalid user ID length. Expect to have length between 1 and 128."},
		{"a custom token with a number as id", custom(map[string]any{"uid": 12345}), ""},
		{"a custom token with an object as id", custom(map[string]any{"uid": map[string]any{"a": 1}}), "MISSING_IDENTIFIER"},
		{"a custom token whose id has NUL", custom(map[string]any{"uid": "ann\x00x"}), "INVALID_IDENTIFIER : Invalid user ID."},
		{"a custom token with an unknown critical extension", customBy(map[string]any{"alg": "RS256", "typ": "JWT", "kid": kid, "crit": []string{"b64"}, "b64": false}, nil, sign), "INVALID_CUSTOM_TOKEN"},
		{"a custom token without critical extensions", customBy(map[string]any{"alg": "RS256", "typ": "JWT", "kid": kid, "crit": []string{}}, nil, sign), "INVALID_CUSTOM_TOKEN"},
		{"a custom token by SignBlob with a critical extension", customBy(map[string]any{"alg": "RS256", "typ": "JWT", "crit": []string{"x"}, "x": 1}, nil, blob), "INVALID_CUSTOM_TOKEN"},
		{"an assertion with a critical extension", func() error {
			claims := map[string]any{"iss": email, "sub": email, "aud": "x", "iat": now, "exp": now + 3600}
			header := map[string]any{"alg": "RS256", "typ": "JWT", "kid": kid, "crit": []string{"x"}, "x": 1}
			_, _, err := v.Assertion(t.Context(), forge(t, header, claims, sign), []string{"x"})
			return err
		}, "Invalid JWT: not made by a service account."},
		{"a custom token by SignBlob", bySignBlob(nil), ""},
		{"a custom token by SignBlob that has expired", bySignBlob(map[string]any{"iat": now - 3600, "exp": now}), "INVALID_CUSTOM_TOKEN : token has expired"},
		{"a custom token by SignBlob of two hours", bySignBlob(map[string]any{"exp": now + 7200}), "INVALID_CUSTOM_TOKEN : has a lifetime of more than an hour"},
		{"a custom token by SignBlob of a billion years", bySignBlob(map[string]any{"exp": now + 1<<55}), "INVALID_CUSTOM_TOKEN : has a lifetime of more than an hour"},
		{"an access token", access(granted, err), ""},
		{"an assertion of a billion years", func() error {
			claims := map[string]any{"iss": email, "sub": email, "aud": "x", "iat": now, "exp": now + 1<<55}
			_, _, err := v.Assertion(t.Context(), forge(t, map[string]any{"alg": "RS256", "typ": "JWT", "kid": kid}, claims, sign), []string{"x"})
			return err
		}, "Missing or invalid authentication."},
		{"a legacy token as an access token", access(v.MintLegacy(project, "ann", map[string]any{"project": project, "key": kid})), "Missing or invalid authentication."},
	} {
		got := ""
		if err := tt.use(); err != nil {
			got = fault.FromError(err).Message
		}
		if !strings.HasPrefix(got, tt.want) || (got == "") != (tt.want == "") {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	h.Advance(token.Life)
	if err := access(granted, nil)(); err == nil {
		t.Error("an access token was accepted after its expiry")
	}
}

func FuzzCaller(f *testing.F) {
	h := clocktest.NewManual(start)
	v, _ := signed(f, h, token.Options{})
	loose := token.New(token.Options{Clock: h, Unsigned: true})
	good := mint(f, v, h)
	f.Add(good)
	f.Add(`{"uid":"x"}`)
	f.Add("eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.")
	f.Fuzz(func(t *testing.T, raw string) {
		if c, err := v.Caller(t.Context(), "Bearer "+raw, project); err == nil && !c.Anonymous() && strings.TrimSpace(raw) != good {
			t.Errorf("%q was believed", raw)
		}
		_, _ = loose.Caller(t.Context(), "Bearer "+raw, project) // must not panic
		_, _ = loose.Custom(t.Context(), raw, project)
	})
}
