// Package release keeps the rules and index definitions that all nodes of a store have in force.
//
// A Release is one value under one key of the store, so the order of the store's batches is also that of releases, and
// every state of the store contains its release. Its files were checked before; they are stored as text.
package release

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"clave/server/internal/store"
)

// File is a file that was released.
type File struct {
	// Name is the path from which it was read, for people.
	Name string `json:"name"`
	Text string `json:"text"`
	// Created is the time of the database's first release of a file of this kind, and Time that of this text; zero in
	// releases from before they were recorded.
	Created time.Time `json:"created,omitzero"`
	Time    time.Time `json:"time,omitzero"`
}

// follow returns the file as it is released at a time in place of the one before, which may be nil. A file with the
// same text stays.
func (f *File) follow(before *File, at time.Time) *File {
	switch {
	case f == nil:
		return before
	case before != nil && before.Text == f.Text:
		return before
	}
	next := &File{Name: f.Name, Text: f.Text, Created: at, Time: at}
	if before != nil && !before.Created.IsZero() {
		next.Created = before.Created
	}
	return next
}

// Database holds the files that are released for one database; nil for a file that is not released.
type Database struct {
	Rules   *File `json:"rules,omitempty"`
	Indexes *File `json:"indexes,omitempty"`
	// Made is set for a database that was made while the server ran.
	Made *Made `json:"made,omitempty"`
}

// Paths are the files of one database that firebase.json names.
type Paths struct {
	// ID is the database's id; "(default)" when firebase.json names none.
	ID string
	// RulesFile is the path of the rules, or empty.
	RulesFile string
	// IndexesFile is the path of the index definitions, or empty.
	IndexesFile string
}

// Files are the released files, by the id of the database.
type Files map[string]Database

// Release is the release in force. The zero Release is the state before the first.
type Release struct {
	// Version counts the releases of a store.
	Version int64 `json:"version"`
	// Time is the time of the release, and By the node or machine that made it.
	Time  time.Time `json:"time"`
	By    string    `json:"by"`
	Files Files     `json:"files"`
}

// key is the key of the release in a store.
const key = "release/current"

// Key returns the key of the release in a store.
func Key() []byte { return []byte(key) }

// Load returns the release of a store.
func Load(r store.Reader) (*Release, error) {
	value, _, err := r.Get(Key())
	if err != nil {
		return nil, fmt.Errorf("read the release: %w", err)
	}
	return Decode(value)
}

// Decode decodes the value of a release. No value decodes to the zero Release.
func Decode(value []byte) (*Release, error) {
	r := &Release{}
	if len(value) == 0 {
		return r, nil
	}
	if err := json.Unmarshal(value, r); err != nil {
		return nil, fmt.Errorf("read the release: %w", err)
	}
	return r, nil
}

// Encode returns the value of a release.
func (r *Release) Encode() ([]byte, error) { return json.Marshal(r) }

// Digest returns a short digest of the texts in force, and of the databases that were made. It does not depend on the
// names of files.
func (r *Release) Digest() string {
	texts := make(map[string][2]*string, len(r.Files))
	made := make(map[string]*Made)
	for id, d := range r.Files {
		var both [2]*string
		for i, f := range []*File{d.Rules, d.Indexes} {
			if f != nil {
				both[i] = &f.Text
			}
		}
		texts[id] = both
		if d.Made != nil {
			made[id] = d.Made
		}
	}
	var all any = texts
	if len(made) > 0 {
		all = []any{texts, made}
	}
	text, err := json.Marshal(all)
	if err != nil {
		panic(err) // strings and times are JSON
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:6])
}

// With returns the next release, in which files replace those of the same databases and kinds, and all of a database
// that is made. If the texts are the same already, it returns this release, and changed is false.
func (r *Release) With(files Files, by string, at time.Time) (next *Release, changed bool) {
	next = &Release{Version: r.Version + 1, Time: at.UTC().Truncate(time.Millisecond), By: by, Files: maps.Clone(r.Files)}
	if next.Files == nil {
		next.Files = make(Files)
	}
	for id, d := range files {
		both := next.Files[id]
		if d.Made != nil { // it has nothing of a former database
			both = Database{}
		}
		next.Files[id] = Database{
			Rules: d.Rules.follow(both.Rules, next.Time), Indexes: d.Indexes.follow(both.Indexes, next.Time), Made: cmp.Or(d.Made, both.Made),
		}
	}
	if next.Digest() == r.Digest() {
		return r, false
	}
	return next, true
}

// Missing returns those of files for which a release has no file of the same database and kind.
func (r *Release) Missing(files Files) Files {
	missing := make(Files)
	for id, d := range files {
		there := r.Files[id]
		if there.Rules != nil {
			d.Rules = nil
		}
		if there.Indexes != nil {
			d.Indexes = nil
		}
		if d != (Database{}) {
			missing[id] = d
		}
	}
	return missing
}

// Differing returns the names of those files whose text differs from the released one.
func (r *Release) Differing(files Files) []string {
	var names []string
	for id, d := range files {
		there := r.Files[id]
		for _, pair := range [][2]*File{{d.Rules, there.Rules}, {d.Indexes, there.Indexes}} {
			if own, released := pair[0], pair[1]; own != nil && released != nil && own.Text != released.Text {
				names = append(names, own.Name)
			}
		}
	}
	return names
}
