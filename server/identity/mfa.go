package identity

import (
	"cmp"
	"context"
	"slices"
	"time"

	"clave/server/account"
	"clave/server/identity/apierror"
	"clave/server/identity/contact"
	"clave/server/identity/factor"
	"clave/server/identity/session"
	"clave/server/identity/settings"
	"clave/server/identity/smscode"
	"clave/server/identity/userinfo"
	"clave/server/randid"
)

// maxFactors is the maximum number of second factors of a user.
const maxFactors = 5

// Pending is the part of a response that requires a second factor.
type Pending struct {
	MFAPendingCredential string            `json:"mfaPendingCredential,omitempty"`
	MFAInfo              []userinfo.Factor `json:"mfaInfo,omitempty"`
}

// pendingItem is the kind of item that stores sign-ins that wait for a second factor, by the hash of their credential.
const pendingItem = "pending"

// pendingLife is the time limit for presenting a second factor.
const pendingLife = time.Hour

// pending is a sign-in whose first factor was valid and that waits for the second.
type pending struct {
	Session session.Session `json:"session"`
	Made    time.Time       `json:"made"`
}

// requestFactor returns the response that requires a second factor, and stores the sign-in until the factor is presented. The change
// must hold the user's lock.
func (s *Service) requestFactor(ch *account.Change, c Call, u *account.User, ses session.Session) (Pending, error) {
	const size = 48
	credential := randid.Secret(size)
	ses.UID, ses.Tenant, ses.Epoch = u.UID, c.Tenant, u.Epoch
	list := userinfo.Factors(u, false)
	for i := range list {
		list[i].PhoneInfo = contact.HidePhone(list[i].PhoneInfo)
	}
	return Pending{MFAPendingCredential: credential, MFAInfo: list}, ch.SaveIn(c.root(), pendingItem, randid.Digest(credential), pending{Session: ses, Made: s.now()})
}

// enrollGiven enrolls the factors that an administrator lists. An authenticator app must be one that the user has
// already, because its secret is never shown; it keeps the secret. Factors without an id get a new one if newIDs is
// set.
func (s *Service) enrollGiven(u *account.User, list []userinfo.Factor, had []account.Factor, newIDs bool) error {
	for _, m := range list {
		f := account.Factor{ID: m.MFAEnrollmentID, DisplayName: m.DisplayName, Enrolled: enrolledAt(m.EnrolledAt, s.now())}
		if app := m.TOTPInfo != nil && m.PhoneInfo == ""; app {
			i := slices.IndexFunc(had, func(old account.Factor) bool { return old.ID == f.ID && old.Secret != nil })
			if i < 0 {
				return apierror.New("MFA_ENROLLMENT_NOT_FOUND")
			}
			f = had[i]
			f.DisplayName = m.DisplayName
		} else if phone, ok := contact.Phone(m.PhoneInfo); !ok {
			return apierror.New("INVALID_MFA_PHONE_NUMBER : Invalid format.")
		} else if f.Phone = phone; hasPhone(u, phone) {
			continue // listed twice
		}
		switch {
		case f.ID == "" && !newIDs:
			return apierror.New("INVALID_MFA_ENROLLMENT_ID : mfaEnrollmentId must be defined.")
		case f.ID == "":
			f.ID = newUID()
		}
		if u.Factor(f.ID) != nil {
			return apierror.New("DUPLICATE_MFA_ENROLLMENT_ID")
		}
		if len(u.Factors) >= maxFactors {
			return tooManyFactors()
		}
		u.Factors = append(u.Factors, f)
	}
	return nil
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

// tooManyFactors returns the error for one factor more than a user may have.
func tooManyFactors() error {
	return apierror.New("SECOND_FACTOR_LIMIT_EXCEEDED : This account has reached the maximum allowed number of second factors.")
}

// enrolledAt parses a time leniently, because the Go SDK's format follows no standard.
func enrolledAt(given string, now time.Time) time.Time {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05Z07:00Z"} {
		if t, err := time.Parse(layout, given); err == nil && t.Year() < 3000 {
			return t.UTC()
		}
	}
	return now.Truncate(time.Millisecond)
}

// PhoneInfo is the part of a request or a response that concerns a phone.
type PhoneInfo struct {
	PhoneNumber string `json:"phoneNumber,omitempty"`
	SessionInfo string `json:"sessionInfo,omitempty"`
	Code        string `json:"code,omitempty"`
}

// TOTPInfo is the part of a request or a response that concerns time-based codes.
type TOTPInfo struct {
	SessionInfo      string `json:"sessionInfo,omitempty"`
	VerificationCode string `json:"verificationCode,omitempty"`
}

// MFARequest starts or finishes the enrolling of a second factor or a sign-in with one, or removes one.
type MFARequest struct {
	IDToken               *string    `json:"idToken"`
	TenantID              *string    `json:"tenantId"`
	DisplayName           *string    `json:"displayName"`
	MFAEnrollmentID       *string    `json:"mfaEnrollmentId"`
	MFAPendingCredential  *string    `json:"mfaPendingCredential"`
	PhoneEnrollmentInfo   *PhoneInfo `json:"phoneEnrollmentInfo"`
	PhoneVerificationInfo *PhoneInfo `json:"phoneVerificationInfo"`
	PhoneSignInInfo       *PhoneInfo `json:"phoneSignInInfo"`
	TOTPEnrollmentInfo    *TOTPInfo  `json:"totpEnrollmentInfo"`
	TOTPVerificationInfo  *TOTPInfo  `json:"totpVerificationInfo"`
}

// TOTPSession holds the parameters that an authenticator app needs.
type TOTPSession struct {
	SharedSecretKey        string `json:"sharedSecretKey"`
	VerificationCodeLength int    `json:"verificationCodeLength"`
	HashingAlgorithm       string `json:"hashingAlgorithm"`
	PeriodSec              int    `json:"periodSec"`
	SessionInfo            string `json:"sessionInfo"`
	FinalizeEnrollmentTime string `json:"finalizeEnrollmentTime"`
}

// MFAResponse is the response to an MFARequest of any kind.
type MFAResponse struct {
	PhoneSessionInfo  *PhoneInfo   `json:"phoneSessionInfo,omitempty"`
	PhoneResponseInfo *PhoneInfo   `json:"phoneResponseInfo,omitempty"`
	TOTPSessionInfo   *TOTPSession `json:"totpSessionInfo,omitempty"`
	PhoneAuthInfo     *PhoneInfo   `json:"phoneAuthInfo,omitempty"`
	TOTPAuthInfo      *struct{}    `json:"totpAuthInfo,omitempty"`
	TokenPair
}

// enrolling is an enrollment of a factor in progress.
type enrolling struct {
	user    *account.User
	session session.Session
	cfg     *settings.Config
	rules   factor.Rules
}

// errNoToken returns the error of a request about enrolled factors without an ID token.
func (s *Service) errNoToken() error {
	if s.o.AsEmulator {
		return apierror.New("MISSING_ID_TOKEN")
	}
	return apierror.New("INVALID_ID_TOKEN")
}

// enrolling returns the user of an enrollment request. It returns an error if the user can't have second factors.
func (s *Service) enrolling(ctx context.Context, c *Call, r *MFARequest) (*enrolling, error) {
	app := r.TOTPEnrollmentInfo != nil || r.TOTPVerificationInfo != nil
	if stringOf(r.IDToken) == "" {
		// The settings are checked before the missing token is reported, as the API does.
		if err := s.factorsOn(ctx, c, app); err != nil {
			return nil, err
		}
		return nil, s.errNoToken()
	}
	u, id, err := s.userOf(c, *r.IDToken)
	if err != nil {
		return nil, err
	}
	cfg, tenant, err := s.settings(ctx, c)
	if err != nil {
		return nil, err
	}
	e := &enrolling{user: u, cfg: cfg, rules: s.factorRules(cfg, tenant)}
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

// factorsOn returns an error unless the call's project or tenant has second factors of a kind. This check precedes the
// check of a request without credentials, as in the API: PROJECT_DISABLED and OPERATION_NOT_ALLOWED have precedence
// over errors about missing fields.
func (s *Service) factorsOn(ctx context.Context, c *Call, app bool) error {
	cfg, tenant, err := s.settings(ctx, c)
	if err != nil {
		return err
	}
	return s.factorRules(cfg, tenant).MayEnroll(app)
}

// StartEnrollment sends a code to a phone, or makes a secret for an authenticator app.
func (s *Service) StartEnrollment(ctx context.Context, c Call, r *MFARequest) (*MFAResponse, error) {
	e, err := s.enrolling(ctx, &c, r)
	if err != nil {
		return nil, err
	}
	u := e.user
	if len(u.Factors) >= maxFactors {
		return nil, tooManyFactors()
	}
	if r.TOTPEnrollmentInfo != nil {
		made, err := s.startTOTP(ctx, c, u)
		return &MFAResponse{TOTPSessionInfo: made}, err
	}
	if r.PhoneEnrollmentInfo == nil {
		return nil, apierror.New("INVALID_ARGUMENT : ((Missing phoneEnrollmentInfo.))")
	}
	phone, ok := contact.Phone(r.PhoneEnrollmentInfo.PhoneNumber)
	if !ok {
		return nil, apierror.New("INVALID_PHONE_NUMBER : Invalid format.")
	}
	if hasPhone(u, phone) {
		return nil, phoneEnrolled()
	}
	info, err := s.sendSMS(ctx, c, e.cfg, phone, u.UID, smscode.Enroll)
	return &MFAResponse{PhoneSessionInfo: &PhoneInfo{SessionInfo: info}}, err
}

// hasPhone reports whether a number is one of the user's second factors.
func hasPhone(u *account.User, phone string) bool {
	return slices.ContainsFunc(u.Factors, func(f account.Factor) bool { return f.Phone == phone })
}

// phoneEnrolled returns the error for enrolling a number twice.
func phoneEnrolled() error {
	return apierror.New("SECOND_FACTOR_EXISTS : Phone number already enrolled as second factor for this account.")
}

// FinalizeEnrollment checks the first code and enrolls the factor.
func (s *Service) FinalizeEnrollment(ctx context.Context, c Call, r *MFARequest) (*MFAResponse, error) {
	e, err := s.enrolling(ctx, &c, r)
	if err != nil {
		return nil, err
	}
	u, ses := e.user, e.session
	if err := s.limits.TakeFactor(c.client(), u.UID); err != nil {
		return nil, err
	}
	f, res := account.Factor{ID: newUID(), DisplayName: stringOf(r.DisplayName), Enrolled: s.now().Truncate(time.Millisecond)}, &MFAResponse{}
	switch {
	case r.TOTPVerificationInfo != nil:
		if f.Secret, f.LastStep, err = s.checkNewTOTP(ctx, c, u, r.TOTPVerificationInfo, e.rules.Window); err != nil {
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
		if len(u.Factors) >= maxFactors {
			return tooManyFactors()
		}
		if f.Phone != "" && hasPhone(u, f.Phone) {
			return phoneEnrolled()
		}
		u.Factors = append(u.Factors, f)
		res.TokenPair, err = s.signInPair(ch, c, u, ses)
		return err
	})
}

// Withdraw removes a second factor.
func (s *Service) Withdraw(ctx context.Context, c Call, r *MFARequest) (*MFAResponse, error) {
	if err := s.checkTenant(c); err != nil {
		return nil, err
	}
	if stringOf(r.IDToken) == "" {
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
	if ses.Factor == stringOf(r.MFAEnrollmentID) {
		ses.Factor, ses.FactorKind = "", ""
	}
	res := &MFAResponse{}
	return res, s.change(ctx, c, u.UID, func(ch *account.Change, u *account.User) (err error) {
		if u.Factor(stringOf(r.MFAEnrollmentID)) == nil {
			return apierror.New("MFA_ENROLLMENT_NOT_FOUND")
		}
		u.Factors = slices.DeleteFunc(u.Factors, func(f account.Factor) bool { return f.ID == *r.MFAEnrollmentID })
		res.TokenPair, err = s.signInPair(ch, c, u, ses)
		return err
	})
}

// pendingSignIn returns the pending sign-in of a request, its user and the factor that the request names.
func (s *Service) pendingSignIn(c *Call, r *MFARequest) (*pending, *account.User, error) {
	if stringOf(r.MFAPendingCredential) == "" {
		return nil, nil, apierror.New("MISSING_MFA_PENDING_CREDENTIAL : Request does not have MFA pending credential.")
	}
	p := &pending{}
	found, err := s.accounts.Load(c.root(), pendingItem, randid.Digest(*r.MFAPendingCredential), p)
	if err != nil || !found || s.now().Sub(p.Made) > pendingLife {
		return nil, nil, cmp.Or(err, apierror.New("INVALID_MFA_PENDING_CREDENTIAL"))
	}
	c.Tenant = p.Session.Tenant
	u, err := s.accounts.Get(c.scope(), p.Session.UID)
	if err != nil {
		return nil, nil, err
	}
	return p, u, s.checkPending(p, u)
}

// checkPending refuses a pending sign-in whose account was disabled, or whose sessions have ended since it began: the first factor may not be valid
// any more.
func (s *Service) checkPending(p *pending, u *account.User) error {
	err := s.checkSession(u, p.Made.Unix(), p.Session.Epoch)
	if err != nil && u != nil && !u.Disabled {
		return apierror.New("INVALID_MFA_PENDING_CREDENTIAL")
	}
	return err
}

// StartFactor sends a code to an enrolled phone.
func (s *Service) StartFactor(ctx context.Context, c Call, r *MFARequest) (*MFAResponse, error) {
	if stringOf(r.MFAPendingCredential) == "" {
		if err := s.factorsOn(ctx, &c, false); err != nil {
			return nil, err
		}
	} else if stringOf(r.MFAEnrollmentID) == "" {
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
	cfg, _, err := s.settings(ctx, &c)
	if err != nil {
		return nil, err
	}
	info, err := s.sendSMS(ctx, c, cfg, f.Phone, u.UID, smscode.SignIn)
	return &MFAResponse{PhoneResponseInfo: &PhoneInfo{SessionInfo: info}}, err
}

// checkPresented returns an error if a request to finish a sign-in lacks the credential or a part of the second factor.
func (r *MFARequest) checkPresented() error {
	switch {
	case stringOf(r.MFAPendingCredential) == "":
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

// FinalizeFactor checks the second factor's code and signs in.
func (s *Service) FinalizeFactor(ctx context.Context, c Call, r *MFARequest) (*MFAResponse, error) {
	if stringOf(r.MFAPendingCredential) == "" {
		if err := s.factorsOn(ctx, &c, r.TOTPVerificationInfo != nil); err != nil {
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
	if err := s.limits.TakeFactor(c.client(), u.UID); err != nil {
		return nil, err
	}
	cfg, tenant, err := s.settings(ctx, &c)
	if err != nil {
		return nil, err
	}
	ses := p.Session
	var check func(u *account.User) error
	switch {
	case r.TOTPVerificationInfo != nil:
		f := u.Factor(stringOf(r.MFAEnrollmentID))
		if f == nil || f.Secret == nil {
			return nil, apierror.New("MFA_ENROLLMENT_NOT_FOUND")
		}
		ses.Factor, ses.FactorKind = f.ID, "totp"
		check = func(u *account.User) error {
			return s.useTOTP(u.Factor(ses.Factor), r.TOTPVerificationInfo.VerificationCode, s.factorRules(cfg, tenant).Window)
		}
	default:
		made, err := s.sms.Check(ctx, c.scope(), r.PhoneVerificationInfo.SessionInfo, r.PhoneVerificationInfo.Code)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(u.Factors, func(f account.Factor) bool { return f.Phone == made.Phone })
		if i < 0 || made.UID != u.UID {
			return nil, apierror.New("MFA_ENROLLMENT_NOT_FOUND")
		}
		ses.Factor, ses.FactorKind = u.Factors[i].ID, "phone"
		check = func(*account.User) error { return nil }
	}
	out, err := s.complete(ctx, &attempt{
		call: c, cfg: cfg, tenant: tenant, user: u, session: ses, whole: true,
		check: func(u *account.User) error { return s.checkPending(p, u) },
		edit: func(ch *account.Change, u *account.User) error {
			// A credential belongs to one user, whose lock this change holds, so concurrent requests with it wait.
			if found, err := ch.LoadIn(c.root(), pendingItem, randid.Digest(*r.MFAPendingCredential), &pending{}); err != nil || !found {
				return cmp.Or(err, apierror.New("INVALID_MFA_PENDING_CREDENTIAL"))
			}
			ch.RemoveIn(c.root(), pendingItem, randid.Digest(*r.MFAPendingCredential))
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

// factorRules returns the rules of second factors that follow from the settings of the project or, if there is one, of the tenant.
func (s *Service) factorRules(cfg *settings.Config, tenant *settings.Tenant) factor.Rules {
	if tenant != nil {
		return factor.RulesOf(tenant.MFAConfig, false)
	}
	return factor.RulesOf(&cfg.MFA, s.o.Emulator)
}
