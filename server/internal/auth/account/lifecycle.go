package account

import "sync"

// LifecycleEvent reports an account that was created or deleted.
type LifecycleEvent struct {
	Scope   Scope
	User    *User
	Deleted bool
}

// lifecycleFunctions holds the functions to call for an event.
type lifecycleFunctions struct {
	mu struct {
		sync.RWMutex
		calls []func(LifecycleEvent)
	}
}

// OnLifecycleEvent registers a function that is called for each account that is created or deleted, after the change is
// stored. It is not called for imports, nor when all accounts are cleared. The calls for one account are in order.
// Calls for different accounts are concurrent, so the function must be safe for concurrent use, return soon and not
// modify the User.
func (s *Store) OnLifecycleEvent(call func(LifecycleEvent)) {
	s.lifecycle.mu.Lock()
	defer s.lifecycle.mu.Unlock()
	s.lifecycle.mu.calls = append(s.lifecycle.mu.calls, call)
}

// report calls the functions.
func (f *lifecycleFunctions) report(all []LifecycleEvent) {
	if len(all) == 0 {
		return
	}
	f.mu.RLock()
	calls := f.mu.calls
	f.mu.RUnlock()
	for _, one := range all {
		for _, call := range calls {
			call(one)
		}
	}
}
