package token_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock/clocktest"
)

// TestKeysThatFollow opens a vault whose keys another node creates. The vault must create no key, and accept a key's
// token once Reload has read the key, also after a rotation.
func TestKeysThatFollow(t *testing.T) {
	const period, maxAge = 10 * 24 * time.Hour, time.Hour
	dir, h := t.TempDir(), clocktest.NewManual(start)
	o := token.KeyOptions{Clock: h, Dir: dir, Period: period, MaxAge: maxAge, Follow: true}
	follower, err := token.OpenKeys(o)
	if err != nil {
		t.Fatal(err)
	}
	if files, err := filepath.Glob(filepath.Join(dir, "*", "*")); err != nil || len(files) > 0 {
		t.Fatalf("keys that follow have created %v (%v)", files, err)
	}
	o.Follow = false
	leader, err := token.OpenKeys(o)
	if err != nil {
		t.Fatal(err)
	}
	mints, verifies := token.New(token.Options{Clock: h, Keys: leader}), token.New(token.Options{Clock: h, Keys: follower})
	check := func(what string, valid bool) {
		t.Helper()
		c, err := verifies.Caller(t.Context(), "Bearer "+mint(t, mints, h), project)
		if (err == nil) != valid || valid && c.UID != "ann" {
			t.Errorf("%s: %v, valid %v", what, err, valid)
		}
	}
	reload := func() {
		t.Helper()
		if err := follower.Reload(); err != nil {
			t.Fatal(err)
		}
	}
	check("before the keys were read", false)
	reload()
	check("after that", true)
	h.Advance(period)
	if err := leader.Rotate(); err != nil {
		t.Fatal(err)
	}
	h.Advance(2 * maxAge) // the next key signs
	if err := leader.Rotate(); err != nil {
		t.Fatal(err)
	}
	check("by the next key, before it was read", false)
	reload()
	check("by the next key", true)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	reload()
	check("after the keys were removed", false)
}
