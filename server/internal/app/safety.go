package app

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
	"clave/server/internal/console"
	"clave/server/internal/store/backup"
)

// Thresholds for warnings: the remaining time of a certificate, the age of a backup, and the used share of the disk.
const (
	certificateWarning = 14 * 24 * time.Hour
	backupWarning      = 48 * time.Hour
	scarceDisk         = 2 << 30
)

// checks returns the results of the checks for a production server.
func (a *App) checks(ctx context.Context, s *state, u *users) []console.Check {
	out := []console.Check{a.checkTLS(), a.checkSignUp(ctx, u), a.checkMail(), a.checkBackup(), a.checkProxy(), a.checkDisk(s)}
	keys := console.Check{ID: "keys", State: console.CheckOK, Text: "Tokens are signed with keys that the server replaces by itself.", Case: "signed", Values: map[string]any{}}
	if !a.config.SignTokens {
		keys.State, keys.Text, keys.Case = console.CheckBad, "Tokens are not signed.", "unsigned"
	}
	version := console.Check{ID: "version", State: console.CheckOK, Text: "This is " + a.o.Version + ".", Case: "version", Values: map[string]any{"version": a.o.Version}}
	return append(out, keys, version)
}

// checkTLS checks the encryption of the public port and the expiry of its certificate.
func (a *App) checkTLS() console.Check {
	c := a.config
	out := console.Check{ID: "tls", State: console.CheckOK, Values: map[string]any{}}
	switch {
	case c.TLSCert != "":
		pair, err := tls.LoadX509KeyPair(c.TLSCert, c.TLSKey)
		var leaf *x509.Certificate
		if err == nil {
			leaf, err = x509.ParseCertificate(pair.Certificate[0])
		}
		if err != nil {
			out.State, out.Text = console.CheckBad, fmt.Sprintf("The certificate's file cannot be read: %v.", err)
			out.Case, out.Values["error"] = "unreadable", err.Error()
			return out
		}
		out.Case = "until"
		left := leaf.NotAfter.Sub(a.o.Clock.Now())
		out.Values["until"], out.Text = leaf.NotAfter.UTC().Format(time.RFC3339), "The certificate is valid until "+leaf.NotAfter.UTC().Format(time.DateOnly)+"."
		switch {
		case left < 0:
			out.State = console.CheckBad
		case left < certificateWarning:
			out.State = console.CheckWarn
		}
	case len(c.ACMEDomains) > 0:
		out.Case = "acme"
		out.Text, out.Values["domains"] = "Certificates are obtained and renewed by ACME for "+strings.Join(c.ACMEDomains, ", ")+".", strings.Join(c.ACMEDomains, ", ")
	case c.TrustProxy:
		out.State, out.Case, out.Text = console.CheckUnknown, "proxy", "A reverse proxy should terminate TLS; the server cannot check that."
	default:
		out.State, out.Case, out.Text = console.CheckWarn, "none", "The server does not terminate TLS and listens only on this machine: a reverse proxy must do so."
	}
	// This overrides the rest: certificates are irrelevant if clients use a URL without TLS.
	if strings.HasPrefix(c.PublicURL, "http:") {
		out.State, out.Text = console.CheckBad, "Clients use "+c.PublicURL+", which is not encrypted."
		out.Case, out.Values["url"] = "plain", c.PublicURL
	}
	return out
}

// checkSignUp checks whether anyone may create an account.
func (a *App) checkSignUp(ctx context.Context, u *users) console.Check {
	settings, err := u.service.GetConfig(ctx, service.Call{Project: a.config.Project, Admin: true}, &service.ConfigRequest{})
	if err != nil {
		return console.Check{ID: "signUp", State: console.CheckUnknown, Text: "The project's settings cannot be read.", Case: "unknown", Values: map[string]any{}}
	}
	client, _ := settings["client"].(map[string]any)
	permissions, _ := client["permissions"].(map[string]any)
	closed, _ := permissions["disabledUserSignup"].(bool)
	if closed || a.config.Auth.NoSignUp {
		return console.Check{ID: "signUp", State: console.CheckOK, Text: "Only administrators create accounts.", Case: "closed", Values: map[string]any{"open": false}}
	}
	return console.Check{ID: "signUp", State: console.CheckWarn, Text: "Anyone may create an account. --no-sign-up, or the project's setting, disables that.", Case: "open", Values: map[string]any{"open": true}}
}

// checkMail checks whether codes can be sent.
func (a *App) checkMail() console.Check {
	if a.config.Mail == "" {
		return console.Check{ID: "mail", State: console.CheckWarn, Text: "No mail server is configured, so passwords cannot be reset. Configure one with --mail.", Case: "none", Values: map[string]any{"configured": false}}
	}
	return console.Check{ID: "mail", State: console.CheckOK, Text: "A mail server is configured. Delivery is not tested here.", Case: "configured", Values: map[string]any{"configured": true}}
}

// checkBackup checks how old the last copy of the data is.
func (a *App) checkBackup() console.Check {
	out := console.Check{ID: "backup", State: console.CheckOK, Values: map[string]any{}}
	switch {
	case a.config.Memory:
		out.State, out.Case, out.Text = console.CheckBad, "memory", "The data live in memory and end with the server."
		return out
	case a.config.Store != "":
		out.State, out.Case, out.Text = console.CheckUnknown, "postgresql", "The data are in PostgreSQL, whose backups the server cannot check."
		return out
	}
	last, err := backup.Last(a.config.DataDir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		out.State, out.Case, out.Text = console.CheckBad, "never", "No backup of these data was ever made by clave backup."
		return out
	case err != nil:
		out.State, out.Text = console.CheckUnknown, fmt.Sprintf("The time of the last backup cannot be read: %v.", err)
		out.Case, out.Values["error"] = "unreadable", err.Error()
		return out
	}
	age := a.o.Clock.Now().Sub(last)
	out.Values["last"], out.Values["hours"] = last.UTC().Format(time.RFC3339), int(age.Hours())
	out.Case, out.Text = "last", fmt.Sprintf("The last backup was made %d hours ago.", int(age.Hours()))
	if age > backupWarning {
		out.State = console.CheckWarn
	}
	return out
}

// checkProxy reports the source of clients' addresses.
func (a *App) checkProxy() console.Check {
	if a.config.TrustProxy {
		return console.Check{
			ID: "proxy", State: console.CheckOK, Text: "Clients' addresses are taken from X-Forwarded-For. Only the proxy may reach the server's port.", Case: "trusted", Values: map[string]any{"trusted": true},
		}
	}
	return console.Check{ID: "proxy", State: console.CheckOK, Text: "Clients' addresses are those of their connections. Behind a proxy, --trust-proxy is needed.", Case: "direct", Values: map[string]any{"trusted": false}}
}

// checkDisk checks the data and the space for them.
func (a *App) checkDisk(s *state) console.Check {
	used, free := s.usage()
	out := console.Check{ID: "disk", State: console.CheckOK, Values: map[string]any{"used": used, "free": free}}
	out.Case, out.Text = "usage", fmt.Sprintf("The data take %d MB; %d MB are free.", used>>20, free>>20)
	if free != 0 && free < max(scarceDisk, used) {
		out.State = console.CheckWarn
	}
	if err := s.health(); err != nil {
		out.State, out.Text = console.CheckBad, "The data have a problem: "+err.Error()
		out.Case, out.Values["error"] = "problem", err.Error()
	}
	return out
}
