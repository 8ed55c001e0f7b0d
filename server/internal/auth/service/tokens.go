package service

import (
	"cmp"
	"context"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/optional"
	"clave/server/internal/auth/service/session"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/randid"
)

// Tokens holds the tokens of a sign-in's response.
type Tokens struct {
	IDToken      string `json:"idToken,omitempty"`
	RefreshToken string `json:"refreshToken,omitempty"`
	ExpiresIn    string `json:"expiresIn,omitempty"`
}

// TokenPair holds the tokens of a response that lacks the lifetime of the ID token.
type TokenPair struct {
	IDToken      string `json:"idToken,omitempty"`
	RefreshToken string `json:"refreshToken,omitempty"`
}

// expiresIn is the lifetime of ID tokens, in seconds.
const expiresIn = "3600"

// signIn starts a session for a user within a change: it records the sign-in and returns tokens.
func (s *Service) signIn(ch *account.Change, c Call, u *account.User, ses session.Session) (Tokens, error) {
	if u.Disabled {
		return Tokens{}, apierror.New("USER_DISABLED")
	}
	now := s.now(c.Project)
	u.LastLogin = now.UnixMilli()
	u.LastRefresh = now.Truncate(time.Millisecond)
	s.limits.NotePlace(c.client(), u)
	ch.Put(u)
	if s.o.SignedIn != nil {
		s.o.SignedIn()
	}
	ses.AuthTime = now.Unix()
	return s.issueTokens(ch, c, u, ses)
}

// signInPair is signIn for responses that lack the lifetime of the ID token.
func (s *Service) signInPair(ch *account.Change, c Call, u *account.User, ses session.Session) (TokenPair, error) {
	t, err := s.signIn(ch, c, u, ses)
	return TokenPair{t.IDToken, t.RefreshToken}, err
}

// issueTokens mints the tokens of a session and stores the session. The change must hold the user's lock.
func (s *Service) issueTokens(ch *account.Change, c Call, u *account.User, ses session.Session) (Tokens, error) {
	ses.UID, ses.Tenant, ses.Epoch = u.UID, c.Tenant, u.Epoch
	id, err := s.tokens.MintID(c.Project, u.UID, session.IDClaims(u, &ses))
	if err != nil {
		return Tokens{}, err
	}
	const size = 48
	refresh := randid.Secret(size)
	if err := cmp.Or(ch.SaveIn(c.root(), session.Item, randid.Digest(refresh), ses), session.NoteClaims(ch, &ses)); err != nil {
		return Tokens{}, err
	}
	return Tokens{IDToken: id, RefreshToken: refresh, ExpiresIn: expiresIn}, nil
}

// RefreshRequest exchanges a refresh token.
type RefreshRequest struct {
	GrantType    *string `json:"grantType"`
	RefreshToken *string `json:"refreshToken"`
}

// RefreshResponse is the Secure Token API's response. Its names are in snake case, like OAuth2's.
type RefreshResponse struct {
	AccessToken  string `json:"access_token"`
	ExpiresIn    string `json:"expires_in"`
	TokenType    string `json:"token_type"`
	RefreshToken string `json:"refresh_token"`
	IDToken      string `json:"id_token"`
	UserID       string `json:"user_id"`
	ProjectID    string `json:"project_id"`
}

// projectNumber is the number of every project, as in the official emulator.
const projectNumber = "12345"

// lastRefreshGrain is the precision of the time of the last refresh. Storing each refresh would be too costly.
const lastRefreshGrain = time.Minute

// Refresh exchanges a refresh token for a new ID token. The refresh token stays the same.
func (s *Service) Refresh(ctx context.Context, c Call, r *RefreshRequest) (*RefreshResponse, error) {
	switch {
	case optional.String(r.GrantType) == "":
		return nil, apierror.New("MISSING_GRANT_TYPE")
	case *r.GrantType != "refresh_token" && *r.GrantType != "refreshToken":
		return nil, apierror.New("INVALID_GRANT_TYPE")
	case optional.String(r.RefreshToken) == "":
		return nil, apierror.New("MISSING_REFRESH_TOKEN")
	}
	// The request names no tenant: sessions are stored for the whole project and hold the tenant's id.
	var ses session.Session
	found, err := s.accounts.Load(c.root(), session.Item, randid.Digest(*r.RefreshToken), &ses)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, apierror.New("INVALID_REFRESH_TOKEN")
	}
	c.Tenant = ses.Tenant
	if err := s.checkTenant(c); err != nil {
		return nil, err
	}
	u, err := s.accounts.Get(c.scope(), ses.UID)
	if err != nil {
		return nil, err
	}
	if u == nil && s.o.AsEmulator {
		return nil, apierror.New("INVALID_REFRESH_TOKEN")
	}
	if err := s.checkSession(u.Sessions(), ses.AuthTime, ses.Epoch); err != nil {
		return nil, err
	}
	id, err := s.tokens.MintID(c.Project, u.UID, session.IDClaims(u, &ses))
	if err != nil {
		return nil, err
	}
	if err := s.noteRefresh(ctx, c, u); err != nil {
		return nil, err
	}
	return &RefreshResponse{
		AccessToken: id, IDToken: id, ExpiresIn: expiresIn, TokenType: "Bearer", RefreshToken: *r.RefreshToken, UserID: u.UID, ProjectID: projectNumber,
	}, nil
}

// noteRefresh records that a user's token was refreshed. On a full disk it records nothing: signed-in users can still
// read.
func (s *Service) noteRefresh(ctx context.Context, c Call, u *account.User) error {
	now := s.now(c.Project)
	if now.Sub(u.LastRefresh) < lastRefreshGrain {
		return nil
	}
	err := s.change(ctx, c, u.UID, func(_ *account.Change, u *account.User) error {
		u.LastRefresh = now.Truncate(time.Millisecond)
		return nil
	})
	if fault.Is(err, fault.ResourceExhausted) {
		return nil
	}
	return err
}
