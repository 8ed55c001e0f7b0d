package app

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"clave/server/backoffice"
	"clave/server/backoffice/api"
	"clave/server/backoffice/seed"
)

// inviteGuest makes the back office, which comes in by the front door like any other service: in production with the
// line's service account. It returns nil when it is not to run.
func (a *App) inviteGuest(ctx context.Context, l *line) (http.Handler, error) {
	c := a.config
	if !a.guestRuns() {
		if c.Production() && c.Runs("backoffice") {
			fmt.Fprintln(a.o.Notices, "Back office off: ADMIN_SIGNUP_CODE is not set")
		}
		return nil, nil
	}
	o := backoffice.Options{ProjectID: c.Project, SignupCode: c.SignupCode, Production: c.Production(), Clock: a.o.Clock, Log: a.o.Log}
	if l == nil {
		o.AuthEmulatorHost, o.FirestoreEmulatorHost = a.addresses.Auth, a.addresses.Firestore
	} else {
		client, err := a.client(l)
		if err != nil {
			return nil, err
		}
		o.Client = client
	}
	service, err := backoffice.New(ctx, o)
	if err != nil {
		return nil, err
	}
	a.onClose(service.Close)
	if c.SeedDir != "" {
		a.prepare = append(a.prepare, func(ctx context.Context) error { return a.loadSeed(ctx, service) })
	}
	hops := 0
	if c.TrustProxy {
		hops = 1
	}
	return api.Handler(service, api.Options{ProxyHops: hops, Log: a.o.Log}), nil
}

// loadSeed fills an empty store with demo data.
func (a *App) loadSeed(ctx context.Context, service *backoffice.Service) error {
	dir := a.config.SeedDir
	data, err := seed.Load(ctx, os.DirFS(dir), a.o.Clock.Now())
	if err != nil {
		return fmt.Errorf("demo data in %s: %w", dir, err)
	}
	accounts, documents, err := service.Clients()
	if err != nil {
		return err
	}
	filled, err := seed.Apply(ctx, accounts, documents, data)
	if err != nil {
		return fmt.Errorf("demo data in %s: %w", dir, err)
	}
	if filled {
		fmt.Fprintf(a.o.Notices, "Demo data loaded: %d accounts, %d documents\n", len(data.Accounts), len(data.Documents))
		for _, account := range data.Accounts {
			fmt.Fprintf(a.o.Notices, "Demo account: %s / %s\n", account.Email, account.Password)
		}
	}
	return nil
}
