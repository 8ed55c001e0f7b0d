// Package backups wires the backups that a server makes, and the verification of data folders and backups.
package backups

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"clave/server/internal/app/config"
	"clave/server/internal/app/datafolder"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	basefolder "clave/server/internal/base/folder"
	"clave/server/internal/base/randid"
	"clave/server/internal/base/regularfile"
	"clave/server/internal/database/verify"
	"clave/server/internal/model/resource"
	"clave/server/internal/observe/prometheus"
	"clave/server/internal/store"
	"clave/server/internal/store/backup"
	"clave/server/internal/store/backup/schedule"
	"clave/server/internal/store/backup/series"
	"clave/server/internal/store/backup/shipping"
	"clave/server/internal/store/backup/target"
	"clave/server/internal/store/backup/target/bucket"
	"clave/server/internal/store/changelog"
	"clave/server/internal/store/pebble"
)

// rate is the maximum number of bytes that a backup on the schedule reads in a second: at half of it, the rest of a
// slow disk is left for requests.
const rate = 64 << 20

// The keys of random texts in a store: the identity of its data, which keeps two servers from writing to one place of
// backups, and a secret with which the names of encrypted contents are made.
const (
	identityKey = "backup/identity"
	secretKey   = "backup/secret"
)

// Source is the store of a server.
type Source interface {
	store.Store
	backup.Source
}

// Options configure New.
type Options struct {
	// Sizes are the options of the server's store.
	Sizes pebble.Options
	// Changes collects what is written to the store; nil if the log is not shipped.
	Changes *changelog.Log
	Clock   clock.Clock
	Log     *slog.Logger
}

// Service makes the backups of a server.
type Service struct {
	// Schedule makes and proves backups.
	Schedule *schedule.Schedule
	// Plan has the schedules of databases, which count beside the configuration.
	Plan *schedule.Plan
	// Shipper ships the log of the data; nil if it is not shipped.
	Shipper *shipping.Shipper
	series  *series.Series
	sizes   pebble.Options
	scratch string
	clock   clock.Clock
	mu      struct {
		sync.Mutex
		// databases are those of backups, by the names of the backups.
		databases map[string][]resource.Database
	}
}

// New returns the service of the backups of a store, or nil if the configuration has no place for them. Nothing else
// may write to the store before. Among nodes, only the one that leads may run it.
func New(ctx context.Context, c *config.Config, s Source, o Options) (*Service, error) {
	b := c.Backups
	if b.At == "" {
		return nil, nil
	}
	at, keys, err := open(&b.BackupPlace, o.Clock)
	if err != nil {
		return nil, err
	}
	if keys != nil && !keys.CanDecrypt() && b.Verify > 0 {
		return nil, fault.E(fault.InvalidArgument, "--backup-key-file %s has no secret key, without which the server can't restore its backups for trial. Add one, or set --backup-verify 0 and restore them elsewhere.", b.KeyFile)
	}
	for _, folder := range c.Keyless() {
		if b.KeyFile == "" {
			break
		}
		inside, err := basefolder.Contains(folder, b.KeyFile)
		if err != nil {
			return nil, fault.Wrap(err, fault.InvalidArgument, "--backup-key-file %s: %v", b.KeyFile, err)
		}
		if inside {
			return nil, fault.E(fault.InvalidArgument, "--backup-key-file %s is in %s, so it would be lost or stolen with what it protects; put it elsewhere", b.KeyFile, folder)
		}
	}
	scratch := c.DataDir // A bucket has no folders.
	if !b.IsBucket() {
		scratch = at.String()
		// A folder that can't be reached now does not keep the server from serving: the backups fail until it can.
		if inside, _ := basefolder.Within(c.DataDir, scratch); inside {
			return nil, fault.E(fault.InvalidArgument, "--backup-to %s is in the data folder; name a folder on another disk", b.At)
		}
	}
	if o.Changes != nil {
		o.Changes.Resume(ctx, s)
	}
	id, err := random(ctx, s, identityKey)
	if err != nil {
		return nil, err
	}
	secret, err := random(ctx, s, secretKey)
	if err != nil {
		return nil, err
	}
	out := &Service{series: at, sizes: o.Sizes, scratch: scratch, clock: o.Clock}
	request := series.Request{Source: s, Data: c.DataDir, ID: id, Secret: secret, Rate: rate, Clock: o.Clock, Inventory: func(_ context.Context, folder string, took func(int) error) (json.RawMessage, error) {
		return takeInventory(folder, o.Sizes, took)
	}}
	prove := func(ctx context.Context, b series.Backup, to string) (string, time.Time, error) {
		return prove(ctx, at, b, to, o.Sizes)
	}
	options := schedule.Options{
		Series: at, Every: b.Every, Keep: b.Keep, ProveEvery: b.Verify, Prove: prove, Scratch: scratch, Clock: o.Clock, Log: o.Log, Request: request,
	}
	if o.Changes != nil {
		out.Shipper = shipping.New(shipping.Options{Series: at, Log: o.Changes, Store: s, ID: id, Clock: o.Clock, Logger: o.Log})
		options.Shipping, options.Request.Log = out.Shipper, out.Shipper
	}
	out.Schedule = schedule.New(options)
	out.Plan, err = schedule.LoadPlan(s, out.Schedule.Use)
	return out, err
}

// Open returns the backups in a place. It does not connect.
func Open(p *config.BackupPlace, c clock.Clock) (*series.Series, error) {
	at, _, err := open(p, c)
	return at, err
}

// open returns the backups in a place, and the keys, which are nil without a file of them.
func open(p *config.BackupPlace, c clock.Clock) (*series.Series, *series.Keys, error) {
	var keys *series.Keys
	if p.KeyFile != "" {
		text, err := regularfile.Read(p.KeyFile, maxKeys)
		if err == nil {
			keys, err = series.ParseKeys(string(text))
		}
		if err != nil {
			return nil, nil, fault.Wrap(err, fault.InvalidArgument, "--backup-key-file %s: %s", p.KeyFile, fault.Reason(err))
		}
	}
	if p.IsBucket() {
		b, err := OpenBucket(p, c)
		return series.New(series.Options{Target: b, Keys: keys, Open: openStore}), keys, err
	}
	dir, err := filepath.Abs(p.At)
	return series.New(series.Options{Target: target.Folder{Dir: dir}, Keys: keys, Open: openStore}), keys, err
}

// OpenBucket returns the bucket that a place names. It does not connect.
func OpenBucket(p *config.BackupPlace, c clock.Clock) (target.Target, error) {
	b, err := bucket.New(bucket.Options{
		URL: p.At, Endpoint: p.Endpoint, Region: p.Region, Addressing: p.Addressing,
		AccessKey: p.AccessKey, SecretKey: p.SecretKey, SessionToken: p.SessionToken, Clock: c,
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

// maxKeys is the maximum size of a file of keys in bytes.
const maxKeys = 64 << 10

// random returns the random text that a store has at a key. It creates one if there is none.
func random(ctx context.Context, s store.Store, key string) (string, error) {
	stored, ok, err := s.Get([]byte(key))
	if err != nil || ok {
		return string(stored), err
	}
	text := randid.New(20)
	var b store.Batch
	b.Set([]byte(key), []byte(text))
	return text, s.Apply(ctx, &b)
}

// small returns the options of a store that is opened beside the served one, or by a command.
func small(o pebble.Options) pebble.Options {
	o.CacheBytes, o.MemTableBytes = 8<<20, 4<<20
	return o
}

// verifyFolder compares the records of a store that is not in use with each other.
func verifyFolder(ctx context.Context, folder string, sizes pebble.Options, progress func(done, all int64)) (r *verify.Report, err error) {
	s, err := pebble.Open(folder, small(sizes))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return verify.Store(ctx, s, progress)
}

// Verify compares the records of a data folder that no server uses, or of a backup, with each other. A backup is
// compared with its list, and restored to a temporary folder. progress, if not nil, receives how many of how many
// documents are verified.
func Verify(ctx context.Context, dir string, sizes pebble.Options, progress func(done, all int64)) (r *verify.Report, err error) {
	folder := filepath.Join(dir, datafolder.Store)
	if _, err := os.Stat(folder); err != nil {
		return nil, fault.Wrap(err, fault.NotFound, "%s is neither a data folder nor a backup: %v", dir, err)
	}
	if _, err := backup.Size(dir); fault.Is(err, fault.NotFound) {
		return verifyFolder(ctx, folder, sizes, progress)
	}
	scratch, done, err := backup.ScratchCopy(filepath.Join(os.TempDir(), "clave-verify"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	err = backup.Restore(ctx, dir, filepath.Join(scratch, "data"), func(folder string) error {
		r, err = verifyFolder(ctx, folder, sizes, progress)
		return err
	})
	return r, err
}

// VerifyBackup restores a backup to a temporary folder, and compares its records with each other and with the backup's
// inventory.
func VerifyBackup(ctx context.Context, at *series.Series, b series.Backup, sizes pebble.Options) (r *verify.Report, err error) {
	scratch, done, err := backup.ScratchCopy(filepath.Join(os.TempDir(), "clave-verify"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	err = at.Restore(ctx, b, filepath.Join(scratch, "data"), func(folder string, inventory json.RawMessage) error {
		if r, err = verifyFolder(ctx, folder, sizes, nil); err != nil {
			return err
		}
		return CompareInventory(ctx, folder, sizes, inventory)
	})
	return r, err
}

// State returns the state of a schedule for the metrics; nil if there is none.
func State(s *Service) *prometheus.Backups {
	if s == nil {
		return nil
	}
	st := s.Schedule.Status()
	out := &prometheus.Backups{Count: st.Count, Bytes: st.Bytes, Last: st.Last, Proved: st.Proof.Time, Second: st.Proof.Second, Failures: st.Failures, Unproved: st.Unproved}
	if log := st.Log; log != nil {
		out.Log = &prometheus.ShippedLog{Age: log.Age(s.clock.Now()), Until: log.Until, Bytes: log.Bytes, Failures: log.Failures, Gaps: log.Gaps}
	}
	return out
}
