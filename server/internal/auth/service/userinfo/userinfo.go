// Package userinfo shows accounts as the Identity Toolkit API does: with the names of its fields, and without what its
// callers may not see.
package userinfo

import (
	"encoding/base64"
	"strconv"
	"time"

	"clave/server/internal/auth/account"
)

// Redacted replaces a password hash that is not shown. It is not empty, because clients infer from it that there is a
// password.
const Redacted = "UkVEQUNURUQ="

// Provider is a way to sign in, as the API shows it.
type Provider struct {
	ProviderID  string  `json:"providerId"`
	DisplayName *string `json:"displayName,omitempty"`
	PhotoURL    *string `json:"photoUrl,omitempty"`
	FederatedID string  `json:"federatedId,omitempty"`
	Email       string  `json:"email,omitempty"`
	RawID       string  `json:"rawId,omitempty"`
	PhoneNumber string  `json:"phoneNumber,omitempty"`
	ScreenName  string  `json:"screenName,omitempty"`
}

// Factor is an enrolled second factor, as the API shows it.
type Factor struct {
	MFAEnrollmentID       string    `json:"mfaEnrollmentId,omitempty"`
	DisplayName           string    `json:"displayName,omitempty"`
	PhoneInfo             string    `json:"phoneInfo,omitempty"`
	UnobfuscatedPhoneInfo string    `json:"unobfuscatedPhoneInfo,omitempty"`
	TOTPInfo              *struct{} `json:"totpInfo,omitempty"`
	EnrolledAt            string    `json:"enrolledAt,omitempty"`
}

// Passkey is a registered passkey, as the API shows it.
type Passkey struct {
	CredentialID string `json:"credentialId"`
	Name         string `json:"name,omitempty"`
}

// Info is an account, as the API shows it.
type Info struct {
	LocalID           string     `json:"localId"`
	Email             string     `json:"email,omitempty"`
	EmailVerified     *bool      `json:"emailVerified,omitempty"`
	DisplayName       *string    `json:"displayName,omitempty"`
	PhotoURL          *string    `json:"photoUrl,omitempty"`
	PhoneNumber       string     `json:"phoneNumber,omitempty"`
	PasswordHash      string     `json:"passwordHash,omitempty"`
	Salt              string     `json:"salt,omitempty"`
	Version           *int       `json:"version,omitempty"`
	PasswordUpdatedAt int64      `json:"passwordUpdatedAt,omitempty"`
	ProviderUserInfo  []Provider `json:"providerUserInfo,omitempty"`
	ValidSince        string     `json:"validSince,omitempty"`
	Disabled          *bool      `json:"disabled,omitempty"`
	LastLoginAt       string     `json:"lastLoginAt,omitempty"`
	CreatedAt         string     `json:"createdAt,omitempty"`
	LastRefreshAt     string     `json:"lastRefreshAt,omitempty"`
	CustomAttributes  *string    `json:"customAttributes,omitempty"`
	CustomAuth        bool       `json:"customAuth,omitempty"`
	EmailLinkSignin   bool       `json:"emailLinkSignin,omitempty"`
	InitialEmail      string     `json:"initialEmail,omitempty"`
	TenantID          string     `json:"tenantId,omitempty"`
	ScreenName        string     `json:"screenName,omitempty"`
	Language          string     `json:"language,omitempty"`
	TimeZone          string     `json:"timeZone,omitempty"`
	DateOfBirth       string     `json:"dateOfBirth,omitempty"`
	MFAInfo           []Factor   `json:"mfaInfo,omitzero"`
	PasskeyInfo       []Passkey  `json:"passkeyInfo,omitempty"`
}

// Of returns an account of a tenant as the API shows it. With whole, which is for administrators, phone numbers of
// second factors are shown in both fields. Exports also need the hashes.
func Of(u *account.User, tenant string, whole, hashes bool) Info {
	i := Info{
		LocalID: u.UID, Email: u.Email, DisplayName: u.DisplayName, PhotoURL: u.PhotoURL, PhoneNumber: u.Phone,
		PasswordUpdatedAt: u.PasswordUpdated, ProviderUserInfo: Providers(u), CustomAttributes: u.Attributes, CustomAuth: u.Custom,
		EmailLinkSignin: u.EmailLink, InitialEmail: u.InitialEmail, TenantID: tenant, ScreenName: u.ScreenName,
		Language: u.Language, TimeZone: u.TimeZone, DateOfBirth: u.DateOfBirth, CreatedAt: strconv.FormatInt(u.Created, 10), MFAInfo: Factors(u, whole),
	}
	if u.Password != nil {
		i.PasswordHash = Redacted
		if hashes {
			i.PasswordHash = base64.URLEncoding.EncodeToString(u.Password.Sum)
			i.Salt = base64.URLEncoding.EncodeToString(u.Password.Salt)
		}
	}
	if u.ValidSince != nil {
		i.ValidSince = strconv.FormatInt(*u.ValidSince, 10)
	}
	// An anonymous user has the field only when disabled.
	if !u.Anonymous() {
		i.Disabled = &u.Disabled
	} else if u.Disabled {
		i.Disabled = &u.Disabled
	}
	if u.Email != "" || u.EmailVerified {
		i.EmailVerified = &u.EmailVerified
	}
	if u.LastLogin != 0 {
		i.LastLoginAt = strconv.FormatInt(u.LastLogin, 10)
	}
	if !u.LastRefresh.IsZero() {
		i.LastRefreshAt = Stamp(u.LastRefresh)
	}
	for _, p := range u.Passkeys {
		i.PasskeyInfo = append(i.PasskeyInfo, Passkey{CredentialID: p.ID, Name: p.Name})
	}
	return i
}

// Stamp formats a time as the API does: with three decimals, or six if there are microseconds.
func Stamp(t time.Time) string {
	if t.Nanosecond()%int(time.Millisecond) < int(time.Microsecond) {
		return t.UTC().Format("2006-01-02T15:04:05.000Z")
	}
	return t.UTC().Format("2006-01-02T15:04:05.000000Z")
}

// Providers lists a user's ways to sign in: linked providers, then phone, then password.
func Providers(u *account.User) []Provider {
	var list []Provider
	for _, p := range u.Providers {
		list = append(list, Provider{
			ProviderID: p.ProviderID, RawID: p.RawID, FederatedID: p.RawID, Email: p.Email, DisplayName: nonEmpty(p.DisplayName), PhotoURL: nonEmpty(p.PhotoURL),
			PhoneNumber: p.Phone, ScreenName: p.ScreenName,
		})
	}
	if u.Phone != "" {
		list = append(list, Provider{ProviderID: "phone", RawID: u.Phone, PhoneNumber: u.Phone})
	}
	if u.Email != "" && (u.Password != nil || u.EmailLink) {
		list = append(list, Provider{
			ProviderID: "password", FederatedID: u.Email, Email: u.Email, RawID: u.Email, DisplayName: u.DisplayName, PhotoURL: u.PhotoURL,
		})
	}
	return list
}

// Factors lists the second factors. Only administrators see whole phone numbers, in the field for them.
func Factors(u *account.User, whole bool) []Factor {
	var list []Factor
	if u.Factors != nil {
		list = []Factor{} // as in the official emulator, for a user who withdrew the last one
	}
	for _, f := range u.Factors {
		m := Factor{MFAEnrollmentID: f.ID, DisplayName: f.DisplayName, EnrolledAt: Stamp(f.Enrolled)}
		if f.Phone == "" {
			m.TOTPInfo = &struct{}{}
		} else {
			m.PhoneInfo = f.Phone
			if whole {
				m.UnobfuscatedPhoneInfo = f.Phone
			}
		}
		list = append(list, m)
	}
	return list
}

// nonEmpty returns a pointer to a string, or nil for an empty one.
func nonEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
