package identity

import (
	"context"
	"slices"

	"clave/server/account"
	"clave/server/account/passhash"
	"clave/server/fault"
	"clave/server/identity/apierror"
	"clave/server/identity/contact"
	"clave/server/identity/onetime"
	"clave/server/identity/session"
	"clave/server/identity/settings"
	"clave/server/identity/userinfo"
)

// Attribute names a field that an update deletes.
type Attribute string

// Values lists the API's names by their numbers.
func (Attribute) Values() []string {
	return []string{"USER_ATTRIBUTE_NAME_UNSPECIFIED", "EMAIL", "DISPLAY_NAME", "PROVIDER", "PHOTO_URL", "PASSWORD", "RAW_USER_INFO"}
}

// UpdateRequest changes an account, or applies a one-time code.
type UpdateRequest struct {
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

// UpdateResponse is the account after the change.
type UpdateResponse struct {
	Kind             string              `json:"kind"`
	LocalID          string              `json:"localId"`
	Email            string              `json:"email,omitempty"`
	DisplayName      *string             `json:"displayName,omitempty"`
	PhotoURL         *string             `json:"photoUrl,omitempty"`
	PasswordHash     string              `json:"passwordHash,omitempty"`
	ProviderUserInfo []userinfo.Provider `json:"providerUserInfo,omitempty"`
	EmailVerified    bool                `json:"emailVerified"`
	NewEmail         string              `json:"newEmail,omitempty"`
	Tokens
}

// kindUpdate is the kind of an UpdateResponse.
const kindUpdate = "identitytoolkit#SetAccountInfoResponse"

// Update changes an account, or applies a one-time code.
func (s *Service) Update(ctx context.Context, c Call, r *UpdateRequest) (*UpdateResponse, error) {
	if stringOf(r.OobCode) != "" {
		return s.applyCode(ctx, c, *r.OobCode)
	}
	if len(r.Provider) > 0 || r.UpgradeToFederated != nil {
		return nil, fault.E(fault.Unimplemented, "provider and upgradeToFederatedLogin are not implemented.")
	}
	cfg, tenant, err := s.settings(ctx, &c)
	if err != nil {
		return nil, err
	}
	uid, asUser, ses := stringOf(r.LocalID), r.IDToken != nil || !c.Admin, session.Session{}
	if asUser {
		if r.IDToken == nil {
			return nil, apierror.New("INVALID_REQ_TYPE : Unsupported request parameters.")
		}
		u, id, err := s.userOf(&c, *r.IDToken)
		if err != nil {
			return nil, err
		}
		if err := s.checkClientUpdate(cfg, tenant, r); err != nil {
			return nil, err
		}
		if r.sensitive() {
			if err := s.signedInRecently(u, id); err != nil {
				return nil, err
			}
		}
		if ses, err = session.Resume(s.accounts, c.scope(), id); err != nil {
			return nil, err
		}
		uid = u.UID
	} else if uid == "" {
		return nil, apierror.New("MISSING_LOCAL_ID")
	}
	edit, err := s.prepareUpdate(ctx, c, cfg, r, asUser)
	if err != nil {
		return nil, err
	}
	res := &UpdateResponse{Kind: kindUpdate}
	var notice *recovery
	err = s.change(ctx, c, uid, func(ch *account.Change, u *account.User) error {
		before, formerly := *u, s.formerly(u)
		if err := edit(ch, u); err != nil {
			return err
		}
		res.fill(u)
		if stringOf(r.Email) != "" {
			res.NewEmail = u.Email
		}
		moved := u.Email != before.Email
		if !asUser || !r.revoke && !moved && (u.Password == nil || u.Password == before.Password) {
			return nil // new tokens are for clients whose sessions have just ended
		}
		if moved {
			if notice, err = s.recoverable(ch, c, u, formerly); err != nil {
				return err
			}
		}
		if ses.Provider == "anonymous" && u.Password != nil {
			ses.Provider = "password"
		}
		ses.AuthTime = s.now().Unix()
		res.Tokens, err = s.give(ch, c, u, ses)
		return err
	})
	if err == nil {
		s.sendRecovery(ctx, c, notice)
	}
	return res, err
}

// sensitive reports whether the update changes the account's ways to sign in.
func (r *UpdateRequest) sensitive() bool {
	return r.Email != nil || r.Password != nil || len(r.DeleteProvider) > 0 ||
		slices.ContainsFunc(r.DeleteAttribute, func(a Attribute) bool { return a == "EMAIL" || a == "PASSWORD" || a == "PROVIDER" })
}

// fill sets the response's fields to those of the account.
func (r *UpdateResponse) fill(u *account.User) {
	r.LocalID, r.Email, r.DisplayName, r.PhotoURL, r.EmailVerified = u.UID, u.Email, u.DisplayName, u.PhotoURL, u.EmailVerified
	r.ProviderUserInfo = userinfo.Providers(u)
	if u.Password != nil {
		r.PasswordHash = userinfo.Redacted
	}
}

// checkClientUpdate refuses what users may not change of themselves.
func (s *Service) checkClientUpdate(cfg *settings.Config, tenant *settings.Tenant, r *UpdateRequest) error {
	switch {
	case r.CustomAttributes != nil:
		return apierror.New("INSUFFICIENT_PERMISSION")
	case r.DisableUser != nil:
		return apierror.New("OPERATION_NOT_ALLOWED")
	case r.LinkProviderUserInfo != nil && !s.o.AsEmulator:
		return apierror.New("UNEXPECTED_PARAMETER")
	case r.MFA != nil:
		return apierror.New("INSUFFICIENT_PERMISSION")
	case (r.Email != nil || r.Password != nil) && !passwordOn(cfg, tenant):
		return apierror.New("OPERATION_NOT_ALLOWED")
	case r.Email != nil && s.privacy(cfg):
		return verifyFirst()
	}
	if r.ValidSince != nil && s.o.AsEmulator {
		r.revoke = true // whatever the value
	}
	r.EmailVerified, r.PhoneNumber, r.ValidSince, r.CreatedAt, r.LastLoginAt = nil, nil, nil, nil, nil
	return nil
}

// verifyFirst returns the error for a client's change of address with protection from e-mail enumeration.
func verifyFirst() error {
	return apierror.New("OPERATION_NOT_ALLOWED : Please verify the new email before changing email.")
}

// prepareUpdate checks an update and does the slow work, before the account is locked. The function that it returns
// makes the change.
func (s *Service) prepareUpdate(ctx context.Context, c Call, cfg *settings.Config, r *UpdateRequest, asUser bool) (func(*account.Change, *account.User) error, error) {
	if err := checkProfile(r.DisplayName, r.PhotoURL); err != nil {
		return nil, err
	}
	var email, phone string
	var ok bool
	if r.Email != nil && *r.Email != "" {
		if email, ok = contact.Email(*r.Email); !ok {
			return nil, apierror.New("INVALID_EMAIL")
		}
	}
	if r.PhoneNumber != nil && *r.PhoneNumber != "" {
		if phone, ok = contact.Phone(*r.PhoneNumber); !ok {
			return nil, apierror.New("INVALID_PHONE_NUMBER : Invalid format.")
		}
	}
	if r.CustomAttributes != nil {
		if err := session.CheckAttributes(*r.CustomAttributes); err != nil {
			return nil, err
		}
	}
	if p := r.LinkProviderUserInfo; p != nil {
		switch {
		case p.ProviderID == "" && s.o.AsEmulator:
			return nil, apierror.New("MISSING_PROVIDER_ID")
		case p.RawID == "" && s.o.AsEmulator:
			return nil, apierror.New("MISSING_RAW_ID")
		case p.RawID == "":
			return nil, apierror.New("MISSING_IDENTIFIER")
		case p.ProviderID == "" || p.ProviderID == "password" || p.ProviderID == "phone" || p.ProviderID == "anonymous":
			return nil, apierror.New("INVALID_PROVIDER_ID")
		}
	}
	var hash *passhash.Hash
	if r.Password != nil {
		if err := cfg.PasswordPolicyConfig.CheckNew(*r.Password); err != nil {
			return nil, err
		}
		var err error
		if hash, err = s.hash(ctx, c, *r.Password); err != nil {
			return nil, err
		}
	}
	// Deletions come last: they override values of the same request. Sessions of a deleted address end before the
	// deletion, while the account still has the address.
	return func(ch *account.Change, u *account.User) error {
		s.setAddress(u, r, email, phone)
		if hash != nil {
			s.setPassword(u, hash)
		}
		if r.revoke {
			s.revoke(u)
		}
		if r.LinkProviderUserInfo != nil {
			link(u, r.LinkProviderUserInfo)
		}
		if !asUser {
			if err := s.setByAdmin(ch, u, r); err != nil {
				return err
			}
		}
		if slices.Contains(r.DeleteAttribute, "EMAIL") && u.Email != "" {
			s.revoke(u)
		}
		setProfile(u, r)
		if s.o.AsEmulator && slices.Contains(r.DeleteProvider, "password") {
			u.Email, u.EmailVerified = "", false
		}
		return nil
	}, nil
}

// setAddress changes e-mail address and phone number.
func (s *Service) setAddress(u *account.User, r *UpdateRequest, email, phone string) {
	if email != "" && email != u.Email {
		s.move(u, email, u.EmailVerified && r.IDToken == nil)
	}
	if r.PhoneNumber != nil {
		u.Phone = phone
	}
}

// move changes an account's e-mail address, which ends all sessions. verified is set if ownership of the new address was proved.
func (s *Service) move(u *account.User, email string, verified bool) {
	if u.InitialEmail == "" && u.Email != "" {
		u.InitialEmail = u.Email
	}
	u.Email, u.EmailVerified = email, verified
	s.revoke(u)
}

// setPassword changes the password, which ends all sessions.
func (s *Service) setPassword(u *account.User, hash *passhash.Hash) {
	u.Password, u.PasswordUpdated = hash, s.now().UnixMilli()
	s.revoke(u)
}

// revoke ends all sessions.
func (s *Service) revoke(u *account.User) { u.Revoke(s.now()) }

// setByAdmin changes what only an administrator may.
func (s *Service) setByAdmin(ch *account.Change, u *account.User, r *UpdateRequest) error {
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
		return s.enrollGiven(u, r.MFA.Enrollments, had, !s.o.AsEmulator)
	}
	return nil
}

// link links a provider's user and replaces another of the same provider.
func link(u *account.User, p *userinfo.Provider) {
	u.Providers = slices.DeleteFunc(u.Providers, func(old account.Provider) bool { return old.ProviderID == p.ProviderID })
	u.Providers = append(u.Providers, account.Provider{
		ProviderID: p.ProviderID, RawID: p.RawID, Email: p.Email, DisplayName: stringOf(p.DisplayName), PhotoURL: stringOf(p.PhotoURL), Phone: p.PhoneNumber, ScreenName: p.ScreenName,
	})
}

// setProfile changes the name and the picture, and deletes the attributes of the request.
func setProfile(u *account.User, r *UpdateRequest) {
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
