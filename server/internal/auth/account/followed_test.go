package account_test

import (
	"context"
	"slices"
	"testing"

	"clave/server/internal/auth/account"
	"clave/server/internal/store"
	"clave/server/internal/store/pebble"
)

// recordingStore is a store that records the operations applied to it, as a replicated log does.
type recordingStore struct {
	*pebble.Store
	ops []store.Op
}

// Apply implements store.Store.
func (r *recordingStore) Apply(ctx context.Context, b *store.Batch) error {
	r.ops = append(r.ops, b.Ops...)
	return r.Store.Apply(ctx, b)
}

// TestFollowed makes changes in one store and reports their operations to another. The second store must report the
// changed accounts, the scopes whose accounts were all deleted, and the tenants whose item of a given kind was changed.
func TestFollowed(t *testing.T) {
	inTenant := account.Scope{Project: "p", Tenant: "t1"}
	change := func(sc account.Scope, do func(c *account.Change) error) func(context.Context, *account.Store) error {
		return func(ctx context.Context, s *account.Store) error { return s.Change(ctx, sc, []string{"ann"}, do) }
	}
	put := func(c *account.Change) error {
		c.Put(&account.User{UID: "ann", Email: "ann@example.org"})
		return nil
	}
	tests := []struct {
		name string
		do   func(context.Context, *account.Store) error
		want []account.Revocation
	}{
		{"an account is stored", change(scope, put), []account.Revocation{{Scope: scope, UID: "ann"}}},
		{"an account of a tenant is stored", change(inTenant, put), []account.Revocation{{Scope: inTenant, UID: "ann"}}},
		{"an item of the kind", change(scope, func(c *account.Change) error { return c.Save("tenant", "t1", 1) }), []account.Revocation{{Scope: inTenant}}},
		{"the end of one", change(scope, func(c *account.Change) error { c.Remove("tenant", "t1"); return nil }), []account.Revocation{{Scope: inTenant}}},
		{"an item of another kind", change(scope, func(c *account.Change) error { return c.Save("code", "t1", 1) }), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			memory, err := pebble.OpenMemory()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = memory.Close() })
			log := &recordingStore{Store: memory}
			if err := tt.do(t.Context(), account.New(log)); err != nil {
				t.Fatal(err)
			}
			var got []account.Revocation
			follower := open(t)
			follower.OnRevoke(func(r account.Revocation) { got = append(got, r) })
			follower.Followed(append(log.ops, store.Op{Kind: store.Set, Key: []byte("signing/key")}), "tenant")
			if !slices.Equal(got, tt.want) {
				t.Errorf("Followed reports %v of %d operations, want %v", got, len(log.ops), tt.want)
			}
		})
	}
}
