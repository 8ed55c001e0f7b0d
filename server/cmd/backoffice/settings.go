package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"

	"clave/server/backoffice"
	"clave/server/backoffice/email"
	"clave/server/backoffice/firebaseconn"
	"clave/server/internal/base/mailserver"
)

// usage is the first part of the output of `backoffice --help`.
const usage = `Serves the foundation's back office under /api/ and, with --site, the pages of events and the sitemap. Erases messages and
applications that are older than a year, daily.

Variables:
  ADMIN_SIGNUP_CODE   the secret sign-up code
  UNSUBSCRIBE_KEY     the key of the newsletter's links, at least 32 random bytes; without it there are no links
  MAIL_URL            the mail server of the newsletter: smtp://user:password@host:587?from=name@host
                      (without it, a development server prints the e-mails)
  PUBLIC_URL          the site's address, for the newsletter's links

The data are those of one of these:
  a development server   FIREBASE_AUTH_EMULATOR_HOST and FIRESTORE_EMULATOR_HOST name its ports
  clave serve            --server is its origin, --credentials a key from clave credentials
  Firebase               Google's credentials (GOOGLE_APPLICATION_CREDENTIALS, or those of Cloud Run)

Exit codes: 1 for a failure, 2 for a wrong command line.

Flags:

`

// The environment variables that make the Admin SDK use a development server and accept unsigned tokens.
var emulatorVariables = []string{"FIREBASE_AUTH_EMULATOR_HOST", "FIRESTORE_EMULATOR_HOST"}

// settings are the command line and the environment, checked.
type settings struct {
	listen string
	// proxyHops is the number of trusted proxies that append to X-Forwarded-For.
	proxyHops int
	// seed is a folder of demo data to load into an empty project, or empty.
	seed string
	// site is the folder of the built site, or empty.
	site string
	// server is Clave's origin, or empty; credentials is the file of a key for it.
	server, credentials string
	options             backoffice.Options
}

// parse reads the command line and the environment.
func parse(args []string, env func(string) string, stdout io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("backoffice", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the error that Parse returns is printed
	at := "127.0.0.1:8085"
	if port := env("PORT"); port != "" {
		at = net.JoinHostPort("", port) // Cloud Run
	}
	flags.StringVar(&s.listen, "listen", at, "`address` to listen on; by default every address with the port of PORT, if that is set")
	flags.StringVar(&s.options.ProjectID, "project", first(env("GCLOUD_PROJECT"), env("GOOGLE_CLOUD_PROJECT")), "Firebase project `id`")
	flags.IntVar(&s.proxyHops, "proxy-hops", 0, "`number` of trusted proxies that append to X-Forwarded-For; behind clave --service it is 1")
	flags.StringVar(&s.server, "server", "", "`origin` of clave serve, such as https://www.example.org")
	flags.StringVar(&s.credentials, "credentials", env("GOOGLE_APPLICATION_CREDENTIALS"), "`file` of a service account's key for --server")
	flags.StringVar(&s.site, "site", "", "`folder` of the built site (frontend/dist), for the pages of events and the sitemap")
	flags.StringVar(&s.seed, "seed", "", "`folder` of demo data to load into an empty project; for development servers only")
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, usage)
		flags.SetOutput(stdout)
		flags.PrintDefaults()
		return s, err
	}
	if err != nil {
		return s, &usageError{err}
	}
	s.options.SignupCode = env("ADMIN_SIGNUP_CODE")
	s.options.UnsubscribeKey = env("UNSUBSCRIBE_KEY")
	s.options.Production = env(emulatorVariables[0]) == "" || env(emulatorVariables[1]) == ""
	if !s.options.Production && s.options.UnsubscribeKey == "" {
		s.options.UnsubscribeKey = backoffice.DemoUnsubscribeKey
	}
	if err := s.check(flags.Args(), env); err != nil {
		return s, &usageError{err}
	}
	return s, nil
}

// usageError is the error of a wrong command line.
type usageError struct{ err error }

// Error implements error.
func (e *usageError) Error() string { return e.err.Error() + "; backoffice --help lists the flags" }

// Unwrap returns the mistake.
func (e *usageError) Unwrap() error { return e.err }

// demoURL is the site's address in the links of a development server's e-mails.
const demoURL = "http://localhost:5000"

// openMail reads MAIL_URL and PUBLIC_URL. A development server without a mail server writes its e-mails to out.
func (s *settings) openMail(env func(string) string, out io.Writer) error {
	s.options.PublicURL = first(env("PUBLIC_URL"), s.server)
	if s.options.PublicURL == "" && !s.options.Production {
		s.options.PublicURL = demoURL
	}
	address := env("MAIL_URL")
	if address == "" {
		if !s.options.Production {
			s.options.Mail = email.Terminal{Out: out}
		}
		return nil
	}
	if s.options.PublicURL == "" || s.options.UnsubscribeKey == "" {
		return errors.New("MAIL_URL needs UNSUBSCRIBE_KEY, and the site's address in PUBLIC_URL or --server: each e-mail has a link to unsubscribe")
	}
	if site, err := url.Parse(s.options.PublicURL); err != nil || site.Host == "" || site.Scheme != "https" && site.Scheme != "http" {
		return fmt.Errorf("PUBLIC_URL %q: it must be the site's address, such as https://www.example.org", s.options.PublicURL)
	}
	sender, err := email.Server(address)
	if err != nil {
		return fmt.Errorf("MAIL_URL: %w", err)
	}
	s.options.Mail = sender
	return nil
}

// checkMail returns an error if the mail server of a URL is reached and no e-mail could be sent over it.
func checkMail(ctx context.Context, address string, log *slog.Logger) error {
	if address == "" {
		return nil
	}
	switch err := mailserver.Check(ctx, address); {
	case errors.Is(err, mailserver.ErrNoEncryption):
		return fmt.Errorf("MAIL_URL: %w", err)
	case err != nil:
		log.WarnContext(ctx, "the mail server is not reached at the start", "error", err)
	}
	return nil
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

// check returns an error for contradictory settings.
func (s *settings) check(rest []string, env func(string) string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("unexpected argument %q", rest[0])
	case s.proxyHops < 0:
		return fmt.Errorf("--proxy-hops %d: it must not be negative", s.proxyHops)
	case s.seed != "" && s.options.Production:
		return fmt.Errorf("--seed: demo data are for development servers, which %s and %s name", emulatorVariables[0], emulatorVariables[1])
	case s.server == "":
		return nil
	case s.credentials == "":
		return errors.New("--server needs --credentials, a key from clave credentials create")
	}
	for _, name := range emulatorVariables {
		if env(name) != "" {
			return fmt.Errorf("--server and %s together: the variable makes the Admin SDK work on a development server and accept unsigned tokens. Unset it", name)
		}
	}
	return nil
}

// connect makes the Admin SDK of this process use the server. The returned function reverts that.
func (s *settings) connect() (restore func(), err error) {
	if s.server == "" {
		return func() {}, nil
	}
	key, err := os.ReadFile(s.credentials)
	if err != nil {
		return nil, fmt.Errorf("--credentials: %w", err)
	}
	o := firebaseconn.Options{URL: s.server}
	accounts, err := firebaseconn.Accounts(key)
	if err != nil {
		return nil, fmt.Errorf("--credentials %s: %w", s.credentials, err)
	}
	documents, err := firebaseconn.Firestore(o, key)
	if err != nil {
		return nil, fmt.Errorf("--server or --credentials: %w", err)
	}
	s.options.Accounts, s.options.Documents = accounts, documents
	return firebaseconn.Route(o)
}
