package app

import (
	"encoding/json"
	"log/slog"
	"os"
	"sync"

	"clave/server/config"
	"clave/server/resource"
)

// indexRecorder writes the indexes that queries have missed to the project's firestore.indexes.json, as --indexes record
// asks.
type indexRecorder struct {
	databases []config.Database
	log       *slog.Logger
	mu        sync.Mutex
}

// record adds a definition, in the file's own form, to the database's file.
func (r *indexRecorder) record(db resource.Database, definition string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	path := r.file(db.ID)
	if path == "" {
		r.log.Warn("an index is missing and firebase.json names no file to record it in", "database", db, "index", definition)
		return
	}
	if err := addIndex(path, definition); err != nil {
		r.log.Warn("cannot record an index", "file", path, "index", definition, "error", err)
	}
}

// file returns the index file of a database: its own, or the default database's.
func (r *indexRecorder) file(id string) string {
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

// addIndex adds an index to the list in a file and leaves all else in it as it is.
func addIndex(path, definition string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	file := make(map[string]json.RawMessage)
	if err := json.Unmarshal(text, &file); err != nil {
		return err
	}
	var indexes []json.RawMessage
	if raw, ok := file["indexes"]; ok {
		if err := json.Unmarshal(raw, &indexes); err != nil {
			return err
		}
	}
	raw, err := json.Marshal(append(indexes, json.RawMessage(definition)))
	if err != nil {
		return err
	}
	file["indexes"] = raw
	text, err = json.MarshalIndent(file, "", "  ")
	if err != nil {
		return err
	}
	temporary := path + ".new"
	if err := os.WriteFile(temporary, append(text, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}
