package provider_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"clave/server/internal/auth/provider"
	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/idp"
	"clave/server/internal/httpx/httpjson"
)

// plainServer is a provider of OAuth 2 without OpenID Connect. Its tokens have their meaning in their names.
type plainServer struct {
	url string
	// user is the answer about the user of its tokens.
	user map[string]any
	// posted is set if it authenticates clients by the form alone.
	posted bool
	// locked is set if nobody may ask to which client a token was issued.
	locked bool
}

// newPlain starts a provider that has a client.
func newPlain(t *testing.T, client, secret string) *plainServer {
	t.Helper()
	s := &plainServer{user: map[string]any{"id": 9007199254740993, "email": "Ola@example.com", "verified_email": true, "name": "Ola", "avatar_url": "https://p.example/1"}}
	mux := http.NewServeMux()
	authentic := func(r *http.Request, posted bool) bool {
		if posted {
			return r.FormValue("client_id") == client && r.FormValue("client_secret") == secret
		}
		id, password, _ := r.BasicAuth()
		return id == url.QueryEscape(client) && password == url.QueryEscape(secret)
	}
	mux.HandleFunc("GET /page", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if q.Get("scope") != "profile:read calendar" || q.Get("app") != "7" || q.Has("nonce") {
			http.Error(w, "unexpected parameters", http.StatusBadRequest)
			return
		}
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"state": {q.Get("state")}, "code": {q.Get("code_challenge")}}.Encode(), http.StatusFound)
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !authentic(r, s.posted):
			httpjson.Write(w, http.StatusUnauthorized, map[string]any{"error": "invalid_client"})
		case challenge(r.FormValue("code_verifier")) != r.FormValue("code"):
			httpjson.Write(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant"})
		default:
			httpjson.Write(w, http.StatusOK, map[string]any{"access_token": "ours", "token_type": "bearer", "refresh_token": "again"})
		}
	})
	mux.HandleFunc("GET /me", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer made up" {
			httpjson.Write(w, http.StatusUnauthorized, map[string]any{})
			return
		}
		httpjson.Write(w, http.StatusOK, s.user)
	})
	mux.HandleFunc("POST /introspect", func(w http.ResponseWriter, r *http.Request) {
		if s.locked || !authentic(r, false) || r.FormValue("token_type_hint") != "access_token" {
			httpjson.Write(w, http.StatusUnauthorized, map[string]any{"error": "invalid_client"})
			return
		}
		httpjson.Write(w, http.StatusOK, map[string]map[string]any{
			"ours": {"active": true, "client_id": client}, "android": {"active": true, "client_id": "android"},
			"theirs": {"active": true, "client_id": "theirs"}, "expired": {"active": false, "client_id": client},
			"nobody's": {"active": true}, "odd": {"active": "yes", "client_id": client}, "listed": {"active": true, "client_id": []string{client}},
		}[r.FormValue("token")])
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// config returns the configuration of the provider.
func (s *plainServer) config(more map[string]any) map[string]any {
	of := map[string]any{
		"authorizationUrl": s.url + "/page?app=7", "tokenUrl": s.url + "/token", "userInfoUrl": s.url + "/me", "scopes": []any{"profile:read"},
	}
	for name, value := range more {
		of[name] = value
	}
	return map[string]any{"oauthConfig": of}
}

// TestOAuth signs in at a generic provider of OAuth 2 by a code and by an access token, and presents tokens and codes
// that are not the project's.
func TestOAuth(t *testing.T) {
	s := newPlain(t, "clave", "the client's secret")
	f := open(t, same)
	f.configure(idp.Default, "oauth.plain", s.config(map[string]any{"introspectionUrl": s.url + "/introspect"}))
	var uid string
	for _, posted := range []bool{false, true} {
		s.posted = posted
		session, uri := f.begin("oauth.plain")
		got, err := f.present(uri.String(), "", session)
		if err != nil || got.FederatedID != "9007199254740993" || got.Email != "Ola@example.com" || !got.EmailVerified || got.DisplayName != "Ola" || got.PhotoURL != "https://p.example/1" || got.OAuthAccessToken != "ours" || uid != "" && got.LocalID != uid {
			t.Fatalf("by a code, with the secret in the form %t: %+v, %v", posted, got, err)
		}
		uid = got.LocalID
	}
	for _, access := range []string{"ours", "android"} {
		if again, err := f.presented("oauth.plain", access); err != nil || again.uid != uid {
			t.Errorf("by the access token %s: %+v, %v", access, again, err)
		}
	}
	session, uri := f.begin("oauth.plain")
	_, other := f.begin("oauth.plain")
	setQuery(uri, "code", other.Query().Get("code"))
	_, err := f.present(uri.String(), "", session)
	wantInvalid(t, "the code of another sign-in", err)
	for _, access := range []string{"theirs", "expired", "nobody's", "odd", "listed", "unknown", "ours&token=x", "ours\r\nX: y", strings.Repeat("x", 1<<20)} {
		_, err := f.presented("oauth.plain", access)
		wantInvalid(t, access[:min(len(access), 20)], err)
	}
	_, err = f.present("http://localhost", url.Values{"providerId": {"oauth.plain"}, "id_token": {f.issuer.IDToken(nil)}}.Encode(), "")
	wantInvalid(t, "an ID token", err)

	f.configure(idp.Default, "oauth.mute", s.config(nil))
	if _, err := f.presented("oauth.mute", "ours"); err == nil || !strings.Contains(err.Error(), "introspectionUrl") {
		t.Errorf("an access token of a provider that cannot be asked: %v", err)
	}
}

// TestOAuthIntrospectionRefused presents an access token at a provider that does not let the client ask about it. The
// log names the reason, without the token.
func TestOAuthIntrospectionRefused(t *testing.T) {
	s := newPlain(t, "clave", "the client's secret")
	s.locked = true
	var log bytes.Buffer
	f := open(t, func(o *provider.Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	f.configure(idp.Default, "oauth.plain", s.config(map[string]any{"introspectionUrl": s.url + "/introspect"}))
	_, err := f.presented("oauth.plain", "ours")
	wantConnecting(t, err)
	if !strings.Contains(log.String(), "introspection") || strings.Contains(log.String(), "ours") {
		t.Errorf("the log is %s", log.String())
	}
}

// TestOAuthMembers reads the users of answers in other forms, by the names of their members. An address without a
// member that says so is not verified, and nobody signs in without an id.
func TestOAuthMembers(t *testing.T) {
	s := newPlain(t, "clave", "the client's secret")
	f := open(t, same)
	names := map[string]any{"id": "data.uid", "email": "data.mail", "emailVerified": "data.confirmed", "name": "display.name", "picture": "data.image"}
	f.configure(idp.Default, "oauth.plain", s.config(map[string]any{"userInfoMembers": names}))
	signIn := func(user map[string]any) (*service.IdpResponse, error) {
		s.user = user
		session, uri := f.begin("oauth.plain")
		return f.present(uri.String(), "", session)
	}
	in := func(id any, confirmed any) map[string]any {
		return map[string]any{
			"display.name": "Uma", "email_verified": true, "sub": "another",
			"data": map[string]any{"uid": id, "mail": "uma@example.com", "confirmed": confirmed, "image": "https://p.example/2"},
		}
	}
	got, err := signIn(in("u", true))
	if err != nil || got.FederatedID != "u" || got.Email != "uma@example.com" || !got.EmailVerified || got.DisplayName != "Uma" || got.PhotoURL != "https://p.example/2" {
		t.Fatalf("nested members: %+v, %v", got, err)
	}
	user := got.IDToken
	for _, no := range []any{false, nil, "yes", 1, []any{true}} {
		if got, err = signIn(in("another", no)); err != nil || !got.NeedConfirmation || got.IDToken != "" {
			t.Errorf("the address of another account, with %v as what verifies it: %+v, %v; want needConfirmation", no, got, err)
		}
	}
	// The conflict is of the provider that answered, not of another one under its name.
	elsewhere := s.config(map[string]any{"userInfoUrl": s.url + "/elsewhere"})
	if _, err := f.UpdateIdpConfig(t.Context(), admin, &service.IdpConfigRequest{Kind: idp.Default, ID: "oauth.plain", Body: elsewhere, Mask: []string{"oauthConfig.userInfoUrl"}}); err != nil {
		t.Fatal(err)
	}
	if got, err := f.presentPending(client, got.PendingToken, &user); err == nil || !strings.HasPrefix(apierror.Text(err), "INVALID_PENDING_TOKEN") {
		t.Errorf("the conflict of another address with the same name: %+v, %v", got, err)
	}
	if _, err := f.UpdateIdpConfig(t.Context(), admin, &service.IdpConfigRequest{Kind: idp.Default, ID: "oauth.plain", Body: s.config(nil), Mask: []string{"oauthConfig.userInfoUrl"}}); err != nil {
		t.Fatal(err)
	}
	for _, id := range []any{nil, "", 0, -1, 1.5, 1e30, true, []any{"u"}, "a\x00b", strings.Repeat("u", 513)} {
		_, err := signIn(in(id, true))
		wantInvalid(t, "an id that is none", err)
	}
}
