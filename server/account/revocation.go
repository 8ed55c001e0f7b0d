package account

import "sync"

// Revocation reports that sessions of a scope may have ended: those of one account, because it was disabled or deleted or its sessions
// were revoked, or those of all accounts.
type Revocation struct {
	Scope Scope
	// UID is the account; empty stands for all of the scope.
	UID string
}

// revocations are the functions to call for a Revocation.
type revocations struct {
	mu struct {
		sync.RWMutex
		calls []func(Revocation)
	}
}

// OnRevoke has call called for each Revocation, once the change that caused it is stored. The calls come from the goroutine of the
// change, several at once for changes of several accounts: call must be safe for concurrent use and return soon. A Revocation may
// come without a session having ended.
func (s *Store) OnRevoke(call func(Revocation)) {
	s.revoked.mu.Lock()
	defer s.revoked.mu.Unlock()
	s.revoked.mu.calls = append(s.revoked.mu.calls, call)
}

// Revoked reports a Revocation that has another cause than a change of accounts, such as a tenant that was switched off.
func (s *Store) Revoked(r Revocation) {
	s.revoked.mu.RLock()
	calls := s.revoked.mu.calls
	s.revoked.mu.RUnlock()
	for _, call := range calls {
		call(r)
	}
}

// endsSessions reports whether sessions that stood before a change of an account may have ended with it. now is nil when the
// account was deleted.
func endsSessions(old, now *User) bool {
	if old == nil {
		return false
	}
	return now == nil || now.Disabled && !old.Disabled || now.Since() > old.Since() || now.Epoch != old.Epoch
}
