// Command backoffice runs the foundation's back office service: beside Clave, which forwards its paths to it, or on
// Cloud Run behind Firebase Hosting.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"cloud.google.com/go/firestore"

	"clave/server/backoffice"
	"clave/server/backoffice/api"
	"clave/server/backoffice/pages"
	"clave/server/backoffice/seed"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/process"
	"clave/server/internal/httpx/framing"
)

// stopTime is the time for which requests may finish after a signal to stop.
const stopTime = 10 * time.Second

// seedTime is the time limit for a development server to start and to be filled.
const seedTime = 2 * time.Minute

// The exit codes: of a failure, and of a wrong command line.
const (
	exitFailure = 1
	exitUsage   = 2
)

// main runs the service until a signal stops it.
func main() {
	ctx, stop := process.Signals(context.Background())
	defer stop()
	if err := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "backoffice:", err)
		os.Exit(exitCode(err))
	}
}

// exitCode returns the exit code for an error of run.
func exitCode(err error) int {
	var wrong *usageError
	if errors.As(err, &wrong) {
		return exitUsage
	}
	return exitFailure
}

// run serves until ctx is done. The error of a wrong command line is flag.ErrHelp or a usageError.
func run(ctx context.Context, args []string, env func(string) string, stdout, stderr io.Writer) error {
	s, err := parse(args, env, stdout)
	if err != nil {
		return err
	}
	log := process.Logger(stderr, slog.LevelInfo)
	s.options.Log = log
	if err := s.openMail(env, stdout); err != nil {
		return err
	}
	if err := checkMail(ctx, env("MAIL_URL"), log); err != nil {
		return err
	}
	restore, err := s.connect()
	if err != nil {
		return err
	}
	defer restore()
	service, err := backoffice.New(ctx, s.options)
	if err != nil {
		return err
	}
	handler, err := handlerOf(service, s, log)
	if err != nil {
		return errors.Join(err, service.Close())
	}
	listener, err := net.Listen("tcp", s.listen)
	if err != nil {
		return errors.Join(fmt.Errorf("listen on %s: %w", s.listen, err), service.Close())
	}
	fmt.Fprintf(stdout, "Back office ready on http://%s\n", listener.Addr())
	server := &http.Server{
		Handler:           framing.Handler(handler),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       2 * time.Minute,
	}
	parts := []process.Part{
		{Name: "http", Run: func(ctx context.Context) error { return process.Serve(ctx, server, listener, stopTime) }},
		{Name: "terms", Run: service.KeepTerms},
		{Name: "drafts", Run: service.KeepPublishing},
		{Name: "pictures", Run: service.KeepPictures},
		{Name: "confirmations", Run: service.KeepRequestingConfirmations},
		{Name: "newsletter", Run: service.KeepSending},
	}
	if s.seed != "" {
		parts = append(parts, process.Part{Name: "demo data", Run: func(ctx context.Context) error { return fill(ctx, service, s.seed, stdout) }})
	}
	err = process.Run(ctx, parts...)
	return errors.Join(err, service.Close())
}

// handlerOf returns the handler of all requests to the service.
func handlerOf(service *backoffice.Service, s settings, log *slog.Logger) (http.Handler, error) {
	site := pages.Unavailable()
	if s.site != "" {
		store := pages.Documents(func() (*firestore.Client, error) {
			_, documents, err := service.Clients()
			return documents, err
		})
		var err error
		if site, err = pages.Handler(pages.Options{Site: os.DirFS(s.site), Store: store, Subscriptions: service, Pictures: service, Log: log}); err != nil {
			return nil, fmt.Errorf("--site %s: %w", s.site, err)
		}
	}
	mux := http.NewServeMux()
	mux.Handle("/", api.Handler(service, api.Options{ProxyHops: s.proxyHops, Log: log}))
	mux.Handle("/eventos/", site)
	mux.Handle("/imagenes/", site)
	mux.Handle("/sitemap.xml", site)
	mux.Handle("/boletin/", site)
	return mux, nil
}

// fill loads demo data into an empty project and waits until ctx is done. The server may still be starting: the SDK
// retries until it responds.
func fill(ctx context.Context, service *backoffice.Service, folder string, stdout io.Writer) error {
	limited, cancel := context.WithTimeout(ctx, seedTime)
	defer cancel()
	data, err := seed.Load(limited, os.DirFS(folder), clock.System().Now())
	if err != nil {
		return fmt.Errorf("%s: %w", folder, err)
	}
	accounts, documents, err := service.Clients()
	if err != nil {
		return err
	}
	filled, err := seed.Apply(limited, accounts, documents, data)
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", folder, err)
	}
	if filled {
		fmt.Fprintf(stdout, "Demo data loaded: accounts: %d, documents: %d\n", len(data.Accounts), len(data.Documents))
		for _, account := range data.Accounts {
			fmt.Fprintf(stdout, "Demo account: %s / %s\n", account.Email, account.Password)
		}
	}
	<-ctx.Done()
	return nil
}
