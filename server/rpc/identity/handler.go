package identity

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"strings"

	"clave/server/fault"
	"clave/server/forwarded"
	"clave/server/httpjson"
	"clave/server/identity"
	"clave/server/meter"
	"clave/server/parsing"
	"clave/server/token"
)

// Options configure a Handler.
type Options struct {
	// Service implements the API.
	Service *identity.Service
	// TrustProxy takes a client's address and scheme from X-Forwarded-For and X-Forwarded-Proto.
	TrustProxy bool
	// APIKeys lists the keys that clients may use; empty means any.
	APIKeys []string
	// Admins identifies the administrators of a project; nil means the Service's tokens.
	Admins token.Callers
	// Meter counts calls; nil counts nothing.
	Meter *meter.Meter
	// Parsing limits the memory of clients' large bodies that are parsed; nil means a separate limit.
	Parsing *parsing.Limit
	// Log logs failures; nil logs nothing.
	Log *slog.Logger
}

// Handler serves the APIs. It is an http.Handler.
type Handler struct {
	o       Options
	service *identity.Service
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
		o.Parsing = parsing.New(0)
	}
	if o.Admins == nil {
		o.Admins = o.Service.Tokens()
	}
	h := &Handler{o: o, service: o.Service, routes: routes(o.Service)}
	names := make([]string, 0, len(h.routes))
	for key, r := range h.routes {
		r.name = methodName(key)
		h.routes[key] = r
		names = append(names, r.name)
	}
	h.counted = o.Meter.Calls("auth", names, nil)
	return h
}

// methodName returns the name under which a route's calls are counted: the path after the version, the project and the tenant.
func methodName(key string) string {
	host, path, _ := strings.Cut(key, "/")
	if strings.HasSuffix(host, "oauth2.googleapis.com") {
		return "oauth2:" + path // not Secure Token's
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
	"securetoken.google.com",
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
	call identity.Call
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
	host, path := split(r)
	if h.serveKeys(w, r, host, path) {
		return
	}
	answer, err := h.answer(w, r, host, path)
	if err != nil {
		writeError(w, err, host == tokenHost, h.o.Log)
		return
	}
	httpjson.Write(w, http.StatusOK, answer)
}

// split returns the API's host and the path in the API.
func split(r *http.Request) (host, path string) {
	path = r.URL.Path
	if first, rest, ok := strings.Cut(strings.TrimPrefix(path, "/"), "/"); ok && IsHost(first) && !strings.Contains(first, ":") {
		return first, rest
	}
	name, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		name = r.Host
	}
	return name, strings.TrimPrefix(path, "/")
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
	return h.run(req, route, shape)
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

// hops returns how many reverse proxies are trusted.
func (h *Handler) hops() int {
	if h.o.TrustProxy {
		return 1
	}
	return 0
}

// describeCall reads the parts that all calls have in common.
func (h *Handler) describeCall(r *http.Request) identity.Call {
	hops := h.hops()
	c := identity.Call{Address: forwarded.Address(r, hops).String(), UserAgent: r.UserAgent(), Key: r.URL.Query().Get("key"), Project: h.service.Project()}
	if c.Key == "" {
		c.Key = r.Header.Get("X-Goog-Api-Key")
	}
	scheme := forwarded.Scheme(r, hops)
	c.Origin = (&url.URL{Scheme: scheme, Host: r.Host}).String()
	c.Locale = r.Header.Get("X-Firebase-Locale")
	return c
}

// bearer returns the token of the Authorization header, if it has one.
func bearer(r *http.Request) bool {
	scheme, _, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	return ok && strings.EqualFold(scheme, "bearer")
}

// authorize identifies administrators and clients with an API key, and refuses all others.
func (h *Handler) authorize(req *request, route route) error {
	if p := req.args["project"]; p != "" && req.args["account"] == "" {
		if !projectOK(p) {
			return fault.E(fault.InvalidArgument, "Invalid project id.")
		}
		req.call.Project = p
	}
	if account := req.args["account"]; account != "" {
		known, err := h.service.Tokens().ServiceAccount(req.http.Context(), account)
		if err != nil {
			return err
		}
		if req.call.Project = known.Project; known.Project == "" {
			req.call.Project = h.service.Project() // Admin decides
		}
	}
	if bearer(req.http) && !route.open && req.host != tokenHost { // a refresh token requires no other credential
		if err := h.admin(req, req.call.Project); err != nil {
			return err
		}
		req.call.Admin = true
		return nil
	}
	if route.open {
		return nil
	}
	if req.call.Key == "" || !h.keyOK(req.call.Key) {
		return fault.E(fault.PermissionDenied, "The request is missing a valid API key.")
	}
	if req.args["project"] != "" {
		return insufficient()
	}
	if route.admin {
		return fault.E(fault.Unauthenticated, "Request is missing required authentication credential. Expected OAuth 2 access token, login cookie or other valid authentication credential.")
	}
	return nil
}

// admin returns an error unless the request's credential is that of an administrator of project.
func (h *Handler) admin(req *request, project string) error {
	caller, err := h.o.Admins.Admin(req.http.Context(), req.http.Header.Get("Authorization"), project)
	req.caller = caller
	req.caller.Address = forwarded.Address(req.http, h.hops())
	if fault.CodeOf(err) == fault.Unauthenticated {
		return fault.Wrap(err, fault.Unauthenticated, "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid "+
			"authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.")
	}
	return err
}

// insufficient returns the error for clients that name a project.
func insufficient() error {
	return fault.E(fault.FailedPrecondition, "INSUFFICIENT_PERMISSION : Only authenticated requests can specify target_project_id.")
}

// keyOK reports whether clients may use the API key.
func (h *Handler) keyOK(key string) bool {
	if len(h.o.APIKeys) == 0 {
		return true
	}
	for _, k := range h.o.APIKeys {
		if k == key {
			return true
		}
	}
	return false
}

// projectOK reports whether a string has the form of a project's id.
func projectOK(id string) bool {
	const longest = 64
	return len(id) <= longest && strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:") == ""
}

// scope completes the call with the project and the tenant of the body.
func (h *Handler) scope(req *request) error {
	if target, _ := req.body["targetProjectId"].(string); target != "" && req.args["project"] == "" {
		if !req.call.Admin {
			return insufficient()
		}
		if !projectOK(target) {
			return fault.E(fault.InvalidArgument, "Invalid project id.")
		}
		if err := h.admin(req, target); err != nil {
			return err
		}
		req.call.Project = target
	}
	tenant, _ := req.body["tenantId"].(string)
	if path := req.args["tenant"]; path != "" {
		if tenant != "" && tenant != path {
			return fault.E(fault.FailedPrecondition, "TENANT_ID_MISMATCH")
		}
		tenant = path
	}
	const longest = 64
	if len(tenant) > longest || strings.ContainsAny(tenant, "\x00/") {
		return fault.E(fault.FailedPrecondition, "INVALID_TENANT_ID")
	}
	req.call.Tenant = tenant
	return nil
}

// method returns the route of a method of the service. The body is decoded into its request.
func method[Q, A any](call func(context.Context, identity.Call, *Q) (A, error)) route {
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
