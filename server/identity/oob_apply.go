package identity

import (
	"cmp"
	"context"

	"clave/server/account"
	"clave/server/identity/apierror"
	"clave/server/identity/contact"
	"clave/server/identity/onetime"
	"clave/server/identity/session"
	"clave/server/identity/settings"
	"clave/server/randid"
)

// loadCode returns a code that is still valid and its user. The user is nil for codes that create accounts.
func (s *Service) loadCode(c Call, code string) (*onetime.Code, *account.User, error) {
	if code == "" {
		return nil, nil, apierror.New("MISSING_OOB_CODE")
	}
	made := &onetime.Code{}
	found, err := s.accounts.Load(c.scope(), onetime.Item, randid.Digest(code), made)
	if err != nil || !found {
		return nil, nil, cmp.Or(err, apierror.New("INVALID_OOB_CODE"))
	}
	if s.now().Sub(made.Made) > onetime.Lifetimes[made.Type] {
		return nil, nil, apierror.New("EXPIRED_OOB_CODE")
	}
	if made.UID == "" {
		return made, nil, nil
	}
	u, err := s.accounts.Get(c.scope(), made.UID)
	if err != nil || u == nil || made.Ended(u, s.now()) {
		return nil, nil, cmp.Or(err, apierror.New("INVALID_OOB_CODE"))
	}
	return made, u, nil
}

// applyCode verifies, changes or recovers an e-mail address.
func (s *Service) applyCode(ctx context.Context, c Call, code string) (*UpdateResponse, error) {
	made, u, err := s.loadCode(c, code)
	if err != nil {
		return nil, err
	}
	if u == nil || made.Type != onetime.VerifyEmail && made.Type != onetime.ChangeEmail && made.Type != onetime.RecoverEmail {
		return nil, apierror.New("INVALID_OOB_CODE")
	}
	res := &UpdateResponse{Kind: kindUpdate}
	var notice *recovery
	err = s.change(ctx, c, u.UID, func(ch *account.Change, u *account.User) (err error) {
		// The account is read again under its lock. It may have changed since the code was loaded.
		if u.Disabled {
			return apierror.New("USER_DISABLED")
		}
		if made.Type != onetime.RecoverEmail && u.Email != made.Email {
			return apierror.New("EMAIL_NOT_FOUND")
		}
		if made.Ended(u, s.now()) {
			return apierror.New("INVALID_OOB_CODE")
		}
		if err := onetime.Use(ch, u, code); err != nil {
			return err
		}
		switch made.Type {
		case onetime.ChangeEmail:
			if !s.o.AsEmulator { // The official emulator sends no recovery e-mail for it.
				if notice, err = s.recoverable(ch, c, u, s.formerly(u)); err != nil {
					return err
				}
			}
			s.move(u, made.NewEmail, true)
		case onetime.RecoverEmail:
			s.restore(u, made)
		}
		u.EmailVerified = true
		res.fill(u)
		res.NewEmail = made.NewEmail
		return nil
	})
	// The new address was taken meanwhile. The refused change has stored nothing, but the code must not work later: it is removed in a
	// change of its own.
	if err != nil && apierror.Text(err) == "EMAIL_EXISTS" {
		err = cmp.Or(s.change(ctx, c, u.UID, func(ch *account.Change, u *account.User) error { return onetime.Use(ch, u, code) }), err)
	}
	if err == nil {
		s.sendRecovery(ctx, c, notice)
	}
	return res, err
}

// ResetRequest checks a code of any kind, or uses one to set a new password.
type ResetRequest struct {
	OobCode     *string `json:"oobCode"`
	NewPassword *string `json:"newPassword"`
	OldPassword *string `json:"oldPassword"`
	Email       *string `json:"email"`
	TenantID    *string `json:"tenantId"`
}

// ResetResponse describes the code.
type ResetResponse struct {
	Kind        string       `json:"kind"`
	Email       string       `json:"email,omitempty"`
	NewEmail    string       `json:"newEmail,omitempty"`
	RequestType onetime.Kind `json:"requestType,omitempty"`
}

// ResetPassword checks a code, or sets a new password with it. A completed reset verifies the address and ends all
// sessions. If ownership of the address had not been proved before, the account is handed over to the user who has
// proved it now.
func (s *Service) ResetPassword(ctx context.Context, c Call, r *ResetRequest) (*ResetResponse, error) {
	cfg, tenant, err := s.settings(ctx, &c)
	if err != nil {
		return nil, err
	}
	if !passwordOn(cfg, tenant) {
		return nil, apierror.New("PASSWORD_LOGIN_DISABLED")
	}
	made, u, err := s.loadCode(c, stringOf(r.OobCode))
	if err != nil {
		return nil, err
	}
	res := &ResetResponse{Kind: "identitytoolkit#ResetPasswordResponse", RequestType: made.Type, NewEmail: made.NewEmail}
	if made.Type != onetime.EmailSignIn {
		res.Email = made.Email
	}
	if r.NewPassword == nil {
		return res, nil
	}
	if made.Type != onetime.PasswordReset {
		return nil, apierror.New("INVALID_OOB_CODE")
	}
	if u.Disabled {
		return nil, apierror.New("USER_DISABLED")
	}
	if err := cfg.PasswordPolicyConfig.CheckNew(*r.NewPassword); err != nil {
		return nil, err
	}
	// Hashing is slow, so it precedes the lock of the account. The checks above are repeated under the lock.
	hash, err := s.hash(ctx, c, *r.NewPassword)
	if err != nil {
		return nil, err
	}
	return res, s.change(ctx, c, u.UID, func(ch *account.Change, u *account.User) error {
		switch {
		case u.Disabled:
			return apierror.New("USER_DISABLED")
		case u.Email != made.Email:
			return apierror.New("USER_NOT_FOUND")
		}
		s.handOver(u)
		s.setPassword(u, hash)
		u.EmailVerified = true
		if s.o.AsEmulator {
			u.Providers = nil
		}
		s.limits.NotePlace(c.client(), u)
		s.limits.ResetGuesses(c.client(), u.Email)
		return onetime.Use(ch, u, *r.OobCode)
	})
}

// EmailLinkRequest signs in with a link that was sent by e-mail.
type EmailLinkRequest struct {
	Email    *string `json:"email"`
	OobCode  *string `json:"oobCode"`
	IDToken  *string `json:"idToken"`
	TenantID *string `json:"tenantId"`
}

// EmailLinkResponse is the response to an EmailLinkRequest.
type EmailLinkResponse struct {
	Kind      string `json:"kind"`
	Email     string `json:"email"`
	LocalID   string `json:"localId"`
	IsNewUser bool   `json:"isNewUser"`
	Tokens
	Pending
}

// SignInWithEmailLink signs in with a code from an e-mail. It creates the account if there is none.
func (s *Service) SignInWithEmailLink(ctx context.Context, c Call, r *EmailLinkRequest) (*EmailLinkResponse, error) {
	cfg, tenant, err := s.settings(ctx, &c)
	if err != nil {
		return nil, err
	}
	if tenant != nil && !tenant.EnableEmailLinkSignin {
		return nil, apierror.New("OPERATION_NOT_ALLOWED")
	}
	var linkTo string
	if stringOf(r.IDToken) != "" {
		u, _, err := s.recentUser(&c, *r.IDToken)
		if err != nil {
			return nil, err
		}
		linkTo = u.UID
	}
	if stringOf(r.Email) == "" {
		return nil, apierror.New("MISSING_EMAIL")
	}
	made, _, err := s.loadCode(c, stringOf(r.OobCode))
	if err != nil {
		return nil, err
	}
	if made.Type != onetime.EmailSignIn {
		return nil, apierror.New("INVALID_OOB_CODE")
	}
	// The client repeats the address that the user entered, so that a leaked or forwarded link is useless without the address.
	email, ok := contact.Email(*r.Email)
	if !ok || made.Email != email {
		return nil, apierror.New("INVALID_EMAIL : The email provided does not match the sign-in email address.")
	}
	res := &EmailLinkResponse{Kind: "identitytoolkit#EmailLinkSigninResponse", Email: email}
	return res, s.finishEmailLink(ctx, c, cfg, tenant, linkTo, *r.OobCode, res)
}

// finishEmailLink finds or creates the account and signs in.
func (s *Service) finishEmailLink(ctx context.Context, c Call, cfg *settings.Config, tenant *settings.Tenant, linkTo, code string, res *EmailLinkResponse) error {
	old, err := s.accounts.ByEmail(c.scope(), res.Email)
	if err != nil {
		return err
	}
	u := old
	switch {
	case linkTo != "" && old != nil && old.UID != linkTo:
		return apierror.New("EMAIL_EXISTS")
	case linkTo != "":
		if u, err = s.accounts.Get(c.scope(), linkTo); err != nil || u == nil {
			return cmp.Or(err, apierror.New("USER_NOT_FOUND"))
		}
	case old == nil:
		if s.signUpOff(cfg, tenant) {
			return apierror.New("ADMIN_ONLY_OPERATION")
		}
		u = &account.User{UID: newUID(), Created: s.now().UnixMilli(), Email: res.Email, EmailVerified: true, EmailLink: true}
		res.IsNewUser = true
	}
	res.LocalID = u.UID
	// Opening the link proves that the user owns the address. Linking to a signed-in user's account keeps the account's
	// other credentials. prepare applies handOver to the copy too, so that factors which handOver removes are not
	// required.
	handOver := func(u *account.User) {
		if linkTo == "" && !s.o.AsEmulator {
			s.handOver(u)
		}
	}
	var notice *recovery
	// The change locks the address beside the account: two requests with one code of an address without an account would make accounts of
	// different ids, whose locks do not exclude each other.
	out, err := s.complete(ctx, &attempt{
		call: c, cfg: cfg, tenant: tenant, user: u, isNew: res.IsNewUser, session: session.Session{Provider: "password", Method: "emailLink"},
		locked: []string{"\x00" + res.Email}, prepare: handOver,
		edit: func(ch *account.Change, u *account.User) (err error) {
			if err := onetime.Use(ch, nil, code); err != nil {
				return err
			}
			handOver(u)
			if u.Email != "" && u.Email != res.Email {
				if notice, err = s.recoverable(ch, c, u, s.formerly(u)); err != nil {
					return err
				}
				s.move(u, res.Email, true)
			}
			u.Email, u.EmailVerified, u.EmailLink = res.Email, true, true
			return nil
		},
	})
	if err != nil {
		return err
	}
	res.Tokens, res.Pending = out.Tokens, out.Pending
	s.sendRecovery(ctx, c, notice)
	return nil
}
