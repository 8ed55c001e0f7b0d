package api

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"reflect"
	"strings"

	"clave/server/internal/auth/service"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/faultinject"
	"clave/server/internal/httpx/custommethod"
	"clave/server/internal/httpx/httpjson"
	"clave/server/internal/limit/parse"
	"clave/server/internal/observe/meter"
)

// Options configure a Handler.
type Options struct {
	// Service implements the API.
	Service *service.Service
	// TrustProxy takes a client's address and scheme from X-Forwarded-For and X-Forwarded-Proto.
	TrustProxy bool
	// APIKeys lists the keys that clients may use; empty means any.
	APIKeys []string
	// Admins identifies the administrators of a project; nil means the Service's tokens.
	Admins token.Callers
	// Meter counts calls; nil counts nothing.
	Meter *meter.Meter
	// SignInPages serves the pages with which web SDKs sign in at providers.
	SignInPages bool
	// AppCheck is App Check; the zero value if the server has none.
	AppCheck AppCheck
	// Faults delays and fails calls on purpose, in development; nil injects nothing.
	Faults *faultinject.Injector
	// Parsing limits the memory of large bodies that are parsed; nil means a separate limit.
	Parsing *parse.Limit
	// Log logs failures; nil logs nothing.
	Log *slog.Logger
}

// Handler serves the APIs. It is an http.Handler.
type Handler struct {
	o       Options
	service *service.Service
	routes  map[string]route
	// counted counts the calls.
	counted *meter.Calls
}

// New returns a Handler.
func New(o Options) *Handler {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Parsing == nil {
		o.Parsing = parse.New(0)
	}
	if o.Admins == nil {
		o.Admins = o.Service.Tokens()
	}
	h := &Handler{o: o, service: o.Service, routes: routes(o.Service)}
	h.appCheckRoutes(h.routes)
	names := make([]string, 0, len(h.routes))
	for key, r := range h.routes {
		r.name = methodName(key)
		h.routes[key] = r
		names = append(names, r.name)
	}
	h.counted = o.Meter.Calls("auth", names, nil)
	return h
}

// methodName returns the name under which a route's calls are counted: the path after the version, the project and the
// tenant.
func methodName(key string) string {
	host, path, _ := strings.Cut(key, "/")
	if strings.HasSuffix(host, "oauth2.googleapis.com") {
		return "oauth2:" + path // not Secure Token's
	}
	if strings.HasSuffix(host, checkHost) {
		_, verb := custommethod.Cut(path)
		return "appCheck:" + verb
	}
	path = strings.TrimPrefix(path, "identitytoolkit/v3/relyingparty/")
	for _, prefix := range []string{"v1/", "v2/", "projects/*", "/", "tenants/*/"} {
		path = strings.TrimPrefix(path, prefix)
	}
	return strings.TrimPrefix(path, ":")
}

// hosts lists the APIs' hosts, which are also the first segment of paths of requests to the emulator.
var hosts = []string{
	"identitytoolkit.googleapis.com", tokenHost, "www.googleapis.com", "iamcredentials.googleapis.com", "oauth2.googleapis.com",
	"securetoken.google.com", checkHost, checkHostContent,
}

// tokenHost is the host of the Secure Token API.
const tokenHost = "securetoken.googleapis.com"

// IsHost reports whether a Host header names one of the APIs that Handler serves.
func IsHost(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	for _, h := range hosts {
		if name == h {
			return true
		}
	}
	return false
}

// request is a request in progress.
type request struct {
	http *http.Request
	call service.Call
	// host is the API, and args the variable segments of the path.
	host string
	args map[string]string
	body map[string]any
	// caller is the calling administrator; zero for other callers.
	caller token.Caller
}

// route describes the method of a path.
type route struct {
	// name is the one under which calls are counted.
	name string
	// admin requires an administrator.
	admin bool
	// open requires no credential, not even an API key.
	open bool
	// ofApp marks methods about an app of a project, which clients call with an API key though their path has a project.
	ofApp bool
	// reads is set if the method changes nothing. It is not needed for GET.
	reads bool
	run   run
	// in and out are the types of the request and the response, if known, for the API's description.
	in, out reflect.Type
}

// forAdmin returns the route restricted to administrators.
func (r route) forAdmin() route {
	r.admin = true
	return r
}

// reading returns the route of a method that changes nothing.
func (r route) reading() route {
	r.reads = true
	return r
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == ActionPath {
		h.action(w, r)
		return
	}
	if h.signInPage(w, r) {
		return
	}
	r = withMeantMethod(r)
	host, path := split(r)
	if h.serveKeys(w, r, host, path) {
		return
	}
	answer, err := h.answer(w, r, host, path)
	if errors.Is(err, faultinject.ErrBroken) {
		cut(w, r)
	}
	if err != nil {
		writeError(w, err, host == tokenHost, h.o.Log)
		return
	}
	httpjson.Write(w, http.StatusOK, answer)
}

// cut ends the connection. For clients it ends in the middle of an answer: if it ended before the header, browsers
// would repeat the request on another connection. For servers, whose calls have a header Authorization, it ends before:
// the Admin SDK for Node waits for ever for the rest of an answer.
func cut(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "" {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Length", "2")
	w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(w).Flush() // a connection that has ended already is what is wanted
	panic(http.ErrAbortHandler)
}

// withMeantMethod returns the request with the method of X-HTTP-Method-Override, as Google's servers read it: Java's
// HTTP client cannot send PATCH.
func withMeantMethod(r *http.Request) *http.Request {
	if r.Method != http.MethodPost || !strings.EqualFold(r.Header.Get("X-HTTP-Method-Override"), http.MethodPatch) {
		return r
	}
	meant := *r
	meant.Method = http.MethodPatch
	return &meant
}

// split returns the API's host and the path in the API.
func split(r *http.Request) (host, path string) {
	path = r.URL.Path
	if first, rest, ok := strings.Cut(strings.TrimPrefix(path, "/"), "/"); ok && IsHost(first) && !strings.Contains(first, ":") {
		return apiOf(first), rest
	}
	name, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		name = r.Host
	}
	return apiOf(name), strings.TrimPrefix(path, "/")
}

// apiOf returns the host of an API, which may have a further one for browsers.
func apiOf(host string) string {
	if host == checkHostContent {
		return checkHost
	}
	return host
}

// answer finds, counts and calls the method, and returns its response.
func (h *Handler) answer(w http.ResponseWriter, r *http.Request, host, path string) (answer any, err error) {
	shape, args := shapeOf(path)
	route, ok := h.routes[r.Method+" "+host+"/"+shape]
	code := fault.Unknown // the error that is counted for a call that panics
	counted := h.counted.BeginIn(r.Context(), route.name)
	defer func() { counted.End(code) }()
	if ok {
		answer, err = h.call(w, &request{http: r, host: host, args: args, call: h.describeCall(r)}, route, shape)
	} else {
		err = fault.E(fault.NotFound, "Not Found")
	}
	code = fault.CodeOf(err)
	return answer, err
}

// call authorizes a request, reads and parses its body, and runs the method. The body is read only afterwards, so that
// a caller without rights costs no memory; until the method has returned, a large body holds its share of the memory
// for parsing.
func (h *Handler) call(w http.ResponseWriter, req *request, route route, shape string) (any, error) {
	r := req.http
	if err := h.authorize(req, route); err != nil {
		return nil, err
	}
	if err := h.checkApp(req, req.host); err != nil {
		return nil, err
	}
	limit := int64(maxBody)
	if req.call.Admin {
		limit = maxAdminBody
	}
	if r.Method == http.MethodGet {
		req.body = fromValues(r.URL.Query())
	} else {
		text, err := readBody(w, r, limit)
		if err != nil {
			return nil, err
		}
		share, err := h.admit(req, text)
		if err != nil {
			return nil, err
		}
		defer share.Release()
		if req.body, err = parseBody(r, text); err != nil {
			return nil, err
		}
	}
	if err := h.scope(req); err != nil {
		return nil, err
	}
	if req.caller.Journal != nil { // the console's
		return h.run(req, route, shape)
	}
	if err := h.o.Faults.BeforeAuth(r.Context(), req.call.Project, route.name); err != nil {
		return nil, err
	}
	answer, err := h.run(req, route, shape)
	if err == nil {
		err = h.o.Faults.AfterAuth(r.Context(), req.call.Project, route.name)
	}
	return answer, err
}

// run calls the method. An administrator may be restricted to reads, or have a journal for the changes.
func (h *Handler) run(req *request, route route, shape string) (any, error) {
	r := req.http
	if route.reads || r.Method == http.MethodGet || !req.call.Admin {
		return route.run(r.Context(), req)
	}
	ended, err := req.caller.Change(func() token.Change {
		c := token.Change{Method: r.Method + " " + shape, Count: 1}
		if c.Targets = targets(req.body); len(c.Targets) > 0 {
			c.Count = len(c.Targets)
		} else if id := configID(req); id != "" {
			const longest = 128
			c.Targets = []string{"provider " + id[:min(len(id), longest)]}
			if tenant := req.call.Tenant; tenant != "" {
				c.Targets[0] += " of tenant " + tenant[:min(len(tenant), longest)]
			}
		}
		c.Targets = c.Targets[:min(len(c.Targets), maxTargets)]
		return c
	})
	if err != nil {
		return nil, err
	}
	answer, err := route.run(r.Context(), req)
	ended(err)
	return answer, err
}

// maxTargets is the maximum number of changed accounts that are listed.
const maxTargets = 100

// targets returns the ids of the accounts that a body names.
func targets(body map[string]any) []string {
	var all []string
	add := func(v any) {
		if id, ok := v.(string); ok && id != "" {
			all = append(all, "account "+id)
		}
	}
	add(body["localId"])
	if ids, ok := body["localIds"].([]any); ok {
		for _, id := range ids {
			add(id)
		}
	}
	if users, ok := body["users"].([]any); ok {
		for _, user := range users {
			if u, ok := user.(map[string]any); ok {
				add(u["localId"])
			}
		}
	}
	return all
}

// method returns the route of a method of the service. The body is decoded into its request.
func method[Q, A any](call func(context.Context, service.Call, *Q) (A, error)) route {
	return route{in: reflect.TypeFor[Q](), out: reflect.TypeFor[A](), run: func(ctx context.Context, r *request) (any, error) {
		var q Q
		if err := assign(reflect.ValueOf(&q).Elem(), r.body, ""); err != nil {
			return nil, err
		}
		return answered(call(ctx, r.call, &q))
	}}
}

// answered drops the response of a method that failed.
func answered[A any](answer A, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return answer, nil
}
