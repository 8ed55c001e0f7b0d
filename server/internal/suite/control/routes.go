package control

import (
	"net/http"

	"clave/server/internal/auth/service"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/faultinject"
	"clave/server/internal/database/authz"
	"clave/server/internal/httpx/custommethod"
	"clave/server/internal/httpx/httpjson"
	"clave/server/internal/model/wire"
	"clave/server/internal/observe/usage"
	"clave/server/internal/suite/transfer"
	"clave/server/internal/suite/triggers"
)

// Options are the parts whose control routes New serves.
type Options struct {
	// Authorizer keeps the documents.
	Authorizer *authz.Authorizer
	// Rulesets are the security rules.
	Rulesets *authz.Rulesets
	// Transfer exports and imports documents.
	Transfer *transfer.Transfer
	// Triggers delivers events of documents.
	Triggers *triggers.Dispatcher
	// Settling waits for live queries and triggers.
	Settling Settling
	// Faults injects faults into the calls of projects; nil injects none.
	Faults *faultinject.Injector
	// Clock is the clock that tests advance; nil if it cannot be advanced.
	Clock *clock.Shifted
	// Accounts are those of Auth.
	Accounts *service.Service
	// Usage counts what production would bill.
	Usage *usage.Meter
}

// projectPath is the path below which the routes of a project are.
const projectPath = "/emulator/v1/projects/{project}"

// New returns the handler of the control routes of Firestore, for `clave start`: those of documents, exports, rules and
// triggers. Other requests get 404.
func New(o Options) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", http.NotFoundHandler())
	methods := make(customMethods)
	docs := &documents{authorizer: o.Authorizer, names: make(map[named]string)}
	docs.register(mux, methods)
	(&transfers{transfer: o.Transfer}).register(methods)
	(&ruleRoutes{rulesets: o.Rulesets}).register(mux, methods)
	(&recordingRoutes{authorizer: o.Authorizer, rulesets: o.Rulesets}).register(methods)
	(&triggerRoutes{dispatcher: o.Triggers, settling: o.Settling}).register(mux, methods)
	(&usageRoutes{usage: o.Usage, authorizer: o.Authorizer}).register(mux, methods)
	(&faultRoutes{faults: o.Faults, authorizer: o.Authorizer}).register(methods)
	(&projectRoutes{o: o, documents: docs}).register(methods)
	(&clockRoutes{clock: o.Clock}).register(mux, methods)
	mux.Handle("/emulator/v1/projects/{target}", methods)
	return mux
}

// customMethods are the handlers of paths P:VERB, by HTTP method and verb, such as "POST restore". A mux can't match
// part of a segment: the path's last one is the wildcard target.
type customMethods map[string]func(w http.ResponseWriter, r *http.Request, name string)

// ServeHTTP calls the handler with the name before the verb.
func (m customMethods) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, v := custommethod.Cut(r.PathValue("target"))
	handle, ok := m[r.Method+" "+v]
	if !ok || name == "" {
		http.NotFound(w, r)
		return
	}
	handle(w, r, name)
}

// reply writes a result as JSON, or the error where there is one.
func reply(w http.ResponseWriter, body any, err error) {
	if err == nil {
		httpjson.Write(w, http.StatusOK, body)
		return
	}
	httpjson.WriteEncoded(w, wire.HTTP(wire.Code(err)), wire.ErrorJSON(err))
}
