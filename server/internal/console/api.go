package console

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/console/session"
	"clave/server/internal/httpx/clientaddr"
	"clave/server/internal/httpx/httpjson"
	"clave/server/internal/limit/parse"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/wire"
)

// route is a method of the console's own API.
type route struct {
	// pattern is the HTTP method and path, as for http.ServeMux.
	pattern string
	// changes is set if the method changes anything. Read-only sessions may not call it.
	changes bool
	// development is set if the method is available in development only.
	development bool
	// run returns the value to send as JSON, or nil if it has written the response itself.
	run func(c *Console, in *call) (any, error)
}

// routes lists all methods of the API.
var routes = []route{
	{pattern: "GET /api/session", run: (*Console).getSession},
	{pattern: "DELETE /api/session", run: (*Console).deleteSession},
	{pattern: "GET /api/audit", run: (*Console).getAudit},

	{pattern: "GET /api/collections", run: (*Console).getCollections},
	{pattern: "GET /api/groups", run: (*Console).getGroups},
	{pattern: "GET /api/rows", run: (*Console).getRows},
	{pattern: "POST /api/rows", run: (*Console).postRows},
	{pattern: "POST /api/delete/count", run: (*Console).postDeleteCount},
	{pattern: "POST /api/delete", changes: true, run: (*Console).postDelete},
	{pattern: "POST /api/undo", changes: true, run: (*Console).postUndo},

	{pattern: "POST /api/export", run: (*Console).postExport},
	{pattern: "POST /api/users/export", run: (*Console).postUsersExport},
	{pattern: "GET /api/export", run: (*Console).getExport},
	{pattern: "GET /api/export/{id}", run: (*Console).getExportFile},
	{pattern: "DELETE /api/export/{id}", run: (*Console).deleteExport},

	{pattern: "GET /api/history", run: (*Console).getHistory},
	{pattern: "GET /api/history/version", run: (*Console).getVersion},
	{pattern: "POST /api/history/restore", changes: true, run: (*Console).postRestoreVersion},

	{pattern: "GET /api/rules", run: (*Console).getRules},
	{pattern: "PUT /api/rules", changes: true, development: true, run: (*Console).putRules},
	{pattern: "POST /api/rules/check", run: (*Console).postRulesCheck},
	{pattern: "POST /api/rules/run", run: (*Console).postRulesRun},
	{pattern: "GET /api/rules/coverage", development: true, run: (*Console).getCoverage},

	{pattern: "GET /api/denials", run: (*Console).getDenials},

	{pattern: "GET /api/requests", development: true, run: (*Console).getRequests},
	{pattern: "GET /api/requests/stream", development: true, run: (*Console).getRequestStream},
	{pattern: "POST /api/requests/replay", development: true, run: (*Console).postReplayAll},
	{pattern: "GET /api/requests/{id}", development: true, run: (*Console).getRequest},
	{pattern: "POST /api/requests/{id}/replay", development: true, run: (*Console).postReplay},
	{pattern: "GET /api/requests/{id}/case", development: true, run: (*Console).getRequestCase},

	{pattern: "GET /api/codes", development: true, run: (*Console).getCodes},
	{pattern: "GET /api/users", run: (*Console).getUsers},
	{pattern: "POST /api/users/signin", changes: true, development: true, run: (*Console).postSignIn},
	{pattern: "POST /api/users/open", changes: true, development: true, run: (*Console).postOpenSite},
	{pattern: "GET /api/indexes", run: (*Console).getIndexes},
	{pattern: "POST /api/indexes/file", changes: true, development: true, run: (*Console).postIndexFile},
	{pattern: "GET /api/now", run: (*Console).getNow},
	{pattern: "GET /api/logs", run: (*Console).getLogs},

	{pattern: "GET /api/lab", development: true, run: (*Console).getLab},
	{pattern: "POST /api/lab/snapshots", changes: true, development: true, run: (*Console).postSnapshot},
	{pattern: "POST /api/lab/snapshots/{id}/restore", changes: true, development: true, run: (*Console).postSnapshotRestore},
	{pattern: "DELETE /api/lab/snapshots/{id}", changes: true, development: true, run: (*Console).deleteSnapshot},
	{pattern: "PUT /api/lab/clock", changes: true, development: true, run: (*Console).putLabClock},
	{pattern: "POST /api/lab/clock/advance", changes: true, development: true, run: (*Console).advanceLabClock},
	{pattern: "PUT /api/lab/faults", changes: true, development: true, run: (*Console).putLabFaults},
	{pattern: "DELETE /api/lab/faults", changes: true, development: true, run: (*Console).deleteLabFaults},
	{pattern: "POST /api/lab/clear", changes: true, development: true, run: (*Console).postClear},

	{pattern: "GET /api/events", run: (*Console).getEvents},
	{pattern: "POST /api/events/retry", changes: true, run: (*Console).postEventsRetry},
	{pattern: "GET /api/backups", run: (*Console).getBackups},

	{pattern: "GET /api/appcheck", run: (*Console).getAppCheck},
	{pattern: "PUT /api/appcheck/mode", changes: true, run: (*Console).putAppCheckMode},
	{pattern: "POST /api/appcheck/tokens", changes: true, run: (*Console).postDebugToken},
	{pattern: "POST /api/appcheck/tokens/remove", changes: true, run: (*Console).postDebugTokenRemove},

	{pattern: "GET /api/safety", run: (*Console).getSafety},
	{pattern: "POST /api/safety/mail", changes: true, run: (*Console).postTestMail},
}

// sessionKey is the key of the session in a request's context.
type sessionKey struct{}

// newAPI returns the handler of the API.
func (c *Console) newAPI() *http.ServeMux {
	mux := http.NewServeMux()
	for _, one := range routes {
		if one.development && c.o.Production {
			continue
		}
		mux.HandleFunc(one.pattern, func(w http.ResponseWriter, r *http.Request) { c.answer(w, r, one) })
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeError(w, fault.E(fault.NotFound, "The console has no method %s %s in this mode.", r.Method, r.URL.Path))
	})
	return mux
}

// serveAPI serves a request to the console's own API.
func (c *Console) serveAPI(w http.ResponseWriter, r *http.Request, of *session.Session) {
	c.api.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), sessionKey{}, of)))
}

// answer serves a request for a route.
func (c *Console) answer(w http.ResponseWriter, r *http.Request, one route) {
	in := &call{Request: r, w: w, console: c, route: one}
	in.session, _ = r.Context().Value(sessionKey{}).(*session.Session)
	out, err := in.run()
	switch {
	case err == nil && out == nil: // the response has been written
	case err == nil:
		httpjson.Write(w, http.StatusOK, out)
	case in.began:
		in.line(map[string]any{"error": errorBody(err)})
		c.logFailure(r, err)
	default:
		writeError(w, err)
		c.logFailure(r, err)
	}
}

// logFailure logs an error that no response carries.
func (c *Console) logFailure(r *http.Request, err error) {
	if wire.Unnamed(err) && r.Context().Err() == nil {
		c.o.Log.Error("a request to the console failed", "method", r.Method, "path", ShownPath(r.URL.Path), "error", err)
	}
}

// call is a request to the API.
type call struct {
	*http.Request
	w       http.ResponseWriter
	console *Console
	route   route
	session *session.Session
	// body is the JSON of the request; nil for a GET.
	body []byte
	// began is set once a stream of lines has begun.
	began bool
}

// csrfHeader is the header that all requests except reads need. Pages of other origins cannot set it.
const csrfHeader = "X-Clave-CSRF"

// maxBody is the maximum size of a request's body, and maxValues that of its values, names and objects.
const (
	maxBody   = 8 << 20
	maxValues = 200_000
)

// run checks and executes the request.
func (in *call) run() (any, error) {
	if in.Method != http.MethodGet && in.Method != http.MethodHead {
		if subtle.ConstantTimeCompare([]byte(in.Header.Get(csrfHeader)), []byte(in.session.CSRF)) != 1 {
			return nil, fault.E(fault.PermissionDenied, "The request needs the header %s with the session's csrf.", csrfHeader)
		}
		share, err := in.readBody()
		if err != nil {
			return nil, err
		}
		defer share.Release()
	}
	if in.route.changes {
		// Each method records its change itself. Here only the right of the session to change anything is checked.
		if in.caller("").ReadOnly {
			_, err := in.caller("").Change(nil)
			return nil, err
		}
	}
	return in.route.run(in.console, in)
}

// readBody reads the request's JSON, and waits until a large one may be parsed. The share must be released when the
// request has been answered.
func (in *call) readBody() (share *parse.Share, err error) {
	in.body, err = io.ReadAll(http.MaxBytesReader(in.w, in.Body, maxBody))
	var big *http.MaxBytesError
	switch {
	case errors.As(err, &big):
		return nil, fault.E(fault.InvalidArgument, "The body is larger than %d bytes.", big.Limit)
	case fault.Is(err, fault.Unavailable):
		return nil, err // the memory budget is exhausted
	case err != nil:
		return nil, fault.Wrap(err, fault.Canceled, "The request was not read to its end.")
	case len(in.body) == 0:
		return nil, nil
	}
	if kind, _, _ := mime.ParseMediaType(in.Header.Get("Content-Type")); kind != "application/json" {
		return nil, fault.E(fault.InvalidArgument, "The body must be JSON, with Content-Type: application/json.")
	}
	if len(in.body) < parse.Large {
		return nil, nil
	}
	n := parse.Elements(in.body)
	if n > maxValues {
		return nil, fault.E(fault.InvalidArgument, "The body has %d values, more than %d.", n, maxValues)
	}
	return in.console.o.Parsing.Admit(in.Context(), clientaddr.Address(in.Request, 0), parse.MemoryOf(in.body, n))
}

// decode reads the body into a struct.
func (in *call) decode(into any) error {
	if err := json.Unmarshal(in.body, into); err != nil {
		return fault.E(fault.InvalidArgument, "The body is invalid for this method: %v.", err)
	}
	return nil
}

// caller returns the session as a caller of a project.
func (in *call) caller(project string) token.Caller {
	c := in.console.o.Sessions.CallerOf(in.session, project)
	c.Address = clientaddr.Address(in.Request, 0)
	return c
}

// databaseBody is the project and database that a body names; both may be left out.
type databaseBody struct {
	Project  string `json:"project"`
	Database string `json:"database"`
}

// database returns the database that a request is about.
func (in *call) database(p databaseBody) (resource.Database, error) {
	if in.Method == http.MethodGet || in.Method == http.MethodHead {
		p = databaseBody{in.query("project"), in.query("database")}
	}
	if p.Project == "" {
		p.Project = in.console.o.Project
	}
	if p.Database == "" {
		p.Database = resource.DefaultDatabase
	}
	return resource.ParseDatabase("projects/" + p.Project + "/databases/" + p.Database)
}

// decodeAt decodes a body and returns the database that the place in it names.
func (in *call) decodeAt(body any, at *databaseBody) (resource.Database, error) {
	if err := in.decode(body); err != nil {
		return resource.Database{}, err
	}
	return in.database(*at)
}

// query returns a query parameter.
func (in *call) query(name string) string { return in.URL.Query().Get(name) }

// number returns a query parameter as a number from 1 to most, or the default if it is absent.
func (in *call) number(name string, byDefault, most int) (int, error) {
	text := in.query(name)
	if text == "" {
		return byDefault, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 && n != byDefault {
		return 0, fault.E(fault.InvalidArgument, "%s must be a number from 1 to %d.", name, most)
	}
	return min(n, most), nil
}

// begin begins a stream of lines.
func (in *call) begin() {
	in.w.Header().Set("Content-Type", "application/x-ndjson")
	in.began = true
}

// line sends a line of a stream. It reports whether the client is still connected.
func (in *call) line(v any) bool {
	text, err := json.Marshal(v)
	if err != nil {
		text = []byte(`{"error":{"code":500,"message":"Internal error.","status":"INTERNAL"}}`)
	}
	if _, err := in.w.Write(append(text, '\n')); err != nil {
		return false
	}
	return http.NewResponseController(in.w).Flush() == nil
}

// errorJSON is an error as clients receive it.
type errorJSON struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Status  string `json:"status"`
}

// errorBody returns the JSON of an error for clients.
func errorBody(err error) errorJSON {
	code := wire.Code(err)
	message := fault.FromError(err).Message
	if code == fault.Canceled || code == fault.DeadlineExceeded {
		message = "The request was ended."
	}
	return errorJSON{wire.HTTP(code), message, code.String()}
}

// writeError responds with an error.
func writeError(w http.ResponseWriter, err error) {
	body := errorBody(err)
	httpjson.Write(w, body.Code, map[string]any{"error": body})
}
