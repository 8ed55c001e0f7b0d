// Package pending keeps sign-ins whose first factor was valid and that wait for a second factor.
//
// A sign-in is stored by the hash of its credential, a secret that the client receives instead of tokens. The
// credential is valid once and for an hour.
package pending

import (
	"cmp"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/session"
	"clave/server/internal/base/randid"
)

// Item is the kind of item that stores sign-ins, in the scope of their project without tenant.
const Item = "pending"

// life is the time limit for presenting a second factor.
const life = time.Hour

// SignIn is a sign-in that waits for a second factor.
type SignIn struct {
	// Session is the session that begins when the factor is presented.
	Session session.Session `json:"session"`
	Made    time.Time       `json:"made"`
}

// Invalid returns the error for a credential that is unknown, used or too old, or whose account's sessions have ended
// since.
func Invalid() error { return apierror.New("INVALID_MFA_PENDING_CREDENTIAL") }

// Save stores the sign-in of a session and returns its credential. The change must hold the user's lock.
func Save(ch *account.Change, project account.Scope, ses session.Session, now time.Time) (credential string, err error) {
	const size = 48
	credential = randid.Secret(size)
	return credential, ch.SaveIn(project, Item, randid.Digest(credential), SignIn{Session: ses, Made: now})
}

// Load returns the sign-in of a credential. The credential stays valid until Use.
func Load(accounts *account.Store, project account.Scope, credential string, now time.Time) (*SignIn, error) {
	if credential == "" {
		return nil, apierror.New("MISSING_MFA_PENDING_CREDENTIAL : Request does not have MFA pending credential.")
	}
	p := &SignIn{}
	found, err := accounts.Load(project, Item, randid.Digest(credential), p)
	if err != nil || !found || now.Sub(p.Made) > life {
		return nil, cmp.Or(err, Invalid())
	}
	return p, nil
}

// Use removes a sign-in within the change that completes it. It returns an error if another change has done so. A
// credential belongs to one user, whose lock the change holds, so concurrent requests with it wait.
func Use(ch *account.Change, project account.Scope, credential string) error {
	if found, err := ch.LoadIn(project, Item, randid.Digest(credential), &SignIn{}); err != nil || !found {
		return cmp.Or(err, Invalid())
	}
	ch.RemoveIn(project, Item, randid.Digest(credential))
	return nil
}
