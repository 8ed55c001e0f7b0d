package migrate

import (
	"encoding/json"
	"errors"
	"fmt"
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
	// Given are the files to be taken over, at least for one database.
	Given []Given
	// Project has the files that firebase.json names.
	Project *projectfiles.Project
	// texts are the texts of the given files by their new paths, all those that the server will have, and remarks what
	// the report says of downloaded files that are not taken over.
	texts   map[string]string
	all     release.Files
	remarks []string
}

// Given are the files of a database to be taken over.
type Given struct {
	Database       string
	Rules, Indexes GivenFile
}

// GivenFile is a file to be taken over. The zero GivenFile is none.
type GivenFile struct {
	Path string
	// Downloaded is set for a file that the operator has not named. A file that the server reads goes before it.
	Downloaded bool
}

// names returns the paths at which the server reads the files of a given database, and those from the folder of
// firebase.json if it is written.
func (f *Files) names(i int) (at release.Paths, rules, indexes string) {
	id := f.Given[i].Database
	if f.Config != "" {
		for _, d := range f.Project.Databases {
			if d.ID == id {
				at = d
			}
		}
		return at, "", ""
	}
	rules, indexes = rulesFile, indexesFile
	if i > 0 {
		rules, indexes = id+"."+rulesFile, id+"."+indexesFile
	}
	return release.Paths{ID: id, RulesFile: filepath.Join(f.Root, rules), IndexesFile: filepath.Join(f.Root, indexes)}, rules, indexes
}

// Read reads and checks all files, and finds out where Place writes them. It returns FailedPrecondition if other files
// are there, unless the given ones were downloaded.
func (f *Files) Read() error {
	f.texts, f.all, f.remarks = make(map[string]string), make(release.Files), nil
	for i, g := range f.Given {
		at, _, _ := f.names(i)
		var d release.Database
		var err error
		if d.Rules, err = f.take(g.Database, g.Rules, at.RulesFile, "rules"); err != nil {
			return err
		}
		if d.Indexes, err = f.take(g.Database, g.Indexes, at.IndexesFile, "indexes-file"); err != nil {
			return err
		}
		f.all[g.Database] = d
	}
	_, err := projectfiles.Check(f.all)
	return err
}

// take returns the file of a database that a server will read at a path: the given one, or else the one that is there;
// nil without both.
func (f *Files) take(database string, given GivenFile, path, flag string) (*release.File, error) {
	if given.Path == "" {
		there, err := projectfiles.ReadText(path, "Correct firebase.json.")
		if path == "" || f.Config == "" || errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return there, err
	}
	kind := map[string]string{"rules": "security rules", "indexes-file": "indexes"}[flag]
	if path == "" && given.Downloaded {
		f.remarks = append(f.remarks, fmt.Sprintf("the %s of %s in Firebase: %s does not name their file", kind, database, f.Config))
		return nil, nil
	}
	if path == "" {
		return nil, fault.E(fault.FailedPrecondition, "%s does not name the file of --%s for the database %s, so the server would not read it. Name it there.", f.Config, flag, database)
	}
	taken, err := projectfiles.ReadText(given.Path, "Correct --"+flag+".")
	if err != nil {
		return nil, err
	}
	there, err := regularfile.ReadText(path, projectfiles.MaxText)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.texts[path] = taken.Text
	case err != nil:
		return nil, err
	case string(there) == taken.Text:
	case given.Downloaded:
		f.remarks = append(f.remarks, fmt.Sprintf("the %s of %s in Firebase: they differ from %s, which the server reads", kind, database, path))
		return projectfiles.ReadText(path, "Correct firebase.json.")
	default:
		return nil, fault.E(fault.FailedPrecondition, "%s, which the server reads, differs from %s. Move it away, or leave --%s out.", path, given.Path, flag)
	}
	return taken, nil
}

// Definitions returns the index definitions that the server will have for the first database.
func (f *Files) Definitions() (index.Definitions, error) {
	all, err := f.Project.Definitions(f.all)
	return all[resource.Database{Project: f.Project.ID, ID: f.Given[0].Database}], err
}

// Remarks returns what the operator has to add.
func (f *Files) Remarks() []string {
	all := slices.Clone(f.remarks)
	for _, g := range f.Given {
		of := ""
		if len(f.Given) > 1 {
			of = " of " + g.Database
		}
		if f.all[g.Database].Rules == nil {
			all = append(all, "security rules"+of+": none are given with --rules or in firebase.json; clave serve needs them")
		}
		if f.all[g.Database].Indexes == nil {
			all = append(all, "composite indexes"+of+": none are given with --indexes-file or in firebase.json")
		}
	}
	return all
}

// section returns the firestore section of a firebase.json that has all files: an object for one database, or a list.
func (f *Files) section() any {
	var all []map[string]string
	for i, g := range f.Given {
		_, rules, indexes := f.names(i)
		section := make(map[string]string)
		if f.all[g.Database].Rules != nil {
			section["rules"] = rules
		}
		if f.all[g.Database].Indexes != nil {
			section["indexes"] = indexes
		}
		if len(section) == 0 && len(f.Given) == 1 {
			return nil
		}
		if g.Database != resource.DefaultDatabase || len(f.Given) > 1 {
			section["database"] = g.Database
		}
		all = append(all, section)
	}
	if len(all) == 1 {
		return all[0]
	}
	return all
}

// Place writes the files where a server reads them, and returns what it has written.
func (f *Files) Place() (written []string, err error) {
	if section := f.section(); f.Config == "" && section != nil {
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
