package identity

import (
	"slices"

	"clave/server/account"
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

// ended reports whether the session that requested the code has ended.
func (made *oob) ended(u *account.User) bool { return made.Epoch != nil && *made.Epoch != u.Epoch }
