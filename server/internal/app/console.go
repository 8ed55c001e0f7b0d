package app

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path/filepath"
	"strconv"

	"clave/server/internal/app/config"
	"clave/server/internal/app/site"
	"clave/server/internal/auth/appcheck/debugtoken"
	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/smtp"
	"clave/server/internal/console"
	"clave/server/internal/console/audit"
	"clave/server/internal/console/checkcounts"
	"clave/server/internal/console/safety"
	"clave/server/internal/console/session"
	"clave/server/internal/database/authz"
	"clave/server/internal/observe/usage"
	"clave/server/internal/transport/rest"
	"clave/server/internal/transport/webchannel"
)

// consoleHeld is the maximum number of buffered bytes of the console's connections, in both directions.
const consoleHeld = 64 << 20

// consoleAt returns the address of the console.
func consoleAt(c *config.Config) (host string, port int) {
	if c.Console == "" {
		return c.HostFor(c.Hosts.UI), c.Ports.UI
	}
	return hostPort(c.Console)
}

// hostPort returns the parts of an address that was checked with the configuration.
func hostPort(address string) (host string, port int) {
	host, text, _ := net.SplitHostPort(address)
	port, _ = strconv.Atoi(text)
	return host, port
}

// consoleTLS returns the certificates of the console's port: the server's, if other machines can reach the port.
func (a *App) consoleTLS() *tls.Config { return tlsAt(a, a.addresses.Console) }

// tlsAt returns the server's certificates for a port that is not for clients, if other machines can reach it.
func tlsAt(a *App, address string) *tls.Config {
	at, err := netip.ParseAddrPort(address)
	if !a.config.Production() || err == nil && at.Addr().IsLoopback() {
		return nil
	}
	return a.encryption
}

// makeConsole creates the console of a listener, or returns nil if there is none.
func (a *App) makeConsole(ln net.Listener, calls *calls, s *state, users *users, rulesets *authz.Rulesets) (http.Handler, error) {
	if ln == nil {
		return nil, nil
	}
	c := a.config
	log, err := a.openAudit()
	if err != nil {
		return nil, err
	}
	// The console has transports of its own for its live lists. They authenticate by the console's sessions instead of
	// ID tokens, and what they hold has a limit of its own, which clients of the public ports cannot exhaust.
	sessions := session.New(session.Options{Open: !c.Production(), Audit: log, Clock: a.o.Clock, Log: a.o.Log})
	a.components.Add("console sessions", sessions)
	channels, err := webchannel.New(webchannel.Options{Firestore: s.Firestore, Tokens: sessions, Clock: a.o.Clock, MaxHeld: consoleHeld, Parsing: a.parsing, Log: a.o.Log})
	if err != nil {
		return nil, err
	}
	a.components.Add("console webchannel", channels)
	rest, err := rest.New(rest.Options{Firestore: s.Firestore, Tokens: sessions, Parsing: a.parsing, Log: a.o.Log})
	if err != nil {
		return nil, err
	}
	prices, err := usage.ReadPrices(c.UsagePrices)
	if err != nil {
		return nil, err
	}
	at := a.addresses
	compose := func(e service.Email) (subject, text string, err error) { // as it would be sent to a mail server
		subject, text, _, err = smtp.Compose(e, c.Project)
		return subject, text, err
	}
	o := console.Options{
		Mode: string(c.Mode), Production: c.Production(), Version: a.o.Version, Project: c.Project, SignedTokens: c.SignTokens,
		Hosts:     a.consoleHosts(),
		PublicURL: c.PublicURL,
		Addresses: console.Addresses{Firestore: at.Firestore, Auth: at.Auth, Hosting: at.Hosting, Websocket: at.Websocket, Hub: at.Hub},
		Sessions:  sessions, Audit: log, Authorizer: s.Authorizer, Rules: rulesets, RulesFiles: make(map[string]string), IndexFiles: make(map[string]string),
		Accounts: s.Service, IndexMode: c.Indexes, Defined: a.consoleData.definedIn, Missing: &a.consoleData.missing, Meter: a.counts, Usage: a.usage, Prices: prices, Logs: &a.consoleData.logs,
		AddIndex: a.consoleData.recorder.Add, Compose: compose, TestMail: s.testMail,
		Data: at.Data, Checks: safetyOf(c, &a.o, s).Checks,
		REST: rest, WebChannel: channels, Identity: users.forAdmins(sessions), Parsing: a.parsing,
		Ahead: a.ahead, Faults: a.faults, Clock: a.o.Clock, Log: a.o.Log,
	}
	if s.CheckSettings != nil {
		o.AppCheck = &console.AppCheck{Settings: s.CheckSettings, DebugTokens: debugtoken.New(s.Accounts, a.o.Clock), Others: checkcounts.Others(a.node, s.store)}
	}
	if s.deliveries != nil {
		o.Deliveries = s.deliveries
	}
	if s.backups != nil {
		o.Backups = s.backups.Schedule
	}
	if a.node != nil {
		o.Node = a.node.Name()
	}
	for _, d := range c.Databases {
		o.Databases = append(o.Databases, d.ID)
		o.RulesFiles[d.ID], o.IndexFiles[d.ID] = d.RulesFile, d.IndexesFile
	}
	pages, err := console.New(o)
	if err != nil {
		return nil, err
	}
	a.components.Add("console", pages)
	if !c.Production() {
		calls.signIn = pages.SignIn()
	}
	a.offerLinks(sessions)
	return pages, nil
}

// openAudit returns the log of changes by administrators, which the console and the administration APIs share.
func (a *App) openAudit() (*audit.Log, error) {
	if a.auditLog != nil {
		return a.auditLog, nil
	}
	log, err := audit.Open(audit.Options{Path: consoleFile(a.config, "audit.jsonl"), Clock: a.o.Clock, Log: a.o.Log})
	if err != nil {
		return nil, err
	}
	a.auditLog = log
	a.components.OnClose(log.Close)
	return log, nil
}

// safetyOf returns what the console's checks of a production server need.
func safetyOf(c *config.Config, o *Options, s *state) *safety.Server {
	out := &safety.Server{
		Version: o.Version, Project: c.Project, PublicURL: c.PublicURL, TLSCert: c.TLSCert, TLSKey: c.TLSKey, ACMEDomains: c.ACMEDomains, TrustProxy: c.TrustProxy,
		SignTokens: c.SignTokens, NoSignUp: c.Auth.NoSignUp, Mail: c.Mail != "", Memory: c.Memory, Shared: c.Store != "", DataDir: c.DataDir,
		Accounts: s.Service, Usage: s.usage, Health: s.health, Clock: o.Clock,
	}
	if s.backups != nil {
		out.Backups = s.backups.Schedule.Status
	}
	return out
}

// consoleFile returns the path of a file of the console, or empty if the data are in memory.
func consoleFile(c *config.Config, name string) string {
	if c.Memory {
		return ""
	}
	return filepath.Join(c.DataDir, session.Folder, name)
}

// consoleHosts returns the hosts by which pages may name the console.
func (a *App) consoleHosts() console.Hosts {
	c := a.config
	host, _ := consoleAt(c)
	names := append([]string{host}, c.ACMEDomains...)
	if u, err := url.Parse(c.PublicURL); err == nil && u.Hostname() != "" && c.Production() {
		names = append(names, u.Hostname())
	}
	return console.Hosts{Names: names, AnyAddress: unspecified(a.addresses.Console)}
}

// unspecified reports whether an address means all addresses of the machine.
func unspecified(address string) bool {
	at, err := netip.ParseAddrPort(address)
	return err == nil && at.Addr().IsUnspecified()
}

// consoleOrigin returns the origin of the console for browsers of this machine, or with TLS of any machine.
func (a *App) consoleOrigin() string {
	host, port, err := net.SplitHostPort(a.addresses.Console)
	if err != nil {
		return ""
	}
	if a.consoleTLS() == nil {
		if a.config.Mode != config.ModeServe {
			host = site.ForPages(host)
		} else if ip, err := netip.ParseAddr(host); err == nil && ip.IsUnspecified() {
			host = "127.0.0.1"
		}
		return "http://" + net.JoinHostPort(host, port)
	}
	if u, err := url.Parse(a.config.PublicURL); err == nil {
		host = u.Hostname()
	}
	return "https://" + net.JoinHostPort(host, port)
}
