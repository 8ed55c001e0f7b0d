package account

import (
	"slices"
	"strings"
	"time"

	"clave/server/internal/auth/account/passhash"
)

// Scope identifies where an account is stored: in a project or in one of its tenants.
type Scope struct {
	Project, Tenant string
}

// User is one account. A User that a Store returned belongs to the caller.
type User struct {
	UID           string          `json:"uid"`
	Email         string          `json:"email,omitempty"`
	EmailVerified bool            `json:"emailVerified,omitempty"`
	InitialEmail  string          `json:"initialEmail,omitempty"`
	Phone         string          `json:"phone,omitempty"`
	DisplayName   *string         `json:"displayName,omitempty"`
	PhotoURL      *string         `json:"photoUrl,omitempty"`
	Password      *passhash.Hash  `json:"password,omitempty"`
	Providers     []Provider      `json:"providers,omitempty"`
	Factors       []Factor        `json:"factors,omitzero"`
	Passkeys      []Passkey       `json:"passkeys,omitempty"`
	Disabled      bool            `json:"disabled,omitempty"`
	EmailLink     bool            `json:"emailLink,omitempty"`
	Custom        bool            `json:"custom,omitempty"`
	Attributes    *string         `json:"attributes,omitempty"`
	Codes         map[string]Code `json:"codes,omitempty"`
	// Created, LastLogin and PasswordUpdated are in milliseconds; zero means never.
	Created         int64 `json:"created"`
	LastLogin       int64 `json:"lastLogin,omitempty"`
	PasswordUpdated int64 `json:"passwordUpdated,omitempty"`
	// ValidSince is in seconds. Sessions that are older have ended. Nil means never set.
	ValidSince *int64 `json:"validSince,omitempty"`
	// Epoch counts the revocations of all sessions. It distinguishes sessions that began before and after a revocation in
	// the same second. Accounts that earlier versions stored have epoch 0, and so have their sessions.
	Epoch int64 `json:"epoch,omitempty"`
	// HandedOver is when an owner of the address last took the account over from its creator.
	HandedOver time.Time `json:"handedOver,omitzero"`
	// SignedInFrom holds digests of the networks from which the user has signed in lately, the latest last.
	SignedInFrom []string `json:"signedInFrom,omitempty"`
	// LastRefresh is the time when a token was last issued.
	LastRefresh time.Time `json:"lastRefresh,omitzero"`
	// ScreenName, Language, TimeZone and DateOfBirth are stored as they were given.
	ScreenName  string `json:"screenName,omitempty"`
	Language    string `json:"language,omitempty"`
	TimeZone    string `json:"timeZone,omitempty"`
	DateOfBirth string `json:"dateOfBirth,omitempty"`
}

// Code is the newest one-time code of a kind that was sent to a user.
type Code struct {
	Hash string `json:"hash"`
}

// Provider is a linked identity provider.
type Provider struct {
	ProviderID  string `json:"providerId"`
	RawID       string `json:"rawId"`
	Email       string `json:"email,omitempty"`
	DisplayName string `json:"displayName,omitempty"`
	PhotoURL    string `json:"photoUrl,omitempty"`
	Phone       string `json:"phone,omitempty"`
	ScreenName  string `json:"screenName,omitempty"`
}

// Factor is an enrolled second factor: a phone, or a secret for time-based codes.
type Factor struct {
	ID          string    `json:"id"`
	DisplayName string    `json:"displayName,omitempty"`
	Phone       string    `json:"phone,omitempty"`
	Secret      []byte    `json:"secret,omitempty"`
	LastStep    int64     `json:"lastStep,omitempty"`
	Enrolled    time.Time `json:"enrolled"`
}

// Passkey is a registered WebAuthn credential.
type Passkey struct {
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
}

// Anonymous reports whether the account has no way to sign in again.
func (u *User) Anonymous() bool {
	return u.Email == "" && u.Phone == "" && len(u.Providers) == 0 && !u.Custom && u.Password == nil
}

// Name returns the display name, or an empty string if there is none.
func (u *User) Name() string {
	if u.DisplayName == nil {
		return ""
	}
	return *u.DisplayName
}

// Photo returns the address of the picture, or an empty string if there is none.
func (u *User) Photo() string {
	if u.PhotoURL == nil {
		return ""
	}
	return *u.PhotoURL
}

// Provider returns the linked provider with the given id, or nil.
func (u *User) Provider(id string) *Provider {
	for i := range u.Providers {
		if u.Providers[i].ProviderID == id {
			return &u.Providers[i]
		}
	}
	return nil
}

// Factor returns the enrolled factor with the given id, or nil.
func (u *User) Factor(id string) *Factor {
	for i := range u.Factors {
		if u.Factors[i].ID == id {
			return &u.Factors[i]
		}
	}
	return nil
}

// HasPasskey reports whether a passkey is registered.
func (u *User) HasPasskey(id string) bool {
	return slices.ContainsFunc(u.Passkeys, func(p Passkey) bool { return p.ID == id })
}

// Since returns the time in seconds from which sessions are valid. It is not before the creation, so that tokens of a
// deleted account are not valid for a new account with its id.
func (u *User) Since() int64 { return u.Sessions().Since() }

// indexes returns the index keys that must belong only to this user, relative to its scope.
func (u *User) indexes() []string {
	var keys []string
	if u.Email != "" {
		keys = append(keys, emailKey(u.Email))
	}
	if u.Phone != "" {
		keys = append(keys, phoneKey(u.Phone))
	}
	for _, p := range u.Providers {
		keys = append(keys, providerKey(p.ProviderID, p.RawID))
	}
	return keys
}

// emailKey returns the key of an e-mail address, which ignores case.
func emailKey(email string) string { return "e\x00" + strings.ToLower(email) }

// phoneKey returns the key of a phone number.
func phoneKey(phone string) string { return "p\x00" + phone }

// providerKey returns the key of a provider's user.
func providerKey(provider, raw string) string { return "f\x00" + provider + "\x00" + raw }
