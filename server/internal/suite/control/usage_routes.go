package control

import (
	"context"
	"net/http"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/authz"
	"clave/server/internal/observe/usage"
)

// maxStored is the maximum number of documents whose storage one request counts.
const maxStored = 500_000

// usageRoutes serves what production would bill for the requests to a project:
//
//	GET    /emulator/v1/projects/P:usage  returns it since the start or the last reset; with ?stored=true also what its
//	                                      documents occupy
//	DELETE /emulator/v1/projects/P:usage  resets it
//	GET    /emulator/v1/usage             returns it for all projects together
type usageRoutes struct {
	usage      *usage.Meter
	authorizer *authz.Authorizer
}

// register adds the routes.
func (h *usageRoutes) register(mux *http.ServeMux, methods customMethods) {
	show := func(w http.ResponseWriter, r *http.Request, project string) {
		report, err := h.report(r.Context(), project, r.URL.Query().Get("stored"))
		reply(w, report, err)
	}
	mux.HandleFunc("GET /emulator/v1/usage", func(w http.ResponseWriter, r *http.Request) { show(w, r, "") })
	methods["GET usage"] = show
	methods["DELETE usage"] = func(w http.ResponseWriter, _ *http.Request, project string) {
		h.usage.Reset(project)
		reply(w, struct{}{}, nil)
	}
}

// report returns the usage of a project, or of all, with its storage if stored is true.
func (h *usageRoutes) report(ctx context.Context, project, stored string) (usage.Report, error) {
	report := h.usage.Report(project)
	switch stored {
	case "", "false":
	case "true":
		s, err := h.authorizer.Stored(ctx, token.Caller{Privileged: true}, project, maxStored)
		if err != nil {
			return usage.Report{}, err
		}
		report.Stored = &s
	default:
		return usage.Report{}, fault.E(fault.InvalidArgument, "stored must be true or false, not %q.", stored)
	}
	return report, nil
}
