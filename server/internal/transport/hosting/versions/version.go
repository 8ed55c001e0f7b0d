package versions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"clave/server/internal/base/fault"
	"clave/server/internal/base/pattern"
	"clave/server/internal/base/randid"
)

// The limits of versions: the number of their files, the bytes of their paths together, of one path, of their unpacked
// files together, and of their configuration; and the number of versions that are not released, of which the oldest
// makes room for a new one.
const (
	maxFiles      = 20_000
	maxPaths      = 2 << 20
	maxPath       = 1024
	maxBytes      = 1 << 30
	maxConfig     = 256 << 10
	maxUnreleased = 20
)

// The states of versions.
const (
	Created   = "CREATED"
	Finalized = "FINALIZED"
)

// Version is a version of the site.
type Version struct {
	ID        string            `json:"id"`
	Status    string            `json:"status"`
	Config    *Config           `json:"config,omitempty"`
	Labels    map[string]string `json:"labels,omitempty"`
	Created   time.Time         `json:"created"`
	CreatedBy string            `json:"createdBy,omitempty"`
	// Finalized, FinalizedBy, FileCount and Bytes, of the unpacked files, are set when it is finalized.
	Finalized   time.Time `json:"finalized,omitzero"`
	FinalizedBy string    `json:"finalizedBy,omitempty"`
	FileCount   int       `json:"fileCount,omitempty"`
	Bytes       int64     `json:"bytes,omitempty"`
}

// record is the file of a version: the version, and the hashes of its files by their paths.
type record struct {
	Version
	Files map[string]string `json:"files,omitempty"`
}

// idPattern is the form of the ids of versions.
var idPattern = pattern.New(`^[0-9a-f]{16}$`)

// read returns the record of a version. The id must be that of a known one.
func (s *Site) read(id string) (*record, error) {
	text, err := s.place.version(id)
	if err != nil {
		return nil, fmt.Errorf("read a version of the site: %w", err)
	}
	var r record
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("read the version %s of the site: %w", id, err)
	}
	return &r, nil
}

// writeLocked writes the record of a version, which is known from then on; mu is held.
func (s *Site) writeLocked(r *record) error {
	text, err := json.Marshal(r)
	if err == nil {
		err = s.place.setVersion(r.ID, text)
	}
	if err != nil {
		return err
	}
	v := r.Version
	s.mu.versions[r.ID] = &v
	return nil
}

// unwritable returns the error for a change that could not be written to a folder; nil for nil.
func unwritable(err error) error {
	if err == nil {
		return nil
	}
	return fault.Wrap(err, fault.Unavailable, "The site's folder cannot be written: %v", reason(err))
}

// reason returns the cause of an error of a file without its path, which is not for clients.
func reason(err error) error {
	if of := (*fs.PathError)(nil); errors.As(err, &of) {
		return of.Err
	}
	if of := (*os.LinkError)(nil); errors.As(err, &of) {
		return of.Err
	}
	return err
}

// readVersions reads all versions at the start.
func (s *Site) readVersions() error {
	ids, err := s.place.versions()
	if err != nil {
		return err
	}
	for _, id := range ids {
		r, err := s.read(id)
		if err != nil {
			return err
		}
		s.mu.versions[id] = &r.Version
	}
	return nil
}

// Create creates a version without files. Of too many that are not released, the oldest is deleted.
func (s *Site) Create(by string, config *Config, labels map[string]string) (Version, error) {
	if err := checkConfig(config, labels); err != nil {
		return Version{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.makeRoomLocked(""); err != nil {
		return Version{}, err
	}
	r := &record{Version: Version{ID: newID(), Status: Created, Config: config, Labels: labels, Created: s.now(), CreatedBy: by}}
	return r.Version, s.writeLocked(r)
}

// makeRoomLocked deletes the oldest version that is not released, but another one than kept, if there are too many; mu
// is held.
func (s *Site) makeRoomLocked(kept string) error {
	released := s.releasedLocked()
	var open []*Version
	for _, v := range s.mu.versions {
		if !released[v.ID] && v.ID != kept {
			open = append(open, v)
		}
	}
	if len(open) < maxUnreleased {
		return nil
	}
	oldest := slices.MinFunc(open, func(a, b *Version) int { return a.Created.Compare(b.Created) })
	return s.removeVersionLocked(oldest.ID)
}

// newID returns the id of a new version.
func newID() string { return randid.From(16, "0123456789abcdef") }

// checkConfig returns InvalidArgument for a configuration or labels that can't be used.
func checkConfig(config *Config, labels map[string]string) error {
	text, err := json.Marshal(struct {
		Config *Config
		Labels map[string]string
	}{config, labels})
	if err != nil {
		return fault.Wrap(err, fault.InvalidArgument, "The configuration is not valid: %v", err)
	}
	if len(text) > maxConfig {
		return fault.E(fault.InvalidArgument, "The configuration and the labels of the version have %d bytes, more than %d.", len(text), maxConfig)
	}
	_, err = config.section()
	return err
}

// Get returns a version. It returns NotFound for others.
func (s *Site) Get(id string) (Version, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.mu.versions[id]
	if v == nil {
		return Version{}, errNoVersion(id)
	}
	return *v, nil
}

// errNoVersion returns the error for a version that does not exist.
func errNoVersion(id string) error {
	return fault.E(fault.NotFound, "Requested entity was not found: the version %q", id)
}

// Versions returns the versions, the newest first.
func (s *Site) Versions() []Version {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]Version, 0, len(s.mu.versions))
	for _, v := range s.mu.versions {
		all = append(all, *v)
	}
	slices.SortFunc(all, func(a, b Version) int {
		if order := b.Created.Compare(a.Created); order != 0 {
			return order
		}
		return strings.Compare(a.ID, b.ID)
	})
	return all
}

// File is a file of a version.
type File struct {
	Path, Hash string
	// Uploaded is set once the folder has the content.
	Uploaded bool
}

// Files returns the files of a version, by their paths.
func (s *Site) Files(id string) ([]File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.versions[id] == nil {
		return nil, errNoVersion(id)
	}
	r, err := s.read(id)
	if err != nil {
		return nil, err
	}
	all := make([]File, 0, len(r.Files))
	for name, hash := range r.Files {
		_, has := s.place.size(hash)
		all = append(all, File{name, hash, has})
	}
	slices.SortFunc(all, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}

// createdLocked returns the record of a version that is not finalized; mu is held.
func (s *Site) createdLocked(id string) (*record, error) {
	switch v := s.mu.versions[id]; {
	case v == nil:
		return nil, errNoVersion(id)
	case v.Status != Created:
		return nil, fault.E(fault.FailedPrecondition, "The version %s is finalized and cannot be changed.", id)
	}
	return s.read(id)
}

// Populate adds files to a version that is not finalized, and returns the hashes of the contents that must be uploaded,
// sorted. All files are checked before one is added.
func (s *Site) Populate(id string, files map[string]string) (missing []string, err error) {
	for name, hash := range files {
		if err := checkPath(name); err != nil {
			return nil, err
		}
		if !hashPattern.MatchString(hash) {
			return nil, fault.E(fault.InvalidArgument, "The hash of %q is %q, expected the SHA-256 of the gzipped content in hexadecimal digits.", name, hash)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.createdLocked(id)
	if err != nil {
		return nil, err
	}
	if r.Files == nil {
		r.Files = make(map[string]string, len(files))
	}
	for name, hash := range files {
		r.Files[name] = hash
	}
	paths := 0
	for name := range r.Files {
		paths += len(name)
	}
	if len(r.Files) > maxFiles || paths > maxPaths {
		return nil, fault.E(fault.ResourceExhausted, "The version has %d files with paths of %d bytes, more than %d or %d.", len(r.Files), paths, maxFiles, maxPaths)
	}
	if err := s.writeLocked(r); err != nil {
		return nil, err
	}
	needed := make(map[string]bool)
	for _, hash := range files {
		if _, has := s.place.size(hash); !has && !needed[hash] {
			needed[hash] = true
			missing = append(missing, hash)
		}
	}
	slices.Sort(missing)
	s.mu.wanted[id] = wanted(r)
	return missing, nil
}

// wanted returns the hashes of a version's files.
func wanted(r *record) map[string]bool {
	all := make(map[string]bool, len(r.Files))
	for _, hash := range r.Files {
		all[hash] = true
	}
	return all
}

// checkPath returns InvalidArgument for a path that no URL of a file has.
func checkPath(name string) error {
	switch {
	case len(name) > maxPath:
		return fault.E(fault.InvalidArgument, "The path %.100q… has %d bytes, more than %d.", name, len(name), maxPath)
	case !strings.HasPrefix(name, "/") || name == "/" || path.Clean(name) != name || !fs.ValidPath(name[1:]):
		return fault.E(fault.InvalidArgument, "The path %q is not valid: it must begin with a slash and have no empty segments, \".\" or \"..\".", name)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' }):
		return fault.E(fault.InvalidArgument, "The path %q has characters that are not allowed.", name)
	}
	return nil
}

// Finalize finalizes a version, with a configuration and labels unless they are nil. It returns FailedPrecondition if
// contents have not been uploaded.
func (s *Site) Finalize(ctx context.Context, id, by string, config *Config, labels map[string]string) (Version, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.changedLocked(id, config, labels)
	if err == nil {
		err = s.finish(ctx, r, by)
	}
	if err == nil {
		err = s.writeLocked(r)
	}
	if err != nil {
		return Version{}, err
	}
	delete(s.mu.wanted, id)
	return r.Version, nil
}

// finish sets what a version has from its finalization on, after its contents are on disk. The record is not written.
func (s *Site) finish(ctx context.Context, r *record, by string) error {
	absent := 0
	for _, hash := range r.Files {
		if ctx.Err() != nil {
			return fault.Ended(ctx.Err(), "The request was cancelled.")
		}
		size, has := s.place.size(hash)
		if !has {
			absent++
		}
		r.Bytes += size
	}
	if absent > 0 {
		if _, err := s.place.state(); err != nil { // nor can contents be read
			return err
		}
		return fault.E(fault.FailedPrecondition, "%d of the %d files of the version have not been uploaded.", absent, len(r.Files))
	}
	if r.Bytes > maxBytes {
		return fault.E(fault.ResourceExhausted, "The files of the version have %d bytes together, more than %d.", r.Bytes, int64(maxBytes))
	}
	if err := s.place.sync(); err != nil {
		return err
	}
	r.Status, r.Finalized, r.FinalizedBy, r.FileCount = Finalized, s.now(), by, len(r.Files)
	return nil
}

// Update replaces the configuration and the labels of a version that is not finalized, unless they are nil.
func (s *Site) Update(id string, config *Config, labels map[string]string) (Version, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.changedLocked(id, config, labels)
	if err != nil {
		return Version{}, err
	}
	return r.Version, s.writeLocked(r)
}

// changedLocked returns the record of a version that is not finalized, with another configuration and other labels
// unless they are nil; mu is held. The record is not written.
func (s *Site) changedLocked(id string, config *Config, labels map[string]string) (*record, error) {
	r, err := s.createdLocked(id)
	if err != nil {
		return nil, err
	}
	if config != nil {
		r.Config = config
	}
	if labels != nil {
		r.Labels = labels
	}
	return r, checkConfig(r.Config, r.Labels)
}

// Delete deletes a version that no channel serves. Releases of it remain without it.
func (s *Site) Delete(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.versions[id] == nil {
		return errNoVersion(id)
	}
	for _, c := range s.mu.state.Channels {
		if len(c.Releases) > 0 && c.Releases[0].Version == id {
			return fault.E(fault.FailedPrecondition, "The version %s is released in the channel %s.", id, c.ID)
		}
	}
	if err := s.removeVersionLocked(id); err != nil {
		return err
	}
	return s.collectLocked()
}

// removeVersionLocked removes the record of a version; mu is held. Its contents are left for collectLocked.
func (s *Site) removeVersionLocked(id string) error {
	if err := s.place.removeVersion(id); err != nil {
		return err
	}
	delete(s.mu.versions, id)
	delete(s.mu.wanted, id)
	return nil
}
