package updateform

import (
	"slices"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/account/passhash"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/factor"
	"clave/server/internal/auth/service/field"
	"clave/server/internal/auth/service/onetime"
	"clave/server/internal/auth/service/optional"
	"clave/server/internal/auth/service/session"
	"clave/server/internal/auth/service/userinfo"
)

// Options are what the change of an account depends on, beside the request.
type Options struct {
	// AsEmulator selects the official emulator's behaviour.
	AsEmulator bool
	// Admin is set for requests by administrators.
	Admin bool
	// Policy is the policy for new passwords; nil allows those that the API allows.
	Policy *field.PasswordPolicy
	// Hash hashes a new password.
	Hash func(password string) (*passhash.Hash, error)
	// Now returns the present time.
	Now func() time.Time
}

// Edit is a change of an account that was checked.
type Edit struct {
	o            Options
	r            *Request
	email, phone string
	hash         *passhash.Hash
}

// Prepare checks a request and hashes its password, which is slow, before the account is locked.
func (r *Request) Prepare(o Options) (*Edit, error) {
	e := &Edit{o: o, r: r}
	if err := field.CheckProfile(r.DisplayName, r.PhotoURL); err != nil {
		return nil, err
	}
	var ok bool
	if r.Email != nil && *r.Email != "" {
		if e.email, ok = field.Email(*r.Email); !ok {
			return nil, apierror.New("INVALID_EMAIL")
		}
	}
	if r.PhoneNumber != nil && *r.PhoneNumber != "" {
		if e.phone, ok = field.Phone(*r.PhoneNumber); !ok {
			return nil, apierror.New("INVALID_PHONE_NUMBER : Invalid format.")
		}
	}
	if r.CustomAttributes != nil {
		if err := session.CheckAttributes(*r.CustomAttributes); err != nil {
			return nil, err
		}
	}
	if err := checkProvider(r.LinkProviderUserInfo, o.AsEmulator); err != nil {
		return nil, err
	}
	if r.Password == nil {
		return e, nil
	}
	if err := o.Policy.CheckNew(*r.Password); err != nil {
		return nil, err
	}
	var err error
	e.hash, err = o.Hash(*r.Password)
	return e, err
}

// checkProvider returns an error unless a provider's user may be linked; nil means no provider.
func checkProvider(p *userinfo.Provider, asEmulator bool) error {
	switch {
	case p == nil:
		return nil
	case p.ProviderID == "" && asEmulator:
		return apierror.New("MISSING_PROVIDER_ID")
	case p.RawID == "" && asEmulator:
		return apierror.New("MISSING_RAW_ID")
	case p.RawID == "":
		return apierror.New("MISSING_IDENTIFIER")
	case p.ProviderID == "" || p.ProviderID == "password" || p.ProviderID == "phone" || p.ProviderID == "anonymous", !field.ValidProvider(p.ProviderID, p.RawID):
		return apierror.New("INVALID_PROVIDER_ID")
	}
	return nil
}

// Apply makes the change within a change of the store.
func (e *Edit) Apply(ch *account.Change, u *account.User) error {
	r, now := e.r, e.o.Now()
	if e.email != "" && e.email != u.Email {
		u.ChangeEmail(e.email, u.EmailVerified && r.IDToken == nil, now)
	}
	if r.PhoneNumber != nil {
		u.Phone = e.phone
	}
	if e.hash != nil {
		u.SetPassword(e.hash, now)
	}
	if r.revoke {
		u.Revoke(now)
	}
	if p := r.LinkProviderUserInfo; p != nil {
		u.Link(account.Provider{
			ProviderID: p.ProviderID, RawID: p.RawID, Email: p.Email, DisplayName: optional.String(p.DisplayName), PhotoURL: optional.String(p.PhotoURL), Phone: p.PhoneNumber, ScreenName: p.ScreenName,
		})
	}
	if e.o.Admin {
		if err := e.byAdmin(ch, u, now); err != nil {
			return err
		}
	}
	// Deletions come last: they override values of the same request. Sessions of a deleted address end before the
	// deletion, while the account still has the address.
	if slices.Contains(r.DeleteAttribute, "EMAIL") && u.Email != "" {
		u.Revoke(now)
	}
	e.profile(u)
	if e.o.AsEmulator && slices.Contains(r.DeleteProvider, "password") {
		u.Email, u.EmailVerified = "", false
	}
	return nil
}

// byAdmin makes the changes that only administrators may request. Enabling a disabled account removes its code to reset
// the password. A list of second factors replaces all present ones.
func (e *Edit) byAdmin(ch *account.Change, u *account.User, now time.Time) error {
	r := e.r
	if r.EmailVerified != nil {
		u.EmailVerified = *r.EmailVerified
	}
	if r.DisableUser != nil {
		if u.Disabled && !*r.DisableUser {
			onetime.Drop(ch, u, onetime.PasswordReset)
		}
		u.Disabled = *r.DisableUser
	}
	if r.CustomAttributes != nil {
		u.Attributes = r.CustomAttributes
	}
	if r.ValidSince != nil {
		u.EndSessions(*r.ValidSince)
	}
	if r.CreatedAt != nil {
		u.Created = *r.CreatedAt
	}
	if r.LastLoginAt != nil {
		u.LastLogin = *r.LastLoginAt
	}
	if r.MFA != nil {
		had := u.Factors
		u.Factors = nil
		return factor.Enroll(u, r.MFA.Enrollments, had, !e.o.AsEmulator, now)
	}
	return nil
}

// profile changes the name and the picture, and deletes the attributes, providers and passkeys of the request.
func (e *Edit) profile(u *account.User) {
	r := e.r
	if r.DisplayName != nil {
		u.DisplayName = r.DisplayName
	}
	if r.PhotoURL != nil {
		u.PhotoURL = r.PhotoURL
	}
	for _, a := range r.DeleteAttribute {
		switch a {
		case "EMAIL":
			u.Email, u.EmailVerified, u.EmailLink = "", false, false
		case "DISPLAY_NAME":
			u.DisplayName = nil
		case "PHOTO_URL":
			u.PhotoURL = nil
		case "PASSWORD":
			u.Password, u.PasswordUpdated = nil, 0
		case "PROVIDER":
			u.Providers = nil
		}
	}
	for _, id := range r.DeleteProvider {
		switch id {
		case "password":
			u.Password, u.PasswordUpdated, u.EmailLink = nil, 0, false
		case "phone":
			u.Phone = ""
		}
		u.Providers = slices.DeleteFunc(u.Providers, func(p account.Provider) bool { return p.ProviderID == id })
	}
	u.Passkeys = slices.DeleteFunc(u.Passkeys, func(p account.Passkey) bool { return slices.Contains(r.DeletePasskey, p.ID) })
}

// StartsSession reports whether a user's change has ended the user's own sessions, so that the response needs new
// tokens. before is the account before the change.
func (e *Edit) StartsSession(before, u *account.User) bool {
	return !e.o.Admin && (e.r.revoke || u.Email != before.Email || u.Password != nil && u.Password != before.Password)
}
