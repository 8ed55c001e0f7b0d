// Package sms keeps the one-time codes that are sent by text message, with temporary proofs, and makes and sends the
// messages.
//
// A code is stored by the hash of its session, a secret that the client receives when the code is sent. It is valid
// once and for a short time, and a few wrong codes end it. A temporary proof is what a client receives instead of
// tokens if the number that it has proved belongs to another account: with the proof it can sign in to that account,
// once.
package sms

import (
	"cmp"
	"context"
	"crypto/subtle"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/randid"
)

// Item is the kind of item that stores codes and proofs, by the hash of their session.
const Item = "sms"

// Lifetime is the lifetime of a code, proofLifetime that of a temporary proof, and maxTries the maximum number of
// attempts at a code.
const (
	Lifetime      = 5 * time.Minute
	proofLifetime = time.Hour
	maxTries      = 5
)

// Code is a code that was sent by text message.
type Code struct {
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

// Purpose is the purpose of a code, in the words in which the official emulator shows it.
type Purpose string

// The purposes of codes.
const (
	Verify Purpose = "To verify the phone number "
	Enroll Purpose = "To enroll MFA with "
	SignIn Purpose = "To sign in with MFA using "
)

// Message returns the text that shows a code to developers.
func (p Purpose) Message(phone, code string) string {
	return string(p) + phone + ", use the code " + code + "."
}

// NewCode returns a random code for a phone and, if it is for a second factor, its user. It is not stored yet.
func NewCode(phone, uid string, now time.Time) Code {
	return Code{Phone: phone, Code: randid.From(6, "0123456789"), Made: now, UID: uid}
}

// NewSession returns the session of a new code.
func NewSession() string {
	const size = 169 // 226 characters, as the emulator's
	return randid.Secret(size)
}

// Codes keeps the codes of accounts.
type Codes struct {
	// Accounts stores the codes.
	Accounts *account.Store
	// Clock is the source of time.
	Clock clock.Clock
}

// Save stores a code.
func (c *Codes) Save(ctx context.Context, scope account.Scope, session string, made Code) error {
	return c.Accounts.Change(ctx, scope, nil, func(ch *account.Change) error { return ch.Save(Item, randid.Digest(session), made) })
}

// Phone returns the phone to which the code of a session was sent; empty if the session has no code that Check would
// compare.
func (c *Codes) Phone(scope account.Scope, session string) (string, error) {
	made := &Code{}
	found, err := c.Accounts.Load(scope, Item, randid.Digest(session), made)
	if err != nil || !found || made.Proof || clock.NowOf(c.Clock, scope.Project).Sub(made.Made) > Lifetime {
		return "", err
	}
	return made.Phone, nil
}

// Check checks a code and returns the stored record. A valid code is removed. It returns INVALID_CODE for a wrong one,
// after which the client may try again, up to maxTries; INVALID_SESSION_INFO or SESSION_EXPIRED if no code is stored
// for the session; and MISSING_SESSION_INFO or MISSING_CODE. With an error the record must not be used.
func (c *Codes) Check(ctx context.Context, scope account.Scope, session, code string) (*Code, error) {
	switch {
	case session == "":
		return nil, apierror.New("MISSING_SESSION_INFO")
	case code == "":
		return nil, apierror.New("MISSING_CODE")
	}
	// A wrong code changes the stored number of attempts, and an error would undo that. So the change succeeds, and
	// verdict holds the refusal.
	var verdict error
	made := &Code{}
	id := randid.Digest(session)
	err := c.Accounts.Change(ctx, scope, []string{"\x00" + id}, func(ch *account.Change) error {
		found, err := ch.Load(Item, id, made)
		switch {
		case err != nil:
			return err
		case !found || made.Proof:
			verdict = apierror.New("INVALID_SESSION_INFO")
		case clock.NowOf(c.Clock, scope.Project).Sub(made.Made) > Lifetime:
			verdict = apierror.New("SESSION_EXPIRED")
			ch.Remove(Item, id)
		case subtle.ConstantTimeCompare([]byte(code), []byte(made.Code)) != 1:
			verdict = apierror.New("INVALID_CODE")
			if made.Tries++; made.Tries >= maxTries {
				ch.Remove(Item, id)
				return nil
			}
			return ch.Save(Item, id, made)
		default:
			ch.Remove(Item, id)
		}
		return nil
	})
	return made, cmp.Or(err, verdict)
}

// NewProof stores a temporary proof for a number and returns it.
func (c *Codes) NewProof(ctx context.Context, scope account.Scope, phone string) (proof string, err error) {
	const size = 60
	proof = randid.Secret(size)
	return proof, c.Save(ctx, scope, proof, Code{Phone: phone, Made: clock.NowOf(c.Clock, scope.Project), Proof: true})
}

// CheckProof returns an error unless a temporary proof is valid for a number. It does not use the proof: UseProof does.
func (c *Codes) CheckProof(scope account.Scope, proof, phone string) error {
	made := &Code{}
	found, err := c.Accounts.Load(scope, Item, randid.Digest(proof), made)
	if err != nil {
		return err
	}
	if !found || !made.Proof || made.Phone != phone || clock.NowOf(c.Clock, scope.Project).Sub(made.Made) > proofLifetime {
		return apierror.New("INVALID_TEMPORARY_PROOF")
	}
	return nil
}

// ProofLock returns the name that excludes concurrent sign-ins with one temporary proof, which may create accounts of
// different ids. An empty proof has none.
func ProofLock(proof string) []string {
	if proof == "" {
		return nil
	}
	return []string{"\x00" + randid.Digest(proof)}
}

// UseProof removes a temporary proof, or returns an error if it has been used already. An empty proof is ignored. The
// change must hold ProofLock.
func UseProof(ch *account.Change, proof string) error {
	if proof == "" {
		return nil
	}
	id := randid.Digest(proof)
	if found, err := ch.Load(Item, id, &Code{}); err != nil || !found {
		return cmp.Or(err, apierror.New("INVALID_TEMPORARY_PROOF"))
	}
	ch.Remove(Item, id)
	return nil
}
