package app

import (
	"context"
	"net"
	"net/http"

	"clave/server/internal/auth/account"
	rpcidentity "clave/server/internal/auth/api"
	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/serviceaccount"
	"clave/server/internal/auth/service/sms"
	"clave/server/internal/auth/service/smtp"
	"clave/server/internal/auth/service/webhook"
	"clave/server/internal/auth/token"
	"clave/server/internal/suite/control"
)

// users holds the accounts and their tokens.
type users struct {
	service *service.Service
	tokens  *token.Verifier
	handler http.Handler
	// forAdmins returns a handler for administrators that another source than tokens identifies.
	forAdmins func(token.Callers) http.Handler
	// testMail sends an e-mail without a code; nil without a mail server.
	testMail func(ctx context.Context, to, locale string) error
	// control serves the emulator's routes; nil in production.
	control http.Handler
}

// memoryHashCost is the memory cost of password hashes that exist only in memory. It is low because test suites create
// thousands of accounts.
const memoryHashCost = 4

// tokenOptions returns the options of the token verifier. service returns the accounts.
func (a *App) tokenOptions(keys *serviceaccount.Registry, service func() *service.Service) token.Options {
	c := a.config
	return token.Options{
		Clock: a.o.Clock, Unsigned: !c.SignTokens && !c.Production(), Owner: !c.Production(), PublicURL: c.PublicURL,
		Session:     func(ctx context.Context, id token.ID) error { return service().CheckSession(ctx, id) },
		ServiceKeys: keys.Get,
	}
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

// openUsers opens the accounts.
func (a *App) openUsers(ctx context.Context, s *state) (*users, error) {
	c := a.config
	var svc *service.Service
	var err error
	// The token verifier calls the service, and the service needs the verifier. The functions read the variable only when
	// they are called, after svc is set below.
	accounts := account.New(s.store)
	serviceKeys := serviceaccount.New(accounts, a.o.Clock)
	to := a.tokenOptions(serviceKeys, func() *service.Service { return svc })
	if c.SignTokens {
		vault, err := a.vault(ctx, s.store)
		if err != nil {
			return nil, err
		}
		keys, err := token.OpenKeys(token.KeyOptions{Clock: a.o.Clock, Vault: vault, Events: c.Events != "", Log: a.o.Log})
		if err != nil {
			return nil, err
		}
		to.Keys = keys
		a.add("keys", keys)
	}
	o := service.Options{
		Accounts: accounts, Tokens: token.New(to), Clock: a.o.Clock, Project: c.Project, Emulator: !c.Production(),
		RateLimits: c.RateLimits, PublicURL: c.PublicURL, NoSignUp: c.Auth.NoSignUp, AsEmulator: c.Auth.AsEmulator, Log: a.o.Log,
		EmulatorSettings: !c.Production() && !c.Auth.ProductionSettings,
	}
	o.SignedIn, o.Limited = a.counts.SignIn, a.counts.Limited
	if c.Memory && !c.Production() {
		o.HashMemCost = memoryHashCost
	}
	if !c.Production() {
		o.LinkOrigin = linkOrigin(a.addresses.Auth)
		if o.Announce, err = a.announcer(); err != nil {
			return nil, err
		}
	}
	functions := webhook.New(webhook.Options{Plain: !c.Production()})
	a.onClose(functions.Close)
	o.Blocking = functions
	if c.Auth.SMSWebhook != "" {
		o.SMS = &sms.Webhook{Tokens: o.Tokens, Caller: functions, URL: c.Auth.SMSWebhook}
	}
	var test func(ctx context.Context, to, locale string) error
	if c.Mail != "" {
		sender, err := smtp.New(smtp.Options{URL: c.Mail})
		if err != nil {
			return nil, err
		}
		o.Mail, test = sender, sender.SendTest
	}
	svc = service.New(o)
	a.add("accounts", svc)
	a.offerKeys(serviceKeys)
	api := rpcidentity.New(rpcidentity.Options{Service: svc, TrustProxy: c.TrustProxy, Parsing: a.parsing, Meter: a.counts, Log: a.o.Log})
	u := &users{service: svc, tokens: o.Tokens, handler: api, testMail: test}
	u.forAdmins = func(admins token.Callers) http.Handler {
		return rpcidentity.New(rpcidentity.Options{Service: svc, Admins: admins, Parsing: a.parsing, Log: a.o.Log})
	}
	if !c.Production() {
		u.control = control.Accounts(svc, api.OpenAPI())
	}
	return u, nil
}
