package migrate

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"

	"clave/server/internal/base/atomicfile"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/regularfile"
)

// journalName is the name of the journal in a data folder, and journalVersion the version of its format.
const (
	journalName    = "migration.json"
	journalVersion = 1
)

// maxJournal is the maximum size in bytes of a journal.
const maxJournal = 64 << 20

// journal is the state of a migration. It is replaced as a whole.
type journal struct {
	path string
	// Version is the version of the format.
	Version int `json:"version"`
	// Fingerprint is a checksum of what is moved.
	Fingerprint string `json:"fingerprint"`
	// Documents is the number of the documents that are written; it may be a few thousand less.
	Documents int64 `json:"documents"`
	// Report is the report at the end, before it that of the source.
	Report *Report `json:"report"`
}

// readJournal reads the journal of a data folder; nil if there is none.
func readJournal(dir string) (*journal, error) {
	j := &journal{path: filepath.Join(dir, journalName)}
	text, err := regularfile.ReadText(j.path, maxJournal)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(text, j)
	}
	if err == nil && (j.Version != journalVersion || j.Report == nil) {
		err = errors.New("it is that of another version of Clave")
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.FailedPrecondition, "%s, which records an earlier migration, cannot be read: %v. Migrate to an empty data folder.", j.path, err)
	}
	return j, nil
}

// write replaces the journal.
func (j *journal) write() error {
	text, err := json.MarshalIndent(j, "", "  ")
	if err == nil {
		err = atomicfile.Write(j.path, text, 0o600)
	}
	if err != nil {
		return fault.Wrap(err, fault.FailedPrecondition, "cannot record the migration: %v", err)
	}
	return nil
}
