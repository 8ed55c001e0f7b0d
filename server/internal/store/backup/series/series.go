package series

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"clave/server/internal/base/atomicfile"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/store/backup"
)

// The files of a series besides its backups: whose data it has, the last proof, and the lock of the process that
// writes.
const (
	ownerName = "series.json"
	proofName = "proof.json"
	lockName  = "series.lock"
)

// nameForm is the form of the names of backups, the time in UTC. Names have the order of times.
const nameForm = "2006-01-02T15-04-05Z"

// Series is a folder of backups.
type Series struct {
	// Dir is the folder, an absolute path.
	Dir string
}

// Backup is a complete backup of a series.
type Backup struct {
	// Name is that of its folder.
	Name string
	Time time.Time
	// Bytes is the size of its files.
	Bytes int64
	// Damage is the reason why the backup can't be restored, or empty. Only its list is read.
	Damage string
}

// Path returns the folder of a backup.
func (s Series) Path(b Backup) string { return filepath.Join(s.Dir, b.Name) }

// List returns the backups from the oldest to the newest. It ignores whatever else is in the folder, such as unfinished
// backups.
func (s Series) List() ([]Backup, error) {
	entries, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Wrap(err, fault.NotFound, "%s does not exist; name the folder that clave serve has as --backup-to", s.Dir)
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.FailedPrecondition, "cannot read the backups: %v", err)
	}
	var all []Backup
	for _, entry := range entries {
		at, err := time.Parse(nameForm, entry.Name())
		if err != nil || !entry.IsDir() {
			continue
		}
		b := Backup{Name: entry.Name(), Time: at}
		if b.Bytes, err = backup.Size(s.Path(b)); err != nil {
			b.Damage = fault.FromError(err).Message
		}
		all = append(all, b)
	}
	return all, nil // in the order of names
}

// Find returns the backup with a name, or the newest one for an empty name.
func (s Series) Find(name string) (Backup, error) {
	all, err := s.List()
	if err != nil {
		return Backup{}, err
	}
	if name == "" {
		newest, ok := Newest(all)
		if !ok {
			return Backup{}, fault.E(fault.NotFound, "%s has no backup", s.Dir)
		}
		return newest, nil
	}
	i := slices.IndexFunc(all, func(b Backup) bool { return b.Name == name })
	if i < 0 {
		return Backup{}, fault.E(fault.NotFound, "%s has no backup %q; clave backups list --from %s shows them", s.Dir, name, s.Dir)
	}
	return all[i], nil
}

// Newest returns the newest backup of a list that is not known to be damaged.
func Newest(all []Backup) (newest Backup, ok bool) {
	for _, b := range slices.Backward(all) {
		if b.Damage == "" {
			return b, true
		}
	}
	return Backup{}, false
}

// Lock locks the series for a process that writes to it, until the lock is closed.
func (s Series) Lock() (io.Closer, error) {
	lock, err := vfs.Default.Lock(filepath.Join(s.Dir, lockName))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil, fault.Wrap(err, fault.FailedPrecondition, "cannot write the backups to %s: %v", s.Dir, err)
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.FailedPrecondition, "cannot write to %s: another server or command is writing backups there", s.Dir)
	}
	return lock, nil
}

// Request is a request for a backup.
type Request struct {
	// Source is the store, and Data its data folder.
	Source backup.Source
	Data   string
	// ID is the identity of the data.
	ID string
	// Rate is the maximum number of bytes that are read in a second; zero for no limit.
	Rate  int64
	Clock clock.Clock
}

// Make makes a backup. The series must be locked. Its folder, whose parent must exist, is created.
func (s Series) Make(ctx context.Context, r Request) (Backup, backup.Made, error) {
	if err := s.own(r.ID); err != nil {
		return Backup{}, backup.Made{}, err
	}
	all, err := s.List()
	if err != nil {
		return Backup{}, backup.Made{}, err
	}
	newest, ok := Newest(all)
	base := ""
	if ok {
		base = s.Path(newest)
	}
	b := Backup{Time: r.Clock.Now().UTC().Truncate(time.Second)}
	b.Name = b.Time.Format(nameForm)
	made, err := backup.MakeNext(ctx, r.Source, r.Data, s.Path(b), backup.Next{Base: base, Rate: r.Rate, Clock: r.Clock})
	b.Bytes = made.Bytes
	return b, made, err
}

// owner is the content of the file that says whose data a series has.
type owner struct {
	Format int    `json:"format"`
	Data   string `json:"data"`
}

// own makes a series without an owner that of the data with an identity. It returns an error if the series is that of
// other data.
func (s Series) own(id string) error {
	file := filepath.Join(s.Dir, ownerName)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		if text, err = json.Marshal(owner{Format: 1, Data: id}); err == nil {
			err = atomicfile.Write(file, append(text, '\n'), fileMode)
		}
		return err
	}
	if err != nil {
		return err
	}
	var is owner
	if err := json.Unmarshal(text, &is); err != nil || is.Data == "" {
		return fault.Wrap(err, fault.FailedPrecondition, "%s is damaged, so it is not known whose backups are in its folder. Choose another folder with --backup-to.", file)
	}
	if is.Format > 1 {
		return fault.E(fault.FailedPrecondition, "%s was written by a newer version of clave; use that version, or choose another folder with --backup-to", file)
	}
	if is.Data != id {
		return fault.E(fault.FailedPrecondition, "%s has the backups of other data. Choose another folder with --backup-to.", s.Dir)
	}
	return nil
}

// fileMode is the mode of written files: only the owner has access.
const fileMode = 0o600

// Create creates the folder of a series if it is absent. Its parent must exist: the folder below a disk that is not
// mounted must not be created.
func (s Series) Create() error {
	if err := os.Mkdir(s.Dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fault.Wrap(err, fault.FailedPrecondition, "cannot create the folder of the backups: %v", err)
	}
	return nil
}

// Proof records that a backup was restored and found complete.
type Proof struct {
	Backup string    `json:"backup"`
	Time   time.Time `json:"time"`
}

// LastProof returns the last proof, or a zero Proof if there is none or its file can't be read.
func (s Series) LastProof() Proof {
	var p Proof
	text, err := os.ReadFile(filepath.Join(s.Dir, proofName))
	if err != nil || json.Unmarshal(text, &p) != nil {
		return Proof{}
	}
	return p
}

// Record records a proof.
func (s Series) Record(p Proof) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(s.Dir, proofName), append(text, '\n'), fileMode)
}

// Prune removes the backups that keep does not keep at a time, and returns their names. The series must be locked.
func (s Series) Prune(keep Keep, now time.Time) (removed []string, err error) {
	all, err := s.List()
	if err != nil {
		return nil, err
	}
	for _, b := range keep.Expired(all, now) {
		if err := backup.Remove(s.Path(b)); err != nil {
			return removed, err
		}
		removed = append(removed, b.Name)
	}
	return removed, nil
}
