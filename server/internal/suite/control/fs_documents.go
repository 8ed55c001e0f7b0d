package control

import (
	"encoding/json"
	"net/http"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/authz"
	"clave/server/internal/model/resource"
)

// documents serves the control routes of data:
//
//	DELETE /emulator/v1/projects/P/databases/D/documents   deletes all documents
//	POST   /emulator/v1/projects/P:snapshot                keeps the state of all databases: {"token": …}
//	POST   /emulator/v1/projects/P:restore {"token": …}    restores it
//	POST   /emulator/v1/projects/P:release {"token": …}    drops it
type documents struct{ authorizer *authz.Authorizer }

// register adds the routes.
func (d *documents) register(mux *http.ServeMux, methods customMethods) {
	mux.HandleFunc("DELETE "+projectPath+"/databases/{database}/documents", d.clear)
	methods["POST snapshot"] = d.snapshot
	methods["POST restore"] = d.restore
	methods["POST release"] = d.release
}

// clear deletes all documents of a database.
func (d *documents) clear(w http.ResponseWriter, r *http.Request) {
	db, err := resource.ParseDatabase("projects/" + r.PathValue("project") + "/databases/" + r.PathValue("database"))
	if err == nil {
		err = d.authorizer.Clear(r.Context(), db)
	}
	reply(w, struct{}{}, err)
}

// snapshot holds the token of a kept state of a project.
type snapshot struct {
	Token string `json:"token"`
}

// snapshot keeps the state of a project.
func (d *documents) snapshot(w http.ResponseWriter, r *http.Request, project string) {
	token, err := d.authorizer.Keep(r.Context(), project)
	reply(w, snapshot{token}, err)
}

// restore restores a kept state of a project.
func (d *documents) restore(w http.ResponseWriter, r *http.Request, project string) {
	kept, err := readSnapshot(w, r)
	if err == nil {
		err = d.authorizer.Restore(r.Context(), project, kept.Token)
	}
	reply(w, struct{}{}, err)
}

// release drops a kept state of a project.
func (d *documents) release(w http.ResponseWriter, r *http.Request, project string) {
	kept, err := readSnapshot(w, r)
	if err == nil {
		d.authorizer.Release(r.Context(), project, kept.Token)
	}
	reply(w, struct{}{}, err)
}

// readSnapshot reads the body that names a kept state.
func readSnapshot(w http.ResponseWriter, r *http.Request) (kept snapshot, err error) {
	const enough = 4 << 10
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, enough)).Decode(&kept); err != nil || kept.Token == "" {
		return kept, fault.E(fault.InvalidArgument, "The body must be {\"token\": \"…\"} with the token of a snapshot.")
	}
	return kept, nil
}
