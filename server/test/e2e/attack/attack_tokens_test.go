package attack

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"clave/server/internal/auth/token"

	"clave/server/test/e2e/harness"
)

// part returns a part of a JWT.
func part(t *testing.T, of any) string {
	t.Helper()
	text, err := json.Marshal(of)
	if err != nil {
		t.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// forgedTokens returns tokens that must not be accepted as ID tokens of a user, by how they were made.
func (b *attacked) forgedTokens(t *testing.T, uid string) map[string]string {
	t.Helper()
	good := b.session(t, uid, 0)
	parts := strings.Split(good, ".")
	claims := maps.Clone(b.claims)
	claims["sub"], claims["user_id"] = uid, uid
	var header harness.Object
	text, err := base64.RawURLEncoding.DecodeString(parts[0])
	if err == nil {
		err = json.Unmarshal(text, &header)
	}
	if err != nil {
		t.Fatal(err)
	}
	withHeader := func(name string, value any) string {
		other := maps.Clone(header)
		other[name] = value
		return part(t, other)
	}
	// The published certificate, as the key of an HMAC.
	_, published := b.send(t, http.MethodGet, "/www.googleapis.com/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com", nil, nil)
	var certificates map[string]string
	if err := json.Unmarshal([]byte(published), &certificates); err != nil || len(certificates) == 0 {
		t.Fatalf("certificates: %v %s", err, published)
	}
	var certificate string
	for _, certificate = range certificates {
		break
	}
	signed := withHeader("alg", "HS256") + "." + parts[1]
	mac := hmac.New(sha256.New, []byte(certificate))
	mac.Write([]byte(signed))
	cookie, err := b.tokens.MintCookie(token.ID{UID: uid, Project: harness.RealProject, Claims: claims}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	event, err := b.tokens.MintEvent(harness.RealProject, uid, map[string]any{"aud": "https://functions.example.org/f", "auth_time": claims["auth_time"]})
	if err != nil {
		t.Fatal(err)
	}
	elsewhere, err := b.tokens.MintID("another-project", uid, claims)
	if err != nil {
		t.Fatal(err)
	}
	legacy, err := b.tokens.MintLegacy(harness.RealProject, uid, claims)
	if err != nil {
		t.Fatal(err)
	}
	future := maps.Clone(claims)
	future["auth_time"] = time.Now().Add(time.Hour).Unix()
	early, err := b.tokens.MintID(harness.RealProject, uid, future)
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Split(b.session(t, "v0", 0), ".")
	return map[string]string{
		"without a signature":                     withHeader("alg", "none") + "." + parts[1] + ".",
		"without a signature, in capitals":        withHeader("alg", "NONE") + "." + parts[1] + ".",
		"with the signature cut off":              parts[0] + "." + parts[1] + ".",
		"with the certificate as a shared secret": signed + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil)),
		"with the algorithm in small letters":     withHeader("alg", "rs256") + "." + parts[1] + "." + parts[2],
		"with a key's path":                       withHeader("kid", "../../../dev/null") + "." + parts[1] + "." + parts[2],
		"with a key of the attacker":              withHeader("jku", "https://evil.example/keys") + "." + parts[1] + "." + parts[2],
		"with another user's signature":           parts[0] + "." + parts[1] + "." + other[2],
		"of another project":                      elsewhere,
		"that is a session cookie":                cookie,
		"that is an event for a function":         event,
		"of the old kind":                         legacy,
		"of a sign-in in the future":              early,
		"twice":                                   good + "." + good,
		"with padding":                            good + "=",
	}
}

// forgeries uses forged tokens as ID tokens, custom tokens, refresh tokens and access tokens.
func (b *attacked) forgeries(t *testing.T) {
	uid := b.victim()
	good := b.session(t, uid, 0)
	read := "/v1/projects/" + harness.RealProject + "/databases/(default)/documents/mine/" + uid
	bearer := func(raw string) map[string]string { return map[string]string{"Authorization": "Bearer " + raw} }
	if code, text := b.send(t, http.MethodGet, read, nil, bearer(good)); code != http.StatusNotFound {
		t.Fatalf("a good token reads: %d %s, want 404: the attacks are invalid", code, text)
	}
	if code, text := b.send(t, http.MethodPost, harness.ToolkitPath("accounts:lookup?key=k"), harness.Object{"idToken": good}, nil); code != http.StatusOK {
		t.Fatalf("a good token looks up: %d %s: the attacks are invalid", code, text)
	}
	all := b.forgedTokens(t, uid)
	for how, raw := range all {
		if code, text := b.send(t, http.MethodGet, read, nil, bearer(raw)); code != http.StatusUnauthorized && code != http.StatusForbidden {
			t.Errorf("a token %s reads: %d %s", how, code, text)
		}
		if code, text := b.send(t, http.MethodPost, harness.ToolkitPath("accounts:lookup?key=k"), harness.Object{"idToken": raw}, nil); !strings.Contains(text, "INVALID_ID_TOKEN") {
			t.Errorf("a token %s looks up: %d %s, want INVALID_ID_TOKEN", how, code, text)
		}
	}
	all["that is an ID token"] = good
	for how, raw := range all {
		if code, text := b.send(t, http.MethodPost, harness.ToolkitPath("accounts:signInWithCustomToken?key=k"), harness.Object{"token": raw}, nil); !strings.Contains(text, "INVALID_CUSTOM_TOKEN") {
			t.Errorf("a custom token %s: %d %s, want INVALID_CUSTOM_TOKEN", how, code, text)
		}
		refresh := harness.Object{"grantType": "refresh_token", "refreshToken": raw}
		if code, text := b.send(t, http.MethodPost, "/securetoken.googleapis.com/v1/token?key=k", refresh, nil); !strings.Contains(text, "INVALID_REFRESH_TOKEN") {
			t.Errorf("a refresh token %s: %d %s, want INVALID_REFRESH_TOKEN", how, code, text)
		}
		for _, access := range []string{raw, "ya29." + raw} {
			path := harness.ToolkitPath("projects/" + harness.RealProject + "/accounts:query")
			if code, text := b.send(t, http.MethodPost, path, harness.Object{}, bearer(access)); code != http.StatusUnauthorized && code != http.StatusForbidden {
				t.Errorf("an access token %s lists accounts: %d %s", how, code, text)
			}
		}
	}
}

// endedSessions refreshes the tokens of sessions that have ended, and makes session cookies of them.
func (b *attacked) endedSessions(t *testing.T) {
	admin := "projects/" + harness.RealProject
	for name, end := range map[string]harness.Object{
		"a new password": {"password": "another-secret"}, "disabled": {"disableUser": true}, "another address": {"email": "moved@example.org"}, "deleted": nil,
	} {
		uid := b.victim()
		in := b.Call(t, harness.ToolkitPath("accounts:signInWithPassword?key=k"), harness.Object{"email": uid + "@example.org", "password": victimPassword, "returnSecureToken": true})
		refresh := harness.Object{"grantType": "refresh_token", "refreshToken": in["refreshToken"]}
		if code, text := b.send(t, http.MethodPost, "/securetoken.googleapis.com/v1/token?key=k", refresh, nil); code != http.StatusOK {
			t.Fatalf("%s: the session before its end: %d %s", name, code, text)
		}
		if end == nil {
			b.admin(t, http.MethodPost, harness.ToolkitPath(admin+"/accounts:delete"), harness.Object{"localId": uid}, nil)
		} else {
			end["localId"] = uid
			b.admin(t, http.MethodPost, harness.ToolkitPath(admin+"/accounts:update"), end, nil)
		}
		if code, text := b.send(t, http.MethodPost, "/securetoken.googleapis.com/v1/token?key=k", refresh, nil); code != http.StatusBadRequest {
			t.Errorf("%s: the session's refresh token: %d %s, want 400", name, code, text)
		}
		for _, path := range []string{"accounts:lookup?key=k", "accounts:update?key=k", "accounts:sendOobCode?key=k"} {
			body := harness.Object{"idToken": in["idToken"], "displayName": "x", "requestType": "VERIFY_EMAIL"}
			if code, text := b.send(t, http.MethodPost, harness.ToolkitPath(path), body, nil); code != http.StatusBadRequest {
				t.Errorf("%s: %s with the session's ID token: %d %s, want 400", name, path, code, text)
			}
		}
		read := "/v1/projects/" + harness.RealProject + "/databases/(default)/documents/mine/" + uid
		bearer := map[string]string{"Authorization": "Bearer " + in["idToken"].(string)}
		if code, text := b.send(t, http.MethodGet, read, nil, bearer); code != http.StatusUnauthorized {
			t.Errorf("%s: a read with the session's ID token: %d %s, want 401", name, code, text)
		}
	}
}
