package identity

import (
	"context"
	"time"

	"clave/server/account"
	"clave/server/identity/apierror"
	"clave/server/identity/totp"
	"clave/server/identity/userinfo"
	"clave/server/randid"
)

// totpLife is the time limit of the enrollment of an authenticator app.
const totpLife = 5 * time.Minute

// totpItem is the kind of item that stores secrets until they are enrolled.
const totpItem = "totp"

// newTOTP is a secret that is being enrolled.
type newTOTP struct {
	UID    string    `json:"uid"`
	Secret []byte    `json:"secret"`
	Made   time.Time `json:"made"`
}

// startTOTP creates a secret for an authenticator app.
func (s *Service) startTOTP(ctx context.Context, c Call, u *account.User) (*TOTPSession, error) {
	made := newTOTP{UID: u.UID, Secret: totp.NewSecret(), Made: s.now()}
	const size = 48
	session := randid.Secret(size)
	return &TOTPSession{
		SharedSecretKey: totp.Encode(made.Secret), VerificationCodeLength: totp.Digits,
		HashingAlgorithm: "SHA1", PeriodSec: totp.Period, SessionInfo: session, FinalizeEnrollmentTime: userinfo.Stamp(made.Made.Add(totpLife)),
	}, s.accounts.Change(ctx, c.scope(), nil, func(ch *account.Change) error { return ch.Save(totpItem, randid.Digest(session), made) })
}

// checkNewTOTP checks the first code of a secret that is being enrolled.
func (s *Service) checkNewTOTP(ctx context.Context, c Call, u *account.User, r *TOTPInfo, window int) (key []byte, step int64, err error) {
	var made newTOTP
	id := randid.Digest(r.SessionInfo)
	err = s.accounts.Change(ctx, c.scope(), []string{"\x00" + id}, func(ch *account.Change) error {
		found, err := ch.Load(totpItem, id, &made)
		switch {
		case err != nil:
			return err
		case !found || made.UID != u.UID:
			return apierror.New("INVALID_SESSION_INFO")
		case s.now().Sub(made.Made) > totpLife:
			return apierror.New("SESSION_EXPIRED")
		}
		f := account.Factor{Secret: made.Secret}
		if err := s.useTOTP(&f, r.VerificationCode, window); err != nil {
			return err
		}
		key, step = f.Secret, f.LastStep
		ch.Remove(totpItem, id)
		return nil
	})
	return key, step, err
}

// useTOTP checks a code and records its period, so that no code is valid twice. The app's clock may be off by window periods.
func (s *Service) useTOTP(f *account.Factor, code string, window int) error {
	if code == "" {
		return apierror.New("MISSING_CODE")
	}
	step, ok := totp.Check(f.Secret, code, s.now(), window, f.LastStep)
	if !ok {
		return apierror.New("INVALID_CODE")
	}
	f.LastStep = step
	return nil
}
