package appcheck_test

import (
	"strings"
	"testing"
	"time"

	"clave/server/internal/auth/appcheck"
	"clave/server/internal/base/fault"
	"clave/server/internal/observe/meter"
)

// settings returns the settings of the fixture's project, with Firestore's mode of the flags: count.
func (f *fixture) settings() *appcheck.Settings {
	return appcheck.NewSettings(appcheck.SettingsOptions{Accounts: f.accounts, Project: project, Flags: appcheck.Modes{appcheck.Firestore: appcheck.Count}, Clock: f.clock})
}

// TestSettings stores the modes of services, and decides by them at another node within a second.
func TestSettings(t *testing.T) {
	f := open(t)
	leader, follower := f.settings(), f.settings()
	checker := func(s *appcheck.Settings) *appcheck.Checker {
		return appcheck.NewChecker(appcheck.CheckerOptions{Tokens: f.tokens, Settings: s, Meter: meter.New(f.clock, nil)})
	}
	atLeader, atFollower := checker(leader), checker(follower)
	refused := func(c *appcheck.Checker, of string) bool { return c.Check(appcheck.Firestore, of, "") != nil }
	set := func(modes ...appcheck.ServiceMode) error { return leader.Set(t.Context(), modes) }
	if refused(atLeader, project) || refused(atFollower, project) {
		t.Error("a request is refused before a mode was stored")
	}
	if m, err := leader.Get("firestore.googleapis.com"); err != nil || m.Mode != "UNENFORCED" || !m.Updated.IsZero() {
		t.Errorf("the mode of the flags: %+v, %v", m, err)
	}
	if err := set(appcheck.ServiceMode{Service: "firestore.googleapis.com", Mode: "ENFORCED"}, appcheck.ServiceMode{Service: "identitytoolkit.googleapis.com", Mode: "UNENFORCED"}); err != nil {
		t.Fatal(err)
	}
	if !refused(atLeader, project) || refused(atFollower, project) {
		t.Error("after the change, the server that made it does not refuse, or another one does so at once")
	}
	f.clock.Advance(time.Second)
	if !refused(atFollower, project) {
		t.Error("another server does not refuse after a second")
	}
	if refused(atLeader, "p2") {
		t.Error("a request for another project is refused, want the mode of the flags")
	}
	for want, m := range map[fault.Code]appcheck.ServiceMode{
		fault.Unimplemented: {Service: "firebasestorage.googleapis.com", Mode: "ENFORCED"}, fault.InvalidArgument: {Service: "firestore.googleapis.com", Mode: "ENFORCEMENT_MODE_UNSPECIFIED"},
	} {
		if err := set(appcheck.ServiceMode{Service: "firestore.googleapis.com", Mode: "OFF"}, m); !fault.Is(err, want) {
			t.Errorf("%+v: %v, want %v", m, err, want)
		}
	}
	if !refused(atLeader, project) {
		t.Error("a refused change has changed a mode")
	}
	all, err := f.settings().List() // after a restart
	if err != nil || len(all) != 2 || all[0].Mode != "ENFORCED" || all[1].Mode != "UNENFORCED" || !all[0].Updated.Equal(start) {
		t.Errorf("the stored modes: %+v, %v", all, err)
	}
	if err := set(appcheck.ServiceMode{Service: "firestore.googleapis.com", Mode: "OFF"}); err != nil || refused(atLeader, project) {
		t.Errorf("turned off: %v", err)
	}
	if _, err := leader.Of("p2"); !fault.Is(err, fault.FailedPrecondition) {
		t.Errorf("the settings of another project: %v, want FAILED_PRECONDITION", err)
	}
}

// BenchmarkCheck decides about requests in the mode enforce: with the token of the request before, as clients have it,
// with one whose signature is verified each time because it is forged, and without a token.
func BenchmarkCheck(b *testing.B) {
	f := open(b)
	settings := f.settings()
	if err := settings.Set(b.Context(), []appcheck.ServiceMode{{Service: "firestore.googleapis.com", Mode: "ENFORCED"}}); err != nil {
		b.Fatal(err)
	}
	checker := appcheck.NewChecker(appcheck.CheckerOptions{Tokens: f.tokens, Settings: settings, Meter: meter.New(f.clock, nil)})
	mint := func() string {
		raw, err := f.tokens.MintAppCheck(project, app, "an id of 16 bytes", time.Hour)
		if err != nil {
			b.Fatal(err)
		}
		return raw
	}
	check := func(b *testing.B, header string) {
		if err := checker.Check(appcheck.Firestore, project, header); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("token=known", func(b *testing.B) {
		b.ReportAllocs()
		header := mint()
		for b.Loop() {
			check(b, header)
		}
	})
	b.Run("token=forged", func(b *testing.B) {
		b.ReportAllocs()
		parts, other := strings.Split(mint(), "."), strings.Split(mint(), ".")
		header := parts[0] + "." + parts[1] + "." + strings.ToLower(other[2])
		for b.Loop() {
			if checker.Check(appcheck.Firestore, project, header) == nil {
				b.Fatal("a forged token is allowed")
			}
		}
	})
	b.Run("token=none", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if checker.Check(appcheck.Firestore, project, "") == nil {
				b.Fatal("a request without a token is allowed")
			}
		}
	})
}
