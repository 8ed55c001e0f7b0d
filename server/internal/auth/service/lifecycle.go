package service

import (
	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/userinfo"
)

// LifecycleEvent describes an account of a project that was created or deleted.
type LifecycleEvent struct {
	Project string
	// User is the account as the API shows it to administrators.
	User    userinfo.Info
	Deleted bool
}

// OnLifecycleEvent registers a function that is called for each account that is created or deleted.
// account.Store.OnLifecycleEvent documents when and how.
func (s *Service) OnLifecycleEvent(call func(LifecycleEvent)) {
	s.accounts.OnLifecycleEvent(func(e account.LifecycleEvent) {
		c := Call{Project: e.Scope.Project, Tenant: e.Scope.Tenant, Admin: true}
		call(LifecycleEvent{Project: e.Scope.Project, User: c.info(e.User, false), Deleted: e.Deleted})
	})
}
