package service

import (
	"context"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/blocking"
	"clave/server/internal/auth/service/idp"
	"clave/server/internal/auth/service/session"
)

// attempt is a sign-in whose first factor has been proved.
type attempt struct {
	*callSettings
	// user is the account as it was read. isNew is set when there is none yet: the attempt creates it.
	user  *account.User
	isNew bool
	// session is the session that begins.
	session session.Session
	// assertion is that of an identity provider, whose credential blocking functions receive; nil for other sign-ins.
	assertion *idp.Assertion
	// locked are further names that exclude each other during the change, beside the account's id.
	locked []string
	// prepare brings the copy of the account that was read into the state on which the requirement of a second factor
	// depends. It may be nil.
	prepare func(u *account.User)
	// check refuses the account, as it was read and again as it is within the change. It may be nil.
	check func(u *account.User) error
	// edit changes the account within the change, before the sign-in. It may be nil.
	edit func(ch *account.Change, u *account.User) error
	// whole is set when no further factor is required: the second factor was presented, or there is none.
	whole bool
	// exempt is set for sign-ins for which blocking functions are not called and no second factor is required. They need
	// no settings, only a Call.
	exempt bool
}

// outcome is the result of an attempt: tokens, or the parameters for presenting the second factor.
type outcome struct {
	Tokens
	Pending
	// user is the account after the sign-in.
	user *account.User
}

// complete is the end of every sign-in, whatever the first factor was. Anonymous sign-up and passkeys are exempt from
// blocking functions and second factors: for them only the checks and the change apply.
//
//  1. beforeCreate is called for a new account. Blocking functions may take a minute, so no lock is held.
//  2. The account as it was read is prepared and checked, and it is decided whether a second factor is required.
//  3. beforeSignIn is called if the sign-in is whole. Where a second factor is required, it is called after that factor
//     instead.
//  4. Under the account's lock, in one change: the account is read again, checked and edited, since it may have changed
//     meanwhile. Then the session begins, or the sign-in is stored until its second factor comes. If the account
//     requires a factor only now, the result of beforeSignIn is dropped: the function is called again after the factor.
func (s *Service) complete(ctx context.Context, a *attempt) (*outcome, error) {
	if a.isNew && !a.exempt {
		if err := s.beforeCreate(ctx, a); err != nil {
			return nil, err
		}
	}
	if a.prepare != nil {
		a.prepare(a.user)
	}
	if err := a.refuses(a.user); err != nil {
		return nil, err
	}
	requires := func(u *account.User) bool { return !a.whole && !a.exempt && a.factorRules().Requires(u) }
	half := requires(a.user)
	var blocked *blocking.Update
	if !half && !a.exempt {
		var err error
		if blocked, err = s.block(ctx, a, blocking.BeforeSignIn); err != nil {
			return nil, err
		}
	}
	res := &outcome{}
	err := s.accounts.Change(ctx, a.scope(), append([]string{a.user.UID}, a.locked...), func(ch *account.Change) error {
		u, err := a.present(ch)
		if err != nil {
			return err
		}
		ch.Put(u)
		res.user = u
		if half || requires(u) {
			res.Pending, err = s.requestFactor(ch, a.Call, u, a.session)
			return err
		}
		if err := blocked.Apply(u); err != nil {
			return err
		}
		if u.Disabled && a.isNew {
			return nil // beforeSignIn disabled an account that did not exist yet. The account is created all the same.
		}
		res.Tokens, err = s.signIn(ch, a.Call, u, a.session)
		return err
	})
	if err == nil && res.user.Disabled {
		err = apierror.New("USER_DISABLED")
	}
	return res, err
}

// present returns the account as it is within a change, checked and edited.
func (a *attempt) present(ch *account.Change) (*account.User, error) {
	u, err := ch.Get(a.user.UID)
	switch {
	case err != nil:
		return nil, err
	case u == nil && !a.isNew:
		return nil, apierror.New("USER_NOT_FOUND")
	case u == nil:
		u = a.user
	}
	if a.check != nil {
		if err := a.check(u); err != nil {
			return nil, err
		}
	}
	if a.edit != nil {
		if err := a.edit(ch, u); err != nil {
			return nil, err
		}
	}
	return u, nil
}

// refuses returns an error if the account may not sign in.
func (a *attempt) refuses(u *account.User) error {
	if u.Disabled {
		return apierror.New("USER_DISABLED")
	}
	if a.check != nil {
		return a.check(u)
	}
	return nil
}

// beforeCreate calls the function that may refuse or change a new account. A new account that the function disables is
// not created.
func (s *Service) beforeCreate(ctx context.Context, a *attempt) error {
	update, err := s.block(ctx, a, blocking.BeforeCreate)
	if err != nil {
		return err
	}
	if err := update.Apply(a.user); err != nil {
		return err
	}
	if a.user.Disabled {
		return apierror.New("USER_DISABLED")
	}
	return nil
}

// block calls the blocking function of an event, if the project has one. The function's claims are added to the
// attempt's session. The caller applies the changes of the account.
func (s *Service) block(ctx context.Context, a *attempt, event string) (*blocking.Update, error) {
	e := blocking.Event{
		Name: event, Project: a.Project, Tenant: a.Tenant, User: a.user, Session: &a.session,
		Address: a.Address, UserAgent: a.UserAgent, Locale: a.Locale,
	}
	if a.assertion != nil {
		e.Credential, e.IDToken, e.AccessToken = a.assertion.Event(), a.assertion.IDToken, a.assertion.AccessToken
		e.RefreshToken, e.ExpiresIn = a.assertion.RefreshToken, a.assertion.ExpiresIn
	}
	return s.blocking.Call(ctx, &a.project.BlockingFunctions, e)
}
