package control

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/resource"
	"clave/server/internal/suite/transfer"
)

// transferRequest is the body of :export and :import, with the names of the official emulator.
type transferRequest struct {
	Database string `json:"database"`
	// Directory is the folder of a new export, or the overall metadata file of an import.
	Directory string `json:"export_directory"`
	// Name is the new export's.
	Name string `json:"export_name"`
}

// transfers serves the control routes that export and import the documents of one database. The files are on the
// machine that the server runs on, so requests of pages, which have an Origin header, are refused:
//
//	POST /emulator/v1/projects/P:export {"database": …, "export_directory": FOLDER, "export_name": NAME}
//	POST /emulator/v1/projects/P:import {"database": …, "export_directory": FILE}
type transfers struct{ transfer *transfer.Transfer }

// register adds the routes.
func (t *transfers) register(methods customMethods) {
	methods["POST export"] = transferRoute(t.exportTo)
	methods["POST import"] = transferRoute(t.importFrom)
}

// transferRoute reads the request of one direction and calls do with it.
func transferRoute(do func(*http.Request, resource.Database, transferRequest) error) func(http.ResponseWriter, *http.Request, string) {
	return func(w http.ResponseWriter, r *http.Request, _ string) {
		if r.Header.Get("Origin") != "" {
			reply(w, nil, fault.E(fault.PermissionDenied, "Pages may not read and write this machine's files."))
			return
		}
		const enough = 64 << 10
		var in transferRequest
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, enough)).Decode(&in); err != nil {
			reply(w, nil, fault.E(fault.InvalidArgument, "Invalid JSON payload received."))
			return
		}
		db, err := resource.ParseDatabase(in.Database)
		if err == nil {
			err = do(r, db, in)
		}
		reply(w, struct{}{}, err)
	}
}

// importFrom imports an export.
func (t *transfers) importFrom(r *http.Request, db resource.Database, in transferRequest) error {
	_, err := t.transfer.ImportDocuments(r.Context(), db, in.Directory)
	return err
}

// exportTo creates an export, in place of an earlier one of the same name.
func (t *transfers) exportTo(r *http.Request, db resource.Database, in transferRequest) error {
	if info, err := os.Stat(in.Directory); err != nil || !info.IsDir() {
		return fault.E(fault.FailedPrecondition, "export_directory must be a directory")
	}
	if in.Name == "" || !filepath.IsLocal(in.Name) {
		return fault.E(fault.InvalidArgument, "export_name must name a folder in export_directory")
	}
	_, err := t.transfer.ExportDocuments(r.Context(), db, filepath.Join(in.Directory, in.Name), transfer.Selection{})
	return err
}
