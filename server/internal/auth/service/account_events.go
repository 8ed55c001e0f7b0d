package service

import (
	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/userinfo"
)

// Made describes an account of a project that was created or deleted.
type Made struct {
	Project string
	// User is the account as the API shows it to administrators.
	User    userinfo.Info
	Deleted bool
}

// OnMade registers a function that is called for each account that is created or deleted. account.Store.OnMade
// documents when and how.
func (s *Service) OnMade(call func(Made)) {
	s.accounts.OnMade(func(m account.Made) {
		c := Call{Project: m.Scope.Project, Tenant: m.Scope.Tenant, Admin: true}
		call(Made{Project: m.Scope.Project, User: c.info(m.User, false), Deleted: m.Deleted})
	})
}
