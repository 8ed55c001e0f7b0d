// Package onetime keeps the one-time codes that are sent by e-mail: their kinds, their lifetimes, and that each is used
// once.
//
// A code is stored under its hash. An account has the hash of its newest code of some kinds, so that a newer code
// replaces an older one.
package onetime

import (
	"cmp"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/base/randid"
)

// Kind is the purpose of a one-time code.
type Kind string

// The kinds of codes.
const (
	PasswordReset Kind = "PASSWORD_RESET"
	EmailSignIn   Kind = "EMAIL_SIGNIN"
	VerifyEmail   Kind = "VERIFY_EMAIL"
	ChangeEmail   Kind = "VERIFY_AND_CHANGE_EMAIL"
	RecoverEmail  Kind = "RECOVER_EMAIL"
	RevertFactor  Kind = "REVERT_SECOND_FACTOR_ADDITION"
	Unspecified   Kind = "OOB_REQ_TYPE_UNSPECIFIED"
)

// Values lists the API's names by their numbers.
func (Kind) Values() []string {
	return []string{
		string(Unspecified), string(PasswordReset), "OLD_EMAIL_AGREE", "NEW_EMAIL_ACCEPT", string(VerifyEmail), string(RecoverEmail), string(EmailSignIn),
		string(ChangeEmail), string(RevertFactor),
	}
}

// Modes maps kinds of codes to the values of mode in links.
var Modes = map[Kind]string{
	PasswordReset: "resetPassword", EmailSignIn: "signIn", VerifyEmail: "verifyEmail", ChangeEmail: "verifyAndChangeEmail", RecoverEmail: "recoverEmail",
}

// Lifetimes maps kinds of codes to their lifetimes.
var Lifetimes = map[Kind]time.Duration{
	PasswordReset: time.Hour, EmailSignIn: 6 * time.Hour, VerifyEmail: 72 * time.Hour, ChangeEmail: 72 * time.Hour, RecoverEmail: 30 * 24 * time.Hour,
}

// Item is the kind of item of an account.Store that stores codes, by their hashes.
const Item = "oob"

// Code is a one-time code that was sent.
type Code struct {
	Type     Kind      `json:"type"`
	UID      string    `json:"uid,omitempty"`
	Email    string    `json:"email"`
	NewEmail string    `json:"newEmail,omitempty"`
	Made     time.Time `json:"made"`
	// Unverified is set in a RecoverEmail code when ownership of the address had not been proved.
	Unverified bool `json:"unverified,omitempty"`
	// Before holds, in a RecoverEmail code, the credentials of the account before the change.
	Before *Means `json:"before,omitempty"`
	// Previous is set in a RecoverEmail code: the hash of the code of the change of address before, or empty.
	Previous string `json:"previous,omitempty"`
	// Epoch is set in a ChangeEmail code that a user requested: the code is valid only in this epoch of the account, so it
	// ends with the sessions. Nil means any epoch.
	Epoch *int64 `json:"epoch,omitempty"`
	// Taken is set if NewEmail belongs to another account. Nothing is sent then, and the client receives the usual
	// response.
	Taken bool `json:"-"`
	// Code and Link are stored only for the emulator's control route.
	Code string `json:"code,omitempty"`
	Link string `json:"link,omitempty"`
}

// Recipient returns the address to which a code is sent.
func (made *Code) Recipient() string {
	if made.Type == ChangeEmail {
		return made.NewEmail
	}
	return made.Email
}

// objection is the time after a change of address within which the former address can always restore the account, even
// if an owner of the new address has taken it over since.
const objection = 24 * time.Hour

// Ended reports whether a code has ended before its time: the session that requested it has ended, or an owner of the
// account's address has taken the account over since. Without the latter, the creator of the account could move it away
// from the new owner. The server cannot distinguish this from an attacker who moves an account to another address and
// takes it over. So the code that the former address received remains valid for a day after the change.
func (made *Code) Ended(u *account.User, now time.Time) bool {
	switch {
	case made.Epoch != nil && *made.Epoch != u.Epoch:
		return true
	case !made.Made.Before(u.HandedOver):
		return false
	}
	return made.Type == ChangeEmail || made.Type == RecoverEmail && now.Sub(made.Made) > objection
}

// SetNewest records the hash of the newest code of a kind that was sent to a user. An empty hash means that there is
// none.
func SetNewest(u *account.User, kind Kind, hash string) {
	switch {
	case hash == "":
		delete(u.Codes, string(kind))
	case u.Codes == nil:
		u.Codes = map[string]account.Code{string(kind): {Hash: hash}}
	default:
		u.Codes[string(kind)] = account.Code{Hash: hash}
	}
}

// Drop removes the latest code of a kind that was sent to a user.
func Drop(ch *account.Change, u *account.User, kind Kind) {
	if old, ok := u.Codes[string(kind)]; ok {
		ch.Remove(Item, old.Hash)
		SetNewest(u, kind, "")
	}
}

// Use removes a code, or returns an error if it has been used already. The change must hold the user's lock.
func Use(ch *account.Change, u *account.User, code string) error {
	var still Code
	found, err := ch.Load(Item, randid.Digest(code), &still)
	if err != nil || !found {
		return cmp.Or(err, apierror.New("INVALID_OOB_CODE"))
	}
	if u != nil && still.Type == RecoverEmail {
		return useRecovery(ch, u, randid.Digest(code), still.Previous)
	}
	ch.Remove(Item, randid.Digest(code))
	if u != nil && u.Codes[string(still.Type)].Hash == randid.Digest(code) {
		SetNewest(u, still.Type, "")
	}
	return nil
}

// useRecovery removes the RecoverEmail code with a hash, and those of later changes of address, which could undo the
// restoration. The codes of earlier changes stay valid.
func useRecovery(ch *account.Change, u *account.User, used, previous string) error {
	ch.Remove(Item, used)
	for hash := u.Codes[string(RecoverEmail)].Hash; hash != "" && hash != used; {
		var later Code
		found, err := ch.Load(Item, hash, &later)
		if err != nil {
			return err
		}
		if !found {
			break // It has expired, and so have those before it.
		}
		ch.Remove(Item, hash)
		hash = later.Previous
	}
	SetNewest(u, RecoverEmail, previous)
	return nil
}
