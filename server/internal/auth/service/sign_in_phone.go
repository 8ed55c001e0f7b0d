package service

import (
	"cmp"
	"context"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/field"
	"clave/server/internal/auth/service/limits"
	"clave/server/internal/auth/service/optional"
	"clave/server/internal/auth/service/session"
	"clave/server/internal/auth/service/sms"
)

// phoneOf is a phone to which a code is sent.
type phoneOf struct {
	number string
	// uid is the user of a second factor; empty for other codes.
	uid string
}

// sendSMS sends a code to a phone and returns the session that the code belongs to.
func (s *Service) sendSMS(ctx context.Context, c *callSettings, to phoneOf, purpose sms.Purpose) (string, error) {
	if err := cmp.Or(s.limits.Take(c.client(), limits.Code), s.limits.TakeRecipient(c.client(), to.number)); err != nil {
		return "", err
	}
	made, session := sms.NewCode(to.number, to.uid, s.now(c.Project)), sms.NewSession()
	fixed := c.project.SignIn.PhoneNumber.TestPhoneNumbers[to.number]
	switch {
	case fixed != "":
		made.Code = fixed
	case s.o.SMS != nil && !c.project.SMSRegionConfig.Allow(to.number):
		return "", apierror.New("OPERATION_NOT_ALLOWED : SMS unable to be sent until this region enabled by the app developer.")
	case s.o.SMS != nil:
		m := sms.Message{Project: c.Project, Tenant: c.Tenant, Phone: to.number, Code: made.Code, Text: sms.Text(c.Locale, made.Code), Locale: c.Locale}
		if err := s.o.SMS.Text(ctx, m); err != nil {
			return "", err
		}
	case !s.o.Emulator:
		return "", apierror.New("OPERATION_NOT_ALLOWED : SMS is not configured.")
	}
	if s.o.Emulator {
		made.Session = session
	}
	err := s.sms.Save(ctx, c.scope(), session, made)
	if err == nil {
		s.announce(purpose.Message(to.number, made.Code))
	}
	return session, err
}

// SendCodeRequest requests a code by text message.
type SendCodeRequest struct {
	PhoneNumber *string `json:"phoneNumber"`
	TenantID    *string `json:"tenantId"`
}

// SendCodeResponse names the session to which the code belongs.
type SendCodeResponse struct {
	SessionInfo string `json:"sessionInfo"`
}

// SendVerificationCode sends a sign-in code by text message.
func (s *Service) SendVerificationCode(ctx context.Context, c Call, r *SendCodeRequest) (*SendCodeResponse, error) {
	cs, err := s.settings(ctx, c)
	if err != nil {
		return nil, err
	}
	if c.Tenant != "" {
		return nil, apierror.New("UNSUPPORTED_TENANT_OPERATION")
	}
	if !optional.Bool(cs.project.SignIn.PhoneNumber.Enabled, true) {
		return nil, apierror.New("OPERATION_NOT_ALLOWED")
	}
	phone, ok := field.Phone(optional.String(r.PhoneNumber))
	if !ok {
		return nil, apierror.New("INVALID_PHONE_NUMBER : Invalid format.")
	}
	if err := s.checkFirstFactor(c, phone); err != nil {
		return nil, err
	}
	session, err := s.sendSMS(ctx, cs, phoneOf{number: phone}, sms.Verify)
	return &SendCodeResponse{SessionInfo: session}, err
}

// checkFirstFactor refuses, as the official emulator does, a code for the number of a user with second factors.
// Otherwise only the sign-in is refused, so that a response does not disclose who has second factors.
func (s *Service) checkFirstFactor(c Call, phone string) error {
	if !s.o.AsEmulator {
		return nil
	}
	owner, err := s.accounts.ByPhone(c.scope(), phone)
	if err != nil || owner == nil || len(owner.Factors) == 0 {
		return err
	}
	return errPhoneAlone()
}

// errPhoneAlone refuses a text message as the only factor of a user with second factors.
func errPhoneAlone() error {
	return apierror.New("UNSUPPORTED_FIRST_FACTOR : A phone number cannot be set as a first factor on an SMS based MFA user.")
}

// PhoneRequest signs in with a code from a text message.
type PhoneRequest struct {
	SessionInfo    *string `json:"sessionInfo"`
	Code           *string `json:"code"`
	TemporaryProof *string `json:"temporaryProof"`
	PhoneNumber    *string `json:"phoneNumber"`
	IDToken        *string `json:"idToken"`
	TenantID       *string `json:"tenantId"`
}

// PhoneResponse is the response to a PhoneRequest. It has a temporary proof instead of tokens if the number belongs to
// another account.
type PhoneResponse struct {
	LocalID                 string `json:"localId,omitempty"`
	IsNewUser               bool   `json:"isNewUser"`
	PhoneNumber             string `json:"phoneNumber"`
	TemporaryProof          string `json:"temporaryProof,omitempty"`
	TemporaryProofExpiresIn string `json:"temporaryProofExpiresIn,omitempty"`
	Tokens
}

// SignInWithPhoneNumber signs in with a code from a text message, or links the number to the user of an ID token.
func (s *Service) SignInWithPhoneNumber(ctx context.Context, c Call, r *PhoneRequest) (*PhoneResponse, error) {
	cs, err := s.userSettings(ctx, c, r.IDToken)
	if err != nil {
		return nil, err
	}
	if cs.Tenant != "" {
		return nil, apierror.New("UNSUPPORTED_TENANT_OPERATION")
	}
	if err := s.limits.Take(c.client(), limits.Factor); err != nil {
		return nil, err
	}
	phone, err := s.provenPhone(ctx, c, r)
	if err != nil {
		return nil, err
	}
	owner, err := s.accounts.ByPhone(c.scope(), phone)
	if err != nil {
		return nil, err
	}
	res, u := &PhoneResponse{PhoneNumber: phone}, owner
	if r.IDToken != nil {
		if u, _, err = s.recentUser(&cs.Call, *r.IDToken); err != nil {
			return nil, err
		}
		if owner != nil && owner.UID != u.UID {
			if r.TemporaryProof != nil {
				return nil, apierror.New("PHONE_NUMBER_EXISTS") // The client has a temporary proof already.
			}
			return s.temporaryProof(ctx, cs.Call, res)
		}
	}
	if u == nil {
		if cs.signUpOff() {
			return nil, apierror.New("ADMIN_ONLY_OPERATION")
		}
		u, res.IsNewUser = s.newUser(c.Project, newUID()), true
		u.Phone = phone
	}
	res.LocalID = u.UID
	out, err := s.complete(ctx, &attempt{
		callSettings: cs, user: u, isNew: res.IsNewUser, session: session.Session{Provider: "phone"}, whole: true, check: checkPhoneSignIn,
		locked: sms.ProofLock(optional.String(r.TemporaryProof)),
		edit: func(ch *account.Change, u *account.User) error {
			u.Phone = phone
			return sms.UseProof(ch, optional.String(r.TemporaryProof))
		},
	})
	if err != nil {
		return nil, err
	}
	res.Tokens = out.Tokens
	return res, nil
}

// checkPhoneSignIn refuses users who may not sign in by a text message alone: disabled users, and users with second
// factors, which the phone would bypass.
func checkPhoneSignIn(u *account.User) error {
	switch {
	case u.Disabled:
		return apierror.New("USER_DISABLED")
	case len(u.Factors) > 0:
		return errPhoneAlone()
	}
	return nil
}

// provenPhone returns the number that a code or a temporary proof proves.
func (s *Service) provenPhone(ctx context.Context, c Call, r *PhoneRequest) (string, error) {
	if proof := optional.String(r.TemporaryProof); proof != "" {
		if optional.String(r.PhoneNumber) == "" {
			return "", apierror.New("MISSING_PHONE_NUMBER")
		}
		phone, _ := field.Phone(*r.PhoneNumber)
		return phone, s.sms.CheckProof(c.scope(), proof, phone)
	}
	guess, err := s.startPhone(c, optional.String(r.SessionInfo))
	if err != nil {
		return "", err
	}
	made, err := s.sms.Check(ctx, c.scope(), optional.String(r.SessionInfo), optional.String(r.Code))
	endGuess(guess, err)
	if err != nil {
		return "", err
	}
	if made.UID != "" {
		return "", apierror.New("INVALID_SESSION_INFO")
	}
	return made.Phone, nil
}

// startPhone counts an attempt at the code of a session for the phone to which it was sent.
func (s *Service) startPhone(c Call, session string) (*limits.Guess, error) {
	phone, err := s.sms.Phone(c.scope(), session)
	if err != nil || phone == "" {
		return &limits.Guess{}, err // no code is compared
	}
	owner, err := s.accounts.ByPhone(c.scope(), phone)
	if err != nil {
		return nil, err
	}
	return s.limits.StartPhone(c.client(), phone, owner)
}

// temporaryProof sets a temporary proof in the response: the number belongs to another account, to which the client can
// sign in with the proof, once.
func (s *Service) temporaryProof(ctx context.Context, c Call, res *PhoneResponse) (_ *PhoneResponse, err error) {
	res.TemporaryProofExpiresIn = expiresIn
	res.TemporaryProof, err = s.sms.NewProof(ctx, c.scope(), res.PhoneNumber)
	return res, err
}
