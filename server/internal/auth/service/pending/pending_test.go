package pending_test

import (
	"testing"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/pending"
	"clave/server/internal/auth/service/session"
	"clave/server/internal/base/fault"
	"clave/server/internal/store/pebble/pebbletest"
)

// text returns the API's text of an error, or empty.
func text(err error) string {
	if err == nil {
		return ""
	}
	return fault.FromError(err).Message
}

// TestACredentialIsValidOnceAndForAnHour keeps a sign-in, loads it while it is valid, and uses it.
func TestACredentialIsValidOnceAndForAnHour(t *testing.T) {
	const missing, invalid = "MISSING_MFA_PENDING_CREDENTIAL : Request does not have MFA pending credential.", "INVALID_MFA_PENDING_CREDENTIAL"
	accounts, project, now := account.New(pebbletest.Open(t)), account.Scope{Project: "demo"}, time.Unix(1_000_000, 0)
	change := func(edit func(*account.Change) error) error {
		return accounts.Change(t.Context(), project, []string{"u"}, edit)
	}
	var credential string
	if err := change(func(ch *account.Change) (err error) {
		credential, err = pending.Save(ch, project, session.Session{UID: "u", Tenant: "t", Epoch: 3}, now)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, credential string
		after            time.Duration
		want             string
	}{
		{"at once", credential, 0, ""},
		{"after an hour", credential, time.Hour, ""},
		{"later", credential, time.Hour + time.Second, invalid},
		{"without a credential", "", 0, missing},
		{"with another credential", credential + "x", 0, invalid},
	} {
		p, err := pending.Load(accounts, project, tt.credential, now.Add(tt.after))
		if text(err) != tt.want || err == nil && (p.Session.UID != "u" || p.Session.Tenant != "t" || p.Session.Epoch != 3) {
			t.Errorf("%s: %+v, %v, want %q", tt.name, p, err, tt.want)
		}
	}
	use := func() error {
		return change(func(ch *account.Change) error { return pending.Use(ch, project, credential) })
	}
	if err := use(); err != nil {
		t.Errorf("the first use = %v", err)
	}
	if err := use(); text(err) != invalid {
		t.Errorf("the second use = %v, want %s", err, invalid)
	}
	if _, err := pending.Load(accounts, project, credential, now); text(err) != invalid {
		t.Errorf("after the use = %v, want %s", err, invalid)
	}
}
