package identity

import (
	"context"
	"time"
)

// CookieRequest turns an ID token into a session cookie.
type CookieRequest struct {
	IDToken       *string `json:"idToken"`
	ValidDuration *int64  `json:"validDuration"`
	TenantID      *string `json:"tenantId"`
}

// CookieResponse holds the cookie.
type CookieResponse struct {
	SessionCookie string `json:"sessionCookie"`
}

// Bounds of a cookie's life, in seconds.
const (
	minCookie = 5 * 60
	maxCookie = 14 * 24 * 60 * 60
)

// CreateSessionCookie turns an ID token into a session cookie. Its claims are the token's, not the account's.
func (s *Service) CreateSessionCookie(_ context.Context, c Call, r *CookieRequest) (*CookieResponse, error) {
	if stringOf(r.IDToken) == "" {
		return nil, apiError("MISSING_ID_TOKEN")
	}
	life := int64(maxCookie)
	if r.ValidDuration != nil {
		life = *r.ValidDuration
	}
	if life < minCookie || life > maxCookie {
		return nil, apiError("INVALID_DURATION")
	}
	_, id, err := s.userOf(&c, *r.IDToken)
	if err != nil {
		return nil, err
	}
	cookie, err := s.tokens.MintCookie(id, time.Duration(life)*time.Second)
	return &CookieResponse{SessionCookie: cookie}, err
}
