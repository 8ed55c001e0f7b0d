package identity

import (
	"cmp"
	"context"
	"crypto/subtle"
	"time"

	"clave/server/account"
	"clave/server/identity/apierror"
	"clave/server/identity/contact"
	"clave/server/identity/limits"
	"clave/server/identity/session"
	"clave/server/identity/textmessage"
	"clave/server/randid"
)

// smsItem is the kind of item that stores codes sent by text message, by the hash of their session.
const smsItem = "sms"

// smsLife is the lifetime of such a code, and smsTries the maximum number of attempts.
const (
	smsLife  = 5 * time.Minute
	smsTries = 5
)

// sms is a code that was sent by text message.
type sms struct {
	Phone string    `json:"phone"`
	Code  string    `json:"code"`
	Made  time.Time `json:"made"`
	Tries int       `json:"tries,omitempty"`
	// UID is the user of a second factor; empty for other codes.
	UID string `json:"uid,omitempty"`
	// Session is stored only for the emulator's control route.
	Session string `json:"session,omitempty"`
	// Proof marks a temporary proof: ownership of the phone number was proved, and the number belongs to another account.
	Proof bool `json:"proof,omitempty"`
}

// sendSMS sends a code to a phone and returns the session that the code belongs to.
func (s *Service) sendSMS(ctx context.Context, c Call, cfg *Config, phone, uid string, purpose smsPurpose) (string, error) {
	if err := cmp.Or(s.limits.Take(c.client(), limits.Code), s.limits.TakeRecipient(c.client(), phone)); err != nil {
		return "", err
	}
	const size = 169 // 226 characters, as the emulator's
	made := sms{Phone: phone, Code: randid.From(6, "0123456789"), Made: s.now(), UID: uid}
	session := randid.Secret(size)
	fixed := cfg.SignIn.PhoneNumber.TestPhoneNumbers[phone]
	switch {
	case fixed != "":
		made.Code = fixed
	case s.o.SMS != nil:
		m := textmessage.Message{Project: c.Project, Tenant: c.Tenant, Phone: phone, Code: made.Code, Text: textmessage.Text(c.Locale, made.Code), Locale: c.Locale}
		if err := s.o.SMS.Text(ctx, m); err != nil {
			return "", err
		}
	case !s.o.Emulator:
		return "", apierror.New("OPERATION_NOT_ALLOWED : SMS is not configured.")
	}
	if s.o.Emulator {
		made.Session = session
	}
	err := s.accounts.Change(ctx, c.scope(), nil, func(ch *account.Change) error { return ch.Save(smsItem, randid.Digest(session), made) })
	if err == nil {
		s.announce(purpose.message(phone, made.Code))
	}
	return session, err
}

// checkSMS checks a code and returns the stored record. A valid code is removed. After a wrong code the client may try
// again, up to smsTries.
func (s *Service) checkSMS(ctx context.Context, c Call, session, code string) (*sms, error) {
	switch {
	case session == "":
		return nil, apierror.New("MISSING_SESSION_INFO")
	case code == "":
		return nil, apierror.New("MISSING_CODE")
	}
	// A wrong code changes the stored number of attempts, and an error would undo that. So the change succeeds, and
	// verdict holds the refusal.
	var verdict error
	made := &sms{}
	id := randid.Digest(session)
	err := s.accounts.Change(ctx, c.scope(), []string{"\x00" + id}, func(ch *account.Change) error {
		found, err := ch.Load(smsItem, id, made)
		switch {
		case err != nil:
			return err
		case !found || made.Proof:
			verdict = apierror.New("INVALID_SESSION_INFO")
		case s.now().Sub(made.Made) > smsLife:
			verdict = apierror.New("SESSION_EXPIRED")
			ch.Remove(smsItem, id)
		case subtle.ConstantTimeCompare([]byte(code), []byte(made.Code)) != 1:
			verdict = apierror.New("INVALID_CODE")
			if made.Tries++; made.Tries >= smsTries {
				ch.Remove(smsItem, id)
				return nil
			}
			return ch.Save(smsItem, id, made)
		default:
			ch.Remove(smsItem, id)
		}
		return nil
	})
	return made, cmp.Or(err, verdict)
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
	cfg, _, err := s.settings(ctx, &c)
	if err != nil {
		return nil, err
	}
	if c.Tenant != "" {
		return nil, apierror.New("UNSUPPORTED_TENANT_OPERATION")
	}
	if !boolOr(cfg.SignIn.PhoneNumber.Enabled, true) {
		return nil, apierror.New("OPERATION_NOT_ALLOWED")
	}
	phone, ok := contact.Phone(stringOf(r.PhoneNumber))
	if !ok {
		return nil, apierror.New("INVALID_PHONE_NUMBER : Invalid format.")
	}
	session, err := s.sendSMS(ctx, c, cfg, phone, "", smsVerify)
	return &SendCodeResponse{SessionInfo: session}, err
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
	cfg, tenant, err := s.settings(ctx, &c)
	if err != nil {
		return nil, err
	}
	if c.Tenant != "" {
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
		if u, _, err = s.recentUser(&c, *r.IDToken); err != nil {
			return nil, err
		}
		if owner != nil && owner.UID != u.UID {
			if r.TemporaryProof != nil {
				return nil, apierror.New("PHONE_NUMBER_EXISTS") // The client has a temporary proof already.
			}
			return s.temporaryProof(ctx, c, res)
		}
	}
	if u == nil {
		if s.signUpOff(cfg, tenant) {
			return nil, apierror.New("ADMIN_ONLY_OPERATION")
		}
		u, res.IsNewUser = s.newUser(newUID()), true
		u.Phone = phone
	}
	res.LocalID = u.UID
	out, err := s.complete(ctx, &attempt{
		call: c, cfg: cfg, tenant: tenant, user: u, isNew: res.IsNewUser, session: session.Session{Provider: "phone"}, whole: true, check: checkPhoneSignIn,
		locked: proofLock(r),
		edit: func(ch *account.Change, u *account.User) error {
			u.Phone = phone
			return useProof(ch, r)
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
		return apierror.New("UNSUPPORTED_FIRST_FACTOR : A phone number cannot be set as a first factor on an SMS based MFA user.")
	}
	return nil
}

// provenPhone returns the number that a code or a temporary proof proves.
func (s *Service) provenPhone(ctx context.Context, c Call, r *PhoneRequest) (string, error) {
	if proof := stringOf(r.TemporaryProof); proof != "" {
		made := &sms{}
		found, err := s.accounts.Load(c.scope(), smsItem, randid.Digest(proof), made)
		if err != nil {
			return "", err
		}
		if stringOf(r.PhoneNumber) == "" {
			return "", apierror.New("MISSING_PHONE_NUMBER")
		}
		phone, _ := contact.Phone(*r.PhoneNumber)
		if !found || !made.Proof || made.Phone != phone || s.now().Sub(made.Made) > time.Hour {
			return "", apierror.New("INVALID_TEMPORARY_PROOF")
		}
		return phone, nil
	}
	made, err := s.checkSMS(ctx, c, stringOf(r.SessionInfo), stringOf(r.Code))
	if err != nil {
		return "", err
	}
	if made.UID != "" {
		return "", apierror.New("INVALID_SESSION_INFO")
	}
	return made.Phone, nil
}

// proofLock returns the name that excludes concurrent sign-ins with one temporary proof, which may create accounts of different ids.
func proofLock(r *PhoneRequest) []string {
	if stringOf(r.TemporaryProof) == "" {
		return nil
	}
	return []string{"\x00" + randid.Digest(*r.TemporaryProof)}
}

// useProof removes the temporary proof of a request, if it has one, or returns an error if the proof has been used already. The change must
// hold proofLock.
func useProof(ch *account.Change, r *PhoneRequest) error {
	if stringOf(r.TemporaryProof) == "" {
		return nil
	}
	id := randid.Digest(*r.TemporaryProof)
	if found, err := ch.Load(smsItem, id, &sms{}); err != nil || !found {
		return cmp.Or(err, apierror.New("INVALID_TEMPORARY_PROOF"))
	}
	ch.Remove(smsItem, id)
	return nil
}

// temporaryProof sets a temporary proof in the response: the number belongs to another account, to which the client can
// sign in with the proof, once.
func (s *Service) temporaryProof(ctx context.Context, c Call, res *PhoneResponse) (*PhoneResponse, error) {
	const size = 60
	res.TemporaryProof, res.TemporaryProofExpiresIn = randid.Secret(size), expiresIn
	made := sms{Phone: res.PhoneNumber, Made: s.now(), Proof: true}
	return res, s.accounts.Change(ctx, c.scope(), nil, func(ch *account.Change) error { return ch.Save(smsItem, randid.Digest(res.TemporaryProof), made) })
}
