package account_test

import (
	"testing"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/account/passhash"
)

// TestHandOver hands accounts over to the owners of their addresses.
func TestHandOver(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	filled := account.User{
		UID: "u", Email: "ann@example.com", Phone: "+15550100", Password: &passhash.Hash{}, Providers: []account.Provider{{ProviderID: "google.com"}},
		Passkeys: []account.Passkey{{ID: "p"}}, Factors: []account.Factor{{ID: "f"}},
	}
	for _, c := range []struct {
		name     string
		edit     func(u *account.User)
		stripped bool
	}{
		{"an unproved address", func(*account.User) {}, true},
		{"a proved address", func(u *account.User) { u.EmailVerified = true }, false},
		{"no address", func(u *account.User) { u.Email = "" }, false},
	} {
		u := filled
		c.edit(&u)
		u.HandOver(now)
		left := u.Password != nil || u.Providers != nil || u.Phone != "" || u.Passkeys != nil || u.Factors != nil
		if left == c.stripped {
			t.Errorf("%s: credentials remain: %v, want %v", c.name, left, !c.stripped)
		}
		if ended := u.Since() == now.Unix() && u.Epoch == 1; ended != c.stripped {
			t.Errorf("%s: sessions ended: %v, want %v", c.name, ended, c.stripped)
		}
	}
}

// TestMove changes an address twice. The first one stays the initial one.
func TestMove(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	u := account.User{Email: "a@example.com", EmailVerified: true}
	u.ChangeEmail("b@example.com", false, now)
	if u.Email != "b@example.com" || u.EmailVerified || u.InitialEmail != "a@example.com" || u.Epoch != 1 {
		t.Errorf("after the first move: %+v", u)
	}
	u.ChangeEmail("c@example.com", true, now)
	if u.Email != "c@example.com" || !u.EmailVerified || u.InitialEmail != "a@example.com" || u.Epoch != 2 {
		t.Errorf("after the second move: %+v", u)
	}
}

// TestLink links two users of one provider, of which the second replaces the first.
func TestLink(t *testing.T) {
	u := account.User{Providers: []account.Provider{{ProviderID: "x", RawID: "1"}, {ProviderID: "y", RawID: "2"}}}
	u.Link(account.Provider{ProviderID: "x", RawID: "3"})
	if len(u.Providers) != 2 || u.Provider("x").RawID != "3" || u.Provider("y").RawID != "2" {
		t.Errorf("providers = %+v", u.Providers)
	}
}
