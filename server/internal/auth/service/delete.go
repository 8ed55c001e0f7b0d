package service

import (
	"cmp"
	"context"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/onetime"
	"clave/server/internal/auth/service/optional"
)

// DeleteRequest deletes an account.
type DeleteRequest struct {
	IDToken *string `json:"idToken"`
	LocalID *string `json:"localId"`
}

// KindResponse is a response without content.
type KindResponse struct {
	Kind string `json:"kind"`
}

// Delete deletes an account. Users can delete their own account after a recent sign-in, unless the settings forbid it.
// Administrators can delete any account.
func (s *Service) Delete(ctx context.Context, c Call, r *DeleteRequest) (*KindResponse, error) {
	if err := s.checkTenant(c); err != nil {
		return nil, err
	}
	uid := optional.String(r.LocalID)
	switch {
	case r.IDToken != nil && !c.Admin:
		u, id, err := s.userOf(&c, *r.IDToken)
		if err != nil {
			return nil, err
		}
		cs, err := s.settings(ctx, c)
		if err != nil {
			return nil, err
		}
		if cs.deletionOff() {
			return nil, apierror.New("ADMIN_ONLY_OPERATION")
		}
		if err := s.signedInRecently(u, id); err != nil {
			return nil, err
		}
		uid = u.UID
	case !c.Admin:
		return nil, apierror.New("MISSING_ID_TOKEN")
	case uid == "":
		return nil, apierror.New("MISSING_LOCAL_ID")
	}
	return &KindResponse{Kind: "identitytoolkit#DeleteAccountResponse"}, s.accounts.Change(ctx, c.scope(), []string{uid}, func(ch *account.Change) error {
		u, err := ch.Get(uid)
		if err != nil || u == nil {
			return cmp.Or(err, apierror.New("USER_NOT_FOUND"))
		}
		remove(ch, u)
		return nil
	})
}

// remove deletes an account and its one-time codes.
func remove(ch *account.Change, u *account.User) {
	for _, code := range u.Codes {
		ch.Remove(onetime.Item, code.Hash)
	}
	ch.Delete(u.UID)
}
