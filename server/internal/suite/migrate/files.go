package migrate

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"clave/server/internal/base/atomicfile"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/regularfile"
	"clave/server/internal/database/index"
	"clave/server/internal/database/projectfiles"
	"clave/server/internal/model/resource"
	"clave/server/internal/store/release"
)

// The names of the files that a migration writes where there is no firebase.json.
const (
	configFile  = "firebase.json"
	rulesFile   = "firestore.rules"
	indexesFile = "firestore.indexes.json"
)

// fileMode is the mode of files of a project, which are no secrets.
const fileMode = 0o644

// Files are the files of rules and indexes of a project in Firebase, and where a server reads them: in the files that
// firebase.json names. Where there is no firebase.json, one is written.
type Files struct {
	// Root is the folder of firebase.json, and Config its path; empty if there is none.
	Root, Config string
	// Database is the id of the database.
	Database string
	// Rules and Indexes are the files to be taken over; empty for none.
	Rules, Indexes string
	// Project has the files that firebase.json names.
	Project *projectfiles.Project
	// texts are the texts of the given files by their new paths, and all the files that the server will have.
	texts map[string]string
	all   release.Database
}

// Read reads and checks all files, and finds out where Place writes them. It returns FailedPrecondition if other files
// are there.
func (f *Files) Read() error {
	var named release.Paths
	for _, d := range f.Project.Databases {
		if d.ID == f.Database {
			named = d
		}
	}
	if f.Config == "" {
		named = release.Paths{RulesFile: filepath.Join(f.Root, rulesFile), IndexesFile: filepath.Join(f.Root, indexesFile)}
	}
	f.texts = make(map[string]string)
	var err error
	if f.all.Rules, err = f.take(f.Rules, named.RulesFile, "rules"); err != nil {
		return err
	}
	if f.all.Indexes, err = f.take(f.Indexes, named.IndexesFile, "indexes-file"); err != nil {
		return err
	}
	_, err = projectfiles.Check(release.Files{f.Database: f.all})
	return err
}

// take returns the file that a server will read at a path: the given one, or else the one that is there; nil without
// both.
func (f *Files) take(given, path, flag string) (*release.File, error) {
	if given == "" {
		there, err := projectfiles.ReadText(path, "Correct firebase.json.")
		if path == "" || f.Config == "" || errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return there, err
	}
	if path == "" {
		return nil, fault.E(fault.FailedPrecondition, "%s does not name the file of --%s for the database %s, so the server would not read it. Name it there.", f.Config, flag, f.Database)
	}
	taken, err := projectfiles.ReadText(given, "Correct --"+flag+".")
	if err != nil {
		return nil, err
	}
	there, err := regularfile.ReadText(path, projectfiles.MaxText)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.texts[path] = taken.Text
	case err != nil:
		return nil, err
	case string(there) != taken.Text:
		return nil, fault.E(fault.FailedPrecondition, "%s, which the server reads, differs from %s. Move it away, or leave --%s out.", path, given, flag)
	}
	return taken, nil
}

// Definitions returns the index definitions that the server will have.
func (f *Files) Definitions() (index.Definitions, error) {
	all, err := f.Project.Definitions(release.Files{f.Database: f.all})
	return all[resource.Database{Project: f.Project.ID, ID: f.Database}], err
}

// Remarks returns what the operator has to add.
func (f *Files) Remarks() []string {
	var all []string
	if f.all.Rules == nil {
		all = append(all, "security rules: none are given with --rules or in firebase.json; clave serve needs them")
	}
	if f.all.Indexes == nil {
		all = append(all, "composite indexes: none are given with --indexes-file or in firebase.json")
	}
	return all
}

// Place writes the files where a server reads them, and returns what it has written.
func (f *Files) Place() (written []string, err error) {
	section := make(map[string]string)
	if f.all.Rules != nil {
		section["rules"] = rulesFile
	}
	if f.all.Indexes != nil {
		section["indexes"] = indexesFile
	}
	if f.Config == "" && len(section) > 0 {
		if f.Database != resource.DefaultDatabase {
			section["database"] = f.Database
		}
		text, err := json.MarshalIndent(map[string]any{"firestore": section}, "", "  ")
		if err != nil {
			return nil, err
		}
		f.texts[filepath.Join(f.Root, configFile)] = string(text) + "\n"
	}
	for _, path := range slices.Sorted(maps.Keys(f.texts)) {
		if err := atomicfile.Write(path, []byte(f.texts[path]), fileMode); err != nil {
			return written, fault.Wrap(err, fault.FailedPrecondition, "cannot write %s: %v", path, err)
		}
		written = append(written, path)
	}
	return written, nil
}
