package cli

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/base/pattern"
	"clave/server/internal/httpx/accountkey"
	"clave/server/internal/httpx/httpjson"
)

// Options configure a Proxy.
type Options struct {
	// Admin is the URL of the administration APIs, and Public the public origin of the same server.
	Admin, Public string
	Tokens        *accountkey.Tokens
	// Transport sends the requests to the server.
	Transport http.RoundTripper
}

// Proxy receives the requests of the Firebase CLI.
type Proxy struct {
	o             Options
	listener      net.Listener
	secret        string
	admin, public *url.URL
}

// New returns a proxy that listens on a free port of the loopback interface. Serve serves it.
func New(ctx context.Context, o Options) (*Proxy, error) {
	p := &Proxy{o: o, secret: rand.Text()}
	for _, at := range []struct {
		text string
		to   **url.URL
	}{{o.Admin, &p.admin}, {o.Public, &p.public}} {
		u, err := url.Parse(at.text)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || strings.Trim(u.Path, "/") != "" {
			return nil, fault.E(fault.InvalidArgument, "%q is not the URL of a server, such as https://data.example.org:4001", at.text)
		}
		if err := accountkey.Secure(u); err != nil {
			return nil, err
		}
		*at.to = u
	}
	var err error
	p.listener, err = new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	return p, err
}

// URL returns the URL under which the CLI reaches the proxy, with its secret.
func (p *Proxy) URL() string { return "http://" + p.listener.Addr().String() + "/" + p.secret }

// readTime is the time limit for a request's headers.
const readTime = 30 * time.Second

// Serve serves the proxy until ctx is done.
func (p *Proxy) Serve(ctx context.Context) error {
	quiet := log.New(io.Discard, "", 0) // the CLI reports its errors itself
	s := &http.Server{Handler: p, ReadHeaderTimeout: readTime, ErrorLog: quiet}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stop()
	if err := s.Serve(p.listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// ServeHTTP implements http.Handler.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	secret, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), "/"), "/")
	if subtle.ConstantTimeCompare([]byte(secret), []byte(p.secret)) != 1 {
		httpjson.WriteError(w, http.StatusNotFound, fault.NotFound.String(), "Not found.")
		return
	}
	part, path, _ := strings.Cut(rest, "/")
	to, path := p.target(part, "/"+path)
	if to == nil {
		httpjson.WriteError(w, http.StatusNotImplemented, fault.Unimplemented.String(), "Clave does not have this API: "+r.Method+" "+path)
		return
	}
	plain, err := url.PathUnescape(path)
	if err != nil {
		httpjson.WriteError(w, http.StatusBadRequest, fault.InvalidArgument.String(), "The path is not valid.")
		return
	}
	token, err := p.o.Tokens.Get(r.Context())
	if err != nil {
		httpjson.WriteError(w, http.StatusUnauthorized, fault.Unauthenticated.String(), fault.FromError(err).Message)
		return
	}
	(&httputil.ReverseProxy{
		Transport: p.o.Transport,
		Rewrite: func(out *httputil.ProxyRequest) {
			out.Out.URL = &url.URL{Scheme: to.Scheme, Host: to.Host, Path: plain, RawPath: path, RawQuery: r.URL.RawQuery}
			out.Out.Host = to.Host
			out.Out.Header.Set("Authorization", "Bearer "+token)
		},
		ModifyResponse: func(res *http.Response) error {
			if strings.HasSuffix(path, ":populateFiles") && res.StatusCode == http.StatusOK {
				return p.redirectUploads(res)
			}
			return nil
		},
		ErrorLog: log.New(io.Discard, "", 0),
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			httpjson.WriteError(w, http.StatusServiceUnavailable, fault.Unavailable.String(), "Clave cannot reach "+to.Host+": "+err.Error())
		},
	}).ServeHTTP(w, r)
}

var (
	// ofDocuments matches the paths of methods on documents, which the public port serves.
	ofDocuments = pattern.New(`^/v1(beta1)?/projects/[^/]+/databases/[^/]+/documents([:/]|$)`)
	// ownService matches the path of the service that the CLI calls by the host of the proxy.
	ownService = pattern.New(`^(/v1/projects/[^/]+/services/)127\.0\.0\.1(:enable)?$`)
)

// target returns the port that has an API, and the escaped path there. It returns nil for an API that no server has.
func (p *Proxy) target(part, path string) (to *url.URL, at string) {
	switch part {
	case partFirestore:
		if ofDocuments.MatchString(path) {
			return p.public, path
		}
		return p.admin, path
	case partAdmin:
		return p.admin, ownService.ReplaceAllString(path, "${1}"+p.admin.Hostname()+"${2}")
	case partIdentity:
		return p.public, "/identitytoolkit.googleapis.com" + strings.TrimPrefix(path, "/admin")
	case partGoogle:
		if strings.HasPrefix(path, "/identitytoolkit/") {
			return p.public, "/www.googleapis.com" + path
		}
	}
	return nil, path
}
