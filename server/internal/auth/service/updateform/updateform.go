// Package updateform has the form of changes of accounts: what a request may change, and how it changes an account.
package updateform

import (
	"slices"

	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/userinfo"
)

// Attribute names a field that an update deletes.
type Attribute string

// Values lists the API's names by their numbers.
func (Attribute) Values() []string {
	return []string{"USER_ATTRIBUTE_NAME_UNSPECIFIED", "EMAIL", "DISPLAY_NAME", "PROVIDER", "PHOTO_URL", "PASSWORD", "RAW_USER_INFO"}
}

// Request changes an account, or applies a one-time code.
type Request struct {
	IDToken              *string            `json:"idToken"`
	LocalID              *string            `json:"localId"`
	OobCode              *string            `json:"oobCode"`
	Email                *string            `json:"email"`
	Password             *string            `json:"password"`
	DisplayName          *string            `json:"displayName"`
	PhotoURL             *string            `json:"photoUrl"`
	PhoneNumber          *string            `json:"phoneNumber"`
	EmailVerified        *bool              `json:"emailVerified"`
	DisableUser          *bool              `json:"disableUser"`
	CustomAttributes     *string            `json:"customAttributes"`
	ValidSince           *int64             `json:"validSince"`
	CreatedAt            *int64             `json:"createdAt"`
	LastLoginAt          *int64             `json:"lastLoginAt"`
	DeleteAttribute      []Attribute        `json:"deleteAttribute"`
	DeleteProvider       []string           `json:"deleteProvider"`
	DeletePasskey        []string           `json:"deletePasskey"`
	LinkProviderUserInfo *userinfo.Provider `json:"linkProviderUserInfo"`
	Provider             []string           `json:"provider"`
	UpgradeToFederated   *bool              `json:"upgradeToFederatedLogin"`
	ReturnSecureToken    *bool              `json:"returnSecureToken"`
	MFA                  *struct {
		Enrollments []userinfo.Factor `json:"enrollments"`
	} `json:"mfa"`
	// revoke ends all sessions. In the official emulator users can request it for themselves.
	revoke bool
}

// Sensitive reports whether the update changes the account's ways to sign in.
func (r *Request) Sensitive() bool {
	return r.Email != nil || r.Password != nil || len(r.DeleteProvider) > 0 ||
		slices.ContainsFunc(r.DeleteAttribute, func(a Attribute) bool { return a == "EMAIL" || a == "PASSWORD" || a == "PROVIDER" })
}

// UserRules are the rules for changes that users make of their own accounts.
type UserRules struct {
	// AsEmulator selects the official emulator's behaviour.
	AsEmulator bool
	// NoPassword is set if e-mail and password must not be used.
	NoPassword bool
	// Private is set if e-mail addresses are protected from enumeration.
	Private bool
}

// Restrict refuses what users must not change of themselves, and removes fields of the request that they can't set.
func (r *Request) Restrict(o UserRules) error {
	switch {
	case r.CustomAttributes != nil:
		return apierror.New("INSUFFICIENT_PERMISSION")
	case r.DisableUser != nil:
		return apierror.New("OPERATION_NOT_ALLOWED")
	case r.LinkProviderUserInfo != nil && !o.AsEmulator:
		return apierror.New("UNEXPECTED_PARAMETER")
	case r.MFA != nil:
		return apierror.New("INSUFFICIENT_PERMISSION")
	case (r.Email != nil || r.Password != nil) && o.NoPassword:
		return apierror.New("OPERATION_NOT_ALLOWED")
	case r.Email != nil && o.Private:
		return VerifyFirst()
	}
	if r.ValidSince != nil && o.AsEmulator {
		r.revoke = true // whatever the value
	}
	r.EmailVerified, r.PhoneNumber, r.ValidSince, r.CreatedAt, r.LastLoginAt = nil, nil, nil, nil, nil
	return nil
}

// VerifyFirst returns the error for a client's change of address with protection from e-mail enumeration.
func VerifyFirst() error {
	return apierror.New("OPERATION_NOT_ALLOWED : Please verify the new email before changing email.")
}
