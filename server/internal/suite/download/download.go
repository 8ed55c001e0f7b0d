package download

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"google.golang.org/grpc"

	"clave/server/internal/auth/service/accountimport"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/resource"
	pb "clave/server/internal/model/wire/firestorepb"
	"clave/server/internal/model/wire/official"
	"clave/server/internal/suite/transfer"
)

// Options are those of a download.
type Options struct {
	Project string
	// Database is the only database to be downloaded; empty for all.
	Database string
	// Dir is the absolute path of the folder: absent, empty or with an earlier download.
	Dir       string
	Endpoints Endpoints
	// Token returns an access token; nil for emulators.
	Token func(context.Context) (string, error)
	// ReadTime is the time of which the documents are read; zero for the present of the first call.
	ReadTime time.Time
	// NoAccounts, NoRules and NoIndexes are set for what the caller has from elsewhere.
	NoAccounts, NoRules, NoIndexes bool
	// Hash has the parameters of the password hashes; nil to ask the project for them.
	Hash *accountimport.Request
	// HTTP calls the APIs but that of documents; nil for a client of its own.
	HTTP *http.Client
	// Clock is the source of time; nil means the machine's clock. Pause is the pause before the first retry.
	Clock clock.Clock
	Pause time.Duration
	// Log receives the failures of calls that are repeated.
	Log *slog.Logger
	// Progress receives how many documents are downloaded.
	Progress func(documents int64)
	// Sizes are the sizes of queries and files; zero for those of production.
	Sizes Sizes
	// Dial are further options of the connection to Firestore.
	Dial []grpc.DialOption
}

// Sizes are the sizes of the parts of a download.
type Sizes struct {
	// Partitions is the number of partitions of a database that are asked for, and Workers how many are read at once.
	Partitions, Workers int
	// Documents and Bytes are how much a file has at most, but for its last document.
	Documents, Bytes int64
}

// EnsureDefaults sets the defaults of zero fields.
func (o *Options) EnsureDefaults() {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.HTTP == nil {
		o.HTTP = &http.Client{
			// A token must not follow a redirect to another host, and no API redirects.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	if o.Pause == 0 {
		o.Pause = firstPause
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Progress == nil {
		o.Progress = func(int64) {}
	}
	if o.Sizes == (Sizes{}) {
		o.Sizes = Sizes{Partitions: 32, Workers: 4, Documents: 5000, Bytes: 32 << 20}
	}
}

// Result is a complete download.
type Result struct {
	// ReadTime is the time of which the documents are.
	ReadTime time.Time
	// Databases are the databases, with their files of rules and indexes; empty for none.
	Databases []Database
	// Remarks are what the report says of what is not downloaded.
	Remarks []string
	// Refused are documents that Clave cannot read, and RefusedNumber is their number, which may be greater.
	Refused       []transfer.Refused
	RefusedNumber int64
}

// Database is a downloaded database.
type Database struct {
	ID string
	// Rules and Indexes are the paths of files; empty for none.
	Rules, Indexes string
}

// download is a download in progress.
type download struct {
	o     Options
	s     *state
	out   transfer.Collected
	calls pb.FirestoreClient
}

// Run downloads a project, or continues a download that was interrupted. A complete one is not made again.
func Run(ctx context.Context, o Options) (r *Result, err error) {
	o.EnsureDefaults()
	d := &download{o: o, out: transfer.Collected{Dir: o.Dir}}
	if d.s, err = d.earlier(); err != nil {
		return nil, err
	}
	unlock, err := d.lock()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock.Close()) }()
	if d.s, err = d.earlier(); err != nil { // Another process may have changed it until now.
		return nil, err
	}
	if d.s != nil && d.s.Complete {
		return d.result(), nil
	}
	conn, err := d.dial()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	defer o.HTTP.CloseIdleConnections()
	d.calls = pb.NewFirestoreClient(official.Names{Conn: conn})
	if d.s == nil {
		if err := d.begin(ctx); err != nil {
			return nil, err
		}
	}
	d.s.Remarks = slices.Clone(d.s.Skipped) // The others are found again.
	for _, part := range []func(context.Context) error{d.rules, d.indexes, d.accounts, d.documents, d.counts} {
		if err := part(ctx); err != nil {
			return nil, err
		}
	}
	if err := d.describe(); err != nil {
		return nil, err
	}
	return d.result(), nil
}

// lockName is the name of the file that a download has locked in its folder.
const lockName = "download.lock"

// lock creates the folder and excludes other processes from it until the result is closed.
func (d *download) lock() (io.Closer, error) {
	if err := os.MkdirAll(d.o.Dir, 0o700); err != nil {
		return nil, fault.Wrap(err, fault.FailedPrecondition, "cannot create the folder of the download: %v", err)
	}
	unlock, err := vfs.Default.Lock(filepath.Join(d.o.Dir, lockName))
	if err != nil {
		return nil, fault.Wrap(err, fault.FailedPrecondition, "cannot lock %s: another clave may download into it: %v", d.o.Dir, err)
	}
	return unlock, nil
}

// blank reports whether the folder is absent or empty. A download that has not begun may have left the file of its
// lock.
func (d *download) blank() (bool, error) {
	entries, err := os.ReadDir(d.o.Dir)
	if err == nil && len(entries) == 1 && entries[0].Name() == lockName {
		return true, nil
	}
	return transfer.Blank(d.o.Dir)
}

// Remove removes a download. It leaves a folder that is none. The state is removed last, so that the next call
// completes one that was killed.
func Remove(dir string) error {
	if s, err := readState(dir); err != nil || s == nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.Name() == stateName {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, entry.Name())); err != nil {
			return err
		}
	}
	return os.RemoveAll(dir)
}

// earlier returns the state of an earlier download into the folder; nil if it is absent or empty.
func (d *download) earlier() (*state, error) {
	s, err := readState(d.o.Dir)
	if err != nil {
		return nil, err
	}
	if s == nil {
		blank, err := d.blank()
		if err == nil && !blank {
			err = fault.E(fault.FailedPrecondition, "%s is neither empty nor an earlier download: name another folder", d.o.Dir)
		}
		return nil, err
	}
	if s.Project != d.o.Project || s.Database != d.o.Database {
		return nil, fault.E(fault.FailedPrecondition, "%s has a download of project %s, database %q. Name another folder, or remove it.", d.o.Dir, s.Project, s.Database)
	}
	if !d.o.ReadTime.IsZero() && !d.o.ReadTime.Equal(s.ReadTime) {
		return nil, fault.E(fault.FailedPrecondition, "%s has a download of %s, which is not --read-time. Name another folder, or remove it.", d.o.Dir, s.ReadTime.Format(time.RFC3339Nano))
	}
	return s, nil
}

// begin determines the databases, the read time and the partitions, and records them.
func (d *download) begin(ctx context.Context) error {
	d.s = &state{Version: stateVersion, Project: d.o.Project, Database: d.o.Database, Began: d.o.Clock.Now(), path: filepath.Join(d.o.Dir, stateName)}
	ids, skipped, err := d.databases(ctx)
	if err != nil {
		return err
	}
	d.s.Skipped = skipped
	switch d.s.ReadTime = d.o.ReadTime; {
	case !d.s.ReadTime.IsZero():
	case len(ids) == 0: // a project with accounts alone
		d.s.ReadTime = d.o.Clock.Now()
	default:
		if d.s.ReadTime, err = d.present(ctx, resource.Database{Project: d.o.Project, ID: ids[0]}); err != nil {
			return err
		}
	}
	for _, id := range ids {
		db := &databaseState{ID: id}
		if db.Partitions, err = d.partitions(ctx, resource.Database{Project: d.o.Project, ID: id}); err != nil {
			return err
		}
		d.s.Databases = append(d.s.Databases, db)
	}
	return d.s.write()
}

// describe makes the folder an export, and records that it is complete.
func (d *download) describe() error {
	var all []transfer.CollectedDatabase
	for _, db := range d.s.Databases {
		one := transfer.CollectedDatabase{DB: d.s.database(db)}
		for _, p := range db.Partitions {
			one.Outputs = append(one.Outputs, p.Outputs...)
			one.Documents += p.Documents
			one.Bytes += p.Bytes
		}
		all = append(all, one)
	}
	if err := d.out.Describe(all, d.s.HasAccounts, d.s.ReadTime, d.o.Clock.Now()); err != nil {
		return err
	}
	d.s.Complete = true
	return d.s.write()
}

// result returns what is downloaded.
func (d *download) result() *Result {
	r := &Result{ReadTime: d.s.ReadTime, Remarks: slices.Clone(d.s.Remarks), Refused: d.s.Refused, RefusedNumber: d.s.RefusedNumber}
	for _, db := range d.s.Databases {
		one := Database{ID: db.ID}
		if db.Rules {
			one.Rules = d.fileOf(db, rulesFile)
		}
		if db.Indexes {
			one.Indexes = d.fileOf(db, indexesFile)
		}
		r.Databases = append(r.Databases, one)
	}
	return r
}

// fileOf returns the path of a file of a database in the folder.
func (d *download) fileOf(db *databaseState, name string) string {
	if db.ID == resource.DefaultDatabase {
		return filepath.Join(d.o.Dir, name)
	}
	return filepath.Join(d.o.Dir, db.ID+"."+name)
}

// remark records what is not downloaded.
func (d *download) remark(text string) { d.s.Remarks = append(d.s.Remarks, text) }
