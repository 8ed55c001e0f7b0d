package service

import (
	"context"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/session"
)

// CustomRequest signs in with a custom token, which a server has signed.
type CustomRequest struct {
	Token             *string `json:"token"`
	ReturnSecureToken *bool   `json:"returnSecureToken"`
	TenantID          *string `json:"tenantId"`
}

// CustomResponse is the response to a CustomRequest.
type CustomResponse struct {
	Kind      string `json:"kind"`
	IsNewUser bool   `json:"isNewUser"`
	Tokens
}

// SignInWithCustomToken signs in with a custom token. It creates the account if there is none.
func (s *Service) SignInWithCustomToken(ctx context.Context, c Call, r *CustomRequest) (*CustomResponse, error) {
	if err := s.checkTenant(c); err != nil {
		return nil, err
	}
	if r.Token == nil {
		return nil, apierror.New("MISSING_CUSTOM_TOKEN")
	}
	t, err := s.tokens.Custom(ctx, *r.Token, c.Project)
	if err != nil {
		return nil, err
	}
	claims, isObject := t.Claims.(map[string]any)
	if t.Claims != nil && !isObject {
		return nil, apierror.New("INVALID_CLAIMS")
	}
	if err := session.CheckReserved(claims); err != nil {
		return nil, err
	}
	if c.Tenant != "" && c.Tenant != t.Tenant {
		return nil, apierror.New("TENANT_ID_MISMATCH")
	}
	// The token determines the tenant: a request that names none signs in to the token's tenant. The settings are those of
	// that tenant.
	c.Tenant = t.Tenant
	cs, err := s.settings(ctx, c)
	if err != nil {
		return nil, err
	}
	u, err := s.accounts.Get(c.scope(), t.UID)
	if err != nil {
		return nil, err
	}
	res := &CustomResponse{Kind: "identitytoolkit#VerifyCustomTokenResponse", IsNewUser: u == nil}
	if u == nil {
		u = s.newUser(c.Project, t.UID)
		u.Custom = true
	}
	out, err := s.complete(ctx, &attempt{
		callSettings: cs, user: u, isNew: res.IsNewUser, session: session.Session{Provider: "custom", Claims: claims}, whole: true,
		edit: func(_ *account.Change, u *account.User) error {
			u.Custom = true
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	res.Tokens = out.Tokens
	return res, nil
}
