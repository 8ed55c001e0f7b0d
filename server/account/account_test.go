package account_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"sync"
	"testing"

	"clave/server/account"
	"clave/server/fault"
	"clave/server/storage/pebblestore"
)

// scope is the scope of the tests' accounts.
var scope = account.Scope{Project: "p"}

// open returns an empty store.
func open(t testing.TB) *account.Store {
	t.Helper()
	s, err := pebblestore.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
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

// TestFirebaseScrypt checks the published vectors (github.com/firebase/scrypt, the Admin SDK's tests).
func TestFirebaseScrypt(t *testing.T) {
	decode := func(s string) []byte {
		b, err := base64.StdEncoding.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	p := account.Project{
		SignerKey: decode("jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=="),
		Separator: decode("Bw=="), Rounds: 8, MemCost: 14,
	}
	tests := []struct {
		password string
		salt     []byte
		want     string
	}{
		{"user1password", decode("42xEC+ixf3L2lw=="), "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="},
		{"password", []byte("NaCl"), "V358E8LdWJXAO7muq0CufVpEOXaj8aFiC7T/rcaGieN04q/ZPJ08WhJEHGjj9lz/2TT+/86N5VjVoc5DdBhBiw=="},
	}
	for _, tt := range tests {
		h, err := p.New(tt.password, tt.salt)
		if err != nil {
			t.Fatal(err)
		}
		if got := base64.StdEncoding.EncodeToString(h.Sum); got != tt.want {
			t.Errorf("hash of %q = %s, want %s", tt.password, got, tt.want)
		}
		if ok, err := h.Verify(tt.password, p); !ok || err != nil {
			t.Errorf("Verify(%q) = %v, %v", tt.password, ok, err)
		}
		if ok, err := h.Verify(tt.password+"x", p); ok || err != nil {
			t.Errorf("Verify of a wrong password = %v, %v", ok, err)
		}
	}
}

func TestHashParametersAreBounded(t *testing.T) {
	tests := []struct {
		h    account.Hash
		want bool
	}{
		{account.Hash{Alg: "SCRYPT", Rounds: 8, MemCost: 14}, true},
		{account.Hash{Alg: "SCRYPT", Rounds: 8, MemCost: 30}, false},
		{account.Hash{Alg: "STANDARD_SCRYPT", CPU: 1 << 14, Block: 8, Parallel: 1}, true},
		{account.Hash{Alg: "STANDARD_SCRYPT", CPU: 1 << 30, Block: 8, Parallel: 1}, false},
		{account.Hash{Alg: "STANDARD_SCRYPT", CPU: 1000, Block: 8, Parallel: 1}, false},
		{account.Hash{Alg: "PBKDF2_SHA256", Rounds: 120000}, true},
		{account.Hash{Alg: "PBKDF2_SHA256", Rounds: 1 << 30}, false},
		{account.Hash{Alg: "SHA256", Rounds: 8192}, true},
		{account.Hash{Alg: "SHA256", Rounds: 8193}, false},
		{account.Hash{Alg: "HMAC_SHA999"}, false},
		{account.Hash{Alg: "ARGON2", Argon2: &account.Argon2{Type: "ARGON2_ID", Iterations: 1, MemoryKiB: 1 << 22, Parallel: 1}}, false},
		{account.Hash{Alg: "ROT13"}, false},
	}
	for _, tt := range tests {
		if got := tt.h.Check(); got != tt.want {
			t.Errorf("Check(%+v) = %v, want %v", tt.h, got, tt.want)
		}
	}
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
