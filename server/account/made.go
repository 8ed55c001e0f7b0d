package account

import "sync"

// Made reports an account that was created or deleted.
type Made struct {
	Scope   Scope
	User    *User
	Deleted bool
}

// makings are the functions to call for a Made.
type makings struct {
	mu struct {
		sync.RWMutex
		calls []func(Made)
	}
}

// OnMade has call called for each account that is created or deleted, once that is stored, but not for imports and when all accounts
// are cleared. The calls for one account come in order; those for several come at once: call must be safe for concurrent use, return soon
// and leave the User as it is.
func (s *Store) OnMade(call func(Made)) {
	s.made.mu.Lock()
	defer s.made.mu.Unlock()
	s.made.mu.calls = append(s.made.mu.calls, call)
}

// report calls the functions.
func (m *makings) report(all []Made) {
	if len(all) == 0 {
		return
	}
	m.mu.RLock()
	calls := m.mu.calls
	m.mu.RUnlock()
	for _, one := range all {
		for _, call := range calls {
			call(one)
		}
	}
}
