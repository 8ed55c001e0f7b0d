package download

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"clave/server/internal/base/atomicfile"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/regularfile"
	"clave/server/internal/model/resource"
	"clave/server/internal/suite/transfer"
)

// stateName is the name of the file with the state in the folder of a download, stateVersion the version of its format,
// and maxState its maximum size in bytes.
const (
	stateName    = "download.json"
	stateVersion = 1
	maxState     = 256 << 20
)

// state is what is downloaded. It is replaced as a whole.
type state struct {
	Version int    `json:"version"`
	Project string `json:"project"`
	// Database is the database that was asked for; empty for all.
	Database string `json:"database,omitempty"`
	// ReadTime is the time of which the documents are, and Began when the download began.
	ReadTime time.Time `json:"readTime"`
	Began    time.Time `json:"began"`
	// Databases are those that are downloaded, in the order of their ids, the default one first.
	Databases []*databaseState `json:"databases"`
	// Complete is set once the folder is an export.
	Complete bool `json:"complete"`
	// Remarks are what the report says of what is not downloaded, and Skipped those of databases.
	Remarks []string `json:"remarks"`
	Skipped []string `json:"skipped,omitempty"`
	// Refused are documents that Clave cannot read, and RefusedNumber is their number, which may be greater.
	Refused       []transfer.Refused `json:"refused,omitempty"`
	RefusedNumber int64              `json:"refusedNumber,omitempty"`
	// HasAccounts is set if the folder has accounts.
	HasAccounts bool `json:"hasAccounts,omitempty"`
	path        string
	mu          sync.Mutex
}

// databaseState is what is downloaded of a database.
type databaseState struct {
	ID         string       `json:"id"`
	Partitions []*partition `json:"partitions"`
	// Rules and Indexes are set if the folder has these files.
	Rules   bool `json:"rules,omitempty"`
	Indexes bool `json:"indexes,omitempty"`
}

// partition is a range of the documents of a database, by their names.
type partition struct {
	// Start and End are the names of documents; empty for the ends of the database. End is not in the partition.
	Start string `json:"start,omitempty"`
	End   string `json:"end,omitempty"`
	// Cursor is the name of the last document that is written.
	Cursor string `json:"cursor,omitempty"`
	// Outputs are the names of its whole files.
	Outputs   []string `json:"outputs,omitempty"`
	Documents int64    `json:"documents"`
	Bytes     int64    `json:"bytes"`
	// Read is the number of the documents that were read, also those that Clave refuses.
	Read int64 `json:"read"`
	Done bool  `json:"done,omitempty"`
}

// maxRefused is the number of refused documents that a state describes.
const maxRefused = 1000

// database returns the name of a database.
func (s *state) database(d *databaseState) resource.Database {
	return resource.Database{Project: s.Project, ID: d.ID}
}

// readState reads the state of a folder; nil if there is none.
func readState(dir string) (*state, error) {
	s := &state{path: filepath.Join(dir, stateName)}
	text, err := regularfile.ReadText(s.path, maxState)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(text, s)
	}
	if err == nil && (s.Version != stateVersion || s.Project == "") {
		err = errors.New("it is that of another version of Clave")
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.FailedPrecondition, "%s, which records an earlier download, cannot be read: %v. Remove the folder, or name another.", s.path, err)
	}
	return s, nil
}

// write replaces the state on disk; mu is held, or no other goroutine runs.
func (s *state) write() error {
	text, err := json.MarshalIndent(s, "", " ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(s.path), 0o700)
	}
	if err == nil {
		err = atomicfile.Write(s.path, text, 0o600)
	}
	if err != nil {
		return fault.Wrap(err, fault.FailedPrecondition, "cannot record the download: %v", err)
	}
	return nil
}

// documents returns how many documents are downloaded; mu is held, or no other goroutine runs.
func (s *state) documents() (n int64) {
	for _, db := range s.Databases {
		for _, p := range db.Partitions {
			n += p.Documents
		}
	}
	return n
}
