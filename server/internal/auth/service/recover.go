package service

import (
	"cmp"
	"context"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/limits"
	"clave/server/internal/auth/service/onetime"
	"clave/server/internal/base/randid"
)

// restore restores an account's former address for the user who has just proved ownership of it, and ends all sessions.
// An attacker may have changed the address, so credentials that were added since are removed. If ownership of the
// address had not been proved before, the older credentials are removed too. The official emulator and `clave start`
// keep all credentials.
func (s *Service) restore(project string, u *account.User, made *onetime.Code) {
	u.Email = made.Email
	if !s.o.Emulator {
		if made.Before != nil { // Codes that earlier versions stored have no credentials.
			made.Before.KeepOnly(u)
			u.SignedInFrom = nil
		}
		if made.Unverified {
			u.EmailVerified = false
			u.HandOver(s.now(project))
		}
	}
	u.Revoke(s.now(project))
}

// recovery is a code that restores an account's former address, and its link.
type recovery struct {
	made onetime.Code
	link string
}

// recoveryCode returns a code that restores an account to its present state, without storing it.
func (s *Service) recoveryCode(project string, u *account.User) onetime.Code {
	return onetime.Code{Type: onetime.RecoverEmail, UID: u.UID, Email: u.Email, Unverified: !u.EmailVerified, Before: onetime.MeansOf(u), Made: s.now(project)}
}

// recoverable stores, in a change of an account's address, the code that restores the former address, if there was one.
// The change counts for the client and for the former address, which receives an e-mail. It is refused if it exceeds an
// allowance: a change that the former address is not notified of could not be reversed.
func (s *Service) recoverable(ch *account.Change, c Call, u *account.User, made onetime.Code) (*recovery, error) {
	if made.Email == "" {
		return nil, nil // There is no address to return to.
	}
	if err := cmp.Or(s.limits.Take(c.client(), limits.Code), s.limits.TakeFormer(c.client(), made.Email)); err != nil {
		return nil, err
	}
	made.Previous = u.Codes[string(onetime.RecoverEmail)].Hash
	code, link := s.newCode(c, &OobRequest{}, &made)
	onetime.SetNewest(u, onetime.RecoverEmail, randid.Digest(code))
	return &recovery{made, link}, ch.Save(onetime.Item, randid.Digest(code), made)
}

// sendRecovery sends a stored code to an account's former address; nil sends none. The change of address is stored
// already, so a failure is only logged.
func (s *Service) sendRecovery(ctx context.Context, c Call, r *recovery) {
	if r == nil {
		return
	}
	if err := s.mail(ctx, c, r.made, r.link); err != nil {
		s.o.Log.Error("an account's former address was not notified of the change", "user", r.made.UID, "error", err)
	}
}
