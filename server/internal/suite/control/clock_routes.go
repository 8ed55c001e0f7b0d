package control

import (
	"net/http"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
)

// clockRoutes serves the clocks of projects:
//
//	GET    /emulator/v1/projects/P:clock    returns its time
//	PUT    /emulator/v1/projects/P:clock    sets it, and lets it stand still if it is pinned
//	POST   /emulator/v1/projects/P:advance  advances it further
//	DELETE /emulator/v1/projects/P:clock    resets it to the server's
//
// and that of the server, which all projects share that have none of their own:
//
//	GET    /emulator/v1/clock          returns its time
//	POST   /emulator/v1/clock:advance  advances it further
//	DELETE /emulator/v1/clock          resets it to the machine's
type clockRoutes struct{ clock *clock.Shifted }

// maxAdvance is the maximum advance of the clock, which exceeds all time limits of the server.
const maxAdvance = 366 * 24 * time.Hour

// clockBody is the clock's time, and its advance in seconds.
type clockBody struct {
	Now   time.Time `json:"now"`
	Ahead float64   `json:"ahead"`
	// Own reports whether a project has a clock of its own, and Pinned whether that stands still.
	Own    bool `json:"own,omitempty"`
	Pinned bool `json:"pinned,omitempty"`
}

// register adds the routes.
func (h *clockRoutes) register(mux *http.ServeMux, methods customMethods) {
	if h.clock == nil {
		return
	}
	h.registerProjects(methods)
	show := func(w http.ResponseWriter, err error) {
		reply(w, clockBody{Now: h.clock.Now(), Ahead: h.clock.Ahead().Seconds()}, err)
	}
	mux.HandleFunc("GET /emulator/v1/clock", func(w http.ResponseWriter, _ *http.Request) { show(w, nil) })
	mux.HandleFunc("DELETE /emulator/v1/clock", func(w http.ResponseWriter, _ *http.Request) {
		h.clock.Put(0)
		show(w, nil)
	})
	mux.HandleFunc("POST /emulator/v1/clock:advance", func(w http.ResponseWriter, r *http.Request) {
		by, err := durationOf(w, r)
		switch {
		case err != nil:
		case by > maxAdvance-h.clock.Ahead():
			err = fault.E(fault.InvalidArgument, "The clock of the server is at most %s ahead.", maxAdvance)
		default:
			h.clock.Put(h.clock.Ahead() + by)
		}
		show(w, err)
	})
}

// registerProjects adds the routes of projects.
func (h *clockRoutes) registerProjects(methods customMethods) {
	show := func(w http.ResponseWriter, project string, err error) {
		r := h.clock.Read(project)
		reply(w, clockBody{r.Now, r.Ahead.Seconds(), r.Own, r.Pinned}, err)
	}
	methods["GET clock"] = func(w http.ResponseWriter, _ *http.Request, project string) { show(w, project, nil) }
	methods["PUT clock"] = func(w http.ResponseWriter, r *http.Request, project string) {
		var body struct {
			At     time.Time `json:"at"`
			Pinned bool      `json:"pinned"`
		}
		err := decode(w, r, &body, `{"at": "2030-01-01T00:00:00Z", "pinned": true}`)
		if err == nil {
			err = h.clock.SetProject(project, body.At, body.Pinned)
		}
		show(w, project, err)
	}
	methods["POST advance"] = func(w http.ResponseWriter, r *http.Request, project string) {
		by, err := durationOf(w, r)
		if err == nil {
			err = h.clock.AdvanceProject(project, by)
		}
		show(w, project, err)
	}
	methods["DELETE clock"] = func(w http.ResponseWriter, _ *http.Request, project string) {
		h.clock.ResetProject(project)
		show(w, project, nil)
	}
}

// durationOf reads by how much a clock is to be advanced.
func durationOf(w http.ResponseWriter, r *http.Request) (time.Duration, error) {
	var body struct {
		By string `json:"by"`
	}
	const example = `{"by": "90m"}`
	if err := decode(w, r, &body, example); err != nil {
		return 0, err
	}
	by, err := time.ParseDuration(body.By)
	if err != nil || by < 0 {
		return 0, fault.E(fault.InvalidArgument, "by must be a duration, as in %s.", example)
	}
	return by, nil
}
