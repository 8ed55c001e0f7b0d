// Package openid is a provider of OpenID Connect for tests: discovery, keys, codes with PKCE, ID tokens that it signs
// with real keys, and claims of users. It signs in whoever opens its page, as User says.
package openid

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"clave/server/internal/base/clock"
	"clave/server/internal/httpx/httpjson"
)

// Server is a provider. Its fields that tests set must not change while it answers.
type Server struct {
	// URL is the issuer.
	URL string
	// ClientID and ClientSecret are those of the only client.
	ClientID, ClientSecret string
	// Now returns the present time; nil means the machine's.
	Now func() time.Time
	// User returns the claims of the user who signs in.
	User func() map[string]any
	// Hinted returns claims of the user whom the parameter login_hint of the page names, beside those of User; nil ignores
	// the parameter.
	Hinted func(hint string) map[string]any
	// Change changes the claims of an ID token before it is signed; nil changes nothing.
	Change func(claims map[string]any)
	// Break answers a request instead of the provider, if it returns true.
	Break func(w http.ResponseWriter, r *http.Request) bool
	// ClaimsApart leaves the user's address out of ID tokens.
	ClaimsApart bool

	mu    sync.Mutex
	key   *rsa.PrivateKey
	kid   int
	codes map[string]grant
	// issued has the access tokens of exchanged codes.
	issued map[string]bool
	reads  map[string]int
	serve  *httptest.Server
}

// grant is what a code is for. With offline, the client has asked for a refresh token, as clients of Google do.
type grant struct {
	redirect, challenge, nonce, hint string
	offline                          bool
}

// keys are the keys of all providers, which are created once. A provider that rotates takes the next one.
var keys = [...]func() *rsa.PrivateKey{sync.OnceValue(newKey), sync.OnceValue(newKey)}

// newKey creates a key.
func newKey() *rsa.PrivateKey {
	const bits = 2048
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		panic(err)
	}
	return key
}

// New starts a provider with the client "clave", which ends with the test.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{ClientID: "clave", ClientSecret: "the client's secret", codes: map[string]grant{}, issued: map[string]bool{}, reads: map[string]int{}}
	s.User = func() map[string]any {
		return map[string]any{"sub": "u-1", "email": "ann@example.com", "email_verified": true, "name": "Ann"}
	}
	s.Rotate()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", s.discovery)
	mux.HandleFunc("GET /keys", s.listKeys)
	mux.HandleFunc("GET /authorize", s.authorize)
	mux.HandleFunc("POST /token", s.Token)
	mux.HandleFunc("GET /userinfo", s.userinfo)
	mux.HandleFunc("POST /introspect", s.introspect)
	s.serve = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.reads[r.URL.Path]++
		s.mu.Unlock()
		if s.Break == nil || !s.Break(w, r) {
			mux.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(s.serve.Close)
	s.URL = s.serve.URL
	return s
}

// Reads returns how many requests a path had.
func (s *Server) Reads(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reads[path]
}

// Rotate replaces the key with which tokens are signed.
func (s *Server) Rotate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kid++
	s.key = keys[s.kid%len(keys)]()
}

// now returns the present time.
func (s *Server) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return clock.System().Now()
}

// IDToken returns an ID token with the user's claims and further ones.
func (s *Server) IDToken(more map[string]any) string {
	const life = time.Hour
	claims := map[string]any{"iss": s.URL, "aud": s.ClientID, "iat": s.now().Unix(), "exp": s.now().Add(life).Unix()}
	maps.Copy(claims, s.User())
	if s.ClaimsApart {
		delete(claims, "email")
		delete(claims, "email_verified")
	}
	maps.Copy(claims, more)
	if s.Change != nil {
		s.Change(claims)
	}
	return s.Sign(claims)
}

// Sign returns a token with claims.
func (s *Server) Sign(claims map[string]any) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Sign(s.key, fmt.Sprint(s.kid), claims)
}

// Sign returns a token with claims that a key signs under an id.
func Sign(key *rsa.PrivateKey, kid string, claims map[string]any) string {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: key, KeyID: kid}}, nil)
	if err != nil {
		panic(err)
	}
	text, err := json.Marshal(claims)
	if err != nil {
		panic(err)
	}
	signed, err := signer.Sign(text)
	if err != nil {
		panic(err)
	}
	raw, err := signed.CompactSerialize()
	if err != nil {
		panic(err)
	}
	return raw
}

// discovery describes the provider.
func (s *Server) discovery(w http.ResponseWriter, _ *http.Request) {
	httpjson.Write(w, http.StatusOK, map[string]any{
		"issuer": s.URL, "authorization_endpoint": s.URL + "/authorize", "token_endpoint": s.URL + "/token", "jwks_uri": s.URL + "/keys",
		"userinfo_endpoint": s.URL + "/userinfo", "id_token_signing_alg_values_supported": []string{"RS256"},
	})
}

// listKeys lists the key.
func (s *Server) listKeys(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	httpjson.Write(w, http.StatusOK, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: s.key.Public(), KeyID: fmt.Sprint(s.kid), Algorithm: "RS256", Use: "sig"}}})
}

// authorize signs the user in and redirects with a code, or with an ID token in the fragment.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("client_id") != s.ClientID || q.Get("redirect_uri") == "" {
		http.Error(w, "unknown client", http.StatusBadRequest)
		return
	}
	if q.Get("response_type") == "id_token" {
		fields := url.Values{"state": {q.Get("state")}, "id_token": {s.IDToken(map[string]any{"nonce": q.Get("nonce")})}}
		http.Redirect(w, r, q.Get("redirect_uri")+"#"+fields.Encode(), http.StatusFound)
		return
	}
	code := rand.Text()
	s.mu.Lock()
	s.codes[code] = grant{q.Get("redirect_uri"), q.Get("code_challenge"), q.Get("nonce"), q.Get("login_hint"), q.Get("access_type") == "offline"}
	s.mu.Unlock()
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"state": {q.Get("state")}, "code": {code}, "iss": {s.URL}}.Encode(), http.StatusFound)
}

// Token exchanges a code, once.
func (s *Server) Token(w http.ResponseWriter, r *http.Request) {
	code := r.FormValue("code")
	s.mu.Lock()
	g, ok := s.codes[code]
	delete(s.codes, code)
	s.mu.Unlock()
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	switch {
	case !s.authentic(r):
		httpjson.Write(w, http.StatusUnauthorized, map[string]any{"error": "invalid_client"})
	case !ok || r.FormValue("redirect_uri") != g.redirect || base64.RawURLEncoding.EncodeToString(sum[:]) != g.challenge:
		httpjson.Write(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant"})
	default:
		access := "access-" + code
		s.mu.Lock()
		s.issued[access] = true
		s.mu.Unlock()
		more := map[string]any{"nonce": g.nonce, "at_hash": Hash(access)}
		if s.Hinted != nil {
			maps.Copy(more, s.Hinted(g.hint))
		}
		answer := map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": 3600, "id_token": s.IDToken(more)}
		if g.offline {
			answer["refresh_token"] = "refresh-" + code
		}
		httpjson.Write(w, http.StatusOK, answer)
	}
}

// authentic reports whether a request is the client's.
func (s *Server) authentic(r *http.Request) bool {
	id, secret, basic := r.BasicAuth()
	if !basic {
		id, secret = r.FormValue("client_id"), r.FormValue("client_secret")
	} else if decoded, err := url.QueryUnescape(secret); err == nil {
		secret = decoded
	}
	return id == s.ClientID && secret == s.ClientSecret
}

// introspect says which access tokens the client has received for codes (RFC 7662).
func (s *Server) introspect(w http.ResponseWriter, r *http.Request) {
	if !s.authentic(r) {
		httpjson.Write(w, http.StatusUnauthorized, map[string]any{"error": "invalid_client"})
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := map[string]any{"active": s.issued[r.FormValue("token")]}
	if answer["active"] == true {
		answer["client_id"] = s.ClientID
	}
	httpjson.Write(w, http.StatusOK, answer)
}

// OAuth returns the oauthConfig of the provider without OpenID Connect, whose users have the id "sub".
func (s *Server) OAuth() map[string]any {
	return map[string]any{"authorizationUrl": s.URL + "/authorize", "tokenUrl": s.URL + "/token", "userInfoUrl": s.URL + "/userinfo", "introspectionUrl": s.URL + "/introspect", "scopes": []any{"profile"}}
}

// Hash returns the at_hash of an access token.
func Hash(access string) string {
	sum := sha256.Sum256([]byte(access))
	return base64.RawURLEncoding.EncodeToString(sum[:len(sum)/2])
}

// userinfo returns the user's claims.
func (s *Server) userinfo(w http.ResponseWriter, _ *http.Request) {
	httpjson.Write(w, http.StatusOK, s.User())
}
