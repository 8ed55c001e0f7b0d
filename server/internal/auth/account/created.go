package account

import "sync"

// Made reports an account that was created or deleted.
type Made struct {
	Scope   Scope
	User    *User
	Deleted bool
}

// madeReports holds the functions to call for a Made.
type madeReports struct {
	mu struct {
		sync.RWMutex
		calls []func(Made)
	}
}

// OnMade registers a function that is called for each account that is created or deleted, after the change is stored.
// It is not called for imports, nor when all accounts are cleared. The calls for one account are in order. Calls for
// different accounts are concurrent, so the function must be safe for concurrent use, return soon and not modify the
// User.
func (s *Store) OnMade(call func(Made)) {
	s.made.mu.Lock()
	defer s.made.mu.Unlock()
	s.made.mu.calls = append(s.made.mu.calls, call)
}

// report calls the functions.
func (m *madeReports) report(all []Made) {
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
