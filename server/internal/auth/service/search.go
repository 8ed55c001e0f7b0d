package service

import (
	"context"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/userinfo"
)

// Found is a page of accounts that contain a text.
type Found struct {
	Users []userinfo.Info `json:"users"`
	// Next is the id after which the next page begins; empty for the last page.
	Next string `json:"next,omitempty"`
}

// Search returns up to most accounts whose id, e-mail address, phone number or name contains a text. They are in the
// order of ids and begin after the given id.
func (s *Service) Search(ctx context.Context, c Call, text, after string, most int) (*Found, error) {
	if err := s.usableTenant(ctx, c); err != nil {
		return nil, err
	}
	found := &Found{Users: []userinfo.Info{}}
	err := s.accounts.Search(ctx, c.scope(), text, after, func(u *account.User) bool {
		if len(found.Users) == most { // there is another page
			found.Next = found.Users[most-1].LocalID
			return false
		}
		found.Users = append(found.Users, c.info(u, false))
		return true
	})
	return found, err
}
