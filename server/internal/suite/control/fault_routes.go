package control

import (
	"encoding/json"
	"net/http"

	"clave/server/internal/base/fault"
	"clave/server/internal/base/faultinject"
	"clave/server/internal/database/authz"
)

// maxFaultsBody is the maximum size of a body with faults or a time.
const maxFaultsBody = 64 << 10

// faultRoutes serves the faults in the calls of a project:
//
//	GET    /emulator/v1/projects/P:faults  returns them, with the numbers of calls that were affected
//	PUT    /emulator/v1/projects/P:faults  replaces them
//	DELETE /emulator/v1/projects/P:faults  ends them
//	POST   /emulator/v1/projects/P:dropStreams  ends the open streams with a code
type faultRoutes struct {
	faults     *faultinject.Injector
	authorizer *authz.Authorizer
}

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
		if err == nil {
			err = h.dropOffline(project, body.Faults)
		}
		reply(w, faultsBody{h.faults.Project(project)}, err)
	}
	methods["POST dropStreams"] = func(w http.ResponseWriter, r *http.Request, project string) {
		var body struct {
			Error string `json:"error"`
		}
		err := decode(w, r, &body, `{"error": "UNAVAILABLE"}`)
		var failure error
		if err == nil {
			failure, err = faultinject.Dropped(body.Error)
		}
		dropped := 0
		if err == nil {
			dropped = h.authorizer.DropStreams(project, failure)
		}
		reply(w, map[string]int{"dropped": dropped}, err)
	}
	methods["DELETE faults"] = func(w http.ResponseWriter, _ *http.Request, project string) {
		reply(w, struct{}{}, h.faults.SetProject(project, nil))
	}
}

// dropOffline ends the open streams of a project that is offline now.
func (h *faultRoutes) dropOffline(project string, faults []faultinject.Fault) error {
	for _, f := range faults {
		if !f.Offline {
			continue
		}
		failure, err := faultinject.Dropped(f.Error)
		if err != nil {
			return err
		}
		h.authorizer.DropStreams(project, failure)
	}
	return nil
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
