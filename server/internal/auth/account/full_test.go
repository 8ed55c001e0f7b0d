package account_test

import (
	"errors"
	"testing"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/account/passhash"
	"clave/server/internal/store"
	"clave/server/internal/store/pebble/pebbletest"
)

// TestRightsAreWithdrawnOnAFullDisk disables an account, revokes its sessions, removes a key and deletes the account
// while the disk is full. Other changes must be refused and leave the account as it was.
func TestRightsAreWithdrawnOnAFullDisk(t *testing.T) {
	disk := pebbletest.OpenFullDisk(t)
	s := account.New(disk)
	if err := put(t, s, &account.User{UID: "a", Email: "a@example.org"}); err != nil {
		t.Fatal(err)
	}
	disk.Left.Store(0)
	if err := put(t, s, &account.User{UID: "a", Email: "b@example.org"}); !errors.Is(err, store.ErrFull) {
		t.Errorf("another address = %v, want ErrFull", err)
	}
	if u, err := s.ByEmail(scope, "a@example.org"); err != nil || u == nil {
		t.Errorf("the account has no longer its address: %v, %v", u, err)
	}
	if u, err := s.ByEmail(scope, "b@example.org"); err != nil || u != nil {
		t.Errorf("the account has the refused address: %v, %v", u, err)
	}
	if err := put(t, s, &account.User{UID: "a", Email: "a@example.org", Disabled: true}); err != nil {
		t.Errorf("disable = %v", err)
	}
	since := int64(1)
	if err := put(t, s, &account.User{UID: "a", Email: "a@example.org", Disabled: true, ValidSince: &since}); err != nil {
		t.Errorf("revoke the sessions = %v", err)
	}
	since = 2
	password := &passhash.Hash{}
	if err := put(t, s, &account.User{UID: "a", Email: "a@example.org", Disabled: true, ValidSince: &since, Password: password}); !errors.Is(err, store.ErrFull) {
		t.Errorf("another password = %v, want ErrFull", err)
	}
	err := s.Change(t.Context(), scope, nil, func(c *account.Change) error {
		c.Withdraws()
		return c.Save("kind", "item", "without a key")
	})
	if err != nil {
		t.Errorf("remove a key = %v", err)
	}
	err = s.Change(t.Context(), scope, []string{"a"}, func(c *account.Change) error {
		c.Delete("a")
		return nil
	})
	if err != nil {
		t.Errorf("delete = %v", err)
	}
}

// TestAMixedChangeOnAFullDisk disables one account and enables another in one change, which is refused: the second part
// is no withdrawal.
func TestAMixedChangeOnAFullDisk(t *testing.T) {
	disk := pebbletest.OpenFullDisk(t)
	s := account.New(disk)
	for _, u := range []*account.User{{UID: "a", Disabled: true}, {UID: "b"}} {
		if err := put(t, s, u); err != nil {
			t.Fatal(err)
		}
	}
	disk.Left.Store(0)
	err := s.Change(t.Context(), scope, []string{"a", "b"}, func(c *account.Change) error {
		c.Put(&account.User{UID: "a"})
		c.Put(&account.User{UID: "b", Disabled: true})
		return nil
	})
	if !errors.Is(err, store.ErrFull) {
		t.Errorf("disable one account and enable another = %v, want ErrFull", err)
	}
}
