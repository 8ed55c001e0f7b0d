package api

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"

	"clave/server/internal/auth/service"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/httpx/httpjson"
)

// serveKeys serves certificates, JWK sets and OIDC discovery of our public keys. It reports whether the request was for
// one of them.
func (h *Handler) serveKeys(w http.ResponseWriter, r *http.Request, host, path string) bool {
	if r.Method != http.MethodGet {
		return false
	}
	answer := h.published(host, path)
	if answer == nil {
		answer = h.eventKeys(r.URL.Path)
	}
	if answer == nil {
		return false
	}
	age := 0
	if keys := h.service.Tokens().Keys(); keys != nil {
		age = int(keys.MaxAge().Seconds())
	}
	w.Header().Set("Cache-Control", fmt.Sprintf("public, max-age=%d, must-revalidate, no-transform", age))
	httpjson.Write(w, http.StatusOK, answer)
	return true
}

// published returns the public keys at a path, or nil.
func (h *Handler) published(host, path string) any {
	keys := h.service.Tokens().Keys()
	if keys == nil {
		return nil
	}
	const metadata = "securetoken@system.gserviceaccount.com"
	switch host + "/" + path {
	case "www.googleapis.com/robot/v1/metadata/x509/" + metadata:
		return keys.IDCertificates()
	case "www.googleapis.com/identitytoolkit/v3/relyingparty/publicKeys", "identitytoolkit.googleapis.com/v1/sessionCookiePublicKeysX509":
		return keys.CookieCertificates()
	case "www.googleapis.com/service_accounts/v1/jwk/" + metadata, "www.googleapis.com/robot/v1/metadata/jwk/" + metadata:
		return map[string]any{"keys": keys.IDKeySet()}
	case checkHost + "/v1/jwks", checkHost + "/v1beta/jwks":
		return h.checkKeys(keys)
	case "identitytoolkit.googleapis.com/v1/sessionCookiePublicKeys":
		return map[string]any{"keys": keys.CookieKeySet()}
	}
	project, rest, _ := strings.Cut(path, "/")
	if host == "securetoken.google.com" && rest == ".well-known/openid-configuration" {
		return map[string]any{
			"issuer": "https://securetoken.google.com/" + project, "jwks_uri": "https://www.googleapis.com/service_accounts/v1/jwk/" + metadata,
			"response_types_supported": []string{"id_token"}, "subject_types_supported": []string{"public"}, "id_token_signing_alg_values_supported": []string{"RS256"},
		}
	}
	return nil
}

// tokenAudiences are the names of the OAuth2 token endpoint besides its own address.
var tokenAudiences = []string{"https://oauth2.googleapis.com/token", "https://accounts.google.com/o/oauth2/token", "https://www.googleapis.com/oauth2/v4/token"}

// jwtBearer is the grant with which service accounts request access tokens (RFC 7523).
const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"

// oauthToken serves the OAuth2 token endpoint.
func oauthToken(s *service.Service) run {
	return func(ctx context.Context, r *request) (any, error) {
		grant, _ := r.body["grantType"].(string)
		assertion, _ := r.body["assertion"].(string)
		if grant != jwtBearer {
			return nil, fault.E(fault.InvalidArgument, "unsupported_grant_type")
		}
		audiences := tokenAudiences
		if origin := s.Origin(r.call); origin != "" {
			audiences = append([]string{origin + r.http.URL.Path}, tokenAudiences...)
		}
		access, life, err := s.Tokens().Assertion(ctx, assertion, audiences)
		if err != nil {
			return nil, err
		}
		return map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": int(life.Seconds())}, nil
	}
}

// signBlob signs bytes for a service account whose holder does not have its key.
func signBlob(s *service.Service) run {
	return func(ctx context.Context, r *request) (any, error) {
		if known, err := s.Tokens().ServiceAccount(ctx, r.args["account"]); err != nil || known.Project != r.call.Project {
			return nil, cmp.Or[error](err, fault.E(fault.NotFound, "Unknown service account"))
		}
		payload, _ := r.body["payload"].(string)
		blob, err := base64.StdEncoding.DecodeString(payload)
		if err != nil || len(blob) == 0 {
			return nil, fault.E(fault.InvalidArgument, "Invalid payload.")
		}
		kid, signature, err := s.Tokens().SignBlob(r.args["account"], blob)
		if err != nil {
			return nil, err
		}
		return map[string]any{"keyId": kid, "signedBlob": base64.StdEncoding.EncodeToString(signature)}, nil
	}
}

// eventKeys returns the public keys for tokens of events at a path, or nil.
func (h *Handler) eventKeys(path string) any {
	tokens := h.service.Tokens()
	keys := tokens.Keys()
	if keys == nil {
		return nil
	}
	set := keys.EventKeySet()
	switch {
	case len(set) == 0:
	case path == token.EventIssuer("")+"/keys":
		return map[string]any{"keys": set}
	case path == token.EventIssuer("")+"/.well-known/openid-configuration":
		issuer := token.EventIssuer(tokens.PublicURL())
		return map[string]any{
			"issuer": issuer, "jwks_uri": issuer + "/keys",
			"response_types_supported": []string{"id_token"}, "subject_types_supported": []string{"public"}, "id_token_signing_alg_values_supported": []string{"RS256"},
		}
	}
	return nil
}
