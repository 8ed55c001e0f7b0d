package backoffice

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"unicode/utf8"

	"cloud.google.com/go/firestore"
	firebase "firebase.google.com/go/v4"
	"firebase.google.com/go/v4/auth"
	"google.golang.org/api/option"

	"clave/server/backoffice/email"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/randid"
	"clave/server/internal/limit/rate"
)

// DemoCode is the sign-up code that `make start` uses. It is public, so production refuses it.
const DemoCode = "demo-codigo-fundacion"

// DemoUnsubscribeKey is the key of unsubscribe links that `make start` uses. It is public, so production refuses it.
const DemoUnsubscribeKey = "demo-clave-de-los-enlaces-de-baja"

// minCode is the length of the shortest sign-up code in production, in characters.
const minCode = 16

// maxUploaders is the maximum number of administrators whose uploads are counted.
const maxUploaders = 1000

// Options are the service's project, secrets and parts.
type Options struct {
	// ProjectID is the Firebase project. Required.
	ProjectID string
	// SignupCode is the secret by which users become administrators. Empty: sign-up is off.
	SignupCode string
	// UnsubscribeKey is the key that signs and verifies the newsletter's links. Empty: there are no links.
	UnsubscribeKey string
	// Mail sends e-mails, and PublicURL is the site's address in their links. Without both and UnsubscribeKey there is no
	// newsletter.
	Mail      email.Sender
	PublicURL string
	// Production refuses codes that are empty, shorter than 16 characters, easy to guess or DemoCode, and keys that are
	// shorter than 32 bytes, easy to guess or DemoUnsubscribeKey.
	Production bool
	// Accounts and Documents are options of the Admin SDK's clients for Authentication and Firestore, such as
	// credentials and endpoints. If they are empty, the SDK uses those of the environment.
	Accounts, Documents []option.ClientOption
	// Clock is for the expiry of tickets and tries. Nil: the machine's.
	Clock clock.Clock
	// Log receives the causes of refusals. Nil logs nothing.
	Log *slog.Logger
}

// EnsureDefaults sets the defaults of unset options.
func (o *Options) EnsureDefaults() {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// Validate returns an error if an option is missing or not allowed.
func (o *Options) Validate() error {
	switch {
	case o.ProjectID == "":
		return errors.New("the back office needs a project id")
	case o.Production && o.SignupCode == "":
		return errors.New("the back office needs a sign-up code: set ADMIN_SIGNUP_CODE")
	case o.Production && utf8.RuneCountInString(o.SignupCode) < minCode:
		return fmt.Errorf("ADMIN_SIGNUP_CODE is too short: choose a random one of at least %d characters", minCode)
	case o.Production && randid.Guessable(o.SignupCode):
		return errors.New("ADMIN_SIGNUP_CODE is easy to guess, because it repeats characters or continues sequences: choose a random one, such as that of openssl rand -base64 24")
	case o.Production && o.SignupCode == DemoCode:
		return errors.New("ADMIN_SIGNUP_CODE is the demonstration's code, which is public: choose another")
	case o.Production && o.UnsubscribeKey == DemoUnsubscribeKey:
		return errors.New("UNSUBSCRIBE_KEY is the demonstration's key, which is public: choose another")
	case o.Production && o.UnsubscribeKey != "" && len(o.UnsubscribeKey) < minKey:
		return fmt.Errorf("UNSUBSCRIBE_KEY is too short: choose a random one of at least %d bytes", minKey)
	case o.Production && o.UnsubscribeKey != "" && randid.Guessable(o.UnsubscribeKey):
		return errors.New("UNSUBSCRIBE_KEY is easy to guess, because it repeats characters or continues sequences: choose a random one, such as that of openssl rand -base64 32")
	}
	return nil
}

// Service registers administrators, erases visitors' data, sends the newsletter, publishes drafts and stores the
// pictures of events. It is safe for concurrent use.
type Service struct {
	options Options
	tries   *tries
	tickets *tickets
	// uploads limits the pictures that an administrator uploads; decoding holds one value while an upload is decoded.
	uploads  *rate.Limiter
	decoding chan struct{}
	// dial creates the clients.
	dial func() (*clients, error)
	mu   struct {
		sync.Mutex
		// clients are nil until they are first needed, because in `clave start` the service exists before the server.
		clients *clients
	}
}

// clients are the Admin SDK's clients that the service uses.
type clients struct {
	accounts  *auth.Client
	documents *firestore.Client
}

// New returns a service. It opens no connection until the first registration; the clients end with ctx.
func New(ctx context.Context, o Options) (*Service, error) {
	o.EnsureDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return &Service{
		options: o,
		tries:   newTries(o.Clock),
		tickets: newTickets(o.Clock),
		uploads: rate.New(rate.Options{Clock: o.Clock, MaxKeys: maxUploaders}), decoding: make(chan struct{}, 1),
		dial: func() (*clients, error) { return dial(ctx, o) },
	}, nil
}

// dial creates the clients. They open their connections when they are first needed.
func dial(ctx context.Context, o Options) (*clients, error) {
	app, err := firebase.NewApp(ctx, &firebase.Config{ProjectID: o.ProjectID}, o.Accounts...)
	if err != nil {
		return nil, fmt.Errorf("admin SDK: %w", err)
	}
	accounts, err := app.Auth(ctx)
	if err != nil {
		return nil, fmt.Errorf("admin SDK: accounts: %w", err)
	}
	documents, err := firestore.NewClient(ctx, o.ProjectID, o.Documents...)
	if err != nil {
		return nil, fmt.Errorf("admin SDK: documents: %w", err)
	}
	return &clients{accounts: accounts, documents: documents}, nil
}

// Clients returns the Admin SDK's clients, created on first use, for filling the same project (package seed).
// The service closes them.
func (s *Service) Clients() (*auth.Client, *firestore.Client, error) {
	c, err := s.connect()
	if err != nil {
		return nil, nil, err
	}
	return c.accounts, c.documents, nil
}

// connect returns the clients, created on first use.
func (s *Service) connect() (*clients, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.clients == nil {
		c, err := s.dial()
		if err != nil {
			return nil, err
		}
		s.mu.clients = c
	}
	return s.mu.clients, nil
}

// Close closes the connections, if any were opened. The service must not be used afterwards.
func (s *Service) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.clients == nil {
		return nil
	}
	return s.mu.clients.documents.Close()
}
