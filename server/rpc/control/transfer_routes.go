package control

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"clave/server/fault"
	"clave/server/resource"
	"clave/server/transfer"
)

// transferRequest is the body of :export and :import, with the names of the official emulator.
type transferRequest struct {
	Database string `json:"database"`
	// Directory is the folder in which a new export is made, and of an import the overall metadata file.
	Directory string `json:"export_directory"`
	// Name is the new export's.
	Name string `json:"export_name"`
}

// Transfers answers the control routes that bring the documents of one database out and in, for `clave start`. The files are
// those of the machine that the server runs on, so pages, which say where they are from, may not ask:
//
//	POST /emulator/v1/projects/P:export {"database": …, "export_directory": FOLDER, "export_name": NAME}
//	POST /emulator/v1/projects/P:import {"database": …, "export_directory": FILE}
//
// What is none of them is given to next.
func Transfers(t *transfer.Transfer, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		verb := projectVerb(r.URL.Path)
		if r.Method != http.MethodPost || verb != "export" && verb != "import" {
			next.ServeHTTP(w, r)
			return
		}
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
		switch {
		case err != nil:
		case verb == "import":
			_, err = t.ImportDocuments(r.Context(), db, in.Directory)
		default:
			err = exportTo(r, t, db, in)
		}
		reply(w, struct{}{}, err)
	})
}

// projectVerb returns the verb of a path that ends with P:VERB, or nothing.
func projectVerb(path string) string {
	rest, ok := strings.CutPrefix(path, "/emulator/v1/projects/")
	if !ok || strings.Contains(rest, "/") {
		return ""
	}
	_, verb, _ := strings.Cut(rest, ":")
	return verb
}

// exportTo makes an export, in place of an earlier one of the same name.
func exportTo(r *http.Request, t *transfer.Transfer, db resource.Database, in transferRequest) error {
	if info, err := os.Stat(in.Directory); err != nil || !info.IsDir() {
		return fault.E(fault.FailedPrecondition, "export_directory must be a directory")
	}
	if in.Name == "" || !filepath.IsLocal(in.Name) {
		return fault.E(fault.InvalidArgument, "export_name must name a folder in export_directory")
	}
	_, err := t.ExportDocuments(r.Context(), db, filepath.Join(in.Directory, in.Name))
	return err
}
