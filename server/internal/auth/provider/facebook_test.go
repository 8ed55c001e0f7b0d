package provider_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"clave/server/internal/auth/provider"
	"clave/server/internal/auth/service/idp"
	"clave/server/internal/httpx/httpjson"
)

// newFacebook starts a server with the parts of Facebook that sign users in. Its tokens have their meaning in their
// names.
func newFacebook(t *testing.T, client, secret string) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v23.0/dialog/oauth", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"state": {q.Get("state")}, "code": {q.Get("code_challenge")}}.Encode(), http.StatusFound)
	})
	mux.HandleFunc("POST /v23.0/oauth/access_token", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("client_id") != client || r.FormValue("client_secret") != secret || challenge(r.FormValue("code_verifier")) != r.FormValue("code") {
			httpjson.Write(w, http.StatusBadRequest, map[string]any{"error": map[string]any{"message": "Invalid code"}})
			return
		}
		httpjson.Write(w, http.StatusOK, map[string]any{"access_token": "ours", "token_type": "bearer"})
	})
	mux.HandleFunc("GET /v23.0/debug_token", func(w http.ResponseWriter, r *http.Request) {
		data := map[string]any{"app_id": client, "type": "USER", "is_valid": true, "user_id": "42"}
		switch r.FormValue("input_token") {
		case "ours", "another user's":
		case "theirs":
			data["app_id"] = "999"
		case "expired":
			data["is_valid"] = false
		case "an app's":
			data["type"] = "APP"
		default:
			data = map[string]any{"is_valid": false}
		}
		if r.FormValue("access_token") != client+"|"+secret {
			httpjson.Write(w, http.StatusBadRequest, map[string]any{"error": map[string]any{}})
			return
		}
		httpjson.Write(w, http.StatusOK, map[string]any{"data": data})
	})
	mux.HandleFunc("GET /v23.0/me", func(w http.ResponseWriter, r *http.Request) {
		access := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		proof := hmac.New(sha256.New, []byte(secret))
		proof.Write([]byte(access))
		if r.FormValue("appsecret_proof") != hex.EncodeToString(proof.Sum(nil)) || r.FormValue("access_token") != "" {
			httpjson.Write(w, http.StatusBadRequest, map[string]any{})
			return
		}
		user := map[string]any{"id": "42", "name": "Fay", "email": "Fay@example.com", "email_verified": true, "picture": map[string]any{"data": map[string]any{"url": "https://p.example/1"}}}
		if access == "another user's" {
			user["id"] = "43"
		}
		httpjson.Write(w, http.StatusOK, user)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// presented presents an access token of a provider.
func (f *fixture) presented(id, access string) (*result, error) {
	got, err := f.present("http://localhost", url.Values{"providerId": {id}, "access_token": {access}}.Encode(), "")
	if err != nil {
		return nil, err
	}
	return &result{got.LocalID, got.FederatedID, got.Email, got.EmailVerified}, nil
}

// result is who signed in.
type result struct {
	uid, id, email string
	verified       bool
}

// TestFacebook signs in by a code and by an access token, and presents tokens and codes that are not the project's.
func TestFacebook(t *testing.T) {
	address := newFacebook(t, "clave", "the client's secret")
	f := open(t, func(o *provider.Options) { o.Issuers["facebook.com"] = address })
	f.configure(idp.Default, "facebook.com", nil)
	session, uri := f.begin("facebook.com")
	first, err := f.present(uri.String(), "", session)
	if err != nil || first.FederatedID != "42" || first.Email != "Fay@example.com" || first.EmailVerified || first.DisplayName != "Fay" || first.PhotoURL != "https://p.example/1" || first.OAuthAccessToken != "ours" {
		t.Fatalf("by a code: %+v, %v", first, err)
	}
	if again, err := f.presented("facebook.com", "ours"); err != nil || again.uid != first.LocalID {
		t.Errorf("by an access token: %+v, %v", again, err)
	}
	session, uri = f.begin("facebook.com")
	_, other := f.begin("facebook.com")
	setQuery(uri, "code", other.Query().Get("code"))
	_, err = f.present(uri.String(), "", session)
	wantInvalid(t, "the code of another sign-in", err)
	for _, access := range []string{"theirs", "expired", "an app's", "another user's", "made up", "ours&input_token=x", "ours\r\nX: y", strings.Repeat("x", 1<<20)} {
		_, err := f.presented("facebook.com", access)
		wantInvalid(t, access[:min(len(access), 20)], err)
	}
	_, err = f.present("http://localhost", url.Values{"providerId": {"facebook.com"}, "id_token": {f.issuer.IDToken(nil)}}.Encode(), "")
	wantInvalid(t, "an ID token", err)
}

// TestGoogleAccessTokens presents access tokens of the project's clients, and others.
func TestGoogleAccessTokens(t *testing.T) {
	f := open(t, same)
	info := map[string]any{"aud": "android", "azp": "android", "sub": "u-1", "email": "ann@gmail.com", "email_verified": "true"}
	user := map[string]any{"sub": "u-1", "email": "ann@gmail.com", "email_verified": true, "name": "Ann"}
	f.issuer.Break = func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case r.URL.Path == "/tokeninfo" && r.FormValue("access_token") == "ours":
			httpjson.Write(w, http.StatusOK, info)
		case r.URL.Path == "/tokeninfo":
			httpjson.Write(w, http.StatusBadRequest, map[string]any{"error": "invalid_token"})
		case r.URL.Path == "/userinfo" && r.Header.Get("Authorization") == "Bearer ours":
			httpjson.Write(w, http.StatusOK, user)
		default:
			return false
		}
		return true
	}
	got, err := f.presented("google.com", "ours")
	if err != nil || got.id != "https://accounts.google.com/u-1" || got.email != "ann@gmail.com" || !got.verified {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, access := range []string{"made up", "ours&x=y", "ours\r\nX: y"} {
		_, err := f.presented("google.com", access)
		wantInvalid(t, access, err)
	}
	issued := info
	for name, change := range map[string]map[string]any{
		"another app's":           {"aud": "another-app", "azp": "another-app"},
		"issued by another app":   {"azp": "another-app"},
		"for no client":           {"aud": ""},
		"of nobody":               {"sub": ""},
		"of another user":         {"sub": "u-2"},
		"for clients of no names": {"aud": []any{"android"}},
	} {
		info = maps.Clone(issued)
		maps.Copy(info, change)
		_, err := f.presented("google.com", "ours")
		wantInvalid(t, name, err)
	}
}

// TestNoTokenInLogs signs in while providers fail. Their addresses contain tokens and secrets, which no log has.
func TestNoTokenInLogs(t *testing.T) {
	var log bytes.Buffer // nothing listens at the address of Facebook
	f := open(t, func(o *provider.Options) {
		o.Log, o.Issuers["facebook.com"] = slog.New(slog.NewTextHandler(&log, nil)), "http://127.0.0.1:1"
	})
	f.configure(idp.Default, "facebook.com", map[string]any{"clientSecret": "hunter2"})
	f.issuer.Break = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/tokeninfo" {
			panic(http.ErrAbortHandler)
		}
		return false
	}
	for _, id := range []string{"facebook.com", "google.com"} {
		_, err := f.presented(id, "stolen")
		wantConnecting(t, err)
		if !strings.Contains(log.String(), id) || strings.Contains(log.String(), "stolen") || strings.Contains(log.String(), "hunter2") {
			t.Errorf("%s: the log is %s", id, log.String())
		}
	}
}
