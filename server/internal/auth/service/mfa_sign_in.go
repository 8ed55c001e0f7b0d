package service

import (
	"context"
	"slices"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/field"
	"clave/server/internal/auth/service/limits"
	"clave/server/internal/auth/service/optional"
	"clave/server/internal/auth/service/pending"
	"clave/server/internal/auth/service/session"
	"clave/server/internal/auth/service/sms"
	"clave/server/internal/auth/service/userinfo"
)

// requestFactor returns the response that requires a second factor, and stores the sign-in until the factor is
// presented. The change must hold the user's lock.
func (s *Service) requestFactor(ch *account.Change, c Call, u *account.User, ses session.Session) (Pending, error) {
	ses.UID, ses.Tenant, ses.Epoch = u.UID, c.Tenant, u.Epoch
	list := userinfo.Factors(u, false)
	for i := range list {
		list[i].PhoneInfo = field.HidePhone(list[i].PhoneInfo)
	}
	credential, err := pending.Save(ch, c.root(), ses, s.now(c.Project))
	return Pending{MFAPendingCredential: credential, MFAInfo: list}, err
}

// pendingSignIn returns the pending sign-in of a request, its user and the factor that the request names.
func (s *Service) pendingSignIn(c *Call, r *MFARequest) (*pending.SignIn, *account.User, error) {
	p, err := pending.Load(s.accounts, c.root(), optional.String(r.MFAPendingCredential), s.now(c.Project))
	if err != nil {
		return nil, nil, err
	}
	c.Tenant = p.Session.Tenant
	u, err := s.accounts.Get(c.scope(), p.Session.UID)
	if err != nil {
		return nil, nil, err
	}
	return p, u, s.checkPending(p, u)
}

// checkPending refuses a pending sign-in whose account was disabled, or whose sessions have ended since it began: the
// first factor may not be valid any more.
func (s *Service) checkPending(p *pending.SignIn, u *account.User) error {
	err := s.checkSession(u.Sessions(), p.Made.Unix(), p.Session.Epoch)
	if err != nil && u != nil && !u.Disabled {
		return pending.Invalid()
	}
	return err
}

// StartFactor sends a code to an enrolled phone.
func (s *Service) StartFactor(ctx context.Context, c Call, r *MFARequest) (*MFAResponse, error) {
	if optional.String(r.MFAPendingCredential) == "" {
		if err := s.factorsOn(ctx, c, false); err != nil {
			return nil, err
		}
	} else if optional.String(r.MFAEnrollmentID) == "" {
		return nil, apierror.New("MISSING_MFA_ENROLLMENT_ID : No second factor identifier is provided.")
	}
	_, u, err := s.pendingSignIn(&c, r)
	if err != nil {
		return nil, err
	}
	f := u.Factor(*r.MFAEnrollmentID)
	if f == nil || f.Phone == "" {
		return nil, apierror.New("MFA_ENROLLMENT_NOT_FOUND")
	}
	cs, err := s.settings(ctx, c)
	if err != nil {
		return nil, err
	}
	info, err := s.sendSMS(ctx, cs, phoneOf{f.Phone, u.UID}, sms.SignIn)
	return &MFAResponse{PhoneResponseInfo: &PhoneInfo{SessionInfo: info}}, err
}

// checkPresented returns an error if a request to finish a sign-in lacks the credential or a part of the second factor.
func (r *MFARequest) checkPresented() error {
	switch {
	case optional.String(r.MFAPendingCredential) == "":
		return apierror.New("MISSING_CREDENTIAL : Please set MFA Pending Credential.")
	case r.TOTPVerificationInfo != nil:
		return nil
	case r.PhoneVerificationInfo == nil:
		return apierror.New("INVALID_ARGUMENT : MFA provider not supported!")
	case r.PhoneVerificationInfo.Code == "":
		return apierror.New("MISSING_CODE")
	case r.PhoneVerificationInfo.SessionInfo == "":
		return apierror.New("MISSING_SESSION_INFO")
	}
	return nil
}

// FinalizeFactor checks the second factor's code and completes the sign-in that waits for it. The code counts as a
// wrong one before it is checked, and remains counted only if it is wrong. The credential of the waiting sign-in is
// used within the change that creates the session, so it is valid once.
func (s *Service) FinalizeFactor(ctx context.Context, c Call, r *MFARequest) (_ *MFAResponse, err error) {
	if optional.String(r.MFAPendingCredential) == "" {
		if err := s.factorsOn(ctx, c, r.TOTPVerificationInfo != nil); err != nil {
			return nil, err
		}
	}
	if err := r.checkPresented(); err != nil {
		return nil, err
	}
	p, u, err := s.pendingSignIn(&c, r)
	if err != nil {
		return nil, err
	}
	guess, err := s.limits.StartFactor(c.client(), u)
	if err != nil {
		return nil, err
	}
	defer func() { endGuess(guess, err) }()
	cs, err := s.settings(ctx, c)
	if err != nil {
		return nil, err
	}
	ses := p.Session
	check, err := s.presentedFactor(ctx, cs, r, u, &ses)
	if err != nil {
		return nil, err
	}
	out, err := s.complete(ctx, &attempt{
		callSettings: cs, user: u, session: ses, whole: true,
		check: func(u *account.User) error { return s.checkPending(p, u) },
		edit: func(ch *account.Change, u *account.User) error {
			if err := pending.Use(ch, c.root(), *r.MFAPendingCredential); err != nil {
				return err
			}
			if u.Factor(ses.Factor) == nil {
				return apierror.New("MFA_ENROLLMENT_NOT_FOUND")
			}
			return check(u)
		},
	})
	if err != nil {
		return nil, err
	}
	return &MFAResponse{TokenPair: TokenPair{out.IDToken, out.RefreshToken}}, nil
}

// endGuess reverses the count of an attempt at a code, unless the code was compared and wrong.
func endGuess(g *limits.Guess, err error) {
	if err == nil || apierror.Text(err) != "INVALID_CODE" {
		g.Right()
	}
}

// presentedFactor finds the factor of the user that a request presents, and records it in the session. A code by text
// message is checked here, once; check checks that of an app within the change, whose codes are valid once.
func (s *Service) presentedFactor(ctx context.Context, c *callSettings, r *MFARequest, u *account.User, ses *session.Session) (check func(u *account.User) error, err error) {
	if r.TOTPVerificationInfo != nil {
		f := u.Factor(optional.String(r.MFAEnrollmentID))
		if f == nil || f.Secret == nil {
			return nil, apierror.New("MFA_ENROLLMENT_NOT_FOUND")
		}
		id := f.ID
		ses.Factor, ses.FactorKind = id, "totp"
		return func(u *account.User) error {
			return s.apps.Use(u.Factor(id), r.TOTPVerificationInfo.VerificationCode, c.factorRules().Window)
		}, nil
	}
	made, err := s.sms.Check(ctx, c.scope(), r.PhoneVerificationInfo.SessionInfo, r.PhoneVerificationInfo.Code)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(u.Factors, func(f account.Factor) bool { return f.Phone == made.Phone })
	if i < 0 || made.UID != u.UID {
		return nil, apierror.New("MFA_ENROLLMENT_NOT_FOUND")
	}
	ses.Factor, ses.FactorKind = u.Factors[i].ID, "phone"
	return func(*account.User) error { return nil }, nil
}
