package account

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"clave/server/internal/store"
)

// Change is a change in progress. Reads return the state before it. It must be used by one goroutine only.
type Change struct {
	store *Store
	scope Scope
	held  []string
	users map[string]*User // nil: deleted
	order []string
	// ended lists the accounts whose sessions the change ends.
	ended []string
	// lifecycle lists the accounts that the change creates or deletes. imports is set if OnLifecycleEvent's functions are
	// not called for them.
	lifecycle []LifecycleEvent
	imports   bool
	// withdraws is set if the change only takes rights away.
	withdraws bool
	items     store.Batch
	// try is set if nothing is to be stored.
	try bool
}

// Change makes an atomic change of accounts and items. names are the ids of the accounts that it reads or writes, and
// other names that exclude each other, such as a one-time code's. They are locked while do runs. do is called at most
// once. Change returns EMAIL_EXISTS, PHONE_NUMBER_EXISTS or FEDERATED_USER_ID_ALREADY_LINKED if another account has an
// e-mail address, phone number or provider's id of the change.
func (s *Store) Change(ctx context.Context, sc Scope, names []string, do func(*Change) error) error {
	ended, err := s.change(ctx, sc, names, do, false)
	if err != nil {
		return err
	}
	for _, uid := range ended {
		s.Revoked(Revocation{Scope: sc, UID: uid})
	}
	return nil
}

// Try returns what Change would return, and stores nothing.
func (s *Store) Try(ctx context.Context, sc Scope, names []string, do func(*Change) error) error {
	_, err := s.change(ctx, sc, names, do, true)
	return err
}

// change makes a change, or only checks it if try is set, and returns the accounts whose sessions it ended. It has
// released all locks when it returns.
func (s *Store) change(ctx context.Context, sc Scope, names []string, do func(*Change) error, try bool) (ended []string, err error) {
	s.whole.RLock()
	defer s.whole.RUnlock()
	held := make([]string, len(names))
	for i, name := range names {
		held[i] = sc.prefix() + "u\x00" + name
	}
	defer s.locks.hold(held)()
	c := &Change{store: s, scope: sc, held: names, users: make(map[string]*User), try: try}
	if err := do(c); err != nil {
		return nil, err
	}
	if err := c.apply(ctx); err != nil {
		return nil, err
	}
	if !try && !c.imports {
		s.lifecycle.report(c.lifecycle)
	}
	return c.ended, nil
}

// Imports marks the change as an import of accounts: OnLifecycleEvent's functions are not called for it.
func (c *Change) Imports() { c.imports = true }

// Withdraws marks the change as one that only takes rights away, such as a key: on a full disk it may use the space
// that the storage reserves for deletes.
func (c *Change) Withdraws() { c.withdraws = true }

// Get returns an account, or nil when there is none. Its id must be among the names of the change.
func (c *Change) Get(uid string) (*User, error) {
	if !slices.Contains(c.held, uid) {
		return nil, fmt.Errorf("account %q is read in a change that does not lock it", uid)
	}
	if u, ok := c.users[uid]; ok {
		return u, nil
	}
	return c.store.Get(c.scope, uid)
}

// Put stores an account.
func (c *Change) Put(u *User) { c.set(u.UID, u) }

// Delete removes an account.
func (c *Change) Delete(uid string) { c.set(uid, nil) }

// set records an account's new state.
func (c *Change) set(uid string, u *User) {
	if _, ok := c.users[uid]; !ok {
		c.order = append(c.order, uid)
	}
	c.users[uid] = u
}

// Save stores an item, such as a one-time code.
func (c *Change) Save(kind, id string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	c.items.Set(c.scope.key(itemKey(kind, id)), text)
	return nil
}

// SaveIn stores an item of another scope of the same project.
func (c *Change) SaveIn(sc Scope, kind, id string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	c.items.Set(sc.key(itemKey(kind, id)), text)
	return nil
}

// LoadIn reads an item of another scope of the same project as it was before the change.
func (c *Change) LoadIn(sc Scope, kind, id string, into any) (bool, error) {
	return c.store.Load(sc, kind, id, into)
}

// RemoveIn removes an item of another scope of the same project.
func (c *Change) RemoveIn(sc Scope, kind, id string) { c.items.Delete(sc.key(itemKey(kind, id))) }

// Remove removes an item.
func (c *Change) Remove(kind, id string) { c.items.Delete(c.scope.key(itemKey(kind, id))) }

// Load reads an item as it was before the change.
func (c *Change) Load(kind, id string, into any) (bool, error) {
	return c.store.Load(c.scope, kind, id, into)
}

// apply checks that no index key belongs to another account, and applies the change.
func (c *Change) apply(ctx context.Context) error {
	var b store.Batch
	gained := make(map[string]string) // index key → uid
	lost := make(map[string]string)
	withdrawals := 0
	for _, uid := range c.order {
		old, err := c.store.Get(c.scope, uid)
		if err != nil {
			return err
		}
		if old != nil {
			for _, key := range old.indexes() {
				lost[key] = uid
			}
		}
		u := c.users[uid]
		if endsSessions(old, u) {
			c.ended = append(c.ended, uid)
		}
		if isWithdrawal(old, u) {
			withdrawals++
		}
		switch {
		case old == nil && u != nil:
			c.lifecycle = append(c.lifecycle, LifecycleEvent{Scope: c.scope, User: u})
		case old != nil && u == nil:
			c.lifecycle = append(c.lifecycle, LifecycleEvent{Scope: c.scope, User: old, Deleted: true})
		}
		if u == nil {
			b.Delete(c.scope.key(userKey(uid)))
			continue
		}
		for _, key := range u.indexes() {
			if other, ok := gained[key]; ok && other != uid {
				return conflict(key)
			}
			gained[key] = uid
		}
		text, err := json.Marshal(u)
		if err != nil {
			return err
		}
		b.Set(c.scope.key(userKey(uid)), text)
	}
	c.withdraws = c.withdraws || withdrawals > 0 && withdrawals == len(c.order)
	return c.applyIndexes(ctx, &b, gained, lost)
}

// applyIndexes locks the index keys that change, checks them and applies the batch.
func (c *Change) applyIndexes(ctx context.Context, b *store.Batch, gained, lost map[string]string) error {
	// Two changes of different accounts may claim one address, so the index keys that change owners are locked too. Every
	// change locks its accounts before its index keys, and each group in order, so there is no deadlock.
	var keys []string
	for key, uid := range gained {
		if lost[key] != uid {
			keys = append(keys, c.scope.prefix()+key)
		}
	}
	for key, uid := range lost {
		if gained[key] != uid && gained[key] == "" {
			keys = append(keys, c.scope.prefix()+key)
		}
	}
	defer c.store.locks.hold(keys)()
	for key, uid := range gained {
		if lost[key] == uid {
			continue
		}
		owner, found, err := c.store.store.Get(c.scope.key(key))
		if err != nil {
			return err
		}
		// A key is free if its owner loses it in this change, for example if two accounts exchange their addresses.
		if found && string(owner) != uid && lost[key] != string(owner) {
			return conflict(key)
		}
		b.Set(c.scope.key(key), []byte(uid))
	}
	for key := range lost {
		if _, again := gained[key]; !again {
			b.Delete(c.scope.key(key))
		}
	}
	b.Ops = append(b.Ops, c.items.Ops...)
	if b.Empty() || c.try {
		return nil
	}
	// On a full disk, a batch that sets nothing may use the space that the storage reserves for deletes.
	b.Deletes = c.withdraws || !slices.ContainsFunc(b.Ops, func(op store.Op) bool { return op.Kind == store.Set })
	return c.store.store.Apply(ctx, b)
}

// locks are mutexes by name. The zero value is ready.
type locks struct {
	mu struct {
		sync.Mutex
		held map[string]*lock
	}
}

// lock is the mutex of one name. users counts the goroutines that hold it or wait for it.
type lock struct {
	sync.Mutex
	users int
}

// hold locks names in order and returns a function that unlocks them.
func (l *locks) hold(names []string) (release func()) {
	// All callers lock in the same order, so there is no deadlock. The last holder or waiter removes the lock from the
	// map.
	names = slices.Clone(names)
	slices.Sort(names)
	names = slices.Compact(names)
	taken := make([]*lock, len(names))
	for i, name := range names {
		l.mu.Lock()
		if l.mu.held == nil {
			l.mu.held = make(map[string]*lock)
		}
		k := l.mu.held[name]
		if k == nil {
			k = &lock{}
			l.mu.held[name] = k
		}
		k.users++
		l.mu.Unlock()
		k.Lock()
		taken[i] = k
	}
	return func() {
		for i, k := range taken {
			k.Unlock()
			l.mu.Lock()
			if k.users--; k.users == 0 {
				delete(l.mu.held, names[i])
			}
			l.mu.Unlock()
		}
	}
}
