package identity

import (
	"context"
	"slices"
	"time"

	"clave/server/account"
	"clave/server/identity/limits"
)

// means holds the ways to sign in to an account at a moment, by their ids.
type means struct {
	// Password is when the password was set; zero when there was none.
	Password  int64    `json:"password,omitempty"`
	Phone     string   `json:"phone,omitempty"`
	Providers []string `json:"providers,omitempty"`
	Factors   []string `json:"factors,omitempty"`
	Passkeys  []string `json:"passkeys,omitempty"`
}

// meansOf returns the ways to sign in to an account.
func meansOf(u *account.User) *means {
	m := &means{Password: u.PasswordUpdated, Phone: u.Phone}
	for _, p := range u.Providers {
		m.Providers = append(m.Providers, providerID(p))
	}
	for _, f := range u.Factors {
		m.Factors = append(m.Factors, f.ID)
	}
	for _, k := range u.Passkeys {
		m.Passkeys = append(m.Passkeys, k.ID)
	}
	return m
}

// providerID names a provider's account.
func providerID(p account.Provider) string { return p.ProviderID + "\x00" + p.RawID }

// keepOnly removes from an account the ways to sign in that are not among these.
func (m *means) keepOnly(u *account.User) {
	if u.PasswordUpdated != m.Password {
		u.Password, u.PasswordUpdated = nil, 0
	}
	if u.Phone != m.Phone {
		u.Phone = ""
	}
	u.Providers = slices.DeleteFunc(u.Providers, func(p account.Provider) bool { return !slices.Contains(m.Providers, providerID(p)) })
	u.Factors = slices.DeleteFunc(u.Factors, func(f account.Factor) bool { return !slices.Contains(m.Factors, f.ID) })
	u.Passkeys = slices.DeleteFunc(u.Passkeys, func(k account.Passkey) bool { return !slices.Contains(m.Passkeys, k.ID) })
}

// restore restores an account's former address for the user who has just proved ownership of it, and ends all sessions.
// An attacker may have changed the address, so credentials that were added since are removed. If ownership of the
// address had not been proved before, the older credentials are removed too. The official emulator and `clave start`
// keep all credentials.
func (s *Service) restore(u *account.User, made *oob) {
	u.Email = made.Email
	if !s.o.Emulator {
		if made.Before != nil { // Codes that earlier versions stored have no credentials.
			made.Before.keepOnly(u)
			u.SignedInFrom = nil
		}
		if made.Unverified {
			u.EmailVerified = false
			s.handOver(u)
		}
	}
	s.revoke(u)
}

// objection is the time after a change of address within which the former address can always restore the account, even
// if an owner of the new address has taken it over since.
const objection = 24 * time.Hour

// ended reports whether a code has ended before its time: the session that requested it has ended, or an owner of the account's address has
// taken the account over since. Without the latter, whoever had created the account could move it away from the new owner. The server
// cannot distinguish this from an attacker who moves an account to another address and takes it over. So the code that the former address
// received remains valid for a day after the change.
func (s *Service) ended(made *oob, u *account.User) bool {
	switch {
	case made.Epoch != nil && *made.Epoch != u.Epoch:
		return true
	case !made.Made.Before(u.HandedOver):
		return false
	}
	return made.Type == ChangeEmail || made.Type == RecoverEmail && s.now().Sub(made.Made) > objection
}

// recovery is a code that restores an account's former address, and its link.
type recovery struct {
	made oob
	link string
}

// formerly returns a code that restores an account to its present state, without storing it.
func (s *Service) formerly(u *account.User) oob {
	return oob{Type: RecoverEmail, UID: u.UID, Email: u.Email, Unverified: !u.EmailVerified, Before: meansOf(u), Made: s.now()}
}

// recoverable stores, in a change of an account's address, the code that restores the former address, if there was one. The change
// counts for the client and for the former address, which receives an e-mail. It is refused if it exceeds an allowance: a change that
// the former address is not notified of could not be reversed.
func (s *Service) recoverable(ch *account.Change, c Call, u *account.User, made oob) (*recovery, error) {
	if made.Email == "" {
		return nil, nil // There is no address to return to.
	}
	if err := firstErr(s.limits.Take(c.client(), limits.Code), s.limits.TakeFormer(c.client(), made.Email)); err != nil {
		return nil, err
	}
	made.Previous = u.Codes[string(RecoverEmail)].Hash
	code, link := s.newCode(c, &OobRequest{}, &made)
	setNewest(u, RecoverEmail, digest(code))
	return &recovery{made, link}, ch.Save(codeItem, digest(code), made)
}

// useRecovery removes the RecoverEmail code with a hash, and those of later changes of address, which could undo the restoration. The codes of
// earlier changes stay valid.
func useRecovery(ch *account.Change, u *account.User, used, previous string) error {
	ch.Remove(codeItem, used)
	for hash := u.Codes[string(RecoverEmail)].Hash; hash != "" && hash != used; {
		var later oob
		found, err := ch.Load(codeItem, hash, &later)
		if err != nil {
			return err
		}
		if !found {
			break // It has expired, and so have those before it.
		}
		ch.Remove(codeItem, hash)
		hash = later.Previous
	}
	setNewest(u, RecoverEmail, previous)
	return nil
}

// sendRecovery sends a stored code to an account's former address; nil sends none. The change of address is stored already, so a
// failure is only logged.
func (s *Service) sendRecovery(ctx context.Context, c Call, r *recovery) {
	if r == nil {
		return
	}
	if err := s.mail(ctx, c, r.made, r.link); err != nil {
		s.o.Log.Error("an account's former address was not notified of the change", "user", r.made.UID, "error", err)
	}
}
