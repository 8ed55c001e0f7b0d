package control

import (
	"net/http"

	"clave/server/internal/observe/usage"
)

// usageRoutes serves what production would bill for the requests to a project:
//
//	GET    /emulator/v1/projects/P:usage  returns it since the start or the last reset
//	DELETE /emulator/v1/projects/P:usage  resets it
type usageRoutes struct{ usage *usage.Meter }

// register adds the routes.
func (h *usageRoutes) register(methods customMethods) {
	methods["GET usage"] = func(w http.ResponseWriter, _ *http.Request, project string) {
		reply(w, h.usage.Report(project), nil)
	}
	methods["DELETE usage"] = func(w http.ResponseWriter, _ *http.Request, project string) {
		h.usage.Reset(project)
		reply(w, struct{}{}, nil)
	}
}
