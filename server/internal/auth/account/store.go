package account

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"clave/server/internal/base/fault"
	"clave/server/internal/store"
)

// Store keeps accounts. It is safe for concurrent use.
type Store struct {
	store store.Store
	locks locks
	// whole is locked for writing by operations on all accounts of a scope, and for reading by all other writes.
	whole sync.RWMutex
	// sessions holds the decoded parts of accounts that Sessions returns.
	sessions decodedSessions
	// revoked holds the functions that are called when sessions end.
	revoked revocations
	// lifecycle holds the functions that are called when accounts are created or deleted.
	lifecycle lifecycleFunctions
}

// New returns a Store that keeps its data in s.
func New(s store.Store) *Store { return &Store{store: s} }

// prefix returns the prefix of all keys of a scope.
func (sc Scope) prefix() string { return "account/" + sc.Project + "\x00" + sc.Tenant + "\x00" }

// key returns the full key of something in a scope.
func (sc Scope) key(rest string) []byte { return []byte(sc.prefix() + rest) }

// userKey returns the key of an account below its scope.
func userKey(uid string) string { return "u\x00" + uid }

// itemKey returns the key of an item below its scope.
func itemKey(kind, id string) string { return "x" + kind + "\x00" + id }

// Get returns an account, or nil when there is none.
func (s *Store) Get(sc Scope, uid string) (*User, error) {
	value, found, err := s.store.Get(sc.key(userKey(uid)))
	if err != nil || !found {
		return nil, err
	}
	return decodeUser(value)
}

// decodeUser decodes a stored account.
func decodeUser(value []byte) (*User, error) {
	u := &User{}
	if err := json.Unmarshal(value, u); err != nil {
		return nil, fmt.Errorf("stored account: %w", err)
	}
	return u, nil
}

// ByEmail returns the account with an e-mail address, or nil.
func (s *Store) ByEmail(sc Scope, email string) (*User, error) { return s.by(sc, emailKey(email)) }

// ByPhone returns the account with a phone number, or nil.
func (s *Store) ByPhone(sc Scope, phone string) (*User, error) { return s.by(sc, phoneKey(phone)) }

// ByProvider returns the account that a provider's user is linked to, or nil.
func (s *Store) ByProvider(sc Scope, provider, raw string) (*User, error) {
	return s.by(sc, providerKey(provider, raw))
}

// by returns the account that an index key names. A change may come between the two reads, so the account must
// still have the key.
func (s *Store) by(sc Scope, key string) (*User, error) {
	uid, found, err := s.store.Get(sc.key(key))
	if err != nil || !found {
		return nil, err
	}
	u, err := s.Get(sc, string(uid))
	if u == nil || !slices.Contains(u.indexes(), key) {
		return nil, err
	}
	return u, err
}

// List calls yield with the accounts of a scope in the order of their ids, those after the given id, until yield
// returns false.
func (s *Store) List(ctx context.Context, sc Scope, after string, yield func(*User) bool) error {
	return s.scan(ctx, sc, after, func([]byte) bool { return true }, yield)
}

// scan is List restricted to the accounts for whose stored form wanted returns true. The others are not decoded.
func (s *Store) scan(ctx context.Context, sc Scope, after string, wanted func(stored []byte) bool, yield func(*User) bool) error {
	r := store.Prefix(sc.key("u\x00"))
	if after != "" {
		r.From = append(sc.key(userKey(after)), 0)
	}
	it := s.store.Scan(r)
	defer func() { _ = it.Close() }() // Err has returned all errors of a read.
	for it.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		value, err := it.Value()
		if err != nil {
			return err
		}
		if !wanted(value) {
			continue
		}
		u, err := decodeUser(value)
		if err != nil {
			return err
		}
		if !yield(u) {
			break
		}
	}
	return it.Err()
}

// Clear removes all accounts of a scope and their sessions, but not settings and codes.
func (s *Store) Clear(ctx context.Context, sc Scope) error {
	if err := s.clear(ctx, sc); err != nil {
		return err
	}
	s.Revoked(Revocation{Scope: sc})
	return nil
}

// clear removes all accounts of a scope and their sessions.
func (s *Store) clear(ctx context.Context, sc Scope) error {
	s.whole.Lock()
	defer s.whole.Unlock()
	b := store.Batch{Deletes: true}
	for _, kind := range []string{"u\x00", "e\x00", "p\x00", "f\x00", itemKey("refresh", ""), itemKey("begun", "")} {
		r := store.Prefix(sc.key(kind))
		b.DeleteRange(r.From, r.To)
	}
	return s.store.Apply(ctx, &b)
}

// Forget removes everything of a project: accounts of all tenants, sessions, settings and codes.
func (s *Store) Forget(ctx context.Context, project string) error {
	s.whole.Lock()
	defer s.whole.Unlock()
	all := store.Prefix([]byte("account/" + project + "\x00"))
	b := store.Batch{Deletes: true}
	const few = 1000 // thousands of removed ranges would slow down each read
	it := s.store.Scan(all)
	for it.Next() && len(b.Ops) <= few {
		b.Delete(slices.Clone(it.Key()))
	}
	if err := errors.Join(it.Err(), it.Close()); err != nil {
		return err
	}
	if len(b.Ops) > few {
		b.Ops = nil
		b.DeleteRange(all.From, all.To)
	}
	if b.Empty() {
		return nil
	}
	return s.store.Apply(ctx, &b)
}

// Load reads an item, such as a one-time code, into a value; it reports whether there is one.
func (s *Store) Load(sc Scope, kind, id string, into any) (bool, error) {
	value, found, err := s.store.Get(sc.key(itemKey(kind, id)))
	if err != nil || !found {
		return false, err
	}
	if err := json.Unmarshal(value, into); err != nil {
		return false, fmt.Errorf("stored %s: %w", kind, err)
	}
	return true, nil
}

// Items calls yield with the ids of the items of a kind, in order, and a function that decodes the item.
func (s *Store) Items(ctx context.Context, sc Scope, kind string, yield func(id string, decode func(any) error) error) error {
	prefix := sc.key(itemKey(kind, ""))
	it := s.store.Scan(store.Prefix(prefix))
	defer func() { _ = it.Close() }() // Err has returned all errors of a read.
	for it.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		decode := func(into any) error {
			value, err := it.Value()
			if err != nil {
				return err
			}
			return json.Unmarshal(value, into)
		}
		if err := yield(strings.TrimPrefix(string(it.Key()), string(prefix)), decode); err != nil {
			return err
		}
	}
	return it.Err()
}

// Scopes returns the tenants of all projects that have data, for sweeps.
func (s *Store) Scopes(ctx context.Context) ([]Scope, error) {
	it := s.store.Scan(store.Prefix([]byte("account/")))
	defer func() { _ = it.Close() }() // Err has returned all errors of a read.
	var scopes []Scope
	for ok := it.Next(); ok; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		project, rest, _ := strings.Cut(strings.TrimPrefix(string(it.Key()), "account/"), "\x00")
		tenant, _, _ := strings.Cut(rest, "\x00")
		sc := Scope{project, tenant}
		scopes = append(scopes, sc)
		end := store.PrefixEnd([]byte(sc.prefix()))
		ok = end != nil && it.Seek(end)
	}
	return scopes, it.Err()
}

// conflict returns the error for an index key that belongs to another account.
func conflict(key string) error {
	switch key[0] {
	case 'e':
		return fault.E(fault.FailedPrecondition, "EMAIL_EXISTS")
	case 'p':
		return fault.E(fault.FailedPrecondition, "PHONE_NUMBER_EXISTS")
	}
	return fault.E(fault.FailedPrecondition, "FEDERATED_USER_ID_ALREADY_LINKED")
}
