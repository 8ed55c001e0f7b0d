// Package authapp enrolls authenticator apps and checks their time-based one-time codes (RFC 6238), with Firebase's
// parameters: SHA-1, six digits, 30 seconds. A secret is kept until the first code proves that the app has it.
package authapp

import (
	"context"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/userinfo"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/randid"
)

// life is the time limit of the enrollment of an authenticator app.
const life = 5 * time.Minute

// Item is the kind of item that stores secrets until they are enrolled.
const Item = "totp"

// Enrollment holds the parameters that an authenticator app needs.
type Enrollment struct {
	SharedSecretKey        string `json:"sharedSecretKey"`
	VerificationCodeLength int    `json:"verificationCodeLength"`
	HashingAlgorithm       string `json:"hashingAlgorithm"`
	PeriodSec              int    `json:"periodSec"`
	SessionInfo            string `json:"sessionInfo"`
	FinalizeEnrollmentTime string `json:"finalizeEnrollmentTime"`
}

// Apps keeps the secrets of apps.
type Apps struct {
	// Accounts stores the secrets.
	Accounts *account.Store
	// Clock is the source of time.
	Clock clock.Clock
}

// secret is a secret that is being enrolled.
type secret struct {
	UID    string    `json:"uid"`
	Secret []byte    `json:"secret"`
	Made   time.Time `json:"made"`
}

// Start creates a secret for a user's app and stores it until Finish.
func (a *Apps) Start(ctx context.Context, scope account.Scope, uid string) (*Enrollment, error) {
	made := secret{UID: uid, Secret: newSecret(), Made: clock.NowOf(a.Clock, scope.Project)}
	const size = 48
	session := randid.Secret(size)
	return &Enrollment{
		SharedSecretKey: encode(made.Secret), VerificationCodeLength: digits,
		HashingAlgorithm: "SHA1", PeriodSec: period, SessionInfo: session, FinalizeEnrollmentTime: userinfo.Stamp(made.Made.Add(life)),
	}, a.Accounts.Change(ctx, scope, nil, func(ch *account.Change) error { return ch.Save(Item, randid.Digest(session), made) })
}

// FirstCode is the code with which a user proves that an app has its secret.
type FirstCode struct {
	// Session is that of the enrollment.
	Session string
	// Code is the code that the app shows.
	Code string
	// Window is the number of periods by which the app's clock may be off.
	Window int
}

// Finish checks the first code of a user's new app, and returns its secret with the period of the code. A wrong code
// may be tried again.
func (a *Apps) Finish(ctx context.Context, scope account.Scope, uid string, first FirstCode) (key []byte, step int64, err error) {
	var made secret
	id := randid.Digest(first.Session)
	err = a.Accounts.Change(ctx, scope, []string{"\x00" + id}, func(ch *account.Change) error {
		found, err := ch.Load(Item, id, &made)
		switch {
		case err != nil:
			return err
		case !found || made.UID != uid:
			return apierror.New("INVALID_SESSION_INFO")
		case clock.NowOf(a.Clock, scope.Project).Sub(made.Made) > life:
			return apierror.New("SESSION_EXPIRED")
		}
		f := account.Factor{Secret: made.Secret}
		if err := a.Use(&f, first.Code, first.Window); err != nil {
			return err
		}
		key, step = f.Secret, f.LastStep
		ch.Remove(Item, id)
		return nil
	})
	return key, step, err
}

// Use checks a code and records its period, so that no code is valid twice. The app's clock may be off by window
// periods.
func (a *Apps) Use(f *account.Factor, code string, window int) error {
	if code == "" {
		return apierror.New("MISSING_CODE")
	}
	step, ok := checkCode(f.Secret, code, a.Clock.Now(), window, f.LastStep)
	if !ok {
		return apierror.New("INVALID_CODE")
	}
	f.LastStep = step
	return nil
}
