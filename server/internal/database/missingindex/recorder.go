package missingindex

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"slices"
	"sync"

	"clave/server/internal/base/atomicfile"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/jsontree"
	"clave/server/internal/base/regularfile"
	"clave/server/internal/database/index"
	"clave/server/internal/database/projectfiles"
	"clave/server/internal/model/resource"
	"clave/server/internal/store/release"
)

// Recorder writes the indexes that queries lacked to the project's firestore.indexes.json, for --indexes record and
// auto, and shows them to the operator.
type Recorder struct {
	databases []release.Paths
	log       *slog.Logger
	mu        sync.Mutex
}

// NewRecorder returns a recorder for the files of databases.
func NewRecorder(databases []release.Paths, log *slog.Logger) *Recorder {
	return &Recorder{databases: databases, log: log}
}

// Missing returns a function that records or shows an index that a query lacked, according to the mode of --indexes.
// The definition is on a line of its own, so that it can be pasted.
func (r *Recorder) Missing(mode string, notices io.Writer) func(resource.Database, index.Definition) {
	return func(db resource.Database, definition index.Definition) {
		switch mode {
		case "record":
			r.record(db, definition)
			return
		case "auto":
			if r.file(db.ID) != "" {
				r.record(db, definition)
			}
			r.mu.Lock()
			defer r.mu.Unlock()
			fmt.Fprintf(notices, "Database %s has no index for a query on %s. It is being built, and added to firestore.indexes.json if firebase.json names that file:\n%s\n",
				db.ID, definition.CollectionGroup, definition.JSON())
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		fmt.Fprintf(notices, "Database %s has no index for a query on %s: its documents were filtered and sorted. "+
			"Add this to \"indexes\" in firestore.indexes.json, or start with --indexes record, which adds it:\n%s\n",
			db.ID, definition.CollectionGroup, definition.JSON())
	}
}

// record adds a definition to the database's file, which it creates if necessary.
func (r *Recorder) record(db resource.Database, definition index.Definition) {
	r.mu.Lock()
	defer r.mu.Unlock()
	path := r.file(db.ID)
	if path == "" {
		r.log.Warn("an index is missing and firebase.json names no file to record it in", "database", db, "index", definition.JSON())
		return
	}
	if err := addIndex(path, definition); err != nil {
		r.log.Warn("cannot record an index", "file", path, "index", definition.JSON(), "error", err)
	}
}

// file returns the index file of a database: its own, or the default database's.
func (r *Recorder) file(id string) string {
	path := ""
	for _, d := range r.databases {
		if d.ID == id {
			return d.IndexesFile
		}
		if d.ID == resource.DefaultDatabase {
			path = d.IndexesFile
		}
	}
	return path
}

// Add adds a definition to the database's file unless it is there.
func (r *Recorder) Add(db resource.Database, definition index.Definition) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	path := r.file(db.ID)
	if path == "" {
		return fault.E(fault.FailedPrecondition, "firebase.json names no file for the indexes of %s.", db.ID)
	}
	text, err := regularfile.ReadText(path, projectfiles.MaxText)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if there, _, err := index.ParseDefinitions(jsontree.Plain(text)); err == nil && slices.ContainsFunc(there.Indexes, definition.Equal) {
		return nil
	}
	return addIndex(path, definition)
}

// addIndex adds an index to a file and preserves everything else in it.
func addIndex(path string, definition index.Definition) error {
	text, err := regularfile.ReadText(path, projectfiles.MaxText)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		text = []byte("{}")
	case err != nil:
		return err
	}
	if text, err = index.Add(text, definition); err != nil {
		return err
	}
	return atomicfile.Write(path, text, 0o644)
}
