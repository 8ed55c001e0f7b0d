package service

import (
	"context"
	"slices"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/authapp"
	"clave/server/internal/auth/service/factor"
	"clave/server/internal/auth/service/field"
	"clave/server/internal/auth/service/optional"
	"clave/server/internal/auth/service/session"
	"clave/server/internal/auth/service/sms"
)

// enrollment is an enrollment of a factor in progress.
type enrollment struct {
	user    *account.User
	session session.Session
	call    *callSettings
	rules   factor.Rules
}

// errNoToken returns the error of a request about enrolled factors without an ID token.
func (s *Service) errNoToken() error {
	if s.o.AsEmulator {
		return apierror.New("MISSING_ID_TOKEN")
	}
	return apierror.New("INVALID_ID_TOKEN")
}

// enrollment returns the user of an enrollment request. It returns an error if the user can't have second factors.
func (s *Service) enrollment(ctx context.Context, c *Call, r *MFARequest) (*enrollment, error) {
	app := r.TOTPEnrollmentInfo != nil || r.TOTPVerificationInfo != nil
	if optional.String(r.IDToken) == "" {
		// The settings are checked before the missing token is reported, as the API does.
		if err := s.factorsOn(ctx, *c, app); err != nil {
			return nil, err
		}
		return nil, s.errNoToken()
	}
	u, id, err := s.userOf(c, *r.IDToken)
	if err != nil {
		return nil, err
	}
	cs, err := s.settings(ctx, *c)
	if err != nil {
		return nil, err
	}
	e := &enrollment{user: u, call: cs, rules: cs.factorRules()}
	if err := e.rules.MayEnroll(app); err != nil {
		return nil, err
	}
	switch {
	case id.Provider == "phone" || id.Provider == "anonymous" || id.Provider == "custom":
		return nil, apierror.New("UNSUPPORTED_FIRST_FACTOR : MFA is not available for the given first factor.")
	case !u.EmailVerified:
		return nil, apierror.New("UNVERIFIED_EMAIL : Need to verify email first before enrolling second factors.")
	}
	if err := s.signedInRecently(u, id); err != nil {
		return nil, err
	}
	e.session, err = session.Resume(s.accounts, c.scope(), id)
	return e, err
}

// StartEnrollment sends a code to a phone, or makes a secret for an authenticator app.
func (s *Service) StartEnrollment(ctx context.Context, c Call, r *MFARequest) (*MFAResponse, error) {
	e, err := s.enrollment(ctx, &c, r)
	if err != nil {
		return nil, err
	}
	u := e.user
	if err := factor.CheckRoom(u); err != nil {
		return nil, err
	}
	if r.TOTPEnrollmentInfo != nil {
		made, err := s.apps.Start(ctx, c.scope(), u.UID)
		return &MFAResponse{TOTPSessionInfo: made}, err
	}
	if r.PhoneEnrollmentInfo == nil {
		return nil, apierror.New("INVALID_ARGUMENT : ((Missing phoneEnrollmentInfo.))")
	}
	phone, ok := field.Phone(r.PhoneEnrollmentInfo.PhoneNumber)
	if !ok {
		return nil, apierror.New("INVALID_PHONE_NUMBER : Invalid format.")
	}
	if err := factor.CheckPhone(u, phone); err != nil {
		return nil, err
	}
	info, err := s.sendSMS(ctx, e.call, phoneOf{phone, u.UID}, sms.Enroll)
	return &MFAResponse{PhoneSessionInfo: &PhoneInfo{SessionInfo: info}}, err
}

// FinalizeEnrollment checks the first code and enrolls the factor.
func (s *Service) FinalizeEnrollment(ctx context.Context, c Call, r *MFARequest) (_ *MFAResponse, err error) {
	e, err := s.enrollment(ctx, &c, r)
	if err != nil {
		return nil, err
	}
	u, ses := e.user, e.session
	guess, err := s.limits.StartFactor(c.client(), u)
	if err != nil {
		return nil, err
	}
	defer func() { endGuess(guess, err) }()
	f, res := account.Factor{ID: factor.NewID(), DisplayName: optional.String(r.DisplayName), Enrolled: s.now(c.Project).Truncate(time.Millisecond)}, &MFAResponse{}
	switch {
	case r.TOTPVerificationInfo != nil:
		first := authapp.FirstCode{Session: r.TOTPVerificationInfo.SessionInfo, Code: r.TOTPVerificationInfo.VerificationCode, Window: e.rules.Window}
		if f.Secret, f.LastStep, err = s.apps.Finish(ctx, c.scope(), u.UID, first); err != nil {
			return nil, err
		}
		ses.FactorKind, res.TOTPAuthInfo = "totp", &struct{}{}
	case r.PhoneVerificationInfo != nil:
		made, err := s.sms.Check(ctx, c.scope(), r.PhoneVerificationInfo.SessionInfo, r.PhoneVerificationInfo.Code)
		if err != nil {
			return nil, err
		}
		// The code was sent for another account's enrollment.
		if made.UID != u.UID {
			return nil, apierror.New("INVALID_SESSION_INFO")
		}
		f.Phone, ses.FactorKind, res.PhoneAuthInfo = made.Phone, "phone", &PhoneInfo{PhoneNumber: made.Phone}
	default:
		return nil, apierror.New("INVALID_ARGUMENT : ((Missing phoneVerificationInfo.))")
	}
	ses.Factor = f.ID
	return res, s.change(ctx, c, u.UID, func(ch *account.Change, u *account.User) (err error) {
		// Checked again on the locked account: another enrollment may have ended since the code was sent.
		if err := factor.Add(u, f); err != nil {
			return err
		}
		res.TokenPair, err = s.signInPair(ch, c, u, ses)
		return err
	})
}

// Withdraw removes a second factor.
func (s *Service) Withdraw(ctx context.Context, c Call, r *MFARequest) (*MFAResponse, error) {
	if err := s.checkTenant(c); err != nil {
		return nil, err
	}
	if optional.String(r.IDToken) == "" {
		return nil, s.errNoToken()
	}
	u, id, err := s.recentUser(&c, *r.IDToken)
	if err != nil {
		return nil, err
	}
	ses, err := session.Resume(s.accounts, c.scope(), id)
	if err != nil {
		return nil, err
	}
	if ses.Factor == optional.String(r.MFAEnrollmentID) {
		ses.Factor, ses.FactorKind = "", ""
	}
	res := &MFAResponse{}
	return res, s.change(ctx, c, u.UID, func(ch *account.Change, u *account.User) (err error) {
		if u.Factor(optional.String(r.MFAEnrollmentID)) == nil {
			return apierror.New("MFA_ENROLLMENT_NOT_FOUND")
		}
		u.Factors = slices.DeleteFunc(u.Factors, func(f account.Factor) bool { return f.ID == *r.MFAEnrollmentID })
		res.TokenPair, err = s.signInPair(ch, c, u, ses)
		return err
	})
}
