package app

import (
	"context"
	"net"
	"net/http"

	"clave/server/internal/app/config"
	rpcidentity "clave/server/internal/auth/api"
	"clave/server/internal/auth/provider"
	"clave/server/internal/auth/secret"
	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/providerservice"
	"clave/server/internal/auth/service/serviceaccount/keyservice"
	"clave/server/internal/auth/service/sms"
	"clave/server/internal/auth/service/smtp"
	"clave/server/internal/auth/service/webhook"
	"clave/server/internal/auth/token"
	"clave/server/internal/cluster/leaderservice"
	"clave/server/internal/httpx/controlsocket"
	"clave/server/internal/suite/control"
)

// users holds the handlers of Auth.
type users struct {
	handler http.Handler
	// forAdmins returns a handler for administrators that another source than tokens identifies.
	forAdmins func(token.Callers) http.Handler
	// control serves the emulator's routes; nil in production.
	control http.Handler
}

// linkOrigin returns the origin that links in e-mails name under `clave start`: that of Auth's port, as with the
// Firebase CLI. It is empty if Auth has no port of its own.
func linkOrigin(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return ""
	}
	switch host {
	case "0.0.0.0":
		host = "127.0.0.1"
	case "::":
		host = "::1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// openSecrets reads the keys that seal the secrets of identity providers; nil without a file of keys.
func openSecrets(c *config.Config) (*secret.Keys, error) {
	if !c.Production() || c.Auth.SecretKeyFile == "" {
		return nil, nil
	}
	return secret.Load(c.Auth.SecretKeyFile, c.Keyless()...)
}

// accountOptions sets the options of accounts that this server writes: how codes and messages are sent, and how
// blocking functions are called.
func (a *App) accountOptions(s *state, o *service.Options) error {
	c := a.config
	var err error
	if !c.Production() {
		o.LinkOrigin = linkOrigin(a.addresses.Auth)
		if o.Announce, err = a.announcer(); err != nil {
			return err
		}
	}
	if c.Production() {
		providers := provider.New(provider.Options{Accounts: o.Accounts, Secrets: a.secrets, Clock: o.Clock, Log: a.o.Log})
		a.components.OnClose(providers.Close)
		o.Providers, o.Secrets = providers, a.secrets
	}
	functions := webhook.New(webhook.Options{Plain: !c.Production()})
	a.components.OnClose(functions.Close)
	o.Blocking = functions
	if c.Auth.SMSWebhook != "" {
		o.SMS = &sms.Webhook{Tokens: o.Tokens, Caller: functions, URL: c.Auth.SMSWebhook}
	}
	if c.Mail == "" {
		return nil
	}
	sender, err := smtp.New(smtp.Options{URL: c.Mail})
	if err != nil {
		return err
	}
	o.Mail, s.testMail = sender, sender.SendTest
	return nil
}

// serveCommand serves the requests of a command: at a socket in the data folder or, of nodes that share a store, as a
// service of the leader. most is the maximum size of a request.
func serveCommand[In, Out any](a *App, name, socket string, most int64, serve func(context.Context, In) (Out, error)) {
	switch {
	case a.node != nil:
		a.node.Services[name] = leaderservice.Handler(most, serve)
	case !a.config.Memory:
		listener, err := controlsocket.Listen(a.config.DataDir, socket, serve)
		a.serve(name, "clave "+name+" works only while the server is stopped", listener, err)
	}
}

// openUsers creates the handlers of Auth.
func (a *App) openUsers(s *state) *users {
	c := a.config
	serveCommand(a, keyservice.ServiceName, keyservice.Socket, keyservice.MaxRequest, keyservice.New(s.ServiceKeys).Serve)
	if c.Production() {
		serveCommand(a, providerservice.ServiceName, providerservice.Socket, providerservice.MaxRequest, providerservice.New(s.Service).Serve)
	}
	api := rpcidentity.New(rpcidentity.Options{Service: s.Service, TrustProxy: c.TrustProxy, SignInPages: c.Production(), AppCheck: openAppCheck(a, s), Faults: a.faults, Parsing: a.parsing, Meter: a.counts, Log: a.o.Log})
	u := &users{handler: api}
	u.forAdmins = func(admins token.Callers) http.Handler {
		return rpcidentity.New(rpcidentity.Options{Service: s.Service, Admins: admins, Parsing: a.parsing, Log: a.o.Log})
	}
	if !c.Production() {
		u.handler, u.control = control.SignInPages(s.Service, api), control.Accounts(s.Service, api.OpenAPI())
	}
	return u
}
