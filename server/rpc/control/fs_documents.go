package control

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"clave/server/fault"
	"clave/server/guard"
	"clave/server/resource"
	"clave/server/wire"
)

// Documents answers the control routes of Firestore's data, for `clave start`:
//
//	DELETE /emulator/v1/projects/P/databases/D/documents   deletes all documents
//	POST   /emulator/v1/projects/P:snapshot                keeps the state of all databases: {"token": …}
//	POST   /emulator/v1/projects/P:restore {"token": …}    brings them back to it
//	POST   /emulator/v1/projects/P:release {"token": …}    forgets it
//
// What is none of them is given to next.
func Documents(g *guard.Guard, next http.Handler) http.Handler {
	return &documents{guard: g, next: next}
}

// documents answers the control routes of data.
type documents struct {
	guard *guard.Guard
	next  http.Handler
}

// ServeHTTP answers a request.
func (d *documents) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rest, ok := strings.CutPrefix(r.URL.EscapedPath(), "/emulator/v1/projects/")
	if !ok {
		d.next.ServeHTTP(w, r)
		return
	}
	segments := strings.Split(rest, "/")
	for i, s := range segments {
		plain, err := url.PathUnescape(s)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		segments[i] = plain
	}
	project, verb, _ := strings.Cut(segments[0], ":")
	switch {
	case r.Method == http.MethodDelete && len(segments) == 4 && segments[1] == "databases" && segments[3] == "documents":
		db, err := resource.ParseDatabase("projects/" + strings.Join(segments[:3], "/"))
		if err == nil {
			err = d.guard.Clear(r.Context(), db)
		}
		reply(w, struct{}{}, err)
	case r.Method == http.MethodPost && len(segments) == 1 && verbs[verb] && project != "":
		d.state(w, r, project, verb)
	default:
		d.next.ServeHTTP(w, r)
	}
}

// verbs are what can be done with the state of a project.
var verbs = map[string]bool{"snapshot": true, "restore": true, "release": true}

// state keeps, brings back or forgets the state of a project.
func (d *documents) state(w http.ResponseWriter, r *http.Request, project, verb string) {
	var kept struct {
		Token string `json:"token"`
	}
	if verb == "snapshot" {
		var err error
		kept.Token, err = d.guard.Keep(r.Context(), project)
		reply(w, kept, err)
		return
	}
	const enough = 4 << 10
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, enough)).Decode(&kept); err != nil || kept.Token == "" {
		reply(w, nil, fault.E(fault.InvalidArgument, "The body must be {\"token\": \"…\"} with the token of a snapshot."))
		return
	}
	if verb == "release" {
		d.guard.Release(r.Context(), project, kept.Token)
		reply(w, struct{}{}, nil)
		return
	}
	reply(w, struct{}{}, d.guard.Restore(r.Context(), project, kept.Token))
}

// reply writes an answer, or the error that stands for it.
func reply(w http.ResponseWriter, body any, err error) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	if err != nil {
		w.WriteHeader(wire.HTTP(wire.Code(err)))
		_, _ = w.Write(wire.ErrorJSON(err))
		return
	}
	// The client has gone if this fails.
	_ = json.NewEncoder(w).Encode(body)
}
