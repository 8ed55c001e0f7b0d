package control

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"

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
//
// A state that is kept with a name ({"name": …}) is restored and dropped by it, too. A name that is used again replaces
// the earlier state.
type documents struct {
	authorizer *authz.Authorizer
	mu         sync.Mutex
	// names holds the tokens of named states by the project and the name; guarded by mu.
	names map[named]string
}

// named is the name of a kept state.
type named struct{ project, name string }

// The limits of named states.
const (
	maxNamed     = 50  // of a project
	maxNameBytes = 128 // of a name
	maxAllNamed  = 10_000
)

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

// snapshot holds the token and the name of a kept state of a project.
type snapshot struct {
	Token string `json:"token"`
	Name  string `json:"name,omitempty"`
}

// snapshot keeps the state of a project.
func (d *documents) snapshot(w http.ResponseWriter, r *http.Request, project string) {
	var kept snapshot
	err := decodeSnapshot(w, r, &kept)
	if errors.Is(err, io.EOF) {
		err = nil // no body
	}
	if err == nil && kept.Name == "" {
		kept.Token, err = d.authorizer.Keep(r.Context(), project)
	} else if err == nil {
		kept.Token, err = d.keepNamed(r.Context(), named{project, kept.Name})
	}
	reply(w, kept, err)
}

// keepNamed keeps the state of a project under a name.
func (d *documents) keepNamed(ctx context.Context, n named) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	old, used := d.names[n]
	count := 0
	for other := range d.names {
		if other.project == n.project {
			count++
		}
	}
	switch {
	case len(n.name) > maxNameBytes:
		return "", fault.E(fault.InvalidArgument, "The name of a snapshot has at most %d bytes.", maxNameBytes)
	case !used && (count >= maxNamed || len(d.names) >= maxAllNamed):
		return "", fault.E(fault.ResourceExhausted, "There are %d named snapshots already. Release some.", count)
	}
	token, err := d.authorizer.Keep(ctx, n.project)
	if err != nil {
		return "", err
	}
	if used {
		d.authorizer.Release(ctx, n.project, old)
	}
	d.names[n] = token
	return token, nil
}

// restore restores a kept state of a project.
func (d *documents) restore(w http.ResponseWriter, r *http.Request, project string) {
	kept, err := d.readSnapshot(w, r, project)
	if err == nil {
		err = d.authorizer.Restore(r.Context(), project, kept.Token)
	}
	reply(w, struct{}{}, err)
}

// release drops a kept state of a project, with its name.
func (d *documents) release(w http.ResponseWriter, r *http.Request, project string) {
	kept, err := d.readSnapshot(w, r, project)
	if err == nil {
		d.mu.Lock()
		for n, token := range d.names {
			if n.project == project && token == kept.Token {
				delete(d.names, n)
			}
		}
		d.mu.Unlock()
		d.authorizer.Release(r.Context(), project, kept.Token)
	}
	reply(w, struct{}{}, err)
}

// forget drops the named states of a project.
func (d *documents) forget(ctx context.Context, project string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for n, token := range d.names {
		if n.project == project {
			d.authorizer.Release(ctx, project, token)
			delete(d.names, n)
		}
	}
}

// decodeSnapshot reads the body that names a kept state.
func decodeSnapshot(w http.ResponseWriter, r *http.Request, kept *snapshot) error {
	const enough = 4 << 10
	return json.NewDecoder(http.MaxBytesReader(w, r.Body, enough)).Decode(kept)
}

// readSnapshot reads the body that names a kept state of a project, and returns its token.
func (d *documents) readSnapshot(w http.ResponseWriter, r *http.Request, project string) (kept snapshot, err error) {
	if err := decodeSnapshot(w, r, &kept); err != nil || (kept.Token == "") == (kept.Name == "") {
		return kept, fault.E(fault.InvalidArgument, "The body must be {\"token\": \"…\"} or {\"name\": \"…\"} with the token or the name of a snapshot.")
	}
	if kept.Name == "" {
		return kept, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	token, ok := d.names[named{project, kept.Name}]
	if !ok {
		return kept, fault.E(fault.NotFound, "The project has no snapshot named %q.", kept.Name)
	}
	kept.Token = token
	return kept, nil
}
