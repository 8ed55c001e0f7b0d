package admin

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"

	"clave/server/internal/admin/route"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/console/audit"
	"clave/server/internal/httpx/clientaddr"
	"clave/server/internal/httpx/httpjson"
	"clave/server/internal/limit/parse"
	"clave/server/internal/limit/receive"
	"clave/server/internal/model/wire"
)

// maxBody is the maximum size of a request's body, in bytes, as at Google.
const maxBody = 10 << 20

// Options configure a Server.
type Options struct {
	// Project is the project that the server serves. The methods change its databases whatever project a path names, so
	// service accounts of other projects, which a store may have too, may not call them.
	Project string
	// Number is the project's number, which paths over HTTP may have in place of its id, as at Google; empty for none.
	Number string
	// Accounts identifies the senders of requests.
	Accounts Accounts
	// Routes are the methods.
	Routes []route.Route
	// Parsing limits the memory of large requests that are parsed; nil means a limit of its own.
	Parsing *parse.Limit
	// Audit records calls.
	Audit *audit.Log
	// Log receives failures.
	Log *slog.Logger
}

// Accounts identifies the service account that has sent a request, by its Authorization header. token.Verifier
// implements it.
type Accounts interface {
	Account(ctx context.Context, authorization, project string) (token.Caller, error)
}

// Server serves the administration APIs.
type Server struct{ o Options }

// New returns a server.
func New(o Options) *Server {
	if o.Parsing == nil {
		o.Parsing = parse.New(0)
	}
	return &Server{o}
}

// Join returns the routes of several APIs.
func Join(all ...[]route.Route) []route.Route { return slices.Concat(all...) }

// tokenPath is the path at which the Firebase CLI exchanges a refresh token. If it is refused, the CLI takes the token
// for an access token.
const tokenPath = "/oauth2/v3/token"

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == tokenPath {
		httpjson.Write(w, http.StatusBadRequest, map[string]string{
			"error": "unsupported_grant_type", "error_description": "This server exchanges no refresh tokens.",
		})
		return
	}
	if isCall(r) {
		s.serveCall(w, r)
		return
	}
	found, vars, other := s.find(r.Method, r.URL.Path)
	if found == nil {
		s.notFound(w, r, other)
		return
	}
	if number, named := vars["project"]; named && number == s.o.Number {
		vars["project"] = s.o.Project
	}
	c := &route.Call{Project: vars["project"], Vars: vars, Query: r.URL.Query(), Host: hostOf(r), Origin: originOf(r)}
	target := r.Method + " " + r.URL.Path
	out, err := s.serve(r, found, c, &target, func() (share *parse.Share, err error) {
		if found.Stream > 0 {
			receive.Stream(r)
			c.Stream = http.MaxBytesReader(w, r.Body, found.Stream)
			return nil, nil
		}
		if c.Body, err = readBody(w, r); err != nil {
			return nil, err
		}
		return s.admitBody(r, c.Body)
	})
	if err != nil {
		s.log(found.Name, err)
		httpjson.WriteError(w, wire.HTTP(fault.CodeOf(err)), fault.CodeOf(err).String(), fault.FromError(err).Message)
		return
	}
	httpjson.Write(w, http.StatusOK, out)
}

// Forwarded returns the handler of a node that does not lead, whose requests next forwards. It passes on the contents
// of uploads, which may be larger than the memory for requests, as they arrive.
func Forwarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/upload/") {
			receive.Stream(r)
		}
		next.ServeHTTP(w, r)
	})
}

// find returns the route of a request. other is set if its path has routes of other methods only.
func (s *Server) find(method, path string) (found *route.Route, vars map[string]string, other bool) {
	for i := range s.o.Routes {
		r := &s.o.Routes[i]
		matched, ok := r.Match(path)
		if !ok {
			continue
		}
		if r.Method == method {
			return r, matched, false
		}
		other = true
	}
	return nil, nil, other
}

// serve identifies the caller, reads the rest of the request with read, which returns the memory that its parsing
// takes, and calls the route. The call is recorded with its result and what target names after that, also if the caller
// may not administer the project, but not without a valid token.
func (s *Server) serve(r *http.Request, found *route.Route, c *route.Call, target *string, read func() (*parse.Share, error)) (out any, err error) {
	c.Caller, err = s.o.Accounts.Account(r.Context(), r.Header.Get("Authorization"), c.Project)
	if err == nil && (c.Project != s.o.Project || !c.Caller.Role.Permits(found.Permission)) {
		err = fault.Denied()
	}
	if fault.Is(err, fault.Unauthenticated) {
		return nil, fault.Wrap(err, fault.Unauthenticated, "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.")
	}
	if err != nil && !fault.Is(err, fault.PermissionDenied) {
		return nil, err
	}
	if ready := s.o.Audit.Ready(); ready != nil {
		return nil, ready
	}
	if err == nil {
		var share *parse.Share
		share, err = read()
		defer share.Release()
	}
	if err != nil || found.Stream == 0 {
		address := ""
		if from := clientaddr.Address(r, 0); from.IsValid() {
			address = from.String()
		}
		ended := s.o.Audit.Begin(audit.Entry{Session: c.Caller.Service, Address: address, Method: found.Name, Database: c.Vars["database"], Targets: []string{*target}, Count: 1})
		defer func() { ended(err) }()
	}
	if err != nil {
		return nil, denied(err)
	}
	if out, err = found.Do(r.Context(), c); out == nil {
		out = struct{}{}
	}
	return out, err
}

// readBody reads the body of a request.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return nil, fault.E(fault.InvalidArgument, "Request payload size exceeds the limit: %d bytes.", maxBody)
	}
	if err != nil {
		return nil, unread(err, "The body of the request ended early.")
	}
	return body, nil
}

// unread returns the error for a body that was not read to its end: that of the server if it has no memory for the body
// at the moment, otherwise InvalidArgument with a text.
func unread(err error, text string) error {
	if fault.CodeOf(err) == fault.Unavailable {
		return err
	}
	return fault.Wrap(err, fault.InvalidArgument, "%s", text)
}

// denied returns the error for a caller that may not call a method.
func denied(err error) error {
	if fault.Is(err, fault.PermissionDenied) {
		return fault.Wrap(err, fault.PermissionDenied, "The caller does not have permission")
	}
	return err
}

// log logs an error that is not for clients.
func (s *Server) log(method string, err error) {
	if fault.CodeOf(err) == fault.Internal {
		s.o.Log.Error("a call of the administration APIs has failed", "method", method, "error", err)
	}
}

// notFound answers requests for no route.
func (s *Server) notFound(w http.ResponseWriter, r *http.Request, other bool) {
	if other || strings.HasPrefix(r.URL.Path, "/v1/projects/") || strings.HasPrefix(r.URL.Path, "/v1beta1/projects/") || strings.HasPrefix(r.URL.Path, "/upload/") {
		httpjson.WriteError(w, http.StatusNotImplemented, fault.Unimplemented.String(), "This server does not have the method "+r.Method+" "+r.URL.Path+".")
		return
	}
	httpjson.WriteError(w, http.StatusNotFound, fault.NotFound.String(), "Not found.")
}

// hostOf returns the host name to which a request was sent, without a port.
func hostOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		return strings.Trim(r.Host, "[]")
	}
	return host
}

// originOf returns the origin to which a request was sent.
func originOf(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// WriteUnavailable answers a request that can't be served here at the moment.
func WriteUnavailable(w http.ResponseWriter, text string) {
	httpjson.WriteError(w, http.StatusServiceUnavailable, fault.Unavailable.String(), text)
}
