package service

import (
	"cmp"
	"context"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/onetime"
	"clave/server/internal/base/randid"
)

// loadCode returns a code that is still valid and its user. The user is nil for codes that create accounts.
func (s *Service) loadCode(c Call, code string) (*onetime.Code, *account.User, error) {
	if code == "" {
		return nil, nil, apierror.New("MISSING_OOB_CODE")
	}
	made := &onetime.Code{}
	found, err := s.accounts.Load(c.scope(), onetime.Item, randid.Digest(code), made)
	if err != nil || !found {
		return nil, nil, cmp.Or(err, apierror.New("INVALID_OOB_CODE"))
	}
	if s.now(c.Project).Sub(made.Made) > onetime.Lifetimes[made.Type] {
		return nil, nil, apierror.New("EXPIRED_OOB_CODE")
	}
	if made.UID == "" {
		return made, nil, nil
	}
	u, err := s.accounts.Get(c.scope(), made.UID)
	if err != nil || u == nil || made.Ended(u, s.now(c.Project)) {
		return nil, nil, cmp.Or(err, apierror.New("INVALID_OOB_CODE"))
	}
	return made, u, nil
}

// applyCode verifies, changes or recovers an e-mail address.
func (s *Service) applyCode(ctx context.Context, c Call, code string) (*UpdateResponse, error) {
	made, u, err := s.loadCode(c, code)
	if err != nil {
		return nil, err
	}
	if u == nil || made.Type != onetime.VerifyEmail && made.Type != onetime.ChangeEmail && made.Type != onetime.RecoverEmail {
		return nil, apierror.New("INVALID_OOB_CODE")
	}
	res := &UpdateResponse{Kind: kindUpdate}
	var notice *recovery
	err = s.change(ctx, c, u.UID, func(ch *account.Change, u *account.User) (err error) {
		// The account is read again under its lock. It may have changed since the code was loaded.
		if u.Disabled {
			return apierror.New("USER_DISABLED")
		}
		if made.Type != onetime.RecoverEmail && u.Email != made.Email {
			return apierror.New("EMAIL_NOT_FOUND")
		}
		if made.Ended(u, s.now(c.Project)) {
			return apierror.New("INVALID_OOB_CODE")
		}
		if err := onetime.Use(ch, u, code); err != nil {
			return err
		}
		switch made.Type {
		case onetime.ChangeEmail:
			if !s.o.AsEmulator { // The official emulator sends no recovery e-mail for it.
				if notice, err = s.recoverable(ch, c, u, s.recoveryCode(c.Project, u)); err != nil {
					return err
				}
			}
			u.ChangeEmail(made.NewEmail, true, s.now(c.Project))
		case onetime.RecoverEmail:
			s.restore(c.Project, u, made)
		}
		u.EmailVerified = true
		res.fill(u)
		res.NewEmail = made.NewEmail
		return nil
	})
	// The new address was taken meanwhile. The refused change has stored nothing, but the code must not work later: it is
	// removed in a change of its own.
	if err != nil && apierror.Text(err) == "EMAIL_EXISTS" {
		err = cmp.Or(s.change(ctx, c, u.UID, func(ch *account.Change, u *account.User) error { return onetime.Use(ch, u, code) }), err)
	}
	if err == nil {
		s.sendRecovery(ctx, c, notice)
	}
	return res, err
}
