package account_test

import (
	"fmt"
	"reflect"
	"sync"
	"testing"

	"clave/server/internal/auth/account"
	"clave/server/internal/store/pebble"
)

// TestSessionsAreThoseOfTheAccount changes an account and compares what decides about its sessions with the account.
func TestSessionsAreThoseOfTheAccount(t *testing.T) {
	db, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	s := account.New(db)
	since, name := int64(7), `"disabled":true,"validSince":9`
	for i, u := range []*account.User{
		{UID: "a", Created: 5000},
		{UID: "a", Created: 5000, Disabled: true},
		{UID: "a", Created: 5000},
		{UID: "a", Created: 5000, ValidSince: &since, Epoch: 3},
		{UID: "a", Created: 5000, DisplayName: &name},
		{UID: "a", Created: 5000, Factors: []account.Factor{{ID: "disabled"}}, Codes: map[string]account.Code{"disabled": {}}},
	} {
		if err := put(t, s, u); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			got, err := s.Sessions(scope, "a")
			if err != nil || !reflect.DeepEqual(got, u.Sessions()) || got.Since() != u.Since() {
				t.Errorf("%d: Sessions = %+v, %v; want %+v", i, got, err, u.Sessions())
			}
		}
	}
	for _, other := range []account.Scope{{Project: "other"}, {Project: scope.Project, Tenant: "t"}} {
		if got, err := s.Sessions(other, "a"); got != nil || err != nil {
			t.Errorf("Sessions in %v = %v, %v; want none", other, got, err)
		}
	}
	err = s.Change(t.Context(), scope, []string{"a"}, func(c *account.Change) error { c.Delete("a"); return nil })
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Sessions(scope, "a"); got != nil || err != nil {
		t.Errorf("Sessions of a deleted account = %v, %v; want none", got, err)
	}
}

// TestSessionsOfManyAccounts reads more accounts at the same time than are kept decoded.
func TestSessionsOfManyAccounts(t *testing.T) {
	db, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	s := account.New(db)
	const accounts = account.MaxDecodedSessions + 100
	uid := func(i int) string { return fmt.Sprint("u", i) }
	err = s.Change(t.Context(), scope, nil, func(c *account.Change) error {
		for i := range accounts {
			c.Put(&account.User{UID: uid(i), Epoch: int64(i)})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for i := range accounts {
				if got, err := s.Sessions(scope, uid(i)); err != nil || got.Epoch != int64(i) {
					t.Errorf("Sessions of account %d = %+v, %v", i, got, err)
				}
			}
		})
	}
	wg.Wait()
	if n := s.DecodedSessions(); n > account.MaxDecodedSessions {
		t.Errorf("%d accounts are kept decoded, want at most %d", n, account.MaxDecodedSessions)
	}
}
