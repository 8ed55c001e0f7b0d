package service

import (
	"context"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/onetime"
	"clave/server/internal/auth/service/optional"
)

// ResetRequest checks a code of any kind, or uses one to set a new password.
type ResetRequest struct {
	OobCode     *string `json:"oobCode"`
	NewPassword *string `json:"newPassword"`
	OldPassword *string `json:"oldPassword"`
	Email       *string `json:"email"`
	TenantID    *string `json:"tenantId"`
}

// ResetResponse describes the code.
type ResetResponse struct {
	Kind        string       `json:"kind"`
	Email       string       `json:"email,omitempty"`
	NewEmail    string       `json:"newEmail,omitempty"`
	RequestType onetime.Kind `json:"requestType,omitempty"`
}

// ResetPassword checks a code, or sets a new password with it. A completed reset verifies the address and ends all
// sessions. If ownership of the address had not been proved before, the account is handed over to the user who has
// proved it now.
func (s *Service) ResetPassword(ctx context.Context, c Call, r *ResetRequest) (*ResetResponse, error) {
	cs, err := s.settings(ctx, c)
	if err != nil {
		return nil, err
	}
	if !cs.passwordOn() {
		return nil, apierror.New("PASSWORD_LOGIN_DISABLED")
	}
	made, u, err := s.loadCode(c, optional.String(r.OobCode))
	if err != nil {
		return nil, err
	}
	res := &ResetResponse{Kind: "identitytoolkit#ResetPasswordResponse", RequestType: made.Type, NewEmail: made.NewEmail}
	if made.Type != onetime.EmailSignIn {
		res.Email = made.Email
	}
	if r.NewPassword == nil {
		return res, nil
	}
	if made.Type != onetime.PasswordReset {
		return nil, apierror.New("INVALID_OOB_CODE")
	}
	if u.Disabled {
		return nil, apierror.New("USER_DISABLED")
	}
	if err := cs.newPassword(*r.NewPassword); err != nil {
		return nil, err
	}
	// Hashing is slow, so it precedes the lock of the account. The checks above are repeated under the lock.
	hash, err := s.hash(ctx, c, *r.NewPassword)
	if err != nil {
		return nil, err
	}
	return res, s.change(ctx, c, u.UID, func(ch *account.Change, u *account.User) error {
		switch {
		case u.Disabled:
			return apierror.New("USER_DISABLED")
		case u.Email != made.Email:
			return apierror.New("USER_NOT_FOUND")
		}
		u.HandOver(s.now(c.Project))
		u.SetPassword(hash, s.now(c.Project))
		u.EmailVerified = true
		if s.o.AsEmulator {
			u.Providers = nil
		}
		s.limits.NotePlace(c.client(), u)
		s.limits.ResetGuesses(c.client(), u.Email)
		return onetime.Use(ch, u, *r.OobCode)
	})
}
