package hosting

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"clave/server/internal/httpx/clientaddr"
)

// Limits of requests to services. They are those of Firebase Hosting and Cloud Run: a service that works here works
// there.
const (
	// maxServiceBody is the size of the largest request body, in bytes.
	maxServiceBody = 32 << 20
	// serviceTime is the time limit for a service to send its whole response.
	serviceTime = 60 * time.Second
	// serviceDialTime is the time limit of connecting to a service.
	serviceDialTime = 5 * time.Second
)

// Options configure a Site.
type Options struct {
	// Services are the origins of the services that run rewrites name, by serviceId. The response for a path that is
	// rewritten to any other service is 501.
	Services map[string]*url.URL
	// TrustProxy takes the client's address and scheme from the last element of X-Forwarded-For and X-Forwarded-Proto.
	TrustProxy bool
	// ServiceTime is the time limit for a service to send its whole response; default 60 s, as on Firebase Hosting.
	ServiceTime time.Duration
	// Production hides from clients where the site's folder is.
	Production bool
	// Cache keeps files that were served; nil means a cache of the site's own.
	Cache *Cache
	// Log receives the causes of failed requests; nil logs nothing.
	Log *slog.Logger
}

// EnsureDefaults sets the defaults of zero fields.
func (o *Options) EnsureDefaults() {
	if o.ServiceTime == 0 {
		o.ServiceTime = serviceTime
	}
	if o.Cache == nil {
		o.Cache = NewCache(maxCached)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// services are the reverse proxies to the services of a site.
type services struct {
	options   Options
	transport *http.Transport
	proxies   map[string]*httputil.ReverseProxy
}

// newServices returns the reverse proxies of the services that have an origin.
func newServices(o Options) *services {
	s := &services{
		options: o,
		transport: &http.Transport{
			DialContext:         (&net.Dialer{Timeout: serviceDialTime}).DialContext,
			TLSHandshakeTimeout: serviceDialTime,
			MaxIdleConnsPerHost: 32,
			IdleConnTimeout:     90 * time.Second,
			DisableCompression:  true, // the client's Accept-Encoding is forwarded
			ForceAttemptHTTP2:   true,
		},
		proxies: make(map[string]*httputil.ReverseProxy, len(o.Services)),
	}
	for id, origin := range o.Services {
		s.proxies[id] = &httputil.ReverseProxy{
			Rewrite:        func(r *httputil.ProxyRequest) { s.rewrite(r, origin) },
			Transport:      s.transport,
			ModifyResponse: addFixed,
			ErrorHandler:   func(w http.ResponseWriter, r *http.Request, err error) { s.fail(w, r, id, err) },
			ErrorLog:       slog.NewLogLogger(o.Log.Handler(), slog.LevelWarn),
		}
	}
	return s
}

// callKey is the context key of a request's call.
type callKey struct{}

// call holds the context of a request to a service.
type call struct {
	// fixed are the header fields that firebase.json sets on the response, unless the service sets them itself.
	fixed http.Header
	// instead serves the request if the service is unavailable; nil without a substitute.
	instead func()
	// body is the request's body; nil without one.
	body *clientBody
}

// clientBody is the body of a client's request.
type clientBody struct {
	io.ReadCloser
	// failed is set when the body could not be read: the client has sent an invalid one, or has left.
	failed atomic.Bool
}

// Read reads the body.
func (b *clientBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	// The transport closes the body when the service fails, and may still read from it.
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, http.ErrBodyReadAfterClose) {
		b.failed.Store(true)
	}
	return n, err
}

// errUnavailable is the error of a service that responds that it is unavailable.
var errUnavailable = errors.New("the service is unavailable")

// serve forwards a request to a service and returns its response.
func (s *services) serve(w http.ResponseWriter, r *http.Request, id string, c call) {
	proxy, ok := s.proxies[id]
	if !ok && c.instead != nil {
		c.instead()
		return
	}
	fixed := c.fixed
	if !ok {
		setAll(w.Header(), fixed)
		http.Error(w, fmt.Sprintf("firebase.json rewrites this path to the service %q, which has no address. Start Clave with --service %s=URL.", id, id), http.StatusNotImplemented)
		return
	}
	if !canForward(r) {
		setAll(w.Header(), fixed)
		http.Error(w, "The request's method or the name of a trailer is not valid.", http.StatusBadRequest)
		return
	}
	if r.ContentLength > maxServiceBody {
		setAll(w.Header(), fixed)
		tooLarge(w)
		return
	}
	body := r.Body
	if body != nil && body != http.NoBody {
		c.body = &clientBody{ReadCloser: http.MaxBytesReader(w, body, maxServiceBody)}
		body = c.body
	}
	ctx, cancel := context.WithTimeout(context.WithValue(r.Context(), callKey{}, c), s.options.ServiceTime)
	defer cancel()
	r = r.WithContext(ctx)
	r.Body = body
	proxy.ServeHTTP(w, r)
}

// canForward reports whether the method and the names of trailers are tokens, as HTTP/1.1 requires. The server accepts
// others: those of trailers always, and methods over HTTP/2.
func canForward(r *http.Request) bool {
	for name := range r.Trailer {
		if !isToken(name) {
			return false
		}
	}
	return isToken(r.Method)
}

// isToken reports whether a text is a token of RFC 9110.
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return s != ""
}

// rewrite addresses a request to a service. ReverseProxy has removed the hop-by-hop and X-Forwarded header fields.
// Protocol upgrades are not forwarded, as on Firebase Hosting.
func (s *services) rewrite(r *httputil.ProxyRequest, origin *url.URL) {
	r.SetURL(origin)
	r.Out.Header.Del("Connection")
	r.Out.Header.Del("Upgrade")
	r.SetXForwarded()
	if s.options.TrustProxy {
		r.Out.Header.Set("X-Forwarded-For", clientaddr.Address(r.In, 1).String())
		r.Out.Header.Set("X-Forwarded-Proto", clientaddr.Scheme(r.In, 1))
	}
}

// addFixed adds firebase.json's header fields to a service's response. It returns errUnavailable for a response that a
// file can replace.
func addFixed(res *http.Response) error {
	c, _ := res.Request.Context().Value(callKey{}).(call)
	switch res.StatusCode {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		if c.instead != nil {
			return errUnavailable
		}
	}
	for name, values := range c.fixed {
		if res.Header[name] == nil {
			res.Header[name] = values
		}
	}
	return nil
}

// setAll sets all fields of a header.
func setAll(to, fields http.Header) {
	for name, values := range fields {
		to[name] = values
	}
}

// fail responds to a request to which a service did not respond.
func (s *services) fail(w http.ResponseWriter, r *http.Request, id string, err error) {
	c, _ := r.Context().Value(callKey{}).(call)
	setAll(w.Header(), c.fixed)
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		tooLarge(w)
		return
	case c.body != nil && c.body.failed.Load():
		http.Error(w, "The request body could not be read.", http.StatusBadRequest)
		return
	case errors.Is(err, context.Canceled):
		w.WriteHeader(http.StatusBadGateway) // the client has left
		return
	case c.instead != nil:
		c.instead()
	case errors.Is(err, context.DeadlineExceeded):
		http.Error(w, fmt.Sprintf("The service %q did not answer within %v.", id, s.options.ServiceTime), http.StatusGatewayTimeout)
	default:
		http.Error(w, fmt.Sprintf("The service %q does not answer.", id), http.StatusBadGateway)
	}
	s.options.Log.WarnContext(r.Context(), "request to a service failed", "service", id, "url", s.options.Services[id].String(), "path", r.URL.Path, "error", err)
}

// tooLarge responds to a request whose body is larger than maxServiceBody.
func tooLarge(w http.ResponseWriter) {
	http.Error(w, fmt.Sprintf("The request body is larger than %d MiB.", maxServiceBody>>20), http.StatusRequestEntityTooLarge)
}
