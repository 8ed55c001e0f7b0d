package service

import (
	"context"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/account/passhash"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/optional"
	"clave/server/internal/auth/service/session"
	"clave/server/internal/auth/service/updateform"
	"clave/server/internal/auth/service/userinfo"
	"clave/server/internal/base/fault"
)

// UpdateResponse is the account after the change.
type UpdateResponse struct {
	Kind             string              `json:"kind"`
	LocalID          string              `json:"localId"`
	Email            string              `json:"email,omitempty"`
	DisplayName      *string             `json:"displayName,omitempty"`
	PhotoURL         *string             `json:"photoUrl,omitempty"`
	PasswordHash     string              `json:"passwordHash,omitempty"`
	ProviderUserInfo []userinfo.Provider `json:"providerUserInfo,omitempty"`
	EmailVerified    bool                `json:"emailVerified"`
	NewEmail         string              `json:"newEmail,omitempty"`
	Tokens
}

// kindUpdate is the kind of an UpdateResponse.
const kindUpdate = "identitytoolkit#SetAccountInfoResponse"

// Update changes an account, or applies a one-time code. With an ID token, and for clients, it changes the token's
// user; for administrators, the account that the request names. If a user's own change ends the user's sessions, the
// response has tokens of a new one. A user's change of address is reported to the former address after it is stored.
func (s *Service) Update(ctx context.Context, c Call, r *updateform.Request) (*UpdateResponse, error) {
	if optional.String(r.OobCode) != "" {
		return s.applyCode(ctx, c, *r.OobCode)
	}
	if len(r.Provider) > 0 || r.UpgradeToFederated != nil {
		return nil, fault.E(fault.Unimplemented, "provider and upgradeToFederatedLogin are not implemented.")
	}
	cs, err := s.userSettings(ctx, c, r.IDToken)
	if err != nil {
		return nil, err
	}
	asUser := r.IDToken != nil || !c.Admin
	uid, ses, err := s.updatedBy(cs, r, asUser)
	if err != nil {
		return nil, err
	}
	edit, err := r.Prepare(updateform.Options{
		AsEmulator: s.o.AsEmulator, Admin: !asUser, Policy: &cs.project.PasswordPolicyConfig, Now: func() time.Time { return s.now(c.Project) },
		Hash: func(password string) (*passhash.Hash, error) { return s.hash(ctx, cs.Call, password) },
	})
	if err != nil {
		return nil, err
	}
	res := &UpdateResponse{Kind: kindUpdate}
	var notice *recovery
	err = s.change(ctx, cs.Call, uid, func(ch *account.Change, u *account.User) error {
		before, formerly := *u, s.recoveryCode(c.Project, u)
		if err := edit.Apply(ch, u); err != nil {
			return err
		}
		res.fill(u)
		if optional.String(r.Email) != "" {
			res.NewEmail = u.Email
		}
		if !edit.StartsSession(&before, u) {
			return nil
		}
		if u.Email != before.Email {
			if notice, err = s.recoverable(ch, cs.Call, u, formerly); err != nil {
				return err
			}
		}
		if ses.Provider == "anonymous" && u.Password != nil {
			ses.Provider = "password"
		}
		ses.AuthTime = s.now(c.Project).Unix()
		res.Tokens, err = s.issueTokens(ch, cs.Call, u, ses)
		return err
	})
	if err == nil {
		s.sendRecovery(ctx, cs.Call, notice)
	}
	return res, err
}

// updatedBy returns the account that a request changes and, if users change their own account, their session. It
// refuses changes that users may not make.
func (s *Service) updatedBy(c *callSettings, r *updateform.Request, asUser bool) (uid string, ses session.Session, err error) {
	if !asUser {
		if optional.String(r.LocalID) == "" {
			return "", ses, apierror.New("MISSING_LOCAL_ID")
		}
		return *r.LocalID, ses, nil
	}
	if r.IDToken == nil {
		return "", ses, apierror.New("INVALID_REQ_TYPE : Unsupported request parameters.")
	}
	u, id, err := s.userOf(&c.Call, *r.IDToken)
	if err != nil {
		return "", ses, err
	}
	if err := r.Restrict(updateform.UserRules{AsEmulator: s.o.AsEmulator, NoPassword: !c.passwordOn(), Private: c.privacy()}); err != nil {
		return "", ses, err
	}
	if r.Sensitive() {
		if err := s.signedInRecently(u, id); err != nil {
			return "", ses, err
		}
	}
	ses, err = session.Resume(s.accounts, c.scope(), id)
	return u.UID, ses, err
}

// fill sets the response's fields to those of the account.
func (r *UpdateResponse) fill(u *account.User) {
	r.LocalID, r.Email, r.DisplayName, r.PhotoURL, r.EmailVerified = u.UID, u.Email, u.DisplayName, u.PhotoURL, u.EmailVerified
	r.ProviderUserInfo = userinfo.Providers(u)
	if u.Password != nil {
		r.PasswordHash = userinfo.Redacted
	}
}
