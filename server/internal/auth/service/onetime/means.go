package onetime

import (
	"slices"

	"clave/server/internal/auth/account"
)

// Means holds the ways to sign in to an account at a moment, by their ids.
type Means struct {
	// Password is when the password was set; zero when there was none.
	Password  int64    `json:"password,omitempty"`
	Phone     string   `json:"phone,omitempty"`
	Providers []string `json:"providers,omitempty"`
	Factors   []string `json:"factors,omitempty"`
	Passkeys  []string `json:"passkeys,omitempty"`
}

// MeansOf returns the ways to sign in to an account.
func MeansOf(u *account.User) *Means {
	m := &Means{Password: u.PasswordUpdated, Phone: u.Phone}
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

// KeepOnly removes from an account the ways to sign in that are not among these.
func (m *Means) KeepOnly(u *account.User) {
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
