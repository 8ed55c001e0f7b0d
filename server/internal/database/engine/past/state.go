package past

import (
	"fmt"

	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/engine/memory"
	"clave/server/internal/database/engine/records"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/store"
)

// State is a database at a version: a state of the store that has this version or a later one, and the differences from
// it.
type State struct {
	// Reader has the documents and index entries of the database, whose keys have its number.
	Reader store.Reader
	DB     resource.Database
	Number uint32
	// Overlay holds the documents that differ. It is nil if Reader has the version itself.
	Overlay Overlay
	// Held counts the memory that a run holds.
	Held *memory.Share
}

// Document returns the full name of a path.
func (s *State) Document(path string) resource.Document {
	return resource.Document{DB: s.DB, Path: path}
}

// Get returns a document, or nil if it is absent.
func (s *State) Get(name resource.Document) (*document.Document, error) {
	if record, changed := s.Overlay[name.Path]; changed {
		if record == nil {
			return nil, nil
		}
		return records.Decode(name, record)
	}
	record, found, err := s.Reader.Get(keys.Document(s.Number, name.Path))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if !found {
		return nil, nil
	}
	return records.Decode(name, record)
}
