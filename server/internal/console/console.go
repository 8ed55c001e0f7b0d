package console

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"clave/server/internal/auth/service"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/faultinject"
	"clave/server/internal/console/audit"
	"clave/server/internal/console/logs"
	"clave/server/internal/console/safety"
	"clave/server/internal/console/session"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/index"
	"clave/server/internal/limit/parse"
	"clave/server/internal/model/resource"
	"clave/server/internal/observe/meter"
	"clave/server/internal/observe/usage"
)

// Addresses holds the addresses of the program's other parts, as host:port; empty for parts that don't run.
type Addresses struct {
	Firestore string `json:"firestore,omitempty"`
	Auth      string `json:"auth,omitempty"`
	Hosting   string `json:"hosting,omitempty"`
	Websocket string `json:"websocket,omitempty"`
	Hub       string `json:"hub,omitempty"`
}

// Options configure a console.
type Options struct {
	// Mode is the mode of the program: start, exec or serve.
	Mode string
	// Production disables the features for development.
	Production bool
	// Version is the version of the program.
	Version string
	// Project is the default project.
	Project string
	// Databases are the ids of the databases that the configuration names.
	Databases []string
	// SignedTokens is set when ID tokens are signed.
	SignedTokens bool
	// Node is the name of this node among those that share a store; empty if it shares none.
	Node string
	// Hosts are the hosts by which pages may name the console.
	Hosts Hosts
	// PublicURL is the origin that the clients of a production server use; empty if it is unknown.
	PublicURL string
	// Addresses holds the addresses of the other parts.
	Addresses Addresses
	// Sessions are the sessions.
	Sessions *session.Sessions
	// Audit records what sessions change.
	Audit *audit.Log
	// Authorizer authorizes and executes operations on documents.
	Authorizer *authz.Authorizer
	// Rules are the rules in force, and RulesFiles the paths of their files by database id.
	Rules      *authz.Rulesets
	RulesFiles map[string]string
	// Accounts are the accounts.
	Accounts *service.Service
	// IndexMode is the mode of --indexes. IndexFiles are the paths of the index files by database id. Defined are the
	// indexes in them by database, where the zero Database stands for all. Missing are the missing indexes that queries
	// needed.
	IndexMode  string
	IndexFiles map[string]string
	Defined    func(resource.Database) []index.Definition
	Missing    *MissingIndexes
	// AddIndex adds an index to the index file of a database.
	AddIndex func(db resource.Database, d index.Definition) error
	// Compose returns the e-mail of a code as it would be sent.
	Compose func(e service.Email) (subject, text string, err error)
	// TestMail sends an e-mail without a code. It is nil without a mail server.
	TestMail func(ctx context.Context, to, locale string) error
	// Meter holds the counters of the server, and Logs the latest lines of its log.
	Meter *meter.Meter
	Logs  *logs.Ring
	// Usage counts what production would bill; nil if that is not counted.
	Usage *usage.Meter
	// Prices are those by which costs are shown; nil shows none.
	Prices *usage.Prices
	// Data is the folder of the data, empty for none.
	Data string
	// Checks returns the results of the checks for a production server; nil reports nothing.
	Checks func(ctx context.Context) []safety.Check
	// AppCheck is what App Check has; nil without it.
	AppCheck *AppCheck
	// Deliveries are the deliveries of events, and Backups the scheduled backups; nil without any.
	Deliveries Deliveries
	Backups    Backups
	// REST, WebChannel and Identity handle the requests that the console forwards. They must identify callers by Sessions.
	REST, WebChannel, Identity http.Handler
	// Parsing limits the memory of large bodies that are parsed; nil means a separate limit.
	Parsing *parse.Limit
	// Ahead is the clock that the lab advances; nil if it cannot be advanced. Faults injects the faults of the lab; nil in
	// production.
	Ahead  *clock.Shifted
	Faults *faultinject.Injector
	// Clock is the source of time; nil means the machine's clock.
	Clock clock.Clock
	// Log receives failures; nil logs nothing.
	Log *slog.Logger
}

// EnsureDefaults sets the defaults of zero fields.
func (o *Options) EnsureDefaults() {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.Parsing == nil {
		o.Parsing = parse.New(0)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// Validate returns an error if a required option is missing.
func (o *Options) Validate() error {
	if o.Sessions == nil || o.Audit == nil || o.Authorizer == nil || o.Rules == nil || o.Accounts == nil || o.Missing == nil || o.Meter == nil || o.Logs == nil || o.REST == nil || o.WebChannel == nil || o.Identity == nil {
		return errors.New("console: needs sessions, an audit log, an authorizer and the handlers for forwarded requests")
	}
	return nil
}

// Console serves the console's listener.
type Console struct {
	o     Options
	pages http.Handler
	api   *http.ServeMux
	undos undos
	// exports are the files of documents that sessions have requested.
	exports exports
	lab     lab
	// signIns are the sign-ins that wait for a browser.
	signIns signIns
}

// New returns a console.
func New(o Options) (*Console, error) {
	o.EnsureDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	pages, err := newPages()
	if err != nil {
		return nil, err
	}
	c := &Console{o: o, pages: pages}
	c.api = c.newAPI()
	return c, nil
}

// policy is the content security policy of the pages: no content from other origins and no inline content.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self'; " +
	"manifest-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

// setHeaders sets the headers that all responses have.
func setHeaders(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
}

// The prefixes of the paths that are forwarded.
const (
	apiPrefix        = "/api/"
	restPrefix       = "/v1/"
	webChannelPrefix = "/google.firestore.v1.Firestore/"
	identityPrefix   = "/identitytoolkit.googleapis.com/"
)

// ServeHTTP serves a request. It refuses requests with a foreign host name, from pages of other origins, and without a
// session.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	setHeaders(w.Header())
	page := isPage(r)
	switch {
	case !c.o.Hosts.Has(r.Host) && !relayed(r):
		refuse(w, page, errOtherName(r.Host))
		return
	case !sameOrigin(r, page):
		refuse(w, page, errOtherOrigin)
		return
	case page && r.URL.Path == "/" && r.URL.Query().Has(linkParam) && c.o.Sessions.NeedsLink():
		c.openByLink(w, r)
		return
	}
	of := c.o.Sessions.Find(sessionCookie(r), isActive(r))
	if of == nil {
		refuse(w, page, errNoSession)
		return
	}
	if page {
		c.pages.ServeHTTP(w, r)
		return
	}
	r, stop := untilEnded(r, of)
	defer stop()
	c.serve(w, r, of)
}

// serve serves a request that is not for a page.
func (c *Console) serve(w http.ResponseWriter, r *http.Request, of *session.Session) {
	w.Header().Set("Cache-Control", "no-store")
	path := r.URL.Path
	switch {
	case strings.HasPrefix(path, apiPrefix):
		c.serveAPI(w, r, of)
	case strings.HasPrefix(path, restPrefix):
		c.o.REST.ServeHTTP(w, forwardedRequest(r, of))
	case strings.HasPrefix(path, webChannelPrefix):
		c.o.WebChannel.ServeHTTP(w, forwardedRequest(r, of))
	case strings.HasPrefix(path, identityPrefix):
		r = forwardedRequest(r, of)
		if c.o.Addresses.Auth != "" {
			r.Host = c.o.Addresses.Auth // links in e-mails lead there
		}
		c.o.Identity.ServeHTTP(w, r)
	default: // a page's path with a method other than GET and HEAD
		w.Header().Set("Allow", "GET, HEAD")
		writeError(w, errMethod)
	}
}

// forwardedRequest returns the request to forward to the program's own handlers. The rights of the session replace its
// credentials.
func forwardedRequest(r *http.Request, of *session.Session) *http.Request {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", of.Authorization())
	r.Header.Del("Cookie")
	return r
}
