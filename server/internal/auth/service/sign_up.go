package service

import (
	"cmp"
	"context"
	"slices"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/account/passhash"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/factor"
	"clave/server/internal/auth/service/field"
	"clave/server/internal/auth/service/limits"
	"clave/server/internal/auth/service/optional"
	"clave/server/internal/auth/service/session"
	"clave/server/internal/auth/service/updateform"
	"clave/server/internal/auth/service/userinfo"
)

// SignUpRequest creates an account, which is anonymous if the request has neither e-mail address nor password.
type SignUpRequest struct {
	LocalID          *string           `json:"localId"`
	Email            *string           `json:"email"`
	Password         *string           `json:"password"`
	DisplayName      *string           `json:"displayName"`
	PhotoURL         *string           `json:"photoUrl"`
	PhoneNumber      *string           `json:"phoneNumber"`
	EmailVerified    *bool             `json:"emailVerified"`
	Disabled         *bool             `json:"disabled"`
	DisableUser      *bool             `json:"disableUser"`
	CustomAttributes *string           `json:"customAttributes"`
	IDToken          *string           `json:"idToken"`
	TenantID         *string           `json:"tenantId"`
	MFAInfo          []userinfo.Factor `json:"mfaInfo"`
}

// SignUpResponse is the response to a sign-up.
type SignUpResponse struct {
	Kind        string  `json:"kind"`
	LocalID     string  `json:"localId"`
	Email       *string `json:"email,omitempty"`
	DisplayName *string `json:"displayName,omitempty"`
	Tokens
}

// kindSignUp is the kind of a SignUpResponse.
const kindSignUp = "identitytoolkit#SignupNewUserResponse"

// SignUp creates an account, or adds an e-mail address and a password to an anonymous one.
func (s *Service) SignUp(ctx context.Context, c Call, r *SignUpRequest) (*SignUpResponse, error) {
	if c.Admin && r.IDToken != nil && optional.String(r.LocalID) != "" {
		return nil, apierror.New("UNEXPECTED_PARAMETER : User ID")
	}
	if c.Admin && r.IDToken == nil {
		return s.create(ctx, c, r)
	}
	if r.LocalID != nil && *r.LocalID != "" && r.IDToken == nil {
		return nil, apierror.New("UNEXPECTED_PARAMETER : User ID")
	}
	if err := s.limits.Take(c.client(), limits.SignUp); err != nil {
		return nil, err
	}
	var old *account.User
	if r.IDToken != nil {
		var err error
		if old, _, err = s.recentUser(&c, *r.IDToken); err != nil {
			return nil, err
		}
	}
	cs, err := s.settings(ctx, c)
	if err != nil {
		return nil, err
	}
	if old == nil && cs.signUpOff() {
		return nil, apierror.New("ADMIN_ONLY_OPERATION")
	}
	// An empty address is a mistake; without an address the request signs up an anonymous user.
	if old == nil && r.Email != nil && *r.Email == "" && optional.String(r.Password) == "" {
		return nil, apierror.New("INVALID_EMAIL")
	}
	if old == nil && r.Email == nil && optional.String(r.Password) == "" {
		return s.signUpAnonymous(ctx, cs)
	}
	return s.signUpPassword(ctx, cs, old, r)
}

// signUpAnonymous creates an anonymous account. Blocking functions are not called for it.
func (s *Service) signUpAnonymous(ctx context.Context, c *callSettings) (*SignUpResponse, error) {
	if !c.anonymousOn() {
		return nil, apierror.New("ADMIN_ONLY_OPERATION")
	}
	u := &account.User{UID: newUID(), Created: s.now(c.Project).UnixMilli()}
	out, err := s.complete(ctx, &attempt{callSettings: c, user: u, isNew: true, session: session.Session{Provider: "anonymous"}, exempt: true})
	if err != nil {
		return nil, err
	}
	return &SignUpResponse{Kind: kindSignUp, LocalID: u.UID, Tokens: out.Tokens}, nil
}

// newUser returns an account that is created now. Tokens from before are not valid for it.
func (s *Service) newUser(project, uid string) *account.User {
	now := s.now(project)
	since := now.Unix()
	return &account.User{UID: uid, Created: now.UnixMilli(), ValidSince: &since}
}

// newCredentials checks the address and the password of a sign-up. Of existing accounts, only old may have the address.
func (s *Service) newCredentials(c *callSettings, old *account.User, r *SignUpRequest) (email string, err error) {
	if optional.String(r.Email) == "" {
		return "", apierror.New("MISSING_EMAIL")
	}
	if optional.String(r.Password) == "" {
		return "", apierror.New("MISSING_PASSWORD")
	}
	email, ok := field.Email(*r.Email)
	if !ok {
		return "", apierror.New("INVALID_EMAIL")
	}
	if old != nil && old.Email != "" && old.Email != email && c.privacy() {
		return "", updateform.VerifyFirst()
	}
	if other, err := s.accounts.ByEmail(c.scope(), email); err != nil || other != nil && (old == nil || other.UID != old.UID) {
		return "", cmp.Or(err, apierror.New("EMAIL_EXISTS"))
	}
	if err := field.CheckProfile(r.DisplayName, nil); err != nil {
		return "", err
	}
	return email, c.newPassword(*r.Password)
}

// signUpPassword creates an account with an address and a password, or adds them to old.
func (s *Service) signUpPassword(ctx context.Context, c *callSettings, old *account.User, r *SignUpRequest) (*SignUpResponse, error) {
	if !c.passwordOn() {
		return nil, apierror.New("OPERATION_NOT_ALLOWED")
	}
	email, err := s.newCredentials(c, old, r)
	if err != nil {
		return nil, err
	}
	hash, err := s.hasher.Hash(ctx, c.Project, c.client().Queue(), *r.Password) // SignUp has counted the request.
	if err != nil {
		return nil, err
	}
	if old != nil {
		return s.linkPassword(ctx, c.Call, old.UID, passwordLink{email, hash, r.DisplayName})
	}
	res := &SignUpResponse{Kind: kindSignUp, Email: &email}
	u := s.newUser(c.Project, newUID())
	u.Email, u.Password, u.PasswordUpdated, u.DisplayName, res.LocalID = email, hash, u.Created, r.DisplayName, u.UID
	if s.o.AsEmulator {
		if err := factor.Enroll(u, s.newFactors(r.MFAInfo), nil, true, s.now(c.Project)); err != nil {
			return nil, err
		}
	}
	out, err := s.complete(ctx, &attempt{callSettings: c, user: u, isNew: true, session: session.Session{Provider: "password"}, whole: true})
	if err != nil {
		return nil, err
	}
	res.Tokens, res.DisplayName = out.Tokens, out.user.DisplayName
	return res, nil
}

// passwordLink is what a sign-up adds to an account.
type passwordLink struct {
	email string
	hash  *passhash.Hash
	// name replaces the account's name, unless it is nil.
	name *string
}

// linkPassword sets an account's e-mail address and password. If the address differs from the account's, it is a change
// of address: it is refused where Update would refuse it, the new address is not verified, and the former one is
// notified. All sessions end except the one that begins.
func (s *Service) linkPassword(ctx context.Context, c Call, uid string, link passwordLink) (*SignUpResponse, error) {
	res := &SignUpResponse{Kind: kindSignUp, Email: &link.email}
	var notice *recovery
	err := s.change(ctx, c, uid, func(ch *account.Change, u *account.User) (err error) {
		if u.Email != link.email {
			if notice, err = s.recoverable(ch, c, u, s.recoveryCode(c.Project, u)); err != nil {
				return err
			}
			u.ChangeEmail(link.email, false, s.now(c.Project))
		}
		u.SetPassword(link.hash, s.now(c.Project))
		if link.name != nil {
			u.DisplayName = link.name
		}
		res.LocalID, res.DisplayName = u.UID, u.DisplayName
		res.Tokens, err = s.signIn(ch, c, u, session.Session{Provider: "password"})
		return err
	})
	if err == nil {
		s.sendRecovery(ctx, c, notice)
	}
	return res, err
}

// create creates an account for an administrator, without signing it in.
func (s *Service) create(ctx context.Context, c Call, r *SignUpRequest) (*SignUpResponse, error) {
	cs, err := s.settings(ctx, c)
	if err != nil {
		return nil, err
	}
	u, err := s.newByAdmin(ctx, cs, r)
	if err != nil {
		return nil, err
	}
	err = s.accounts.Change(ctx, c.scope(), []string{u.UID}, func(ch *account.Change) error {
		if other, err := ch.Get(u.UID); err != nil || other != nil {
			return cmp.Or(err, apierror.New("DUPLICATE_LOCAL_ID"))
		}
		ch.Put(u)
		return nil
	})
	return &SignUpResponse{Kind: kindSignUp, LocalID: u.UID, Email: &u.Email, DisplayName: r.DisplayName}, err
}

// newByAdmin checks the request of an administrator and returns the account to create.
func (s *Service) newByAdmin(ctx context.Context, c *callSettings, r *SignUpRequest) (*account.User, error) {
	now := s.now(c.Project)
	since := now.Unix()
	u := &account.User{
		UID: newUID(), Created: now.UnixMilli(), DisplayName: r.DisplayName, PhotoURL: r.PhotoURL, EmailVerified: optional.Bool(r.EmailVerified, false),
		Disabled: optional.Bool(r.Disabled, false) || optional.Bool(r.DisableUser, false), ValidSince: &since,
	}
	if r.LocalID != nil {
		if u.UID = *r.LocalID; !field.ValidUID(u.UID) {
			return nil, apierror.New("INVALID_LOCAL_ID")
		}
		if !s.o.Emulator {
			// Sessions of a deleted account with the id, which began in this second, are not valid for this one.
			u.Epoch = now.UnixMicro()
		}
	}
	var ok bool
	if optional.String(r.Email) != "" {
		if u.Email, ok = field.Email(*r.Email); !ok {
			return nil, apierror.New("INVALID_EMAIL")
		}
	}
	if optional.String(r.PhoneNumber) != "" {
		if u.Phone, ok = field.Phone(*r.PhoneNumber); !ok {
			return nil, apierror.New("INVALID_PHONE_NUMBER : Invalid format.")
		}
	}
	if err := field.CheckProfile(r.DisplayName, r.PhotoURL); err != nil {
		return nil, err
	}
	if optional.String(r.CustomAttributes) != "" {
		if err := session.CheckAttributes(*r.CustomAttributes); err != nil {
			return nil, err
		}
		u.Attributes = r.CustomAttributes
	}
	if r.Password != nil {
		if err := c.newPassword(*r.Password); err != nil {
			return nil, err
		}
		var err error
		if u.Password, err = s.hash(ctx, c.Call, *r.Password); err != nil {
			return nil, err
		}
		u.PasswordUpdated = now.UnixMilli()
	}
	return u, factor.Enroll(u, s.newFactors(r.MFAInfo), nil, true, s.now(c.Project))
}

// newFactors returns the factors of a request that creates an account. The official emulator replaces their ids.
func (s *Service) newFactors(list []userinfo.Factor) []userinfo.Factor {
	list = slices.Clone(list)
	for i := range list {
		if s.o.AsEmulator {
			list[i].MFAEnrollmentID = ""
		}
	}
	return list
}
