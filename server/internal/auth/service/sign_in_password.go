package service

import (
	"context"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/account/passhash"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/field"
	"clave/server/internal/auth/service/limits"
	"clave/server/internal/auth/service/optional"
	"clave/server/internal/auth/service/session"
)

// PasswordRequest signs in with an e-mail address and a password.
type PasswordRequest struct {
	Email             *string `json:"email"`
	Password          *string `json:"password"`
	ReturnSecureToken *bool   `json:"returnSecureToken"`
	TenantID          *string `json:"tenantId"`
	PendingIDToken    *string `json:"pendingIdToken"`
}

// PasswordResponse is the response to a sign-in with a password: tokens, or the request for a second factor.
type PasswordResponse struct {
	Kind           string `json:"kind"`
	LocalID        string `json:"localId"`
	Email          string `json:"email"`
	DisplayName    string `json:"displayName"`
	ProfilePicture string `json:"profilePicture,omitempty"`
	Registered     bool   `json:"registered"`
	Tokens
	Pending
}

// kindPassword is the kind of a PasswordResponse.
const kindPassword = "identitytoolkit#VerifyPasswordResponse"

// SignInWithPassword signs in with an e-mail address and a password.
func (s *Service) SignInWithPassword(ctx context.Context, c Call, r *PasswordRequest) (*PasswordResponse, error) {
	cs, err := s.settings(ctx, c)
	if err != nil {
		return nil, err
	}
	if !cs.passwordOn() {
		return nil, apierror.New("PASSWORD_LOGIN_DISABLED")
	}
	if r.Email == nil {
		return nil, apierror.New("MISSING_EMAIL")
	}
	email, ok := field.Email(*r.Email)
	if !ok {
		return nil, apierror.New("INVALID_EMAIL")
	}
	if optional.String(r.Password) == "" {
		return nil, apierror.New("MISSING_PASSWORD")
	}
	if err := s.limits.Take(c.client(), limits.SignIn); err != nil {
		return nil, err
	}
	u, err := s.checkPassword(ctx, cs, email, *r.Password)
	if err != nil {
		return nil, err
	}
	// Checked only after the password was right, because the result reveals facts about the account.
	policy := &cs.project.PasswordPolicyConfig
	if required := policy.Enforced(); required != nil && policy.ForceUpgradeOnSignin {
		if err := required.Check(*r.Password); err != nil {
			return nil, err
		}
	}
	return s.finishPassword(ctx, cs, u, r)
}

// checkPassword returns the user with the address and the password.
func (s *Service) checkPassword(ctx context.Context, c *callSettings, email, password string) (*account.User, error) {
	u, err := s.accounts.ByEmail(c.scope(), email)
	if err != nil {
		return nil, err
	}
	// The attempt counts before the password is checked, so that parallel guesses count too.
	attempt, err := s.limits.StartGuess(c.client(), email, u)
	if err != nil {
		return nil, err
	}
	private := c.privacy()
	if u == nil && !private {
		return nil, apierror.New("EMAIL_NOT_FOUND")
	}
	if u != nil && u.Disabled {
		return nil, apierror.New("USER_DISABLED")
	}
	var hash *passhash.Hash
	if u != nil {
		hash = u.Password
	}
	// For an unknown address the hash is nil, and the check takes as long as any other. With protection from e-mail
	// enumeration neither the text of the error nor its time reveals whether there is an account.
	good, err := s.hasher.Check(ctx, c.Project, c.client().Queue(), hash, password)
	switch {
	case err != nil:
		return nil, err
	case good:
		attempt.Right()
		return u, nil
	case private:
		return nil, apierror.New("INVALID_LOGIN_CREDENTIALS")
	}
	return nil, apierror.New("INVALID_PASSWORD")
}

// finishPassword begins the session, or requires the second factor.
func (s *Service) finishPassword(ctx context.Context, c *callSettings, u *account.User, r *PasswordRequest) (*PasswordResponse, error) {
	rehashed, err := s.hasher.Rehash(ctx, c.Project, c.client().Queue(), u.Password, *r.Password)
	if err != nil {
		return nil, err
	}
	checked := string(u.Password.Sum)
	out, err := s.complete(ctx, &attempt{
		callSettings: c, user: u, session: session.Session{Provider: "password"},
		check: func(u *account.User) error {
			if u.Password == nil || string(u.Password.Sum) != checked {
				return apierror.New("INVALID_LOGIN_CREDENTIALS") // changed since it was checked
			}
			return nil
		},
		edit: func(_ *account.Change, u *account.User) error {
			if rehashed != nil {
				u.Password = rehashed
			}
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	res := &PasswordResponse{
		Kind: kindPassword, LocalID: u.UID, Email: u.Email, DisplayName: out.user.Name(), Registered: true, Tokens: out.Tokens, Pending: out.Pending,
	}
	if out.IDToken == "" {
		return res, nil
	}
	res.ProfilePicture = out.user.Photo()
	if !optional.Bool(r.ReturnSecureToken, s.o.EmulatorSettings) {
		res.IDToken, err = s.tokens.MintLegacy(c.Project, u.UID, map[string]any{"email": out.user.Email, "verified": out.user.EmailVerified, "provider_id": "password"})
		res.RefreshToken, res.ExpiresIn = "", ""
	}
	return res, err
}
