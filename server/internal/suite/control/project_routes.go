package control

import (
	"context"
	"net/http"
)

// projectRoutes serves projects as a whole:
//
//	DELETE /emulator/v1/projects/P  drops a project: documents, accounts, rules, settings, usage, faults, clock, streams
type projectRoutes struct {
	o         Options
	documents *documents
}

// register adds the routes.
func (h *projectRoutes) register(methods customMethods) {
	methods["DELETE "] = func(w http.ResponseWriter, r *http.Request, project string) {
		reply(w, struct{}{}, h.drop(r.Context(), project))
	}
}

// drop removes everything of a project. A project that is named again later is a new one.
func (h *projectRoutes) drop(ctx context.Context, project string) error {
	if h.o.Triggers != nil {
		h.o.Triggers.Clear(project)
	}
	h.documents.forget(ctx, project)
	if h.o.Accounts != nil {
		if err := h.o.Accounts.Forget(ctx, project); err != nil {
			return err
		}
	}
	if err := h.o.Authorizer.Forget(ctx, project); err != nil {
		return err
	}
	if h.o.Clock != nil {
		h.o.Clock.ResetProject(project)
	}
	return nil
}
