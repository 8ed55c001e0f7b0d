package service

import (
	"context"
	"time"

	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/optional"
)

// CookieRequest exchanges an ID token for a session cookie.
type CookieRequest struct {
	IDToken       *string `json:"idToken"`
	ValidDuration *int64  `json:"validDuration"`
	TenantID      *string `json:"tenantId"`
}

// CookieResponse holds the cookie.
type CookieResponse struct {
	SessionCookie string `json:"sessionCookie"`
}

// Bounds of a cookie's lifetime, in seconds.
const (
	minCookie = 5 * 60
	maxCookie = 14 * 24 * 60 * 60
)

// CreateSessionCookie exchanges an ID token for a session cookie. The cookie has the claims of the token, not the
// account's current ones.
func (s *Service) CreateSessionCookie(_ context.Context, c Call, r *CookieRequest) (*CookieResponse, error) {
	if optional.String(r.IDToken) == "" {
		return nil, apierror.New("MISSING_ID_TOKEN")
	}
	life := int64(maxCookie)
	if r.ValidDuration != nil {
		life = *r.ValidDuration
	}
	if life < minCookie || life > maxCookie {
		return nil, apierror.New("INVALID_DURATION")
	}
	_, id, err := s.userOf(&c, *r.IDToken)
	if err != nil {
		return nil, err
	}
	cookie, err := s.tokens.MintCookie(id, time.Duration(life)*time.Second)
	return &CookieResponse{SessionCookie: cookie}, err
}
