package accountimport

import (
	"bytes"
	"context"
	"strings"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/account/passhash"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/factor"
	"clave/server/internal/auth/service/field"
	"clave/server/internal/auth/service/optional"
	"clave/server/internal/auth/service/session"
	"clave/server/internal/auth/service/userinfo"
	"clave/server/internal/base/clock"
)

// convert converts one account. problem is the reason if it can't be imported.
func (m *Importer) convert(ctx context.Context, to Target, g User, hash *passhash.Hash) (u *account.User, problem string, err error) {
	now := clock.NowOf(m.Clock, to.Scope.Project)
	since := now.Unix()
	u = &account.User{
		UID: g.LocalID, EmailVerified: optional.Bool(g.EmailVerified, false), DisplayName: g.DisplayName, PhotoURL: g.PhotoURL, Disabled: optional.Bool(g.Disabled, false),
		Created: now.UnixMilli(), LastLogin: g.LastLoginAt, ValidSince: &since, Custom: optional.Bool(g.CustomAuth, false), EmailLink: optional.Bool(g.EmailLinkSignin, false),
		InitialEmail: g.InitialEmail, ScreenName: g.ScreenName, Language: g.Language, TimeZone: g.TimeZone, DateOfBirth: g.DateOfBirth,
	}
	if g.CreatedAt != 0 {
		u.Created = g.CreatedAt
	}
	if g.ValidSince != nil {
		u.ValidSince = g.ValidSince
	}
	if problem = setContacts(to, u, g); problem == "" {
		problem = setProviders(u, g.ProviderUserInfo)
	}
	if problem != "" {
		return nil, problem, nil
	}
	if problem = m.factors(to, u, g.MFAInfo); problem != "" {
		return nil, problem, nil
	}
	// A plain-text password is hashed here. Hashing is slow, so it comes after all checks.
	problem, err = m.password(ctx, to, u, g, hash)
	return u, problem, err
}

// setContacts sets the address, the phone number and the claims of an imported account, and returns the problem with
// them or with its profile, if any.
func setContacts(to Target, u *account.User, g User) (problem string) {
	var ok bool
	switch {
	case g.LocalID == "":
		return "localId is missing"
	case !field.ValidUID(g.LocalID):
		return "localId is invalid"
	case g.TenantID != "" && g.TenantID != to.Scope.Tenant:
		return "Tenant id in userInfo does not match the tenant id in request."
	}
	if g.Email != "" {
		if u.Email, ok = field.Email(g.Email); !ok {
			return "email is invalid"
		}
	}
	if g.PhoneNumber != "" {
		if u.Phone, ok = field.Phone(g.PhoneNumber); !ok {
			return "phone number format is invalid"
		}
	}
	if g.CustomAttributes != nil {
		if err := session.CheckAttributes(*g.CustomAttributes); err != nil {
			return badClaims(err)
		}
		u.Attributes = g.CustomAttributes
	}
	if field.CheckProfile(g.DisplayName, g.PhotoURL) != nil {
		return "display name or photo url is too long"
	}
	return ""
}

// setProviders links the providers of an imported account, and returns the problem with them, if any.
func setProviders(u *account.User, list []userinfo.Provider) (problem string) {
	for _, p := range list {
		switch p.ProviderID {
		// The account's hash and phone number represent these.
		case "password", "phone":
		case "":
			if p.FederatedID == "" {
				return "federatedId or (providerId & rawId) is required"
			}
			return "Invalid provider id"
		default:
			if p.RawID == "" {
				return "federatedId or (providerId & rawId) is required"
			}
			if !field.ValidProvider(p.ProviderID, p.RawID) {
				return "Invalid provider id"
			}
			u.Providers = append(u.Providers, account.Provider{
				ProviderID: p.ProviderID, RawID: p.RawID, Email: p.Email, DisplayName: optional.String(p.DisplayName), PhotoURL: optional.String(p.PhotoURL), ScreenName: p.ScreenName,
			})
		}
	}
	return ""
}

// badClaims returns the problem with the custom claims of an imported account.
func badClaims(err error) string {
	switch code, _, _ := strings.Cut(apierror.Text(err), " "); code {
	case "CLAIMS_TOO_LARGE":
		return "Custom claims provided are too large."
	case "FORBIDDEN_CLAIM":
		return "Custom claims provided include a reserved claim."
	}
	return "Invalid custom claims provided."
}

// factors imports second factors and returns the problem with them, if any. The official emulator imports them
// only for users with a verified address.
func (m *Importer) factors(to Target, u *account.User, list []userinfo.Factor) (problem string) {
	ids, strict := make(map[string]bool), m.AsEmulator && !to.Transfer
	for _, f := range list {
		_, ok := field.Phone(f.PhoneInfo)
		switch {
		case u.Email == "" && strict:
			return "Second factor account requires email to be presented."
		case !u.EmailVerified && strict:
			return "Second factor account requires email to be verified."
		case f.MFAEnrollmentID != "" && ids[f.MFAEnrollmentID]:
			return "Enrollment id already exists."
		case f.PhoneInfo == "":
			return "Second factor not supported."
		case !ok:
			return "Phone number format is invalid"
		}
		ids[f.MFAEnrollmentID] = true
	}
	if err := factor.Enroll(u, list, nil, true, m.Clock.Now()); err != nil {
		return "Second factor account info is invalid"
	}
	return ""
}

// password imports the hash of a password, or a plain-text password.
func (m *Importer) password(ctx context.Context, to Target, u *account.User, g User, hash *passhash.Hash) (problem string, err error) {
	switch fake, isFake := FakePassword(g.PasswordHash); {
	case g.RawPassword != "":
		u.Password, err = to.Hash(g.RawPassword)
	case isFake && m.Emulator:
		u.Password, err = to.Hash(fake)
	case g.PasswordHash == "":
		return "", nil
	case hash == nil:
		if !m.Emulator {
			return "Missing hash algorithm", nil
		}
		h := passhash.Hash{Alg: "SCRYPT", Rounds: 8, MemCost: m.HashMemCost, Separator: []byte{7}}
		hash = &h
		fallthrough
	default:
		h := *hash
		if h.Sum, err = Decode64(g.PasswordHash); err != nil {
			return "Invalid password hash", nil
		}
		if h.Salt, err = Decode64(g.Salt); err != nil {
			return "Invalid salt", nil
		}
		if !h.Check() {
			return "Invalid password hash", nil
		}
		if params, err := m.Hasher.Present(ctx, to.Scope.Project); err != nil {
			return "", err
		} else if h.Alg == "SCRYPT" && bytes.Equal(h.Key, params.SignerKey) {
			h.Key = nil // the project's own
		}
		u.Password = &h
	}
	if u.PasswordUpdated = g.PasswordUpdatedAt; u.PasswordUpdated == 0 {
		u.PasswordUpdated = m.Clock.Now().UnixMilli()
	}
	return "", err
}
