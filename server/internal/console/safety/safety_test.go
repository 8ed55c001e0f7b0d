package safety

import (
	"errors"
	"strings"
	"testing"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/store/backup"
	"clave/server/internal/store/backup/schedule"
	"clave/server/internal/store/backup/series"
	"clave/server/internal/store/backup/shipping"
	"clave/server/test/kit/cert"
)

// TestCertificate reads a certificate at several times before and after its end, a file that is not one, and other
// ways to encrypt.
func TestCertificate(t *testing.T) {
	files := cert.In(t.TempDir())
	now := clock.System().Now()
	cert.Write(t, files, cert.Options{From: now, Life: 30 * 24 * time.Hour})
	own := Server{PublicURL: "https://clave.example", TLSCert: files.Cert, TLSKey: files.Key}
	plain, proxied, absent := own, Server{TrustProxy: true}, own
	plain.PublicURL, absent.TLSCert = "http://clave.example", files.Cert+".none"
	for _, tt := range []struct {
		name      string
		server    Server
		days      int
		state, is string
	}{
		{"valid for long", own, 0, OK, "until"},
		{"close to its end", own, 20, Warn, "until"},
		{"after its end", own, 31, Bad, "until"},
		{"absent", absent, 0, Bad, "unreadable"},
		{"not used by clients", plain, 0, Bad, "plain"},
		{"by ACME", Server{ACMEDomains: []string{"clave.example"}}, 0, OK, "acme"},
		{"at a proxy", proxied, 0, Unknown, "proxy"},
		{"none", Server{}, 0, Warn, "none"},
	} {
		s := tt.server
		s.Clock = clocktest.NewManual(now.Add(time.Duration(tt.days) * 24 * time.Hour))
		if got := s.checkTLS(); got.State != tt.state || got.Case != tt.is || got.Text == "" {
			t.Errorf("a certificate %s: %+v, want %s, %s", tt.name, got, tt.state, tt.is)
		}
	}
}

// TestBackup checks the age of the last backup of a folder, and data of which there is none.
func TestBackup(t *testing.T) {
	dir := t.TempDir()
	if err := backup.RecordBackup(dir); err != nil {
		t.Fatal(err)
	}
	now := clock.System().Now()
	for _, tt := range []struct {
		name      string
		server    Server
		hours     int
		state, is string
	}{
		{"of today", Server{DataDir: dir}, 1, OK, "last"},
		{"of last week", Server{DataDir: dir}, 100, Warn, "last"},
		{"that was never made", Server{DataDir: t.TempDir()}, 0, Bad, "never"},
		{"of data in memory", Server{Memory: true}, 0, Bad, "memory"},
		{"of PostgreSQL", Server{Shared: true}, 0, Unknown, "postgresql"},
	} {
		s := tt.server
		s.Clock = clocktest.NewManual(now.Add(time.Duration(tt.hours) * time.Hour))
		if got := s.checkBackup(); got.State != tt.state || got.Case != tt.is || got.Text == "" {
			t.Errorf("a backup %s: %+v, want %s, %s", tt.name, got, tt.state, tt.is)
		}
	}
}

// TestTextsOfNumbers checks the words for one and for more, and for less than an hour.
func TestTextsOfNumbers(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{hoursText(59 * time.Minute), "less than an hour"},
		{hoursText(119 * time.Minute), "1 hour"},
		{hoursText(50 * time.Hour), "50 hours"},
		{countText(1, "backup"), "1 backup"},
		{countText(3, "backup"), "3 backups"},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
}

// TestScheduledBackups checks backups that the server makes: in time, late, failed, not made yet, and not restored.
func TestScheduledBackups(t *testing.T) {
	now := clock.System().Now()
	ago := func(hours int) time.Time { return now.Add(-time.Duration(hours) * time.Hour) }
	made := func(last, proved time.Time, failure string) schedule.Status {
		st := schedule.Status{Place: "/backups", Count: 3, Bytes: 5 << 20, Every: 6 * time.Hour, ProveEvery: 24 * time.Hour, Last: last, Failure: failure}
		if !proved.IsZero() {
			st.Proof = series.Proof{Backup: "20261126T120000Z", Time: proved, Second: time.Date(2026, 11, 26, 11, 59, 7, 0, time.UTC)}
		}
		return st
	}
	behind := made(ago(5), ago(20), "")
	behind.Log = &shipping.Status{Since: now.Add(-3 * time.Minute), Failure: "the place can't be reached"}
	second := "20261126T120000Z was restored for trial 20 hours ago, and so was the state at 2026-11-26T11:59:07Z."
	for _, tt := range []struct {
		name      string
		status    schedule.Status
		state, is string
		text      string
	}{
		{"in time", made(ago(5), ago(20), ""), OK, "proved", "/backups has 3 backups, the newest of 5 hours ago with 5 MB. " + second},
		{"late", made(ago(14), ago(20), ""), Warn, "proved", "the newest of 14 hours ago"},
		{"not restored for long", made(ago(5), ago(60), ""), Warn, "proved", "60 hours ago"},
		{"never restored", made(ago(5), time.Time{}, ""), OK, "scheduled", "None was restored for trial."},
		{"failed", made(ago(5), ago(20), "there is no space"), Bad, "failed", "failed: there is no space. " + second},
		{"failed at once", made(ago(5), time.Time{}, "there is no space"), Bad, "failed", "there is no space. None was restored for trial."},
		{"not made yet", made(time.Time{}, time.Time{}, ""), Warn, "pending", "not complete yet"},
		{"whose log is late", behind, Bad, "late", "Commits of the last 3 minutes could not be restored elsewhere: the place can't be reached"},
	} {
		s := Server{Shared: true, Backups: func() schedule.Status { return tt.status }, Clock: clocktest.NewManual(now)}
		if got := s.checkBackup(); got.State != tt.state || got.Case != tt.is || !strings.Contains(got.Text, tt.text) {
			t.Errorf("backups %s: %+v, want %s, %s, %q", tt.name, got, tt.state, tt.is, tt.text)
		}
	}
}

// TestDisk checks disks with much and with little free space, and data with a problem.
func TestDisk(t *testing.T) {
	for _, tt := range []struct {
		used, free uint64
		health     error
		state, is  string
	}{
		{1 << 30, 100 << 30, nil, OK, "usage"},
		{1 << 30, 1 << 30, nil, Warn, "usage"},
		{50 << 30, 40 << 30, nil, Warn, "usage"},
		{0, 0, nil, OK, "usage"}, // elsewhere
		{1 << 30, 100 << 30, errors.New("damaged"), Bad, "problem"},
	} {
		s := Server{Usage: func() (used, free uint64) { return tt.used, tt.free }, Health: func() error { return tt.health }}
		if got := s.checkDisk(); got.State != tt.state || got.Case != tt.is || got.Text == "" {
			t.Errorf("%d bytes used, %d free, %v: %+v, want %s, %s", tt.used, tt.free, tt.health, got, tt.state, tt.is)
		}
	}
}
