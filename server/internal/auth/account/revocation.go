package account

import (
	"reflect"
	"sync"
)

// Revocation reports that sessions of a scope may have ended: those of one account, because it was disabled or deleted
// or its sessions were revoked, or those of all accounts.
type Revocation struct {
	Scope Scope
	// UID is the account; empty means all accounts of the scope.
	UID string
}

// revocations holds the functions to call for a Revocation.
type revocations struct {
	mu struct {
		sync.RWMutex
		calls []func(Revocation)
	}
}

// OnRevoke registers a function that is called for each Revocation, after the change that caused it is stored. It is
// called by the goroutine of the change, concurrently for several changes, so it must be safe for concurrent use and
// return soon. A Revocation does not imply that a session has ended.
func (s *Store) OnRevoke(call func(Revocation)) {
	s.revoked.mu.Lock()
	defer s.revoked.mu.Unlock()
	s.revoked.mu.calls = append(s.revoked.mu.calls, call)
}

// Revoked reports a Revocation whose cause is not a change of accounts, such as a disabled tenant.
func (s *Store) Revoked(r Revocation) {
	s.revoked.mu.RLock()
	calls := s.revoked.mu.calls
	s.revoked.mu.RUnlock()
	for _, call := range calls {
		call(r)
	}
}

// endsSessions reports whether a change of an account may have ended sessions. now is nil if the account was deleted.
func endsSessions(old, now *User) bool {
	if old == nil {
		return false
	}
	return now == nil || now.Disabled && !old.Disabled || now.Since() > old.Since() || now.Epoch != old.Epoch
}

// isWithdrawal reports whether a change disables an account or revokes its sessions, and does not set its password. It
// has few bytes.
func isWithdrawal(old, now *User) bool {
	if old == nil || now == nil || !reflect.DeepEqual(old.Password, now.Password) {
		return false
	}
	return now.Disabled && !old.Disabled || now.Since() > old.Since()
}
