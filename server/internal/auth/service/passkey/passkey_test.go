package passkey_test

import (
	"testing"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/passkey"
	"clave/server/internal/base/fault"
	"clave/server/internal/store/pebble/pebbletest"
)

// scope is the scope of the tests' accounts.
var scope = account.Scope{Project: "demo"}

// register registers a passkey for an account, which it creates, and returns the API's text of the error, or empty.
func register(t *testing.T, accounts *account.Store, uid, id string) string {
	t.Helper()
	err := accounts.Change(t.Context(), scope, []string{uid, passkey.Lock(id)}, func(ch *account.Change) error {
		u := &account.User{UID: uid}
		if err := passkey.Register(ch, accounts, scope, u, account.Passkey{ID: id, Name: "Phone"}); err != nil {
			return err
		}
		ch.Put(u)
		return nil
	})
	if err == nil {
		return ""
	}
	return fault.FromError(err).Message
}

func TestAPasskeyBelongsToOneAccount(t *testing.T) {
	accounts := account.New(pebbletest.Open(t))
	if got := register(t, accounts, "a", "key"); got != "" {
		t.Fatal(got)
	}
	if got := register(t, accounts, "b", "key"); got != "CREDENTIAL_ALREADY_IN_USE" {
		t.Errorf("the second account: %q", got)
	}
	if u, err := passkey.Owner(accounts, scope, "key"); err != nil || u == nil || u.UID != "a" {
		t.Errorf("Owner = %v, %v", u, err)
	}
	if u, err := passkey.Owner(accounts, scope, "other"); err != nil || u != nil {
		t.Errorf("the owner of an unknown passkey: %v, %v", u, err)
	}
}

func TestARemovedPasskeyHasNoOwner(t *testing.T) {
	accounts := account.New(pebbletest.Open(t))
	if got := register(t, accounts, "a", "key"); got != "" {
		t.Fatal(got)
	}
	err := accounts.Change(t.Context(), scope, []string{"a"}, func(ch *account.Change) error {
		ch.Put(&account.User{UID: "a"})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if u, err := passkey.Owner(accounts, scope, "key"); err != nil || u != nil {
		t.Errorf("Owner = %v, %v", u, err)
	}
	if got := register(t, accounts, "b", "key"); got != "" {
		t.Errorf("another account cannot register it: %q", got)
	}
}

func TestNamed(t *testing.T) {
	for want, c := range map[string]*passkey.Credential{"MISSING_AUTHENTICATOR_RESPONSE": nil, "INVALID_CREDENTIAL_ID": {}} {
		if _, err := c.Named(); err == nil || fault.FromError(err).Message != want {
			t.Errorf("Named of %v: %v, want %s", c, err, want)
		}
	}
}
