package series

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/base/pattern"
	"clave/server/internal/store/backup"
	"clave/server/internal/store/backup/target"
	"clave/server/internal/store/changelog"
)

// manifest is the list of a backup.
type manifest struct {
	Format int `json:"format"`
	// Bytes is the size of the files.
	Bytes int64 `json:"bytes"`
	// Objects are the objects of the files, each once.
	Objects []object `json:"objects"`
	// Log is the place of the backup in the log of the data; absent if that was not shipped.
	Log *Place `json:"log,omitempty"`
	// Contents are the files, and Sealed the same, encrypted; one of them is present.
	Contents *contents `json:"contents,omitempty"`
	Sealed   []byte    `json:"sealed,omitempty"`
}

// contents are what a backup has.
type contents struct {
	Files []backup.File `json:"files"`
	// Inventory is what Request.Inventory has counted in the store, or absent.
	Inventory json.RawMessage `json:"inventory,omitempty"`
}

// Place is the place of a backup in a log: the backup has the state after an operation from From to To.
type Place struct {
	// Log is the id of the log.
	Log  string `json:"log"`
	From uint64 `json:"from"`
	To   uint64 `json:"to"`
	// At is the time of the operation To in microseconds.
	At int64 `json:"at"`
}

// Time returns the time from which on states can be restored by the backup and the log.
func (p Place) Time() time.Time { return time.UnixMicro(p.At).UTC() }

// object is an object of a backup.
type object struct {
	// Name is the name below objects/, without it.
	Name string `json:"name"`
	// Size and SHA256 are those of the stored bytes.
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
	// Tag is the target's tag when the object was last compared.
	Tag string `json:"tag,omitempty"`
}

// envelope is the form in which a list is stored. SHA256 is the checksum of the bytes of Backup.
type envelope struct {
	SHA256 string          `json:"sha256"`
	Backup json.RawMessage `json:"backup"`
}

// manifestFormat is the number of the newest format of lists. Those without changes have the number 1.
const manifestFormat = 2

// maxManifest is the maximum size of a list in bytes: that of some 300,000 files.
const maxManifest = 128 << 20

// The folders of a target.
const (
	manifestFolder = "backups/"
	manifestSuffix = ".json"
	objectFolder   = "objects/"
)

// objectName is the form of the names of objects: a checksum, and random characters for encrypted ones.
var objectName = pattern.New(`^[0-9a-f]{64}(-[0-9A-Za-z]{1,40})?$`)

// path returns the object's name in the target. Objects are spread over folders, since some file systems are slow with
// many files in one.
func (o object) path() string { return objectFolder + o.Name[:2] + "/" + o.Name }

// sum returns the checksum of bytes in hexadecimal digits.
func sum(content []byte) string {
	digest := sha256.Sum256(content)
	return hex.EncodeToString(digest[:])
}

// encode returns the stored form of a list.
func (m *manifest) encode() ([]byte, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	return json.Marshal(envelope{SHA256: sum(text), Backup: text})
}

// parseManifest parses the stored form of a list.
func parseManifest(text []byte) (*manifest, error) {
	var e envelope
	if err := json.Unmarshal(text, &e); err != nil || sum(e.Backup) != e.SHA256 {
		return nil, fault.E(fault.DataLoss, "its list is damaged")
	}
	m := &manifest{}
	var form struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(e.Backup, &form); err == nil && form.Format > manifestFormat {
		return nil, fault.E(fault.FailedPrecondition, "it was made by a newer version of clave; use that version")
	}
	if err := json.Unmarshal(e.Backup, m); err != nil || m.Format < 1 || m.Bytes < 0 || (m.Contents == nil) == (m.Sealed == nil) {
		return nil, fault.Wrap(err, fault.DataLoss, "its list is damaged")
	}
	if m.Log != nil && (!changelog.IsID(m.Log.Log) || m.Log.From > m.Log.To || m.Log.At < 0) {
		return nil, fault.E(fault.DataLoss, "its list is damaged: it has no place in a log")
	}
	for _, o := range m.Objects {
		if !objectName.MatchString(o.Name) || o.Size < 0 {
			return nil, fault.E(fault.DataLoss, "its list is damaged: it has the object %q", o.Name)
		}
	}
	return m, nil
}

// contents returns the files of a list, each with an object of it unless it is empty.
func (m *manifest) contents(keys *Keys) (*contents, error) {
	c := m.Contents
	if c == nil {
		r, err := keys.open(bytes.NewReader(m.Sealed))
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(io.LimitReader(r, maxManifest))
		if err == nil {
			c = &contents{}
			err = json.Unmarshal(text, c)
		}
		if err != nil {
			return nil, fault.Wrap(err, fault.DataLoss, "its list is damaged: %v", err)
		}
	}
	if err := backup.CheckFiles(c.Files); err != nil {
		return nil, err
	}
	known := m.byName()
	for _, f := range c.Files {
		if _, ok := known[f.Object]; !ok && f.Size > 0 {
			return nil, fault.E(fault.DataLoss, "its list is damaged: the file %s has no object", f.Name)
		}
	}
	return c, nil
}

// byName returns the objects by their names.
func (m *manifest) byName() map[string]object {
	all := make(map[string]object, len(m.Objects))
	for _, o := range m.Objects {
		all[o.Name] = o
	}
	return all
}

// readSmall reads an object of a limited size.
func readSmall(ctx context.Context, t target.Target, name string, most int64) ([]byte, error) {
	r, err := t.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(r, most+1))
	if err = errors.Join(err, r.Close()); err != nil {
		return nil, err
	}
	if int64(len(text)) > most {
		return nil, fault.E(fault.DataLoss, "%s in %s is larger than %d bytes", name, t, most)
	}
	return text, nil
}

// writeSmall writes an object.
func writeSmall(ctx context.Context, t target.Target, name string, content []byte) error {
	_, err := t.Put(ctx, name, bytes.NewReader(content), int64(len(content)))
	return err
}

// manifest reads the list of a backup. NotFound means that it was removed.
func (s *Series) manifest(ctx context.Context, name string) (*manifest, error) {
	text, err := readSmall(ctx, s.o.Target, manifestFolder+name+manifestSuffix, maxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Wrap(err, fault.NotFound, "%s has no backup %q; clave backups list --from %s shows them", s, name, s)
	}
	if err != nil {
		return nil, err
	}
	return parseManifest(text)
}
