package control

import (
	"encoding/json"
	"net/http"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/faultinject"
)

// maxFaultsBody is the maximum size of a body with faults or a time.
const maxFaultsBody = 64 << 10

// faultRoutes serves the faults in the calls of a project:
//
//	GET    /emulator/v1/projects/P:faults  returns them, with the numbers of calls that were affected
//	PUT    /emulator/v1/projects/P:faults  replaces them
//	DELETE /emulator/v1/projects/P:faults  ends them
type faultRoutes struct{ faults *faultinject.Injector }

// faultsBody holds faults.
type faultsBody struct {
	Faults []faultinject.Fault `json:"faults"`
}

// register adds the routes.
func (h *faultRoutes) register(methods customMethods) {
	if h.faults == nil {
		return
	}
	methods["GET faults"] = func(w http.ResponseWriter, _ *http.Request, project string) {
		reply(w, faultsBody{h.faults.Project(project)}, nil)
	}
	methods["PUT faults"] = func(w http.ResponseWriter, r *http.Request, project string) {
		var body faultsBody
		err := decode(w, r, &body, `{"faults": [{"calls": "writes", "times": 1, "error": "UNAVAILABLE"}]}`)
		if err == nil {
			err = h.faults.SetProject(project, body.Faults)
		}
		reply(w, faultsBody{h.faults.Project(project)}, err)
	}
	methods["DELETE faults"] = func(w http.ResponseWriter, _ *http.Request, project string) {
		reply(w, struct{}{}, h.faults.SetProject(project, nil))
	}
}

// decode reads a body of JSON. An error shows an example.
func decode(w http.ResponseWriter, r *http.Request, into any, example string) error {
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxFaultsBody))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fault.Wrap(err, fault.InvalidArgument, "The body must be JSON such as %s: %s", example, err)
	}
	return nil
}

// clockRoutes serves the clock of the server, which all projects share:
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
}

// register adds the routes.
func (h *clockRoutes) register(mux *http.ServeMux) {
	if h.clock == nil {
		return
	}
	show := func(w http.ResponseWriter, err error) {
		reply(w, clockBody{h.clock.Now(), h.clock.Ahead().Seconds()}, err)
	}
	mux.HandleFunc("GET /emulator/v1/clock", func(w http.ResponseWriter, _ *http.Request) { show(w, nil) })
	mux.HandleFunc("DELETE /emulator/v1/clock", func(w http.ResponseWriter, _ *http.Request) {
		h.clock.Put(0)
		show(w, nil)
	})
	mux.HandleFunc("POST /emulator/v1/clock:advance", func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			By string `json:"by"`
		}
		const example = `{"by": "90m"}`
		err := decode(w, r, &body, example)
		if err == nil {
			err = h.advance(body.By, example)
		}
		show(w, err)
	})
}

// advance advances the clock by a duration.
func (h *clockRoutes) advance(by, example string) error {
	d, err := time.ParseDuration(by)
	if err != nil || d < 0 || d > maxAdvance-h.clock.Ahead() {
		return fault.E(fault.InvalidArgument, "by must be a duration, as in %s, and the clock at most %s ahead.", example, maxAdvance)
	}
	h.clock.Put(h.clock.Ahead() + d)
	return nil
}
