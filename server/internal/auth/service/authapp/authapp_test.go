package authapp_test

import (
	"encoding/base32"
	"testing"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/authapp"
	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
	"clave/server/internal/store/pebble/pebbletest"
)

// scope is the scope of the tests' accounts.
var scope = account.Scope{Project: "demo"}

// text returns the API's text of an error, or empty.
func text(err error) string {
	if err == nil {
		return ""
	}
	return fault.FromError(err).Message
}

// start begins the enrollment of the user u, and returns it with its secret.
func start(t *testing.T, apps *authapp.Apps) (*authapp.Enrollment, []byte) {
	t.Helper()
	e, err := apps.Start(t.Context(), scope, "u")
	if err != nil {
		t.Fatal(err)
	}
	secret, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(e.SharedSecretKey)
	if err != nil {
		t.Fatal(err)
	}
	return e, secret
}

// period is the time for which a code is valid, in seconds.
const period = 30

// code returns the code of a secret at a time.
func code(secret []byte, at time.Time) string { return authapp.Code(secret, at.Unix()/period) }

// TestAnAppIsEnrolledByItsFirstCode enrolls an app. A wrong code may be tried again; the secret is stored for one
// enrollment of one user.
func TestAnAppIsEnrolledByItsFirstCode(t *testing.T) {
	manual := clocktest.NewManual(time.Unix(1_000_000, 0))
	apps := &authapp.Apps{Accounts: account.New(pebbletest.Open(t)), Clock: manual}
	e, secret := start(t, apps)
	finish := func(uid, session, code string) ([]byte, int64, error) {
		return apps.Finish(t.Context(), scope, uid, authapp.FirstCode{Session: session, Code: code, Window: 1})
	}
	good := code(secret, manual.Now())
	for _, tt := range []struct{ name, uid, session, code, want string }{
		{"no code", "u", e.SessionInfo, "", "MISSING_CODE"},
		{"an old code", "u", e.SessionInfo, code(secret, manual.Now().Add(-time.Hour)), "INVALID_CODE"},
		{"another user", "other", e.SessionInfo, good, "INVALID_SESSION_INFO"},
		{"another session", "u", "x", good, "INVALID_SESSION_INFO"},
	} {
		if _, _, err := finish(tt.uid, tt.session, tt.code); text(err) != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
	key, step, err := finish("u", e.SessionInfo, good)
	if err != nil || string(key) != string(secret) || step != manual.Now().Unix()/period {
		t.Fatalf("the right code: %x, %d, %v", key, step, err)
	}
	if _, _, err := finish("u", e.SessionInfo, good); text(err) != "INVALID_SESSION_INFO" {
		t.Errorf("the same enrollment again: %v", err)
	}
	f := &account.Factor{Secret: key, LastStep: step}
	if err := apps.Use(f, good, 1); text(err) != "INVALID_CODE" {
		t.Errorf("the code of the enrollment again: %v, want INVALID_CODE", err)
	}
	manual.Advance(period * time.Second)
	if err := apps.Use(f, code(secret, manual.Now()), 1); err != nil || f.LastStep != step+1 {
		t.Errorf("the next code: %v, step %d, want %d", err, f.LastStep, step+1)
	}
}

// TestAnEnrollmentExpires finishes an enrollment too late.
func TestAnEnrollmentExpires(t *testing.T) {
	manual := clocktest.NewManual(time.Unix(1_000_000, 0))
	apps := &authapp.Apps{Accounts: account.New(pebbletest.Open(t)), Clock: manual}
	e, secret := start(t, apps)
	manual.Advance(5*time.Minute + time.Second)
	if _, _, err := apps.Finish(t.Context(), scope, "u", authapp.FirstCode{Session: e.SessionInfo, Code: code(secret, manual.Now()), Window: 1}); text(err) != "SESSION_EXPIRED" {
		t.Errorf("after five minutes: %v, want SESSION_EXPIRED", err)
	}
}
