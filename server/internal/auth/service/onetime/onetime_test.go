package onetime_test

import (
	"slices"
	"testing"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/onetime"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/randid"
	"clave/server/internal/store/pebble/pebbletest"
)

// scope is the scope of the tests' accounts.
var scope = account.Scope{Project: "demo"}

// open returns a store with an account.
func open(t *testing.T, uid string) *account.Store {
	t.Helper()
	store := pebbletest.Open(t)
	accounts := account.New(store)
	if err := change(t, accounts, uid, func(_ *account.Change, u *account.User) error {
		u.UID, u.Email = uid, uid+"@example.com"
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return accounts
}

// change changes an account and returns the error of edit.
func change(t *testing.T, accounts *account.Store, uid string, edit func(*account.Change, *account.User) error) error {
	t.Helper()
	return accounts.Change(t.Context(), scope, []string{uid}, func(ch *account.Change) error {
		u, err := ch.Get(uid)
		if err != nil {
			return err
		}
		if u == nil {
			u = &account.User{}
		}
		if err := edit(ch, u); err != nil {
			return err
		}
		ch.Put(u)
		return nil
	})
}

// send stores a code as the newest one of its kind.
func send(t *testing.T, accounts *account.Store, code string, made onetime.Code) {
	t.Helper()
	if err := change(t, accounts, made.UID, func(ch *account.Change, u *account.User) error {
		if made.Type == onetime.RecoverEmail {
			made.Previous = u.Codes[string(made.Type)].Hash
		} else {
			onetime.Drop(ch, u, made.Type)
		}
		onetime.SetNewest(u, made.Type, randid.Digest(code))
		return ch.Save(onetime.Item, randid.Digest(code), made)
	}); err != nil {
		t.Fatal(err)
	}
}

// use uses a code and returns the API's text of the error, or empty.
func use(t *testing.T, accounts *account.Store, uid, code string) string {
	t.Helper()
	err := change(t, accounts, uid, func(ch *account.Change, u *account.User) error { return onetime.Use(ch, u, code) })
	if err == nil {
		return ""
	}
	return fault.FromError(err).Message
}

// refused is the text of the error for a code that is not valid.
const refused = "INVALID_OOB_CODE"

func TestCodeIsUsedOnce(t *testing.T) {
	accounts := open(t, "ann")
	send(t, accounts, "one", onetime.Code{Type: onetime.PasswordReset, UID: "ann"})
	if got := use(t, accounts, "ann", "two"); got != refused {
		t.Errorf("an unknown code: %q, want %s", got, refused)
	}
	if got := use(t, accounts, "ann", "one"); got != "" {
		t.Errorf("the code: %q, want it accepted", got)
	}
	if got := use(t, accounts, "ann", "one"); got != refused {
		t.Errorf("the code again: %q, want %s", got, refused)
	}
	if u, err := accounts.Get(scope, "ann"); err != nil || len(u.Codes) != 0 {
		t.Errorf("the account has the codes %v, %v; want none", u.Codes, err)
	}
}

func TestNewerCodeReplacesTheOlder(t *testing.T) {
	accounts := open(t, "ann")
	send(t, accounts, "older", onetime.Code{Type: onetime.PasswordReset, UID: "ann"})
	send(t, accounts, "newer", onetime.Code{Type: onetime.PasswordReset, UID: "ann"})
	if got := use(t, accounts, "ann", "older"); got != refused {
		t.Errorf("the older code: %q, want %s", got, refused)
	}
	if got := use(t, accounts, "ann", "newer"); got != "" {
		t.Errorf("the newer code: %q, want it accepted", got)
	}
}

func TestRecoveryEndsTheCodesOfLaterChanges(t *testing.T) {
	accounts := open(t, "ann")
	for _, code := range []string{"first", "second", "third"} {
		send(t, accounts, code, onetime.Code{Type: onetime.RecoverEmail, UID: "ann"})
	}
	if got := use(t, accounts, "ann", "second"); got != "" {
		t.Errorf("the second code: %q, want it accepted", got)
	}
	if got := use(t, accounts, "ann", "third"); got != refused {
		t.Errorf("the code of the later change: %q, want %s", got, refused)
	}
	if got := use(t, accounts, "ann", "first"); got != "" {
		t.Errorf("the code of the earlier change: %q, want it accepted", got)
	}
}

func TestEnded(t *testing.T) {
	sent := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	epoch := int64(3)
	for _, c := range []struct {
		name string
		made onetime.Code
		user account.User
		now  time.Time
		want bool
	}{
		{"a reset", onetime.Code{Type: onetime.PasswordReset, Made: sent}, account.User{}, sent, false},
		{"its session goes on", onetime.Code{Type: onetime.ChangeEmail, Made: sent, Epoch: &epoch}, account.User{Epoch: 3}, sent, false},
		{"its session has ended", onetime.Code{Type: onetime.ChangeEmail, Made: sent, Epoch: &epoch}, account.User{Epoch: 4}, sent, true},
		{"handed over since", onetime.Code{Type: onetime.ChangeEmail, Made: sent}, account.User{HandedOver: sent.Add(time.Hour)}, sent.Add(2 * time.Hour), true},
		{"recovery within a day", onetime.Code{Type: onetime.RecoverEmail, Made: sent}, account.User{HandedOver: sent.Add(time.Hour)}, sent.Add(24 * time.Hour), false},
		{"recovery after a day", onetime.Code{Type: onetime.RecoverEmail, Made: sent}, account.User{HandedOver: sent.Add(time.Hour)}, sent.Add(25 * time.Hour), true},
	} {
		if got := c.made.Ended(&c.user, c.now); got != c.want {
			t.Errorf("%s: ended %t, want %t", c.name, got, c.want)
		}
	}
}

func TestKeepOnlyRemovesWhatWasAddedSince(t *testing.T) {
	u := account.User{
		Phone: "+18095550101", PasswordUpdated: 7, Providers: []account.Provider{{ProviderID: "google.com", RawID: "1"}}, Factors: []account.Factor{{ID: "f"}}, Passkeys: []account.Passkey{{ID: "p"}},
	}
	before := onetime.MeansOf(&u)
	u.Phone, u.PasswordUpdated = "+18095550102", 8
	u.Providers = append(u.Providers, account.Provider{ProviderID: "github.com", RawID: "1"})
	u.Factors, u.Passkeys = append(u.Factors, account.Factor{ID: "g"}), append(u.Passkeys, account.Passkey{ID: "q"})
	before.KeepOnly(&u)
	if u.Phone != "" || u.Password != nil || u.PasswordUpdated != 0 || len(u.Providers) != 1 || len(u.Factors) != 1 || len(u.Passkeys) != 1 {
		t.Errorf("the account keeps %+v, want what it had before", u)
	}
}

func TestKindsHaveLifetimesAndModes(t *testing.T) {
	for kind := range onetime.Modes {
		if onetime.Lifetimes[kind] <= 0 || !slices.Contains(kind.Values(), string(kind)) {
			t.Errorf("%s: the lifetime is %v; want one, and the kind among the API's", kind, onetime.Lifetimes[kind])
		}
	}
}
