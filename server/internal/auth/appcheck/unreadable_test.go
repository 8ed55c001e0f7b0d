package appcheck_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/appcheck"
	"clave/server/internal/base/fault"
	"clave/server/internal/observe/meter"
	"clave/server/internal/store/pebble"
)

// unreadable is a store that cannot be read while broken is set. It counts reads.
type unreadable struct {
	*pebble.Store
	broken atomic.Bool
	reads  atomic.Int64
}

// Get implements store.Store.
func (u *unreadable) Get(key []byte) ([]byte, bool, error) {
	u.reads.Add(1)
	if u.broken.Load() {
		return nil, false, errors.New("a damaged block")
	}
	return u.Store.Get(key)
}

// TestUnreadableModes decides while the stored modes cannot be read. Before the first read, a request without a valid
// token must not pass, because an administrator may have stored enforce; afterwards the modes that were read last
// count. Failed reads are repeated, but not for each request.
func TestUnreadableModes(t *testing.T) {
	f := open(t)
	u := &unreadable{Store: f.store}
	accounts := account.New(u)
	open := func() (*appcheck.Settings, *appcheck.Checker) {
		s := appcheck.NewSettings(appcheck.SettingsOptions{Accounts: accounts, Project: project, Flags: appcheck.Modes{appcheck.Firestore: appcheck.Count}, Clock: f.clock})
		return s, appcheck.NewChecker(appcheck.CheckerOptions{Tokens: f.tokens, Settings: s, Meter: meter.New(f.clock, nil)})
	}
	settings, _ := open()
	set := func(mode string) {
		t.Helper()
		if err := settings.Set(t.Context(), []appcheck.ServiceMode{{Service: "firestore.googleapis.com", Mode: mode}}); err != nil {
			t.Fatal(err)
		}
	}
	set("ENFORCED")
	valid, err := f.tokens.MintAppCheck(project, app, "an id of 16 bytes", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	check := func(c *appcheck.Checker, name, header string, want fault.Code) {
		t.Helper()
		if err := c.Check(appcheck.Firestore, project, header); fault.CodeOf(err) != want {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}

	u.broken.Store(true)
	_, restarted := open()
	check(restarted, "no token, modes unknown", "", fault.Unavailable)
	check(restarted, "an invalid token, modes unknown", "x", fault.Unavailable)
	check(restarted, "a valid token, modes unknown", valid, fault.OK)
	if refused, err := restarted.Refuse(appcheck.Firestore, project, ""); refused != nil || !fault.Is(err, fault.Unavailable) {
		t.Errorf("a stream without a token, modes unknown: refused for good with %v, %v", refused, err)
	}
	before := u.reads.Load()
	for range 100 {
		check(restarted, "again", "", fault.Unavailable)
	}
	if n := u.reads.Load() - before; n != 0 {
		t.Errorf("100 requests in the second after a failed read read %d times, want 0", n)
	}
	if err := restarted.Check(appcheck.Firestore, "another-project", ""); err != nil {
		t.Errorf("a request for a project with the modes of the flags: %v", err)
	}

	u.broken.Store(false)
	f.clock.Advance(time.Second)
	check(restarted, "no token, after the first read", "", fault.PermissionDenied)
	u.broken.Store(true)
	f.clock.Advance(time.Minute)
	check(restarted, "no token, after a later read has failed", "", fault.PermissionDenied)
	check(restarted, "a valid token, after a later read has failed", valid, fault.OK)

	// A change that was just made is not undone by a read that fails.
	u.broken.Store(false)
	set("OFF")
	checker := appcheck.NewChecker(appcheck.CheckerOptions{Tokens: f.tokens, Settings: settings, Meter: meter.New(f.clock, nil)})
	check(checker, "no token, off", "", fault.OK)
	set("ENFORCED")
	u.broken.Store(true)
	check(checker, "no token, enforced and unreadable since", "", fault.Unavailable)
}
