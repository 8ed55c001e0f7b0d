package provider_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/oauth2"

	"clave/server/internal/auth/provider"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/idp"
	"clave/server/internal/httpx/httpjson"
)

// newGitHub starts a server with the parts of GitHub that sign users in. It issues the tokens "ours" and "theirs", to
// the application of the project and to another one.
func newGitHub(t *testing.T, client, secret string) string {
	t.Helper()
	mux := http.NewServeMux()
	bearer := func(r *http.Request) bool {
		return r.Header.Get("Authorization") == "Bearer ours" || r.Header.Get("Authorization") == "Bearer theirs"
	}
	mux.HandleFunc("GET /login/oauth/authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"state": {q.Get("state")}, "code": {q.Get("code_challenge")}}.Encode(), http.StatusFound)
	})
	mux.HandleFunc("POST /login/oauth/access_token", func(w http.ResponseWriter, r *http.Request) {
		// GitHub answers an error with status 200.
		if r.FormValue("client_id") != client || r.FormValue("client_secret") != secret || challenge(r.FormValue("code_verifier")) != r.FormValue("code") {
			httpjson.Write(w, http.StatusOK, map[string]any{"error": "bad_verification_code"})
			return
		}
		httpjson.Write(w, http.StatusOK, map[string]any{"access_token": "ours", "token_type": "bearer", "scope": "read:user"})
	})
	mux.HandleFunc("POST /api/v3/applications/{client}/token", func(w http.ResponseWriter, r *http.Request) {
		id, password, _ := r.BasicAuth()
		var body map[string]string
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || id != client || password != secret || r.PathValue("client") != client || body["access_token"] != "ours" {
			httpjson.Write(w, http.StatusNotFound, map[string]any{"message": "Not Found"})
			return
		}
		httpjson.Write(w, http.StatusOK, map[string]any{"app": map[string]any{"client_id": client}})
	})
	mux.HandleFunc("GET /api/v3/user", func(w http.ResponseWriter, r *http.Request) {
		if !bearer(r) {
			httpjson.Write(w, http.StatusUnauthorized, map[string]any{})
			return
		}
		httpjson.Write(w, http.StatusOK, map[string]any{"id": 583231, "login": "octocat", "name": "Octo Cat", "avatar_url": "https://avatars.example/1", "email": nil})
	})
	mux.HandleFunc("GET /api/v3/user/emails", func(w http.ResponseWriter, _ *http.Request) {
		httpjson.Write(w, http.StatusOK, []map[string]any{
			{"email": "old@example.com", "primary": false, "verified": true}, {"email": "Octo@example.com", "primary": true, "verified": true},
		})
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// challenge returns the challenge of a code verifier.
func challenge(verifier string) string { return oauth2.S256ChallengeFromVerifier(verifier) }

// TestGitHub signs in by a code and by an access token, and presents tokens and codes that are not the project's.
func TestGitHub(t *testing.T) {
	address := newGitHub(t, "clave", "the client's secret")
	f := open(t, func(o *provider.Options) { o.Issuers["github.com"] = address })
	f.configure(idp.Default, "github.com", nil)
	session, uri := f.begin("github.com")
	first, err := f.present(uri.String(), "", session)
	if err != nil || first.FederatedID != "583231" || first.Email != "Octo@example.com" || first.EmailVerified || first.ScreenName != "octocat" || first.OAuthAccessToken != "ours" {
		t.Fatalf("by a code: %+v, %v", first, err)
	}
	again, err := f.present("http://localhost", url.Values{"providerId": {"github.com"}, "access_token": {"ours"}}.Encode(), "")
	if err != nil || again.LocalID != first.LocalID {
		t.Errorf("by an access token: %+v, %v", again, err)
	}
	session, uri = f.begin("github.com")
	_, other := f.begin("github.com")
	setQuery(uri, "code", other.Query().Get("code"))
	_, err = f.present(uri.String(), "", session)
	wantInvalid(t, "the code of another sign-in", err)
	for _, form := range []url.Values{
		{"access_token": {"theirs"}}, {"access_token": {"made up"}}, {"access_token": {"ours\r\nX: y"}}, {"id_token": {f.issuer.IDToken(nil)}},
	} {
		form.Set("providerId", "github.com")
		_, err := f.present("http://localhost", form.Encode(), "")
		wantInvalid(t, form.Encode(), err)
	}
}

// wantInvalid fails unless a credential was refused.
func wantInvalid(t *testing.T, what string, err error) {
	t.Helper()
	if err == nil || !strings.HasPrefix(apierror.Text(err), "INVALID_") {
		t.Errorf("%s: %v, want INVALID_IDP_RESPONSE", what, err)
	}
}
