package account_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"clave/server/internal/auth/account"
	"clave/server/internal/base/fault"
	"clave/server/internal/store/pebble/pebbletest"
)

// scope is the scope of the tests' accounts.
var scope = account.Scope{Project: "p"}

// open returns an empty store.
func open(t testing.TB) *account.Store {
	t.Helper()
	s := pebbletest.Open(t)
	return account.New(s)
}

// put stores an account.
func put(t testing.TB, s *account.Store, u *account.User) error {
	t.Helper()
	return s.Change(t.Context(), scope, []string{u.UID}, func(c *account.Change) error {
		c.Put(u)
		return nil
	})
}

// TestUniqueUnderConcurrency gives the same address, number and provider's user to many accounts concurrently.
func TestUniqueUnderConcurrency(t *testing.T) {
	s := open(t)
	const racers = 32
	makers := []func(*account.User){
		func(u *account.User) { u.Email = "One@Example.com" },
		func(u *account.User) { u.Phone = "+15550100" },
		func(u *account.User) { u.Providers = []account.Provider{{ProviderID: "google.com", RawID: "g"}} },
	}
	for kind, fill := range makers {
		var wg sync.WaitGroup
		errs := make([]error, racers)
		for i := range racers {
			wg.Go(func() {
				u := &account.User{UID: fmt.Sprintf("k%d-%d", kind, i)}
				fill(u)
				errs[i] = put(t, s, u)
			})
		}
		wg.Wait()
		won := 0
		for _, err := range errs {
			switch {
			case err == nil:
				won++
			case !fault.Is(err, fault.FailedPrecondition):
				t.Errorf("kind %d: %v", kind, err)
			}
		}
		if won != 1 {
			t.Errorf("kind %d: %d accounts got it, want one", kind, won)
		}
	}
}

func TestIndexesFollowTheAccount(t *testing.T) {
	s := open(t)
	u := &account.User{UID: "a", Email: "a@example.com", Phone: "+15550101"}
	if err := put(t, s, u); err != nil {
		t.Fatal(err)
	}
	u = &account.User{UID: "a", Email: "b@example.com"}
	if err := put(t, s, u); err != nil {
		t.Fatal(err)
	}
	if got, err := s.ByEmail(scope, "A@example.com"); got != nil || err != nil {
		t.Errorf("the old address still finds %v, %v", got, err)
	}
	if got, err := s.ByEmail(scope, "B@Example.COM"); err != nil || got == nil || got.UID != "a" {
		t.Errorf("the new address finds %v, %v", got, err)
	}
	if err := put(t, s, &account.User{UID: "c", Email: "a@example.com", Phone: "+15550101"}); err != nil {
		t.Errorf("address and number are not free again: %v", err)
	}
	swap := func(c *account.Change) error { // two accounts exchange their addresses in one change
		c.Put(&account.User{UID: "a", Email: "a@example.com"})
		c.Put(&account.User{UID: "c", Email: "b@example.com"})
		return nil
	}
	if err := s.Change(t.Context(), scope, []string{"a", "c"}, swap); err != nil {
		t.Errorf("exchange: %v", err)
	}
	for email, want := range map[string]string{"a@example.com": "a", "b@example.com": "c"} {
		if got, err := s.ByEmail(scope, email); err != nil || got == nil || got.UID != want {
			t.Errorf("after the exchange %s finds %v, %v; want %s", email, got, err, want)
		}
	}
	if err := s.Clear(t.Context(), scope); err != nil {
		t.Fatal(err)
	}
	if got, err := s.ByEmail(scope, "a@example.com"); got != nil || err != nil {
		t.Errorf("after Clear: %v, %v", got, err)
	}
}

func TestChangeIsAllOrNothing(t *testing.T) {
	s := open(t)
	if err := put(t, s, &account.User{UID: "a", Email: "a@example.com"}); err != nil {
		t.Fatal(err)
	}
	err := s.Change(t.Context(), scope, []string{"b", "c"}, func(c *account.Change) error {
		c.Put(&account.User{UID: "b", Email: "b@example.com"})
		c.Put(&account.User{UID: "c", Email: "a@example.com"})
		return c.Save("oob", "x", 1)
	})
	if !fault.Is(err, fault.FailedPrecondition) || !strings.Contains(err.Error(), "EMAIL_EXISTS") {
		t.Fatalf("Change = %v, want EMAIL_EXISTS", err)
	}
	if u, err := s.Get(scope, "b"); u != nil || err != nil {
		t.Errorf("half a change was made: %v, %v", u, err)
	}
	var n int
	if found, err := s.Load(scope, "oob", "x", &n); found || err != nil {
		t.Errorf("half a change was made: item %v, %v", found, err)
	}
	if err := s.Change(t.Context(), scope, nil, func(c *account.Change) error { _, err := c.Get("a"); return err }); err == nil {
		t.Error("an account was read that the change does not hold")
	}
}

func TestScopes(t *testing.T) {
	s := open(t)
	want := []account.Scope{{Project: "p"}, {Project: "p", Tenant: "t"}, {Project: "q"}}
	for _, sc := range want {
		for _, uid := range []string{"a", "b"} {
			err := s.Change(t.Context(), sc, []string{uid}, func(c *account.Change) error {
				c.Put(&account.User{UID: uid})
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	got, err := s.Scopes(t.Context())
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("Scopes = %v, %v; want %v", got, err, want)
	}
}
