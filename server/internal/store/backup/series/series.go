package series

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/store/backup/target"
)

// The objects of a series besides its backups: whose data it has, and the last proof.
const (
	ownerName = "series.json"
	proofName = "proof.json"
)

// maxSmall is the maximum size of these objects in bytes.
const maxSmall = 64 << 10

// nameForm is the form of the names of backups, the time in UTC. Names have the order of times.
const nameForm = "2006-01-02T15-04-05Z"

// Options configure New.
type Options struct {
	Target target.Target
	// Keys encrypt new backups, and decrypt them; nil for none.
	Keys *Keys
	// Open opens a store that is not in use, to read what a backup copies, or to apply changes and logs to what is being
	// restored. Nil means that backups have no changes.
	Open func(folder string) (Store, error)
}

// Series are the backups in a target. All methods are safe for concurrent use.
type Series struct {
	o  Options
	mu struct {
		sync.Mutex
		// read are the backups whose lists were read, by the objects of the lists.
		read map[target.Object]Backup
	}
}

// New returns the backups in a target.
func New(o Options) *Series { return &Series{o: o} }

// String returns the place of the backups.
func (s *Series) String() string { return s.o.Target.String() }

// Backup is a complete backup of a series.
type Backup struct {
	// Name is made of its time.
	Name string
	Time time.Time
	// Bytes is the size of its files.
	Bytes int64
	// Encrypted is set if a secret key is needed to restore it.
	Encrypted bool
	// Log is the place in the log of the data; zero if that was not shipped, or was removed as old.
	Log Place
	// Damage is the reason why the backup can't be restored, or empty. Only its list is read.
	Damage string
}

// describe takes what the list of the backup says about it.
func (b *Backup) describe(m *manifest) {
	b.Bytes, b.Encrypted = m.Bytes, m.Sealed != nil
	if m.Log != nil {
		b.Log = *m.Log
	}
}

// Path returns the place of a backup, for messages.
func (s *Series) Path(b Backup) string { return s.String() + "/" + b.Name }

// List returns the backups from the oldest to the newest. It ignores whatever else is in the target.
func (s *Series) List(ctx context.Context) ([]Backup, error) {
	objects, err := s.o.Target.List(ctx, manifestFolder)
	if err != nil {
		return nil, err
	}
	kept, err := s.readKept(ctx)
	if err != nil {
		return nil, err
	}
	var all []Backup
	read := make(map[target.Object]Backup)
	for _, o := range objects {
		name := strings.TrimSuffix(strings.TrimPrefix(o.Name, manifestFolder), manifestSuffix)
		at, err := time.Parse(nameForm, name)
		if err != nil || o.Name != manifestFolder+name+manifestSuffix {
			continue
		}
		b, ok := s.known(o)
		if !ok {
			b = Backup{Name: name, Time: at}
			m, err := s.manifest(ctx, name)
			switch {
			case fault.Is(err, fault.NotFound):
				continue // It was removed meanwhile.
			case err == nil:
				b.describe(m)
			case fault.Is(err, fault.DataLoss), fault.Is(err, fault.FailedPrecondition):
				b.Damage = fault.Reason(err)
			default:
				return nil, err
			}
		}
		read[o] = b
		all = append(all, b)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.read = read
	for i, b := range all {
		if from, ok := kept.From[b.Log.Log]; ok && b.Log.From < from {
			all[i].Log = Place{}
		}
	}
	return all, nil // in the order of names
}

// known returns the backup whose list was read from an object. It returns false if the list was not read.
func (s *Series) known(o target.Object) (Backup, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.mu.read[o]
	return b, ok
}

// Find returns the backup with a name, or the newest one for an empty name.
func (s *Series) Find(ctx context.Context, name string) (Backup, error) {
	all, err := s.List(ctx)
	if err != nil {
		return Backup{}, err
	}
	if name == "" {
		newest, ok := Newest(all)
		if !ok {
			return Backup{}, fault.E(fault.NotFound, "%s has no backup", s)
		}
		return newest, nil
	}
	i := slices.IndexFunc(all, func(b Backup) bool { return b.Name == name })
	if i < 0 {
		return Backup{}, fault.E(fault.NotFound, "%s has no backup %q; clave backups list --from %s shows them", s, name, s)
	}
	return all[i], nil
}

// Newest returns the newest backup of a list that is not known to be damaged. ok is false if there is none.
func Newest(all []Backup) (newest Backup, ok bool) {
	for _, b := range slices.Backward(all) {
		if b.Damage == "" {
			return b, true
		}
	}
	return Backup{}, false
}

// Lock locks the series for a process that writes to it, until the lock is closed.
func (s *Series) Lock(ctx context.Context) (target.Lock, error) {
	return s.o.Target.Lock(ctx, target.Backups, "")
}

// owner is the content of the object that says whose data a series has.
type owner struct {
	Format int    `json:"format"`
	Data   string `json:"data"`
}

// own makes a series without an owner that of the data with an identity. It returns an error if the series is that of
// other data.
func (s *Series) own(ctx context.Context, id string) error {
	text, err := readSmall(ctx, s.o.Target, ownerName, maxSmall)
	if errors.Is(err, fs.ErrNotExist) {
		if text, err = json.Marshal(owner{Format: 1, Data: id}); err != nil {
			return err
		}
		err = writeSmall(ctx, s.o.Target, ownerName, append(text, '\n'))
		if errors.Is(err, fs.ErrNotExist) { // Whoever took the other lock meanwhile has removed what was not finished.
			err = writeSmall(ctx, s.o.Target, ownerName, append(text, '\n'))
		}
		return err
	}
	if err != nil {
		return err
	}
	var is owner
	if err := json.Unmarshal(text, &is); err != nil || is.Data == "" {
		return fault.Wrap(err, fault.FailedPrecondition, "%s/%s is damaged, so it is not known whose backups are there. Choose another place with --backup-to.", s, ownerName)
	}
	if is.Format > 1 {
		return fault.E(fault.FailedPrecondition, "%s/%s was written by a newer version of clave; use that version, or choose another place with --backup-to", s, ownerName)
	}
	if is.Data != id {
		return fault.E(fault.FailedPrecondition, "%s has the backups of other data. Choose another place with --backup-to.", s)
	}
	return nil
}

// Proof records that a backup was restored and found complete.
type Proof struct {
	Backup string    `json:"backup"`
	Time   time.Time `json:"time"`
	// Second is the time of the log whose state was restored too; zero if the log is not shipped.
	Second time.Time `json:"second,omitzero"`
	// Failed is the last attempt, if it failed; nil if it succeeded.
	Failed *FailedProof `json:"failed,omitempty"`
}

// FailedProof records that a backup could not be restored, or not found complete.
type FailedProof struct {
	// Backup is empty if there was none that could be restored, and Second zero if no time of the log was restored.
	Backup string    `json:"backup"`
	Time   time.Time `json:"time"`
	Second time.Time `json:"second,omitzero"`
	Reason string    `json:"reason"`
}

// LastProof returns the last proof, or a zero Proof if there is none or its record is damaged. It returns an error if
// it can't be read now.
func (s *Series) LastProof(ctx context.Context) (p Proof, err error) {
	text, err := readSmall(ctx, s.o.Target, proofName, maxSmall)
	switch {
	case errors.Is(err, fs.ErrNotExist), fault.Is(err, fault.DataLoss):
		return Proof{}, nil
	case err != nil:
		return Proof{}, err
	case json.Unmarshal(text, &p) != nil:
		return Proof{}, nil
	}
	return p, nil
}

// longestReason is the maximum size of a reason in a record, in bytes. In JSON it may take six times as much.
const longestReason = 8 << 10

// Record records a proof. The reason of a failure may name documents, and is left out if backups are encrypted, because
// the record is not. Of a very long one the beginning is recorded, so that the record can be read.
func (s *Series) Record(ctx context.Context, p Proof) error {
	if p.Failed != nil {
		failed := *p.Failed
		switch {
		case s.o.Keys != nil:
			failed.Reason = "the reason is in the log of the server that has tried it"
		case len(failed.Reason) > longestReason:
			failed.Reason = strings.ToValidUTF8(failed.Reason[:longestReason], "") + "…"
		}
		p.Failed = &failed
	}
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return writeSmall(ctx, s.o.Target, proofName, append(text, '\n'))
}

// Prune removes the backups that neither keep nor more keeps at a time, and returns their names, and objects that no
// backup has.
func (s *Series) Prune(ctx context.Context, lock target.Lock, keep Keep, now time.Time, more ...Daily) (removed []string, err error) {
	all, err := s.List(ctx)
	if err != nil {
		return nil, err
	}
	for _, b := range keep.Expired(all, now, more...) {
		if err := lock.Held(); err != nil {
			return removed, err
		}
		if err := s.o.Target.Remove(ctx, manifestFolder+b.Name+manifestSuffix); err != nil {
			return removed, err
		}
		removed = append(removed, b.Name)
	}
	if err := s.sweep(ctx, lock); err != nil {
		return removed, err
	}
	return removed, s.pruneLogs(ctx, lock, keep, now)
}

// sweep removes the objects that no backup has: those of removed backups, and of backups that were never complete.
// While a list can't be read, it is not known which objects are needed, and all stay.
func (s *Series) sweep(ctx context.Context, lock target.Lock) error {
	all, err := s.List(ctx)
	if err != nil {
		return err
	}
	needed := make(map[string]bool)
	for _, b := range all {
		m, err := s.manifest(ctx, b.Name)
		if err != nil {
			return fault.Wrap(err, fault.CodeOf(err), "no content is removed from %s, because the backup %s can't be read: %s", s, b.Name, fault.Reason(err))
		}
		for _, o := range m.Objects {
			needed[o.path()] = true
		}
	}
	objects, err := s.o.Target.List(ctx, objectFolder)
	if err != nil {
		return err
	}
	for _, o := range objects {
		if needed[o.Name] {
			continue
		}
		if err := lock.Held(); err != nil {
			return err
		}
		if err := s.o.Target.Remove(ctx, o.Name); err != nil {
			return err
		}
	}
	return nil
}
