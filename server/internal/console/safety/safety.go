// Package safety checks the configuration and the state of a production server.
package safety

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"clave/server/internal/auth/service"
	"clave/server/internal/base/clock"
	"clave/server/internal/store/backup"
	"clave/server/internal/store/backup/schedule"
	"clave/server/internal/store/backup/shipping"
)

// The states of a check.
const (
	OK      = "ok"
	Warn    = "warn"
	Bad     = "bad"
	Unknown = "unknown"
)

// Check is the result of one check of a production server.
type Check struct {
	ID    string `json:"id"`
	State string `json:"state"`
	// Text describes the result in an English sentence. Case names the sentence, and Values holds its parts as data, so
	// that pages in other languages have sentences of their own.
	Text   string         `json:"text"`
	Case   string         `json:"case"`
	Values map[string]any `json:"values"`
}

// Server is the server that is checked.
type Server struct {
	Version, Project string
	// PublicURL is the URL by which clients reach the server. TLSCert and TLSKey are the paths of its certificate,
	// ACMEDomains the domains for which it obtains one, and TrustProxy is set if a reverse proxy is in front of it.
	PublicURL, TLSCert, TLSKey string
	ACMEDomains                []string
	TrustProxy                 bool
	// SignTokens is set if tokens are signed, NoSignUp if only administrators create accounts, and Mail if there is a mail
	// server.
	SignTokens, NoSignUp, Mail bool
	// Memory is set if the data are in memory, and Shared if they are in PostgreSQL. Otherwise they are in the folder
	// DataDir.
	Memory, Shared bool
	DataDir        string
	// Backups returns the state of the backups that the server makes; nil if it makes none.
	Backups func() schedule.Status
	// Accounts have the settings of the project.
	Accounts *service.Service
	// Usage returns the used and the free bytes on this machine's disk; zero if the data are elsewhere. Health returns an
	// error if the data have a problem.
	Usage  func() (used, free uint64)
	Health func() error
	Clock  clock.Clock
}

// Thresholds for warnings: the remaining time of a certificate, the age of a backup, and the used share of the disk.
const (
	certificateWarning = 14 * 24 * time.Hour
	backupWarning      = 48 * time.Hour
	scarceDisk         = 2 << 30
)

// Checks returns the results of all checks.
func (s *Server) Checks(ctx context.Context) []Check {
	out := []Check{s.checkTLS(), s.checkSignUp(ctx), s.checkMail(), s.checkBackup(), s.checkProxy(), s.checkDisk()}
	keys := Check{ID: "keys", State: OK, Text: "Tokens are signed with keys that the server replaces by itself.", Case: "signed", Values: map[string]any{}}
	if !s.SignTokens {
		keys.State, keys.Text, keys.Case = Bad, "Tokens are not signed.", "unsigned"
	}
	version := Check{ID: "version", State: OK, Text: "This is " + s.Version + ".", Case: "version", Values: map[string]any{"version": s.Version}}
	return append(out, keys, version)
}

// checkTLS checks the encryption of the public port and the expiry of its certificate.
func (s *Server) checkTLS() Check {
	out := Check{ID: "tls", State: OK, Values: map[string]any{}}
	switch {
	case s.TLSCert != "":
		pair, err := tls.LoadX509KeyPair(s.TLSCert, s.TLSKey)
		var leaf *x509.Certificate
		if err == nil {
			leaf, err = x509.ParseCertificate(pair.Certificate[0])
		}
		if err != nil {
			out.State, out.Text = Bad, fmt.Sprintf("The certificate's file cannot be read: %v.", err)
			out.Case, out.Values["error"] = "unreadable", err.Error()
			return out
		}
		out.Case = "until"
		left := leaf.NotAfter.Sub(s.Clock.Now())
		out.Values["until"], out.Text = leaf.NotAfter.UTC().Format(time.RFC3339), "The certificate is valid until "+leaf.NotAfter.UTC().Format(time.DateOnly)+"."
		switch {
		case left < 0:
			out.State = Bad
		case left < certificateWarning:
			out.State = Warn
		}
	case len(s.ACMEDomains) > 0:
		out.Case = "acme"
		out.Text, out.Values["domains"] = "Certificates are obtained and renewed by ACME for "+strings.Join(s.ACMEDomains, ", ")+".", strings.Join(s.ACMEDomains, ", ")
	case s.TrustProxy:
		out.State, out.Case, out.Text = Unknown, "proxy", "A reverse proxy should terminate TLS; the server cannot check that."
	default:
		out.State, out.Case, out.Text = Warn, "none", "The server does not terminate TLS and listens only on this machine: a reverse proxy must do so."
	}
	// This overrides the rest: certificates are irrelevant if clients use a URL without TLS.
	if strings.HasPrefix(s.PublicURL, "http:") {
		out.State, out.Text = Bad, "Clients use "+s.PublicURL+", which is not encrypted."
		out.Case, out.Values["url"] = "plain", s.PublicURL
	}
	return out
}

// checkSignUp checks whether anyone may create an account.
func (s *Server) checkSignUp(ctx context.Context) Check {
	settings, err := s.Accounts.GetConfig(ctx, service.Call{Project: s.Project, Admin: true}, &service.ConfigRequest{})
	if err != nil {
		return Check{ID: "signUp", State: Unknown, Text: "The project's settings cannot be read.", Case: "unknown", Values: map[string]any{}}
	}
	client, _ := settings["client"].(map[string]any)
	permissions, _ := client["permissions"].(map[string]any)
	closed, _ := permissions["disabledUserSignup"].(bool)
	if closed || s.NoSignUp {
		return Check{ID: "signUp", State: OK, Text: "Only administrators create accounts.", Case: "closed", Values: map[string]any{"open": false}}
	}
	return Check{ID: "signUp", State: Warn, Text: "Anyone may create an account. --no-sign-up, or the project's setting, disables that.", Case: "open", Values: map[string]any{"open": true}}
}

// checkMail checks whether codes can be sent.
func (s *Server) checkMail() Check {
	if !s.Mail {
		return Check{ID: "mail", State: Warn, Text: "No mail server is configured, so passwords cannot be reset. Configure one with --mail.", Case: "none", Values: map[string]any{"configured": false}}
	}
	return Check{ID: "mail", State: OK, Text: "A mail server is configured. Delivery is not tested here.", Case: "configured", Values: map[string]any{"configured": true}}
}

// checkBackup checks how old the last copy of the data is.
func (s *Server) checkBackup() Check {
	out := Check{ID: "backup", State: OK, Values: map[string]any{}}
	switch {
	case s.Backups != nil:
		s.checkScheduled(&out, s.Backups())
		return out
	case s.Memory:
		out.State, out.Case, out.Text = Bad, "memory", "The data live in memory and end with the server."
		return out
	case s.Shared:
		out.State, out.Case, out.Text = Unknown, "postgresql", "The data are in PostgreSQL, whose backups the server cannot check."
		return out
	}
	last, err := backup.Last(s.DataDir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		out.State, out.Case, out.Text = Bad, "never", "No backup of these data was ever made by clave backup."
		return out
	case err != nil:
		out.State, out.Text = Unknown, fmt.Sprintf("The time of the last backup cannot be read: %v.", err)
		out.Case, out.Values["error"] = "unreadable", err.Error()
		return out
	}
	age := s.Clock.Now().Sub(last)
	out.Values["last"], out.Values["hours"] = last.UTC().Format(time.RFC3339), int(age.Hours())
	out.Case, out.Text = "last", fmt.Sprintf("The last backup was made %s ago.", hoursText(age))
	if age > backupWarning {
		out.State = Warn
	}
	return out
}

// countText returns a number and its noun.
func countText(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// hoursText returns the whole hours of a duration in words.
func hoursText(d time.Duration) string {
	if d < time.Hour {
		return "less than an hour"
	}
	return countText(int(d.Hours()), "hour")
}

// checkScheduled checks the backups that the server makes: that none is late, and that the newest one was restored for
// trial.
func (s *Server) checkScheduled(out *Check, b schedule.Status) {
	now := s.Clock.Now()
	age, proved := now.Sub(b.Last), now.Sub(b.Proof.Time)
	out.Values["folder"], out.Values["count"] = b.Place, b.Count
	has := fmt.Sprintf("%s has %s, the newest of %s ago with %d MB.", b.Place, countText(b.Count, "backup"), hoursText(age), b.Bytes>>20)
	if !b.Last.IsZero() {
		out.Values["hours"], out.Values["bytes"] = int(age.Hours()), b.Bytes
	}
	trial := "None was restored for trial."
	if !b.Proof.Time.IsZero() {
		out.Values["proved"], out.Values["backup"] = int(proved.Hours()), b.Proof.Backup
		trial = fmt.Sprintf("%s was restored for trial %s ago", b.Proof.Backup, hoursText(proved))
		if second := b.Proof.Second; !second.IsZero() {
			out.Values["second"] = second.UTC().Format(time.RFC3339)
			trial += ", and so was the state at " + second.UTC().Format(time.RFC3339)
		}
		trial += "."
	}
	switch {
	case b.Failure != "":
		out.State, out.Case, out.Values["error"] = Bad, "failed", b.Failure
		out.Text = fmt.Sprintf("The last backup, or its trial restore, failed: %s. %s", strings.TrimSuffix(b.Failure, "."), trial)
	case b.Last.IsZero():
		out.State, out.Case, out.Text = Warn, "pending", "The first backup is not complete yet."
	case b.Proof.Time.IsZero():
		out.Case, out.Text = "scheduled", has+" "+trial
	default:
		out.Case, out.Text = "proved", has+" "+trial
	}
	s.checkLog(out, b.Log, now)
	late := age > 2*b.Every+time.Hour
	unproved := b.ProveEvery > 0 && !b.Proof.Time.IsZero() && proved > 2*b.ProveEvery+time.Hour
	if out.State == OK && (late || unproved) {
		out.State = Warn
	}
}

// checkLog adds the state of the log that is shipped between backups; nil if it is not shipped.
func (s *Server) checkLog(out *Check, log *shipping.Status, now time.Time) {
	if log == nil {
		return
	}
	if !log.Until.IsZero() {
		out.Values["shipped"] = log.Until.Format(time.RFC3339)
	}
	if !log.Late(now) || out.State == Bad {
		return
	}
	reason := log.Failure
	if reason == "" {
		reason = "the place of the backups is too slow"
	}
	minutes := int(log.Age(now).Minutes())
	out.State, out.Case, out.Values["error"], out.Values["minutes"] = Bad, "late", reason, minutes
	out.Text = fmt.Sprintf("Commits of the last %s could not be restored elsewhere: %s", countText(minutes, "minute"), reason)
}

// checkProxy reports the source of clients' addresses.
func (s *Server) checkProxy() Check {
	if s.TrustProxy {
		return Check{
			ID: "proxy", State: OK, Text: "Clients' addresses are taken from X-Forwarded-For. Only the proxy may reach the server's port.", Case: "trusted", Values: map[string]any{"trusted": true},
		}
	}
	return Check{ID: "proxy", State: OK, Text: "Clients' addresses are those of their connections. Behind a proxy, --trust-proxy is needed.", Case: "direct", Values: map[string]any{"trusted": false}}
}

// checkDisk checks the data and the space for them.
func (s *Server) checkDisk() Check {
	used, free := s.Usage()
	out := Check{ID: "disk", State: OK, Values: map[string]any{"used": used, "free": free}}
	out.Case, out.Text = "usage", fmt.Sprintf("The data take %d MB; %d MB are free.", used>>20, free>>20)
	if free != 0 && free < max(scarceDisk, used) {
		out.State = Warn
	}
	if err := s.Health(); err != nil {
		out.State, out.Text = Bad, "The data have a problem: "+err.Error()
		out.Case, out.Values["error"] = "problem", err.Error()
	}
	return out
}
