package service

import (
	"cmp"
	"context"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/field"
	"clave/server/internal/auth/service/onetime"
	"clave/server/internal/auth/service/optional"
	"clave/server/internal/auth/service/session"
)

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
	cs, err := s.userSettings(ctx, c, r.IDToken)
	if err != nil {
		return nil, err
	}
	if cs.tenant != nil && !cs.tenant.EnableEmailLinkSignin {
		return nil, apierror.New("OPERATION_NOT_ALLOWED")
	}
	var linkTo string
	if optional.String(r.IDToken) != "" {
		u, _, err := s.recentUser(&cs.Call, *r.IDToken)
		if err != nil {
			return nil, err
		}
		linkTo = u.UID
	}
	if optional.String(r.Email) == "" {
		return nil, apierror.New("MISSING_EMAIL")
	}
	made, _, err := s.loadCode(cs.Call, optional.String(r.OobCode))
	if err != nil {
		return nil, err
	}
	if made.Type != onetime.EmailSignIn {
		return nil, apierror.New("INVALID_OOB_CODE")
	}
	// The client repeats the address that the user entered, so that a leaked or forwarded link is useless without the
	// address.
	email, ok := field.Email(*r.Email)
	if !ok || made.Email != email {
		return nil, apierror.New("INVALID_EMAIL : The email provided does not match the sign-in email address.")
	}
	return s.finishEmailLink(ctx, cs, linkTo, email, *r.OobCode)
}

// finishEmailLink finds or creates the account and signs in.
func (s *Service) finishEmailLink(ctx context.Context, c *callSettings, linkTo, email, code string) (*EmailLinkResponse, error) {
	res := &EmailLinkResponse{Kind: "identitytoolkit#EmailLinkSigninResponse", Email: email}
	old, err := s.accounts.ByEmail(c.scope(), email)
	if err != nil {
		return nil, err
	}
	u := old
	switch {
	case linkTo != "" && old != nil && old.UID != linkTo:
		return nil, apierror.New("EMAIL_EXISTS")
	case linkTo != "":
		if u, err = s.accounts.Get(c.scope(), linkTo); err != nil || u == nil {
			return nil, cmp.Or(err, apierror.New("USER_NOT_FOUND"))
		}
	case old == nil:
		if c.signUpOff() {
			return nil, apierror.New("ADMIN_ONLY_OPERATION")
		}
		u = &account.User{UID: newUID(), Created: s.now(c.Project).UnixMilli(), Email: email, EmailVerified: true, EmailLink: true}
		res.IsNewUser = true
	}
	res.LocalID = u.UID
	// Opening the link proves that the user owns the address. Linking to a signed-in user's account keeps the account's
	// other credentials. prepare applies handOver to the copy too, so that factors which handOver removes are not
	// required. A new account is not handed over: it is as beforeCreate left it.
	handOver := func(u *account.User) {
		if linkTo == "" && !res.IsNewUser && !s.o.AsEmulator {
			u.HandOver(s.now(c.Project))
		}
	}
	var notice *recovery
	// The change locks the address beside the account: two requests with one code of an address without an account would
	// make accounts of different ids, whose locks do not exclude each other.
	out, err := s.complete(ctx, &attempt{
		callSettings: c, user: u, isNew: res.IsNewUser, session: session.Session{Provider: "password", Method: "emailLink"},
		locked: []string{"\x00" + email}, prepare: handOver,
		edit: func(ch *account.Change, u *account.User) (err error) {
			if err := onetime.Use(ch, nil, code); err != nil {
				return err
			}
			handOver(u)
			if u.Email != "" && u.Email != email {
				if notice, err = s.recoverable(ch, c.Call, u, s.recoveryCode(c.Project, u)); err != nil {
					return err
				}
				u.ChangeEmail(email, true, s.now(c.Project))
			}
			u.Email, u.EmailVerified, u.EmailLink = email, u.EmailVerified || !res.IsNewUser, true
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	res.Tokens, res.Pending = out.Tokens, out.Pending
	s.sendRecovery(ctx, c.Call, notice)
	return res, nil
}
