package account

import (
	"slices"
	"time"

	"clave/server/internal/auth/account/passhash"
)

// Changes of an account that end its sessions, and the linking of providers. Each changes the User in memory;
// Change.Put stores it.

// Revoke ends all sessions that began up to now.
func (u *User) Revoke(now time.Time) { u.EndSessions(now.Unix()) }

// EndSessions ends all sessions that began before since, in seconds, or in that second and before now.
func (u *User) EndSessions(since int64) {
	u.ValidSince = &since
	u.Epoch++
}

// ChangeEmail changes the e-mail address, which ends all sessions. verified is set if ownership of the new address was
// proved.
func (u *User) ChangeEmail(email string, verified bool, now time.Time) {
	if u.InitialEmail == "" && u.Email != "" {
		u.InitialEmail = u.Email
	}
	u.Email, u.EmailVerified = email, verified
	u.Revoke(now)
}

// SetPassword changes the password, which ends all sessions.
func (u *User) SetPassword(hash *passhash.Hash, now time.Time) {
	u.Password, u.PasswordUpdated = hash, now.UnixMilli()
	u.Revoke(now)
}

// HandOver prepares an account for the user who has just proved ownership of its address, by a code or by a provider's
// assertion. Until then an attacker may have created the account with that address (account pre-hijacking): all
// credentials by which the attacker could sign in are removed, second factors that would keep the owner out are
// removed, and all sessions end. Links that move the account to another address end, too, by HandedOver. An account
// whose address is verified, or that has none, is not changed.
func (u *User) HandOver(now time.Time) {
	if u.EmailVerified || u.Email == "" {
		return
	}
	u.Password, u.PasswordUpdated, u.Providers, u.Phone, u.Passkeys, u.Factors, u.SignedInFrom = nil, 0, nil, "", nil, nil, nil
	u.HandedOver = now
	u.Revoke(now)
}

// Link links a provider's user and replaces another of the same provider.
func (u *User) Link(p Provider) {
	u.Providers = slices.DeleteFunc(u.Providers, func(old Provider) bool { return old.ProviderID == p.ProviderID })
	u.Providers = append(u.Providers, p)
}
