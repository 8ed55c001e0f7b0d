package identity

import (
	"encoding/base64"
	"time"

	"clave/server/account"
)

// redacted replaces a password hash that is not shown. It is not empty, because clients infer from it that there is a
// password.
const redacted = "UkVEQUNURUQ="

// ProviderUserInfo is a way to sign in, as the API shows it.
type ProviderUserInfo struct {
	ProviderID  string  `json:"providerId"`
	DisplayName *string `json:"displayName,omitempty"`
	PhotoURL    *string `json:"photoUrl,omitempty"`
	FederatedID string  `json:"federatedId,omitempty"`
	Email       string  `json:"email,omitempty"`
	RawID       string  `json:"rawId,omitempty"`
	PhoneNumber string  `json:"phoneNumber,omitempty"`
	ScreenName  string  `json:"screenName,omitempty"`
}

// MFAInfo is an enrolled second factor, as the API shows it.
type MFAInfo struct {
	MFAEnrollmentID       string    `json:"mfaEnrollmentId,omitempty"`
	DisplayName           string    `json:"displayName,omitempty"`
	PhoneInfo             string    `json:"phoneInfo,omitempty"`
	UnobfuscatedPhoneInfo string    `json:"unobfuscatedPhoneInfo,omitempty"`
	TOTPInfo              *struct{} `json:"totpInfo,omitempty"`
	EnrolledAt            string    `json:"enrolledAt,omitempty"`
}

// PasskeyInfo is a registered passkey, as the API shows it.
type PasskeyInfo struct {
	CredentialID string `json:"credentialId"`
	Name         string `json:"name,omitempty"`
}

// UserInfo is an account, as the API shows it.
type UserInfo struct {
	LocalID           string             `json:"localId"`
	Email             string             `json:"email,omitempty"`
	EmailVerified     *bool              `json:"emailVerified,omitempty"`
	DisplayName       *string            `json:"displayName,omitempty"`
	PhotoURL          *string            `json:"photoUrl,omitempty"`
	PhoneNumber       string             `json:"phoneNumber,omitempty"`
	PasswordHash      string             `json:"passwordHash,omitempty"`
	Salt              string             `json:"salt,omitempty"`
	Version           *int               `json:"version,omitempty"`
	PasswordUpdatedAt int64              `json:"passwordUpdatedAt,omitempty"`
	ProviderUserInfo  []ProviderUserInfo `json:"providerUserInfo,omitempty"`
	ValidSince        string             `json:"validSince,omitempty"`
	Disabled          *bool              `json:"disabled,omitempty"`
	LastLoginAt       string             `json:"lastLoginAt,omitempty"`
	CreatedAt         string             `json:"createdAt,omitempty"`
	LastRefreshAt     string             `json:"lastRefreshAt,omitempty"`
	CustomAttributes  *string            `json:"customAttributes,omitempty"`
	CustomAuth        bool               `json:"customAuth,omitempty"`
	EmailLinkSignin   bool               `json:"emailLinkSignin,omitempty"`
	InitialEmail      string             `json:"initialEmail,omitempty"`
	TenantID          string             `json:"tenantId,omitempty"`
	ScreenName        string             `json:"screenName,omitempty"`
	Language          string             `json:"language,omitempty"`
	TimeZone          string             `json:"timeZone,omitempty"`
	DateOfBirth       string             `json:"dateOfBirth,omitempty"`
	MFAInfo           []MFAInfo          `json:"mfaInfo,omitzero"`
	PasskeyInfo       []PasskeyInfo      `json:"passkeyInfo,omitempty"`
}

// info returns an account as the API shows it. Exports also need the hashes.
func info(c Call, u *account.User, hashes bool) UserInfo {
	i := UserInfo{
		LocalID: u.UID, Email: u.Email, DisplayName: u.DisplayName, PhotoURL: u.PhotoURL, PhoneNumber: u.Phone,
		PasswordUpdatedAt: u.PasswordUpdated, ProviderUserInfo: providers(u), CustomAttributes: u.Attributes, CustomAuth: u.Custom,
		EmailLinkSignin: u.EmailLink, InitialEmail: u.InitialEmail, TenantID: c.Tenant, ScreenName: u.ScreenName,
		Language: u.Language, TimeZone: u.TimeZone, DateOfBirth: u.DateOfBirth, CreatedAt: itoa(u.Created), MFAInfo: factors(u, c.Admin),
	}
	if u.Password != nil {
		i.PasswordHash = redacted
		if hashes {
			i.PasswordHash = base64.URLEncoding.EncodeToString(u.Password.Sum)
			i.Salt = base64.URLEncoding.EncodeToString(u.Password.Salt)
		}
	}
	if u.ValidSince != nil {
		i.ValidSince = itoa(*u.ValidSince)
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
		i.LastLoginAt = itoa(u.LastLogin)
	}
	if !u.LastRefresh.IsZero() {
		i.LastRefreshAt = stamp(u.LastRefresh)
	}
	for _, p := range u.Passkeys {
		i.PasskeyInfo = append(i.PasskeyInfo, PasskeyInfo{CredentialID: p.ID, Name: p.Name})
	}
	return i
}

// stamp formats a time as the API does: with three decimals, or six if there are microseconds.
func stamp(t time.Time) string {
	if t.Nanosecond()%int(time.Millisecond) < int(time.Microsecond) {
		return t.UTC().Format("2006-01-02T15:04:05.000Z")
	}
	return t.UTC().Format("2006-01-02T15:04:05.000000Z")
}

// providers lists a user's ways to sign in: linked providers, then phone, then password.
func providers(u *account.User) []ProviderUserInfo {
	var list []ProviderUserInfo
	for _, p := range u.Providers {
		list = append(list, ProviderUserInfo{
			ProviderID: p.ProviderID, RawID: p.RawID, FederatedID: p.RawID, Email: p.Email, DisplayName: nonEmpty(p.DisplayName), PhotoURL: nonEmpty(p.PhotoURL),
			PhoneNumber: p.Phone, ScreenName: p.ScreenName,
		})
	}
	if u.Phone != "" {
		list = append(list, ProviderUserInfo{ProviderID: "phone", RawID: u.Phone, PhoneNumber: u.Phone})
	}
	if u.Email != "" && (u.Password != nil || u.EmailLink) {
		list = append(list, ProviderUserInfo{
			ProviderID: "password", FederatedID: u.Email, Email: u.Email, RawID: u.Email, DisplayName: u.DisplayName, PhotoURL: u.PhotoURL,
		})
	}
	return list
}

// factors lists the second factors; only administrators see whole phone numbers.
func factors(u *account.User, whole bool) []MFAInfo {
	var list []MFAInfo
	if u.Factors != nil {
		list = []MFAInfo{} // as in the official emulator, for a user who withdrew the last one
	}
	for _, f := range u.Factors {
		m := MFAInfo{MFAEnrollmentID: f.ID, DisplayName: f.DisplayName, EnrolledAt: stamp(f.Enrolled)}
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
