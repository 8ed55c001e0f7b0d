// Command backoffice runs the foundation's back office service alone, for deployments against real Firebase or
// against a Clave on another machine. Under `clave` it runs in process instead.
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

	"clave/server/backoffice"
	"clave/server/backoffice/api"
	"clave/server/process"
)

// stopTime is how long requests may finish after a signal to stop.
const stopTime = 10 * time.Second

// main runs the service until a signal stops it.
func main() {
	ctx, stop := process.Signals(context.Background())
	defer stop()
	if err := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "backoffice:", err)
		os.Exit(1)
	}
}

// settings are the command line and the environment, checked.
type settings struct {
	listen    string
	proxyHops int
	options   backoffice.Options
}

// parse reads the command line and the environment.
func parse(args []string, env func(string) string, stderr io.Writer) (settings, error) {
	flags := flag.NewFlagSet("backoffice", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, "The back office: POST /api/admin/codigo and /api/admin/registro.\n\n"+
			"ADMIN_SIGNUP_CODE holds the secret sign-up code. Credentials are Google's (GOOGLE_APPLICATION_CREDENTIALS),\n"+
			"or none where FIREBASE_AUTH_EMULATOR_HOST and FIRESTORE_EMULATOR_HOST name a development server.\n\n")
		flags.PrintDefaults()
	}
	var s settings
	flags.StringVar(&s.listen, "listen", "127.0.0.1:8085", "`address` to listen on")
	flags.StringVar(&s.options.ProjectID, "project", first(env("GCLOUD_PROJECT"), env("GOOGLE_CLOUD_PROJECT")), "Firebase project `id`")
	flags.IntVar(&s.proxyHops, "proxy-hops", 0, "`number` of trusted proxies that append to X-Forwarded-For")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if flags.NArg() > 0 {
		return s, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if s.proxyHops < 0 {
		return s, fmt.Errorf("--proxy-hops %d: it must not be negative", s.proxyHops)
	}
	s.options.SignupCode = env("ADMIN_SIGNUP_CODE")
	s.options.Production = env("FIREBASE_AUTH_EMULATOR_HOST") == "" || env("FIRESTORE_EMULATOR_HOST") == ""
	return s, nil
}

// first returns the first text that is not empty.
func first(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// run serves until ctx is done.
func run(ctx context.Context, args []string, env func(string) string, stdout, stderr io.Writer) error {
	s, err := parse(args, env, stderr)
	if err != nil {
		return err
	}
	log := process.Logger(stderr, slog.LevelInfo)
	s.options.Log = log
	service, err := backoffice.New(ctx, s.options)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", s.listen)
	if err != nil {
		return errors.Join(fmt.Errorf("listen on %s: %w", s.listen, err), service.Close())
	}
	fmt.Fprintf(stdout, "Back office ready on http://%s\n", listener.Addr())
	server := &http.Server{
		Handler:           api.Handler(service, api.Options{ProxyHops: s.proxyHops, Log: log}),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       2 * time.Minute,
	}
	err = process.Run(ctx, process.Part{Name: "http", Run: func(ctx context.Context) error { return process.Serve(ctx, server, listener, stopTime) }})
	return errors.Join(err, service.Close())
}
