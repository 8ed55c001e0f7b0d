package backups

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"

	"clave/server/internal/app/datafolder"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/inventory"
	"clave/server/internal/model/resource"
	"clave/server/internal/store"
	"clave/server/internal/store/backup"
	"clave/server/internal/store/backup/series"
	"clave/server/internal/store/pebble"
	"clave/server/internal/store/release"
)

// Kept returns the backups, from the oldest to the newest, and the last proof.
func (s *Service) Kept(ctx context.Context) ([]series.Backup, series.Proof, error) {
	return s.Schedule.Kept(ctx)
}

// Databases returns the databases of which a backup has anything, in order. They are not known of a backup without an
// inventory, or one that is damaged or can't be decrypted here.
func (s *Service) Databases(ctx context.Context, b series.Backup) ([]resource.Database, error) {
	s.mu.Lock() // also while a list is read: lists can be large, so one call at a time reads them
	defer s.mu.Unlock()
	known, ok := s.mu.databases[b.Name]
	if ok || b.Damage != "" {
		return known, nil
	}
	text, err := s.series.Inventory(ctx, b)
	unknown := fault.Is(err, fault.DataLoss) || fault.Is(err, fault.FailedPrecondition) || fault.Is(err, fault.NotFound)
	if err != nil && !unknown {
		return nil, err
	}
	var counts []inventory.Count
	if text == nil || json.Unmarshal(text, &counts) != nil {
		counts = nil // not known
	}
	known = inventory.Databases(counts)
	if s.mu.databases == nil || len(s.mu.databases) >= maxKnown {
		s.mu.databases = make(map[string][]resource.Database)
	}
	s.mu.databases[b.Name] = known
	return known, nil
}

// maxKnown is the number of the backups whose databases are remembered.
const maxKnown = 10_000

// Read restores a backup to a temporary folder, verifies it, and calls use with its store. It calls report with the
// number of bytes that are restored, of all.
func (s *Service) Read(ctx context.Context, name string, report func(done, all int64), use func(store.Reader) error) (err error) {
	b, err := s.series.Find(ctx, name)
	if err != nil {
		return unread(ctx, name, err)
	}
	scratch, done, err := backup.ScratchCopy(filepath.Join(s.scratch, "restored"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	data := filepath.Join(scratch, "data")
	err = s.series.RestoreWith(ctx, b, data, report, func(folder string, inventory json.RawMessage) error {
		if err := pebble.Verify(ctx, folder, small(s.sizes)); err != nil {
			return err
		}
		return CompareInventory(ctx, folder, s.sizes, inventory)
	})
	if err != nil {
		return unread(ctx, name, err)
	}
	from, err := pebble.Open(filepath.Join(data, datafolder.Store), small(s.sizes))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }() // before the folder is removed
	return use(from)
}

// Copies makes databases as they are in other stores. engine.Engine implements it.
type Copies interface {
	CopyFrom(ctx context.Context, from store.Reader, source, to resource.Database, report func(done, all int64)) (int64, error)
}

// Restoration describes a database that is made from a backup.
type Restoration struct {
	// Backup is the name of the backup, From the database in it, and To the new one.
	Backup   string
	From, To resource.Database
	// Enterprise is set if From has the Enterprise edition, unless the backup says otherwise. Edition is called with the
	// edition before the new database is there, and an error ends the restoration.
	Enterprise bool
	Edition    func(enterprise bool) error
	// Report is called with the progress.
	Report func(percent int64)
}

// Restore makes a database as one is in a backup: it restores the backup to a temporary folder, which is the first half
// of the progress, and copies the documents. It returns FailedPrecondition without backups, for a nil Service.
func (s *Service) Restore(ctx context.Context, to Copies, r Restoration) error {
	if s == nil {
		return fault.E(fault.FailedPrecondition, "This server was started without --backup-to, the place of the backups.")
	}
	half := func(begin int64) func(done, all int64) {
		return func(done, all int64) { r.Report(begin + 50*done/max(all, 1)) }
	}
	return s.Read(ctx, r.Backup, half(0), func(from store.Reader) error {
		released, err := release.Load(from)
		if err != nil {
			return err
		}
		enterprise := r.Enterprise
		if made := released.Files[r.From.ID].Made; made != nil {
			enterprise = made.Enterprise
		}
		if err := r.Edition(enterprise); err != nil {
			return err
		}
		_, err = to.CopyFrom(ctx, from, r.From, r.To, half(50))
		return err
	})
}

// unread returns the error of a backup that was not restored, without the place of the backups, which is for operators.
func unread(ctx context.Context, name string, err error) error {
	text := map[fault.Code]string{
		fault.NotFound:           "The backup %s was removed.",
		fault.ResourceExhausted:  "The server has no space to restore the backup %s.",
		fault.DataLoss:           "The backup %s is damaged. The log of the server has the reason.",
		fault.FailedPrecondition: "The server can't restore the backup %s. Its log has the reason.",
	}[fault.CodeOf(err)]
	if text == "" || ctx.Err() != nil {
		return err
	}
	return fault.Wrap(err, fault.CodeOf(err), text, name)
}
